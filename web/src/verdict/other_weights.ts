/**
 * How often each model wins at other weights of recall, and for which weights a choice holds.
 *
 * `src/isometrics/verdict/other_weights.py` is the other side of it.
 */

import { vertices } from "../hull";
import { costShares, worthOf, type Objective } from "../objective";
import { lambdaOf } from "../state";
import type { Contest, Weighting } from "./contest";
import { UNDEFINED, type Interval } from "./estimates";

/** The weights of recall at which the models are compared. */
export const WEIGHTS = Array.from({ length: 41 }, (_, place) => (place + 0.5) / 41);
const BETAS = WEIGHTS.map((lam) => Math.sqrt(lam / (1 - lam)));
const WINS = 0.95;

export interface Shares {
  readonly betas: readonly number[];
  /** The share of the replicates in which each model wins, at each weight. */
  readonly shares: readonly (readonly number[])[];
}

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
    WEIGHTS.forEach((_, place) => {
      const values = gains.map((each) => each![place]!);
      const highest = Math.max(...values);
      const winners = values.flatMap((value, model) => (value === highest ? [model] : []));
      for (const model of winners) this.wins[place]![model]! += 1 / winners.length;
    });
  }

  finished(): Shares | null {
    if (this.models < 2) return null;
    const shares = this.wins.map((row) => row.map((sum) => (this.count ? sum / this.count : NaN)));
    return { betas: BETAS, shares };
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

/** The range of β around the objective's in which the model wins in 95 %. */
export function betaRange({ shares }: Shares, model: number, objective: Objective): Interval {
  const own = objective.costs ? costShares(objective.costs)[0] : lambdaOf(objective.beta!);
  let centre = 0;
  WEIGHTS.forEach((lam, place) => {
    if (Math.abs(lam - own) < Math.abs(WEIGHTS[centre]! - own)) centre = place;
  });
  const wins = (place: number): boolean => shares[place]![model]! >= WINS;
  if (!wins(centre)) return UNDEFINED;
  let [low, high] = [centre, centre];
  while (low > 0 && wins(low - 1)) low--;
  while (high < WEIGHTS.length - 1 && wins(high + 1)) high++;
  return [BETAS[low]!, BETAS[high]!];
}
