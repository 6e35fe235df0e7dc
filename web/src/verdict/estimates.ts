/**
 * What to expect of a choice on new data, and how sure it is.
 *
 * `src/isometrics/verdict/estimates.py` is the other side of it. All values are gains, of which
 * more is better; they are lists of replicates, one for each model.
 */

import {
  nearest,
  normalBelow,
  normalDensity,
  normalQuantile,
  pairwise,
  wilson,
} from "../arithmetic";
import { costShares, gainOf, within, worthOf, type Objective } from "../objective";
import { betaOf, lambdaOf } from "../state";
import { vertices, type Counts } from "../table";
import {
  atRatio,
  countsOf,
  NO_RULE,
  sumsUnder,
  valuesOf,
  type BestRules,
  type Contest,
} from "./contest";

/** Numbers of Python's verdict, where the reasons for them stand. */
export const [REPEATS, FOLDS, BLOCK] = [8, 5, 32];
/** How many replicates there are for each dealing of the rows into parts. */
export const PER_DEALING = 250;
export const [SLACK, PLATEAU] = [0.01, 0.01];
const [SHRUNK, STRETCHED, UNSURE] = [0.9, 1.2, 0.4];
/** Replicates in which the models are compared at other weights of recall. */
export const SWEPT = 200;

export type Interval = readonly [number, number];
export const UNDEFINED: Interval = [NaN, NaN];

type Floats = Float64Array;

export function difference(one: Floats, two: Floats | number): Floats {
  return one.map((value, place) => value - (typeof two === "number" ? two : two[place]!));
}

export const known = (values: Floats): Floats => values.filter((value) => !Number.isNaN(value));

/** The mean of what is defined; NaN where nothing is. */
export function meanKnown(values: Floats): number {
  const defined = known(values);
  return defined.length ? mean(defined) : NaN;
}

export function mean(values: Floats): number {
  return pairwise(values.length, (place) => values[place]!) / values.length;
}

/** The share of the replicates in which each model is best; ties are shared out. */
export function winShares(gains: readonly Floats[]): number[] {
  const wins = gains.map(() => 0);
  let defined = 0;
  for (let replicate = 0; replicate < gains[0]!.length; replicate++) {
    const values = gains.map((each) => each[replicate]!);
    if (values.every(Number.isNaN)) continue;
    defined++;
    addWinners(wins, values);
  }
  return wins.map((count) => (defined ? count / defined : NaN));
}

/** Shares out one win among the highest of the values. */
function addWinners(wins: number[], values: readonly number[]): void {
  const highest = values.reduce((most, value) => (value > most ? value : most), -Infinity);
  const winners = values.flatMap((value, model) => (value === highest ? [model] : []));
  for (const model of winners) wins[model]! += 1 / winners.length;
}

/** The quantile of sorted values, between two of them on a straight line. */
export function quantile(sorted: Floats, share: number): number {
  const place = (sorted.length - 1) * share;
  const below = Math.floor(place);
  const [low, high] = [sorted[below]!, sorted[Math.min(below + 1, sorted.length - 1)]!];
  const above = place - below;
  // NumPy takes the nearer end.
  if (above < 0.5) return low + (high - low) * above;
  return high - (high - low) * (1 - above);
}

/** The least of the sorted values up to which this share of them lies. */
export function invertedCdf(sorted: Floats, share: number): number {
  const place = Math.ceil(sorted.length * share - 1);
  return sorted[Math.min(Math.max(place, 0), sorted.length - 1)]!;
}

/** Replaces what is not known by less than anything that is. */
export function knownGains(gains: readonly Floats[]): Floats[] {
  const all = gains.flatMap((each) => Array.from(known(each)));
  const least = all.reduce((one, other) => Math.min(one, other), Infinity);
  const worst = least === Infinity ? 0 : least - 1;
  return gains.map((each) => each.map((gain) => (Number.isNaN(gain) ? worst : gain)));
}

/** The standard deviation; of a sample where one degree of freedom is lost. */
export function deviation(values: Floats, lost = 0): number {
  const centred = difference(values, mean(values));
  const squares = pairwise(values.length, (place) => centred[place]! * centred[place]!);
  return Math.sqrt(squares / (values.length - lost));
}

/**
 * How much better a choice looks on the rows that it was made on: the mean of what such choices lose
 * on rows left out, and in the replicates that they are made in, if that is known.
 */
export function correction(here: number, elsewhere: number, seen: number): number {
  const crossed = SHRUNK * (here - elsewhere);
  return Number.isNaN(seen) ? crossed : (crossed + STRETCHED * seen) / 2;
}

