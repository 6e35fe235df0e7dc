/** How models look: the best eight have a colour, a dash and a mark each, the rest are grey. */

import * as shapes from "d3-shape";

import { s } from "./dom";
import { gainOf, type Objective } from "./objective";
import { countsAt } from "./table";
import type { ModelView, View } from "./view";

/** As many looks as a reader can tell apart. */
export const LOOKS = 8;

/** The number of the look of each model; models without one are grey. */
export type Looks = ReadonlyMap<number, number>;

/** The looks of models; a model keeps the one it had before for as long as it has one. */
export function looksOf(
  { models, shown, best, objective, settings }: Omit<View, "looks" | "leader">,
  before: Looks,
): Looks {
  if (models.length <= LOOKS) return new Map(models.map(({ place }) => [place, place]));
  const value = new Map(shown.map((one) => [one.place, gainAt(one, best, objective)]));
  const ranked = [...value.keys()].sort(
    (one, two) => value.get(two)! - value.get(one)! || one - two,
  );
  const named = [...settings.forward].filter((place) => value.has(place));
  const chosen = [...new Set([...named, ...ranked])].slice(0, LOOKS);
  const kept = chosen.filter((place) => before.has(place));
  const looks = new Map(kept.map((place) => [place, before.get(place)!]));
  const taken = new Set(looks.values());
  const free = Array.from(SHAPES.keys()).filter((look) => !taken.has(look));
  for (const place of chosen) if (!looks.has(place)) looks.set(place, free.shift()!);
  return looks;
}

/** What is maximised, at the best row of a model; models without such a row come last. */
function gainAt(one: ModelView, best: ReadonlyMap<number, number>, objective: Objective): number {
  const row = best.get(one.place);
  const gain = row === undefined ? NaN : gainOf(objective, countsAt(one.table, row));
  return Number.isNaN(gain) ? -Number.MAX_VALUE : gain;
}

/** The class that gives an element the colour and the dash of a model. */
export function lookOf(view: View, place: number): string {
  const look = view.looks.get(place);
  return look === undefined ? "model-rest" : `model-${look}`;
}

const SHAPES = [
  shapes.symbolCircle,
  shapes.symbolTriangle,
  shapes.symbolSquare,
  shapes.symbolDiamond,
  shapes.symbolCross,
  shapes.symbolStar,
  shapes.symbolWye,
  shapes.symbolAsterisk,
];

/** The mark of a look; a dot for a model without one. */
export function glyph(look: number | undefined, area: number): string {
  return look === undefined
    ? shapes.symbol(shapes.symbolCircle, area / 2)()!
    : shapes.symbol(SHAPES[look % SHAPES.length], area)()!;
}

const DASHES = ["", "", "", "", "14 3", "10 3 2 3", "14 3 2 3 2 3", "4 2"];

/** The dash of the curve of a look: colours from the fifth on are close to others. */
export function dash(look: number | undefined): string | null {
  return (look !== undefined && DASHES[look % DASHES.length]) || null;
}

/** A small picture of how something is drawn. */
export function chipOf(name: string, ...paths: readonly SVGPathElement[]): SVGSVGElement {
  const box = { class: `chip ${name}`, viewBox: "-14 -8 28 16", "aria-hidden": "true" };
  return s("svg", box, ...paths);
}

/** The colour, the dash and the mark of a look. */
export function chip(look: number | undefined): SVGSVGElement {
  const line = s("path", { d: "M-14,0H14", "stroke-dasharray": dash(look) });
  return chipOf(`model-${look ?? "rest"}`, line, s("path", { d: glyph(look, 60) }));
}
