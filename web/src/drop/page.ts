/** The start page: drop a file, say which column is what, and look. */

import source from "packed:./worker";

import type { Source } from "../commands";
import { button, freshId, h } from "../dom";
import { counted } from "../format";
import type { ReportData } from "../model";
import { startWorker } from "../packing";
import type { Peek } from "./columns";
import { PLAIN, type CsvFormat } from "./csv";
import { areTruthWords, distinct, guess, isPositiveWord, type Guess } from "./layout";
import { InputError } from "./problems";
import type { Answer, Ask } from "./worker";

const MOST_LABELS = 20;

export class DropPage {
  readonly element: HTMLElement;
  private readonly form = h("form.columns", { hidden: true });
  private readonly status = h("p.status", { role: "status" });
  private readonly problem = h("p.problem", { role: "alert" });
  private readonly input = h("input", {
    type: "file",
    accept: ".csv,.tsv,.txt,.gz,.zst,.parquet,.pq",
    class: "offscreen",
    "aria-label": "A file of predictions",
  });
  private worker: Worker | null = null;
  private asked: Ask | null = null;
  private file: File | null = null;
  private format: CsvFormat = PLAIN;
  private readonly how: HTMLElement;
  private readonly decimal: HTMLSelectElement;
  private readonly header: HTMLSelectElement;
  private guessed: Guess | null = null;
  private names: readonly string[] = [];

  constructor(private readonly found: (report: ReportData, source: Source) => void) {
    const decimal = picker("decimal", "Decimal mark", [",", "."], null, "a point, as in 1234.5");
    const lines = ["names of columns", "a row"];
    const header = picker("header", "First line", lines, null, "as it looks");
    [this.decimal, this.header] = [decimal.box, header.box];
    this.how = h("div.columns", { hidden: true }, decimal.element, header.element);
    for (const box of [this.decimal, this.header])
      box.addEventListener("change", () => {
        this.format = {
          decimal: (this.decimal.value || null) as CsvFormat["decimal"],
          header: this.header.value ? this.header.value === "names of columns" : null,
        };
        if (this.file) this.peek(this.file);
      });
    this.element = h(
      "section.drop",
      { "aria-label": "Open a file" },
      h("h2", "Drop a file of predictions"),
      h(
        "p",
        "CSV (compressed too) or Parquet, one row for each item: a label, and a score of each model. It is read here, in this browser, and sent nowhere.",
      ),
      h(
        "p",
        button("Choose a file", () => this.input.click(), { class: "primary" }),
        this.input,
      ),
      this.status,
      this.problem,
      this.how,
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
    this.format = PLAIN;
    for (const box of [this.decimal, this.header]) box.value = "";
    this.element.closest("details")?.setAttribute("open", "");
    this.element.scrollIntoView({ block: "nearest" });
    this.peek(file);
  }

  private peek(file: File): void {
    this.form.hidden = true;
    // Binary tables say themselves how they are written.
    this.how.hidden = /\.(parquet|pq)$/i.test(file.name);
    this.say(`Looking at ${file.name} …`);
    void this.ask({ file, format: this.format, read: null });
  }

  private say(status: string, problem = ""): void {
    this.status.textContent = status;
    this.problem.textContent = problem;
  }

  private async ask(ask: Ask): Promise<void> {
    this.worker?.terminate();
    this.asked = ask;
    const worker = await startWorker(source);
    // The reader may have asked for something else meanwhile.
    if (this.asked !== ask) return worker.terminate();
    this.worker = worker;
    worker.addEventListener("message", (event: MessageEvent<Answer>) =>
      this.answered(event.data, ask),
    );
    worker.addEventListener("error", (event) =>
      this.say("", `The file cannot be read: ${event.message}`),
    );
    worker.postMessage(ask);
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
        this.how.hidden = true;
        this.found(answer.report, { ...ask.read!, file: ask.file.name, format: ask.format });
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
    this.guessed = null;
    try {
      this.guessed = guess(columns);
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
      this.say(this.status.textContent!, error.message);
    }
    const { guessed } = this;
    const names = columns.map(({ name }) => name);
    this.names = names;
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
      const known = distinct(peek).slice(0, MOST_LABELS);
      const word = areTruthWords(known) ? known.find(isPositiveWord) : undefined;
      const usual = guessed?.classes && peek.name === guessed.label;
      const none = usual ? "each class by itself" : (word ?? "1 or true");
      positive.replaceChildren(picker("positive", "Positive label", known, null, none).element);
    };
    const scores = h("fieldset", h("legend", "Scores, one column for each model"));
    for (const box of boxes) scores.append(h("label.check", box, h("span", box.value)));
    label.box.addEventListener("change", refresh);
    refresh();
    this.form.replaceChildren(
      label.element,
      positive,
      scores,
      picker("model", "Column that names the model", names, guessed?.model ?? null, "none").element,
      picker("weight", "Weight", names, guessed?.weight ?? null, "none").element,
      picker("group", "Group", names, guessed?.group ?? null, "none").element,
      h(
        "label.check",
        h("input", { type: "checkbox", name: "drop" }),
        h("span", "Leave out rows with missing values"),
      ),
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
    this.say("Reading …");
    const layout = this.layoutOf(String(data.get("label")), scores, model, optional);
    const read = { layout, dropMissing: data.has("drop") };
    void this.ask({ file: this.file!, format: this.format, read });
  }

  /** The layout that was chosen; what is as it was guessed is still a guess. */
  private layoutOf(
    label: string,
    scores: string[],
    model: string | null,
    optional: (name: string) => string | null,
  ): Guess {
    const { guessed } = this;
    const [weight, positive] = [optional("weight"), optional("positive")];
    const group = optional("group");
    const chosen = { label, scores, model, weight, group };
    const isGuess = (role: string): boolean => {
      const [one, two] = [chosen, guessed].map((each) => each?.[role as keyof typeof chosen]);
      return JSON.stringify(one) === JSON.stringify(two);
    };
    const classes =
      guessed?.classes && isGuess("label") && positive === null
        ? scores.map((name) => guessed.classes![guessed.scores.indexOf(name)])
        : null;
    const used = [label, ...scores, model, weight, group];
    return {
      ...chosen,
      positive,
      classes: classes?.every((name) => name !== undefined) ? classes : null,
      guessed: new Map([...(guessed?.guessed ?? [])].filter(([role]) => isGuess(role))),
      unused: this.names.filter((name) => !used.includes(name)),
    };
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
  return { element: h("p", h("label", { for: id }, label), box), box };
}
