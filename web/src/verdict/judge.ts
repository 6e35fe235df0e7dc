/**
 * From rows to a verdict: choose, correct, compare, warn.
 *
 * `src/isometrics/verdict/judge.py` is the other side of it: with the same draws both come to the
 * same numbers.
 */

import { nearest, normalQuantile } from "../arithmetic";
import { thresholdText } from "../format";
import {
  constraintSaid,
  flagging,
  gainLimits,
  gainOf,
  isLimit,
  quantityOf,
  valueOf,
  valueOfGain,
  within,
  type Objective,
} from "../objective";
import type { Counts } from "../table";
import { caveatsOf } from "./caveats";
import { bestHere, choiceOf, crossFitted, type Choice } from "./choosing";
import {
  atRatio,
  choose,
  contestOf,
  countRules,
  countsOf,
  fixedValues,
  NO_RULE,
  thresholdOf,
  valuesOf,
  worthHere,
  type Contest,
  type Drawn,
  type Draws,
  type Rows,
} from "./contest";
import {
  bestGains,
  BETAS,
  chanceBeyond,
  deviation,
  correction,
  estimate,
  FOLDS,
  invertedCdf,
  isNear,
  known,
  knownGains,
  leads,
  lowerEndError,
  meanKnown,
  optimism,
  OtherWeights,
  PER_DEALING,
  PLATEAU,
  REPEATS,
  SWEPT,
  UNDEFINED,
  winShares,
  type Estimate,
  type Interval,
} from "./estimates";

export type Verdict = ReturnType<typeof judge>;

