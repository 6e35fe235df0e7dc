/** Where to cut: the best row for an F_β or for a cost, exactly. */

import { Fraction, ONE } from "./fraction";
import { isMet, quantityOf, type Constraint } from "./objective";
import * as pr from "./spaces/pr";
import { size, type Table } from "./table";

const DOUBT = 16 * Number.EPSILON;

/** One row for each threshold that is best for some β, with the β² for which it is. */
export interface Optimum {
  /** The row of the hull. */
  readonly row: number;
  readonly lo: number;
  readonly hi: number;
}

/**
 * The best row for every β: the vertices of a hull without the empty rule.
 *
 * Between neighbours a and b both are equally good at
 * β² = (fp_b·tp_a - fp_a·tp_b)/(P·(tp_b - tp_a)), computed in fractions and rounded once.
 */
export function optimaOf(hull: Table): Optimum[] {
  const total = Fraction.of(hull.positives);
  const ends: number[] = [];
  let least = ONE;
  for (let row = 1; row < size(hull); row++) {
    const [tpA, fpA] = [Fraction.of(hull.tp[row - 1]!), Fraction.of(hull.fp[row - 1]!)];
    const [tpB, fpB] = [Fraction.of(hull.tp[row]!), Fraction.of(hull.fp[row]!)];
    const rise = total.times(tpB.minus(tpA));
    const d = rise.over(rise.plus(fpB.times(tpA)).minus(fpA.times(tpB)));
    // Sums of float weights may bend a hull inwards by their last bits.
    if (d.compare(least) < 0) least = d;
    ends.push(least.sign === 0 ? Infinity : ONE.minus(least).over(least).toNumber());
  }
  return ends.map((lo, place) => ({ row: place + 1, lo, hi: ends[place + 1] ?? Infinity }));
}

/** The row of the hull with the highest F_β; of two that tie, the one with fewer positives. */
export function bestForF(
  table: Table,
  hull: Table,
  optima: readonly Optimum[],
  beta: number,
): BestRow {
  if (beta === 0) return { table, row: mostPrecise(table) };
  const squared = beta * beta;
  let best: { row: number; loss: Fraction } | null = null;
  for (const { row, lo, hi } of optima) {
    if (!(lo <= squared && squared <= hi)) continue;
    const loss = lossOf(hull, row, beta);
    if (!best || loss.compare(best.loss) < 0) best = { row, loss };
  }
  return { table: hull, row: best!.row };
}

/** A row, and the table whose row it is. */
export interface BestRow {
  readonly table: Table;
  readonly row: number;
}

/** (β²·fn + fp)/tp, which falls as F_β rises; for β = ∞, fn/tp. */
function lossOf(hull: Table, row: number, beta: number): Fraction {
  const tp = Fraction.of(hull.tp[row]!);
  const missed = Fraction.of(hull.positives).minus(tp);
  if (beta === Infinity) return missed.over(tp);
  const weight = Fraction.of(beta);
  return weight.times(weight).times(missed).plus(Fraction.of(hull.fp[row]!)).over(tp);
}

function mostPrecise(table: Table): number {
  let best = -1;
  let precision: Fraction | null = null;
  let approximate = -1;
  for (let row = 0; row < size(table); row++) {
    const value = pr.y(table, row);
    if (!(value >= approximate - DOUBT)) continue;
    const tp = Fraction.of(table.tp[row]!);
    const exact = tp.over(tp.plus(Fraction.of(table.fp[row]!)));
    const order = precision ? exact.compare(precision) : 1;
    if (order < 0 || (order === 0 && predicted(table, row) >= predicted(table, best))) continue;
    [best, precision, approximate] = [row, exact, value];
  }
  return best;
}

function predicted(table: Table, row: number): number {
  return table.tp[row]! + table.fp[row]!;
}

/** The row at which errors cost least, where a miss and a false alarm cost so much. */
export function bestForCosts(
  table: Table,
  rows: readonly number[],
  [miss, alarm]: readonly [Fraction, Fraction],
): number {
  const [gain, price] = [miss.toNumber(), alarm.toNumber()];
  const values = rows.map((row) => gain * table.tp[row]! - price * table.fp[row]!);
  const scale = Math.max(table.positives, table.negatives) * Math.max(gain, price);
  const near = Math.max(...values) - DOUBT * 2 * scale;
  let best: { row: number; value: Fraction } | null = null;
  rows.forEach((row, place) => {
    if (values[place]! < near) return;
    const value = miss
      .times(Fraction.of(table.tp[row]!))
      .minus(alarm.times(Fraction.of(table.fp[row]!)));
    if (!best || value.compare(best.value) > 0) best = { row, value };
  });
  return best!.row;
}

/**
 * The row that keeps a constraint and has the most recall, or for recall the most precision.
 *
 * Of several the one with the fewest predicted positives; null where no row keeps it.
 */
export function bestForConstraint(table: Table, constraint: Constraint): number | null {
  const { positives, negatives } = table;
  let best: number | null = null;
  for (let row = 0; row < size(table); row++) {
    const [tp, fp] = [table.tp[row]!, table.fp[row]!];
    if (tp + fp === 0 && constraint.quantity === "recall") continue;
    if (!isMet(constraint, quantityOf(constraint, { tp, fp, positives, negatives }))) continue;
    if (best === null || isBetter(table, row, best, constraint)) best = row;
  }
  return best;
}

function isBetter(table: Table, row: number, best: number, { quantity }: Constraint): boolean {
  const [here, there] = [predicted(table, row), predicted(table, best)];
  const ahead =
    quantity === "recall"
      ? table.tp[row]! * there - table.tp[best]! * here
      : table.tp[row]! - table.tp[best]!;
  return ahead > 0 || (ahead === 0 && here < there);
}
