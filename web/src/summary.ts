/** A small table of the models, which is the legend as well. */

import { button, h, scrolling } from "./dom";
import { bracketed, decimals, percent, short, shortened } from "./format";
import type { Glossary } from "./glossary";
import { chip, LOOKS } from "./looks";
import { AREAS, AUPR, AUPRG, AUROC, type Bracket } from "./measures";
import type { Model } from "./model";
import { namesOf } from "./names";
import { constraintSaid, valueOf } from "./objective";
import { macroSentence, nounOf, rule } from "./sentences";
import * as pr from "./spaces/pr";
import { toggled, type Sorting, type Store } from "./state";
import { countsAt } from "./table";
import { belowChance, tooFewScores } from "./verdict/caveats";
import { thresholdAt, type ModelView, type View, type Views } from "./view";

/** Longer names are cut in the table, which has them whole under the pointer. */
const LETTERS = 60;

export class Summary {
  readonly element: HTMLElement;
  private readonly body = h("tbody");
  private readonly nameHead = h("span");
  private readonly caption = h("caption.offscreen");
  private readonly macro = h("p.macro");
  private readonly bestHead = h("span");
  private readonly valueHead = h("span");
  private readonly note = h("p.note");
  /** Measures that Python computed and the page does not have. */
  private readonly more: readonly string[];
  private boxes: HTMLInputElement[] = [];
  private names: HTMLButtonElement[] = [];
  /** The models that were hidden before one was shown alone. */
  private before: ReadonlySet<number> = new Set();
  private readonly heads: SortedHeads;
  private forward: ReadonlySet<number> = new Set();

  constructor(
    private readonly store: Store,
    private readonly views: Views,
    glossary: Glossary,
    models: readonly Model[],
    /** Whether a verdict stands above the table. */
    private readonly hasVerdict: boolean,
  ) {
    this.more = [...new Set(models.flatMap(({ areas }) => [...areas.keys()]))].filter(
      (measure) => !(measure in AREAS),
    );
    this.heads = new SortedHeads(store);
    const head = (column: string, text: HTMLElement | string = column): HTMLElement =>
      this.heads.head(column, column, text);
    this.element = h(
      "section.summary",
      { "aria-label": "Summary" },
      searchBox(store, models),
      scrolling(
        "Models",
        models.length > LOOKS,
        this.caption,
        h(
          "thead",
          h(
            "tr",
            this.heads.head("name", "name", this.nameHead, "rising"),
            ...([AUROC, AUPR, AUPRG] as const).map((name) => head(name, glossary.term(name))),
            ...this.more.map((measure) => head(measure)),
            this.heads.head("best", "best threshold", this.bestHead),
            head("precision", glossary.term("precision")),
            head("recall", glossary.term("recall")),
            this.heads.head("f", "F or cost", this.valueHead),
          ),
        ),
        this.body,
      ),
      this.macro,
      this.note,
    );
  }

  draw(view: View): void {
    const isTuned = view.models.some(({ model }) => model.tuning);
    const best = view.judged ? "chosen" : "best";
    const chosen = isTuned ? "chosen on the tuning data" : best;
    this.bestHead.textContent = `${chosen} ${forSaid(view)}`;
    this.valueHead.textContent = view.objective.costs ? "cost per 1,000" : "F";
    this.nameHead.textContent = nounOf(view);
    this.caption.textContent = `The ${nounOf(view, true)}, their areas and their ${best} thresholds`;
    this.macro.textContent = macroSentence(view, this.views);
    // Moving an element takes the focus from it.
    const focused = document.activeElement;
    // The boxes stay, so that the focus does; everything else is written anew.
    if (!this.boxes.length) {
      this.boxes = view.models.map((one) => this.box(one));
      this.names = view.models.map((one) => this.name(one));
    }
    const highest = this.highest(view);
    // Of many models, those with a colour stand at the top.
    const isGrey = ({ place }: ModelView): number => Number(!view.looks.has(place));
    const ordered = [...view.models].sort((one, two) => isGrey(one) - isGrey(two));
    const sorted = this.heads.sorted(ordered, (one, column) => this.value(one, column, view));
    const rows = sorted.map((one) => this.row(one, view, highest));
    this.body.replaceChildren(...rows);
    const stays: readonly (Element | null)[] = [...this.boxes, ...this.names];
    if (stays.includes(focused)) (focused as HTMLElement).focus({ preventScroll: true });
    const { forward } = view.settings;
    if (forward !== this.forward) this.scrollTo([...(this.forward = forward)][0]);
    const said = [...notes(view), ...this.caveats(view)].join(" ");
    this.note.replaceChildren(...namesOf(view.models).in(said));
  }

