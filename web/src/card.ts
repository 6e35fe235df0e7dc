/** The card: everything about one operating point. */

import { wilson } from "./arithmetic";
import { isRule, ruleFile, rulePython, ruleSql, type Source } from "./commands";
import { button, copyButton, h } from "./dom";
import { counted, decimals, levelSaid, percent, percents, short } from "./format";
import type { Glossary } from "./glossary";
import { lookOf } from "./looks";
import { namesOf } from "./names";
import { rule } from "./sentences";
import * as pr from "./spaces/pr";
import * as prg from "./spaces/prg";
import * as roc from "./spaces/roc";
import { costOf, type Store } from "./state";
import { matrixAt, takeaway } from "./table";
import { cursorOf, thresholdAt, type ModelView, type View } from "./view";

export class Card {
  readonly element = h("section.card", { "aria-label": "The operating point" });
  private readonly title = h("h2");
  private readonly rule = h("p.rule");
  private readonly matrix: Record<"tp" | "fp" | "fn" | "tn", HTMLElement>;
  private readonly values = new Map<string, HTMLElement>();
  private readonly level = h("span");
  private readonly copies: HTMLElement;
  private readonly copy = copyButton(
    "Copy threshold",
    "Copy threshold with all its digits",
    () => this.threshold,
  );
  private threshold = "";
  private view: View | null = null;

  constructor(
    store: Store,
    private readonly glossary: Glossary,
    source: Source | null,
  ) {
    const copied = (what: string, text: (one: ModelView, row: number, view: View) => string) =>
      copyButton(what, `Copy the rule as ${what}`, () => {
        const cursor = this.view && cursorOf(this.view);
        return cursor ? text(this.view!.models[cursor.model]!, cursor.row, this.view!) : "";
      });
    this.copies = h(
      "p.actions",
      "Copy the rule as",
      copied("JSON", (one, row, view) => ruleFile(one, row, view, source)),
      copied("SQL", (one, row) => ruleSql(one, row, source)),
      copied("Python", (one, row) => rulePython(one, row, source)),
    );
    const cell = (name: string): HTMLElement => h("td", { "data-value": name });
    this.matrix = { tp: cell("tp"), fp: cell("fp"), fn: cell("fn"), tn: cell("tn") };
    this.element.append(
      this.title,
      this.rule,
      h(
        "p.actions",
        this.copy,
        button("Best for what matters", () => store.set({ chosen: null }), { class: "small" }),
      ),
      this.copies,
      this.confusion(),
      this.measures(),
    );
  }

  private confusion(): HTMLElement {
    const head = (text: string, scope: string): HTMLElement => h("th", { scope }, text);
    return h(
      "table.confusion",
      h("caption", this.glossary.term("confusion matrix", "Confusion matrix")),
      h("thead", h("tr", h("td"), head("positive", "col"), head("negative", "col"))),
      h(
        "tbody",
        h("tr", head("called positive", "row"), this.matrix.tp, this.matrix.fp),
        h("tr", head("called negative", "row"), this.matrix.fn, this.matrix.tn),
      ),
    );
  }

  private measures(): HTMLElement {
    const list = h("dl.measures");
    const row = (key: string, ...label: (HTMLElement | string)[]): void => {
      const value = h("dd", { "data-value": key });
      this.values.set(key, value);
      list.append(h("div", h("dt", ...label), value));
    };
    const { glossary } = this;
    row("precision", glossary.term("precision"));
    row("recall", glossary.term("recall"));
    row("f", glossary.term("F measure", "F"), " at this β");
    row("precision-gain", glossary.term("gain", "precision gain"));
    row("recall-gain", glossary.term("gain", "recall gain"));
    row("f-gain", glossary.term("F gain"), " at this β");
    row("fpr", glossary.term("false positive rate"));
    row("accuracy", glossary.term("accuracy"));
    row("cost-accuracy", "accuracy at this ", glossary.term("cost proportion", "cost"));
    row("loss", glossary.term("loss"), " at this cost");
    row("interval", glossary.term("interval"), this.level);
    return list;
  }

  draw(view: View): void {
    this.view = view;
    const cursor = cursorOf(view);
    // Where no model is shown, or none keeps what is asked for, there is no point to show.
    this.element.hidden = !cursor;
    if (!cursor) return;
    const one = view.models[cursor.model]!;
    const { table } = one;
    const { row } = cursor;
    this.threshold = takeaway(table, row, thresholdAt(one, row)) ?? "";
    // Sets have no threshold, and points of a curve may have none.
    this.copy.hidden = table.labels !== null || !this.threshold;
    this.title.replaceChildren(...namesOf(view.models).in(one.model.name));
    this.title.className = lookOf(view, one.place);
    this.rule.replaceChildren(...namesOf(view.models).in(rule(one, row, view, true)));
    this.copies.hidden = !isRule(one, row, view);
    for (const [name, value] of Object.entries(matrixAt(table, row)))
      this.matrix[name as keyof Card["matrix"]].textContent = counted(value);
    this.fill(one, row, view);
  }

  private fill(one: ModelView, row: number, view: View): void {
    const { beta } = view.settings;
    const cost = costOf(view.settings);
    const { table } = one;
    const { tp, fp, fn } = matrixAt(table, row);
    const loss = (2 * (cost * fp + (1 - cost) * fn)) / (table.positives + table.negatives);
    const put = (name: string, text: string, value: number): void => {
      const cell = this.values.get(name)!;
      cell.textContent = text;
      cell.dataset["exact"] = String(value);
    };
    const share = (name: string, value: number): void => put(name, percent(value), value);
    const plain = (name: string, value: number): void => put(name, decimals(value), value);
    share("precision", pr.y(table, row));
    share("recall", pr.x(table, row));
    share("fpr", roc.x(table, row));
    plain("f", pr.f(table, row, beta));
    plain("precision-gain", prg.y(table, row));
    plain("recall-gain", prg.x(table, row));
    plain("f-gain", prg.fGain(table, row, beta));
    plain("accuracy", roc.accuracy(table, row, 0.5));
    plain("cost-accuracy", roc.accuracy(table, row, cost));
    put("loss", short(loss, 3), loss);
    const interval = (part: number, whole: number): string =>
      percents(wilson(part, whole, view.confidence.z), " – ");
    this.level.textContent = `s of ${levelSaid(view.confidence.level)} confidence`;
    this.values.get("interval")!.textContent = table.whole
      ? `precision ${interval(tp, tp + fp)}, recall ${interval(tp, table.positives)}`
      : "not for weighted or shifted counts";
  }
}
