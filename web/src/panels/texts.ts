/** What panels say: their names, their axes, and why they are drawn as they are, with formulas in MathML. */

import { h } from "../dom";
import type { Term } from "../glossary";
import { AUPRG, AUROC } from "../measures";
import type { PanelName } from "../state";

export interface PanelTexts {
  readonly title: string;
  readonly term: Term;
  readonly x: string;
  readonly y: string;
  /** What the panel shows, in one sentence. */
  readonly shows: string;
  /** Half a screen: sentences, and formulas behind their words for those who do not see them. */
  readonly why: readonly (string | readonly [words: string, formula: string])[];
}

/** The panels with axes; the histogram has none. */
export const TEXTS: Record<Exclude<PanelName, "scores">, PanelTexts> = {
  roc: {
    title: "ROC",
    term: "ROC",
    x: "false positive rate",
    y: "recall (true positive rate)",
    shows:
      "How many of the positives a cut finds (up), against how many of the negatives it takes with them (right).",
    why: [
      `Every threshold is a point: to the right the share of the negatives that it flags, upwards the share of the positives. Guessing lies on the dotted diagonal. The area under the curve, ${AUROC}, is the probability that a random positive has a higher score than a random negative, where ties count half.`,
      [
        "true positive rate is TP over P, false positive rate is FP over N",
        "TPR = TP / P , FPR = FP / N",
      ],
      "Neither axis depends on how rare the positives are. That makes curves of different data comparable, and it hides what rarity does: with one positive among 10,000 items, a false positive rate of 1% is a hundred false alarms for each positive. The curve may hug the corner while precision is poor.",
      "Grey lines join points of equal accuracy at the cost proportion c that is set. The rule with the lowest cost is where such a line touches the curves from above.",
      [
        "the slope is c times 1 minus pi, over 1 minus c times pi",
        "slope = [ c ( 1 − π ) ] / [ ( 1 − c ) π ]",
      ],
    ],
  },
  pr: {
    title: "Precision–recall",
    term: "PR",
    x: "recall",
    y: "precision",
    shows:
      "How many of the items a cut calls positive are right (up), against how many of the positives it finds (right).",
    why: [
      "Precision is the share of the flagged items that are positive, recall the share of the positives that are flagged. Negatives that are left alone do not count, so the panel shows what users of rare positives care about.",
      [
        "precision is TP over TP plus FP, recall is TP over P",
        "precision = TP / [ TP + FP ] , recall = TP / P",
      ],
      "Between two thresholds the way is a curve: whoever tosses a coin between them adds false positives in proportion to true positives, and that is not a straight line here. Straight lines promise too much (Davis & Goadrich 2006).",
      "Flagging everything has recall 1 and precision π, the prevalence. So a curve at another prevalence is another curve, and areas of data with different prevalences must not be compared. The shaded region cannot be reached: not even the worst ranking gets there (Boyd et al. 2012). Grey lines join points of equal F.",
      [
        "F beta is 1 plus beta squared times precision times recall, over beta squared times precision plus recall",
        "F _ β = [ ( 1 + β ^ 2 ) precision · recall ] / [ β ^ 2 · precision + recall ]",
      ],
    ],
  },
  prg: {
    title: "Precision–recall gain",
    term: "PRG",
    x: "recall gain",
    y: "precision gain",
    shows:
      "Precision and recall on the scale where calling everything positive is 0 and perfect is 1; lines of equal F are straight.",
    why: [
      "F is a harmonic mean, and its values lie on a harmonic scale, where arithmetic means mislead. At a prevalence of 10%, F1 scores of 0.1 and 0.9 average to 0.5; but the F1 with the mean of their gains is 0.18, no more than that of flagging everything.",
      "Gains put precision, recall and F on a scale on which means make sense. 0 stands for the value π, which is the precision of flagging everything, and 1 for a perfect rule.",
      [
        "the gain of x is x minus pi over 1 minus pi times x",
        "gain ( x ) = [ x − π ] / [ ( 1 − π ) x ]",
      ],
      "On this scale the gain of F is the weighted arithmetic mean of the gains of precision and recall. So points of equal F lie on straight, parallel lines of slope −β², the grey ones, and β² is a slope that you can see. The straight line between two points is what tossing a coin between them achieves, as in ROC space and unlike PR space; the corners of the hull are the thresholds that are best for some β.",
      [
        "F gain beta is precision gain plus beta squared times recall gain, over 1 plus beta squared",
        "FG _ β = [ precG + β ^ 2 · recG ] / [ 1 + β ^ 2 ]",
      ],
      `To average F scores of several data sets, average their gains and convert back. The area under the curve, ${AUPRG}, is related to the F1 gain to expect where what recall is worth is not known; it is negative for a model that is worse than flagging everything (Flach & Kull 2015).`,
    ],
  },
  tradeoff: {
    title: "Tradeoff",
    term: "tradeoff space",
    x: "λ, the weight of recall",
    y: "best value of the index",
    shows:
      "The best value of the index for every weight of recall; the strip below names the model that reaches it.",
    why: [
      "How much should recall count against precision? The horizontal axis has every answer: λ is the weight of recall, λ = β²/(1 + β²), from precision alone on the left to recall alone on the right. The curve of a model is the best value that any of its thresholds reaches at that weight.",
      [
        "F lambda is 1 over lambda over recall plus 1 minus lambda over precision",
        "F _ λ = 1 / [ λ / recall + [ 1 − λ ] / precision ]",
      ],
      "A single threshold is a whole curve here, dashed for the point in hand; it touches the curve of its model exactly at the weights for which it is best. Where the curves of two models cross, the better model changes. The strip below names the best one at every weight, and a model that wins nowhere is never the best choice on these rows.",
      "The dotted lines need no model: flagging everything, and flagging a single positive. Where a model does not rise above them, it is of no use at that weight (Hanczar & Nadif).",
    ],
  },
  promised: {
    title: "Promised and achieved",
    term: "promised and achieved",
    x: "λ, the weight of recall (of misses)",
    y: "F (1 − cost per item)",
    shows:
      "What the best thresholds of the tuning data promised there (dashed), and what the same thresholds achieve on these rows (solid).",
    why: [
      "A threshold is optimistic about the data that it was chosen on: of many thresholds the best one is also the luckiest one. So thresholds are chosen on tuning data and judged on other rows, and only what they achieve there should be reported (Davis & Goadrich 2006).",
      [
        "t lambda is the threshold with the highest F lambda on the tuning data",
        "t _ λ = arg max F _ λ ( t , tuning )",
      ],
      [
        "promised is F lambda of t lambda on the tuning data",
        "promised = F _ λ ( t _ λ , tuning )",
      ],
      ["achieved is F lambda of t lambda on the test data", "achieved = F _ λ ( t _ λ , test )"],
      "The horizontal axis is the weight of recall, λ = β²/(1 + β²). At each weight the tuning data has one best threshold; the dashed line is its F there, the solid line is its F here. The solid line has steps where the threshold changes. The two marks are those of what matters to you: the promise above, what became of it below.",
      "A gap between the lines that is wide everywhere says that the two data sets differ, such as in their prevalence, which F depends on, or that the model was fitted to the tuning data. A gap of a few hundredths is the usual price of choosing. Where the solid line lies above, the test data is easier, or luck was on your side.",
      "Where money matters, the axis is what a miss costs as a share of a miss and a false alarm together, and the lines are 1 minus the cost per item in that unit.",
    ],
  },
  reliability: {
    title: "Reliability",
    term: "reliability",
    x: "score, read as a probability",
    y: "share of positives",
    shows:
      "Of the items with about the same score, the share that is positive; on the diagonal a score is a probability.",
    why: [
      "If scores are probabilities, then of the items with scores near 0.3 about 30% should be positive: points lie on the dotted diagonal. Below it, scores are too high; above it, too low. The vertical bars of the model in hand are Wilson's intervals of the shares: with few items in a bin they are wide, and a point off the diagonal says little.",
      [
        "observed is the number of positives in the bin over the number of items in the bin",
        "observed = positives~in~the~bin / items~in~the~bin",
      ],
      "The bins hold equally many items as far as ties allow, and a point stands at the mean score of its bin. Of a table whose rows were thinned the page has a histogram only: then a bar shows from where to where its bin goes.",
      "No other panel sees calibration: ROC, PR, PRG and tradeoff stay the same under every increasing transformation of the scores. A model may rank perfectly with useless probabilities, and the other way round. The command “isometrics calibrate” turns scores into probabilities.",
    ],
  },
  gains: {
    title: "Cumulative gains",
    term: "cumulative gain",
    x: "share of all items that are flagged",
    y: "share of the positives among them",
    shows:
      "How many of the positives (up) the top share of the ranking contains (right); the diagonal is a random order.",
    why: [
      "Sort the items by score and look at the top share of them: how many of all positives are among these? That is the question of whoever can call, inspect or mail so many and no more.",
      [
        "share is TP plus FP over P plus N, gain is TP over P",
        "share = [ TP + FP ] / [ P + N ] , gain = TP / P",
      ],
      "A random order lies on the dotted diagonal. No order is above the other dotted line: it rises until all positives are in, at the share π. Among items of equal score any order is as likely as another, so the line is straight there.",
      "This “cumulative gain” is recall over the share of flagged items, and has nothing to do with the gains of PRG space.",
    ],
  },
  lift: {
    title: "Lift",
    term: "lift",
    x: "share of all items that are flagged",
    y: "lift",
    shows:
      "How many times as many positives the top share contains as a random share; everything together has lift 1.",
    why: [
      "How many times as many positives does the top share contain as a random share of the same size? A lift of 3 in the first 10% means that calling these finds three times as many as calling anyone.",
      [
        "lift is gain over share, which is precision over pi",
        "lift = gain / share = precision / π",
      ],
      "Lift is precision divided by the prevalence π, so it cannot exceed 1/π, and everything together always has lift 1. The first items of a ranking are few, so the left end of the curve is the least certain part of it.",
    ],
  },
  "net-benefit": {
    title: "Net benefit",
    term: "net benefit",
    x: "p, the probability from which on one acts",
    y: "net benefit",
    shows:
      "What acting from a probability of p on is worth (up), against acting on everything and on nothing (dotted).",
    why: [
      "Who treats a person from a risk of p on says that one treated person with the disease is worth (1 − p)/p treated without. The net benefit counts true positives minus false positives at that exchange rate, for each item (Vickers & Elkin 2006).",
      [
        "net benefit is TP over n minus FP over n times p over 1 minus p",
        "net~benefit = TP / n − FP / n · p / [ 1 − p ]",
      ],
      "At each p on the horizontal axis the rule is “score ≥ p”, so scores must be probabilities. A model is worth using at a p where its curve is above both dotted lines: treating everyone, and treating no one, which is 0. Choose the p that your patients or your costs give, not the one at which a model looks best.",
      "A model whose scores are badly calibrated loses net benefit even if it ranks well: then its rule “score ≥ p” is not the rule that p asks for.",
    ],
  },
};

