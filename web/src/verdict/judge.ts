/**
 * From rows to a verdict: choose, correct, compare, warn.
 *
 * `src/isometrics/verdict/judge.py` is the other side of it: with the same draws both come to the
 * same numbers.
 */

import { thresholdText } from "../format";
import {
  constraintSaid,
  flagging,
  gainOf,
  gainWithin,
  isLimit,
  isMet,
  noRuleSaid,
  quantityOf,
  valueOf,
  valueOfGain,
  within,
  worthOf,
  type Objective,
} from "../objective";
import type { Counts } from "../table";
import { caveatsOf } from "./caveats";
import {
  atRatio,
  Choices,
  contestOf,
  countsOf,
  NO_RULE,
  unseenRows,
  withUnseen,
  type Contest,
  type Rows,
  type Unseen,
  type Weighting,
} from "./contest";
import {
  bestGains,
  BETAS,
  bestModels,
  confidenceSet,
  difference,
  intervalAt,
  invertedCdf,
  known,
  meanKnown,
  OtherWeights,
  picked,
  quantile,
  UNDEFINED,
  winShares,
  type Interval,
} from "./estimates";

export const [REPEATS, FOLDS] = [20, 5];
/** How much of the value thresholds may lose that are almost as good. */
const PLATEAU = 0.01;
/** Replicates in which the models are compared at other weights of recall. */
const SWEPT = 200;

/** Where the chance comes from. */
export interface Draws {
  /** How often each row is drawn, replicate by replicate. */
  weighting(replicate: number): Weighting;
  /** The part of each row, repetition by repetition. */
  folds(parts: number, repetition: number): Uint8Array;
}

export type Verdict = ReturnType<typeof judge>;

/** The best rule of each model in the sample, and which model is best. */
export interface Choice {
  readonly rules: readonly number[];
  readonly gains: readonly number[];
  readonly model: number;
}

type Quantity = (counts: Counts) => number;

export function judge(
  rows: Rows,
  asked: { objective: Objective; prevalence: number | null; level: number; replicates: number },
  draws: Draws,
) {
  const { objective, level, replicates } = asked;
  const contest = contestOf(rows, objective, asked.prevalence);
  const choice = chooseHere(contest);
  const fixed = choice.rules.map((rule) => Math.max(rule, 0));
  const choices = new Choices(contest, replicates, fixed);
  const weights = new OtherWeights(contest.names.length);
  for (let replicate = 0; replicate < replicates; replicate++) {
    const weighting = draws.weighting(replicate);
    choices.choose(weighting, replicate);
    if (replicate < SWEPT && contest.names.length > 1)
      weights.add(contest.names.map((_, model) => bestGains(contest, model, weighting)));
  }
  const gain = (counts: Counts): number => gainOf(objective, counts);
  const drawn = resampled(choices, choice, gain);
  const parts = countParts(contest);
  // Without rows of both classes on either side there is nothing to judge a choice on.
  const crossed = Array.from({ length: parts === 1 ? 0 : REPEATS }, (_, repetition) =>
    crossFitted(contest, draws.folds(parts, repetition), parts),
  );
  const winners = bestModels(drawn.inside);

  const apparent = choice.gains[choice.model]!;
  const corrected = apparent - optimismOf(drawn, winners);
  const honest = meanKnown(Float64Array.from(crossed, gain));
  // Each model is corrected for the choice of its own threshold, and as much as the chosen one for
  // the choice among the models, so that their values can be compared.
  const own = choice.gains.map(
    (gain, model) => gain - meanKnown(difference(drawn.inside[model]!, drawn.outside[model]!)),
  );
  const centresOf = (model: number): number[] => {
    const behind = model === choice.model ? 0 : own[choice.model]! - own[model]!;
    return [corrected, honest].map((centre) => gainWithin(objective, centre - behind));
  };
  const better = betterThanNothing(choices, choice, drawn.fixed, corrected);
  const expected = choice.gains.map((_, model) => centresOf(model)[1]!);
  const rivals = rivalsOf(choice, own, expected, drawn, level);
  const rule = choice.rules[choice.model]!;
  const range = thresholdRange(choices.rule[choice.model]!);
  const flat = plateauOf(contest, choice.model, rule);
  const { thresholds } = contest.rankings[choice.model]!;
  const text = (each: number): string =>
    thresholdText(thresholds[each]!, thresholds[each + 1] ?? -Infinity);
  const ends = (some: readonly number[] | null): Interval =>
    some ? [thresholds[some[0]!]!, thresholds[some[1]!]!] : UNDEFINED;
  const inUnit = (ofGains: Interval): Interval => {
    const both = ofGains.map((each) => valueOfGain(objective, each));
    return [Math.min(...both), Math.max(...both)];
  };
  // What to expect of the models with their own best thresholds; all are corrected alike.
  const models = contest.names.map((name, model) => {
    const here = choice.gains[model]!;
    const noise = difference(drawn.fixed[model]!, here);
    return {
      name,
      here: valueOfGain(objective, here),
      expected: valueOfGain(objective, expected[model]!),
      interval: inUnit(intervalAt(noise, centresOf(model), level)),
    };
  });
  return {
    objective,
    model: contest.names[choice.model]!,
    threshold: thresholds[rule]!,
    thresholdText: text(rule),
    value: valueOf(objective, countsOf(contest, choice.model, rule)),
    expected: models[choice.model]!.expected,
    interval: models[choice.model]!.interval,
    level,
    kept: keptOf(choice, choices, crossed, level),
    wins: winShares(drawn.inside).map((share, model) => [contest.names[model]!, share] as const),
    runnerUp: rivals.runnerUp === null ? null : contest.names[rivals.runnerUp]!,
    lead: rivals.lead,
    leadInterval: rivals.interval,
    together: contest.names.filter((_, model) => rivals.together[model]),
    thresholdRange: ends(range),
    plateau: ends(flat),
    /** The texts of the ends of both. */
    rangeTexts: [range, flat].flatMap((some) => (some ? some.map(text) : ["nan", "nan"])),
    doingNothing: doingNothing(contest, countsOf(contest, choice.model, rule)),
    // Who cannot be judged on other rows is not known to be better.
    better: better && Number.isNaN(honest) ? null : better,
    betaRange: weights.betaRange(choice.model, objective),
    /** The least and the highest β that were tried; null without other models. */
    betasTried: choice.gains.length > 1 ? [BETAS[0]!, BETAS.at(-1)!] : null,
    warnings: caveatsOf(contest, choice, honest),
    method: methodOf(parts),
    replicates,
    models,
  };
}