/** How much higher a quantity of the best rules is in replicates than in the sample. */
export function optimism(
  contest: Contest,
  best: BestRules,
  quantity: (counts: Counts) => number,
): number {
  const gains = valuesOf(contest, best, (counts) => gainOf(contest.objective, counts));
  const inside = valuesOf(contest, best, quantity);
  const differences = best.positives.map((_, replicate) => {
    let [winner, highest] = [0, -Infinity];
    gains.forEach((each, model) => {
      if (each[replicate]! > highest) [winner, highest] = [model, each[replicate]!];
    });
    const rule = best.rule[winner]![replicate]!;
    if (rule === NO_RULE) return NaN;
    return inside[winner]![replicate]! - quantity(countsOf(contest, winner, rule));
  });
  return meanKnown(differences);
}

export type Estimate = ReturnType<typeof estimate>;

/** What to expect of a rule whose quantity was corrected by so much; the interval is Wilson's. */
export function estimate(
  corrected: number,
  less: number,
  drawn: Floats,
  [low, high]: Interval,
  level: number,
) {
  const expected = within(corrected, high, low);
  const defined = known(drawn);
  const found = { expected, correction: less, interval: UNDEFINED };
  if (defined.length < 2 || Number.isNaN(expected)) return { ...found, rows: NaN };
  const error = Math.sqrt(deviation(defined, 1) ** 2 + UNSURE * less ** 2);
  const [share, middle] = [expected, mean(defined)].map((each) => (each - low) / (high - low));
  const typical = (share! + middle!) / 2;
  // Rules that no row contradicts are as sure as one more row could make them.
  const rows =
    error > 0 ? Math.max(typical * (1 - typical) * ((high - low) / error) ** 2, 1) : Infinity;
  if (rows === Infinity) return { ...found, interval: [expected, expected] as Interval, rows };
  const [lower, upper] = wilson(share! * rows, rows, normalQuantile((1 + level) / 2)).map(
    (each) => low + (high - low) * each,
  ) as [number, number];
  // No row contradicts a limit that the sample itself reaches. Rounding may put an end on the wrong
  // side.
  const here = expected + less;
  const interval: Interval = [
    Math.min(here, expected) <= low ? low : Math.min(lower, expected),
    Math.max(here, expected) >= high ? high : Math.max(upper, expected),
  ];
  return { ...found, interval, rows };
}

/**
 * The standard error of the lower end of an estimate between seeds, from the quantity of choices on
 * rows left out, by dealing; Python says why.
 */
export function lowerEndError(
  { correction: less }: Estimate,
  elsewhere: Floats,
  drawn: Floats,
  level: number,
): number {
  const [dealt, values] = [known(elsewhere), known(drawn)];
  if (dealt.length < 1 || values.length < 2) return 0;
  const variance = deviation(values, 1) ** 2;
  const ofMean = dealt.length === 1 ? variance / 4 : deviation(dealt, 1) ** 2 / dealt.length;
  const total = variance + UNSURE * less ** 2;
  if (total === 0) return 0;
  const z = normalQuantile((1 + level) / 2);
  const slope = 1 + (z * UNSURE * less) / Math.sqrt(total);
  const ofCorrection = (SHRUNK ** 2 * ofMean + (STRETCHED ** 2 * variance) / values.length) / 4;
  const ofVariance = (z ** 2 * variance ** 2) / (2 * values.length * total);
  return Math.sqrt(slope ** 2 * ofCorrection + ofVariance);
}

/** Whether an end lies within two or three of its errors of a border, if it has any. */
export function isNear(end: number, border: number, error: number): boolean {
  return error > 0 && Math.abs(end - border) <= 2.5 * error;
}

/** The chance that a share lies below a level, or above it. */
export function chanceBeyond({ expected, rows }: Estimate, level: number, above: boolean): number {
  if (Number.isNaN(rows)) return NaN;
  const short = above ? expected - level : level - expected;
  if (!(0 < level && level < 1) || rows === Infinity) return Number(short > 0);
  return normalBelow(short / Math.sqrt((level * (1 - level)) / rows));
}

/**
 * How much better the chosen model is than each model, half the width of the intervals, and the
 * standard error of their ends between seeds.
 *
 * These are multiple comparisons with one model (Dunnett 1955), whose errors are those of rules
 * that are chosen anew in each replicate or of fixed ones, whichever are larger.
 */
