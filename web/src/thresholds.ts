/** The thresholds that are best for some β, on the tuning data where there is any, sorted by β. */

import { button, copyButton, h, headRow, scrolling } from "./dom";
import { exact, percent, short } from "./format";
import type { Glossary } from "./glossary";
import { namesOf } from "./names";
import { rule } from "./sentences";
import * as pr from "./spaces/pr";
import type { Settings, Store } from "./state";
import { takeaway } from "./table";
import { chosenHere, cutAt, rowHere, tunedOf } from "./tuned";
import { cursorOf, type ModelView, type View } from "./view";

interface ThresholdRow {
  /** The model with the threshold of this row. */
  readonly one: ModelView;
  readonly row: number;
  readonly betaLo: number;
  readonly betaHi: number;
}

export function thresholdRows(one: ModelView, settings: Settings): ThresholdRow[] {
  const tuned = tunedOf(one, settings);
  const { optima, hullRows } = tuned?.there ?? one;
  const rows: ThresholdRow[] = [];
  for (const { row: place, lo, hi } of optima) {
    const [betaLo, betaHi] = [Math.sqrt(lo), Math.sqrt(hi)];
    const there = hullRows[place]!;
    const row = tuned ? rowHere(one, tuned, there) : there;
    const last = rows.at(-1);
    // Two thresholds of the tuning data may flag the same rows here.
    if (last?.row === row) rows[rows.length - 1] = { ...last, betaHi };
    else rows.push({ one: tuned ? cutAt(one, tuned, there) : one, row, betaLo, betaHi });
  }
  return rows;
}

const SHOWS =
  "Each row is the best cut for every β between the two numbers; no other cut is best for any β.";
const SHOWS_TUNED =
  "Each row is the cut that the tuning data chooses for every β between the two numbers, with its precision and recall on these rows.";

export class Thresholds {
  readonly element: HTMLElement;
  private readonly heading = h("h2");
  private readonly shows = h("p.shows");
  private readonly body = h("tbody");
  private shown: { one: ModelView; rows: ThresholdRow[] } | null = null;
  private key = "";
  private here = -1;

  constructor(
    private readonly store: Store,
    glossary: Glossary,
  ) {
    const cutAt = glossary.term("threshold", "cut at");
    const measures = [glossary.term("precision"), glossary.term("recall")];
    const heads = [glossary.term("β", "β from"), "to", cutAt, ...measures, "copy"];
    this.element = h(
      "section.thresholds",
      this.heading,
      this.shows,
      scrolling(
        "Thresholds by β",
        true,
        h("caption.offscreen", "Thresholds sorted by β"),
        h("thead", headRow(...heads)),
        this.body,
      ),
      copyButton("Copy the table", "Copy the table of thresholds", () => this.text()),
    );
  }

  private text(): string {
    if (!this.shown) return "";
    const { one, rows } = this.shown;
    const lines = rows.map(({ one: { table }, row, betaLo, betaHi }) =>
      [
        exact(betaLo),
        exact(betaHi),
        (takeaway(table, row) ?? "").replace(/\s+/g, " "),
        exact(pr.y(one.table, row)),
        exact(pr.x(one.table, row)),
      ].join("\t"),
    );
    const what = one.table.labels ? "set" : "threshold";
    return [`beta_lo\tbeta_hi\t${what}\tprecision\trecall`, ...lines].join("\n");
  }

  draw(view: View): void {
    const cursor = cursorOf(view);
    if (!cursor) return;
    const one = view.models[cursor.model]!;
    const { otherClass, prevalence } = view.settings;
    const key = [cursor.model, otherClass, prevalence].join();
    const changed = key !== this.key || !this.shown;
    if (changed || !this.shown) {
      this.key = key;
      // Here a threshold is the best one on some rows, whatever a verdict chose for others.
      this.shown = { one, rows: thresholdRows({ ...one, rule: null }, view.settings) };
      this.shows.textContent = one.model.tuning ? SHOWS_TUNED : SHOWS;
      const what = one.table.labels ? "Sets" : "Thresholds";
      const heading = `${what} of ${one.model.name}, by β`;
      this.heading.replaceChildren(...namesOf(view.models).in(heading));
      this.body.replaceChildren(...this.shown.rows.map((found) => this.row(found, view)));
    }
    const [, best] = chosenHere(one, view.settings, view.objective);
    const here = this.shown.rows.findIndex(({ row }) => row === best);
    Array.from(this.body.children).forEach((row, place) =>
      row.classList.toggle("here", place === here),
    );
    if (here !== this.here || changed) this.scrollTo(here);
    this.here = here;
  }

  /** Brings a row into the middle of the table's own window. */
  private scrollTo(place: number): void {
    const row = this.body.children[place] as HTMLElement | undefined;
    const frame = this.body.closest<HTMLElement>(".scroll")!;
    if (row) frame.scrollTop = row.offsetTop - (frame.clientHeight - row.offsetHeight) / 2;
  }

  private row({ one, row, betaLo, betaHi }: ThresholdRow, view: View): HTMLElement {
    const cut = rule(one, row, view);
    const copied = takeaway(one.table, row);
    const choose = (): void => this.store.set({ chosen: { model: one.place, row } });
    const what = `Copy the ${one.table.labels ? "name" : "threshold"} of ${cut}`;
    const cells = [
      short(betaLo, 3),
      short(betaHi, 3),
      button(cut, choose, { class: "link" }),
      percent(pr.y(one.table, row)),
      percent(pr.x(one.table, row)),
      copied === null ? "–" : copyButton("Copy", what, () => copied),
    ];
    return h("tr", ...cells.map((cell) => h("td", cell)));
  }
}
