/** What matters: one control for what model and threshold are chosen for. */

import { knob, numberBox, rounded, type Knob, type NumberBox } from "./controls";
import { button, choiceBox, h } from "./dom";
import { counted, fName, general, short } from "./format";
import type { Glossary } from "./glossary";
import { valueOf } from "./objective";
import { lambdaOf, type Settings, type Store } from "./state";
import { countsAt } from "./table";
import type { View } from "./view";

type Goal = Settings["goal"];

const GOALS: readonly (readonly [Goal, string])[] = [
  ["f", "precision and recall"],
  ["money", "money"],
  ["precision", "a precision"],
  ["recall", "a recall"],
  ["budget", "a number of alarms"],
];

export class Matters {
  readonly element: HTMLElement;
  private readonly goal: HTMLSelectElement;
  private readonly parts = new Map<Goal, HTMLElement>();
  private readonly beta: Knob;
  private readonly boxes: Record<
    "missCost" | "falseAlarmCost" | "minPrecision" | "minRecall" | "budget" | "budgetItems",
    NumberBox
  >;
  private readonly weighed = h("span", { class: "said" });
  private readonly perThousand = h("span", { class: "said" });
  private readonly ofRows = h("span", { class: "said" });

  /**
   * `given` names an objective that only Python can ask for; the slider stops at the β of `stored`,
   * if there are any, for which Python stored verdicts.
   */
  constructor(
    private readonly store: Store,
    glossary: Glossary,
    given: string | null,
    stored: readonly number[],
  ) {
    const set = (patch: Partial<Settings>): void =>
      store.set({ hovered: null, chosen: null, ...patch });
    const box = (
      name: keyof Matters["boxes"],
      label: string,
      limits: { min: number; max?: number; above?: boolean },
    ): NumberBox => numberBox(label, limits, (value) => set({ [name]: value }));
    const goals = given === null ? GOALS : [...GOALS, ["given", given] as const];
    this.goal = choiceBox(goals, (goal) => set({ goal }), { "aria-label": "What matters" });
    const steps = stored.length > 1 ? stored : null;
    this.beta = knob("Precision or recall", steps ? [0, steps.length - 1, 1] : [-1, 1, 0.01], {
      from: steps ? (beta) => nearest(steps, beta) : Math.log10,
      to: steps ? (place) => steps[place]! : (place) => rounded(10 ** place),
      min: 0,
      change: (beta) => set({ beta }),
      number: "β",
    });
    const cost = { min: 0, max: 1e12 };
    this.boxes = {
      missCost: numberBox("A miss costs", cost, (missCost) => this.setCosts({ missCost })),
      falseAlarmCost: numberBox("A false alarm costs", cost, (falseAlarmCost) =>
        this.setCosts({ falseAlarmCost }),
      ),
      minPrecision: box("minPrecision", "Precision at least", { min: 0, max: 1 }),
      minRecall: box("minRecall", "Recall at least", { min: 0, max: 1 }),
      budget: box("budget", "Alarms at most", { min: 0, max: 1e15 }),
      budgetItems: box("budgetItems", "Items", { min: 0, max: 1e15, above: true }),
    };
    const { boxes } = this;
    const own = button("these rows", () => set({ budgetItems: null }), { class: "small" });
    const part = (goal: Goal, ...content: (HTMLElement | string)[]): HTMLElement => {
      const words = content.map((each) => (typeof each === "string" ? h("span", {}, each) : each));
      const element = h("span", { class: "part" }, ...words);
      this.parts.set(goal, element);
      return element;
    };
    this.element = h(
      "section",
      { class: "matters", "aria-label": "The objective" },
      h("span", { class: "name" }, "What matters:"),
      this.goal,
      part(
        "f",
        "precision",
        this.beta.slider,
        "recall",
        h("span", { class: "unit" }, glossary.term("β"), this.beta.number),
        this.weighed,
        ...(steps ? [h("span", { class: "said" }, storedSaid(steps.length))] : []),
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

  /** Both costs cannot be 0: then nothing matters. */
  private setCosts(patch: Partial<Pick<Settings, "missCost" | "falseAlarmCost">>): void {
    const { missCost, falseAlarmCost } = { ...this.store.settings, ...patch };
    if (missCost + falseAlarmCost > 0)
      this.store.set({ hovered: null, chosen: null, missCost, falseAlarmCost });
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
    this.perThousand.textContent = `On these rows the best rule costs ${said} per 1,000 items.`;
  }
}

const storedSaid = (betas: number): string =>
  `The slider stops at ${betas} β whose verdicts are stored.`;

/** The place of the β whose weight of recall is nearest. */
function nearest(betas: readonly number[], beta: number): number {
  const away = (each: number): number => Math.abs(lambdaOf(each) - lambdaOf(beta));
  return betas.reduce((best, each, place) => (away(each) < away(betas[best]!) ? place : best), 0);
}

/** What a β means, in words. */
function weighedSaid(beta: number): string {
  if (beta === 1) return "F1: both count the same";
  if (beta === 0) return "precision alone counts";
  if (beta === Infinity) return "recall alone counts";
  const [more, times] = beta > 1 ? ["recall", beta] : ["precision", 1 / beta];
  return `${fName(beta)}: ${more} counts ${short(times, 3)} times as much`;
}
