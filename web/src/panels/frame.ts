/** The frame of a panel: axes, zoom, pointer and keys, and a place for what a space draws. */

import { axisBottom, axisLeft } from "d3-axis";
import { scaleLinear, type ScaleLinear } from "d3-scale";
import { pointer, select } from "d3-selection";
import { zoom, zoomIdentity, type ZoomBehavior, type ZoomTransform } from "d3-zoom";

import { button, freshId, h, s, set } from "../dom";
import type { Glossary } from "../glossary";
import { glyph, lookOf } from "../looks";
import { namesOf } from "../names";
import { captioned, savePng, saveSvg, type Caption } from "../saving";
import { said } from "../sentences";
import { toggled, type Cursor, type Store, type Zoom } from "../state";
import { cursorOf, type ModelView, type View, type Views } from "../view";
import { onDrag, onKeys, Tooltip } from "./moving";
import { Plane, Room, textWidth, type Box, type Layer } from "./plane";
import { TEXTS, whyOf, type PanelTexts } from "./texts";

/** What all panels share. */
export interface Shared {
  readonly store: Store;
  readonly views: Views;
  readonly glossary: Glossary;
  /** The title of the report. */
  readonly report: string;
}

/** What of a plane is drawn, in the units of the axes. */
export interface Window {
  readonly x: readonly [number, number];
  readonly y: readonly [number, number];
}

/** From the lowest to the highest; the last two reach over the edge. */
const LAYERS = ["back", "bands", "lines", "names", "marks", "words", "over", "cursor"] as const;
const TICKS = 6;
const UNIT: Window = { x: [0, 1], y: [0, 1] };

const MARGIN = { top: 16, right: 16, bottom: 42, left: 46 };

export abstract class Panel extends Plane {
  readonly element: HTMLElement;
  private readonly svg: SVGSVGElement;
  private readonly texts: PanelTexts;
  /** Room for more below the axis. */
  protected readonly extra: number = 0;
  protected readonly store: Store;
  protected view: View | null = null;
  private readonly result = h("p.result");
  private readonly layers: Record<(typeof LAYERS)[number], Layer>;
  private readonly tooltip = new Tooltip();
  private readonly near = h("button", { type: "button", class: "small near", hidden: true });
  /** What the lines of models were drawn for; they stay for as long as it does. */
  private linesKey = "";
  private frameKey = "";
  private boxWidth = 0;
  /** Where the vertical axis stands. */
  private left = MARGIN.left;
  private readonly frame: Layer;
  private readonly clip: string;
  private readonly zoom: ZoomBehavior<SVGSVGElement, unknown>;
  /** The part that is shown, in units of the axes; undefined: all. */
  private zoomed: Zoom | undefined;

  constructor(
    private readonly name: keyof typeof TEXTS,
    protected readonly shared: Shared,
  ) {
    super();
    this.store = shared.store;
    this.texts = TEXTS[name];
    const { title, term, shows } = this.texts;
    const [titleId, showsId] = [freshId("title"), freshId("shows")];
    this.clip = freshId("clip");
    const layer = (name: string): Layer => s("g", { class: name });
    this.frame = layer("frame");
    const layers = LAYERS.map((name) => [name, layer(name)] as const);
    this.layers = Object.fromEntries(layers) as Panel["layers"];
    const { over, cursor, ...inside } = this.layers;
    this.svg = s(
      "svg",
      {
        tabindex: 0,
        role: "slider",
        "aria-label": `Operating point in the ${title} panel`,
        "aria-describedby": showsId,
      },
      s("clipPath", { id: this.clip }, s("rect")),
      s("desc", shows),
      this.frame,
      s("g", { "clip-path": `url(#${this.clip})` }, ...Object.values(inside)),
      over,
      cursor,
    );
    this.element = h(
      "figure.panel",
      { "aria-labelledby": titleId },
      h(
        "div.panel-head",
        h("h2", { id: titleId }, shared.glossary.term(term, title)),
        this.tools(),
      ),
      h("p.shows", { id: showsId }, shows),
      this.svg,
      this.tooltip.element,
      this.near,
      this.result,
      whyOf(this.texts),
    );
    this.near.addEventListener("click", () => this.toggleCloseUp());
    this.zoom = zoom<SVGSVGElement, unknown>()
      .scaleExtent([0.5, 50])
      .filter((event: MouseEvent | TouchEvent | WheelEvent) =>
        event.type === "wheel"
          ? event.ctrlKey || event.metaKey
          : "touches" in event
            ? event.touches.length > 1
            : event.shiftKey && event.button === 0,
      )
      .on("zoom", ({ transform }: { transform: ZoomTransform }) => this.zoomTo(transform));
    select(this.svg).call(this.zoom).on("dblclick.zoom", null);
    this.listen();
    new ResizeObserver(([entry]) => {
      const width = Math.round(entry!.contentRect.width);
      if (width === this.boxWidth) return;
      this.boxWidth = width;
      this.redraw();
    }).observe(this.svg);
  }

