/** The way from the empty rule to the always-positive one through count space. */

import { Fraction } from "./fraction";
import { isNested, sortedRows, withEnds, type Table } from "./table";

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