/** The best rule of each model in the sample itself. */
export function chooseHere(contest: Contest): Choice {
  const choices = new Choices(contest, 1);
  choices.choose(new Uint8Array(contest.labels.length).fill(1), 0);
  const rules = choices.rule.map(([rule]) => rule!);
  if (rules.every((rule) => rule === NO_RULE)) {
    const { constraint } = contest.objective;
    throw new Error(
      constraint
        ? noRuleSaid(constraint, " of any model")
        : "no threshold of any model has a value; ask for less",
    );
  }
  const gains = chosenValues(choices, (counts) => gainOf(contest.objective, counts)).map(
    ([gain]) => gain!,
  );
  return { rules, gains, model: bestModels(gains.map((gain) => Float64Array.of(gain)))[0]! };
}

/** How much better the winners seem in their replicates than they are. */
function optimismOf(
  { inside, outside }: ReturnType<typeof resampled>,
  winners: Int32Array,
): number {
  return meanKnown(difference(picked(inside, winners), picked(outside, winners)));
}

/** A quantity of the rules in the replicates. */
function resampled(choices: Choices, choice: Choice, quantity: Quantity) {
  const { contest } = choices;
  return {
    /** Of the rules that were chosen in a replicate, in that replicate. */
    inside: chosenValues(choices, quantity),
    /** Of the same rules in the sample itself. */
    outside: choices.rule.map((rules, model) =>
      Float64Array.from(rules, (rule) =>
        rule === NO_RULE ? NaN : quantity(countsOf(contest, model, rule)),
      ),
    ),
    /** Of the rules that were chosen in the sample, in the replicate. */
    fixed: choice.rules.map((rule, model) => fixedValues(choices, model, rule, quantity)),
  };
}

/** A quantity of the rules that were chosen in each replicate, in that replicate. */
function chosenValues(choices: Choices, quantity: Quantity): Float64Array[] {
  return choices.tp.map((tp, model) => inReplicates(choices, tp, choices.fp[model]!, quantity));
}

/** A quantity of rules in the replicates. */
function inReplicates(
  { contest, positives, negatives }: Choices,
  tp: Float64Array,
  fp: Float64Array,
  quantity: Quantity,
  unseen: Unseen | null = null,
): Float64Array {
  return tp.map((hits, replicate) => {
    const counts = {
      tp: hits,
      fp: fp[replicate]!,
      positives: positives[replicate]!,
      negatives: negatives[replicate]!,
    };
    const all = unseen ? withUnseen(counts, unseen, replicate) : counts;
    return quantity(atRatio(all, contest.ratio));
  });
}