  /** What is drawn when nothing is zoomed. */
  protected window(_view: View): Window {
    return UNIT;
  }

  /** Where the curves are, if they are in a corner; null where the whole plane shows them well. */
  protected closeUp(_view: View): Window | null {
    return null;
  }

  /** The lowest and the highest coordinates of a model's rows with a recall of 10 to 90 %. */
  protected extent(one: ModelView): Window {
    const { table } = one;
    const none = (): [number, number] => [Infinity, -Infinity];
    const ends = { x: none(), y: none() };
    for (let row = 0; row < table.tp.length; row++) {
      const recall = table.tp[row]! / table.positives;
      if (recall < 0.1 || recall > 0.9) continue;
      const [x, y] = this.place(one, row);
      ends.x = [Math.min(ends.x[0], x), Math.max(ends.x[1], x)];
      ends.y = [Math.min(ends.y[0], y), Math.max(ends.y[1], y)];
    }
    return ends;
  }

  protected isCloseUp(view: View): boolean {
    return view.settings.closeUps.has(this.name) && this.closeUp(view) !== null;
  }

  private toggleCloseUp(): void {
    const closeUps = toggled(this.store.settings.closeUps, this.name);
    select(this.svg).call(this.zoom.transform, zoomIdentity);
    this.store.set({ closeUps });
  }

  protected abstract drawBack(layer: Layer, view: View): void;
  protected abstract drawModel(lines: Layer, bands: Layer, one: ModelView, view: View): void;
  /** One sentence that reads the result. */
  protected abstract reads(view: View, cursor: Cursor): string;

  /** What a panel draws beyond its axes. */
  protected drawOver(_layer: Layer, _view: View): void {}

  draw(view: View): void {
    this.view = view;
    this.zoomed = view.settings.zooms.get(this.texts.term);
    this.redraw();
  }

  /** Zooms to what the reader asked for; a size of the window does not change it. */
  private zoomTo(transform: ZoomTransform): void {
    const zooms = new Map(this.store.settings.zooms);
    const [left, top] = [this.x.range()[0]!, this.y.range()[1]!];
    const plain = (scale: typeof this.x): typeof this.x => scale.copy().domain([0, 1]);
    this.zoomed =
      transform.k === 1 && transform.x === 0 && transform.y === 0
        ? undefined
        : {
            scale: rounded(transform.k),
            left: rounded(plain(this.x).invert(transform.invertX(left))),
            top: rounded(plain(this.y).invert(transform.invertY(top))),
          };
    if (this.zoomed) zooms.set(this.texts.term, this.zoomed);
    else zooms.delete(this.texts.term);
    this.redraw();
    this.store.set({ zooms });
  }

