/**
 * The verdict in words that need no knowledge of statistics.
 *
 * `src/isometrics/verdict/sentences.py` is the other side of it: the same numbers make the same
 * sentences.
 */

import {
  capitalised,
  fixed,
  general,
  inSentence,
  joined,
  percentSaid,
  roundEven,
  thousands,
  thresholdText,
  toldApart,
} from "../format";
import { gainLimits, higherIsBetter, nameOf, unitOf, type Objective } from "../objective";
import type { Interval } from "./estimates";
import type { Verdict } from "./judge";

/** What to do, what to expect, and how sure the choice of the model is. */
export function answer(verdict: Verdict): string {
  // Which of several useless models leads does not matter.
  if (verdict.better === false) return `${nothingIsBetter(verdict)} ${expectation(verdict)}`;
  return [instruction(verdict), expectation(verdict), rivals(verdict)].filter(Boolean).join(" ");
}

/** The answer, and below it what it stands on. */
export function lines(verdict: Verdict): string[] {
  return [
    answer(verdict),
    explained(verdict.objective),
    ...verdict.kept.map((kept) => constraint(kept, verdict)),
    lead(verdict),
    threshold(verdict),
    nothing(verdict),
    weights(verdict),
    verdict.method,
    ...verdict.warnings.map((warning) => `Beware: ${warning}`),
  ].filter(Boolean);
}

/** A value to two digits, or to as many as tell it from 0 and from 1. */
export function shown(value: number, least = 2): string {
  if (Math.abs(value) >= LARGE) return amount(value);
  for (let digits = least; digits < 7; digits++) {
    const text = fixed(value, digits);
    if (![0, 1].includes(Number(text)) || [0, 1].includes(value)) return text;
  }
  return general(value);
}

/** From the first on, values are whole numbers in groups of three digits, up to the second. */
const [LARGE, BEYOND_READING] = [1e5, 1e15];

/** What costs so much, with as many digits as people read. */
function amount(value: number): string {
  const size = Math.abs(value);
  if (!(size < BEYOND_READING) || (size > 0 && size < 1)) return general(value);
  if (Number.isInteger(value) || size >= LARGE) return thousands(fixed(value, 0));
  if (size < 1000) return general(value);
  const [whole, rest] = fixed(value, 2).split(".");
  return `${thousands(whole!)}.${rest}`;
}

function instruction(verdict: Verdict): string {
  const rule =
    verdict.threshold === Infinity
      ? "flag nothing"
      : `flag scores of ${verdict.thresholdText} or more`;
  if (verdict.wins.length <= 1 && ["", "score"].includes(verdict.model))
    return `${capitalised(rule)}.`;
  return `Use ${inSentence(verdict.model)} and ${rule}.`;
}

function expectation(verdict: Verdict): string {
  const name = nameOf(verdict.objective);
  const text = textOf(verdict);
  const here = text(verdict.value);
  if (Number.isNaN(verdict.expected)) {
    const said = Number.isNaN(verdict.value) ? "has no value" : `is ${here}`;
    return `${capitalised(name)} ${said} on these rows.`;
  }
  const ends = endsSaid(verdict.interval, verdict, text);
  return `Expect ${name} ${text(verdict.expected)} on new data (${ends}${here} on these rows).`;
}

/** How values are written: to as many digits as tell apart what the words compare. */
function textOf(verdict: Verdict): (value: number) => string {
  const { expected, interval, objective, value } = verdict;
  const worse = worseEnd(objective, interval);
  const trivial = trivialValues(verdict).map(([, each]) => each);
  const hidden = trivial.filter((each) => lookAlike(each, worse));
  const isNarrow = interval.some((end) => lookAlike(expected, end));
  if (!(isNarrow || hidden.length) || Math.abs(expected) >= LARGE) return (each) => shown(each);
  const [text] = toldApart([expected, ...interval, value, ...hidden], 3);
  const digits = text!.split(".")[1]!.length;
  return (each) => fixed(each, digits);
}

/** Whether two digits hide which of two numbers is higher. */
function lookAlike(one: number, other: number): boolean {
  return (one < other || one > other) && shown(one) === shown(other);
}

function worseEnd(objective: Objective, [lower, upper]: Interval): number {
  return higherIsBetter(objective) ? lower : upper;
}

