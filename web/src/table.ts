/** The table of operating points: counts under fixed totals, and nothing else. */

import { exact } from "./format";

export type Kind = "scores" | "compact" | "curve" | "hull" | "selection" | "sets";

/** What a score of +inf counts as, so that the threshold +inf, which flags nothing, exceeds it. */
export const HIGHEST_SCORE = Number.MAX_VALUE;

export interface Table {
  readonly kind: Kind;
  /** Falling, behind the +inf of the empty rule; NaN where not known. */
  readonly thresholds: Float64Array;
  /** The next lower score of each row, NaN if unknown; null where the next row has it. */
  readonly below: Float64Array | null;
  readonly tp: Float64Array;
  readonly fp: Float64Array;
  readonly positives: number;
  readonly negatives: number;
  /** Whether all counts are whole numbers of items, so that comparisons can be exact. */
  readonly whole: boolean;
  readonly labels: readonly string[] | null;
}

export function size(table: Table): number {
  return table.tp.length;
}

export function prevalence(table: Table): number {
  return table.positives / (table.positives + table.negatives);
}

/** Positives for each negative, c = π/(1 - π). */
export function odds(table: Table): number {
  return table.positives / table.negatives;
}

export function isNested(table: Table): boolean {
  return table.kind !== "sets" && table.kind !== "selection";
}

/** Some of the rows, in the order asked for. */
export function take(table: Table, rows: ArrayLike<number>, kind: Kind): Table {
  const below = table.below ?? nextLower(table);
  const pick = (values: Float64Array): Float64Array =>
    Float64Array.from(rows, (row) => values[row]!);
  return {
    ...table,
    kind,
    thresholds: pick(table.thresholds),
    below: below && pick(below),
    tp: pick(table.tp),
    fp: pick(table.fp),
    labels: table.labels && Array.from(rows, (row) => table.labels![row]!),
  };
}

/** The next lower score of each row of a table of all scores; null of another one. */
export function nextLower({ kind, thresholds }: Table): Float64Array | null {
  if (kind !== "scores") return null;
  return Float64Array.from(thresholds, (_, row) => thresholds[row + 1] ?? -Infinity);
}

/** The points at another prevalence: false positives and negatives scaled by one factor. */
export function atPrevalence(table: Table, share: number): Table {
  const factor = (odds(table) * (1 - share)) / share;
  return {
    ...table,
    fp: table.fp.map((count) => count * factor),
    negatives: table.negatives * factor,
    whole: false,
  };
}

/**
 * The same rules seen from the other class: what was called negative is called positive.
 *
 * Rows come in the opposite order. The rule of a row is then `score < threshold`.
 */
export function ofOtherClass(table: Table): Table {
  return {
    ...table,
    thresholds: table.thresholds.slice().reverse(),
    below: (table.below ?? nextLower(table))?.slice().reverse() ?? null,
    tp: table.fp.map((count) => table.negatives - count).reverse(),
    fp: table.tp.map((count) => table.positives - count).reverse(),
    positives: table.negatives,
    negatives: table.positives,
    labels: table.labels && table.labels.slice().reverse(),
  };
}

/** What a reader can take away of a row: the set, or the threshold with all digits; else null. */
export function takeaway(table: Table, row: number): string | null {
  const label = table.labels?.[row];
  if (label !== undefined) return label;
  const threshold = table.thresholds[row]!;
  return Number.isNaN(threshold) ? null : exact(threshold);
}

export const NOTHING = "(nothing)";
export const EVERYTHING = "(everything)";

/** A table whose rows begin with the empty rule, end with the always-positive one, by rising fp. */
export function completed(table: Table): Table {
  if (isNested(table)) return table;
  const wide = withEnds(table);
  return take(wide, sortedRows(wide.fp, wide.tp), table.kind);
}

/** The trivial rules added before and behind the rows. */
export function withEnds(table: Table): Table {
  return {
    ...table,
    thresholds: between(Infinity, table.thresholds, -Infinity),
    below: null,
    tp: between(0, table.tp, table.positives),
    fp: between(0, table.fp, table.negatives),
    labels: table.labels && [NOTHING, ...table.labels, EVERYTHING],
  };
}

function between(first: number, values: Float64Array, last: number): Float64Array {
  const wide = new Float64Array(values.length + 2);
  wide[0] = first;
  wide.set(values, 1);
  wide[values.length + 1] = last;
  return wide;
}

/** Row numbers sorted by one count, then by the other. */
export function sortedRows(first: Float64Array, second: Float64Array): number[] {
  return Array.from(first.keys()).sort(
    (one, two) => first[one]! - first[two]! || second[one]! - second[two]! || one - two,
  );
}