/** A quantity of a fixed rule: rows that were not seen widen its spread, and its mean stays. */
function fixedValues(
  choices: Choices,
  model: number,
  rule: number,
  quantity: Quantity,
): Float64Array {
  const [tp, fp] = [choices.fixedTp[model]!, choices.fixedFp[model]!];
  const plain = inReplicates(choices, tp, fp, quantity);
  const unseen = unseenRows(choices.contest, model, rule);
  if (!unseen) return plain;
  // Where a replicate flags nothing there is nothing to know, whatever was not seen.
  const wider = inReplicates(choices, tp, fp, quantity, unseen).map((each, replicate) =>
    Number.isNaN(plain[replicate]) ? NaN : each,
  );
  const shift = meanKnown(plain) - meanKnown(wider);
  return Number.isFinite(shift) ? wider.map((each) => each + shift) : wider;
}

/** Into how many parts the rows are dealt; both classes have rows in each. */
function countParts({ labels }: Contest): number {
  const positives = labels.reduce((count, label) => count + label, 0);
  return Math.min(FOLDS, positives, labels.length - positives);
}

function methodOf(parts: number): string {
  if (parts === 1)
    return "What to expect on new data is not known: a class has too few rows to be split.";
  const madeOn = parts === 2 ? "one half" : `${parts - 1} of ${parts} parts`;
  return (
    `For the expected value, the choice was made on ${madeOn} of the rows and judged on the ` +
    `other, ${REPEATS} times.`
  );
}

/** Chooses on all parts but one, and judges on that one; the pooled counts. */
function crossFitted(contest: Contest, fold: Uint8Array, parts: number): Counts {
  const choices = new Choices(contest, parts);
  for (let part = 0; part < parts; part++) {
    const weighting = fold.map((each) => (each === part ? 0 : 1));
    choices.choose(weighting, part);
  }
  const inside = chosenValues(choices, (counts) => gainOf(contest.objective, counts));
  let [tp, fp] = [0, 0];
  bestModels(inside).forEach((model, part) => {
    const rule = choices.rule[model]![part]!;
    if (rule === NO_RULE) return;
    const ranking = contest.rankings[model]!;
    tp += ranking.tp[rule]! - choices.tp[model]![part]!;
    fp += ranking.fp[rule]! - choices.fp[model]![part]!;
  });
  const { positives, negatives } = contest;
  return atRatio({ tp, fp, positives, negatives }, contest.ratio);
}

/** The second best model, the lead over it, and the models that cannot be told apart. */
function rivalsOf(
  choice: Choice,
  /** The gain of each model, corrected for the choice of its own threshold. */
  own: readonly number[],
  /** The gains that are shown. */
  expected: readonly number[],
  drawn: ReturnType<typeof resampled>,
  level: number,
) {
  const first = choice.model;
  const others = orderOf(choice.gains).filter((model) => model !== first);
  if (!others.length) return { runnerUp: null, lead: NaN, interval: UNDEFINED, together: [true] };
  const value = (model: number): number => (Number.isNaN(own[model]) ? -Infinity : own[model]!);
  const second = others.reduce((best, model) => (value(model) > value(best) ? model : best));
  const lead = expected[first]! - expected[second]!;
  const { stays } = confidenceSet(own, drawn.inside, level);
  const { margin } = confidenceSet(own, drawn.fixed, level);
  // The best model as seen on these rows is always in the set.
  const together = stays.map((stay, model) => stay || model === first);
  const half = margin(first, second);
  const [low, high] = [lead - half, lead + half];
  // Of models that cannot be told apart the interval reaches 0.
  const interval: Interval = together[second] ? [Math.min(low, 0), Math.max(high, 0)] : [low, high];
  return { runnerUp: second, lead, interval, together };
}

/** The models from the best to the worst; models without a rule come last. */
function orderOf(gains: readonly number[]): number[] {
  const value = (model: number): number =>
    Number.isNaN(gains[model]!) ? -Infinity : gains[model]!;
  return gains
    .map((_, model) => model)
    .sort((one, other) => (value(one) === value(other) ? one - other : value(other) - value(one)));
}