/** The values of the trivial rules that are allowed, and have one. */
function trivialValues({ doingNothing }: Verdict): Verdict["doingNothing"] {
  return doingNothing.filter(([, value]) => !Number.isNaN(value));
}

/** An interval with its confidence, as far as it is known. */
function endsSaid(
  [low, high]: Interval,
  { level }: Verdict,
  text: (value: number) => string = (each) => shown(each),
): string {
  if (Number.isNaN(low)) return "";
  return `${percentSaid(level)}: ${text(low)} to ${text(high)}; `;
}

function nothingIsBetter(verdict: Verdict): string {
  const { barelyBetter, models, objective } = verdict;
  const [best, value] = bestTrivial(verdict);
  const fails = barelyBetter ? "barely fails to be" : "is not";
  if (verdict.wins.length === 1) return `This model ${fails} better than ${best}, beyond chance.`;
  const none = `No model is better than ${best}, beyond chance`;
  if (verdict.threshold === Infinity) return `${none}.`;
  const choice = `${inSentence(verdict.model)}, at scores of ${verdict.thresholdText} or more`;
  const sign = signOf(objective);
  // A model of which less is to be expected may be more certain.
  if (models.some(({ interval }) => sign * worseEnd(objective, interval) > sign * value))
    return `${choice}, would be the choice, but ${fails} better than ${best}, beyond chance.`;
  return `${none}; the choice would be ${choice}${barelyBetter ? ", which barely fails" : ""}.`;
}

/** The best of the rules that need no model; rows at random are as many as a model flags. */
function bestTrivial(verdict: Verdict): readonly [string, number] {
  const sign = signOf(verdict.objective);
  return trivialValues(verdict)
    .filter(([name]) => name !== "flagging at random")
    .reduce((best, each) => (sign * each[1] > sign * best[1] ? each : best));
}

function signOf(objective: Objective): number {
  return higherIsBetter(objective) ? 1 : -1;
}

function rivals(verdict: Verdict): string {
  const { model, runnerUp, wins } = verdict;
  // No model may have a value in any resample.
  if (runnerUp === null || Number.isNaN(shareOf(verdict))) return "";
  const [name, barely] = [inSentence(model), verdict.barelyToldApart ? "barely " : ""];
  const [chosen, ...others] = withValues(verdict);
  if (
    verdict.kept.length &&
    verdict.models.every((each) => each.name === model || Number.isNaN(each.here))
  ) {
    const rest = others.length
      ? `in resamples ${joined(shortened(others))} may do as well`
      : `${name} ${barely}wins in ${howMany(verdict)} resamples`;
    return `No other model has a threshold that keeps this on these rows; ${rest}.`;
  }
  if (others.length) {
    const cannot = barely ? "barely fail to" : "cannot";
    const models = joined(shortened([chosen!, ...others]));
    // Of many models one may win nearly always by chance.
    const although =
      shareOf(verdict) >= OFTEN ? `, although ${name} wins in ${howMany(verdict)} resamples` : "";
    return `These rows ${cannot} tell ${models} apart${although}; ${name} is used by default.`;
  }
  const losers = wins.length === 2 ? inSentence(runnerUp) : "all other models";
  return `${name} ${barely}beats ${losers} in ${howMany(verdict)} resamples.`;
}

/** A share of wins that looks like a proof, and is none. */
const OFTEN = 0.95;

function shareOf({ model, wins }: Verdict): number {
  return wins.find(([name]) => name === model)![1];
}

/** In how many resamples the chosen model wins; in all of them only if it always does. */
function howMany(verdict: Verdict): string {
  const [share, all] = [shareOf(verdict), verdict.replicates];
  if (share === 1) return `all ${thousands(all)}`;
  return `${thousands(Math.min(roundEven(share * all), all - 1))} of ${thousands(all)}`;
}

const MOST = 9;

/** Of very many texts, the first ones. */
function shortened(texts: readonly string[]): readonly string[] {
  const more = texts.length - MOST;
  return more > 1 ? [...texts.slice(0, MOST), `${more} more`] : texts;
}

/**
 * The chosen model and those that it cannot be told apart from, with their values; the best one to
 * expect comes first of the others.
 */