export function judge(
  rows: Rows,
  asked: { objective: Objective; prevalence: number | null; level: number; replicates: number },
  draws: Draws,
) {
  const { objective, level, replicates } = asked;
  const contest = contestOf(rows, objective, asked.prevalence);
  const { names } = contest;
  const here = bestHere(contest);
  const best = choose(contest, replicates, draws.weighting);
  const choice = choiceOf(contest, here, best);
  const { model } = choice;
  const drawn = countRules(contest, best, choice.rules, draws);
  const parts = countParts(contest);
  const repeats = Math.max(1, Math.min(REPEATS, Math.floor(replicates / PER_DEALING)));
  // Without rows of both classes on either side there is nothing to judge a choice on.
  const crossed = Array.from({ length: parts === 1 ? 0 : repeats }, (_, dealing) =>
    crossFitted(contest, draws, parts, dealing, replicates),
  );
  const weights = new OtherWeights(names.length);
  if (names.length > 1)
    for (let replicate = 0; replicate < Math.min(SWEPT, replicates); replicate++)
      weights.add(names.map((_, each) => bestGains(contest, each, draws.weighting(replicate))));

  const gain = (counts: Counts): number => gainOf(objective, counts);
  const fixed = fixedValues(contest, drawn, choice.rules, gain);
  const limits = gainLimits(objective);
  /** What to expect of a quantity of the chosen rule, with its values in replicates. */
  const estimated = (
    quantity: (counts: Counts) => number,
    values: Float64Array,
    ends: Interval,
  ): Estimate => {
    const here = quantity(countsOf(contest, model, choice.rules[model]!));
    const elsewhere = meanKnown(Float64Array.from(crossed, quantity));
    const less = correction(here, elsewhere, optimism(contest, best, quantity));
    return estimate(here - less, less, values, ends, level);
  };
  const chosen = estimated(gain, fixed[model]!, limits);
  const inside = valuesOf(contest, best, gain);
  const { lead, margin, error } = leads(model, knownGains(inside), fixed, level);
  // Nothing is to be expected of another model without a rule.
  choice.gains.forEach((each, other) => {
    if (!Number.isFinite(each)) lead[other] = NaN;
  });
  const models = names.map((name, each) => {
    const gainHere = choice.gains[each]!;
    // Of each other model so much less is to be expected as it is behind; all are corrected alike.
    const own = chosen.expected - lead[each]!;
    const found = estimate(own, chosen.correction, fixed[each]!, limits, level);
    const ends = found.interval.map((end) => valueOfGain(objective, end));
    return {
      name,
      threshold: Number.isNaN(gainHere) ? NaN : choice.thresholds[each]!,
      here: valueOfGain(objective, gainHere),
      expected: valueOfGain(objective, found.expected),
      // The lower end first, also of costs.
      interval: [Math.min(...ends), Math.max(...ends)] as Interval,
    };
  });
  const { expected, interval } = models[model]!;
  const second = nearest(names.length, (each) => {
    if (each === model) return Infinity;
    return Number.isNaN(lead[each]) ? Number.MAX_VALUE : lead[each]!;
  });
  const [ahead, half] = [lead[second] ?? NaN, margin[second] ?? NaN];
  const rule = choice.rules[model]!;
  const threshold = choice.thresholds[model]!;
  const counts = countsOf(contest, model, rule);
  const together = names.filter((_, each) => lead[each]! <= margin[each]!);
  const dealt = Float64Array.from(crossed, gain);
  const better = betterThanNothing(contest, chosen, fixed[model]!, drawn, dealt, level);
  return {
    objective,
    model: names[model]!,
    threshold,
    thresholdText: thresholdText(threshold),
    value: valueOf(objective, counts),
    expected,
    interval,
    level,
    kept: keptOf(contest, choice, drawn, estimated),
    wins: winShares(inside).map((share, each) => [names[each]!, share] as const),
    runnerUp: names[second] ?? null,
    lead: ahead,
    leadInterval: [ahead - half, ahead + half] as Interval,
    together,
    /** Whether other resamples may well tell other models apart. */
    barelyToldApart: lead.some((each, other) =>
      isNear(Math.abs(each), margin[other]!, error[other]!),
    ),
    thresholdRange: thresholdRange(contest, model, best.rule[model]!),
    plateau: plateauOf(contest, model, rule),
    doingNothing: doingNothing(contest, counts),
    better: better.answer,
    /** Whether other resamples may well say otherwise of that. */
    barelyBetter: better.barely,
    betaRange: together.length === 1 ? weights.betaRange(model, objective) : UNDEFINED,
    /** The least and the highest β that were tried; null without other models. */
    betasTried: names.length > 1 ? [BETAS[0]!, BETAS.at(-1)!] : null,
    warnings: caveatsOf(contest, choice, expected),
    method: methodOf(parts, repeats),
    replicates,
    models,
  };
}

/** Into how many parts the rows are dealt; both classes have rows in each. */
function countParts({ labels }: Contest): number {
  const positives = labels.reduce((count, label) => count + label, 0);
  return Math.min(FOLDS, positives, labels.length - positives);
}

function methodOf(parts: number, repeats: number): string {
  if (parts === 1)
    return "What to expect on new data is not known: a class has too few rows to be split.";
  return (
    "The expected value is corrected by what such choices lose on rows left out, one of " +
    `${parts} parts, ${repeats === 1 ? "once" : `${repeats} times`}, and outside of the ` +
    "resamples they are made in."
  );
}

/** How a choice keeps the constraint, if there is one; corrected in the same way as the value. */
function keptOf(
  contest: Contest,
  choice: Choice,
  drawn: Drawn,
  estimated: (
    quantity: (counts: Counts) => number,
    values: Float64Array,
    ends: Interval,
  ) => Estimate,
) {
  const { constraint } = contest.objective;
  if (!constraint) return [];
  const { model, rules } = choice;
  const quantity = (counts: Counts): number => quantityOf(constraint, counts);
  const here = quantity(countsOf(contest, model, rules[model]!));
  const fixed = fixedValues(contest, drawn, rules, quantity);
  const found = estimated(quantity, fixed[model]!, [0, 1]);
  const limit = isLimit(constraint);
  const [lower, upper] = found.interval;
  return [
    {
      constraint: constraintSaid(constraint),
      isLimit: limit,
      here,
      expected: within(found.expected, 1),
      interval: [within(lower, 1), within(upper, 1)] as const,
      missed: chanceBeyond(found, constraint.level, limit),
    },
  ];
}