  /** What to beware of in models of which no verdict says it: a verdict does of the best one. */
  private caveats(view: View): string[] {
    const isSaid = ({ place }: ModelView): boolean =>
      this.hasVerdict && (view.classes || place === view.leader);
    return view.shown
      .filter((one) => !isSaid(one))
      .flatMap((one) =>
        caveatsOf(one).map((said) => `${one.model.name}: ${said}${said.endsWith("?") ? "" : "."}`),
      );
  }

  private box(one: ModelView): HTMLInputElement {
    const onchange = (): void =>
      this.store.set({ hidden: toggled(this.store.settings.hidden, one.place) });
    return h("input", { type: "checkbox", "aria-label": `Show ${one.model.name}`, onchange });
  }

  /** The name, which shows its model alone. */
  private name(one: ModelView): HTMLButtonElement {
    const act = (): void => this.isolate(one.place);
    return button(shortened(one.model.name, LETTERS), act, { class: "name-button" });
  }

  private isAlone(place: number): boolean {
    const { hidden } = this.store.settings;
    const { length } = this.names;
    return length > 1 && hidden.size === length - 1 && !hidden.has(place);
  }

  /** Shows one model alone, and afterwards the models that were shown before. */
  private isolate(place: number): void {
    const { hidden } = this.store.settings;
    const others = new Set(this.names.keys());
    others.delete(place);
    if (!this.isAlone(place)) {
      this.before = hidden;
      this.store.set({ hidden: others, hovered: null });
      return;
    }
    // A model that was alone all along has nothing to go back to.
    const back = this.before.size === others.size ? new Set<number>() : this.before;
    this.store.set({ hidden: back, hovered: null });
  }

  /** Brings the row of a model into the window of the table. */
  private scrollTo(place: number | undefined): void {
    const row = place === undefined ? null : this.names[place]?.closest("tr");
    const frame = row?.closest<HTMLElement>(".scroll");
    if (row && frame) frame.scrollTop = row.offsetTop - frame.clientHeight / 2;
  }

  private row(one: ModelView, view: View, highest: ReadonlyMap<string, Highest>): HTMLElement {
    const best = view.best.get(one.place);
    // A model that is hidden is out of the contest.
    const stands = !view.settings.hidden.has(one.place);
    this.boxes[one.place]!.checked = stands;
    const cells = this.numbers(one, view).map(({ name, text, bracket: [, hi] }) => {
      const top = highest.get(name);
      // Of two numbers that are printed alike, both stand out.
      const isTop = stands && top !== undefined && (hi >= top.value || text === top.text);
      return h("td", { "data-value": name, class: isTop ? "highest" : "" }, text);
    });
    const alone = this.isAlone(one.place);
    const name = this.names[one.place]!;
    name.setAttribute("aria-pressed", String(alone));
    name.title = alone ? "Show the other models again" : "Show this model alone";
    const where = best === undefined ? "–" : rule(one, best, view);
    cells.splice(-3, 0, h("td", { "data-value": "best" }, where));
    return h(
      "tr",
      {
        class: !stands
          ? "hidden-model"
          : !view.classes && one.place === view.leader && best !== undefined
            ? "leader"
            : "",
      },
      h(
        "th",
        {
          scope: "row",
          title: `${one.model.name}: ${one.table.tp.length} of ${one.model.rows} rows`,
        },
        h("div.named", this.boxes[one.place]!, chip(view.looks.get(one.place)), name),
      ),
      ...cells,
    );
  }

