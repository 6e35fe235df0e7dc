/** How many positives and negatives have which score, from the counts of a table alone. */

import { HIGHEST_SCORE, type Table } from "./table";

export const BINS = 40;

export interface Histogram {
  /** The lowest and the highest finite score. */
  readonly lo: number;
  readonly hi: number;
  readonly positives: Float64Array;
  readonly negatives: Float64Array;
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
