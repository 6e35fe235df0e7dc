/**
 * Lines of equal F score and accuracy in any space, as coordinates.
 *
 * In the losses of PRG space, 1 - gain, each is a straight line (Flach & Kull 2015, Th. 1, 2).
 */

import type { SpaceName } from "./model";
import { weights } from "./spaces/pr";

export type Line = readonly (readonly [number, number])[];

/** Points with recall·(1 - recall gain) + precision·(1 - precision gain) = loss. */
interface Losses {
  readonly recall: number;
  readonly precision: number;
  readonly loss: number;
}

const ROUNDING = 1e-12;
const POINTS = 80;

export function fIsoline(value: number, space: SpaceName, prevalence: number, beta: number): Line {
  const [recall, precision] = weights(beta);
  const odds = prevalence / (1 - prevalence);
  return within({ recall, precision, loss: odds * ((1 - value) / value) }, space, prevalence);
}

export function fGainIsoline(
  value: number,
  space: SpaceName,
  prevalence: number,
  beta: number,
): Line {
  const [recall, precision] = weights(beta);
  return within({ recall, precision, loss: 1 - value }, space, prevalence);
}

export function accuracyIsoline(
  value: number,
  space: SpaceName,
  prevalence: number,
  cost: number,
): Line {
  const [a, b] = [2 * (1 - cost) * prevalence, 2 * cost * (1 - prevalence)];
  const d = value - b;
  const odds = prevalence / (1 - prevalence);
  return within({ recall: d / odds, precision: b, loss: a - d }, space, prevalence);
}

function within({ recall, precision, loss }: Losses, space: SpaceName, prevalence: number): Line {
  const odds = prevalence / (1 - prevalence);
  if (space === "prg")
    return straight(recall, precision, loss)
      .map(([x, y]) => [1 - x, 1 - y] as const)
      .reverse();
  if (space === "roc") return straight(precision, -(recall * odds + loss), -recall * odds);
  const excess = loss / odds;
  if (precision === 0) return straight(excess + recall, 0, recall);
  if (recall === 0) return straight(0, excess + precision, precision);
  return hyperbola(recall, precision, excess);
}

/** The ends of a·x + b·y = c in the unit square, the one with the smaller x first. */
function straight(a: number, b: number, c: number): Line {
  if (Math.abs(a) > Math.abs(b))
    return straight(b, a, c)
      .map(([x, y]) => [y, x] as const)
      .sort((one, two) => one[0] - two[0]);
  if (b === 0) return [];
  let [lo, hi] = [0, 1];
  if (a !== 0) {
    const [bottom, top] = [c / a, (c - b) / a];
    [lo, hi] = [Math.max(lo, Math.min(bottom, top)), Math.min(hi, Math.max(bottom, top))];
  }
  const ends = [lo, hi].map((x) => [x, (c - a * x) / b] as const);
  if (lo > hi + ROUNDING || ends.some(([, y]) => Math.abs(y - 0.5) > 0.5 + ROUNDING)) return [];
  return ends;
}

/** Points of the unit square with recall·(1/x - 1) + precision·(1/y - 1) = excess. */
function hyperbola(recall: number, precision: number, excess: number): Line {
  const height = precision + excess > 0 ? precision / (precision + excess) : Infinity;
  if (recall >= 0 && height > 1 + ROUNDING) return [];
  const room = recall + excess;
  const start = recall < 0 ? 0 : room > 0 ? Math.min(recall / room, 1) : 1;
  const total = excess + recall + precision;
  const points: [number, number][] = [];
  for (let step = 0; step <= POINTS; step++) {
    const x = start + ((1 - start) * step) / POINTS;
    const y = (precision * x) / (total * x - recall);
    if (y >= 0 && y <= 1 + ROUNDING) points.push([x, y]);
  }
  // Where the line is steep, as many points are spaced evenly in y.
  const [top, bottom] = [recall < 0 ? 0 : 1, Math.min(height, 1)];
  for (let step = 0; step <= POINTS; step++) {
    const y = top + ((bottom - top) * step) / POINTS;
    const x = (recall * y) / (total * y - precision);
    if (x >= 0 && x <= 1) points.push([x, y]);
  }
  return points.sort((one, two) => one[0] - two[0] || two[1] - one[1]);
}
