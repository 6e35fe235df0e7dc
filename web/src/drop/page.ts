/** The start page: drop a file, say which column is what, and look. */

import source from "bundled:./worker";

import { freshId, h } from "../dom";
import { counted } from "../format";
import type { ReportData } from "../model";
import type { Source } from "../snippet";
import type { Peek } from "./columns";
import { distinct, guess, type Layout } from "./layout";
import type { Answer, Ask } from "./messages";

const MOST_LABELS = 20;

export class DropPage {
  readonly element: HTMLElement;
  private readonly form = h("form", { class: "columns", hidden: true });
  private readonly status = h("p", { class: "status", role: "status" });
  private readonly problem = h("p", { class: "problem", role: "alert" });
  private readonly input = h("input", {
    type: "file",
    accept: ".csv,.tsv,.txt,.parquet,.pq",
    class: "offscreen",
    "aria-label": "A CSV or Parquet file",
  });
  private worker: Worker | null = null;
  private file: File | null = null;

  constructor(private readonly found: (report: ReportData, source: Source) => void) {
    const button = h(
      "button",
      { type: "button", class: "primary", onclick: () => this.input.click() },
      "Choose a file",
    );
    this.element = h(
      "section",
      { class: "drop", "aria-label": "Open a file" },
      h("h2", {}, "Drop a file of predictions"),
      h(
        "p",
        {},
        "CSV or Parquet, one row for each item: a label, and a score of each model. It is read here, in this browser, and sent nowhere.",
      ),
      h("p", {}, button, this.input),
      this.status,
      this.problem,
      this.form,
    );
    this.input.addEventListener("change", () => {
      const file = this.input.files?.[0];
      if (file) this.open(file);
      this.input.value = "";
    });
    this.form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.read();
    });
  }

  /** Takes files that are dropped anywhere on an element. */
  listen(target: HTMLElement): void {
    target.addEventListener("dragover", (event) => {
      event.preventDefault();
      target.classList.add("dropping");
    });
    target.addEventListener("dragleave", (event) => {
      if (event.target === target || !target.contains(event.relatedTarget as Node | null))
        target.classList.remove("dropping");
    });
    target.addEventListener("drop", (event) => {
      event.preventDefault();
      target.classList.remove("dropping");
      const file = event.dataTransfer?.files[0];
      if (file) this.open(file);
    });
  }

  open(file: File): void {
    this.file = file;
    this.form.hidden = true;
    this.element.closest("details")?.setAttribute("open", "");
    this.element.scrollIntoView({ block: "nearest" });
    this.say(`Looking at ${file.name} …`);
    this.ask({ kind: "peek", file });
  }

  private say(status: string, problem = ""): void {
    this.status.textContent = status;
    this.problem.textContent = problem;
  }

  private ask(ask: Ask): void {
    this.worker?.terminate();
    const address = URL.createObjectURL(new Blob([source], { type: "text/javascript" }));
    this.worker = new Worker(address);
    URL.revokeObjectURL(address);
    this.worker.addEventListener("message", (event: MessageEvent<Answer>) =>
      this.answered(event.data, ask),
    );
    this.worker.addEventListener("error", (event) =>
      this.say("", `The file cannot be read: ${event.message}`),
    );
    this.worker.postMessage(ask);
  }

  private answered(answer: Answer, ask: Ask): void {
    switch (answer.kind) {
      case "columns":
        this.say(`${ask.file.name} has ${answer.columns.length} columns. Which is what?`);
        this.choose(answer.columns);
        break;
      case "progress":
        this.say(`${counted(answer.rows)} rows read …`);
        break;
      case "report":
        this.say("");
        this.form.hidden = true;
        if (ask.kind === "read")
          this.found(answer.report, { file: ask.file.name, layout: ask.layout });
        break;
      case "error":
        this.say(
          "",
          answer.expected ? answer.message : `The file cannot be read: ${answer.message}`,
        );
        break;
    }
  }

  private choose(columns: readonly Peek[]): void {
    const guessed = guess(columns);
    const names = columns.map(({ name }) => name);
    const label = picker("label", "Label", names, guessed?.label ?? names[0]!);
    const positive = h("div");
    const boxes = columns.map(({ name }) => {
      const box = h("input", { type: "checkbox", name: "score", value: name });
      box.checked = guessed?.scores.includes(name) ?? false;
      return box;
    });
    const refresh = (): void => {
      for (const box of boxes) {
        // The label is no score of itself.
        box.disabled = box.value === label.box.value;
        box.parentElement!.hidden = box.disabled;
      }
      const peek = columns.find(({ name }) => name === label.box.value)!;
      const chosen = peek.name === guessed?.label ? guessed.positive : null;
      const known = distinct(peek).slice(0, MOST_LABELS);
      positive.replaceChildren(
        picker("positive", "Positive label", known, chosen, "1 or true").element,
      );
    };
    const scores = h("fieldset", {}, h("legend", {}, "Scores, one column for each model"));
    for (const box of boxes)
      scores.append(h("label", { class: "check" }, box, h("span", {}, box.value)));
    label.box.addEventListener("change", refresh);
    refresh();
    this.form.replaceChildren(
      label.element,
      positive,
      scores,
      picker("model", "Column that names the model", names, guessed?.model ?? null, "none").element,
      picker("weight", "Weight", names, guessed?.weight ?? null, "none").element,
      h("button", { type: "submit", class: "primary" }, "Show"),
    );
    this.form.hidden = false;
    this.form.querySelector<HTMLElement>("select")?.focus();
  }

  private read(): void {
    const data = new FormData(this.form);
    const optional = (name: string): string | null => {
      const box = this.form.elements.namedItem(name) as HTMLSelectElement;
      return box.selectedOptions[0]?.dataset["none"] === undefined ? box.value : null;
    };
    const scores = data.getAll("score").map(String);
    const model = optional("model");
    if (!scores.length || (model !== null && scores.length > 1)) {
      this.say(
        "",
        scores.length
          ? `the column '${model}' names the model of a row, so one column must hold the scores`
          : "no column of scores is chosen; choose at least one",
      );
      return;
    }
    const layout: Layout = {
      label: String(data.get("label")),
      scores,
      model,
      weight: optional("weight"),
      positive: optional("positive"),
    };
    this.say("Reading …");
    this.ask({ kind: "read", file: this.file!, layout });
  }
}

function picker(
  name: string,
  label: string,
  options: readonly string[],
  chosen: string | null,
  none?: string,
): { element: HTMLElement; box: HTMLSelectElement } {
  const id = freshId(name);
  const box = h("select", { name, id });
  if (none !== undefined) box.append(h("option", { value: "", "data-none": true }, none));
  for (const option of options)
    box.append(h("option", { value: option, selected: option === chosen }, option));
  return { element: h("p", {}, h("label", { for: id }, label), box), box };
}
