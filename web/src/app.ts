/** The page: its parts, and what is drawn again when something changes. */

import { Card } from "./card";
import { snippetOf, type Source } from "./commands";
import { Controls, Matters } from "./controls";
import { button, copyButton, h, s, save } from "./dom";
import { Glossary } from "./glossary";
import { Groups } from "./groups";
import { headerOf, Help, skipLink, ThemeButton } from "./header";
import { History, type Keeper } from "./history";
import { chipOf } from "./looks";
import { modelsOf, numberOf, USUAL, type Model, type ReportData } from "./model";
import { Board } from "./panels/board";
import { fileName, pointsCsv, thresholdsCsv } from "./saving";
import { INITIAL, Store, type Settings } from "./state";
import { Summary } from "./summary";
import { Thresholds } from "./thresholds";
import { Typed } from "./typed";
import { AnswerPanel, firstSettings, givenObjective } from "./verdict/answer";
import { Views, type View } from "./view";

export interface Surroundings {
  /** A page of its own with some data; null where there is none, as in a notebook. */
  readonly pageWith: ((data: ReportData, settings: string) => string) | null;
  /** Where settings are kept; null where there is no place for them. */
  readonly keeper: Keeper | null;
  /** What stands below the report, such as a place to drop a file. */
  readonly footer: HTMLElement | null;
  /** The file that was counted here. */
  readonly source: Source | null;
  /** Called once the report is drawn, for those who set or follow what the reader sets. */
  readonly connect?: (report: Connection) => void;
}

/** What a reader has set, and what that shows. */
export interface Connection {
  readonly store: Store;
  view(): View;
}

/** Settings that only move the operating point, or that of the groups alone. */
const LIGHT: ReadonlySet<keyof Settings> = new Set([
  "hovered",
  "chosen",
  "preferred",
  "typed",
  "zooms",
  "theme",
  "groupOrder",
  "groupSearch",
]);

/** Ends the listeners of what an element showed before. */
const endings = new WeakMap<HTMLElement, AbortController>();

export function mount(root: HTMLElement, data: ReportData, around: Surroundings): void {
  endings.get(root)?.abort();
  const ending = new AbortController();
  endings.set(root, ending);
  let models: Model[];
  try {
    models = modelsOf(data);
  } catch (error) {
    root.replaceChildren(h("p.problem", { role: "alert" }, (error as Error).message));
    return;
  }
  const glossary = new Glossary();
  const theme = new ThemeButton(root);
  const title = headerOf(data, theme.element);
  if (!models.length) {
    theme.onChoice = (chosen) => theme.show(chosen);
    root.replaceChildren(title, h("main", around.footer), glossary.popover);
    return;
  }
  const report = new Report(models, data, around, glossary, theme);
  const main = h("main", ...report.elements);
  if (around.footer)
    main.append(h("details.more", h("summary", "Open another file"), around.footer));
  if (around.keeper) title.prepend(skipLink(() => main.querySelector<HTMLElement>(".panels")!));
  root.replaceChildren(
    title,
    main,
    h("footer", "Made by isometrics. Nothing on this page is sent anywhere."),
    glossary.popover,
  );
  report.start(around.keeper ? document : root, ending.signal);
}

interface Part {
  draw(view: View): void;
}

class Report {
  readonly elements: readonly HTMLElement[];
  private readonly store = new Store();
  private readonly history: History;
  private readonly help = new Help();
  private readonly views: Views;
  private readonly board: Board;
  private readonly groups: Groups | null;
  /** What a move of the operating point leaves as it is, and what follows it. */
  private readonly parts: Record<"still" | "moving", readonly Part[]>;
  /** What will be drawn before the next frame. */
  private pending: "cursor" | "all" | null = null;