export function leads(model: number, best: Floats[], fixed: Floats[], level: number) {
  const differences = best.map((each) => difference(best[model]!, each));
  const lead = differences.map(mean);
  const own = differences.map((each) => deviation(each));
  const spread = own.map((each, other) =>
    Math.max(each, deviation(known(difference(fixed[model]!, fixed[other]!))) || 0),
  );
  const largest = new Float64Array(best[0]!.length);
  differences.forEach((each, other) => {
    if (own[other]! > 0)
      each.forEach((value, replicate) => {
        const apart = Math.abs(value - lead[other]!) / own[other]!;
        if (apart > largest[replicate]!) largest[replicate] = apart;
      });
  });
  const factor = quantile(largest.sort(), level);
  const tail = 1 - normalBelow(factor);
  const density = tail > 0 ? ((1 - level) * normalDensity(factor)) / tail : Infinity;
  let ofMargin = (level * (1 - level)) / density ** 2;
  if (spread.filter((each) => each > 0).length > 1) ofMargin += factor ** 2 / 2;
  const margin = spread.map((each) => factor * each);
  const error = spread.map((each, other) =>
    Math.sqrt((own[other]! ** 2 + ofMargin * each ** 2) / largest.length),
  );
  return { lead, margin, error };
}

/** The weights of recall at which the models are compared. */
export const WEIGHTS = Array.from({ length: 41 }, (_, place) => (place + 0.5) / 41);
export const BETAS = WEIGHTS.map(betaOf);
const WINS = 0.95;

/** Counts wins, replicate by replicate. */
export class OtherWeights {
  private readonly wins: number[][];
  private count = 0;

  constructor(private readonly models: number) {
    this.wins = WEIGHTS.map(() => new Array<number>(models).fill(0));
  }

  /** Takes the best gains of all models in one replicate; null where a model has no rule. */
  add(gains: readonly (readonly number[] | null)[]): void {
    if (gains.some((each) => !each)) return;
    this.count++;
    this.wins.forEach((wins, place) =>
      addWinners(
        wins,
        gains.map((each) => each![place]!),
      ),
    );
  }

  /** The range of β around the objective's in which the model wins in 95 %. */
  betaRange(model: number, objective: Objective): Interval {
    const own = objective.costs ? costShares(objective.costs)[0] : lambdaOf(objective.beta!);
    const centre = nearest(WEIGHTS.length, (place) => Math.abs(WEIGHTS[place]! - own));
    const wins = (place: number): boolean => this.wins[place]![model]! / this.count >= WINS;
    if (this.models < 2 || !wins(centre)) return UNDEFINED;
    let [low, high] = [centre, centre];
    while (low > 0 && wins(low - 1)) low--;
    while (high < WEIGHTS.length - 1 && wins(high + 1)) high++;
    return [BETAS[low]!, BETAS[high]!];
  }
}

/**
 * The highest gain of a model under a weighting, at each weight of recall.
 *
 * A rule can only be best if its lowest score has a positive or if it flags nothing, and of those
 * that are allowed the ones on their hull.
 */
export function bestGains(
  contest: Contest,
  model: number,
  weighting: Uint8Array,
): readonly number[] | null {
  const { task, ratio, objective } = contest;
  const ranking = contest.rankings[model]!;
  const [tp, fp] = sumsUnder(ranking, weighting);
  const [positives, drawnNegatives] = [tp.at(-1)!, fp.at(-1)!];
  if (positives === 0 || drawnNegatives === 0) return null;
  const { negatives } = atRatio({ tp: 0, fp: 0, positives, negatives: drawnNegatives }, ratio);
  const factor = negatives / drawnNegatives;
  let points: (readonly [number, number])[] = [];
  ranking.rises.forEach((rises, rule) => {
    if (rises || (rule === 0 && task.allowsNothing)) points.push([tp[rule]!, fp[rule]! * factor]);
  });
  if (objective.constraint)
    points = points.filter(
      ([hits, alarms]) => worthOf(task, hits, alarms, positives, negatives) > -Infinity,
    );
  if (points.length > 2) {
    const [x, y] = [1, 0].map((axis) => Float64Array.from(points, (point) => point[axis]!));
    points = vertices(x!, y!, !contest.weights && ratio === 0).map((each) => points[each]!);
  }
  if (!points.length) return null;
  return WEIGHTS.map((lam) => {
    let best = -Infinity;
    for (const [hits, alarms] of points) {
      const lost = lam * (positives - hits) + (1 - lam) * alarms;
      const gain = task.costs ? -lost : hits / (hits + lost);
      if (gain > best) best = gain;
    }
    return best;
  });
}
