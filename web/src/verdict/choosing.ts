/**
 * Which model and which rule: chosen from the rules that are best in resamples of the rows.
 *
 * `src/isometrics/verdict/choosing.py` is the other side of it.
 */

import { gainOf, isLimit, noRuleSaid, quantityOf } from "../objective";
import type { Counts } from "../table";
import {
  atRatio,
  choose,
  countsOf,
  NO_RULE,
  sumsUnder,
  thresholdOf,
  totalsUnder,
  valuesOf,
  worthHere,
  type BestRules,
  type Contest,
  type Draws,
  type Ranking,
} from "./contest";
import { BLOCK, knownGains, mean, SLACK } from "./estimates";

/** The chosen rule of each model, its gain in the sample, and the chosen model. */
export interface Choice {
  readonly rules: readonly number[];
  readonly thresholds: readonly number[];
  readonly gains: readonly number[];
  readonly model: number;
}

/** The rules that are best on the rows as they are; an error where none is allowed. */
export function bestHere(contest: Contest): number[] {
  const all = new Uint8Array(contest.labels.length).fill(1);
  const rules = choose(contest, 1, () => all).rule.map(([rule]) => rule!);
  if (rules.some((rule) => rule !== NO_RULE)) return rules;
  const { constraint } = contest.objective;
  throw new Error(
    constraint
      ? noRuleSaid(constraint, " of any model")
      : "no threshold of any model has a value; ask for less",
  );
}

/** The choice, from the best rules on these rows and in replicates of them. */
export function choiceOf(contest: Contest, here: readonly number[], best: BestRules): Choice {
  const rules = here.map((rule, model) => {
    const chosen = rule === NO_RULE ? NO_RULE : ruleOf(contest, best, model);
    return chosen === NO_RULE ? rule : chosen;
  });
  const gains = rules.map((rule, model) =>
    rule === NO_RULE ? NaN : gainOf(contest.objective, countsOf(contest, model, rule)),
  );
  const model = fromBest(contest, best).find((each) => here[each] !== NO_RULE)!;
  // A model without a rule flags nothing.
  const thresholds = rules.map((rule, each) => thresholdOf(contest, each, Math.max(rule, 0)));
  return { rules, thresholds, gains, model };
}

/** The models from the one on whose best rules in replicates have the highest mean gain. */
function fromBest(contest: Contest, best: BestRules): number[] {
  const gains = valuesOf(contest, best, (counts) => gainOf(contest.objective, counts));
  const means = knownGains(gains).map(mean);
  return means.map((_, model) => model).sort((one, other) => means[other]! - means[one]!);
}

/**
 * The chosen rule of a model, with the weights of the rows if they are not 1; -1 where there is none.
 *
 * Without constraints that is the median of the rules that are best in replicates; of the rules that
 * keep a constraint and have almost the highest value the one that keeps it most safely.
 */
function ruleOf(contest: Contest, best: BestRules, model: number, weighting?: Uint8Array): number {
  const { constraint } = contest.objective;
  if (!constraint) {
    const known = best.rule[model]!.filter((rule) => rule !== NO_RULE).sort();
    return known[(known.length - 1) >> 1] ?? NO_RULE;
  }
  const ranking = contest.rankings[model]!;
  const [tp, fp] = weighting ? sumsUnder(ranking, weighting) : [ranking.tp, ranking.fp];
  const [positives, negatives] = weighting
    ? totalsUnder(contest, weighting)
    : [contest.positives, contest.negatives];
  const counts = Array.from(tp, (hits, rule) =>
    atRatio({ tp: hits, fp: fp[rule]!, positives, negatives }, contest.ratio),
  );
  const worth = counts.map((each) => worthHere(contest, each));
  const highest = worth.reduce((most, each) => Math.max(most, each), -Infinity);
  const sign = isLimit(constraint) ? -1 : 1;
  let [found, most] = [NO_RULE, -Infinity];
  counts.forEach((each, rule) => {
    if (!(worth[rule]! > -Infinity && worth[rule]! >= highest - SLACK * Math.abs(highest))) return;
    const slack = sign * (quantityOf(constraint, each) - constraint.level);
    if (slack > most) [found, most] = [rule, slack];
  });
  return found;
}

/** The counts of choices on rows they were not made on, pooled over the parts of a dealing. */
export function crossFitted(
  contest: Contest,
  draws: Draws,
  parts: number,
  dealing: number,
  replicates: number,
): Counts {
  const fold = draws.folds(parts, dealing);
  // The replicates of one block serve for one dealing.
  const first = dealing * BLOCK;
  const count = Math.min(BLOCK, replicates - first);
  let [tp, fp] = [0, 0];
  for (let part = 0; part < parts; part++) {
    const kept = fold.map((each) => Number(each !== part));
    const best = choose(contest, count, (number) =>
      draws.weighting(first + number).map((drawn, row) => drawn * kept[row]!),
    );
    for (const model of fromBest(contest, best)) {
      const rule = ruleOf(contest, best, model, kept);
      if (rule === NO_RULE) continue;
      const held = heldCounts(contest.rankings[model]!, rule, kept);
      [tp, fp] = [tp + held[0], fp + held[1]];
      break;
    }
  }
  const { positives, negatives } = contest;
  return atRatio({ tp, fp, positives, negatives }, contest.ratio);
}

/** What a rule flags of the rows it was not chosen on: its threshold is between scores of others. */
function heldCounts(ranking: Ranking, rule: number, kept: Uint8Array): readonly [number, number] {
  const [tp, fp] = sumsUnder(ranking, kept);
  const flagged = tp[rule]! + fp[rule]!;
  let beyond = rule + 1;
  while (beyond < tp.length && tp[beyond]! + fp[beyond]! === flagged) beyond++;
  if (rule > 0 && beyond < tp.length) {
    const { thresholds } = ranking;
    const middle = thresholds[rule]! / 2 + thresholds[beyond]! / 2;
    while (rule < beyond - 1 && !(thresholds[rule + 1]! < middle)) rule++;
  }
  return [ranking.tp[rule]! - tp[rule]!, ranking.fp[rule]! - fp[rule]!];
}
