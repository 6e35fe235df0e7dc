/** How many items of each class have which score, with the threshold as a line. */

import { axisBottom } from "d3-axis";
import { scaleLinear, type NumberValue } from "d3-scale";
import { pointer, select } from "d3-selection";

import { nearest } from "../arithmetic";
import { BINS, type Histogram } from "../count";
import { freshId, h, s, set } from "../dom";
import { counted, tick } from "../format";
import { lookOf } from "../looks";
import { namesOf } from "../names";
import type { Caption } from "../saving";
import { shownThreshold } from "../sentences";
import { cursorOf, thresholdAt, type ModelView, type View } from "../view";
import { savers, setSlider, type Shared } from "./frame";
import { onDrag, onKeys } from "./moving";

/** Above and below the bars there is room for the words about them. */
const MARGIN = { top: 34, right: 14, bottom: 54, left: 14 };
const HEIGHT = 270;
const LONGEST_LABEL = 9;

export class HistogramPanel {
  readonly element: HTMLElement;
  private readonly svg: SVGSVGElement;
  private readonly heading = h("h2");
  private readonly result = h("p.result");
  private readonly bars = s("g");
  private readonly cut = s("g");
  private x = scaleLinear();
  /** How wide the panel is; 0 where that has to be measured, which costs a layout of the page. */
  private width = 0;
  /** What the bars were drawn for. */
  private drawn: readonly unknown[] = [];
  private view: View | null = null;

  constructor({ store, glossary, report }: Shared) {
    const id = freshId("shows");
    this.svg = s(
      "svg",
      {
        tabindex: 0,
        role: "slider",
        "aria-label": "Threshold in the histogram of scores",
        "aria-describedby": id,
      },
      this.bars,
      this.cut,
    );
    const caption = (): Caption => ({ report, title: this.heading.textContent!, models: [] });
    this.element = h(
      "section.panel.histogram",
      h("div.panel-head", this.heading, h("div.tools", ...savers("histogram", this.svg, caption))),
      h(
        "p.shows",
        { id },
        "How many ",
        glossary.term("histogram", "items of each class"),
        " have which score, positives up and negatives down, each class on its own scale.",
      ),
      this.svg,
      this.result,
    );
    onDrag(this.svg, (event) => {
      const cursor = this.view && cursorOf(this.view);
      if (!this.view || !cursor) return;
      const score = this.x.invert(pointer(event, this.svg)[0]);
      const { thresholds } = this.view.models[cursor.model]!.table;
      const row = nearest(thresholds.length, (place) => Math.abs(thresholds[place]! - score));
      if (row >= 0) store.set({ chosen: { model: cursor.model, row }, hovered: null });
    });
    onKeys(this.svg, store, () => this.view);
    new ResizeObserver(() => {
      this.width = 0;
      this.redraw();
    }).observe(this.element);
  }

  draw(view: View): void {
    this.view = view;
    this.redraw();
  }

  private redraw(): void {
    const { view } = this;
    const cursor = view && cursorOf(view);
    if (!view || !cursor) return;
    const one = view.models[cursor.model]!;
    const { histogram } = one.model;
    this.element.hidden = !view.settings.panels.has("scores");
    this.heading.replaceChildren(...namesOf(view.models).in(`Scores of ${one.model.name}`));
    this.cut.replaceChildren();
    this.element.classList.toggle("without-scores", !histogram);
    if (!histogram) {
      this.result.textContent = one.table.labels
        ? "Sets have no scores, and so no histogram."
        : "The scores are not known one by one, so there is no histogram.";
      return;
    }
    this.width ||= Math.max(Math.round(this.element.clientWidth - 24), 0);
    const { width } = this;
    if (!width) return;
    set(this.svg, { viewBox: `0 0 ${width} ${HEIGHT}`, height: HEIGHT });
    // One score alone still needs some room around it.
    const spread = histogram.hi > histogram.lo ? 0 : Math.max(Math.abs(histogram.lo) / 10, 0.5);
    this.x = scaleLinear(
      [histogram.lo - spread, histogram.hi + spread],
      [MARGIN.left, width - MARGIN.right],
    );
    const needed = [histogram, width, view.settings.otherClass];
    if (needed.some((each, place) => each !== this.drawn[place])) {
      this.bars.replaceChildren();
      this.drawBars(histogram, view.settings.otherClass);
    }
    this.drawn = needed;
    this.drawThreshold(one, cursor.row, view);
    setSlider(this.svg, view, cursor);
    this.result.textContent = apart(histogram);
  }

