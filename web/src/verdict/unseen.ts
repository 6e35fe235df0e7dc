/**
 * Rows that a sample did not show, for the spread of rules that make few errors or none.
 *
 * `src/isometrics/verdict/unseen.py` is the other side of it, and says why.
 */

import type { Counts } from "../objective";
import type { Contest } from "./contest";

/** True or false positives or negatives that are as many spread in a bootstrap as they should. */
const FEW = 5;
/** The root of x⁹ = x + 1; multiples of its powers fill a cube of eight dimensions evenly. */
const ROOT = 1.0850702454914507;
const STEPS = [1, 2, 3, 4, 5, 6, 7, 8].map((power) => ROOT ** -power);

/** How large the rows are that tp, fp, fn and tn of a rule get; 0 where they are enough. */
export type Unseen = readonly [number, number, number, number];

/** Draws rows for those of tp, fp, fn and tn that are fewer than five; null where none is. */
export function unseenRows(contest: Contest, model: number, rule: number): Unseen | null {
  const { tp, fp } = contest.rankings[model]!;
  if (!(rule > 0 && rule < tp.length - 1)) return null;
  const units = [1, 0].map((label) => unitOf(contest, label)) as [number, number];
  const cells = [
    tp[rule]!,
    fp[rule]!,
    contest.positives - tp[rule]!,
    contest.negatives - fp[rule]!,
  ];
  const sizes = cells.map((cell, place) =>
    cell < FEW * units[place % 2]! ? units[place % 2]! : 0,
  ) as unknown as Unseen;
  return sizes.some((size) => size > 0) ? sizes : null;
}

/** What one row of a class is worth: Σw²/Σw. */
function unitOf({ labels, weights }: Contest, label: number): number {
  if (!weights) return 1;
  let [squares, sum] = [0, 0];
  weights.forEach((weight, row) => {
    if (labels[row] !== label) return;
    squares += weight * weight;
    sum += weight;
  });
  return squares / sum;
}

/** The counts of a rule in a replicate, with the rows besides. */
export function withUnseen(counts: Counts, unseen: Unseen, replicate: number): Counts {
  const [tp, fp, fn, tn] = unseen.map((size, place) => size && size * halfGamma(replicate, place));
  return {
    tp: counts.tp + tp!,
    fp: counts.fp + fp!,
    positives: counts.positives + tp! + fn!,
    negatives: counts.negatives + fp! + tn!,
  };
}

/** A variate of the gamma distribution of the shape ½ (Box & Muller 1958, Roberts 2018). */
function halfGamma(replicate: number, place: number): number {
  const [first, second] = [place, place + 4].map((each) => ((replicate + 1) * STEPS[each]!) % 1);
  return -Math.log(first!) * Math.cos(2 * Math.PI * second!) ** 2;
}
