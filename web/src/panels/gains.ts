/** Cumulative gains and lift: what the top of the ranking contains. */

import { counted, decimals, percent } from "../format";
import type { Glossary } from "../glossary";
import { lift, share, traceGains, traceLift } from "../ranking";
import { rule } from "../sentences";
import * as pr from "../spaces/pr";
import type { Cursor, Store } from "../state";
import { prevalence } from "../table";
import type { ModelView, View } from "../view";
import { Panel, type Layer, type Window } from "./frame";

export class GainsPanel extends Panel {
  constructor(store: Store, glossary: Glossary, report: string) {
    super(
      {
        name: "gains",
        title: "Cumulative gains",
        term: "cumulative gain",
        x: "share of all items that are flagged",
        y: "share of the positives among them",
        shows:
          "How many of the positives (up) the top share of the ranking contains (right); the diagonal is a random order.",
      },
      store,
      glossary,
      report,
    );
  }

  protected place(one: ModelView, row: number): readonly [number, number] {
    return [share(one.table, row), pr.x(one.table, row)];
  }

  protected drawBack(layer: Layer, view: View): void {
    const first = view.shown[0];
    if (!first || !view.settings.baselines) return;
    this.drawBaseline(layer, [
      [0, 0],
      [1, 1],
    ]);
    this.drawBaseline(layer, [
      [0, 0],
      [prevalence(first.table), 1],
      [1, 1],
    ]);
  }

  protected drawModel(lines: Layer, _bands: Layer, one: ModelView, view: View): void {
    const curve = one.path && traceGains(one.table, one.path);
    this.drawLines(lines, one, view, curve, traceGains(one.hull, one.hullPath));
  }

  protected reads(view: View, { model, row }: Cursor): string {
    const one = view.models[model]!;
    const { table } = one;
    return (
      `${one.model.name} at ${rule(one, row, view)} flags ` +
      `${counted(table.tp[row]! + table.fp[row]!)} of the items, ${percent(share(table, row))}; ` +
      `${percent(pr.x(table, row))} of the positives are among them.`
    );
  }
}

export class LiftPanel extends Panel {
  constructor(store: Store, glossary: Glossary, report: string) {
    super(
      {
        name: "lift",
        title: "Lift",
        term: "lift",
        x: "share of all items that are flagged",
        y: "lift",
        shows:
          "How many times as many positives the top share contains as a random share; everything together has lift 1.",
      },
      store,
      glossary,
      report,
    );
  }

  protected override window(view: View): Window {
    let highest = 1;
    for (const { table } of view.shown)
      for (let row = 1; row < table.tp.length; row++)
        highest = Math.max(highest, lift(table, row) || 0);
    return { x: [0, 1], y: [0, 1.05 * highest] };
  }

  protected place(one: ModelView, row: number): readonly [number, number] {
    return [share(one.table, row), lift(one.table, row)];
  }

  protected drawBack(layer: Layer, view: View): void {
    if (view.settings.baselines)
      this.drawBaseline(layer, [
        [0, 1],
        [1, 1],
      ]);
  }

  protected drawModel(lines: Layer, _bands: Layer, one: ModelView, view: View): void {
    const curve = one.path && traceLift(one.table, one.path, this.width);
    this.drawLines(lines, one, view, curve, traceLift(one.hull, one.hullPath, this.width));
  }

  protected reads(view: View, { model, row }: Cursor): string {
    const one = view.models[model]!;
    const value = lift(one.table, row);
    const said = Number.isNaN(value)
      ? "flags nothing, which has no lift"
      : `flags ${percent(share(one.table, row))} of all items, with lift ${decimals(value)}`;
    return `${one.model.name} at ${rule(one, row, view)} ${said}.`;
  }
}
