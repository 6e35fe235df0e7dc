/** What matters, the one control for what model and threshold are chosen for; and all others. */

import { nearest } from "./arithmetic";
import { button, choiceBox, h, toggles } from "./dom";
import { counted, fName, general, percent, short } from "./format";
import type { Glossary, Term } from "./glossary";
import { valueOf, type Goal } from "./objective";
import { INTERPOLATIONS } from "./spaces/pr";
import { lambdaOf, type Settings, type Store } from "./state";
import { countsAt, prevalence } from "./table";
import { INDEX_NAMES } from "./tradeoff";
import type { View } from "./view";

const GOALS: readonly (readonly [Goal, string])[] = [
  ["f", "precision and recall"],
  ["money", "money"],
  ["precision", "a precision"],
  ["recall", "a recall"],
  ["alarms", "a false positive rate"],
  ["specificity", "a specificity"],
  ["budget", "a number of alarms"],
];

export class Matters {
  readonly element: HTMLElement;
  private readonly goal: HTMLSelectElement;
  private readonly parts = new Map<Goal, HTMLElement>();
  private readonly beta: Knob;
  private readonly boxes: Record<
    | "missCost"
    | "falseAlarmCost"
    | "minPrecision"
    | "minRecall"
    | "maxFpr"
    | "minSpecificity"
    | "budget"
    | "budgetItems",
    NumberBox
  >;
  private readonly weighed = h("span.said");
  private readonly perThousand = h("span.said");
  private readonly ofRows = h("span.said");

  /**
   * `given` names an objective that only Python can ask for; the slider stops at the β of `stored`,
   * if there are any, for which Python stored verdicts.
   */
  constructor(store: Store, glossary: Glossary, given: string | null, stored: readonly number[]) {
    const set = (patch: Partial<Settings>): void =>
      store.set({ hovered: null, chosen: null, ...patch });
    const box = (
      name: keyof Matters["boxes"],
      label: string,
      limits: { min: number; max?: number; above?: boolean },
    ): NumberBox =>
      numberBox(label, limits, (value) => {
        const next: Settings = { ...store.settings, [name]: value };
        // Both costs cannot be 0: then nothing matters.
        if (next.missCost + next.falseAlarmCost > 0 || !/Cost$/.test(name)) set({ [name]: value });
      });
    const goals = given === null ? GOALS : [...GOALS, ["given", given] as const];
    this.goal = choiceBox(goals, (goal) => set({ goal }), { "aria-label": "What matters" });
    const steps = stored.length > 1 ? stored : null;
    const stops = `The slider stops at ${stored.length} β whose verdicts are stored.`;
    this.beta = knob("Precision or recall", steps ? [0, steps.length - 1, 1] : [-1, 1, 0.01], {
      from: steps ? (beta) => placeOf(steps, beta) : Math.log10,
      to: steps ? (place) => steps[place]! : (place) => rounded(10 ** place),
      min: 0,
      change: (beta) => set({ beta }),
      number: "β",
    });
    const cost = { min: 0, max: 1e12 };
    this.boxes = {
      missCost: box("missCost", "A miss costs", cost),
      falseAlarmCost: box("falseAlarmCost", "A false alarm costs", cost),
      minPrecision: box("minPrecision", "Precision at least", { min: 0, max: 1 }),
      minRecall: box("minRecall", "Recall at least", { min: 0, max: 1 }),
      maxFpr: box("maxFpr", "False positive rate at most", { min: 0, max: 1 }),
      minSpecificity: box("minSpecificity", "Specificity at least", { min: 0, max: 1 }),
      budget: box("budget", "Alarms at most", { min: 0, max: 1e15 }),
      budgetItems: box("budgetItems", "Items", { min: 0, max: 1e15, above: true }),
    };
    const { boxes } = this;
    const own = button("these rows", () => set({ budgetItems: null }), { class: "small" });
    const part = (goal: Goal, ...content: (HTMLElement | string)[]): HTMLElement => {
      const words = content.map((each) => (typeof each === "string" ? h("span", each) : each));
      const element = h("span.part", ...words);
      this.parts.set(goal, element);
      return element;
    };
    this.element = h(
      "section.matters",
      { "aria-label": "The objective" },
      h("span.name", "What matters:"),
      this.goal,
      part(
        "f",
        "precision",
        this.beta.slider,
        "recall",
        h("span.unit", glossary.term("β"), this.beta.number),
        this.weighed,
        ...(steps ? [h("span.said", stops)] : []),
      ),
      part(
        "money",
        "a miss costs",
        boxes.missCost.box,
        "and a false alarm",
        boxes.falseAlarmCost.box,
        this.perThousand,
      ),
      part("precision", "at least", boxes.minPrecision.box),
      part("recall", "at least", boxes.minRecall.box),
      part("alarms", "at most", boxes.maxFpr.box),
      part("specificity", "at least", boxes.minSpecificity.box),
      part(
        "budget",
        "at most",
        boxes.budget.box,
        "alarms in",
        boxes.budgetItems.box,
        "items, such as a day's, or in",
        own,
        this.ofRows,
      ),
    );
  }