function withValues(verdict: Verdict): string[] {
  const sign = signOf(verdict.objective);
  const isChosen = (name: string): number => Number(name === verdict.model);
  const text = textOf(verdict);
  // Models without a value come last.
  const gain = (expected: number): number => (Number.isNaN(expected) ? -1e308 : sign * expected);
  return verdict.models
    .filter(({ name }) => verdict.together.includes(name))
    .sort(
      (one, other) =>
        isChosen(other.name) - isChosen(one.name) || gain(other.expected) - gain(one.expected),
    )
    .map(({ name, expected }) =>
      Number.isNaN(expected) ? inSentence(name) : `${inSentence(name)} (${text(expected)})`,
    );
}

/** How far two models that cannot be told apart may be from each other. */
function lead(verdict: Verdict): string {
  const { objective, leadInterval } = verdict;
  const other = verdict.models.find(({ name }) => name === verdict.runnerUp);
  const isAsked = other && verdict.together.includes(other.name) && verdict.better !== false;
  // A model without a rule on these rows has no value that a lead could be over.
  if (!isAsked || Number.isNaN(leadInterval[0]) || Number.isNaN(other.here)) return "";
  // Where a model often has no rule in resamples, its lead is no difference of two values.
  const [least, most] = gainLimits(objective);
  if (Math.max(...leadInterval.map(Math.abs)) > most - least) return "";
  // A cost is in the user's unit.
  const factor = unitOf(objective);
  const [low, high] = leadInterval.map((end) => differenceSaid(0 + end * factor));
  const [first, second] = [inSentence(verdict.model), inSentence(other.name)];
  const level = percentSaid(verdict.level);
  if (higherIsBetter(objective))
    return `The lead of ${first} over ${second} is between ${low} and ${high} (${level}).`;
  return `${first} saves between ${low} and ${high} per row over ${second} (${level}).`;
}

/** A difference to three digits behind the point, or two digits if that is more. */
function differenceSaid(value: number): string {
  const text =
    Math.abs(value) >= 0.001 || value === 0 ? fixed(value, 3) : general(Number(general(value, 2)));
  return text.replaceAll("-", "−");
}

function explained({ beta, costs, constraint: kept }: Objective): string {
  if (costs) return `A miss costs ${amount(costs[0])} and a false alarm ${amount(costs[1])}.`;
  if (beta === 0 || beta === Infinity) return "";
  if (beta === 1) return "F1 weighs precision and recall equally.";
  const [more, less] = beta! > 1 ? ["recall", "precision"] : ["precision", "recall"];
  const times = general(beta! > 1 ? beta! : 1 / beta!);
  return `${nameOf({ beta, costs, constraint: kept })} weighs ${more} ${times} times as much as ${less}.`;
}

function constraint(kept: Verdict["kept"][number], verdict: Verdict): string {
  const text = shareText(kept, verdict.objective.constraint!.level);
  if (Number.isNaN(kept.expected))
    return `Asked for ${kept.constraint}: ${text(kept.here)} on these rows.`;
  const ends = endsSaid(kept.interval, verdict, text);
  const miss = kept.isLimit ? "exceed" : "miss";
  const chance = Number.isNaN(kept.missed)
    ? ""
    : `; the chance to ${miss} it is ${chanceSaid(kept.missed)}`;
  return (
    `Asked for ${kept.constraint}: expect ${text(kept.expected)} on new data (${ends}` +
    `${text(kept.here)} on these rows)${chance}.`
  );
}

/** How a quantity is written: to as many digits as tell it from the level that was asked for. */
function shareText(
  { expected, isLimit }: Verdict["kept"][number],
  level: number,
): (share: number) => string {
  // A share of flagged rows is asked for in percent, and is a limit.
  const written = (share: number, digits: number): string =>
    isLimit ? `${general(Number(general(100 * share, digits)))}%` : shown(share, digits);
  let digits = 2;
  const isHidden = (): boolean =>
    expected !== level && written(expected, digits) === written(level, digits);
  while (digits < 6 && isHidden()) digits++;
  return (share) => written(share, digits);
}

/** Chances below it, or as near to 1, are not known better. */
const RARE = 0.001;

function chanceSaid(chance: number): string {
  if (chance >= RARE && chance <= 1 - RARE) return percentSaid(chance);
  return chance < RARE ? `below ${percentSaid(RARE)}` : `above ${percentSaid(1 - RARE)}`;
}