/** Whether the choice is better than flagging nothing or everything in the same replicates. */
function betterThanNothing(
  contest: Contest,
  chosen: Estimate,
  fixed: Float64Array,
  { positives, negatives }: Drawn,
  dealt: Float64Array,
  level: number,
): { answer: boolean | null; barely: boolean } {
  const gain = (counts: Counts): number => gainOf(contest.objective, counts);
  const [none, all] = [0, 1].map((share) => {
    const counts = atRatio(flagging(share, contest), contest.ratio);
    // What ranks rules is not always their gain.
    return worthHere(contest, counts) > -Infinity ? gain(counts) : -Infinity;
  });
  const [share, base] = [Number(all! >= none!), Math.max(all!, none!)];
  const unknown = { answer: null, barely: false };
  if (base === -Infinity) return unknown;
  let both = 0;
  const apart = known(
    fixed.map((value, replicate) => {
      const totals = { positives: positives[replicate]!, negatives: negatives[replicate]! };
      if (totals.positives > 0 && totals.negatives > 0) both++;
      return value - gain(atRatio(flagging(share, totals), contest.ratio));
    }),
  );
  // The choice is the trivial rule itself.
  if (apart.length && apart.every((each) => each === 0)) return { answer: false, barely: false };
  // A choice that often flags nothing in the replicates is hardly known.
  if (Number.isNaN(chosen.interval[0]) || apart.length < 0.95 * both) return unknown;
  const lead = {
    ...chosen,
    expected: chosen.expected + chosen.correction / 2 - base,
    correction: 0,
  };
  const oneEnd = Math.max(2 * level - 1, 0);
  const lower = lead.expected - normalQuantile((1 + oneEnd) / 2) * deviation(apart, 1);
  const end = Math.max(lower, chosen.interval[0] - base);
  return { answer: end > 0, barely: isNear(end, 0, lowerEndError(lead, dealt, apart, oneEnd)) };
}

/** The values of the trivial rules, and of a coin that flags as many rows. */
function doingNothing(contest: Contest, counts: Counts): [string, number][] {
  const random = (counts.tp + counts.fp) / (counts.positives + counts.negatives);
  const rules: [string, number][] = [
    ["flagging everything", 1],
    ["flagging nothing", 0],
    ["flagging at random", random],
  ];
  return rules.map(([name, share]) => {
    const rule = flagging(share, counts);
    const allowed = worthHere(contest, rule) > -Infinity;
    return [name, allowed ? valueOf(contest.objective, rule) : NaN];
  });
}

/** The range that holds the thresholds chosen in 95 % of the replicates. */
function thresholdRange(contest: Contest, model: number, rules: Int32Array): Interval {
  const known = Float64Array.from(rules.filter((rule) => rule !== NO_RULE)).sort();
  if (!known.length) return UNDEFINED;
  // Thresholds fall as rules rise.
  const end = (share: number): number => thresholdOf(contest, model, invertedCdf(known, share));
  return [end(0.975), end(0.025)];
}

/** The connected range of thresholds that are almost as good as the chosen one. */
function plateauOf(contest: Contest, model: number, rule: number): Interval {
  const { length } = contest.rankings[model]!.thresholds;
  // There is one score, and no threshold next to it.
  if (length === 2) return UNDEFINED;
  const gain = (each: number): number => gainOf(contest.objective, countsOf(contest, model, each));
  const best = gain(rule);
  const holds = (each: number): boolean =>
    worthHere(contest, countsOf(contest, model, each)) > -Infinity &&
    gain(each) >= best - PLATEAU * Math.abs(best);
  if (!holds(rule)) return UNDEFINED;
  let [low, high] = [rule, rule];
  while (low > 0 && holds(low - 1)) low--;
  while (high < length - 1 && holds(high + 1)) high++;
  return [thresholdOf(contest, model, high), thresholdOf(contest, model, low)];
}
