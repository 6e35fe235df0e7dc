/** Cumulative gains and lift: what the top of the ranking contains. */

import { counted, decimals, percent } from "../format";
import { lift, share, traceGains, traceLift } from "../ranking";
import { ruleOf } from "../sentences";
import * as pr from "../spaces/pr";
import type { Cursor } from "../state";
import { prevalence } from "../table";
import type { ModelView, View } from "../view";
import { Panel, type Window } from "./frame";
import { across, type Layer } from "./plane";

export class GainsPanel extends Panel {
  protected place(one: ModelView, row: number): readonly [number, number] {
    return [share(one.table, row), pr.x(one.table, row)];
  }

  protected drawBack(layer: Layer, view: View): void {
    const first = view.shown[0];
    if (!first || !view.settings.baselines) return;
    this.drawBaseline(layer, across(0, 1));
    const full = [prevalence(first.table), 1] as const;
    this.drawBaseline(layer, [[0, 0], full, [1, 1]]);
  }

  protected drawModel(lines: Layer, _bands: Layer, one: ModelView, view: View): void {
    const curve = one.path && traceGains(one.table, one.path);
    this.drawLines(lines, one, view, curve, traceGains(one.hull, one.hullPath));
  }

  protected reads(view: View, { model, row }: Cursor): string {
    const { table } = view.models[model]!;
    return (
      `${ruleOf(view, model, row)} flags ${counted(table.tp[row]! + table.fp[row]!)} of the ` +
      `items, ${percent(share(table, row))}; ${percent(pr.x(table, row))} of the positives are ` +
      "among them."
    );
  }
}

export class LiftPanel extends Panel {
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
    if (view.settings.baselines) this.drawBaseline(layer, across(1, 1));
  }

  protected drawModel(lines: Layer, _bands: Layer, one: ModelView, view: View): void {
    const curve = one.path && traceLift(one.table, one.path, this.width);
    this.drawLines(lines, one, view, curve, traceLift(one.hull, one.hullPath, this.width));
  }

  protected reads(view: View, { model, row }: Cursor): string {
    const { table } = view.models[model]!;
    const value = lift(table, row);
    const said = Number.isNaN(value)
      ? "flags nothing, which has no lift"
      : `flags ${percent(share(table, row))} of all items, with lift ${decimals(value)}`;
    return `${ruleOf(view, model, row)} ${said}.`;
  }
}