  /** The areas of a model; and precision, recall and F of its best row. */
  private numbers(one: ModelView, view: View): Numbers[] {
    const { settings } = view;
    const area = (name: string, bracket: Bracket): Numbers => ({
      name,
      text: bracketed(bracket),
      bracket,
    });
    // A row that there is not has values that are not defined.
    const row = view.best.get(one.place) ?? -1;
    const ofBest = (name: string, value: number, text: (value: number) => string): Numbers => ({
      name,
      text: text(value),
      bracket: [value, value],
    });
    const cost = 1000 * valueOf(view.objective, countsAt(one.table, row));
    return [
      area(AUROC, this.views.area(one, AUROC, settings)),
      area(AUPR, this.views.prArea(one, settings)),
      area(AUPRG, this.views.area(one, AUPRG, settings)),
      ...this.more.map((measure) => area(measure, this.views.givenArea(one, measure, settings))),
      ofBest("precision", pr.y(one.table, row), percent),
      ofBest("recall", pr.x(one.table, row), percent),
      view.objective.costs
        ? // The lowest cost is the one that stands out.
          { name: "f", text: short(cost, 4), bracket: [-cost, -cost] }
        : ofBest("f", pr.f(one.table, row, settings.beta), decimals),
    ];
  }

  /** What a row is sorted by. */
  private value(one: ModelView, column: string, view: View): number | string {
    if (column === "name") return one.model.name;
    const best = view.best.get(one.place);
    if (column === "best") return best === undefined ? NaN : thresholdAt(one, best);
    const [lo, hi] = this.numbers(one, view).find(({ name }) => name === column)!.bracket;
    return (lo + hi) / 2;
  }

  /** What a number of each column must reach to be the highest of the models shown, or to tie. */
  private highest(view: View): Map<string, Highest> {
    const highest = new Map<string, Highest>();
    // Of one model nothing stands out, and classes are no rivals.
    if (view.classes || view.shown.length < 2) return highest;
    for (const one of view.shown)
      for (const { name, text, bracket } of this.numbers(one, view))
        // An area that is not defined is not the highest.
        if (bracket[0] >= (highest.get(name)?.value ?? -Infinity))
          highest.set(name, { value: bracket[0], text });
    return highest;
  }
}

/** What the best thresholds are best for. */
function forSaid({ objective, settings }: View): string {
  const { costs, constraint } = objective;
  if (constraint) return `with ${constraintSaid(constraint)}`;
  if (!costs) return `for β = ${short(settings.beta, 3)}`;
  return `for costs of ${short(costs[0])} and ${short(costs[1])}`;
}

/** The highest number of a column, and how it is printed. */
type Highest = { readonly value: number; readonly text: string };

/** What to beware of in a table. */
function caveatsOf({ model }: ModelView): string[] {
  const { thresholds, positives, negatives, labels } = model.table;
  const [area] = model.areas.get(AUROC) ?? [NaN];
  const said = belowChance(area, positives, negatives);
  if (said.length || labels || !model.complete || Number.isNaN(thresholds[1])) return said;
  // The first row is the rule that flags nothing.
  return tooFewScores(model.rows - 1);
}

/** A number of the table: its column, how it is printed, and its limits. */
interface Numbers {
  readonly name: string;
  readonly text: string;
  readonly bracket: Bracket;
}

/** What a reader should know about how exact the page is. */
function notes(view: View): string[] {
  const said: string[] = [];
  const names = (some: readonly ModelView[]): string =>
    some.map((one) => one.model.name).join(", ");
  if (view.shown.some(({ model }) => model.tuning))
    said.push(
      "Thresholds are chosen on the tuning data; areas, curves and counts are those of these rows.",
    );
  const thinned = view.shown.filter(({ complete }) => !complete);
  const moved = view.settings.otherClass || view.settings.prevalence !== null;
  if (thinned.length)
    said.push(
      `${names(thinned)}: drawn from fewer rows than there are scores, to within half a pixel; ` +
        `best thresholds are exact, areas ${moved ? "are given with their limits" : "are those of all rows"}.`,
    );
  if (thinned.length && view.objective.constraint && !view.judged)
    said.push(
      "Under a constraint the table has the best of the rows drawn here; the answer above it, " +
        "where it is a verdict, is that of all rows.",
    );
  const bare = view.shown.filter(({ model }) => model.bands.some(({ x }) => !x.length));
  if (bare.length)
    said.push(
      `${names(bare)}: confidence bands are missing where too few rows decide about the curves.`,
    );
  const rounded = view.shown.filter(({ model }) => model.rounded);
  if (rounded.length)
    said.push(`${names(rounded)}: thresholds beyond 2**53 are rounded on this page.`);
  return said;
}

