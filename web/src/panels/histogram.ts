/** How many items of each class have which score, with the threshold as a line. */

import { axisBottom } from "d3-axis";
import { scaleLinear, type NumberValue } from "d3-scale";
import { pointer, select } from "d3-selection";

import { BINS, type Histogram } from "../count";
import { freshId, h } from "../dom";
import { counted, tick } from "../format";
import type { Glossary } from "../glossary";
import { lookOf } from "../looks";
import { namesOf } from "../names";
import { savePng, saveSvg, type Caption } from "../saving";
import { said, shownThreshold } from "../sentences";
import type { Store } from "../state";
import { cursorOf, type ModelView, type View } from "../view";
import { moved, onDrag } from "./moving";

/** Above and below the bars there is room for the words about them. */
const MARGIN = { top: 34, right: 14, bottom: 54, left: 14 };
const HEIGHT = 270;
const LONGEST_LABEL = 9;

export class HistogramPanel {
  readonly element: HTMLElement;
  private readonly svg = select(document.createElementNS("http://www.w3.org/2000/svg", "svg"));
  private readonly heading = h("h2");
  private readonly result = h("p", { class: "result" });
  private readonly bars = this.svg.append("g");
  private readonly cut = this.svg.append("g");
  private x = scaleLinear();
  /** How wide the panel is; 0 where that has to be measured, which costs a layout of the page. */
  private width = 0;
  /** What the bars were drawn for. */
  private drawn: readonly unknown[] = [];
  private view: View | null = null;

  constructor(
    private readonly store: Store,
    glossary: Glossary,
    /** The title of the report. */
    private readonly report: string,
  ) {
    const node = this.svg.node()!;
    const shows = freshId("shows");
    this.svg
      .attr("tabindex", 0)
      .attr("role", "slider")
      .attr("aria-label", "Threshold in the histogram of scores")
      .attr("aria-describedby", shows);
    const tool = (text: string, label: string, act: () => void): HTMLElement =>
      h(
        "button",
        {
          type: "button",
          class: "tool",
          title: label,
          "aria-label": `${label}: histogram`,
          onclick: act,
        },
        text,
      );
    this.element = h(
      "section",
      { class: "panel histogram" },
      h(
        "div",
        { class: "panel-head" },
        this.heading,
        h(
          "div",
          { class: "tools" },
          tool("SVG", "Save as SVG", () => saveSvg(node, this.caption())),
          tool("PNG", "Save as PNG", () => void savePng(node, this.caption())),
        ),
      ),
      h(
        "p",
        { class: "shows", id: shows },
        "How many ",
        glossary.term("histogram", "items of each class"),
        " have which score, positives up and negatives down, each class on its own scale.",
      ),
      node,
      this.result,
    );
    this.listen();
    new ResizeObserver(() => {
      this.width = 0;
      this.redraw();
    }).observe(this.element);
  }

  private listen(): void {
    const choose = (event: PointerEvent): void => {
      const cursor = this.view && cursorOf(this.view);
      if (!this.view || !cursor) return;
      const score = this.x.invert(pointer(event, this.svg.node())[0]);
      const { thresholds } = this.view.models[cursor.model]!.table;
      let [row, least] = [cursor.row, Infinity];
      thresholds.forEach((threshold, place) => {
        const away = Math.abs(threshold - score);
        if (away < least) [row, least] = [place, away];
      });
      this.store.set({ chosen: { model: cursor.model, row }, hovered: null });
    };
    onDrag(this.svg, choose);
    this.svg.on("keydown", (event: KeyboardEvent) => {
      const next = this.view && moved(this.view, event);
      if (!next) return;
      event.preventDefault();
      this.store.set({ chosen: next, hovered: null });
    });
  }

  private caption(): Caption {
    return { report: this.report, title: this.heading.textContent!, models: [] };
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
    this.cut.selectAll("*").remove();
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
    this.svg.attr("viewBox", `0 0 ${width} ${HEIGHT}`).attr("height", HEIGHT);
    // One score alone still needs some room around it.
    const spread = histogram.hi > histogram.lo ? 0 : Math.max(Math.abs(histogram.lo) / 10, 0.5);
    this.x = scaleLinear(
      [histogram.lo - spread, histogram.hi + spread],
      [MARGIN.left, width - MARGIN.right],
    );
    const needed = [histogram, width, view.settings.otherClass];
    if (needed.some((each, place) => each !== this.drawn[place])) {
      this.bars.selectAll("*").remove();
      this.drawBars(histogram, view.settings.otherClass);
    }
    this.drawn = needed;
    this.drawThreshold(one, cursor.row, view);
    this.svg
      .attr("aria-valuemin", 0)
      .attr("aria-valuemax", one.table.tp.length - 1)
      .attr("aria-valuenow", cursor.row)
      .attr("aria-valuetext", said(view, cursor));
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
      const group = this.bars.append("g").attr("class", `bars ${name}`);
      counts.forEach((count, bin) => {
        if (!count) return;
        const tall = Math.max((count / most) * room, 0.75);
        const left = step ? this.x(histogram.lo + bin * step) : this.x(histogram.lo) - 8;
        const right = step ? this.x(histogram.lo + (bin + 1) * step) : left + 16;
        group
          .append("rect")
          .attr("x", left + 0.5)
          .attr("width", Math.max(right - left - 1, 1))
          .attr("y", sign < 0 ? middle - tall : middle)
          .attr("height", tall)
          .append("title")
          .text(`${counted(count)} ${name}`);
      });
      this.bars
        .append("text")
        .attr("class", "isoline-label")
        .attr("x", MARGIN.left + 2)
        .attr("y", sign < 0 ? MARGIN.top - 5 : HEIGHT - MARGIN.bottom + 12)
        .text(`${name} (${counted(counts.reduce((sum, count) => sum + count, 0))})`);
    }
    this.bars
      .append("g")
      .attr("class", "axis")
      .attr("transform", `translate(0,${HEIGHT - MARGIN.bottom + 18})`)
      .call(axisBottom(this.x).ticks(6).tickFormat(this.tickFormat()).tickSizeOuter(0));
    this.bars
      .append("text")
      .attr("class", "axis-label")
      .attr("text-anchor", "middle")
      .attr("x", (this.x.range()[0]! + this.x.range()[1]!) / 2)
      .attr("y", HEIGHT - 4)
      .text("score");
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
    const place = Math.min(Math.max(this.x(one.table.thresholds[row]!), left), right);
    if (Number.isNaN(place)) return;
    this.cut
      .append("path")
      .attr("class", `threshold ${lookOf(view, one.place)}`)
      .attr("d", `M${place},4V${HEIGHT - MARGIN.bottom + 18}`);
    const end = place > (left + right) / 2;
    this.cut
      .append("text")
      .attr("class", "threshold-label")
      .attr("x", place + (end ? -5 : 5))
      .attr("y", 14)
      .attr("text-anchor", end ? "end" : "start")
      .text(`${view.settings.otherClass ? "<" : "≥"} ${shownThreshold(one, row)}`);
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