  constructor(
    models: readonly Model[],
    private readonly data: ReportData,
    private readonly around: Surroundings,
    glossary: Glossary,
    private readonly theme: ThemeButton,
  ) {
    const { store } = this;
    const { source, keeper } = around;
    theme.onChoice = (chosen) => store.set({ theme: chosen });
    const verdicts = data.verdicts ?? [];
    const confidence = data.confidence ?? USUAL;
    const isTuned = models.some(({ tuning }) => tuning !== null);
    // A file that was dropped is shown in the theme that was chosen before.
    store.set({ ...firstSettings(verdicts), theme: theme.current });
    if (isTuned) store.set({ panels: new Set([...INITIAL.panels, "promised"]) });
    this.history = new History(store, models, keeper);
    const answer = new AnswerPanel(data, models, confidence, source, () => this.draw("all"));
    const views = (this.views = new Views(models, confidence, data.classes, (settings) =>
      answer.verdictOn(settings),
    ));
    this.board = new Board({ store, views, glossary, report: data.title }, isTuned);
    this.groups = data.groups ? new Groups(data.groups, store, models) : null;
    const [card, typed] = [new Card(store, glossary, source), new Typed(store, glossary, source)];
    const stored = (data.others?.betas ?? []).map(numberOf);
    const matters = new Matters(store, glossary, givenObjective(verdicts), stored);
    const summary = new Summary(store, views, glossary, models, answer.hasVerdict);
    const hasBands = models.some(({ bands }) => bands.length > 0);
    const controls = new Controls(store, glossary, hasBands);
    const thresholds = new Thresholds(store, glossary);
    this.parts = {
      still: [answer, matters, summary, controls],
      moving: [card, typed, thresholds],
    };
    const details = h("aside", { "aria-label": "Details" }, card.element, typed.element);
    this.elements = [
      ...[answer, matters, summary, this.history].map(({ element }) => element),
      this.history.line,
      controls.element,
      this.board.chooser,
      legend(glossary),
      h("div.workspace", this.board.element, details),
      ...(this.groups ? [this.groups.element] : []),
      h("div.lower", thresholds.element, this.board.histogram.element),
      this.exports(),
      h("details.more", h("summary", "Words"), glossary.list()),
      this.help.dialog,
    ];
  }

  start(listened: HTMLElement | Document, end: AbortSignal): void {
    this.history.element.append(this.help.button);
    this.history.listen(listened, end);
    this.help.listen(listened, end);
    this.draw("all");
    this.store.subscribe((_settings, changed) => {
      const light = [...changed].every((name) => LIGHT.has(name));
      if (!this.pending)
        requestAnimationFrame(() => {
          const what = this.pending!;
          this.pending = null;
          this.draw(what);
        });
      if (this.pending !== "all") this.pending = light ? "cursor" : "all";
    });
    this.around.connect?.({ store: this.store, view: () => this.view });
  }

  private get view(): View {
    return this.views.of(this.store.settings);
  }

  private draw(what: "cursor" | "all"): void {
    const { view } = this;
    if (what === "all") for (const part of this.parts.still) part.draw(view);
    this.theme.show(view.settings.theme);
    this.groups?.draw(view.settings);
    this.board.draw(view, what);
    for (const part of this.parts.moving) part.draw(view);
  }

  private exports(): HTMLElement {
    const name = fileName(this.data.title);
    const snippet = (): string => snippetOf(this.view, this.around.source);
    const { pageWith } = this.around;
    return h(
      "section.exports",
      { "aria-label": "Save" },
      h("h2", "Save"),
      h(
        "div.actions",
        button("Points (CSV)", () => save(pointsCsv(this.view), `${name}-points.csv`, "text/csv")),
        button("Thresholds (CSV)", () =>
          save(thresholdsCsv(this.view), `${name}-thresholds.csv`, "text/csv"),
        ),
        pageWith &&
          button("Report (HTML)", () =>
            save(pageWith(this.data, this.history.text()), `${name}-report.html`, "text/html"),
          ),
        button("Python program", () => save(snippet(), `${name}.py`, "text/x-python")),
        copyButton("Copy the Python program", "Copy the Python program of this view", snippet),
        button("Print", () => print()),
      ),
    );
  }
}

/** What the lines and marks of the panels are. */
function legend(glossary: Glossary): HTMLElement {
  const sample = (kind: string, d: string): SVGSVGElement =>
    chipOf("model-4", s("path", { class: kind, d }));
  const [across, dot] = ["M-14,0H14", "M-5,0a5,5 0 1,0 10,0a5,5 0 1,0 -10,0"];
  const items: [string, string, HTMLElement | string][] = [
    ["curve", across, "curve"],
    ["hull", across, glossary.term("hull", "hull (dashed)")],
    ["baseline", across, glossary.term("baseline", "baseline (dotted)")],
    ["isoline", across, glossary.term("isoline", "isoline: equal accuracy, F or F gain")],
    ["best", dot, "best for what matters"],
    ["point", dot, glossary.term("operating point", "the point in hand")],
  ];
  return h("p.legend", ...items.map(([kind, d, text]) => h("span", sample(kind, d), text)));
}
