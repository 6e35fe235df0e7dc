/** Promised and achieved: thresholds of the tuning data, there and on these rows. */

import { line } from "d3-shape";

import { s } from "../dom";
import { glyph, lookOf } from "../looks";
import { betaOf, type Cursor } from "../state";
import type { Table } from "../table";
import {
  chosenRow,
  lineOf,
  promisedReads,
  rowAtWeight,
  rowHere,
  tunedOf,
  valueAtWeight,
  weightOf,
  type Tuned,
} from "../tuned";
import type { ModelView, View } from "../view";
import { Panel, type Window } from "./frame";
import type { Layer, Room } from "./plane";

const EDGE = 1e-4;

export class PromisedPanel extends Panel {
  private value(table: Table, row: number, view: View): number {
    return valueAtWeight(table, row, weightOf(view), view.objective.costs !== null);
  }

  private lines(one: ModelView, view: View): ReturnType<typeof lineOf>[] {
    const tuned = tunedOf(one, view.settings)!;
    const costs = view.objective.costs !== null;
    return [tuned.there.table, tuned.here].map((table) => lineOf(tuned, table, costs));
  }

  /** Costs per item are small where positives are rare, so their axis begins where they do. */
  protected override window(view: View): Window {
    if (!view.objective.costs) return { x: [0, 1], y: [0, 1] };
    const values = view.shown.flatMap((one) =>
      this.lines(one, view)
        .flat()
        .map(([, y]) => y),
    );
    const least = Math.min(...values, 0.999);
    return { x: [0, 1], y: [1 - 1.1 * (1 - least), 1] };
  }

  /** The point in hand is a threshold of these rows. */
  protected place(one: ModelView, row: number): readonly [number, number] {
    const view = this.view!;
    return [weightOf(view), this.value(one.table, row, view)];
  }

  protected drawBack(layer: Layer, view: View): void {
    const first = view.shown[0];
    if (!first || !view.settings.baselines) return;
    const { positives, negatives } = first.table;
    const costs = view.objective.costs !== null;
    const counts = { tp: Float64Array.of(positives, 0), fp: Float64Array.of(negatives, 0) };
    const trivial = { ...first.table, ...counts };
    const named = ["flag everything", "flag nothing"].slice(0, costs ? 2 : 1);
    named.forEach((name, row) => {
      const points = Array.from({ length: 101 }, (_, step) => {
        const weight = step / 100;
        return [weight, valueAtWeight(trivial, row, weight, costs)] as const;
      });
      this.drawBaseline(layer, points, name);
    });
  }

  protected drawModel(lines: Layer, _bands: Layer, one: ModelView, view: View): void {
    const [promised, achieved] = this.lines(one, view);
    const kind = `promised ${lookOf(view, one.place)}`;
    if (view.looks.has(one.place))
      lines.append(s("path", { class: kind, d: this.pathOf(promised!) }));
    this.drawCurve(lines, one, view, achieved!);
  }

  /** What matters: the promise, hollow, and what became of it, with a line between them. */
  protected override drawBest(layer: Layer, one: ModelView, view: View, room: Room): void {
    const tuned = tunedOf(one, view.settings)!;
    const row = view.looks.has(one.place) ? chosenRow(tuned, view.objective) : null;
    if (row === null) return;
    const values = [tuned.there.table, tuned.here].map((table) => this.value(table, row, view));
    const x = this.x(weightOf(view));
    // Who flags nothing has no precision.
    const tops = values.filter((value) => !Number.isNaN(value)).map((value) => this.y(value));
    for (const top of tops) room.block({ x: x - 8, y: top - 8, width: 16, height: 16 });
    const colour = lookOf(view, one.place);
    layer.append(s("path", { class: `promise ${colour}`, d: line()(tops.map((top) => [x, top])) }));
    ["promised", "achieved"].forEach((kind, place) => {
      const value = values[place]!;
      if (Number.isNaN(value)) return;
      const d = glyph(view.looks.get(one.place), 70);
      const transform = `translate(${x},${this.y(value)})`;
      const look = `best ${kind}-mark ${colour}`;
      layer.append(s("path", { class: look, d, transform, "data-value": value }));
    });
  }

  /** The model whose achieved line is nearest, at the threshold that the tuning data chooses. */
  protected override nearest(view: View, px: number, py: number): Cursor | null {
    const weight = Math.min(Math.max(this.x.invert(px), 0), 1);
    const costs = view.objective.costs !== null;
    const at = (tuned: Tuned): number => rowAtWeight(tuned, weight, costs);
    let [best, least]: [ModelView | null, number] = [null, Infinity];
    for (const one of view.shown) {
      const tuned = tunedOf(one, view.settings)!;
      const value = valueAtWeight(tuned.here, at(tuned), weight, costs);
      const away = Math.abs(this.y(value) - py);
      if (away < least) [best, least] = [one, away];
    }
    if (!best) return null;
    const tuned = tunedOf(best, view.settings)!;
    return { model: best.place, row: rowHere(best, tuned, at(tuned)) };
  }

  /** Where β is what matters, a drag sets it, as in tradeoff space. */
  protected override dragged(weight: number): void {
    if (this.store.settings.goal === "f")
      this.store.set({ beta: betaOf(Math.min(Math.max(weight, EDGE), 1 - EDGE)) });
  }

  protected reads(view: View, cursor: Cursor): string {
    return promisedReads(view, cursor);
  }
}
