/** A threshold that the reader types: what exactly this number does, beside the best one. */

import { isRule, ruleFile, rulePython, ruleSql, type Source } from "./commands";
import { button, copyButton, h } from "./dom";
import { counted, decimals, exact, percent } from "./format";
import { parseNumber } from "./fragment";
import type { Glossary } from "./glossary";
import { rule } from "./sentences";
import * as pr from "./spaces/pr";
import type { Store } from "./state";
import { HIGHEST_SCORE, matrixAt, type Table } from "./table";
import { cursorOf, type ModelView, type View } from "./view";

/** A number of a row: its key, its name, and how it is printed. */
interface Line {
  readonly key: string;
  readonly name: HTMLElement | string;
  readonly value: (table: Table, row: number, beta: number) => number;
  readonly text: (value: number) => string;
}

export class Typed {
  readonly element: HTMLElement;
  private readonly box = h("input", {
    type: "text",
    inputmode: "decimal",
    autocomplete: "off",
    spellcheck: "false",
    size: 12,
    "aria-label": "A threshold of your own",
  });
  private readonly problem = h("p.problem", { role: "alert" });
  private readonly answer = h("div.answer", { hidden: true });
  private readonly heads = [h("th", { scope: "col" }), h("th", { scope: "col" })] as const;
  private readonly cells = new Map<string, readonly [HTMLElement, HTMLElement]>();
  private readonly note = h("p.note");
  private readonly file: HTMLElement;
  private readonly copies: HTMLElement;
  private readonly lines: readonly Line[];
  private view: View | null = null;
  /** What the box shows; not what is being typed there. */
  private shown: number | null = null;

  constructor(
    private readonly store: Store,
    glossary: Glossary,
    source: Source | null,
  ) {
    const count = (key: keyof ReturnType<typeof matrixAt>, name: string): Line => ({
      key,
      name,
      value: (table, row) => matrixAt(table, row)[key],
      text: counted,
    });
    this.lines = [
      count("tp", "positives found"),
      count("fp", "false alarms"),
      count("fn", "positives missed"),
      count("tn", "negatives left alone"),
      { key: "precision", name: glossary.term("precision"), value: pr.y, text: percent },
      { key: "recall", name: glossary.term("recall"), value: pr.x, text: percent },
      { key: "f", name: glossary.term("F measure", "F"), value: pr.f, text: decimals },
    ];
    const copied = (what: string, text: (one: ModelView, row: number) => string): HTMLElement =>
      copyButton(what, `Copy the rule of your threshold as ${what}`, () => {
        const asked = this.asked();
        return asked ? text(asked.one, asked.rows.strict) : "";
      });
    const typed = (): number => store.settings.typed!;
    this.file = copied("JSON", (one, row) => ruleFile(one, row, this.view!, source, typed()));
    this.copies = h(
      "p.actions",
      "Copy this rule as",
      this.file,
      copied("SQL", (one, row) => ruleSql(one, row, source, typed())),
      copied("Python", (one, row) => rulePython(one, row, source, typed())),
    );
    this.answer.append(this.table(), this.note, this.copies);
    this.element = h(
      "section.typed",
      { "aria-label": "Your threshold" },
      h("h2", "Your threshold"),
      h(
        "form.actions",
        { onsubmit: (event) => this.take(event) },
        this.box,
        h("button", { type: "submit", class: "small" }, "Apply"),
        button("Clear", () => this.clear(), {
          class: "small",
          "aria-label": "Clear your threshold",
        }),
      ),
      this.problem,
      this.answer,
    );
  }

  private table(): HTMLElement {
    const body = h("tbody");
    for (const { key, name } of this.lines) {
      const cells = [h("td", { "data-typed": key }), h("td", { "data-best": key })] as const;
      this.cells.set(key, cells);
      body.append(h("tr", h("th", { scope: "row" }, name), ...cells));
    }
    return h(
      "table",
      h("caption.offscreen", "Your threshold beside the best one"),
      h("thead", h("tr", h("td"), ...this.heads)),
      body,
    );
  }

  private take(event: Event): void {
    event.preventDefault();
    const { view } = this;
    const cursor = view && cursorOf(view);
    // A decimal comma is what many keyboards offer.
    const typed = parseNumber(this.box.value.replace(/^([^.,]*),([^.,]*)$/, "$1.$2"));
    this.refuse(typed === undefined ? "This is not a number; type one such as 0.5 or 1e-3." : "");
    if (typed === undefined || !cursor) return;
    this.box.value = exact(typed);
    const { table } = view.models[cursor.model]!;
    const { strict, lenient } = rowsAt(table, typed, view.settings.otherClass);
    const chosen = { model: cursor.model, row: strict };
    this.store.set({ typed, hovered: null, ...(strict === lenient ? { chosen } : {}) });
  }

  private refuse(why: string): void {
    this.problem.textContent = why;
    if (why) this.box.setAttribute("aria-invalid", "true");
    else this.box.removeAttribute("aria-invalid");
  }

  private clear(): void {
    this.box.value = "";
    this.refuse("");
    this.store.set({ typed: null });
  }

