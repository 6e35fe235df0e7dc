/** A plane with two axes, the lines that all spaces draw on it, and words where lines leave room. */

import { scaleLinear, type ScaleLinear } from "d3-scale";
import { line } from "d3-shape";

import { s } from "../dom";
import { percent, shortened } from "../format";
import type { Line } from "../lines";
import { dash, glyph, lookOf } from "../looks";
import type { Band } from "../model";
import type { ModelView, View } from "../view";

export type Layer = SVGGElement;

/** A straight line across the plane, from one height to another. */
export const across = (from: number, to: number): Line => [
  [0, from],
  [1, to],
];

/** The values of a function from 0 to 1, in so many steps. */
export function sampled(steps: number, value: (x: number) => number): Line {
  return Array.from({ length: steps + 1 }, (_, step) => [step / steps, value(step / steps)]);
}

/** The sizes of words in pixels. */
const [LETTERS, LINE, SMALL_LETTERS, SMALL_LINE] = [11, 14, 10, 14];
const [GLYPH, GAP] = [13, 6];
const NAME_LETTERS = 22;
const PARTS = 60;
/** Where along a line words are tried. */
const SHARES = [0.5, 0.4, 0.6, 0.3, 0.7, 0.2, 0.8, 0.1, 0.9];
const ISOLINE_SHARES = [0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1];

export abstract class Plane {
  protected x: ScaleLinear<number, number> = scaleLinear();
  protected y: ScaleLinear<number, number> = scaleLinear();
  protected width = 0;
  protected height = 0;

  /** Where a row lies, in the units of the axes. */
  protected abstract place(one: ModelView, row: number): readonly [number, number];

  /** What lines leave free, for words. */
  protected room = new Room({ x: 0, y: 0, width: 0, height: 0 });
  private readonly words: { readonly line: Pixels; readonly text: string; value: string }[] = [];
  private readonly baselines: { readonly line: Pixels; readonly name: string }[] = [];

  /** A polyline in pixels. */
  private pixels(points: Line): [number, number][] {
    return points.map(([x, y]) => [round(this.x(x)), round(this.y(Math.max(y, -50)))]);
  }

  /** A polyline in the units of the axes as a path. */
  protected pathOf(points: Line): string {
    return line()(this.pixels(points))!;
  }

  /** The curve of a model: drawn, and written on if there are several. */
  protected drawCurve(lines: Layer, one: ModelView, view: View, curve: Line): void {
    const look = view.looks.get(one.place);
    const pixels = this.pixels(curve);
    const kind = `curve ${lookOf(view, one.place)}`;
    lines.append(s("path", { class: kind, "stroke-dasharray": dash(look), d: line()(pixels) }));
    if (look === undefined) return;
    this.room.mark(pixels);
    if (view.shown.length > 1) this.names.push({ one, line: pixels });
  }

  /** Curves that want their names beside them. */
  private names: { readonly one: ModelView; readonly line: Pixels }[] = [];

  /** Writes names beside their curves, where there is room. */
  protected drawNames(layer: Layer, view: View): void {
    for (const { one, line: pixels } of this.names) {
      const text = shortened(one.model.name, NAME_LETTERS);
      const width = textWidth(text, LETTERS) + GLYPH + 2;
      const sides = [
        [GAP, GAP],
        [-GAP - width, -GAP - LINE],
        [-GAP - width, GAP],
        [GAP, -GAP - LINE],
        [-width / 2, GAP + 4],
      ] as const;
      const boxes = along(pixels, this.area, SHARES).flatMap(([x, y]) =>
        sides.map(([right, down]) => ({ x: x + right, y: y + down, width, height: LINE })),
      );
      const box = boxes.find((each) => this.room.take(each));
      if (!box) continue;
      const mark = glyph(view.looks.get(one.place), 40);
      layer.append(
        s(
          "g",
          { class: `curve-name ${lookOf(view, one.place)}` },
          s("path", { d: mark, transform: `translate(${box.x + 5},${box.y + LINE / 2})` }),
          s("text", { x: box.x + GLYPH, y: box.y + LINE - 3 }, text),
        ),
      );
    }
    this.names = [];
  }