  private drawBars(histogram: Histogram, otherClass: boolean): void {
    const middle = (MARGIN.top + HEIGHT - MARGIN.bottom) / 2;
    const room = middle - MARGIN.top;
    const [up, down] = otherClass
      ? [histogram.negatives, histogram.positives]
      : [histogram.positives, histogram.negatives];
    const step = (histogram.hi - histogram.lo) / BINS;
    for (const [counts, name, sign] of [
      [up, "positives", -1],
      [down, "negatives", 1],
    ] as const) {
      const most = Math.max(...counts, Number.MIN_VALUE);
      const group = s("g", { class: `bars ${name}` });
      counts.forEach((count, bin) => {
        if (!count) return;
        const tall = Math.max((count / most) * room, 0.75);
        const left = step ? this.x(histogram.lo + bin * step) : this.x(histogram.lo) - 8;
        const right = step ? this.x(histogram.lo + (bin + 1) * step) : left + 16;
        const [x, width] = [left + 0.5, Math.max(right - left - 1, 1)];
        const box = { x, width, y: sign < 0 ? middle - tall : middle, height: tall };
        group.append(s("rect", box, s("title", `${counted(count)} ${name}`)));
      });
      const all = counted(counts.reduce((sum, count) => sum + count, 0));
      const y = sign < 0 ? MARGIN.top - 5 : HEIGHT - MARGIN.bottom + 12;
      const corner = { class: "isoline-label", x: MARGIN.left + 2, y };
      this.bars.append(group, s("text", corner, `${name} (${all})`));
    }
    const below = `translate(0,${HEIGHT - MARGIN.bottom + 18})`;
    const axis = s("g.axis", { transform: below });
    select(axis).call(axisBottom(this.x).ticks(6).tickFormat(this.tickFormat()).tickSizeOuter(0));
    const centre = (this.x.range()[0]! + this.x.range()[1]!) / 2;
    const label = { class: "axis-label", "text-anchor": "middle", x: centre, y: HEIGHT - 4 };
    this.bars.append(axis, s("text", label, "score"));
  }

  /** Scores close to 0, or far from it, would have labels too long to stand side by side. */
  private tickFormat(): (score: NumberValue) => string {
    const plain = this.x.tickFormat(6);
    const longest = Math.max(...this.x.ticks(6).map((score) => plain(score).length), 0);
    return longest > LONGEST_LABEL ? (score) => tick(Number(score)) : plain;
  }

  private drawThreshold(one: ModelView, row: number, view: View): void {
    const [left, right] = this.x.range() as [number, number];
    // Flagging nothing, or everything, stands at an end.
    const place = Math.min(Math.max(this.x(thresholdAt(one, row)), left), right);
    if (Number.isNaN(place)) return;
    const line = `M${place},4V${HEIGHT - MARGIN.bottom + 18}`;
    const end = place > (left + right) / 2;
    const beside = { x: place + (end ? -5 : 5), y: 14, "text-anchor": end ? "end" : "start" };
    const sign = view.settings.otherClass ? "<" : "≥";
    this.cut.append(
      s("path", { class: `threshold ${lookOf(view, one.place)}`, d: line }),
      s("text.threshold-label", { ...beside }, `${sign} ${shownThreshold(one, row)}`),
    );
  }
}

function apart({ below, above }: Histogram): string {
  const said = [
    ["−∞ (never scored, perhaps)", below],
    ["+∞", above],
  ] as const;
  return said
    .filter(([, [positives, negatives]]) => positives + negatives > 0)
    .map(
      ([where, [positives, negatives]]) =>
        `${counted(positives)} positives and ${counted(negatives)} negatives lie at ${where}.`,
    )
    .join(" ");
}
