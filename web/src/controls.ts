/** The controls: index, prevalence, class, and what is drawn. */

import { button, choiceBox, h, toggles } from "./dom";
import { percent, short } from "./format";
import type { Glossary, Term } from "./glossary";
import { INTERPOLATIONS } from "./spaces/pr";
import type { Settings, Store } from "./state";
import { prevalence } from "./table";
import { INDEX_NAMES } from "./tradeoff";
import type { View } from "./view";

type Toggle = "curve" | "hull" | "isolines" | "baselines" | "unachievable" | "bands";

/** Numbers a reader can set by a slider and as a number. */
export interface Knob {
  readonly slider: HTMLInputElement;
  readonly number: HTMLInputElement;
  show(value: number): void;
}

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
      "form",
      { class: "controls", "aria-label": "Controls", onsubmit: (event) => event.preventDefault() },
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
    const name = h("span", { class: "name" }, this.glossary.term(term, label));
    return h("div", { class: "field" }, name, ...content);
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
      const said = term ? this.glossary.term(term, label) : h("span", {}, label);
      return h("span", { class: "toggle" }, box, said);
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

/** A box for a number, and what shows another number in it. */
export interface NumberBox {
  readonly box: HTMLInputElement;
  show(value: number): void;
}

export function numberBox(
  label: string,
  limits: { min: number; max?: number; above?: boolean },
  change: (value: number) => void,
): NumberBox {
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
    show(value) {
      // A box for numbers holds none that is infinite.
      current = Number.isFinite(value) ? String(rounded(value)) : "";
      box.placeholder = current ? "" : short(value);
      if (document.activeElement !== box) box.value = current;
    },
  };
}

/** A number as boxes show it. */
export function rounded(value: number): number {
  return Number(value.toPrecision(4));
}

export function knob(
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
): Knob {
  const slider = h("input", { type: "range", min, max, step, "aria-label": label });
  const number = numberBox(`${scale.number ?? label}, as a number`, scale, scale.change);
  slider.addEventListener("input", () => scale.change(scale.to(slider.valueAsNumber)));
  return {
    slider,
    number: number.box,
    show(value) {
      // The logarithm of a β of 0 is infinite, which a slider takes for its middle.
      slider.value = String(Math.min(Math.max(scale.from(value), min), max));
      slider.setAttribute("aria-valuetext", short(value, 4));
      number.show(value);
    },
  };
}