  /** Writes on lines what they are, where neither curves nor other lines and words are. */
  protected drawWords(layer: Layer, room: Room): void {
    const baselines = this.baselines.splice(0);
    for (const { line: pixels, name } of baselines) {
      if (!name) continue;
      const free = room.copy();
      for (const other of baselines) if (other.line !== pixels) free.mark(other.line);
      // A line along the lower edge has room above it only.
      const box = this.written(layer, free, pixels, name, [0, -SMALL_LINE / 2 - 2]);
      if (box) room.block(box);
    }
    for (const { line: pixels } of baselines) room.mark(pixels);
    let isSaid = false;
    for (const { line: pixels, text, value } of this.words.splice(0))
      // Once it is said what the lines are, a value is enough.
      for (const words of isSaid ? [text, value] : [text])
        if (this.written(layer, room, pixels, words)) {
          isSaid = true;
          break;
        }
  }

  /** Writes on a line, or so many pixels off it, where there is room, and returns where. */
  private written(layer: Layer, room: Room, line: Pixels, words: string, shifts = [0]): Box | null {
    const width = textWidth(words, SMALL_LETTERS) + 4;
    const places = along(line, this.area, ISOLINE_SHARES);
    for (const [x, y] of shifts.flatMap((shift) =>
      places.map(([x, y]) => [x, y + shift] as const),
    )) {
      const box = { x: x - width / 2, y: y - SMALL_LINE / 2, width, height: SMALL_LINE };
      if (!room.take(box)) continue;
      const place = { x, y: y + 3.5, "text-anchor": "middle" };
      layer.append(s("text.isoline-label", { ...place }, words));
      return box;
    }
    return null;
  }

  /** Where curves are drawn. */
  protected get area(): Box {
    const [left, right] = this.x.range() as [number, number];
    const [bottom, top] = this.y.range() as [number, number];
    return { x: left, y: top, width: right - left, height: bottom - top };
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
      lines.append(s("path", { class: `hull ${colour}`, d: this.pathOf(hull) }));
    if (!view.settings.curve) return;
    if (curve) this.drawCurve(lines, one, view, curve);
    else {
      if (look !== undefined) this.room.mark(this.pixels(hull));
      for (let row = 0; row < one.table.tp.length; row++) {
        const [x, y] = this.place(one, row);
        if (Number.isFinite(x) && Number.isFinite(y))
          lines.append(
            s("circle", { class: `set ${colour}`, r: 2.5, cx: this.x(x), cy: this.y(y) }),
          );
      }
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
      const d = `${this.pathOf([...end(band.hi), ...[...end(band.lo)].reverse()])}Z`;
      const said = `${one.model.name}: ${percent(band.level)} band, ${band.kind}`;
      const kind = `band ${lookOf(view, one.place)}`;
      layer.append(s("path", { class: kind, d }, s("title", said)));
    }
  }

  /** A line on which a measure has one value. */
  protected drawIsoline(back: Layer, points: Line, measure: string, value: number): void {
    const line = this.ruled(back, "isoline", points);
    if (line) this.words.push({ line, text: `${measure} = ${value}`, value: String(value) });
  }

  protected drawBaseline(back: Layer, points: Line, name = ""): void {
    const line = this.ruled(back, "baseline", points);
    if (line) this.baselines.push({ line, name });
  }

  private ruled(back: Layer, kind: string, points: Line): Pixels | null {
    if (points.length < 2) return null;
    const pixels = this.pixels(points);
    back.append(s("path", { class: kind, d: line()(pixels) }));
    return divided(pixels);
  }
}

/** A straight line in parts, so that a part of it may lie outside. */
function divided(pixels: Pixels): Pixels {
  if (pixels.length > 2) return pixels;
  const [[x, y], [endX, endY]] = pixels as [readonly [number, number], readonly [number, number]];
  return Array.from({ length: PARTS + 1 }, (_, part) => {
    const share = part / PARTS;
    return [x + share * (endX - x), y + share * (endY - y)];
  });
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}

type Pixels = readonly (readonly [number, number])[];

export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** The side of a cell in pixels. */
const CELL = 3;

export class Room {
  private readonly columns: number;
  private readonly rows: number;
  private readonly taken: Uint8Array;

  constructor(
    private readonly area: Box,
    taken?: Uint8Array,
  ) {
    this.columns = Math.ceil(area.width / CELL) + 1;
    this.rows = Math.ceil(area.height / CELL) + 1;
    this.taken = taken ?? new Uint8Array(this.columns * this.rows);
  }

  copy(): Room {
    return new Room(this.area, this.taken.slice());
  }

