/**
 * Models on the same rows, ready to be chosen among under any weighting of these rows.
 *
 * `src/isometrics/verdict/contest.py` and `unseen.py` are the other side of it; both choose the same
 * rules.
 */

import { cumulated, pairwise } from "../arithmetic";
import { taskOf, worthOf, type Objective } from "../objective";
import type { Counts } from "../table";
import type { Draws } from "./judge";

/** The rows of all models, as the page and its worker pass them on. */
export interface Rows {
  /** 1 for a positive, 0 for a negative. */
  readonly labels: Uint8Array;
  /** Null where every row counts once. */
  readonly weights: Float64Array | null;
  readonly names: readonly string[];
  /** For each model, which of its distinct scores, from the highest on, each row has: 1, 2, … */
  readonly ranks: readonly Uint32Array[];
  /** The distinct scores of each model behind +inf, which flags nothing. */
  readonly thresholds: readonly Float64Array[];
}

export type Ranking = ReturnType<typeof rankingOf>;
export type Contest = ReturnType<typeof contestOf>;

export const NO_RULE = -1;

/** A weight for each row. */
export type Weighting = Uint8Array | Uint16Array | Float64Array;

export function contestOf(rows: Rows, objective: Objective, prevalence: number | null) {
  const { labels, weights } = rows;
  const rankings = rows.ranks.map((ranks, model) =>
    rankingOf(ranks, rows.thresholds[model]!, labels, weights),
  );
  const last = rankings[0]!;
  return {
    names: rows.names,
    rankings,
    labels,
    weights,
    objective,
    task: taskOf(objective),
    positives: last.tp[last.tp.length - 1]!,
    negatives: last.fp[last.fp.length - 1]!,
    /** Negatives for each positive where a prevalence is fixed, else 0. */
    ratio: prevalence === null ? 0 : (1 - prevalence) / prevalence,
  };
}

/**
 * The rows of a model from the highest score to the lowest, and its rules: rule 0 flags none, rule i
 * the rows of the i highest scores.
 */
function rankingOf(
  ranks: Uint32Array,
  thresholds: Float64Array,
  labels: Uint8Array,
  weights: Float64Array | null,
) {
  // How many rows each rule flags.
  const ends = new Uint32Array(thresholds.length);
  for (const rank of ranks) ends[rank]! += 1;
  for (let rule = 1; rule < ends.length; rule++) ends[rule]! += ends[rule - 1]!;
  const row = new Uint32Array(ranks.length);
  const next = ends.slice();
  // Filled from behind, so that of equal scores the last row comes first, as in Python.
  ranks.forEach((rank, place) => {
    next[rank]! -= 1;
    row[next[rank]!] = place;
  });
  const positive = Uint8Array.from(row, (place) => labels[place]!);
  const weight = weights && Float64Array.from(row, (place) => weights[place]!);
  const [tp, fp] = [1, 0].map((label) => {
    const sums = new Float64Array(ends.length);
    ranks.forEach((rank, place) => {
      if (labels[place] === label) sums[rank]! += weights ? weights[place]! : 1;
    });
    return cumulated(sums);
  }) as [Float64Array, Float64Array];
  return { row, positive, weight, ends, thresholds, tp, fp };
}

/** Scales the negatives to so many for each positive; 0 leaves them. */
export function atRatio(counts: Counts, ratio: number): Counts {
  if (ratio <= 0) return counts;
  const negatives = counts.positives * ratio;
  return { ...counts, fp: counts.fp * (negatives / counts.negatives), negatives };
}

/** The counts of a rule in the sample itself, at the prevalence asked for. */
export function countsOf(contest: Contest, model: number, rule: number): Counts {
  const { tp, fp } = contest.rankings[model]!;
  const { positives, negatives } = contest;
  return atRatio({ tp: tp[rule]!, fp: fp[rule]!, positives, negatives }, contest.ratio);
}

/** The positives and the negatives under a weighting. */
function totalsOf({ labels, weights }: Contest, weighting: Weighting): [number, number] {
  if (weights)
    return [1, 0].map((label) =>
      pairwise(labels.length, (row) =>
        labels[row] === label ? weighting[row]! * weights[row]! : 0,
      ),
    ) as [number, number];
  let [positives, negatives] = [0, 0];
  for (let row = 0; row < labels.length; row++)
    if (labels[row]) positives += weighting[row]!;
    else negatives += weighting[row]!;
  return [positives, negatives];
}

