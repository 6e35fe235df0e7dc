/** Panels over the weight of recall: the tradeoff with its strip of winners, and what thresholds of the tuning data promised and achieve. */

import { axisTop } from "d3-axis";
import { select } from "d3-selection";
import { line } from "d3-shape";

import { s } from "../dom";
import { decimals, short, shortened } from "../format";
import type { Line } from "../lines";
import { glyph, lookOf } from "../looks";
import { rangesSaid, ruleOf, winnerName } from "../sentences";
import { betaOf, type Cursor, lambdaOf } from "../state";
import { countsAt, type Table } from "../table";
import { baselinePoints, bestRow, INDICES, type Range, type Tradeoff, valueAt } from "../tradeoff";
import {
  chosenRow,
  lineOf,
  promisedReads,
  rowAtWeight,
  rowHere,
  type Tuned,
  tunedOf,
  valueAtWeight,
  weightOf,
} from "../tuned";
import type { ModelView, View } from "../view";
import { Panel, type Window } from "./frame";
import { sampled, type Layer, type Room } from "./plane";

const STEPS = 200;
const BETAS = [0.25, 0.5, 1, 2, 4];
const STRIP = 20;
const EDGE = 1e-4;

const INDEX_WORDS = {
  "f-measure": "F",
  kulczynski: "Kulczynski's index",
  folke: "Folke's index",
  jaccard: "Jaccard's index",
  "f-gain": "F gain",
  cost: "1 − expected cost",
} as const;

export class TradeoffPanel extends Panel {
  protected override readonly extra: number = 52;

  protected place(one: ModelView, row: number): readonly [number, number] {
    const { lam, settings } = this.view!;
    return [lam, INDICES[settings.index].value(countsAt(one.table, row), lam)];
  }

  protected drawBack(layer: Layer, view: View): void {
    const first = view.shown[0];
    if (!first || !view.settings.baselines) return;
    const index = INDICES[view.settings.index];
    for (const { name, point } of baselinePoints(first.table, index)) {
      const line = sampled(STEPS, (lam) => index.value(point, lam));
      this.drawBaseline(layer, line, name);
    }
  }

  protected drawModel(lines: Layer, bands: Layer, one: ModelView, view: View): void {
    this.drawBand(bands, one, "tradeoff", view);
    this.drawCurve(lines, one, view, envelopeOf(view.tradeoffs.get(one.place)!));
  }

  /** In tradeoff space a point is a whole curve. */
  protected override drawPoint(layer: Layer, view: View, cursor: Cursor): void {
    const index = INDICES[view.settings.index];
    const point = countsAt(view.models[cursor.model]!.table, cursor.row);
    const [left, right] = this.x.range() as [number, number];
    const seen = sampled(STEPS, (lam) => index.value(point, lam)).filter(
      ([x, y]) => this.x(x) >= left && this.x(x) <= right && y >= this.y.invert(this.y.range()[0]!),
    );
    const kind = `of-point ${lookOf(view, cursor.model)}`;
    if (seen.length > 1) layer.append(s("path", { class: kind, d: this.pathOf(seen) }));
  }

  protected override drawOver(layer: Layer, view: View): void {
    const [left, right] = this.x.range() as [number, number];
    const top = this.y.range()[1]!;
    const ticks = BETAS.map(lambdaOf).filter((lam) => this.x(lam) >= left && this.x(lam) <= right);
    const axis = axisTop(this.x)
      .tickValues(ticks)
      .tickFormat((lam) => `β ${Number(betaOf(Number(lam)).toPrecision(2))}`)
      .tickSizeOuter(0)
      .tickSize(3)
      .tickPadding(1);
    const group = s("g.axis.beta", { transform: `translate(0,${top})` });
    select(group).call(axis);
    layer.append(group);
    this.drawStrip(layer, view);
  }

  private drawStrip(layer: Layer, view: View): void {
    const y = this.y.range()[0]! + 54;
    const [left, right] = this.x.range() as [number, number];
    if (!view.winners) {
      const said = view.classes
        ? "Classes are no rivals, so none of them wins."
        : view.shown.length < 2
          ? "One model is shown: it wins everywhere."
          : "Different prevalences: set one to compare the models.";
      layer.append(s("text.isoline-label", { x: left, y: y + 14 }, said));
      return;
    }
    for (const range of view.winners) this.drawRange(layer, range, y, view);
    const edge = { x: left, y, width: right - left, height: STRIP };
    layer.append(s("rect.strip-edge", { ...edge }));
    const here = this.x(view.lam);
    const d = `M${here},${y - 3}V${y + STRIP + 3}`;
    if (here >= left && here <= right) layer.append(s("path.strip-here", { d }));
  }

  private drawRange(layer: Layer, { lo, hi, names }: Range, y: number, view: View): void {
    const [left, right] = this.x.range() as [number, number];
    const [start, stop] = [Math.max(left, this.x(lo)), Math.min(right, this.x(hi))];
    if (stop <= start) return;
    const shown = names.map((name) => winnerName(name, view)).join(" = ");
    const title = s("title", `${shown}: λ ${lo.toFixed(3)} to ${hi.toFixed(3)}`);
    const group = s("g.winner", title);
    layer.append(group);
    names.forEach((name, place) => {
      const model = Number(name);
      const look = Number.isNaN(model) ? "trivial" : lookOf(view, model);
      const [top, height] = [y + (place * STRIP) / names.length, STRIP / names.length];
      group.append(s("rect", { class: look, x: start, y: top, width: stop - start, height }));
    });
    const room = Math.floor((stop - start - 8) / 6.2);
    // One letter and an ellipsis name no model; the title under the pointer does.
    if (room < Math.min(shown.length, 4)) return;
    const middle = { x: (start + stop) / 2, y: y + STRIP + 13, "text-anchor": "middle" };
    group.append(s("text.winner-name", { ...middle }, shortened(shown, room)));
  }

  protected override nearest(view: View, px: number, py: number): Cursor | null {
    const lam = Math.min(Math.max(this.x.invert(px), 0), 1);
    let [best, least]: [number | null, number] = [null, Infinity];
    for (const [place, curve] of view.tradeoffs) {
      const away = Math.abs(this.y(valueAt(curve, lam)) - py);
      if (away < least) [best, least] = [place, away];
    }
    return best === null ? null : { model: best, row: bestRow(view.tradeoffs.get(best)!, lam) };
  }

  protected override dragged(lam: number): void {
    this.store.set({ beta: betaOf(Math.min(Math.max(lam, EDGE), 1 - EDGE)) });
  }

  protected reads(view: View, cursor: Cursor): string {
    const { index, beta } = view.settings;
    const value = this.place(view.models[cursor.model]!, cursor.row)[1];
    const here =
      `At λ = ${short(view.lam, 3)} (β = ${short(beta, 3)}) ` +
      `${ruleOf(view, cursor.model, cursor.row)} has ${INDEX_WORDS[index]} ${decimals(value)}.`;
    return view.winners ? `${here} ${rangesSaid(view.winners, view, "λ", (lam) => lam)}` : here;
  }
}

/** The best value over λ, with a point wherever the best row changes. */
function envelopeOf(curve: Tradeoff): Line {
  const weights = new Set(Array.from({ length: STEPS + 1 }, (_, step) => step / STEPS));
  for (const { lo } of curve.pieces) weights.add(lo);
  return [...weights].sort((one, two) => one - two).map((lam) => [lam, valueAt(curve, lam)]);
}

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
      const value = (weight: number): number => valueAtWeight(trivial, row, weight, costs);
      this.drawBaseline(layer, sampled(100, value), name);
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