  /** Takes the cells that a line crosses. */
  mark(line: Pixels): void {
    for (let place = 0; place < line.length; place++) {
      const [x, y] = line[place]!;
      const [fromX, fromY] = line[Math.max(place - 1, 0)]!;
      const [dx, dy] = [x - fromX, y - fromY];
      const { area } = this;
      // Lines far outside have many pixels that nobody sees.
      const [startX, endX] = within(fromX, dx, area.x, area.x + area.width);
      const [startY, endY] = within(fromY, dy, area.y, area.y + area.height);
      const [start, end] = [Math.max(startX, startY), Math.min(endX, endY)];
      if (!(start <= end)) continue;
      const away = Math.max(Math.abs(dx), Math.abs(dy)) * (end - start);
      const steps = Math.ceil((2 * away) / CELL) || 1;
      for (let step = 0; step <= steps; step++) {
        const share = start + ((end - start) * step) / steps;
        this.set(fromX + dx * share, fromY + dy * share);
      }
    }
  }

  private set(x: number, y: number): void {
    const column = Math.floor((x - this.area.x) / CELL);
    const row = Math.floor((y - this.area.y) / CELL);
    if (column >= 0 && column < this.columns && row >= 0 && row < this.rows)
      this.taken[row * this.columns + column] = 1;
  }

  /** Takes a box if it lies inside and is free; false if it does not. */
  take(box: Box): boolean {
    const { area } = this;
    const isInside =
      box.x >= area.x &&
      box.y >= area.y &&
      box.x + box.width <= area.x + area.width &&
      box.y + box.height <= area.y + area.height;
    if (!isInside) return false;
    const cells = this.cells(box);
    if (cells.some((cell) => this.taken[cell])) return false;
    for (const cell of cells) this.taken[cell] = 1;
    return true;
  }

  /** Takes a box whether it is free or not. */
  block(box: Box): void {
    for (const cell of this.cells(box)) this.taken[cell] = 1;
  }

  private cells({ x, y, width, height }: Box): number[] {
    const cells: number[] = [];
    const inside = (value: number, most: number): number => Math.min(Math.max(value, 0), most - 1);
    const left = inside(Math.floor((x - this.area.x) / CELL), this.columns);
    const right = inside(Math.floor((x + width - this.area.x) / CELL), this.columns);
    const top = inside(Math.floor((y - this.area.y) / CELL), this.rows);
    const bottom = inside(Math.floor((y + height - this.area.y) / CELL), this.rows);
    for (let row = top; row <= bottom; row++)
      for (let column = left; column <= right; column++) cells.push(row * this.columns + column);
    return cells;
  }
}

const widths = new Map<string, number>();
let pen: CanvasRenderingContext2D | null = null;

/** How wide a text is in the font of the page, without making the browser lay out anything. */
export function textWidth(text: string, size: number): number {
  const key = `${size} ${text}`;
  let width = widths.get(key);
  if (width === undefined) {
    pen ??= document.createElement("canvas").getContext("2d")!;
    pen.font = `${size}px system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif`;
    width = pen.measureText(text).width;
    widths.set(key, width);
  }
  return width;
}

/** The shares of a way at which it enters and leaves what lies between two ends. */
function within(from: number, way: number, low: number, high: number): [number, number] {
  if (way === 0) return from >= low && from <= high ? [0, 1] : [1, 0];
  const [one, two] = [(low - from) / way, (high - from) / way];
  return [Math.max(Math.min(one, two), 0), Math.min(Math.max(one, two), 1)];
}

/** The points at shares of the length of a line, of what lies inside a box. */
function along(line: Pixels, area: Box, shares: readonly number[]): [number, number][] {
  const isInside = ([x, y]: readonly [number, number]): boolean =>
    x >= area.x && x <= area.x + area.width && y >= area.y && y <= area.y + area.height;
  const lengths = [0];
  for (let place = 1; place < line.length; place++) {
    const [from, to] = [line[place - 1]!, line[place]!];
    const inside = isInside(from) && isInside(to);
    const step = inside ? Math.hypot(to[0] - from[0], to[1] - from[1]) : 0;
    lengths.push(lengths.at(-1)! + step);
  }
  const all = lengths.at(-1)!;
  if (!all) return [];
  return shares.map((share) => {
    const place = Math.max(
      lengths.findIndex((length) => length >= share * all),
      1,
    );
    const [from, to] = [line[place - 1]!, line[place]!];
    const step = lengths[place]! - lengths[place - 1]!;
    const part = step ? (share * all - lengths[place - 1]!) / step : 0;
    return [from[0] + part * (to[0] - from[0]), from[1] + part * (to[1] - from[1])];
  });
}