  private redraw(): void {
    const { view } = this;
    if (!view || !this.element.isConnected) return;
    // Measuring after something was written makes the browser lay out the page.
    this.boxWidth ||= Math.round(this.svg.getBoundingClientRect().width);
    if (!this.boxWidth) return;
    const full = document.fullscreenElement === this.element;
    this.width = this.boxWidth;
    const tallest = full ? innerHeight - 190 : 460;
    this.height = Math.round(Math.max(220, Math.min(this.width * 0.86, tallest))) + this.extra;
    const bottom = this.height - MARGIN.bottom - this.extra;
    set(this.svg, { viewBox: `0 0 ${this.width} ${this.height}`, height: this.height });
    const near = this.closeUp(view);
    const isNear = this.isCloseUp(view);
    const { x, y } = near && isNear ? near : this.window(view);
    const cornersFrom = (left: number): Corners => [
      [left, MARGIN.top],
      [this.width - MARGIN.right, bottom],
    ];
    const upwards = (transform: ZoomTransform): typeof this.y =>
      transform.rescaleY(scaleLinear(y, [bottom, MARGIN.top]));
    // Long numbers beside the axis need more room; how far up they stand does not depend on it.
    this.left = leftOf(upwards(transformOf(this.zoomed, cornersFrom(MARGIN.left))));
    const corners = cornersFrom(this.left);
    const plot = {
      x: this.left,
      y: MARGIN.top,
      width: this.width - this.left - MARGIN.right,
      height: bottom - MARGIN.top,
    };
    set(this.svg.querySelector("clipPath rect")!, plot);
    this.zoom.extent(corners);
    const transform = transformOf(this.zoomed, corners);
    select(this.svg).property("__zoom", transform);
    this.x = transform.rescaleX(scaleLinear(x, [corners[0][0], corners[1][0]]));
    this.y = upwards(transform);
    this.near.hidden = !near;
    this.near.textContent = isNear ? "Show the whole plane" : "Zoom to the curves";
    this.drawFrame(plot);
    const { back, marks, words, over } = this.layers;
    for (const layer of [back, marks, words, over]) layer.replaceChildren();
    this.drawBack(back, view);
    this.drawLinesOnce(view);
    const room = this.room.copy();
    for (const one of view.shown) this.drawBest(marks, one, view, room);
    this.drawWords(words, room);
    this.drawOver(over, view);
    this.drawPointInHand(view);
  }

  /** Draws the lines of the models, unless those that are there are the same. */
  private drawLinesOnce(view: View): void {
    const { lines, bands, names } = this.layers;
    const { settings, looks, shown } = view;
    const key = [
      ...[settings.otherClass, settings.prevalence, settings.index, settings.interpolation],
      view.objective.costs !== null,
      ...[settings.curve, settings.hull, settings.bands, this.width, this.height],
      ...[shown.map(({ place }) => `${place}/${looks.get(place)}`)],
      ...[this.x.domain(), this.y.domain()],
    ].join();
    if (key === this.linesKey) return;
    this.linesKey = key;
    for (const layer of [lines, bands, names]) layer.replaceChildren();
    this.room = new Room(this.area);
    // Grey models first, so that they lie below the others.
    const ordered = [...shown].sort(
      (one, two) => Number(looks.has(one.place)) - Number(looks.has(two.place)),
    );
    for (const one of ordered) this.drawModel(lines, bands, one, view);
    // Names stay where they are when β moves the marks, but begin beside them.
    for (const one of shown) {
      const row = looks.has(one.place) ? view.best.get(one.place) : undefined;
      if (row !== undefined) this.room.block(markBox(...this.position(one, row)));
    }
    this.drawNames(names, view);
  }

  private drawFrame(plot: Box): void {
    const key = [this.x, this.y].map((axis) => [axis.domain(), axis.range()].join()).join();
    if (key === this.frameKey) return;
    this.frameKey = key;
    const ticks = this.width < 340 ? 4 : TICKS;
    const bottom = plot.y + plot.height;
    const axis = (transform: string): SVGGElement => s("g.axis", { transform });
    const [across, upwards] = [axis(`translate(0,${bottom})`), axis(`translate(${this.left},0)`)];
    select(across).call(axisBottom(this.x).ticks(ticks).tickSizeOuter(0));
    select(upwards).call(axisLeft(this.y).ticks(TICKS).tickSizeOuter(0));
    const label = { class: "axis-label", "text-anchor": "middle" };
    const beside = `translate(13,${(plot.y + bottom) / 2}) rotate(-90)`;
    this.frame.replaceChildren(
      s("rect.plot", { ...plot }),
      across,
      upwards,
      s("text", { ...label, x: plot.x + plot.width / 2, y: bottom + 34 }, this.texts.x),
      s("text", { ...label, transform: beside }, this.texts.y),
    );
  }

