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
  toldApart,
} from "../format";
import { higherIsBetter, nameOf, unitOf, type Objective } from "../objective";
import type { Interval } from "./estimates";
import type { Verdict } from "./judge";

/** What to do, what to expect, and how sure the choice of the model is. */
export function answer(verdict: Verdict): string {
  // Who is ahead among useless models does not matter.
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
export function shown(value: number): string {
  if (Math.abs(value) >= LARGE) return amount(value);
  for (let digits = 2; digits < 7; digits++) {
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
  if (Number.isNaN(verdict.expected)) return `${capitalised(name)} is ${here} on these rows.`;
  const ends = endsSaid(verdict.interval, verdict, text);
  return `Expect ${name} ${text(verdict.expected)} on new data (${ends}${here} on these rows).`;
}

/** How values are written: to as many digits as do not hide a narrow interval. */
function textOf({ expected, interval, value }: Verdict): (value: number) => string {
  const [lower, upper] = interval;
  const isNarrow = interval.map(shown).includes(shown(expected)) && lower < upper;
  if (!isNarrow || Math.abs(expected) >= LARGE) return shown;
  const [text] = toldApart([expected, lower, upper, value], 3);
  const digits = text!.split(".")[1]!.length;
  return (each) => fixed(each, digits);
}

/** An interval with its confidence, as far as it is known. */
function endsSaid(
  [low, high]: Interval,
  { level }: Verdict,
  text: (value: number) => string = shown,
): string {
  if (Number.isNaN(low)) return "";
  return `${percentSaid(level)}: ${text(low)} to ${text(high)}; `;
}

function nothingIsBetter(verdict: Verdict): string {
  const best = bestNothing(verdict);
  if (verdict.wins.length === 1) return `This model is not better than ${best}, beyond chance.`;
  if (verdict.threshold === Infinity) return `No model is better than ${best}, beyond chance.`;
  return (
    `No model is better than ${best}, beyond chance; the choice would be ` +
    `${inSentence(verdict.model)}, at scores of ${verdict.thresholdText} or more.`
  );
}

function bestNothing({ doingNothing, objective }: Verdict): string {
  const sign = higherIsBetter(objective) ? 1 : -1;
  let [best, highest] = ["", -Infinity];
  for (const [name, value] of doingNothing)
    if (!Number.isNaN(value) && name !== "flagging at random" && sign * value > highest)
      [best, highest] = [name, sign * value];
  return best;
}

function rivals(verdict: Verdict): string {
  const { model, runnerUp, replicates } = verdict;
  if (runnerUp === null) return "";
  const together = withValues(verdict);
  const more = together.length - 9;
  const some = more > 1 ? [...together.slice(0, 9), `${more} more`] : together;
  if (together.length > 1)
    return `These rows cannot tell ${joined(some)} apart; ${inSentence(model)} is used by default.`;
  const share = verdict.wins.find(([name]) => name === model)![1];
  if (Number.isNaN(share)) return "";
  const count = roundEven(share * replicates);
  const howMany =
    count === replicates
      ? `all ${thousands(replicates)}`
      : `${thousands(count)} of ${thousands(replicates)}`;
  const { here } = verdict.models.find(({ name }) => name === runnerUp)!;
  if (verdict.kept.length && Number.isNaN(here))
    return (
      "No other model has a threshold that keeps this on these rows; " +
      `${inSentence(model)} wins in ${howMany} resamples.`
    );
  const losers = verdict.wins.length === 2 ? inSentence(runnerUp) : "all other models";
  return `${inSentence(model)} beats ${losers} in ${howMany} resamples.`;
}

/**
 * The chosen model and those that it cannot be told apart from, with their values; the best one to
 * expect comes first of the others.
 */
function withValues(verdict: Verdict): string[] {
  const sign = higherIsBetter(verdict.objective) ? 1 : -1;
  const isChosen = (name: string): number => Number(name === verdict.model);
  const text = textOf(verdict);
  return verdict.models
    .filter(({ name }) => verdict.together.includes(name))
    .sort(
      (one, other) =>
        isChosen(other.name) - isChosen(one.name) || sign * (other.expected - one.expected),
    )
    .map(({ name, expected }) =>
      Number.isNaN(expected) ? inSentence(name) : `${inSentence(name)} (${text(expected)})`,
    );
}

/** How far two models that cannot be told apart may be from each other. */
function lead(verdict: Verdict): string {
  const { objective, leadInterval } = verdict;
  const isAsked = verdict.runnerUp !== null && verdict.together.includes(verdict.runnerUp);
  if (Number.isNaN(leadInterval[0]) || !isAsked || verdict.better === false) return "";
  // A cost is in the user's unit.
  const factor = unitOf(objective);
  const [low, high] = leadInterval.map((end) => differenceSaid(0 + end * factor));
  const [first, second] = [inSentence(verdict.model), inSentence(verdict.runnerUp!)];
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
  // Limits are asked for in percent.
  const text = kept.isLimit
    ? (share: number): string => `${general(Number(general(100 * share, 2)))}%`
    : shown;
  if (Number.isNaN(kept.expected))
    return `Asked for ${kept.constraint}: ${text(kept.here)} on these rows.`;
  const ends = endsSaid(kept.interval, verdict, text);
  return (
    `Asked for ${kept.constraint}: expect ${text(kept.expected)} on new data (${ends}` +
    `${text(kept.here)} on these rows); the chance to ${kept.isLimit ? "exceed" : "miss"} it is ` +
    `${chance(kept.missed, verdict.replicates)}.`
  );
}

/** A share of resamples; none and all of them still leave what is rarer than one. */
function chance(share: number, replicates: number): string {
  if (share === 0 || share === 1)
    return `${share ? "above" : "below"} ${percentSaid(Math.abs(share - 1 / replicates))}`;
  return percentSaid(share);
}

function threshold(verdict: Verdict): string {
  const said: string[] = [];
  const [from, to, flatFrom, flatTo] = verdict.rangeTexts;
  let [low, high] = verdict.thresholdRange;
  if (low === Infinity) said.push("In 95% of the resamples it was best to flag nothing.");
  else if (!Number.isNaN(low)) {
    let where = low === high ? `was ${from}` : `lay between ${from} and ${to}`;
    if (high === Infinity) where = `was ${from} or more, or it was best to flag nothing`;
    said.push(`In 95% of the resamples the best threshold ${where}.`);
  }
  [low, high] = verdict.plateau;
  const gains = higherIsBetter(verdict.objective);
  if (low < high) {
    const span = high === Infinity ? `of ${flatFrom} or more` : `from ${flatFrom} to ${flatTo}`;
    said.push(`Thresholds ${span} ${gains ? "reach 99% of this value" : "cost at most 1% more"}.`);
  } else if (low === high) {
    const what = gains ? "do not reach 99% of this value" : "cost more than 1% more";
    const broken = verdict.kept.length ? ", or do not keep what was asked for" : "";
    said.push(`The thresholds next to it ${what}${broken}.`);
  }
  return said.join(" ");
}

function nothing(verdict: Verdict): string {
  const values = verdict.doingNothing
    .filter(([, value]) => !Number.isNaN(value))
    .map(([name, value]) => `${name} ${shown(value)}`);
  if (!values.length) return "";
  const verb = higherIsBetter(verdict.objective) ? "achieves" : "costs";
  const better = verdict.better ? " The choice is better than that beyond chance." : "";
  return `Doing nothing ${verb}: ${values.join(", ")}.${better}`;
}

/** For which other weights of recall, or ratios of the costs, the choice is the same. */
function weights(verdict: Verdict): string {
  const { betaRange, betasTried, runnerUp } = verdict;
  if (!betasTried || runnerUp === null || Number.isNaN(betaRange[0])) return "";
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