/** The best rule of each model under each weighting; -1 and NaN where no rule is allowed. */
export class Choices {
  readonly rule: readonly Int32Array[];
  readonly tp: readonly Float64Array[];
  readonly fp: readonly Float64Array[];
  /** The counts of the rules that are fixed. */
  readonly fixedTp: readonly Float64Array[];
  readonly fixedFp: readonly Float64Array[];
  readonly positives: Float64Array;
  readonly negatives: Float64Array;

  constructor(
    readonly contest: Contest,
    weightings: number,
    private readonly fixed: readonly number[] = contest.names.map(() => 0),
  ) {
    const floats = (): Float64Array => new Float64Array(weightings).fill(NaN);
    const [tp, fp, fixedTp, fixedFp] = [0, 1, 2, 3].map(() => contest.names.map(floats));
    [this.tp, this.fp, this.fixedTp, this.fixedFp] = [tp!, fp!, fixedTp!, fixedFp!];
    this.rule = contest.names.map(() => new Int32Array(weightings).fill(NO_RULE));
    [this.positives, this.negatives] = [floats(), floats()];
  }

  /** Fills in the best rule of every model under the weighting of this number. */
  choose(weighting: Weighting, number: number): void {
    [this.positives[number], this.negatives[number]] = totalsOf(this.contest, weighting);
    for (let model = 0; model < this.contest.names.length; model++)
      this.chooseRule(model, weighting, number);
  }

  private chooseRule(model: number, weighting: Weighting, number: number): void {
    const [positives, negatives] = [this.positives[number]!, this.negatives[number]!];
    const { row, positive, weight, ends } = this.contest.rankings[model]!;
    const { ratio, task } = this.contest;
    const fixed = this.fixed[model];
    const scaled = ratio > 0 ? positives * ratio : negatives;
    const factor = ratio > 0 ? scaled / negatives : 1;
    const { costs, first, second } = task;
    // Most objectives have no constraint, and their rules need no other test.
    const free =
      positives > 0 &&
      negatives > 0 &&
      task.minPrecision < 0 &&
      task.minRecall <= 0 &&
      task.maxFpr === Infinity &&
      task.mostFlagged === Infinity;
    let [best, bestTp, bestFp, rule] = [-Infinity, NaN, NaN, NO_RULE];
    let [tp, fp, place] = [0, 0, 0];
    let [fixedTp, fixedFp] = [0, 0];
    for (let each = 0; each < ends.length; each++) {
      const end = ends[each]!;
      for (; place < end; place++) {
        let drawn = weighting[row[place]!]!;
        if (weight) drawn *= weight[place]!;
        if (positive[place]) tp += drawn;
        else fp += drawn;
      }
      if (each === fixed) [fixedTp, fixedFp] = [tp, fp];
      const alarms = ratio > 0 ? fp * factor : fp;
      let worth: number;
      if (free && (tp + alarms > 0 || task.allowsNothing)) {
        worth = first * (positives - tp) + second * alarms;
        worth = costs ? -worth : tp / (worth + tp);
      } else worth = worthOf(task, tp, alarms, positives, scaled);
      if (worth > best) [best, bestTp, bestFp, rule] = [worth, tp, fp, each];
    }
    this.rule[model]![number] = rule;
    this.tp[model]![number] = bestTp;
    this.fp[model]![number] = bestFp;
    this.fixedTp[model]![number] = fixedTp;
    this.fixedFp[model]![number] = fixedFp;
  }
}

/** True or false positives or negatives that are as many spread in a bootstrap as they should. */
const FEW = 5;
/** The root of x⁹ = x + 1; multiples of its powers fill a cube of eight dimensions evenly. */
const ROOT = 1.0850702454914507;
const STEPS = [1, 2, 3, 4, 5, 6, 7, 8].map((power) => ROOT ** -power);

/** How large the rows are that tp, fp, fn and tn of a rule get; 0 where they are enough. */
export type Unseen = readonly [number, number, number, number];

