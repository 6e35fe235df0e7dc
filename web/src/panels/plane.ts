/** A plane with two axes, and the lines that all spaces draw on it. */

import { scaleLinear, type ScaleLinear } from "d3-scale";
import type { Selection } from "d3-selection";
import { line } from "d3-shape";

import { percent } from "../format";
import type { Line } from "../isolines";
import { lookOf } from "../looks";
import { dash } from "../marks";
import type { Band } from "../model";
import type { ModelView, View } from "../view";

export type Layer = Selection<SVGGElement, unknown, null, undefined>;

export abstract class Plane {
  protected x: ScaleLinear<number, number> = scaleLinear();
  protected y: ScaleLinear<number, number> = scaleLinear();
  protected width = 0;
  protected height = 0;

  /** Where a row lies, in the units of the axes. */
  protected abstract place(one: ModelView, row: number): readonly [number, number];

  /** A polyline in the units of the axes as a path. */
  protected pathOf(points: Line): string {
    return line<readonly [number, number]>(
      ([x]) => round(this.x(x)),
      ([, y]) => round(this.y(Math.max(y, -50))),
    )(points as [number, number][])!;
  }

  /** The curve and the hull of a model, and its band. */
  protected drawLines(
    lines: Layer,
    one: ModelView,
    view: View,
    curve: Line | null,
    hull: Line,
  ): void {
    const colour = lookOf(view, one.place);
    const look = view.looks.get(one.place);
    if (view.settings.hull && look !== undefined)
      lines.append("path").attr("class", `hull ${colour}`).attr("d", this.pathOf(hull));
    if (!view.settings.curve) return;
    if (curve)
      lines
        .append("path")
        .attr("class", `curve ${colour}`)
        .attr("stroke-dasharray", dash(look))
        .attr("d", this.pathOf(curve));
    else
      for (let row = 0; row < one.table.tp.length; row++) {
        const [x, y] = this.place(one, row);
        if (Number.isFinite(x) && Number.isFinite(y))
          lines
            .append("circle")
            .attr("class", `set ${colour}`)
            .attr("r", 2.5)
            .attr("cx", this.x(x))
            .attr("cy", this.y(y));
      }
  }

  protected drawBand(layer: Layer, one: ModelView, space: Band["space"], view: View): void {
    const { settings } = view;
    // A band belongs to the data as they are.
    if (!settings.bands || settings.otherClass || settings.prevalence !== null) return;
    if (!view.looks.has(one.place)) return;
    for (const band of one.model.bands) {
      if (band.space !== space || (space === "tradeoff" && band.index !== settings.index)) continue;
      if (!band.x.length) continue;
      const end = (ends: Float64Array): Line =>
        Array.from(band.x, (x, place) => [x, ends[place]!] as const);
      layer
        .append("path")
        .attr("class", `band ${lookOf(view, one.place)}`)
        .attr("d", `${this.pathOf([...end(band.hi), ...[...end(band.lo)].reverse()])}Z`)
        .append("title")
        .text(`${one.model.name}: ${percent(band.level)} band, ${band.kind}`);
    }
  }

  protected drawIsoline(back: Layer, points: Line, label: string): void {
    if (points.length < 2) return;
    back.append("path").attr("class", "isoline").attr("d", this.pathOf(points));
    const [x, y] = points[points.length - 1]!;
    const [right, top] = [this.x.range()[1]!, this.y.range()[1]!];
    back
      .append("text")
      .attr("class", "isoline-label")
      .attr("x", Math.min(this.x(x), right) - 3)
      .attr("y", Math.max(this.y(y) - 3, top + 10))
      .attr("text-anchor", "end")
      .text(label);
  }

  protected drawBaseline(back: Layer, points: Line): void {
    if (points.length > 1)
      back.append("path").attr("class", "baseline").attr("d", this.pathOf(points));
  }
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
