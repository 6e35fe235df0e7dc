/** Panels about the ranking, gains and lift, and about scores as probabilities: reliability, net benefit. */

import { nearest, wilson } from "../arithmetic";
import { s } from "../dom";
import { counted, decimals, levelSaid, percent, percents, short } from "../format";
import { glyph, lookOf } from "../looks";
import * as ranking from "../ranking";
import { notProbabilities, ruleOf } from "../sentences";
import * as pr from "../spaces/pr";
import type { Cursor } from "../state";
import { ofOtherClass, prevalence } from "../table";
import { cursorOf, thresholdAt, type ModelView, type View } from "../view";
import { Panel, type Window } from "./frame";
import { across, type Layer, Room, textWidth } from "./plane";

export class GainsPanel extends Panel {
  protected place(one: ModelView, row: number): readonly [number, number] {
    return [ranking.share(one.table, row), pr.x(one.table, row)];
  }

  protected drawBack(layer: Layer, view: View): void {
    const first = view.shown[0];
    if (!first || !view.settings.baselines) return;
    this.drawBaseline(layer, across(0, 1));
    const full = [prevalence(first.table), 1] as const;
    this.drawBaseline(layer, [[0, 0], full, [1, 1]]);
  }

  protected drawModel(lines: Layer, _bands: Layer, one: ModelView, view: View): void {
    const curve = one.path && ranking.traceGains(one.table, one.path);
    this.drawLines(lines, one, view, curve, ranking.traceGains(one.hull, one.hullPath));
  }

  protected reads(view: View, { model, row }: Cursor): string {
    const { table } = view.models[model]!;
    return (
      `${ruleOf(view, model, row)} flags ${counted(table.tp[row]! + table.fp[row]!)} of the ` +
      `items, ${percent(ranking.share(table, row))}; ${percent(pr.x(table, row))} of the positives are ` +
      "among them."
    );
  }
}

export class LiftPanel extends Panel {
  protected override window(view: View): Window {
    let highest = 1;
    for (const { table } of view.shown)
      for (let row = 1; row < table.tp.length; row++)
        highest = Math.max(highest, ranking.lift(table, row) || 0);
    return { x: [0, 1], y: [0, 1.05 * highest] };
  }

  protected place(one: ModelView, row: number): readonly [number, number] {
    return [ranking.share(one.table, row), ranking.lift(one.table, row)];
  }

  protected drawBack(layer: Layer, view: View): void {
    if (view.settings.baselines) this.drawBaseline(layer, across(1, 1));
  }

  protected drawModel(lines: Layer, _bands: Layer, one: ModelView, view: View): void {
    const curve = one.path && ranking.traceLift(one.table, one.path, this.width);
    this.drawLines(lines, one, view, curve, ranking.traceLift(one.hull, one.hullPath, this.width));
  }

  protected reads(view: View, { model, row }: Cursor): string {
    const { table } = view.models[model]!;
    const value = ranking.lift(table, row);
    const said = Number.isNaN(value)
      ? "flags nothing, which has no lift"
      : `flags ${percent(ranking.share(table, row))} of all items, with lift ${decimals(value)}`;
    return `${ruleOf(view, model, row)} ${said}.`;
  }
}

export class ReliabilityPanel extends Panel {
  private readonly bins = new WeakMap<ModelView, readonly ranking.ScoreBin[]>();

  private binsOf(one: ModelView, view: View): readonly ranking.ScoreBin[] {
    const before = this.bins.get(one);
    if (before) return before;
    const { otherClass } = view.settings;
    const table = otherClass ? ofOtherClass(one.table) : one.table;
    const factor = table.negatives / one.model.table.negatives;
    const found = one.complete
      ? ranking.binsOfEqualSize(table)
      : ranking.binsOfEqualWidth(one.model, factor);
    const bins = otherClass ? ranking.binsOfOtherClass(found) : found;
    this.bins.set(one, bins);
    return bins;
  }

  /** A threshold is a vertical line here. */
  protected place(one: ModelView, row: number): readonly [number, number] {
    const threshold = thresholdAt(one, row);
    const score = this.view?.settings.otherClass ? 1 - threshold : threshold;
    return [ranking.hasProbabilities(one.model) ? Math.min(Math.max(score, 0), 1) : NaN, NaN];
  }

  protected override nearest(view: View, px: number): Cursor | null {
    const cursor = cursorOf(view);
    if (!cursor) return null;
    const one = view.models[cursor.model]!;
    const row = nearest(one.table.tp.length, (each) =>
      Math.abs((this.x(this.place(one, each)[0]) ?? NaN) - px),
    );
    return { model: cursor.model, row: row < 0 ? cursor.row : row };
  }

  protected drawBack(layer: Layer, view: View): void {
    if (view.settings.baselines) this.drawBaseline(layer, across(0, 1));
  }

  protected drawModel(lines: Layer, _bands: Layer, one: ModelView, view: View): void {
    if (!ranking.hasProbabilities(one.model)) return;
    const bins = this.binsOf(one, view);
    const hasMeans = bins.every(({ predicted }) => !Number.isNaN(predicted));
    const curve = bins.map(({ predicted, observed }) => [predicted, observed] as const);
    if (hasMeans) this.drawCurve(lines, one, view, curve);
    const look = view.looks.get(one.place);
    if (look === undefined) return;
    for (const bin of bins) {
      const y = this.y(bin.observed);
      const mark = hasMeans
        ? { d: glyph(look, 36), transform: `translate(${this.x(bin.predicted)},${y})` }
        : { d: `M${this.x(bin.lower)},${y}H${this.x(bin.upper)}` };
      const title = s("title", `${one.model.name}: ${binSaid(bin)}`);
      lines.append(s("path", { class: `bin ${lookOf(view, one.place)}`, ...mark }, title));
    }
  }

