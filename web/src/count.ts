/** Sort and count: rows become a table, and a table a histogram and the rows that draw it. */

import { cumulated } from "./arithmetic";
import { HIGHEST_SCORE, odds, vertices, type Table } from "./table";

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
  const filledIn = (values: Float64Array): Float64Array => values.slice(0, last + 1);
  return { thresholds: filledIn(thresholds), tp: filledIn(tp), fp: filledIn(fp) };
}

/** Weights have to travel with their rows, to the place of their score. */
function countWeights({ labels, scores }: Sample, weights: Float64Array): Rows {
  const distinct = distinctOf(scores);
  const rules = distinct.length + 1;
  const [right, wrong] = [new Float64Array(rules), new Float64Array(rules)];
  for (let row = 0; row < scores.length; row++)
    (labels[row] ? right : wrong)[distinct.length - placeOf(distinct, scores[row]!)]! +=
      weights[row]!;
  const thresholds = new Float64Array(rules).fill(Infinity);
  thresholds.set(distinct.slice().reverse(), 1);
  return { thresholds, tp: cumulated(right), fp: cumulated(wrong) };
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

export const BINS = 40;

export interface Histogram<Counts = Float64Array> {
  /** The lowest and the highest finite score. */
  readonly lo: number;
  readonly hi: number;
  readonly positives: Counts;
  readonly negatives: Counts;
  /** Positives and negatives at -inf, items never scored among them. */
  readonly below: readonly [number, number];
  /** Positives and negatives at +inf. */
  readonly above: readonly [number, number];
}

/** The histogram of a table of scores; other tables do not know their scores. */
export function histogramOf(table: Table): Histogram | null {
  if (table.kind !== "scores") return null;
  const { thresholds, tp, fp } = table;
  let [lo, hi] = [Infinity, -Infinity];
  const isFinite = (score: number): boolean => score > -Infinity && score < HIGHEST_SCORE;
  for (let row = 1; row < thresholds.length; row++) {
    if (!isFinite(thresholds[row]!)) continue;
    lo = Math.min(lo, thresholds[row]!);
    hi = Math.max(hi, thresholds[row]!);
  }
  if (lo > hi) [lo, hi] = [0, 0];
  // Halves keep the width of the widest range finite.
  const width = hi / 2 - lo / 2;
  const positives = new Float64Array(BINS);
  const negatives = new Float64Array(BINS);
  const below: [number, number] = [0, 0];
  const above: [number, number] = [0, 0];
  for (let row = 1; row < thresholds.length; row++) {
    const score = thresholds[row]!;
    const [right, wrong] = [tp[row]! - tp[row - 1]!, fp[row]! - fp[row - 1]!];
    if (isFinite(score)) {
      const share = width ? (score / 2 - lo / 2) / width : 0;
      const bin = Math.min(Math.trunc(share * BINS), BINS - 1);
      positives[bin]! += right;
      negatives[bin]! += wrong;
    } else {
      const apart = score > 0 ? above : below;
      apart[0] += right;
      apart[1] += wrong;
    }
  }
  return { lo, hi, positives, negatives, below, above };
}

const SHORT = 2000;
/** Farther than a pixel from what is seen of PRG space; beyond it, distances do not count. */
const LOWEST_GAIN = -0.1;
/** The pixels of a wide panel. */
const WIDTH = 800;

/**
 * Every vertex of the hull is kept, the strictest row of highest precision for either class, a row
 * every two pixels of ROC space, and whatever row is farther than half a pixel, in some space, from
 * the straight way in counts between its kept neighbours. Tables of up to 2,000 rows keep them all.
 */
export function rowsToExplore(table: Table): Uint32Array {
  const rows = table.tp.length;
  if (rows <= SHORT) return Uint32Array.from({ length: rows }, (_, row) => row);
  const kept = new Uint8Array(rows);
  for (const row of vertices(table.fp, table.tp, table.whole)) kept[row] = 1;
  for (const row of [0, rows - 1, ...strictest(table)]) kept[row] = 1;
  const step = (row: number): number =>
    Math.floor((table.tp[row]! / table.positives + table.fp[row]! / table.negatives) * (WIDTH / 2));
  for (let row = 0; row + 1 < rows; row++) if (step(row) !== step(row + 1)) kept[row] = 1;
  keepFarthest(table, kept);
  return Uint32Array.from(kept.keys()).filter((row) => kept[row]);
}

/** The strictest rows of highest precision, for the positives and for the negatives. */
function strictest({ tp, fp, positives, negatives }: Table): [number, number] {
  let [first, last] = [0, 0];
  let [highest, lowest] = [-1, -1];
  for (let row = 0; row < tp.length; row++) {
    const share = tp[row]! / (tp[row]! + fp[row]!);
    if (share > highest) [first, highest] = [row, share];
    const left = negatives - fp[row]!;
    const rest = left / (left + positives - tp[row]!);
    if (rest >= lowest) [last, lowest] = [row, rest];
  }
  return [first, last];
}

/** Keeps, between kept rows, the one that is farthest from the straight way, over and over. */
function keepFarthest(table: Table, kept: Uint8Array): void {
  const { tp, fp } = table;
  const distance = distanceIn(table);
  const ends = Array.from(kept.keys()).filter((row) => kept[row]);
  const waiting = ends.slice(1).map((stop, place) => [ends[place]!, stop] as const);
  for (let segment = waiting.pop(); segment; segment = waiting.pop()) {
    const [start, stop] = segment;
    const from = tp[start]! + fp[start]!;
    const run = tp[stop]! + fp[stop]! - from;
    let [farthest, highest] = [-1, 0.5 / WIDTH];
    for (let row = start + 1; row < stop; row++) {
      const predicted = tp[row]! + fp[row]!;
      const share = run > 0 ? (predicted - from) / run : 0;
      const away = distance(tp[row]!, tp[start]! + share * (tp[stop]! - tp[start]!), predicted);
      if (away > highest) [farthest, highest] = [row, away];
    }
    if (farthest < 0) continue;
    kept[farthest] = 1;
    waiting.push([start, farthest], [farthest, stop]);
  }
}

/** The largest distance, in ROC, PR and PRG space, of points with equally many predicted. */
function distanceIn(table: Table) {
  const { positives, negatives } = table;
  const c = odds(table);
  const gain = (missed: number, found: number): number => {
    const value = 1 - c * (missed / found);
    return value > LOWEST_GAIN ? value : LOWEST_GAIN;
  };
  return (tp: number, straight: number, predicted: number): number => {
    const miss = Math.abs(tp - straight);
    const recall = gain(positives - tp, tp) - gain(positives - straight, straight);
    const precision = gain(predicted - tp, tp) - gain(predicted - straight, straight);
    const largest = Math.max((miss / negatives) ** 2, (miss / predicted) ** 2 || 0);
    return Math.sqrt(Math.max((miss / positives) ** 2 + largest, recall ** 2 + precision ** 2));
  };
}
