/** The controls: β and λ, index, cost, prevalence, class, and what is drawn. */

import { freshId, h } from "./dom";
import { percent, short } from "./format";
import type { Glossary, Term } from "./glossary";
import { INDEX_NAMES, type IndexName } from "./indices";
import { INTERPOLATIONS, type Interpolation } from "./spaces/pr";
import { betaOf, lambdaOf, type Settings, type Store } from "./state";
import { prevalence } from "./table";
import type { View } from "./view";

type Toggle = "curve" | "hull" | "isolines" | "baselines" | "unachievable" | "bands";

/** Numbers a reader can set by a slider and as a number. */
interface Knob {
  readonly slider: HTMLInputElement;
  readonly number: HTMLInputElement;
  show(value: number): void;
}

const LOGIT_END = 4;

export class Controls {
  readonly element: HTMLElement;
  private readonly beta: Knob;
  private readonly lambda: Knob;
  private readonly cost: Knob;
  private readonly prevalence: Knob;
  private readonly index: HTMLSelectElement;
  private readonly interpolation: HTMLSelectElement;
  private readonly interest: HTMLSelectElement;
  private readonly own = h(
    "button",
    { type: "button", class: "small", "aria-label": "Reset the prevalence to that of the data" },
    "Reset",
  );
  private readonly toggles = new Map<Toggle, HTMLInputElement>();

  constructor(
    private readonly store: Store,
    private readonly glossary: Glossary,
    hasBands: boolean,
  ) {
    const set = (patch: Partial<Settings>): void => store.set({ hovered: null, ...patch });
    this.beta = knob("β", [-1, 1, 0.01], {
      from: Math.log10,
      to: (place) => 10 ** place,
      min: 0,
      change: (beta) => set({ beta, chosen: null }),
    });
    this.lambda = knob("λ", [0.01, 0.99, 0.01], {
      from: (value) => value,
      to: (place) => place,
      min: 0,
      max: 0.9999,
      change: (lam) => set({ beta: betaOf(lam), chosen: null }),
    });
    this.cost = knob("Cost proportion of false positives", [0, 1, 0.01], {
      from: (value) => value,
      to: (place) => place,
      min: 0,
      max: 1,
      change: (cost) => set({ cost }),
    });
    // Evenly spaced on the scale of odds, so that rare classes can be set as well.
    this.prevalence = knob("Prevalence", [-LOGIT_END, LOGIT_END, 0.02], {
      from: (share) => Math.log10(share / (1 - share)),
      to: (place) => 1 / (1 + 10 ** -place),
      min: 1e-9,
      max: 1 - 1e-9,
      change: (share) => set({ prevalence: share }),
    });
    this.own.addEventListener("click", () => set({ prevalence: null }));
    this.index = choice(INDEX_NAMES, (name) => set({ index: name as IndexName }));
    this.interpolation = choice(INTERPOLATIONS, (name) =>
      set({ interpolation: name as Interpolation }),
    );
    this.interest = choice(["positives", "negatives"], (name) => this.turn(name === "negatives"));
    this.element = h(
      "form",
      { class: "controls", "aria-label": "Controls", onsubmit: (event) => event.preventDefault() },
      this.field("β", "β", this.beta),
      this.field("λ", "λ", this.lambda),
      this.select("index", "index", this.index),
      this.field("cost proportion", "cost", this.cost),
      this.field("prevalence", "prevalence", this.prevalence, this.own),
      this.select("class of interest", "class of interest", this.interest),
      this.select("interpolation", "PR interpolation", this.interpolation),
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

  private field(
    term: Term,
    label: string,
    { slider, number }: Knob,
    more?: HTMLElement,
  ): HTMLElement {
    return h(
      "div",
      { class: "field" },
      h("span", { class: "name" }, this.glossary.term(term, label)),
      slider,
      number,
      more,
    );
  }

  private select(term: Term, label: string, box: HTMLSelectElement): HTMLElement {
    box.setAttribute("aria-label", label);
    return h(
      "div",
      { class: "field" },
      h("span", { class: "name" }, this.glossary.term(term, label)),
      box,
    );
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
    const legend = freshId("shown");
    const group = h("div", { class: "toggles", role: "group", "aria-labelledby": legend });
    group.append(h("span", { class: "name", id: legend }, "Show"));
    for (const [name, label, term] of names) {
      const box = h("input", { type: "checkbox", "aria-label": `Show ${label}` });
      box.addEventListener("change", () => this.store.set({ [name]: box.checked }));
      this.toggles.set(name, box);
      group.append(
        h(
          "span",
          { class: "toggle" },
          box,
          term ? this.glossary.term(term, label) : h("span", {}, label),
        ),
      );
    }
    return group;
  }

  draw(view: View): void {
    const { settings } = view;
    this.beta.show(settings.beta);
    this.lambda.show(lambdaOf(settings.beta));
    this.cost.show(settings.cost);
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

function choice(names: readonly string[], change: (name: string) => void): HTMLSelectElement {
  const box = h("select", {}, ...names.map((name) => h("option", { value: name }, name)));
  box.addEventListener("change", () => change(box.value));
  return box;
}

function knob(
  label: string,
  [min, max, step]: readonly [number, number, number],
  scale: {
    from: (value: number) => number;
    to: (place: number) => number;
    min: number;
    max?: number;
    change: (value: number) => void;
  },
): Knob {
  const slider = h("input", { type: "range", min, max, step, "aria-label": label });
  const number = h("input", {
    type: "number",
    step: "any",
    min: scale.min,
    max: scale.max,
    "aria-label": `${label}, as a number`,
  });
  slider.addEventListener("input", () =>
    scale.change(Number(scale.to(slider.valueAsNumber).toPrecision(4))),
  );
  number.addEventListener("change", () => {
    const value = number.valueAsNumber;
    if (value >= scale.min && value <= (scale.max ?? 1e9)) scale.change(value);
    else number.reportValidity();
  });
  let current = "";
  // What was not accepted must not look as if it were.
  number.addEventListener("blur", () => (number.value = current));
  return {
    slider,
    number,
    show(value) {
      // The logarithm of a β of 0 is infinite, which a slider takes for its middle.
      slider.value = String(Math.min(Math.max(scale.from(value), min), max));
      slider.setAttribute("aria-valuetext", short(value, 4));
      current = String(Number(value.toPrecision(4)));
      if (document.activeElement !== number) number.value = current;
    },
  };
}
