/** Every term the page uses, in plain language, in a popover of its own. */

import { freshId, h } from "./dom";
import { AVERAGE_PRECISION, TERMS_OF_MEASURES } from "./measures";

export const TERMS = {
  threshold:
    "The score from which on an item is called positive. A lower threshold finds more positives and takes more negatives with them.",
  "operating point":
    "What one threshold does: its true and false positives. Every panel shows the same points.",
  "confusion matrix":
    "The four counts of a threshold: positives found (tp) and missed (fn), negatives taken by mistake (fp) and left alone (tn).",
  precision: "Of the items called positive, the share that is positive: tp/(tp + fp).",
  recall:
    "Of the positives, the share that is found: tp/(tp + fn). Also called true positive rate.",
  "false positive rate": "Of the negatives, the share that is called positive: fp/(fp + tn).",
  "F measure":
    "The weighted harmonic mean of precision and recall. With β = 1 both count the same; with β = 2 recall counts more, with β = 0.5 precision does.",
  β: "How much recall counts in the F measure: β times as much as precision. β = 1 treats both alike.",
  λ: "The weight of recall between 0 and 1, the same knob as β on another scale: λ = β²/(1 + β²).",
  gain: "Precision, recall or F on a scale where calling everything positive is 0 and a perfect answer is 1. On it, averages and straight lines make sense (Flach & Kull 2015).",
  "F gain": "The F measure on the gain scale: the weighted mean of precision gain and recall gain.",
  accuracy: "The share of all items that are classified right.",
  "cost proportion":
    "How much a false positive costs, as a share of a false positive and a false negative together. ½ is plain accuracy.",
  loss: "What errors cost on average, in units in which a cost proportion of ½ gives the error rate: 2(c·fp + (1 − c)·fn)/(P + N).",
  prevalence:
    "The share of positives. If it will be another one where the model is used, set it here: false positive rate and recall stay, everything else follows.",
  "class of interest":
    "The class that is called positive. With the other one, the same scores are read from below.",
  ROC: "Receiver operating characteristic: recall over false positive rate. Straight lines between points can be achieved by tossing a coin.",
  PR: "Precision over recall. Between two points the achievable way is a curve (Davis & Goadrich 2006).",
  PRG: "Precision gain over recall gain. Straight lines have equal F (Flach & Kull 2015).",
  "tradeoff space":
    "The best value of an index for every weight of recall. A point is a whole curve here (Hanczar & Nadif).",
  index:
    "One number made of precision and recall with a weight λ of recall: the F measure, or its relatives Kulczynski (arithmetic mean), Folke (geometric mean), Jaccard, F gain, and cost.",
  hull: "The best that thresholds, and coin tosses between two of them, can achieve. Its corners are the thresholds that are best for some β and some cost. It is drawn dashed, and never in place of the curve.",
  ...TERMS_OF_MEASURES,
  interpolation: `What is assumed between two points of a PR curve. Davis–Goadrich is what coin tosses achieve; ${AVERAGE_PRECISION} takes steps; straight lines are optimistic; integer steps join points at whole true positives; maximum precision takes the best precision at this recall or a higher one.`,
  isoline: "A line on which a measure has one value everywhere.",
  baseline: "What can be had without a model: calling everything positive, or guessing.",
  "unachievable region":
    "Not even the worst ranking gets there (Boyd et al. 2012): at each recall, precision has a least value.",
  "confidence band": "Where the curve may lie, given that the sample might have been another one.",
  interval:
    "Wilson's interval for a share of counted items: a procedure that covers the true share as often as its confidence says, at 95% in about 95 of 100 samples. It takes the threshold as given, so it does not count how the threshold was chosen.",
  "winner strip": "Which model reaches the best value at which weight of recall.",
  reliability:
    "Whether scores are probabilities: of the items with a score of 0.3, about 30% should be positive.",
  "cumulative gain":
    "The share of all positives that the top share of the ranking contains: recall over the share of flagged items.",
  lift: "How many times as many positives the top share of the ranking contains as a random share: precision divided by the prevalence.",
  "net benefit":
    "True positives minus false positives at the exchange rate p/(1 − p), for each item: what acting from the probability p on is worth (Vickers & Elkin 2006).",
  "promised and achieved":
    "What a threshold had on the tuning data that it was chosen on, and what it has on these rows, which it has not seen. Only the second should be reported.",
  histogram: "How many items of each class have which score.",
} as const;
export type Term = keyof typeof TERMS;

/** Makes terms that explain themselves, inside one root. */
export class Glossary {
  readonly popover: HTMLElement;
  private readonly name: HTMLElement;
  private readonly text: HTMLElement;
  private opener: HTMLElement | null = null;

  constructor() {
    const id = freshId("term");
    this.name = h("strong", { id });
    this.text = h("p");
    this.popover = h(
      "div.glossary-popover",
      { popover: "auto", role: "dialog", "aria-labelledby": id },
      this.name,
      this.text,
    );
    this.popover.addEventListener("toggle", (event) => {
      const open = (event as ToggleEvent).newState === "open";
      this.opener?.setAttribute("aria-expanded", String(open));
    });
  }

  /** A word that opens its explanation. */
  term(term: Term, shown: string = term): HTMLButtonElement {
    const button = h("button", { type: "button", class: "term", "aria-expanded": "false" }, shown);
    button.addEventListener("click", () => this.open(term, button));
    return button;
  }

  private open(term: Term, button: HTMLElement): void {
    this.opener?.setAttribute("aria-expanded", "false");
    this.opener = button;
    this.name.textContent = term;
    this.text.textContent = TERMS[term];
    this.popover.showPopover();
    const [word, box] = [button.getBoundingClientRect(), this.popover.getBoundingClientRect()];
    const left = Math.max(8, Math.min(word.left, innerWidth - box.width - 8));
    const below = word.bottom + 6 + box.height < innerHeight;
    this.popover.style.left = `${left}px`;
    this.popover.style.top = `${below ? word.bottom + 6 : Math.max(8, word.top - box.height - 6)}px`;
  }

  /** All terms as a list, for those who would rather read. */
  list(): HTMLElement {
    const list = h("dl.glossary");
    for (const [term, text] of Object.entries(TERMS).sort())
      list.append(h("div", h("dt", term), h("dd", text)));
    return list;
  }
}
