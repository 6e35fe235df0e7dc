/**
 * What to expect of a choice on new data, and how sure it is.
 *
 * `src/isometrics/verdict/estimates.py` is the other side of it. All values are gains, of which
 * more is better; they are lists of replicates, one for each model.
 */

import { nearest, normalBelow, normalQuantile, pairwise, wilson } from "../arithmetic";
import { atRatio, sumsUnder, type Contest } from "./contest";
import { costShares, worthOf, type Objective } from "../objective";
import { betaOf, lambdaOf } from "../state";
import { vertices } from "../table";

/** Numbers of Python's verdict, where the reasons for them stand. */
export const [REPEATS, FOLDS, BLOCK] = [8, 5, 32];
/** How many replicates there are for each dealing of the rows into parts. */
export const PER_DEALING = 250;
export const [SLACK, PLATEAU] = [0.01, 0.01];
export const [SHRUNK, UNSURE] = [0.9, 0.5];
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
function deviation(values: Floats, lost = 0): number {
  const centred = difference(values, mean(values));
  const squares = pairwise(values.length, (place) => centred[place]! * centred[place]!);
  return Math.sqrt(squares / (values.length - lost));
}

export type Estimate = ReturnType<typeof estimateAt>;

/** What to expect of a rule that was chosen on these rows, where such choices have another value. */
export function estimate(
  here: number,
  elsewhere: number,
  drawn: Floats,
  limits: Interval,
  level: number,
): Estimate {
  const correction = SHRUNK * (here - elsewhere);
  return estimateAt(here - correction, correction, drawn, limits, level);
}

/** An estimate that was corrected already, with an interval of Wilson's kind. */
export function estimateAt(
  corrected: number,
  correction: number,
  drawn: Floats,
  [low, high]: Interval,
  level: number,
) {
  const expected = Math.min(Math.max(corrected, low), high);
  const defined = known(drawn);
  const found = { expected, correction, interval: UNDEFINED };
  if (defined.length < 2 || Number.isNaN(expected)) return { ...found, rows: NaN };
  const error = Math.sqrt(deviation(defined, 1) ** 2 + UNSURE * correction ** 2);
  if (error === 0) return { ...found, interval: [expected, expected] as Interval, rows: Infinity };
  const [share, middle] = [expected, mean(defined)].map((each) => (each - low) / (high - low));
  const typical = (share! + middle!) / 2;
  // Rules that no row contradicts are as sure as one more row could make them.
  const rows = Math.max(typical * (1 - typical) * ((high - low) / error) ** 2, 1);
  const ends = wilson(share! * rows, rows, normalQuantile((1 + level) / 2));
  const interval = ends.map((each) => low + (high - low) * each) as [number, number];
  return { ...found, interval, rows };
}

/** The chance that a share lies below a level, or above it. */
export function chanceBeyond({ expected, rows }: Estimate, level: number, above: boolean): number {
  if (Number.isNaN(rows)) return NaN;
  const short = above ? expected - level : level - expected;
  if (!(0 < level && level < 1) || rows === Infinity) return Number(short > 0);
  return normalBelow(short / Math.sqrt((level * (1 - level)) / rows));
}

/**
 * How much better the chosen model is than each model, and half the width of the intervals.
 *
 * These are multiple comparisons with one model (Dunnett 1955), whose errors are those of rules
 * that are chosen anew in each replicate or of fixed ones, whichever are larger.
 */
export function leads(model: number, best: Floats[], fixed: Floats[], level: number) {
  const differences = best.map((each) => difference(best[model]!, each));
  const lead = differences.map(mean);
  const error = differences.map((each, other) =>
    Math.max(deviation(each), deviation(known(difference(fixed[model]!, fixed[other]!))) || 0),
  );
  const largest = new Float64Array(best[0]!.length);
  differences.forEach((each, other) => {
    if (error[other]! > 0)
      each.forEach((value, replicate) => {
        const apart = Math.abs(value - lead[other]!) / error[other]!;
        if (apart > largest[replicate]!) largest[replicate] = apart;
      });
  });
  const factor = quantile(largest.sort(), level);
  return { lead, margin: error.map((each) => factor * each) };
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