function threshold(verdict: Verdict): string {
  const said: string[] = [];
  const ends = [...verdict.thresholdRange, ...verdict.plateau];
  const [from, to, flatFrom, flatTo] = ends.map((end) => thresholdText(end));
  let [low, high] = verdict.thresholdRange;
  if (low === Infinity) said.push("In 95% of the resamples it was best to flag nothing.");
  else if (!Number.isNaN(low)) {
    let where = low === high ? `were ${from}` : `lay between ${from} and ${to}`;
    if (high === Infinity) where = `were ${from} or more, or flagged nothing`;
    const how = verdict.kept.length
      ? "Of the thresholds that lose at most 1% of the highest value, this one keeps what was " +
        "asked for most safely; of those that were best in resamples, 95%"
      : "The threshold is the median of those that were best in resamples; 95% of them";
    said.push(`${how} ${where}.`);
  }
  [low, high] = verdict.plateau;
  const gains = higherIsBetter(verdict.objective);
  const here = gains ? "of the value on these rows" : "more on these rows";
  if (low < high) {
    const span = high === Infinity ? `of ${flatFrom} or more` : `from ${flatFrom} to ${flatTo}`;
    said.push(`Thresholds ${span} ${gains ? "reach 99%" : "cost at most 1%"} ${here}.`);
  } else if (low === high) {
    const what = gains ? "do not reach 99%" : "cost more than 1%";
    const broken = verdict.kept.length ? ", or do not keep what was asked for" : "";
    said.push(`The thresholds next to it ${what} ${here}${broken}.`);
  }
  return said.join(" ");
}

/** What the rules achieve that need no model, and which of them the choice beats. */
function nothing(verdict: Verdict): string {
  const { interval, objective } = verdict;
  const [values, text] = [trivialValues(verdict), textOf(verdict)];
  if (!values.length) return "";
  const verb = higherIsBetter(objective) ? "achieves" : "costs";
  const said = values.map(([name, value]) => `${name} ${text(value)}`).join(", ");
  let better = "";
  if (verdict.better) {
    const sign = signOf(objective);
    const worse = worseEnd(objective, interval);
    // Under a limit, as many rows at random may be better than what is allowed besides.
    const isAll = values.every(([, value]) => sign * (worse - value) > 0);
    const [best, value] = bestTrivial(verdict);
    const barely = verdict.barelyBetter ? "barely " : "";
    // The interval may reach a value that varies together with that of the choice.
    const where = sign * (worse - value) > 0 ? "" : ", in the same resamples";
    better = ` The choice is ${barely}better than ${isAll ? "that" : best} beyond chance${where}.`;
  }
  return `Doing nothing ${verb}: ${said}.${better}`;
}

/** For which other weights of recall, or ratios of the costs, the choice is the same. */
function weights(verdict: Verdict): string {
  const { betaRange, betasTried } = verdict;
  // Only a model that is better than all others, and of use, has a claim to other weights.
  const isAlone = verdict.together.every((name) => name === verdict.model);
  if (!betasTried || Number.isNaN(betaRange[0]) || !isAlone || verdict.better === false) return "";
  const [low, high] = betaRange;
  const ends = [low <= betasTried[0], high >= betasTried[1]] as const;
  const wins = `${inSentence(verdict.model)} wins 95% of the resamples`;
  if (higherIsBetter(verdict.objective)) {
    if (ends[0] && ends[1]) return `${wins} for every β.`;
    return `${wins} for β ${span(low, high, ends, ["up to ", ""], ["from ", " on"])}.`;
  }
  if (ends[0] && ends[1]) return `${wins} whatever a miss and a false alarm cost.`;
  // The square of β is the ratio of the costs.
  const ratio = span(low ** 2, high ** 2, ends, ["at most ", ""], ["at least ", ""]);
  return `${wins} where a miss costs ${ratio} times as much as a false alarm.`;
}

/** A range in words; at the ends of what was tried it has one limit. */
function span(
  low: number,
  high: number,
  [atLeast, atMost]: readonly [boolean, boolean],
  below: readonly [string, string],
  above: readonly [string, string],
): string {
  if (low === high) return `around ${general(low, 2)}`;
  if (atLeast) return `${below[0]}${general(high, 2)}${below[1]}`;
  if (atMost) return `${above[0]}${general(low, 2)}${above[1]}`;
  return `from ${general(low, 2)} to ${general(high, 2)}`;
}
