/** PR space: precision over recall, where the way between two points is a curve. */

import { Sum } from "../arithmetic";
import type { Path, Table } from "../table";

export const INTERPOLATIONS = [
  "davis-goadrich",
  "average-precision",
  "linear",
  "integer-steps",
  "max-precision",
] as const;
export type Interpolation = (typeof INTERPOLATIONS)[number];

export function x(table: Table, row: number): number {
  return table.tp[row]! / table.positives;
}

/** Precision; NaN for the empty rule, which predicts nothing. */
export function y(table: Table, row: number): number {
  return table.tp[row]! / (table.tp[row]! + table.fp[row]!);
}

/** tp/(tp + λ·fn + (1-λ)·fp) with λ = β²/(1+β²). */
export function f(table: Table, row: number, beta: number): number {
  const [recall, precision] = weights(beta);
  const tp = table.tp[row]!;
  return tp / (tp + (recall * (table.positives - tp) + precision * table.fp[row]!));
}

/** The weights of recall and precision, λ = β²/(1+β²) and 1 - λ. */
export function weights(beta: number): [number, number] {
  if (beta <= 1) return [(beta * beta) / (1 + beta * beta), 1 / (1 + beta * beta)];
  const inverse = (1 / beta) * (1 / beta);
  return [1 / (1 + inverse), inverse / (1 + inverse)];
}

/** A part of the path on which true positives rise. */
interface Piece {
  readonly tp: number;
  readonly fp: number;
  readonly rise: number;
  readonly run: number;
  readonly start: number;
  readonly end: number;
}

function piece(path: Path, row: number): Piece {
  const tp = path.x[row - 1]!;
  const fp = path.y[row - 1]!;
  const end = path.x[row]! / (path.x[row]! + path.y[row]!);
  // From the empty rule to the first row precision is constant.
  const start = tp + fp === 0 ? end : tp / (tp + fp);
  return { tp, fp, rise: path.x[row]! - tp, run: path.y[row]! - fp, start, end };
}

const PIECES: Record<Exclude<Interpolation, "max-precision">, (piece: Piece) => number> = {
  // Exact while fp is linear in tp (Davis & Goadrich 2006, section 4).
  "davis-goadrich": ({ tp, fp, rise, run }) => areaOfShare(rise, tp, rise, fp, run),
  "average-precision": ({ rise, end }) => rise * end,
  linear,
  "integer-steps": integerSteps,
};

export function area(
  table: Table,
  path: Path,
  interpolation: Interpolation = "davis-goadrich",
): number {
  const sum = new Sum();
  let best = 0;
  // Steps of maximum precision look ahead, so the last piece comes first.
  for (let row = path.x.length - 1; row > 0; row--) {
    if (path.x[row] === path.x[row - 1]) continue;
    const part = piece(path, row);
    if (interpolation === "max-precision") {
      best = Math.max(best, part.end);
      sum.add(part.rise * best);
    } else sum.add(PIECES[interpolation](part));
  }
  return sum.value / table.positives;
}

/**
 * The area under one/(one + other) while both move linearly by their steps.
 *
 * With n = one + other and w = its step, it is
 * (oneStep + (one·otherStep - oneStep·other)/w · ln(1 + w/n))/w · width; log1p keeps short pieces
 * accurate.
 */
function areaOfShare(
  width: number,
  one: number,
  oneStep: number,
  other: number,
  otherStep: number,
): number {
  const total = one + other || 1;
  const step = oneStep + otherStep;
  const growth = Math.min(step / total, Number.MAX_VALUE);
  const bend = ((one * otherStep - oneStep * other) / step) * Math.log1p(growth);
  return ((bend + oneStep) / step) * width;
}

/** The exact area on a scale from 0, the worst ranking, to 1, a perfect one (Boyd et al. 2012). */
export function normalisedArea(table: Table, path: Path): number {
  const above = new Sum();
  for (let row = 1; row < path.x.length; row++) {
    if (path.x[row] === path.x[row - 1]) continue;
    const { tp, fp, rise, run } = piece(path, row);
    above.add(areaOfShare(rise, fp, run, tp, rise));
  }
  const { positives, negatives } = table;
  const widest = (negatives / positives) * Math.log1p(positives / negatives);
  return 1 - above.value / positives / widest;
}

function linear({ rise, start, end }: Piece): number {
  return (rise * (start + end)) / 2;
}

/** Straight lines between points at every whole true positive from the start on. */
function integerSteps(part: Piece): number {
  const { tp, fp, rise, run, start, end } = part;
  if (rise <= 1) return linear(part);
  const growth = 1 + run / rise;
  const offset = (tp + fp) / growth;
  const full = Math.max(Math.ceil(rise) - 1, 0);
  const inside = (tp + full) / (growth * (offset + full));
  const before = offset === 0 ? end : full === 0 ? start : inside;
  const inner = full / growth + ((tp - offset) / growth) * harmonic(offset, full);
  const whole = full > 0 ? start / 2 + inner - before / 2 : 0;
  return whole + ((rise - full) * (before + end)) / 2;
}

const DIRECT = 24;

/**
 * The sum of 1/(offset + k) for k = 1 … count: the first terms one by one, the rest by the
 * Euler-Maclaurin series of the digamma function, whose differences are factored.
 */
function harmonic(offset: number, count: number): number {
  let total = 0;
  for (let k = 1; k <= Math.min(DIRECT, count); k++) total += 1 / (offset + k);
  const low = offset + DIRECT + 1;
  const steps = Math.max(count - DIRECT, 0);
  const high = low + steps;
  const gap = steps / (low * high);
  const squares = gap * (1 / low + 1 / high);
  const fourths = squares * (1 / low ** 2 + 1 / high ** 2);
  const sixths = 1 / low ** 6 - 1 / high ** 6;
  return total + Math.log1p(steps / low) + gap / 2 + squares / 12 - fourths / 120 + sixths / 252;
}
