/** The first answer: which model, which threshold, how sure; with a picture. */

import source from "packed:./worker";

import { commandOf, type Source } from "../commands";
import { h } from "../dom";
import { capitalised, thousands } from "../format";
import {
  modelRows,
  settingsOf,
  type Confidence,
  type Model,
  type OthersData,
  type Picture,
  type ReportData,
  type StoredVerdict,
  type Verdict,
} from "../model";
import { Names } from "../names";
import { inflated, startWorker } from "../packing";
import { headline, onTheseRows } from "../sentences";
import { INITIAL, type Settings } from "../state";
import { tunedAnswer, weightOf } from "../tuned";
import type { View } from "../view";
import type { Rows } from "./contest";
import { pictureHere, pictureOf } from "./picture";
import type { Answer, Ask, Question } from "./worker";

/** What each goal is set by. */
const FIELDS: Record<Settings["goal"], readonly (keyof Settings)[]> = {
  f: ["beta"],
  money: ["missCost", "falseAlarmCost"],
  precision: ["minPrecision"],
  recall: ["minRecall"],
  alarms: ["maxFpr"],
  specificity: ["minSpecificity"],
  budget: ["budget", "budgetItems"],
  given: [],
};

/** Resamples of a verdict that takes its time. */
const RESAMPLES = 2000;

/** The settings with which the page begins: those of its verdict. */
export function firstSettings(verdicts: readonly Verdict[]): Partial<Settings> {
  return verdicts[0] ? settingsOf(verdicts[0]) : {};
}

/** The name of an objective that only Python can ask for. */
export function givenObjective(verdicts: readonly Verdict[]): string | null {
  return verdicts[0]?.settings?.goal === "given" ? verdicts[0].objective : null;
}

export class AnswerPanel {
  readonly element: HTMLElement;
  private readonly sentence = h("div.headline", { "aria-live": "polite" });
  private readonly picture = h("div.pictured");
  private readonly verdicts: readonly Verdict[];
  private readonly level: number;
  private judge: Judge | null = null;
  private readonly answers = new Map<string, Answer>();
  /** What Python says for other settings, by these; null where it is not stored. */
  private stored: ReadonlyMap<string, StoredVerdict> | null = null;
  /** The settings of the question that is not answered yet. */
  private asked = "";
  private view: View | null = null;
  private readonly isTuned: boolean;
  private readonly names: Names;

  constructor(
    private readonly data: ReportData,
    models: readonly Model[],
    confidence: Confidence,
    private readonly source: Source | null,
    /** Called when a verdict is known that was not. */
    private readonly learned: () => void,
  ) {
    this.verdicts = data.verdicts ?? [];
    this.names = new Names(models.map(({ name }) => name));
    this.level = this.verdicts[0]?.level ?? confidence.level;
    this.isTuned = models.some(({ tuning }) => tuning !== null);
    // Classes are no rivals, and each has positives of its own. What is chosen on tuning data is
    // not chosen on these rows.
    const isJudgedElsewhere = this.verdicts.length > 1 || data.classes || this.isTuned;
    const rows = isJudgedElsewhere ? null : modelRows(data, models);
    if (rows)
      this.judge = new Judge(
        rows,
        (answer) => this.told(answer),
        () => {
          // Where no worker may run, the command answers.
          this.judge = null;
          if (this.view) this.draw(this.view);
        },
      );
    else if (data.others) void this.read(data.others);
    this.element = h("section.answer", { "aria-label": "The answer" }, this.sentence, this.picture);
  }

  private async read(others: OthersData): Promise<void> {
    const verdicts = JSON.parse(await inflated(others.verdicts)) as StoredVerdict[];
    this.stored = new Map(
      verdicts.map((verdict) => [this.keyOf({ ...INITIAL, ...settingsOf(verdict) }), verdict]),
    );
    if (this.view) this.learned();
  }

  /** Whether there is a verdict, or will be one. */
  get hasVerdict(): boolean {
    return this.verdicts.length > 0 || this.judge !== null;
  }

  draw(view: View): void {
    this.view = view;
    const given = this.given(view.settings);
    if (given) return this.showGiven(view, given);
    if (!view.shown.length) return this.show(["No model is shown."], null);
    const key = this.keyOf(view.settings);
    const stored = this.stored?.get(key);
    if (stored) {
      const lines = [...stored.lines, ...this.drawnSaid(view, this.data.others!.replicates)];
      return this.show(lines, stored.picture && pictureOf(stored.picture, view, this.level));
    }
    if (this.isTuned && !view.classes)
      return this.show(tunedAnswer(view, this.source), pictureHere(view));
    if (!this.judge || view.settings.otherClass || view.settings.goal === "given")
      return this.show(this.withoutVerdict(view), pictureHere(view));
    const known = this.answers.get(key);
    if (known && "refused" in known) return this.show([capitalised(`${known.refused}.`)], null);
    if (known) return this.show(known.lines, pictureOf(known.picture, view, this.level));
    if (this.asked !== key) this.ask(view, this.judge, key);
    const [first] = onTheseRows(view);
    this.show([first!, "Computing what to expect on new data …"], "keep");
  }

  private ask(view: View, judge: Judge, key: string): void {
    const { settings } = view;
    this.asked = key;
    judge.ask({
      models: view.shown.map(({ place }) => place),
      objective: view.objective,
      // Python may have moved the tables to another prevalence.
      prevalence: settings.prevalence ?? this.data.rows?.prevalence ?? null,
      level: this.level,
    });
  }

  private told(answer: Answer): void {
    this.answers.set(this.asked, answer);
    this.asked = "";
    this.learned();
  }

