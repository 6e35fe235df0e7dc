/** Tradeoff space: the best value of an index for every weight λ of recall. */

import { vertices } from "./hull";
import { pointOf, type Point, type WeightedIndex } from "./indices";
import { completed, isNested, sortedRows, type Table } from "./table";

/** A piece of the optimal tradeoff curve: one row is best from lo to hi. */
export interface Piece {
  readonly lo: number;
  readonly hi: number;
  readonly row: number;
}

export interface Tradeoff {
  readonly table: Table;
  readonly index: WeightedIndex;
  /** In the order of λ; neighbours share an end, and all together cover 0 to 1. */
  readonly pieces: readonly Piece[];
}

/** The optimal tradeoff curve of a table, completed by the always-positive rule. */
export function tradeoffOf(table: Table, index: WeightedIndex): Tradeoff {
  return tradeoffOfRows(completed(table), index);
}

/** The optimal tradeoff curve of the rows of a table, and of no others. */
export function tradeoffOfRows(table: Table, index: WeightedIndex): Tradeoff {
  let rows = hullRows(table, index.hasEmptyRule);
  if (index.coordinates) {
    const places = rows.map((row) => index.coordinates!(pointOf(table, row)));
    const corners = vertices(
      Float64Array.from(places, ([x]) => x),
      Float64Array.from(places, ([, y]) => y),
      false,
    );
    rows = corners.map((corner) => rows[corner]!);
  }
  const ends = [0];
  for (let next = 1; next < rows.length; next++) {
    const met = index.meeting(pointOf(table, rows[next - 1]!), pointOf(table, rows[next]!));
    ends.push(Math.max(ends[next - 1]!, met));
  }
  ends.push(1);
  const pieces: Piece[] = [];
  rows.forEach((row, place) => {
    const [lo, hi] = [ends[place]!, ends[place + 1]!];
    if (hi > lo) pieces.push({ lo, hi, row });
  });
  return { table, index, pieces };
}

/** The rows on the hull of counts, up to the first of most true positives. */
function hullRows(table: Table, withEmptyRule: boolean): number[] {
  const rows = front(table, withEmptyRule);
  const at = (counts: Float64Array): Float64Array =>
    Float64Array.from(withEmptyRule ? rows : [-1, ...rows], (row) => (row < 0 ? 0 : counts[row]!));
  const corners = vertices(at(table.fp), at(table.tp), table.whole);
  if (withEmptyRule) return corners.map((corner) => rows[corner]!);
  // The hull begins at the empty rule, which is no row here.
  return corners.slice(1).map((corner) => rows[corner - 1]!);
}

/** The rows that no other one has more true and not more false positives than. */
function front(table: Table, withEmptyRule: boolean): number[] {
  const { tp, fp } = table;
  const order = isNested(table) ? Array.from(tp.keys()) : sortedRows(fp, tp);
  const found: number[] = [];
  let highest = withEmptyRule ? -1 : 0;
  order.forEach((row, place) => {
    const next = order[place + 1];
    if (next !== undefined && fp[next] === fp[row]) return;
    if (tp[row]! > highest) {
      highest = tp[row]!;
      found.push(row);
    }
  });
  return found;
}

/** The piece that holds from a weight of recall on. */
export function pieceAt(curve: Tradeoff, lam: number): Piece {
  let found = curve.pieces[0]!;
  for (const piece of curve.pieces) if (piece.lo <= lam) found = piece;
  return found;
}

/** The row that is best at a weight of recall: the strictest where two pieces meet. */
export function bestRow(curve: Tradeoff, lam: number): number {
  return (curve.pieces.find((piece) => piece.hi >= lam) ?? curve.pieces.at(-1)!).row;
}

/** The best value of the index at a weight of recall. */
export function valueAt(curve: Tradeoff, lam: number): number {
  return curve.index.value(pointOf(curve.table, pieceAt(curve, lam).row), lam);
}

/** What needs no algorithm: everything, and one true positive alone (for the cost, nothing). */
export function baselinePoints(
  table: Table,
  index: WeightedIndex,
): { name: string; point: Point }[] {
  const { positives, negatives } = table;
  const everything = { tp: positives, fp: negatives, positives, negatives };
  const found = [{ name: "everything", point: everything }];
  if (index.hasEmptyRule)
    found.push({ name: "nothing", point: { tp: 0, fp: 0, positives, negatives } });
  else if (Number.isInteger(positives))
    found.push({ name: "one true positive", point: { tp: 1, fp: 0, positives, negatives } });
  return found;
}