  /** The intervals of the model in hand. */
  protected override drawLine(layer: Layer, view: View, { model }: Cursor): void {
    const one = view.models[model]!;
    if (!ranking.hasProbabilities(one.model) || !one.table.whole) return;
    const room = new Room(this.area);
    for (const bin of this.binsOf(one, view)) {
      const [lo, hi] = wilson(bin.positives, bin.items, view.confidence.z);
      const x = this.x(Number.isNaN(bin.predicted) ? (bin.lower + bin.upper) / 2 : bin.predicted);
      const d = `M${x},${this.y(lo)}V${this.y(hi)}`;
      layer.append(s("path", { class: `interval ${lookOf(view, model)}`, d }));
      const text = counted(bin.items);
      const [width, height] = [textWidth(text, 10) + 4, 10];
      const y = Math.max(this.y(hi) - 4, this.area.y + height);
      if (room.take({ x: x - width / 2, y: y - height, width, height }))
        layer.append(s("text.bin-count", { x, y, "text-anchor": "middle" }, text));
    }
  }

  protected reads(view: View, { model, row }: Cursor): string {
    const one = view.models[model]!;
    const refused = notProbabilities(view.shown, "reliability");
    if (!ranking.hasProbabilities(one.model)) return refused;
    const bins = this.binsOf(one, view);
    const score = this.place(one, row)[0];
    const bin = bins.find(({ upper }) => score <= upper) ?? bins.at(-1)!;
    const interval = one.table.whole
      ? `, with a ${levelSaid(view.confidence.level)} interval of ${percents(wilson(bin.positives, bin.items, view.confidence.z), " to ")}`
      : "";
    const error = ranking.calibrationError(bins);
    const distance = Number.isNaN(error)
      ? ""
      : ` Scores and shares are ${decimals(error)} apart on average.`;
    return `${one.model.name}: ${binSaid(bin)}${interval}.${distance} ${refused}`.trimEnd();
  }
}

function binSaid({ lower, upper, items, positives, observed }: ranking.ScoreBin): string {
  const scores =
    lower === upper
      ? `the score ${short(lower, 3)}`
      : `scores from ${short(lower, 3)} to ${short(upper, 3)}`;
  return (
    `of ${counted(items)} items with ${scores}, ` +
    `${counted(positives)} (${percent(observed)}) are positive`
  );
}

/** Net benefits below this share of the prevalence are next to nothing. */
const NOTHING = 0.02;

export class NetBenefitPanel extends Panel {
  protected override window(view: View): Window {
    const highest = view.shown[0] ? prevalence(view.shown[0].table) : 1;
    return { x: [0, 1], y: [-0.25 * highest, 1.05 * highest] };
  }

  /** To where the curves have come down to nothing, if most of the axis is beyond. */
  protected override closeUp(view: View): Window | null {
    const some = view.shown.filter(({ model }) => ranking.hasProbabilities(model));
    if (!some.length) return null;
    const highest = prevalence(view.shown[0]!.table);
    let last = highest;
    for (const { table } of some)
      for (const { row, hi } of ranking.probabilityRules(table, view.settings.otherClass))
        if (hi < 1 && ranking.netBenefit(table, row, hi) > NOTHING * highest)
          last = Math.max(last, hi);
    return last < 0.4 ? { x: [0, 1.25 * last], y: this.window(view).y } : null;
  }

  /** The highest p for which a row is the rule. */
  protected place(one: ModelView, row: number): readonly [number, number] {
    if (!ranking.hasProbabilities(one.model)) return [NaN, NaN];
    const { thresholds } = one.table;
    const other = this.view?.settings.otherClass;
    const high = other ? 1 - (thresholds[row - 1] ?? -Infinity) : thresholds[row]!;
    // Of p = 1, which has no net benefit, only rules without false positives know.
    const p = Math.min(Math.max(high, 0), one.table.fp[row] ? 0.9999 : 1);
    return [p, ranking.netBenefit(one.table, row, p)];
  }

  protected drawBack(layer: Layer, view: View): void {
    const first = view.shown[0];
    if (!first || !view.settings.baselines) return;
    const all = Array.from({ length: 200 }, (_, step) => {
      const p = step / 200;
      return [p, ranking.netBenefitOfAll(first.table, p)] as const;
    });
    this.drawBaseline(layer, all, "act on everything");
    this.drawBaseline(layer, across(0, 0), "act on nothing");
  }

  protected drawModel(lines: Layer, _bands: Layer, one: ModelView, view: View): void {
    if (!ranking.hasProbabilities(one.model)) return;
    const curve = ranking.traceNetBenefit(one.table, view.settings.otherClass, this.width);
    this.drawCurve(lines, one, view, curve);
  }

  protected reads(view: View, { model, row }: Cursor): string {
    const one = view.models[model]!;
    const refused = notProbabilities(view.shown, "net benefit");
    if (!ranking.hasProbabilities(one.model)) return refused;
    const [p, value] = this.place(one, row);
    const all = ranking.netBenefitOfAll(one.table, p);
    const against = Number.isFinite(all) ? `, acting on everything ${decimals(all, 4)}` : "";
    return (
      `${one.model.name}, acting from p = ${short(p, 3)} on (${percent(ranking.share(one.table, row))} of the ` +
      `items): net benefit ${decimals(value, 4)}${against}, acting on nothing 0. ${refused}`
    ).trimEnd();
  }
}