/** Something to open that explains a panel; it is written when it is opened first. */
export function whyOf({ why }: PanelTexts): HTMLElement {
  const box = h("details.why", h("summary", "Why?"));
  box.addEventListener("toggle", () => {
    if (box.childElementCount > 1) return;
    for (const text of why) box.append(typeof text === "string" ? h("p", text) : formula(text));
  });
  return box;
}

function formula([words, text]: readonly [string, string]): Element {
  const math = element("math", row(text.split(" ")));
  math.setAttribute("display", "block");
  math.setAttribute("aria-label", words);
  return math;
}

function element(tag: string, ...parts: readonly (Element | string)[]): Element {
  const made = document.createElementNS("http://www.w3.org/1998/Math/MathML", tag);
  made.append(...parts);
  return made;
}

const BETWEEN: Record<string, string> = { "/": "mfrac", _: "msub", "^": "msup" };

/** What stands up to the end or to a closing bracket; "/", "_" and "^" join their neighbours. */
function row(tokens: string[]): Element {
  const parts: Element[] = [];
  for (let token = tokens.shift(); token && token !== "]"; token = tokens.shift()) {
    const tag = BETWEEN[token];
    if (tag) parts.push(element(tag, parts.pop()!, part(tokens.shift()!, tokens)));
    else parts.push(part(token, tokens));
  }
  return element("mrow", ...parts);
}

function part(token: string, rest: string[]): Element {
  if (token === "[") return row(rest);
  if (/^[\d.]+$/.test(token)) return element("mn", token);
  // Names of several letters stand upright, as functions do.
  return element(/^\p{Letter}/u.test(token) ? "mi" : "mo", token.replaceAll("~", " "));
}