/** A box that gives a colour to the models whose names contain its text; null for few models. */
export function searchBox(store: Store, models: readonly Model[]): HTMLElement | null {
  if (models.length <= LOOKS) return null;
  const said = h("span", { role: "status" });
  const box = h("input", { type: "search", "aria-label": "Search the names of the models" });
  const usual = `The best ${LOOKS} of ${models.length} models have colours; the rest is grey.`;
  said.textContent = usual;
  box.addEventListener("input", () => {
    const text = box.value.trim().toLowerCase();
    const forward = models
      .map(({ name }, place) => (name.toLowerCase().includes(text) ? place : -1))
      .filter((place) => text && place >= 0);
    store.set({ forward: new Set(forward.slice(0, LOOKS)) });
    said.textContent = text ? foundSaid(forward.length, models.length) : usual;
  });
  return h("p.search", h("label", "Find a model ", box), said);
}

function foundSaid(found: number, models: number): string {
  if (!found) return `None of ${models} names contains this.`;
  const names = found === 1 ? "1 name contains" : `${found} names contain`;
  if (found <= LOOKS) return `${names} this, and ${found === 1 ? "has" : "have"} a colour now.`;
  return `${names} this; the first ${LOOKS} have a colour now.`;
}

export class SortedHeads {
  private readonly heads = new Map<string, HTMLElement>();
  /** Columns that are first sorted from the lowest up, as names are. */
  private readonly rising = new Set<string>();

  constructor(private readonly store: Store) {}

  /** The head of a column; `said` names it for screen readers. */
  head(
    column: string,
    said: string,
    content: HTMLElement | string,
    first: "falling" | "rising" = "falling",
  ): HTMLElement {
    if (first === "rising") this.rising.add(column);
    const button = h("button", { type: "button", class: "sort", "aria-label": `Sort by ${said}` });
    const head = h("th", { scope: "col" }, content, button);
    head.addEventListener("click", ({ target }) => {
      // A word that explains itself does nothing else.
      if (target === head || target === button) this.turn(column);
    });
    this.heads.set(column, head);
    return head;
  }

  /** From one order to the other, and then back to that of the report. */
  private turn(column: string): void {
    const { sorting } = this.store.settings;
    const first = !this.rising.has(column);
    const isHere = sorting?.column === column;
    const next: Sorting | null = !isHere
      ? { column, falling: first }
      : sorting.falling === first
        ? { column, falling: !first }
        : null;
    this.store.set({ sorting: next });
  }

  /** Rows in the order that is set; those without a value last. */
  sorted<Row>(rows: readonly Row[], value: (row: Row, column: string) => number | string): Row[] {
    const { sorting } = this.store.settings;
    for (const [column, head] of this.heads)
      if (sorting?.column === column)
        head.setAttribute("aria-sort", sorting.falling ? "descending" : "ascending");
      else head.removeAttribute("aria-sort");
    if (!sorting || !this.heads.has(sorting.column)) return [...rows];
    const { column, falling } = sorting;
    const valued = rows.map((row) => ({ row, key: value(row, column) }));
    return valued.sort((one, two) => compared(one.key, two.key, falling)).map(({ row }) => row);
  }
}

function compared(one: number | string, two: number | string, falling: boolean): number {
  const missing = Number(Number.isNaN(one)) - Number(Number.isNaN(two));
  if (missing || Number.isNaN(one)) return missing;
  const order =
    typeof one === "string" || typeof two === "string"
      ? String(one).localeCompare(String(two), "en", { numeric: true })
      : Math.sign(one - two) || 0;
  return falling ? -order : order;
}