/** Draws rows for those of tp, fp, fn and tn that are fewer than five; null where none is. */
export function unseenRows(contest: Contest, model: number, rule: number): Unseen | null {
  const { tp, fp } = contest.rankings[model]!;
  if (!(rule > 0 && rule < tp.length - 1)) return null;
  const units = [1, 0].map((label) => unitOf(contest, label)) as [number, number];
  const cells = [
    tp[rule]!,
    fp[rule]!,
    contest.positives - tp[rule]!,
    contest.negatives - fp[rule]!,
  ];
  const sizes = cells.map((cell, place) =>
    cell < FEW * units[place % 2]! ? units[place % 2]! : 0,
  ) as unknown as Unseen;
  return sizes.some((size) => size > 0) ? sizes : null;
}

/** What one row of a class is worth: Σw²/Σw. */
function unitOf({ labels, weights }: Contest, label: number): number {
  if (!weights) return 1;
  let [squares, sum] = [0, 0];
  weights.forEach((weight, row) => {
    if (labels[row] !== label) return;
    squares += weight * weight;
    sum += weight;
  });
  return squares / sum;
}

/** The counts of a rule in a replicate, with the rows besides. */
export function withUnseen(counts: Counts, unseen: Unseen, replicate: number): Counts {
  const [tp, fp, fn, tn] = unseen.map((size, place) => size && size * halfGamma(replicate, place));
  return {
    tp: counts.tp + tp!,
    fp: counts.fp + fp!,
    positives: counts.positives + tp! + fn!,
    negatives: counts.negatives + fp! + tn!,
  };
}

/** A variate of the gamma distribution of the shape ½ (Box & Muller 1958, Roberts 2018). */
function halfGamma(replicate: number, place: number): number {
  const [first, second] = [place, place + 4].map((each) => ((replicate + 1) * STEPS[each]!) % 1);
  return -Math.log(first!) * Math.cos(2 * Math.PI * second!) ** 2;
}

/** xoshiro128** (Blackman & Vigna 2021), seeded by splitmix32. */
export class Random {
  private readonly state = new Uint32Array(4);

  constructor(seed: number) {
    for (let place = 0; place < 4; place++) {
      seed = (seed + 0x9e3779b9) | 0;
      let word = seed ^ (seed >>> 16);
      word = Math.imul(word, 0x21f0aaad);
      word ^= word >>> 15;
      word = Math.imul(word, 0x735a2d97);
      this.state[place] = word ^ (word >>> 15);
    }
  }

  /** A word of 32 random bits. */
  word(): number {
    const { state } = this;
    const scaled = Math.imul(state[1]!, 5);
    const found = Math.imul((scaled << 7) | (scaled >>> 25), 9);
    const shifted = state[1]! << 9;
    state[2]! ^= state[0]!;
    state[3]! ^= state[1]!;
    state[1]! ^= state[2]!;
    state[0]! ^= state[3]!;
    state[2]! ^= shifted;
    state[3] = (state[3]! << 11) | (state[3]! >>> 21);
    return found >>> 0;
  }

  /** A whole number below another one, each equally likely to within 2**-32 of its size. */
  below(size: number): number {
    return Math.floor((this.word() / 2 ** 32) * size);
  }
}

/** Multinomial draws of all rows, and parts to which both classes are dealt out by themselves. */
export function randomDraws(labels: Uint8Array, seed = 0): Draws {
  const [forRows, forFolds] = [new Random(seed), new Random(seed + 1)];
  const size = labels.length;
  const counts = new Uint16Array(size);
  return {
    weighting() {
      counts.fill(0);
      for (let draw = 0; draw < size; draw++) counts[forRows.below(size)]! += 1;
      return counts;
    },
    folds(parts) {
      const order = Uint32Array.from({ length: size }, (_, row) => row);
      for (let last = size - 1; last > 0; last--) {
        const other = forFolds.below(last + 1);
        [order[last], order[other]] = [order[other]!, order[last]!];
      }
      const dealt = new Uint8Array(size);
      let place = 0;
      for (const label of [1, 0])
        for (const row of order) if (labels[row] === label) dealt[row] = place++ % parts;
      return dealt;
    },
  };
}
