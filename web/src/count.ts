/** Sort and count: labels and scores become a table with a row for every distinct score. */

import { Sum } from "./summing";
import { HIGHEST_SCORE, type Table } from "./table";

/** Rows that count: arrays of equal length, without missing values. */
export interface Sample {
  /** 1 for a positive, 0 for a negative. */
  readonly labels: Uint8Array;
  readonly scores: Float64Array;
  /** None of them 0; null where every row counts once. */
  readonly weights: Float64Array | null;
  /** Whether the weights, if any, are whole numbers. */
  readonly whole: boolean;
}

export function count(sample: Sample): Table {
  const { thresholds, tp, fp } = sample.weights
    ? countWeights(sample, sample.weights)
    : countRows(sample);
  const last = tp.length - 1;
  if (thresholds[1] === Infinity) thresholds[1] = HIGHEST_SCORE;
  return {
    kind: "scores",
    thresholds,
    below: null,
    tp,
    fp,
    positives: tp[last]!,
    negatives: fp[last]!,
    whole: sample.whole,
    labels: null,
  };
}

type Rows = Pick<Table, "thresholds" | "tp" | "fp">;

/** Sorts both classes by themselves, which needs no row numbers, and merges them. */
function countRows({ labels, scores }: Sample): Rows {
  const rows = scores.length;
  const classes = [new Float64Array(rows), new Float64Array(rows)] as const;
  const filled = [0, 0];
  for (let row = 0; row < rows; row++) {
    const label = labels[row]!;
    classes[label as 0 | 1][filled[label]!++] = scores[row]!;
  }
  const [negatives, positives] = [
    classes[0].subarray(0, filled[0]).sort(),
    classes[1].subarray(0, filled[1]).sort(),
  ];
  const thresholds = new Float64Array(rows + 1);
  const tp = new Float64Array(rows + 1);
  const fp = new Float64Array(rows + 1);
  thresholds[0] = Infinity;
  let [one, other, last] = [positives.length, negatives.length, 0];
  while (one > 0 || other > 0) {
    const score = Math.max(
      one > 0 ? positives[one - 1]! : -Infinity,
      other > 0 ? negatives[other - 1]! : -Infinity,
    );
    while (one > 0 && positives[one - 1] === score) one--;
    while (other > 0 && negatives[other - 1] === score) other--;
    thresholds[++last] = score + 0; // -0 equals 0; show the plain one
    tp[last] = positives.length - one;
    fp[last] = negatives.length - other;
  }
  return {
    thresholds: thresholds.slice(0, last + 1),
    tp: tp.slice(0, last + 1),
    fp: fp.slice(0, last + 1),
  };
}

/** Weights have to travel with their rows, to the place of their score. */
function countWeights({ labels, scores }: Sample, weights: Float64Array): Rows {
  const distinct = distinctOf(scores);
  const right = new Float64Array(distinct.length);
  const wrong = new Float64Array(distinct.length);
  for (let row = 0; row < scores.length; row++)
    (labels[row] ? right : wrong)[placeOf(distinct, scores[row]!)]! += weights[row]!;
  const thresholds = new Float64Array(distinct.length + 1);
  thresholds[0] = Infinity;
  for (let row = 1; row < thresholds.length; row++)
    thresholds[row] = distinct[distinct.length - row]!;
  return { thresholds, tp: runningSum(right), fp: runningSum(wrong) };
}

/** The distinct scores in rising order; -0 equals 0, and the plain one is kept. */
function distinctOf(scores: Float64Array): Float64Array {
  const sorted = scores.slice().sort();
  let filled = 0;
  for (let row = 0; row < sorted.length; row++)
    if (row === 0 || sorted[row] !== sorted[row - 1]) sorted[filled++] = sorted[row]! + 0;
  return sorted.subarray(0, filled);
}

/** Where a score stands among the distinct ones. */
function placeOf(distinct: Float64Array, score: number): number {
  let low = 0;
  let high = distinct.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >>> 1;
    if (distinct[middle]! <= score) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** Sums from the last value on, behind a zero. */
function runningSum(values: Float64Array): Float64Array {
  const sums = new Float64Array(values.length + 1);
  const sum = new Sum();
  for (let row = 1; row < sums.length; row++) {
    sum.add(values[values.length - row]!);
    // Two roundings of a sum may differ in the last bit; counts never fall.
    sums[row] = Math.max(sums[row - 1]!, sum.value);
  }
  return sums;
}
