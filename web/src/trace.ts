/** The curve of a table as a polyline to draw: bent where it curves, stepped where it steps. */

import type { Line } from "./isolines";
import type { Path } from "./path";
import type { Interpolation } from "./spaces/pr";
import type { Table } from "./table";

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