  /** The row that is best for β, with the mark of its model. */
  protected drawBest(layer: Layer, one: ModelView, view: View, room: Room): void {
    if (!view.looks.has(one.place)) return;
    const row = view.best.get(one.place)!;
    const [x, y] = this.place(one, row);
    if (!Number.isFinite(x) || !Number.isFinite(y)) return;
    const [left, top] = [this.x(x), this.y(y)];
    room.block(markBox(left, top));
    const d = glyph(view.looks.get(one.place), 70);
    const kind = `best ${lookOf(view, one.place)}`;
    layer.append(s("path", { class: kind, d, transform: `translate(${left},${top})` }));
  }

  drawCursor(view: View): void {
    if (this.zoomed !== view.settings.zooms.get(this.texts.term)) {
      this.draw(view);
      return;
    }
    this.view = view;
    if (!this.element.isConnected) return;
    this.drawPointInHand(view);
  }

  private drawPointInHand(view: View): void {
    const cursor = cursorOf(view);
    const layer = this.layers.cursor;
    layer.replaceChildren();
    const one = cursor && view.models[cursor.model];
    if (!cursor || !one) return;
    this.result.replaceChildren(...namesOf(view.models).in(this.reads(view, cursor)));
    this.tooltip.draw(view, cursor);
    setSlider(this.svg, view, cursor);
    const [left, right] = this.x.range() as [number, number];
    const [bottom, top] = this.y.range() as [number, number];
    const [px, py] = this.position(one, cursor.row);
    if (!Number.isNaN(px)) this.drawLine(layer, view, cursor);
    if (Number.isNaN(py) && px >= left && px <= right)
      layer.append(s("path.crosshair", { d: `M${px},${bottom}V${top}` }));
    if (Number.isNaN(px) || Number.isNaN(py)) return;
    const [x, y] = [clamped(px, left, right), clamped(py, top, bottom)];
    const outside = x !== px || y !== py ? " outside" : "";
    this.drawPoint(layer, view, cursor);
    layer.append(
      s("path.crosshair", { d: `M${x},${bottom}V${y}H${left}` }),
      s("circle", {
        class: `point ${lookOf(view, one.place)}${outside}`,
        ...{ cx: x, cy: y, r: 6 },
        "data-x": this.x.invert(px),
        "data-y": this.y.invert(py),
      }),
    );
  }

  /** What a panel draws for the model in hand. */
  protected drawLine(_layer: Layer, _view: View, _cursor: Cursor): void {}

  /** What a space draws for the point itself, behind its mark. */
  protected drawPoint(_layer: Layer, _view: View, _cursor: Cursor): void {}

  /** Where a row is drawn, in pixels. */
  protected position(one: ModelView, row: number): [number, number] {
    const [x, y] = this.place(one, row);
    // A scale has no place for NaN, and answers with nothing at all.
    return [this.x(Math.max(x, -1e6)) ?? NaN, this.y(Math.max(y, -1e6)) ?? NaN];
  }

  /** The point nearest to a position in pixels. */
  protected nearest(view: View, px: number, py: number): Cursor | null {
    let [best, least]: [Cursor | null, number] = [null, Infinity];
    for (const one of view.shown)
      for (let row = 0; row < one.table.tp.length; row++) {
        const [x, y] = this.position(one, row);
        const away = (x - px) ** 2 + (y - py) ** 2;
        if (away < least) [best, least] = [{ model: one.place, row }, away];
      }
    return best;
  }

  /** What a drag does beyond choosing the point. */
  protected dragged(_lam: number): void {}

  private listen(): void {
    const at = (event: PointerEvent): [Cursor | null, number] => {
      const [px, py] = pointer(event, this.svg);
      return [this.view && this.nearest(this.view, px, py), this.x.invert(px)];
    };
    const drag = onDrag(this.svg, (event) => {
      this.tooltip.follow(event, this.element);
      const [cursor, x] = at(event);
      this.store.set({ chosen: cursor, hovered: null });
      this.dragged(x);
    });
    this.svg.addEventListener("pointermove", (event) => {
      if (drag.active || event.pointerType !== "mouse" || event.buttons) return;
      this.tooltip.follow(event, this.element);
      const [cursor] = at(event);
      this.store.set({ hovered: cursor });
      if (this.view && cursor) this.tooltip.draw(this.view, cursor);
    });
    this.svg.addEventListener("pointerleave", () => {
      this.tooltip.leave();
      this.store.set({ hovered: null });
    });
    onKeys(this.svg, this.store, () => this.view);
  }