  draw(view: View): void {
    const { settings } = view;
    this.goal.value = settings.goal;
    for (const [goal, element] of this.parts) element.hidden = goal !== settings.goal;
    this.beta.show(settings.beta);
    this.beta.slider.setAttribute("aria-valuetext", weighedSaid(settings.beta));
    this.weighed.textContent = weighedSaid(settings.beta);
    for (const [name, { show }] of Object.entries(this.boxes) as [
      keyof Matters["boxes"],
      NumberBox,
    ][])
      show(settings[name] ?? view.items);
    this.ofRows.textContent =
      settings.budgetItems === null
        ? ""
        : `That is ${short((100 * settings.budget) / settings.budgetItems, 3)}% of all items.`;
    const row = view.best.get(view.leader);
    this.perThousand.textContent = "";
    if (settings.goal !== "money" || row === undefined) return;
    const cost = valueOf(view.objective, countsAt(view.models[view.leader]!.table, row));
    const said = counted(Number(general(1000 * cost, 4)));
    this.perThousand.textContent = `On these rows the ${view.judged ? "chosen" : "best"} rule costs ${said} per 1,000 items.`;
  }
}

/** The place of the β whose weight of recall is nearest. */
function placeOf(betas: readonly number[], beta: number): number {
  return nearest(betas.length, (place) => Math.abs(lambdaOf(betas[place]!) - lambdaOf(beta)));
}

/** What a β means, in words. */
function weighedSaid(beta: number): string {
  if (beta === 1) return "F1: both count the same";
  if (beta === 0) return "precision alone counts";
  if (beta === Infinity) return "recall alone counts";
  const [more, times] = beta > 1 ? ["recall", beta] : ["precision", 1 / beta];
  return `${fName(beta)}: ${more} counts ${short(times, 3)} times as much`;
}

type Toggle = "curve" | "hull" | "isolines" | "baselines" | "unachievable" | "bands";

const LOGIT_END = 4;

export class Controls {
  readonly element: HTMLElement;
  private readonly prevalence: Knob;
  private readonly index: HTMLSelectElement;
  private readonly interpolation: HTMLSelectElement;
  private readonly interest: HTMLSelectElement;
  private readonly own: HTMLButtonElement;
  private readonly toggles = new Map<Toggle, HTMLInputElement>();

  constructor(
    private readonly store: Store,
    private readonly glossary: Glossary,
    hasBands: boolean,
  ) {
    const set = (patch: Partial<Settings>): void => store.set({ hovered: null, ...patch });
    // Evenly spaced on the scale of odds, so that rare classes can be set as well.
    this.prevalence = knob("Prevalence", [-LOGIT_END, LOGIT_END, 0.02], {
      from: (share) => Math.log10(share / (1 - share)),
      to: (place) => rounded(1 / (1 + 10 ** -place)),
      min: 1e-9,
      max: 1 - 1e-9,
      change: (share) => set({ prevalence: share }),
    });
    this.own = button("Reset", () => set({ prevalence: null }), {
      class: "small",
      "aria-label": "Reset the prevalence to that of the data",
    });
    this.index = choice("index", INDEX_NAMES, (index) => set({ index }));
    this.interpolation = choice("PR interpolation", INTERPOLATIONS, (interpolation) =>
      set({ interpolation }),
    );
    this.interest = choice("class of interest", ["positives", "negatives"], (name) =>
      this.turn(name === "negatives"),
    );
    const { slider, number } = this.prevalence;
    this.element = h(
      "form.controls",
      { "aria-label": "Controls", onsubmit: (event) => event.preventDefault() },
      this.field("index", "index", this.index),
      this.field("prevalence", "prevalence", slider, number, this.own),
      this.field("class of interest", "class of interest", this.interest),
      this.field("interpolation", "PR interpolation", this.interpolation),
      this.shown(hasBands),
    );
  }