  /** The model that is asked about, and the rows of the threshold; null where nothing is asked. */
  private asked() {
    const { view } = this;
    const cursor = view && cursorOf(view);
    const typed = view?.settings.typed ?? null;
    if (!cursor || typed === null) return null;
    const one = view.models[cursor.model]!;
    return { one, typed, rows: rowsAt(one.table, typed, view!.settings.otherClass) };
  }

  draw(view: View): void {
    this.view = view;
    const cursor = cursorOf(view);
    const one = cursor && view.models[cursor.model];
    this.element.hidden = !one || !hasThresholds(one.table, one.model.rounded);
    const { typed } = view.settings;
    if (typed !== this.shown) {
      this.shown = typed;
      this.box.value = typed === null ? "" : exact(typed);
      this.refuse("");
    }
    const asked = this.element.hidden ? null : this.asked();
    this.answer.hidden = !asked;
    if (!asked) return;
    this.fill(asked.one, asked.rows, asked.typed, view);
  }

  private fill(one: ModelView, rows: RowsAt, typed: number, view: View): void {
    const { settings } = view;
    const { table } = one;
    const best = view.best.get(one.place)!;
    const sign = settings.otherClass ? "<" : "≥";
    this.heads[0].textContent = `score ${sign} ${exact(typed)}`;
    this.heads[1].textContent = `${view.judged ? "chosen" : "best"}: ${rule(one, best, view)}`;
    // Measures rise with true positives and fall with false ones.
    const [low, high] = extremes(table, rows);
    for (const { key, value, text } of this.lines) {
      const [lo, hi] = [value(low, 0, settings.beta), value(high, 0, settings.beta)].sort(
        (first, second) => first - second,
      ) as [number, number];
      const [mine, theirs] = this.cells.get(key)!;
      mine.textContent = text(lo) === text(hi) ? text(lo) : `${text(lo)} to ${text(hi)}`;
      mine.dataset["exact"] = lo === hi || Number.isNaN(lo) ? String(lo) : `${lo} ${hi}`;
      theirs.textContent = text(value(table, best, settings.beta));
    }
    const isExact = rows.strict === rows.lenient;
    this.note.textContent = isExact
      ? narrower(table, rows, typed, settings.otherClass)
      : "This page has only some of the rows of this model, and cannot tell the counts at this " +
        "number exactly: they lie between these limits. " +
        `isometrics thresholds FILE --threshold ${exact(typed)} counts them.`;
    this.copies.hidden = !isRule(one, rows.strict, view);
    // The file has the counts of its rule.
    this.file.hidden = !isExact;
  }
}

type RowsAt = ReturnType<typeof rowsAt>;

/** Two tables of one row: the worst and the best that the counts may be. */
function extremes(table: Table, { strict, lenient }: RowsAt): [Table, Table] {
  const row = (tp: number, fp: number): Table => ({
    ...table,
    tp: Float64Array.of(tp),
    fp: Float64Array.of(fp),
  });
  const [tp, fp] = [table.tp, table.fp].map((counts) =>
    [counts[strict]!, counts[lenient]!].sort((first, second) => first - second),
  ) as [[number, number], [number, number]];
  return [row(tp[0], fp[1]), row(tp[1], fp[0])];
}

/** What a program would do that rounds the number to 32 bits, as these scores are. */
function narrower(table: Table, { strict }: RowsAt, typed: number, otherClass: boolean): string {
  const rounded = Math.fround(typed);
  if (rounded === typed || !isFloat32(table)) return "";
  const other = rowsAt(table, rounded, otherClass);
  if (other.strict === strict && other.lenient === strict) return "";
  return (
    `The scores are numbers of 32 bits. A program that compares in 32 bits takes this number for ` +
    `${exact(rounded)}, which some score has: type that to see what it does.`
  );
}

/**
 * The row of the rule `score >= threshold`; of the other class, whose rows come in the opposite
 * order, of `score < threshold`.
 *
 * A row tells its own threshold, and the next lower score: any number between them flags the same
 * items. Below that score, up to the next row of a table that has only some of its rows, the counts
 * are not known: they lie between those of a strict and of a lenient row.
 */
export function rowsAt(table: Table, threshold: number, otherClass: boolean) {
  const { thresholds, below, kind } = table;
  const last = thresholds.length - 1;
  const rowOf = (place: number): number => (otherClass ? last - place : place);
  let [strict, lenient] = [0, last];
  for (let place = last; place >= 0; place--) {
    const score = thresholds[rowOf(place)]!;
    if (score < threshold) lenient = place;
    if (!(score >= threshold)) continue;
    strict = place;
    break;
  }
  const row = rowOf(strict);
  const isEvery = kind === "scores" && !below;
  const isKnown =
    isEvery ||
    strict === last ||
    thresholds[row] === threshold ||
    (below?.[row] ?? NaN) < threshold;
  return isKnown ? { strict: row, lenient: row } : { strict: row, lenient: rowOf(lenient) };
}

/** Whether a typed number means something: scores are known, to their last digit. */
export function hasThresholds(table: Table, isRounded: boolean): boolean {
  return !isRounded && !table.labels && table.thresholds.some((score) => Number.isFinite(score));
}

/** Whether all scores are numbers of 32 bits. */
export function isFloat32(table: Table): boolean {
  return table.thresholds.every(
    (score) => Number.isNaN(score) || Math.fround(score) === score || score === HIGHEST_SCORE,
  );
}
