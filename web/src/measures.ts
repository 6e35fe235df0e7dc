/** The measures of one table, and the limits between which they lie; `isometrics.measures` in Python. */

import * as pr from "./spaces/pr";
import * as prg from "./spaces/prg";
import * as roc from "./spaces/roc";
import { pathOf, type Path, type Table } from "./table";

/** Limits of a number; equal where it is known exactly, NaN where it is not defined. */
export type Bracket = readonly [number, number];

// The printed names: they stand here only, and in Python in `isometrics.measures`.
export const AUROC = "AUROC";
export const AUPR = "AUPR";
export const AVERAGE_PRECISION = "average precision";
export const AUPR_LINEAR = "AUPR, linear";
export const AUPR_INTEGER_STEPS = "AUPR, integer steps";
export const AUPR_MAX_PRECISION = "AUPR, max precision";
export const AUPR_NORMALISED = "AUPR, normalised";
export const AUPRG = "AUPRG";
export const EXPECTED_F1_GAIN = "expected F1 gain";
export const EXPECTED_ACCURACY = "expected accuracy";

export const AREAS = {
  [AUROC]: roc.area,
  [AUPR]: pr.area,
  [AVERAGE_PRECISION]: (table, path) => pr.area(table, path, "average-precision"),
  [AUPR_LINEAR]: (table, path) => pr.area(table, path, "linear"),
  [AUPR_INTEGER_STEPS]: (table, path) => pr.area(table, path, "integer-steps"),
  [AUPR_MAX_PRECISION]: (table, path) => pr.area(table, path, "max-precision"),
  [AUPR_NORMALISED]: pr.normalisedArea,
  [AUPRG]: prg.area,
  [EXPECTED_F1_GAIN]: prg.expectedFGain,
  [EXPECTED_ACCURACY]: roc.expectedAccuracy,
} satisfies Record<string, (table: Table, path: Path) => number>;
export type Measure = keyof typeof AREAS;

export const AREA_OF = {
  "davis-goadrich": AUPR,
  "average-precision": AVERAGE_PRECISION,
  linear: AUPR_LINEAR,
  "integer-steps": AUPR_INTEGER_STEPS,
  "max-precision": AUPR_MAX_PRECISION,
} as const satisfies Record<pr.Interpolation, Measure>;

/** What the page says about the measures of its table. */
export const TERMS_OF_MEASURES = {
  [AUROC]:
    "Area under the ROC curve: the probability that a positive has a higher score than a negative.",
  [AUPR]:
    "Area under the PR curve: the mean precision over all recalls. How points are joined changes it, so its interpolation is always named.",
  [AUPRG]:
    "Area under the PRG curve: 1 is perfect, 0 is no better than calling everything positive, and it can be negative.",
} as const;

/** The areas of a table that has all its rows. */
export function areasOf(table: Table): Record<Measure, Bracket> {
  const path = pathOf(table);
  const found: Partial<Record<Measure, Bracket>> = {};
  for (const measure of Object.keys(AREAS) as Measure[]) {
    const value = path ? AREAS[measure](table, path) : NaN;
    found[measure] = [value, value];
  }
  return found as Record<Measure, Bracket>;
}

type Area = (table: Table, path: Path) => number;

/**
 * How to bound an area from above and from below.
 *
 * What is left out between two rows lies in the rectangle they span: precision is lowest if all
 * negatives come first there, and highest if all positives do. Between rows that are not known,
 * steps at the end of a piece are at least, and straight lines at most, what the bent curve gives,
 * because tp/(tp + fp) is concave in tp; maximum precision only rises with more rows.
 */
const LIMITS: Record<
  typeof AUROC | typeof AUPRG | (typeof AREA_OF)[pr.Interpolation],
  { low: Area; high: Area; lowFromRows?: true }
> = {
  [AUROC]: { low: roc.area, high: roc.area },
  [AUPR]: { low: pr.area, high: pr.area },
  [AVERAGE_PRECISION]: { low: pr.area, high: AREAS[AVERAGE_PRECISION] },
  [AUPR_LINEAR]: { low: AREAS[AUPR_LINEAR], high: pr.area },
  [AUPR_INTEGER_STEPS]: { low: AREAS[AUPR_LINEAR], high: pr.area },
  [AUPR_MAX_PRECISION]: {
    low: AREAS[AUPR_MAX_PRECISION],
    high: AREAS[AUPR_MAX_PRECISION],
    lowFromRows: true,
  },
  [AUPRG]: { low: prg.area, high: prg.area },
};
export const BOUNDED = Object.keys(LIMITS) as BoundedMeasure[];
export type BoundedMeasure = keyof typeof LIMITS;

/** Limits of an area of a table that lacks some rows. */
export function areaBetween(table: Table, measure: BoundedMeasure): Bracket {
  const path = pathOf(table);
  if (!path) return [NaN, NaN];
  const { low, high, lowFromRows } = LIMITS[measure];
  return [low(table, lowFromRows ? path : detour(path, false)), high(table, detour(path, true))];
}

function detour(path: Path, positivesFirst: boolean): Path {
  const length = path.x.length;
  const x = new Float64Array(2 * length - 1);
  const y = new Float64Array(2 * length - 1);
  for (let row = 0; row < length; row++) {
    x[2 * row] = path.x[row]!;
    y[2 * row] = path.y[row]!;
    if (row + 1 === length) break;
    x[2 * row + 1] = path.x[positivesFirst ? row + 1 : row]!;
    y[2 * row + 1] = path.y[positivesFirst ? row : row + 1]!;
  }
  return { x, y };
}
