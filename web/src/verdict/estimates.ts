/**
 * What a choice is worth on new data, and how sure it is: corrections, intervals, rivals.
 *
 * `src/isometrics/verdict/estimates.py` is the other side of it. All values are gains, of which
 * more is better; they are lists of replicates, one for each model.
 */

import { nearest, pairwise } from "../arithmetic";
import { costShares, worthOf, type Objective } from "../objective";
import { betaOf, lambdaOf } from "../state";
import { vertices } from "../table";
import type { Contest, Weighting } from "./contest";

export type Interval = readonly [number, number];
export const UNDEFINED: Interval = [NaN, NaN];

type Floats = Float64Array;

/** The model with the highest gain in each replicate, the first of several. */
export function bestModels(gains: readonly Floats[]): Int32Array {
  const best = new Int32Array(gains[0]!.length);
  for (let replicate = 0; replicate < best.length; replicate++) {
    let highest = -Infinity;
    for (let model = 0; model < gains.length; model++)
      if (gains[model]![replicate]! > highest) {
        highest = gains[model]![replicate]!;
        best[replicate] = model;
      }
  }
  return best;
}

/** The values of one model in each replicate. */
export function picked(values: readonly Floats[], models: Int32Array): Floats {
  return Float64Array.from(models, (model, replicate) => values[model]![replicate]!);
}

export function difference(one: Floats, two: Floats | number): Floats {
  return one.map((value, place) => value - (typeof two === "number" ? two : two[place]!));
}

export const known = (values: Floats): Floats => values.filter((value) => !Number.isNaN(value));

/** The mean of what is defined; NaN where nothing is. */
export function meanKnown(values: Floats): number {
  const defined = known(values);
  return defined.length ? mean(defined) : NaN;
}

function mean(values: Floats): number {
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

/** Percentiles of the noise, laid from the lowest centre to the highest one. */
export function intervalAt(noise: Floats, centres: readonly number[], level: number): Interval {
  const sorted = known(noise).sort();
  if (sorted.length < 2 || centres.some(Number.isNaN)) return UNDEFINED;
  const lower = Math.min(...centres) + Math.min(quantile(sorted, (1 - level) / 2), 0);
  const upper = Math.max(...centres) + Math.max(quantile(sorted, (1 + level) / 2), 0);
  return [lower, upper];
}

/**
 * The model confidence set of Hansen, Lunde & Nason (2011) with the statistic T_R.
 *
 * As long as the largest difference of two models, in its standard errors, is larger than it is
 * in 95 % of the replicates around their means, the model that is farthest behind another leaves.
 * The margin of two models is half the width of simultaneous intervals of the differences.
 */
export function confidenceSet(
  values: readonly number[],
  replicates: readonly Floats[],
  level: number,
) {
  const stays = values.map((value) => !Number.isNaN(value));
  const columns: number[] = [];
  for (let replicate = 0; replicate < replicates[0]!.length; replicate++)
    // Models that are left out must not take replicates from the others.
    if (stays.every((stay, model) => !stay || !Number.isNaN(replicates[model]![replicate]!)))
      columns.push(replicate);
  if (columns.length < 2) return { stays, margin: () => NaN };
  const centred = values.map((_, model) => {
    const drawn = Float64Array.from(columns, (replicate) =>
      stays[model] ? replicates[model]![replicate]! : 0,
    );
    return difference(drawn, mean(drawn));
  });
  const error = centred.map((one) => centred.map((other) => deviation(difference(one, other))));
  // Models that never differ cannot be told apart, whatever their corrections are.
  const unit = error.map((row) => row.map((value) => (value > 0 ? value : Infinity)));
  let factor: number | null = null;
  for (;;) {
    const models = stays.flatMap((stay, model) => (stay ? [model] : []));
    if (models.length < 2) break;
    const largest = largestDifferences(models, centred, unit);
    factor ??= quantile(largest.slice().sort(), level);
    const farthest = models.map((one) =>
      models.reduce(
        (most, other) => Math.max(most, (values[other]! - values[one]!) / unit[one]![other]!),
        -Infinity,
      ),
    );
    const most = Math.max(...farthest);
    const beyond = largest.reduce((count, value) => count + (value >= most ? 1 : 0), 0);
    if (beyond / largest.length >= 1 - level) break;
    stays[models[farthest.indexOf(most)]!] = false;
  }
  const times = factor ?? NaN;
  return {
    stays,
    margin: (one: number, other: number): number =>
      error[one]![other]! > 0 ? times * error[one]![other]! : NaN,
  };
}

/** The standard deviation of a sample. */
function deviation(values: Floats): number {
  const centred = difference(values, mean(values));
  const squares = pairwise(values.length, (place) => centred[place]! * centred[place]!);
  return Math.sqrt(squares / (values.length - 1));
}

/** The largest studentised difference of two models in each replicate. */
function largestDifferences(
  models: readonly number[],
  centred: readonly Floats[],
  unit: readonly (readonly number[])[],
): Floats {
  const largest = new Float64Array(centred[0]!.length);
  models.forEach((one, place) => {
    for (const other of models.slice(0, place)) {
      const [first, second, size] = [centred[one]!, centred[other]!, unit[one]![other]!];
      for (let replicate = 0; replicate < largest.length; replicate++) {
        const apart = Math.abs(first[replicate]! - second[replicate]!) / size;
        if (apart > largest[replicate]!) largest[replicate] = apart;
      }
    }
  });
  return largest;
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
  weighting: Weighting,
): readonly number[] | null {
  const { row, positive, weight, ends } = contest.rankings[model]!;
  const { task } = contest;
  const [tps, fps]: [number[], number[]] = [[], []];
  let [tp, fp, place] = [0, 0, 0];
  for (let rule = 0; rule < ends.length; rule++) {
    let endsWithPositive = rule === 0 && task.allowsNothing;
    for (; place < ends[rule]!; place++) {
      const drawn = weighting[row[place]!]! * (weight ? weight[place]! : 1);
      if (positive[place]) {
        tp += drawn;
        endsWithPositive = true;
      } else fp += drawn;
    }
    if (!endsWithPositive) continue;
    tps.push(tp);
    fps.push(fp);
  }
  const [positives, drawnNegatives] = [tp, fp];
  if (positives === 0 || drawnNegatives === 0) return null;
  const { ratio, objective } = contest;
  const negatives = ratio > 0 ? positives * ratio : drawnNegatives;
  const factor = ratio > 0 ? negatives / drawnNegatives : 1;
  let points = tps.map((hits, rule) => [hits, fps[rule]! * factor] as const);
  if (objective.constraint)
    points = points.filter(
      ([hits, alarms]) => worthOf(task, hits, alarms, positives, negatives) > -Infinity,
    );
  if (points.length > 2) {
    const [x, y] = [1, 0].map((axis) => Float64Array.from(points, (point) => point[axis]!));
    points = vertices(x!, y!, !weight && ratio === 0).map((each) => points[each]!);
  }
  if (!points.length) return null;
  const costs = objective.costs !== null;
  return WEIGHTS.map((lam) => {
    let best = -Infinity;
    for (const [hits, alarms] of points) {
      const lost = lam * (positives - hits) + (1 - lam) * alarms;
      const gain = costs ? -lost : hits / (hits + lost);
      if (gain > best) best = gain;
    }
    return best;
  });
}
