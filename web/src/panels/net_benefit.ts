/** Decision curves: net benefit over the probability from which on one acts. */

import { decimals, percent, short } from "../format";
import type { Glossary } from "../glossary";
import {
  hasProbabilities,
  netBenefit,
  netBenefitOfAll,
  probabilityRules,
  traceNetBenefit,
} from "../ranking";
import { notProbabilities } from "../sentences";
import type { Cursor, Store } from "../state";
import { prevalence } from "../table";
import type { ModelView, View } from "../view";
import { Panel, type Layer, type Window } from "./frame";

/** Net benefits below this share of the prevalence are next to nothing. */
const NOTHING = 0.02;

export class NetBenefitPanel extends Panel {
  constructor(store: Store, glossary: Glossary, report: string) {
    super(
      {
        name: "net-benefit",
        title: "Net benefit",
        term: "net benefit",
        x: "p, the probability from which on one acts",
        y: "net benefit",
        shows:
          "What acting from a probability of p on is worth (up), against acting on everything and on nothing (dotted).",
      },
      store,
      glossary,
      report,
    );
  }

  protected override window(view: View): Window {
    const share = view.shown[0] ? prevalence(view.shown[0].table) : 1;
    return { x: [0, 1], y: [-0.25 * share, 1.05 * share] };
  }

  /** To where the curves have come down to nothing, if most of the axis is beyond. */
  protected override closeUp(view: View): Window | null {
    const share = view.shown[0] && prevalence(view.shown[0].table);
    if (share === undefined || !view.shown.some(({ model }) => hasProbabilities(model)))
      return null;
    let last = share;
    for (const { model, table } of view.shown) {
      if (!hasProbabilities(model)) continue;
      for (const { row, hi } of probabilityRules(table, view.settings.otherClass))
        if (hi < 1 && netBenefit(table, row, hi) > NOTHING * share) last = Math.max(last, hi);
    }
    return last < 0.4 ? { x: [0, 1.25 * last], y: this.window(view).y } : null;
  }

  /** The highest p for which a row is the rule. */
  protected place(one: ModelView, row: number): readonly [number, number] {
    if (!hasProbabilities(one.model)) return [NaN, NaN];
    const { thresholds } = one.table;
    const other = this.view?.settings.otherClass;
    const high = other ? 1 - (thresholds[row - 1] ?? -Infinity) : thresholds[row]!;
    // Of p = 1, which has no net benefit, only rules without false positives know.
    const p = Math.min(Math.max(high, 0), one.table.fp[row] ? 0.9999 : 1);
    return [p, netBenefit(one.table, row, p)];
  }

  protected drawBack(layer: Layer, view: View): void {
    const first = view.shown[0];
    if (!first || !view.settings.baselines) return;
    const all = Array.from({ length: 200 }, (_, step) => {
      const p = step / 200;
      return [p, netBenefitOfAll(first.table, p)] as const;
    });
    this.drawBaseline(layer, all, "act on everything");
    this.drawBaseline(
      layer,
      [
        [0, 0],
        [1, 0],
      ],
      "act on nothing",
    );
  }

  protected drawModel(lines: Layer, _bands: Layer, one: ModelView, view: View): void {
    if (hasProbabilities(one.model))
      this.drawCurve(
        lines,
        one,
        view,
        traceNetBenefit(one.table, view.settings.otherClass, this.width),
      );
  }

  protected reads(view: View, { model, row }: Cursor): string {
    const one = view.models[model]!;
    const refused = notProbabilities(view.shown, "net benefit");
    if (!hasProbabilities(one.model)) return refused;
    const [p, value] = this.place(one, row);
    const all = netBenefitOfAll(one.table, p);
    const against = Number.isFinite(all) ? `, acting on everything ${decimals(all, 4)}` : "";
    const said =
      `${one.model.name}, acting from p = ${short(p, 3)} on (${percent(pFlagged(one, row))} of the ` +
      `items): net benefit ${decimals(value, 4)}${against}, acting on nothing 0.`;
    return refused ? `${said} ${refused}` : said;
  }
}

function pFlagged({ table }: ModelView, row: number): number {
  return (table.tp[row]! + table.fp[row]!) / (table.positives + table.negatives);
}