/** How a choice keeps the constraint, if there is one. */
function keptOf(choice: Choice, choices: Choices, crossedCounts: readonly Counts[], level: number) {
  const { contest } = choices;
  const { constraint } = contest.objective;
  if (!constraint) return [];
  const quantity = (counts: Counts): number => quantityOf(constraint, counts);
  const here = quantity(countsOf(contest, choice.model, choice.rules[choice.model]!));
  const drawn = resampled(choices, choice, quantity);
  const gains = chosenValues(choices, (counts) => gainOf(contest.objective, counts));
  const winners = bestModels(gains);
  const optimism = optimismOf(drawn, winners);
  const expected = meanKnown(Float64Array.from(crossedCounts, quantity));
  const noise = difference(drawn.fixed[choice.model]!, here);
  const [lower, upper] = intervalAt(noise, [here - optimism, expected], level);
  const defined = known(noise);
  const missed = defined.reduce(
    (count, each) => count + (isMet(constraint, expected + each) ? 0 : 1),
    0,
  );
  return [
    {
      constraint: constraintSaid(constraint),
      isLimit: isLimit(constraint),
      here,
      expected: within(expected, 1),
      interval: [within(lower, 1), within(upper, 1)] as const,
      missed: defined.length ? missed / defined.length : NaN,
    },
  ];
}

/** The best trivial rule that is allowed: everything or nothing, and its gain. */
function trivialRule(contest: Contest): { flagAll: boolean; gain: number } | null {
  const rules = [0, 1].map((share) => atRatio(flagging(share, contest), contest.ratio));
  const worth = rules.map((counts) => worthHere(contest, counts));
  const best = worth[1]! >= worth[0]! ? 1 : 0;
  if (worth[best] === -Infinity) return null;
  return { flagAll: best === 1, gain: gainOf(contest.objective, rules[best]!) };
}

function worthHere(contest: Contest, counts: Counts): number {
  const { tp, fp, positives, negatives } = counts;
  return worthOf(contest.task, tp, fp, positives, negatives);
}

/** Whether the choice beats the best trivial rule in all but 5 % of the replicates; null: unknown. */
function betterThanNothing(
  choices: Choices,
  choice: Choice,
  fixed: readonly Float64Array[],
  corrected: number,
): boolean | null {
  const { contest } = choices;
  const base = trivialRule(contest);
  if (!base) return null;
  const share = base.flagAll ? 1 : 0;
  const differences: number[] = [];
  let both = 0;
  for (const [replicate, gain] of fixed[choice.model]!.entries()) {
    const [positives, negatives] = [choices.positives[replicate]!, choices.negatives[replicate]!];
    if (!(positives > 0 && negatives > 0)) continue;
    both++;
    const trivial = flagging(share, { positives, negatives });
    const apart = gain - gainOf(contest.objective, atRatio(trivial, contest.ratio));
    if (!Number.isNaN(apart)) differences.push(apart);
  }
  if (differences.length < 2 || differences.length < 0.95 * both) return null;
  // The choice is the trivial rule itself.
  if (differences.every((each) => each === 0)) return false;
  const lead = choice.gains[choice.model]! - base.gain;
  const noise = quantile(Float64Array.from(differences).sort(), 0.05) - lead;
  return corrected - base.gain + noise > 0;
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

/** The rules between whose thresholds 95 % of the replicates chose, the lower threshold first. */
function thresholdRange(rules: Int32Array): number[] | null {
  // Thresholds fall as rules rise.
  const falling = Float64Array.from(
    rules.filter((rule) => rule !== NO_RULE),
    (rule) => -rule,
  );
  if (!falling.length) return null;
  falling.sort();
  return [0.025, 0.975].map((share) => Math.abs(invertedCdf(falling, share)));
}

/** The rules of the connected range of thresholds that are almost as good, the lowest first. */
function plateauOf(contest: Contest, model: number, rule: number): number[] | null {
  const { length } = contest.rankings[model]!.thresholds;
  // There is one score, and no threshold next to it.
  if (length === 2) return null;
  const gain = (each: number): number => gainOf(contest.objective, countsOf(contest, model, each));
  const best = gain(rule);
  const holds = (each: number): boolean =>
    worthHere(contest, countsOf(contest, model, each)) > -Infinity &&
    gain(each) >= best - PLATEAU * Math.abs(best);
  if (!holds(rule)) return null;
  let [low, high] = [rule, rule];
  while (low > 0 && holds(low - 1)) low--;
  while (high < length - 1 && holds(high + 1)) high++;
  return [high, low];
}
