/** The tradeoff panel: an index over the weight of recall, and the strip of winners. */

import { axisTop } from "d3-axis";

import { shortened } from "../format";
import type { Glossary } from "../glossary";
import type { Line } from "../lines";
import { lookOf } from "../looks";
import { tradeoffReads, winnerName } from "../sentences";
import { betaOf, lambdaOf, type Cursor, type Store } from "../state";
import { baselinePoints, INDICES, pointOf, valueAt, type Range, type Tradeoff } from "../tradeoff";
import { rowAtLambda, type ModelView, type View } from "../view";
import { Panel, type Layer } from "./frame";

const STEPS = 200;
const BETAS = [0.25, 0.5, 1, 2, 4];
const STRIP = 20;
const EDGE = 1e-4;

export class TradeoffPanel extends Panel {
  constructor(store: Store, glossary: Glossary, report: string) {
    super(
      {
        name: "tradeoff",
        title: "Tradeoff",
        term: "tradeoff space",
        x: "λ, the weight of recall",
        y: "best value of the index",
        shows:
          "The best value of the index for every weight of recall; the strip below names the model that reaches it.",
      },
      store,
      glossary,
      report,
      52,
    );
  }

  protected place(one: ModelView, row: number): readonly [number, number] {
    const { lam, settings } = this.view!;
    return [lam, INDICES[settings.index].value(pointOf(one.table, row), lam)];
  }

  protected drawBack(layer: Layer, view: View): void {
    const first = view.shown[0];
    if (!first || !view.settings.baselines) return;
    const index = INDICES[view.settings.index];
    for (const { name, point } of baselinePoints(first.table, index)) {
      this.drawBaseline(
        layer,
        curveOf((lam) => index.value(point, lam)),
        name,
      );
    }
  }

  protected drawModel(lines: Layer, bands: Layer, one: ModelView, view: View): void {
    this.drawBand(bands, one, "tradeoff", view);
    this.drawCurve(lines, one, view, envelopeOf(view.tradeoffs.get(one.place)!));
  }

  /** In tradeoff space a point is a whole curve. */
  protected override drawPoint(layer: Layer, view: View, cursor: Cursor): void {
    const index = INDICES[view.settings.index];
    const point = pointOf(view.models[cursor.model]!.table, cursor.row);
    const [left, right] = this.x.range() as [number, number];
    const seen = curveOf((lam) => index.value(point, lam)).filter(
      ([x, y]) => this.x(x) >= left && this.x(x) <= right && y >= this.y.invert(this.y.range()[0]!),
    );
    if (seen.length > 1)
      layer
        .append("path")
        .attr("class", `of-point ${lookOf(view, cursor.model)}`)
        .attr("d", this.pathOf(seen));
  }

  protected override drawOver(layer: Layer, view: View): void {
    const [left, right] = this.x.range() as [number, number];
    const top = this.y.range()[1]!;
    const ticks = BETAS.map(lambdaOf).filter((lam) => this.x(lam) >= left && this.x(lam) <= right);
    layer
      .append("g")
      .attr("class", "axis beta")
      .attr("transform", `translate(0,${top})`)
      .call(
        axisTop(this.x)
          .tickValues(ticks)
          .tickFormat((lam) => `β ${Number(betaOf(Number(lam)).toPrecision(2))}`)
          .tickSizeOuter(0)
          .tickSize(3)
          .tickPadding(1),
      );
    this.drawStrip(layer, view);
  }

  private drawStrip(layer: Layer, view: View): void {
    const y = this.y.range()[0]! + 54;
    const [left, right] = this.x.range() as [number, number];
    if (!view.winners) {
      layer
        .append("text")
        .attr("class", "isoline-label")
        .attr("x", left)
        .attr("y", y + 14)
        .text(
          view.classes
            ? "Classes are no rivals, so none of them wins."
            : view.shown.length < 2
              ? "One model is shown: it wins everywhere."
              : "Different prevalences: set one to compare the models.",
        );
      return;
    }
    for (const range of view.winners) this.drawRange(layer, range, y, left, right, view);
    layer
      .append("rect")
      .attr("class", "strip-edge")
      .attr("x", left)
      .attr("y", y)
      .attr("width", right - left)
      .attr("height", STRIP);
    const here = this.x(view.lam);
    if (here >= left && here <= right)
      layer
        .append("path")
        .attr("class", "strip-here")
        .attr("d", `M${here},${y - 3}V${y + STRIP + 3}`);
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
    const group = layer.append("g").attr("class", "winner");
    const shown = names.map((name) => winnerName(name, view)).join(" = ");
    group.append("title").text(`${shown}: λ ${lo.toFixed(3)} to ${hi.toFixed(3)}`);
    names.forEach((name, place) => {
      const model = Number(name);
      group
        .append("rect")
        .attr("class", Number.isNaN(model) ? "trivial" : lookOf(view, model))
        .attr("x", start)
        .attr("y", y + (place * STRIP) / names.length)
        .attr("width", stop - start)
        .attr("height", STRIP / names.length);
    });
    const room = Math.floor((stop - start - 8) / 6.2);
    // One letter and an ellipsis name no model; the title under the pointer does.
    if (room < Math.min(shown.length, 4)) return;
    group
      .append("text")
      .attr("class", "winner-name")
      .attr("x", (start + stop) / 2)
      .attr("y", y + STRIP + 13)
      .attr("text-anchor", "middle")
      .text(shortened(shown, room));
  }

  protected override nearest(view: View, px: number, py: number): Cursor | null {
    const lam = Math.min(Math.max(this.x.invert(px), 0), 1);
    let [best, least]: [number | null, number] = [null, Infinity];
    for (const [place, curve] of view.tradeoffs) {
      const away = Math.abs(this.y(valueAt(curve, lam)) - py);
      if (away < least) [best, least] = [place, away];
    }
    return best === null ? null : { model: best, row: rowAtLambda(view, best, lam) };
  }

  protected override dragged(lam: number): void {
    this.store.set({ beta: betaOf(Math.min(Math.max(lam, EDGE), 1 - EDGE)) });
  }

  protected reads(view: View, cursor: Cursor): string {
    return tradeoffReads(view, cursor);
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
