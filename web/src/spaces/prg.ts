/** PRG space: precision gain over recall gain, where F_β has straight isometrics. */

import { Fraction, Sum } from "../arithmetic";
import { at, crossing, firstRowFrom, odds, type Path, type Table } from "../table";
import { weights } from "./pr";

/** Recall gain, 1 - c·fn/tp; -∞ without true positives. */
export function x(table: Table, row: number): number {
  return 1 - odds(table) * ((table.positives - table.tp[row]!) / table.tp[row]!);
}

/** Precision gain, 1 - c·fp/tp; NaN for the empty rule. */
export function y(table: Table, row: number): number {
  return 1 - odds(table) * (table.fp[row]! / table.tp[row]!);
}

/** F_β on the gain scale (Flach & Kull 2015, Th. 2). */
export function fGain(table: Table, row: number, beta: number): number {
  const [recall, precision] = weights(beta);
  const tp = table.tp[row]!;
  const missed = recall * (table.positives - tp) + precision * table.fp[row]!;
  return 1 - odds(table) * (missed / tp);
}

/** The signed area under the curve over recall gains from 0 to 1. */
export function area(table: Table, path: Path): number {
  const { positives } = table;
  const lost = new Sum();
  const add = (tp: number, fp: number, tpEnd: number, fpEnd: number, rise: number): void =>
    lost.add((rise / tp / (tpEnd / positives)) * (fp / tp + fpEnd / tpEnd));
  const zero = truePositivesAtNoGain(table);
  const first = firstRowFrom(path, zero);
  for (let row = path.x.length - 1; row > first; row--) {
    const rise = path.x[row]! - path.x[row - 1]!;
    if (rise) add(path.x[row - 1]!, path.y[row - 1]!, path.x[row]!, path.y[row]!, rise);
  }
  const [tp, fp] = at(path, first);
  if (tp.compare(zero) > 0) {
    const there = crossing(path, zero);
    add(zero.toNumber(), there.toNumber(), tp.toNumber(), fp.toNumber(), tp.minus(zero).toNumber());
  }
  const c = odds(table);
  return 1 - ((c * c) / 2) * lost.value;
}

/**
 * The F₁ gain expected when thresholds are drawn uniformly in Δ = recG/π - precG/(1-π)
 * (Flach & Kull 2015, Th. 3); NaN when all negatives rank above a recall of π.
 */
export function expectedFGain(table: Table, path: Path): number {
  const { positives, negatives } = table;
  const tp = truePositivesAtNoGain(table);
  const fp = crossing(path, tp);
  const all = Fraction.of(negatives);
  if (fp.compare(all) === 0) return NaN;
  const row = firstRowFrom(path, tp);
  const misses = (fn: number, fp: number, tp: number): number => (0.5 * fn + 0.5 * fp) / tp;
  const [rowTp, rowFp] = at(path, row);
  const step = all.minus(fp).over(tp).minus(all.minus(rowFp).over(rowTp)).toNumber();
  const missed = Fraction.of(positives).minus(tp).toNumber();
  const start = misses(missed, fp.toNumber(), tp.toNumber());
  const sum = new Sum();
  sum.add((start + misses(positives - path.x[row]!, path.y[row]!, path.x[row]!)) * step);
  for (let next = row + 1; next < path.x.length; next++) {
    const [a, b] = [path.x[next - 1]!, path.x[next]!];
    const [fa, fb] = [path.y[next - 1]!, path.y[next]!];
    const fall = ((negatives - fa) * ((b - a) / b)) / a + (fb - fa) / b;
    sum.add((misses(positives - a, fa, a) + misses(positives - b, fb, b)) * fall);
  }
  const mean = sum.value / 2 / all.minus(fp).over(tp).toNumber();
  return 1 - odds(table) * mean;
}

/** πP, the true positives at a recall gain of 0. */
function truePositivesAtNoGain(table: Table): Fraction {
  const positives = Fraction.of(table.positives);
  return positives.times(positives).over(positives.plus(Fraction.of(table.negatives)));
}
