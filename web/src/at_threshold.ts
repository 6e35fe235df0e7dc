/** What any number does as a threshold: the row with its counts, or the rows between which it lies. */

import { HIGHEST_SCORE, type Table } from "./table";

/** Rows of a table between which the counts lie; one row where they are known. */
export interface RowsAt {
  readonly strict: number;
  readonly lenient: number;
}

/**
 * The row of the rule `score >= threshold`; of the other class, whose rows come in the opposite
 * order, of `score < threshold`.
 *
 * A row tells its own threshold, and the next lower score: any number between them flags the same
 * items. Below that score, up to the next row of a table that has only some of its rows, the counts
 * are not known.
 */
export function rowsAt(table: Table, threshold: number, otherClass: boolean): RowsAt {
  const { thresholds, below, kind } = table;
  const last = thresholds.length - 1;
  const rowOf = (place: number): number => (otherClass ? last - place : place);
  let [strict, lenient] = [0, last];
  for (let place = last; place >= 0; place--) {
    const score = thresholds[rowOf(place)]!;
    if (score < threshold) lenient = place;
    if (!(score >= threshold)) continue;
    strict = place;
    break;
  }
  const row = rowOf(strict);
  const isEvery = kind === "scores" && !below;
  const isKnown =
    isEvery ||
    strict === last ||
    thresholds[row] === threshold ||
    (below?.[row] ?? NaN) < threshold;
  return isKnown ? { strict: row, lenient: row } : { strict: row, lenient: rowOf(lenient) };
}

/** Whether a typed number means something: scores are known, to their last digit. */
export function hasThresholds(table: Table, isRounded: boolean): boolean {
  return !isRounded && !table.labels && table.thresholds.some((score) => Number.isFinite(score));
}

/** Whether all scores are numbers of 32 bits. */
export function isFloat32(table: Table): boolean {
  return table.thresholds.every(
    (score) => Number.isNaN(score) || Math.fround(score) === score || score === HIGHEST_SCORE,
  );
}
