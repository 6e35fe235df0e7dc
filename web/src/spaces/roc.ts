/** ROC space: true positive rate over false positive rate. */

import { Sum } from "../arithmetic";
import type { Path, Table } from "../table";

export function x(table: Table, row: number): number {
  return table.fp[row]! / table.negatives;
}

export function y(table: Table, row: number): number {
  return table.tp[row]! / table.positives;
}

/**
 * 2(1-c)·π·tpr + 2c·(1-π)·(1-fpr), the accuracy at a cost proportion of false positives.
 *
 * Flach & Kull (2015, section 1) print c and 1-c the other way round.
 */
export function accuracy(table: Table, row: number, cost: number): number {
  const all = table.positives + table.negatives;
  const right = (table.positives / all) * y(table, row);
  return 2 * (1 - cost) * right + 2 * cost * ((table.negatives - table.fp[row]!) / all);
}

export function area(table: Table, path: Path): number {
  const sum = new Sum();
  for (let row = 1; row < path.x.length; row++) {
    const run = path.y[row]! - path.y[row - 1]!;
    sum.add((run / table.negatives) * (path.x[row]! + path.x[row - 1]!));
  }
  return sum.value / (2 * table.positives);
}

/** ½ + π(1-π)·(2·AUROC - 1). */
export function expectedAccuracy(table: Table, path: Path): number {
  const all = table.positives + table.negatives;
  const spread = (table.positives / all) * (table.negatives / all);
  return 0.5 + spread * (2 * area(table, path) - 1);
}