  private turn(otherClass: boolean): void {
    const { settings } = this.store;
    if (otherClass === settings.otherClass) return;
    const { prevalence: share } = settings;
    // The prevalence of one class is 1 minus that of the other.
    this.store.set({
      otherClass,
      chosen: null,
      hovered: null,
      prevalence: share === null ? null : 1 - share,
    });
  }

  private field(term: Term, label: string, ...content: readonly HTMLElement[]): HTMLElement {
    const name = h("span.name", this.glossary.term(term, label));
    return h("div.field", name, ...content);
  }

  private shown(hasBands: boolean): HTMLElement {
    const names: [Toggle, string, Term | null][] = [
      ["curve", "curves", null],
      ["hull", "hulls", "hull"],
      ["isolines", "isolines", "isoline"],
      ["baselines", "baselines", "baseline"],
      ["unachievable", "unachievable region", "unachievable region"],
    ];
    if (hasBands) names.push(["bands", "confidence bands", "confidence band"]);
    const items = names.map(([name, label, term]) => {
      const box = h("input", { type: "checkbox", "aria-label": `Show ${label}` });
      box.addEventListener("change", () => this.store.set({ [name]: box.checked }));
      this.toggles.set(name, box);
      const said = term ? this.glossary.term(term, label) : h("span", label);
      return h("span.toggle", box, said);
    });
    return toggles("toggles", "Show", items);
  }

  draw(view: View): void {
    const { settings } = view;
    const first = view.shown[0] ?? view.models[0];
    if (first) this.prevalence.show(settings.prevalence ?? prevalence(first.table));
    this.own.disabled = settings.prevalence === null;
    this.index.value = settings.index;
    this.interpolation.value = settings.interpolation;
    this.interest.value = settings.otherClass ? "negatives" : "positives";
    for (const [name, box] of this.toggles) box.checked = settings[name];
    this.prevalence.slider.setAttribute(
      "aria-valuetext",
      settings.prevalence === null ? "as in the data" : percent(settings.prevalence),
    );
  }
}

function choice<Name extends string>(
  label: string,
  names: readonly Name[],
  change: (name: Name) => void,
): HTMLSelectElement {
  const options = names.map((name) => [name, name] as const);
  return choiceBox(options, change, { "aria-label": label });
}

type NumberBox = ReturnType<typeof numberBox>;
type Knob = ReturnType<typeof knob>;

/** A box for a number, and what shows another number in it. */
function numberBox(
  label: string,
  limits: { min: number; max?: number; above?: boolean },
  change: (value: number) => void,
) {
  const { min, max } = limits;
  const box = h("input", { type: "number", step: "any", min, max, "aria-label": label });
  box.addEventListener("change", () => {
    const value = box.valueAsNumber;
    const low = limits.above ? value > min : value >= min;
    if (low && value <= (max ?? 1e9)) change(value);
    else box.reportValidity();
  });
  let current = "";
  // What was not accepted must not look as if it were.
  box.addEventListener("blur", () => (box.value = current));
  return {
    box,
    show(value: number): void {
      // A box for numbers holds none that is infinite.
      current = Number.isFinite(value) ? String(rounded(value)) : "";
      box.placeholder = current ? "" : short(value);
      if (document.activeElement !== box) box.value = current;
    },
  };
}

/** A number as boxes show it. */
function rounded(value: number): number {
  return Number(value.toPrecision(4));
}

/** A number that a reader can set by a slider, and as a number. */
function knob(
  label: string,
  [min, max, step]: readonly [number, number, number],
  scale: {
    from: (value: number) => number;
    to: (place: number) => number;
    min: number;
    max?: number;
    change: (value: number) => void;
    /** What the number is called in its box. */
    number?: string;
  },
) {
  const slider = h("input", { type: "range", min, max, step, "aria-label": label });
  const number = numberBox(`${scale.number ?? label}, as a number`, scale, scale.change);
  slider.addEventListener("input", () => scale.change(scale.to(slider.valueAsNumber)));
  return {
    slider,
    number: number.box,
    show(value: number): void {
      // The logarithm of a β of 0 is infinite, which a slider takes for its middle.
      slider.value = String(Math.min(Math.max(scale.from(value), min), max));
      slider.setAttribute("aria-valuetext", short(value, 4));
      number.show(value);
    },
  };
}