  private tools(): HTMLElement {
    const { title } = this.texts;
    const scale = (factor: number) => () =>
      select(this.svg).call(this.zoom.scaleBy, factor, this.pointInHand());
    return h(
      "div.tools",
      tool("+", "Zoom in (or Ctrl and the wheel; Shift and drag moves)", title, scale(1.6)),
      tool("−", "Zoom out", title, scale(1 / 1.6)),
      tool("1:1", "1:1, show all", title, () =>
        select(this.svg).call(this.zoom.transform, zoomIdentity),
      ),
      tool("Full", "Full screen", title, () => {
        if (document.fullscreenElement) void document.exitFullscreen();
        else void this.element.requestFullscreen();
      }),
      ...savers(title, this.svg, () => ({
        report: this.shared.report,
        title,
        models: this.view ? captioned(this.view) : [],
      })),
    );
  }

  /** Where the operating point is drawn, in pixels; zooming keeps it in sight. */
  private pointInHand(): [number, number] {
    const { view } = this;
    const cursor = view && cursorOf(view);
    const [left, right] = this.x.range() as [number, number];
    const [bottom, top] = this.y.range() as [number, number];
    const middle: [number, number] = [(left + right) / 2, (top + bottom) / 2];
    const [x, y] = cursor ? this.position(view.models[cursor.model]!, cursor.row) : middle;
    if (Number.isNaN(x) || Number.isNaN(y)) return middle;
    return [clamped(x, left, right), clamped(y, top, bottom)];
  }
}

/** A small button over a picture; `of` is what stands on it. */
function tool(text: string, label: string, of: string, act: () => void): HTMLElement {
  return button(text, act, { class: "tool", title: label, "aria-label": `${label}: ${of}` });
}

/** The buttons that save a picture. */
export function savers(of: string, svg: SVGSVGElement, caption: () => Caption): HTMLElement[] {
  return [
    tool("SVG", "Save as SVG", of, () => saveSvg(svg, caption())),
    tool("PNG", "Save as PNG", of, () => void savePng(svg, caption())),
  ];
}

/** Tells screen readers where on a slider the operating point is. */
export function setSlider(svg: SVGSVGElement, view: View, cursor: Cursor): void {
  set(svg, {
    "aria-valuemin": 0,
    "aria-valuemax": view.models[cursor.model]!.table.tp.length - 1,
    "aria-valuenow": cursor.row,
    "aria-valuetext": said(view, cursor),
  });
}

/** Where a vertical axis stands, so that its numbers do not cover its name. */
function leftOf(scale: ScaleLinear<number, number>): number {
  const format = scale.tickFormat(TICKS);
  const widest = Math.max(...scale.ticks(TICKS).map((tick) => textWidth(format(tick), 11)), 0);
  return Math.max(MARGIN.left, Math.ceil(widest) + 30);
}

/** What the mark of a point covers. */
function markBox(x: number, y: number): Box {
  return { x: x - 8, y: y - 8, width: 16, height: 16 };
}

function rounded(value: number): number {
  return Number(value.toFixed(5));
}

type Corners = [[number, number], [number, number]];

/** The transform of d3 that shows a part of a panel with these corners. */
function transformOf(
  zoomed: Zoom | undefined,
  [[left, top], [right, bottom]]: Corners,
): ZoomTransform {
  if (!zoomed) return zoomIdentity;
  const { scale } = zoomed;
  return zoomIdentity
    .translate(
      left - scale * (left + zoomed.left * (right - left)),
      top - scale * (top + (1 - zoomed.top) * (bottom - top)),
    )
    .scale(scale);
}

function clamped(value: number, lo: number, hi: number): number {
  return Math.min(Math.max(value, lo), hi);
}
