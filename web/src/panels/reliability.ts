/** Reliability: what share of the items with a score is positive. */

import { counted, decimals, levelSaid, percent, percents, short } from "../format";
import type { Glossary } from "../glossary";
import { lookOf } from "../looks";
import { glyph } from "../marks";
import {
  binsOfEqualSize,
  binsOfEqualWidth,
  binsOfOtherClass,
  calibrationError,
  hasProbabilities,
  type ScoreBin,
} from "../ranking";
import { notProbabilities } from "../sentences";
import type { Cursor, Store } from "../state";
import { ofOtherClass } from "../table";
import { cursorOf, type ModelView, type View } from "../view";
import { wilson } from "../wilson";
import { Panel, type Layer } from "./frame";
import { Room, textWidth } from "./room";

export class ReliabilityPanel extends Panel {
  private readonly bins = new WeakMap<ModelView, readonly ScoreBin[]>();

  constructor(store: Store, glossary: Glossary, report: string) {
    super(
      {
        name: "reliability",
        title: "Reliability",
        term: "reliability",
        x: "score, read as a probability",
        y: "share of positives",
        shows:
          "Of the items with about the same score, the share that is positive; on the diagonal a score is a probability.",
      },
      store,
      glossary,
      report,
    );
  }

  private binsOf(one: ModelView, view: View): readonly ScoreBin[] {
    const before = this.bins.get(one);
    if (before) return before;
    const { otherClass } = view.settings;
    const table = otherClass ? ofOtherClass(one.table) : one.table;
    const factor = table.negatives / one.model.table.negatives;
    const found = one.complete ? binsOfEqualSize(table) : binsOfEqualWidth(one.model, factor);
    const bins = otherClass ? binsOfOtherClass(found) : found;
    this.bins.set(one, bins);
    return bins;
  }

  /** A threshold is a vertical line here. */
  protected place(one: ModelView, row: number): readonly [number, number] {
    const threshold = one.table.thresholds[row]!;
    const score = this.view?.settings.otherClass ? 1 - threshold : threshold;
    return [hasProbabilities(one.model) ? Math.min(Math.max(score, 0), 1) : NaN, NaN];
  }

  protected override nearest(view: View, px: number): Cursor | null {
    const cursor = cursorOf(view);
    if (!cursor) return null;
    const one = view.models[cursor.model]!;
    let [row, least] = [cursor.row, Infinity];
    for (let other = 0; other < one.table.tp.length; other++) {
      const away = Math.abs((this.x(this.place(one, other)[0]) ?? NaN) - px);
      if (away < least) [row, least] = [other, away];
    }
    return { model: cursor.model, row };
  }

  protected drawBack(layer: Layer, view: View): void {
    if (view.settings.baselines)
      this.drawBaseline(layer, [
        [0, 0],
        [1, 1],
      ]);
  }

  protected drawModel(lines: Layer, _bands: Layer, one: ModelView, view: View): void {
    if (!hasProbabilities(one.model)) return;
    const bins = this.binsOf(one, view);
    const hasMeans = bins.every(({ predicted }) => !Number.isNaN(predicted));
    if (hasMeans)
      this.drawCurve(
        lines,
        one,
        view,
        bins.map(({ predicted, observed }) => [predicted, observed] as const),
      );
    const look = view.looks.get(one.place);
    if (look === undefined) return;
    for (const bin of bins) {
      const mark = lines.append("path").attr("class", `bin ${lookOf(view, one.place)}`);
      if (hasMeans)
        mark
          .attr("d", glyph(look, 36))
          .attr("transform", `translate(${this.x(bin.predicted)},${this.y(bin.observed)})`);
      else mark.attr("d", `M${this.x(bin.lower)},${this.y(bin.observed)}H${this.x(bin.upper)}`);
      mark.append("title").text(`${one.model.name}: ${binSaid(bin)}`);
    }
  }

  /** The intervals of the model in hand. */
  protected override drawLine(layer: Layer, view: View, { model }: Cursor): void {
    const one = view.models[model]!;
    if (!hasProbabilities(one.model) || !one.table.whole) return;
    const room = new Room(this.area);
    for (const bin of this.binsOf(one, view)) {
      const [lo, hi] = wilson(bin.positives, bin.items, view.confidence.z);
      const x = this.x(Number.isNaN(bin.predicted) ? (bin.lower + bin.upper) / 2 : bin.predicted);
      layer
        .append("path")
        .attr("class", `interval ${lookOf(view, model)}`)
        .attr("d", `M${x},${this.y(lo)}V${this.y(hi)}`);
      const text = counted(bin.items);
      const [width, height] = [textWidth(text, 10) + 4, 10];
      const y = Math.max(this.y(hi) - 4, this.area.y + height);
      if (room.take({ x: x - width / 2, y: y - height, width, height }))
        layer
          .append("text")
          .attr("class", "bin-count")
          .attr("x", x)
          .attr("y", y)
          .attr("text-anchor", "middle")
          .text(text);
    }
  }

  protected reads(view: View, { model, row }: Cursor): string {
    const one = view.models[model]!;
    const refused = notProbabilities(view.shown, "reliability");
    if (!hasProbabilities(one.model)) return refused;
    const bins = this.binsOf(one, view);
    const score = this.place(one, row)[0];
    const bin = bins.find(({ upper }) => score <= upper) ?? bins.at(-1)!;
    const interval = one.table.whole
      ? `, with a ${levelSaid(view.confidence.level)} interval of ${percents(wilson(bin.positives, bin.items, view.confidence.z), " to ")}`
      : "";
    const error = calibrationError(bins);
    const distance = Number.isNaN(error)
      ? ""
      : ` Scores and shares are ${decimals(error)} apart on average.`;
    const said = `${one.model.name}: ${binSaid(bin)}${interval}.${distance}`;
    return refused ? `${said} ${refused}` : said;
  }
}

function binSaid({ lower, upper, items, positives, observed }: ScoreBin): string {
  const scores =
    lower === upper
      ? `the score ${short(lower, 3)}`
      : `scores from ${short(lower, 3)} to ${short(upper, 3)}`;
  return (
    `of ${counted(items)} items with ${scores}, ` +
    `${counted(positives)} (${percent(observed)}) are positive`
  );
}