  /** The models of the verdict on these settings; null where none is known. */
  verdictOn(settings: Settings): Picture | null {
    const given = this.given(settings);
    if (given) return (given.length === 1 && given[0]!.picture) || null;
    const key = this.keyOf(settings);
    const known = this.stored?.get(key) ?? this.answers.get(key);
    return (known && "picture" in known && known.picture) || null;
  }

  private keyOf(settings: Settings): string {
    const { goal, prevalence, otherClass, hidden } = settings;
    const fields = FIELDS[goal].map((name) => settings[name]);
    return JSON.stringify([goal, fields, prevalence, otherClass, [...hidden].sort()]);
  }

  /** The verdict of Python, where it is about these settings. */
  private given(settings: Settings): readonly Verdict[] | null {
    if (!this.verdicts.length) return null;
    const about = this.keyOf({ ...INITIAL, ...firstSettings(this.verdicts) });
    return this.keyOf(settings) === about ? this.verdicts : null;
  }

  private showGiven(view: View, verdicts: readonly Verdict[]): void {
    const [only] = verdicts;
    const { picture, replicates } = only!;
    const isShown = verdicts.length === 1 && view.settings.goal !== "given";
    const given = picture ? pictureOf(picture, view, this.level) : null;
    const pictured = isShown ? (given ?? pictureHere(view)) : null;
    const drawn = this.data.others && replicates ? this.drawnSaid(view, replicates) : [];
    this.show([...headline(view, verdicts), ...drawn], pictured);
  }

  /** Of many rows fewer resamples are drawn, and the command draws more. */
  private drawnSaid(view: View, replicates: number): string[] {
    if (replicates >= RESAMPLES) return [];
    return [
      `From ${thousands(replicates)} resamples; ${commandOf(view, this.source)} draws ` +
        `${thousands(RESAMPLES)}.`,
    ];
  }

  private withoutVerdict(view: View): string[] {
    const said = onTheseRows(view);
    if (view.classes) return said;
    const shares = this.sharesSaid(view);
    if (shares) said.push(shares);
    const isSet = Boolean(view.models[view.leader]?.table.labels);
    const chosen =
      `Model and ${isSet ? "set" : "cut"} were chosen on these rows, so expect less of them on ` +
      "new data";
    if (view.settings.otherClass)
      said.push(
        `${chosen}. How much less, isometrics verdict says for the other class with --pos-label ` +
          "and scores of it.",
      );
    // The command reads scores, and sets have none.
    else if (isSet || view.settings.goal === "given") said.push(`${chosen}.`);
    else
      said.push(
        `${chosen}: ${commandOf(view, this.source)} says how much less, and how sure the choice is.`,
      );
    return said;
  }

  /** How often the leading model wins at the nearest of the weights that Python tried. */
  private sharesSaid(view: View): string | null {
    const shares = this.verdicts.length === 1 ? this.verdicts[0]!.shares : null;
    const { settings, objective } = view;
    if (!shares || objective.constraint || (objective.costs !== null) !== shares.costs) return null;
    if (settings.prevalence !== null || settings.otherClass || settings.hidden.size) return null;
    const place = Math.min(Math.floor(weightOf(view) * shares.wins.length), shares.wins.length - 1);
    const share = shares.wins[place]![view.leader];
    if (share === undefined || share === null) return null;
    const name = view.models[view.leader]!.model.name;
    return `With about this weight of recall, ${name} wins ${(100 * share).toFixed(0)}% of the resamples.`;
  }

  private show(lines: readonly string[], picture: HTMLElement | null | "keep"): void {
    const waits = picture === "keep";
    // While a verdict is computed, what stands below must not jump.
    this.element.style.minHeight = waits ? `${this.element.offsetHeight}px` : "";
    this.element.classList.toggle("waits", waits);
    this.element.setAttribute("aria-busy", String(waits));
    // Classes are no rivals, so none of their sentences stands out.
    const first = this.view?.classes ? lines.length : 1;
    const paragraphs = (some: readonly string[], name: string): HTMLElement[] =>
      some.map((text) => h("p", { class: name }, ...this.names.in(text)));
    this.element.classList.toggle("of-classes", first > 1);
    this.sentence.replaceChildren(
      h("div.lead", ...paragraphs(lines.slice(0, first), "first")),
      h("div.details", ...paragraphs(lines.slice(first), "")),
    );
    if (picture !== "keep") this.picture.replaceChildren(...(picture ? [picture] : []));
  }
}

/** Asks the worker one question at a time, and tells the answer to the last one. */
class Judge {
  private worker: Promise<Worker> | null = null;
  private busy = false;
  private waiting: Question | null = null;

  constructor(
    private readonly rows: Rows,
    private readonly told: (answer: Answer) => void,
    private readonly failed: () => void,
  ) {}

  ask(ask: Question): void {
    if (this.busy) {
      this.waiting = ask;
      return;
    }
    this.busy = true;
    this.worker ??= this.started();
    this.worker.then(
      (worker) => worker.postMessage(ask),
      () => this.failed(),
    );
  }

  private async started(): Promise<Worker> {
    const worker = await startWorker(source);
    worker.addEventListener("message", ({ data }: MessageEvent<Answer>) => {
      this.busy = false;
      if (this.waiting) {
        const next = this.waiting;
        this.waiting = null;
        this.ask(next);
      } else this.told(data);
    });
    worker.addEventListener("error", (event) => {
      event.preventDefault();
      this.failed();
    });
    worker.postMessage(this.rows satisfies Ask);
    return worker;
  }
}
