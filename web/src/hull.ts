/** The one hull: the upper convex hull of the operating points in count space. */

import { completed, take, type Table } from "./table";

const EXACT = 2 ** 53;

/** The vertices of the hull, from the empty rule to the always-positive one. */
export function hullOf(table: Table): Table {
  const complete = completed(table);
  return take(complete, vertices(complete.fp, complete.tp, complete.whole), "hull");
}

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
