/** The tradeoff panel: an index over the weight of recall, and the strip of winners. */

import { axisTop } from "d3-axis";
import { select } from "d3-selection";

import { s } from "../dom";
import { decimals, short, shortened } from "../format";
import type { Line } from "../lines";
import { lookOf } from "../looks";
import { rangesSaid, ruleOf, winnerName } from "../sentences";
import { betaOf, lambdaOf, type Cursor } from "../state";
import { countsAt } from "../table";
import { baselinePoints, bestRow, INDICES, valueAt, type Range, type Tradeoff } from "../tradeoff";
import type { ModelView, View } from "../view";
import { Panel } from "./frame";
import type { Layer } from "./plane";

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
      const line = curveOf((lam) => index.value(point, lam));
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
    const seen = curveOf((lam) => index.value(point, lam)).filter(
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
    const group = s("g", { class: "axis beta", transform: `translate(0,${top})` });
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
      layer.append(s("text", { class: "isoline-label", x: left, y: y + 14 }, said));
      return;
    }
    for (const range of view.winners) this.drawRange(layer, range, y, left, right, view);
    const edge = { x: left, y, width: right - left, height: STRIP };
    layer.append(s("rect", { class: "strip-edge", ...edge }));
    const here = this.x(view.lam);
    const d = `M${here},${y - 3}V${y + STRIP + 3}`;
    if (here >= left && here <= right) layer.append(s("path", { class: "strip-here", d }));
  }

  private drawRange(
    layer: Layer,
    { lo, hi, names }: Range,
    y: number,
    left: number,
    right: number,
    view: View,
  ): void {
    const [start, stop] = [Math.max(left, this.x(lo)), Math.min(right, this.x(hi))];
    if (stop <= start) return;
    const shown = names.map((name) => winnerName(name, view)).join(" = ");
    const title = s("title", {}, `${shown}: λ ${lo.toFixed(3)} to ${hi.toFixed(3)}`);
    const group = s("g", { class: "winner" }, title);
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
    group.append(s("text", { class: "winner-name", ...middle }, shortened(shown, room)));
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

function curveOf(value: (lam: number) => number): Line {
  return Array.from({ length: STEPS + 1 }, (_, step) => [step / STEPS, value(step / STEPS)]);
}

/** The best value over λ, with a point wherever the best row changes. */
function envelopeOf(curve: Tradeoff): Line {
  const weights = new Set(Array.from({ length: STEPS + 1 }, (_, step) => step / STEPS));
  for (const { lo } of curve.pieces) weights.add(lo);
  return [...weights].sort((one, two) => one - two).map((lam) => [lam, valueAt(curve, lam)]);
}
