/** The table of operating points, its path through count space, and the one hull. */

import { Fraction } from "./arithmetic";
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

/** A table that is good for a curve alone. */
export function curveTable(
  tp: Float64Array,
  fp: Float64Array,
  positives: number,
  negatives: number,
): Table {
  const thresholds = new Float64Array(tp.length).fill(NaN);
  const none = { below: null, labels: null, whole: false } as const;
  return { kind: "curve", thresholds, tp, fp, positives, negatives, ...none };
}

/** What a rule flags: true and false positives, and the totals of both classes. */
export interface Counts {
  readonly tp: number;
  readonly fp: number;
  readonly positives: number;
  readonly negatives: number;
}

/** The counts of a row. */
export function countsAt({ tp, fp, positives, negatives }: Table, row: number): Counts {
  return { tp: tp[row]!, fp: fp[row]!, positives, negatives };
}

/** The confusion matrix of a row. */
export function matrixAt({ tp, fp, positives, negatives }: Table, row: number) {
  return { tp: tp[row]!, fp: fp[row]!, fn: positives - tp[row]!, tn: negatives - fp[row]! };
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
export function takeaway(
  table: Table,
  row: number,
  threshold = table.thresholds[row]!,
): string | null {
  const label = table.labels?.[row];
  if (label !== undefined) return label;
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

/** A row, and the range of a weight or a probability in which it is the rule to take. */
export interface Piece {
  readonly row: number;
  readonly lo: number;
  readonly hi: number;
}

/** A nested sequence of counts, x = tp and y = fp: neither falls. */
export interface Path {
  readonly x: Float64Array;
  readonly y: Float64Array;
}

/** The path of the table's curve; null where the points are not nested and so have none. */
export function pathOf(table: Table): Path | null {
  if (isNested(table)) return { x: table.tp, y: table.fp };
  const wide = withEnds(table);
  const rows = sortedRows(wide.tp, wide.fp);
  const x = Float64Array.from(rows, (row) => wide.tp[row]!);
  const y = Float64Array.from(rows, (row) => wide.fp[row]!);
  for (let row = 1; row < y.length; row++) if (y[row]! < y[row - 1]!) return null;
  return { x, y };
}

/** The first row with at least x, an exact number. */
export function firstRowFrom(path: Path, x: Fraction): number {
  let low = 0;
  let high = path.x.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (Fraction.of(path.x[middle]!).compare(x) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The smallest y at which the path reaches x, exactly. */
export function crossing(path: Path, x: Fraction): Fraction {
  const row = firstRowFrom(path, x);
  const [endX, endY] = at(path, row);
  if (endX.compare(x) === 0) return endY;
  const [startX, startY] = at(path, row - 1);
  return startY.plus(endY.minus(startY).times(x.minus(startX)).over(endX.minus(startX)));
}

export function at(path: Path, row: number): [Fraction, Fraction] {
  return [Fraction.of(path.x[row]!), Fraction.of(path.y[row]!)];
}

const EXACT = 2 ** 53;

/**
 * The rows of the strict upper hull; x never falls, the ends belong to it.
 *
 * Whole counts are compared exactly: products beyond 2**53 are taken again as big integers.
 */
export function vertices(x: Float64Array, y: Float64Array, whole: boolean): number[] {
  const chain: number[] = [];
  for (let row = 0; row < x.length; row++) {
    const last = chain[chain.length - 1];
    if (last !== undefined && x[row] === x[last] && y[row] === y[last]) continue;
    while (chain.length > 1) {
      const middle = chain[chain.length - 1]!;
      const start = chain[chain.length - 2]!;
      if (turnsDown(x, y, start, middle, row, whole)) break;
      chain.pop();
    }
    chain.push(row);
  }
  return chain;
}

function turnsDown(
  x: Float64Array,
  y: Float64Array,
  start: number,
  middle: number,
  end: number,
  whole: boolean,
): boolean {
  const rise = (y[end]! - y[middle]!) * (x[middle]! - x[start]!);
  const fall = (y[middle]! - y[start]!) * (x[end]! - x[middle]!);
  if (!whole || (Math.abs(rise) < EXACT && Math.abs(fall) < EXACT)) return rise < fall;
  return (
    BigInt(y[end]! - y[middle]!) * BigInt(x[middle]! - x[start]!) <
    BigInt(y[middle]! - y[start]!) * BigInt(x[end]! - x[middle]!)
  );
}
