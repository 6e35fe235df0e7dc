/** What panels draw as polylines: lines of equal F, F gain and accuracy, and the curves of tables. */

import type { SpaceName } from "./model";
import { weights, type Interpolation } from "./spaces/pr";
import type { Path, Table } from "./table";

export type Line = readonly (readonly [number, number])[];

const ROUNDING = 1e-12;
const POINTS = 80;

export function fIsoline(value: number, space: SpaceName, prevalence: number, beta: number): Line {
  const [recall, precision] = weights(beta);
  const odds = prevalence / (1 - prevalence);
  return within(space, prevalence, recall, precision, odds * ((1 - value) / value));
}

export function fGainIsoline(
  value: number,
  space: SpaceName,
  prevalence: number,
  beta: number,
): Line {
  const [recall, precision] = weights(beta);
  return within(space, prevalence, recall, precision, 1 - value);
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
  return within(space, prevalence, d / odds, b, a - d);
}

/** Points with recall·(1 - recall gain) + precision·(1 - precision gain) = loss. */
function within(
  space: SpaceName,
  prevalence: number,
  recall: number,
  precision: number,
  loss: number,
): Line {
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

type Points = [number, number][];

const HALF_A_PIXEL = 0.5;

export function traceRoc(table: Table, path: Path): Line {
  return Array.from(path.x, (tp, row) => [path.y[row]! / table.negatives, tp / table.positives]);
}

const LOWEST_GAIN = -2;

/** In PRG space a curve comes in from -∞; it is begun at a recall gain outside the square. */
export function tracePrg(table: Table, path: Path): Line {
  const odds = table.positives / table.negatives;
  const start = (odds * table.positives) / (1 + odds - LOWEST_GAIN);
  const points: Points = [];
  const add = (tp: number, fp: number): void => {
    points.push([1 - odds * ((table.positives - tp) / tp), 1 - odds * (fp / tp)]);
  };
  for (let row = 1; row < path.x.length; row++) {
    const [before, after] = [path.x[row - 1]!, path.x[row]!];
    if (after < start) continue;
    if (before < start) {
      const [from, to] = [path.y[row - 1]!, path.y[row]!];
      add(start, from + ((to - from) * (start - before)) / (after - before));
    }
    add(after, path.y[row]!);
  }
  return points;
}

export function tracePr(
  table: Table,
  path: Path,
  interpolation: Interpolation,
  width: number,
  height: number,
): Line {
  const points: Points = [];
  const add = (tp: number, fp: number): void => {
    points.push([tp / table.positives, tp / (tp + fp)]);
  };
  for (let row = 1; row < path.x.length; row++) {
    const [tp0, fp0, tp1, fp1] = [path.x[row - 1]!, path.y[row - 1]!, path.x[row]!, path.y[row]!];
    const [rise, run] = [tp1 - tp0, fp1 - fp0];
    if (rise === 0 && run === 0) continue;
    if (tp0 + fp0 === 0) {
      // From the empty rule to the first row precision is constant.
      if (tp1 > 0) points.push([0, tp1 / (tp1 + fp1)]);
    } else if (interpolation === "average-precision" && rise > 0) {
      points.push([tp0 / table.positives, tp1 / (tp1 + fp1)]);
    } else if (rise > 0 && interpolation !== "linear") {
      const parts =
        interpolation === "integer-steps" && rise <= width
          ? Math.ceil(rise)
          : bends(table, [tp0, fp0, tp1, fp1], width, height);
      for (let part = 1; part < parts; part++) {
        const share =
          interpolation === "integer-steps" && rise <= width
            ? part / rise
            : (((tp1 + fp1) / (tp0 + fp0)) ** (part / parts) - 1) / ((tp1 + fp1) / (tp0 + fp0) - 1);
        add(tp0 + share * rise, fp0 + share * run);
      }
    }
    add(tp1, fp1);
  }
  return interpolation === "max-precision" ? highestAhead(points) : points;
}

/** Into how many parts of equal growth a hyperbola is cut, so that no chord leaves it visibly. */
function bends(
  table: Table,
  [tp0, fp0, tp1, fp1]: readonly [number, number, number, number],
  width: number,
  height: number,
): number {
  const wide = ((tp1 - tp0) / table.positives) * width;
  const tall = Math.abs(tp1 / (tp1 + fp1) - tp0 / (tp0 + fp0)) * height;
  if (Math.min(wide, tall) <= HALF_A_PIXEL) return 1;
  const growth = Math.log((tp1 + fp1) / (tp0 + fp0));
  const root = Math.sqrt(wide * tall) / (2 * Math.sinh(growth / 2));
  return Math.ceil(growth / (2 * Math.acosh(1 + HALF_A_PIXEL / (Math.SQRT2 * root))));
}

/** Steps at the best precision reached at this recall or a higher one. */
function highestAhead(points: Points): Points {
  const steps: Points = [];
  let best = 0;
  for (let place = points.length - 1; place >= 0; place--) {
    const [x, y] = points[place]!;
    if (y > best) {
      steps.push([x, best], [x, y]);
      best = y;
    }
  }
  steps.push([0, best]);
  return steps.reverse();
}
