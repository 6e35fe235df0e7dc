/** Curves of groups: one small picture for each, or all in one. */

import { shortened } from "../format";
import { LOOKS } from "../looks";
import { dash } from "../marks";
import { textWidth } from "../panels/room";
import { pathOf } from "../path";
import * as pr from "../spaces/pr";
import * as prg from "../spaces/prg";
import * as roc from "../spaces/roc";
import { tracePr, tracePrg, traceRoc } from "../trace";
import type { GroupSpace as Space } from "../state";
import type { ModelView } from "../view";
import { curveOf, tableOf, type Curve, type GroupData } from "./data";

export const SPACES: Record<Space, string> = {
  pr: "precision–recall",
  roc: "ROC",
  prg: "precision–recall gain",
};

const AXES: Record<Space, readonly [string, string]> = {
  pr: ["recall", "precision"],
  roc: ["false positive rate", "recall"],
  prg: ["recall gain", "precision gain"],
};
const PLACES = { pr, roc, prg } as const;
const SVG = "http://www.w3.org/2000/svg";
const MARGIN = 26;
const LETTERS = 28;

function lineOf({ table, path }: Curve, space: Space, size: number): string {
  const line =
    space === "roc"
      ? traceRoc(table, path)
      : space === "pr"
        ? tracePr(table, path, "davis-goadrich", size, size)
        : tracePrg(table, path);
  return line
    .map(([x, y], place) => `${place ? "L" : "M"}${at(x, size)},${at(1 - y, size)}`)
    .join("");
}

/** A share as a place inside a picture; far outside is as good as anywhere there. */
function at(share: number, size: number): string {
  return (MARGIN + Math.max(-1, Math.min(share, 2)) * (size - MARGIN - 6)).toFixed(1);
}

function node(name: string, attributes: Record<string, string | number>, text?: string): Element {
  const found = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) found.setAttribute(key, String(value));
  if (text !== undefined) found.textContent = text;
  return found;
}

/** An empty picture with its axes. */
function frame(space: Space, size: number, title: string): [SVGSVGElement, Element] {
  const svg = node("svg", {
    viewBox: `0 0 ${size} ${size + 14}`,
    role: "img",
    "aria-label": title,
  }) as SVGSVGElement;
  const inside = size - MARGIN - 6;
  const clip = `group-clip-${serial++}`;
  const box = { x: MARGIN, y: MARGIN, width: inside, height: inside };
  const path = node("clipPath", { id: clip });
  path.append(node("rect", box));
  const lines = node("g", { "clip-path": `url(#${clip})` });
  const [x, y] = AXES[space];
  svg.append(
    path,
    node("rect", { class: "plot", ...box }),
    lines,
    node("text", { class: "group-axis", x: MARGIN + inside / 2, y: size + 9 }, x),
    node(
      "text",
      { class: "group-axis", transform: `translate(11,${MARGIN + inside / 2}) rotate(-90)` },
      y,
    ),
  );
  for (const end of [0, 1])
    svg.append(node("text", { class: "group-axis", x: at(end, size), y: size }, String(end)));
  return [svg, lines];
}

let serial = 0;

function mark(
  group: GroupData,
  counts: GroupData["counts"],
  space: Space,
  size: number,
  name: string,
): Element | null {
  const [tp, fp] = counts;
  if (tp === null || fp === null) return null;
  const table = tableOf(Float64Array.of(tp), Float64Array.of(fp), group.positives, group.negatives);
  const { x, y } = PLACES[space];
  const [left, top] = [x(table, 0), y(table, 0)];
  if (!(left >= 0 && left <= 1 && top >= 0 && top <= 1)) return null;
  return node("circle", { class: name, cx: at(left, size), cy: at(1 - top, size), r: 4 });
}

/** As much of a name as so many pixels show, in the bold letters of titles. */
function fitting(name: string, width: number): string {
  let letters = LETTERS;
  while (letters > 3 && 1.15 * textWidth(shortened(name, letters), 13) > width) letters--;
  return shortened(name, letters);
}

/** One group before the curve of all rows, with the common rule and its own best threshold. */
export function smallMultiple(
  group: GroupData,
  all: ModelView,
  space: Space,
  marks: boolean,
): SVGSVGElement | null {
  const curve = curveOf(group, all.model.name);
  if (!curve) return null;
  const size = 200;
  const [svg, lines] = frame(space, size, `${group.name}: ${SPACES[space]}`);
  // As it was counted, whatever the settings make of it.
  const { table } = all.model;
  const path = pathOf(table);
  if (path)
    lines.append(node("path", { class: "group-all", d: lineOf({ table, path }, space, size) }));
  lines.append(node("path", { class: "group-curve", d: lineOf(curve, space, size) }));
  for (const dot of marks
    ? [
        mark(group, group.counts, space, size, "group-common"),
        mark(group, group.ownCounts, space, size, "group-own"),
      ]
    : [])
    if (dot) svg.append(dot);
  const title = fitting(group.name, size - MARGIN);
  svg.append(node("text", { class: "group-title", x: MARGIN, y: 16 }, title));
  return svg;
}

/** A line in the colour and with the dash that a model at the same place has. */
function colouredLine(place: number, d: string): Element {
  const look = place % LOOKS;
  const pattern = dash(look) ?? "none";
  return node("path", { class: `group-curve model-${look}`, d, "stroke-dasharray": pattern });
}

/** The colour of a group in the overlay. */
export function swatch(place: number): SVGSVGElement {
  const svg = node("svg", { class: "chip", viewBox: "0 0 28 16", "aria-hidden": "true" });
  svg.append(colouredLine(place, "M0,8H28"));
  return svg as SVGSVGElement;
}

/** All groups in one picture: the first ones in colours, the rest behind them in grey. */
export function overlay(
  groups: readonly GroupData[],
  all: ModelView,
  space: Space,
  isolated: string | null,
): SVGSVGElement {
  const size = 460;
  const [svg, lines] = frame(space, size, `${SPACES[space]} of ${groups.length} groups`);
  const drawn = groups.flatMap((group, place) => {
    const curve = curveOf(group, all.model.name);
    if (!curve) return [];
    const coloured = isolated === null ? place < LOOKS : group.name === isolated;
    const d = lineOf(curve, space, size);
    const element = coloured ? colouredLine(place, d) : node("path", { class: "group-all", d });
    return [{ coloured, element }];
  });
  // What is grey lies behind.
  drawn.sort((one, two) => Number(one.coloured) - Number(two.coloured));
  lines.append(...drawn.map(({ element }) => element));
  return svg;
}
