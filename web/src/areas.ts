/** The areas of one table in all spaces, and the limits between which they lie. */

import { pathOf, type Path } from "./path";
import * as pr from "./spaces/pr";
import * as prg from "./spaces/prg";
import * as roc from "./spaces/roc";
import type { Table } from "./table";

/** Limits of a number; equal where it is known exactly, NaN where it is not defined. */
export type Bracket = readonly [number, number];

export const AREAS = {
  AUROC: roc.area,
  AUPR: pr.area,
  "average precision": (table, path) => pr.area(table, path, "average-precision"),
  "AUPR, linear": (table, path) => pr.area(table, path, "linear"),
  "AUPR, integer steps": (table, path) => pr.area(table, path, "integer-steps"),
  "AUPR, max precision": (table, path) => pr.area(table, path, "max-precision"),
  "AUPR, normalised": pr.normalisedArea,
  AUPRG: prg.area,
  "expected F1 gain": prg.expectedFGain,
  "expected accuracy": roc.expectedAccuracy,
} satisfies Record<string, (table: Table, path: Path) => number>;
export type Measure = keyof typeof AREAS;

export const AREA_OF = {
  "davis-goadrich": "AUPR",
  "average-precision": "average precision",
  linear: "AUPR, linear",
  "integer-steps": "AUPR, integer steps",
  "max-precision": "AUPR, max precision",
} as const satisfies Record<pr.Interpolation, Measure>;

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
  "AUROC" | "AUPRG" | (typeof AREA_OF)[pr.Interpolation],
  { low: Area; high: Area; lowFromRows?: true }
> = {
  AUROC: { low: roc.area, high: roc.area },
  AUPR: { low: pr.area, high: pr.area },
  "average precision": { low: pr.area, high: AREAS["average precision"] },
  "AUPR, linear": { low: AREAS["AUPR, linear"], high: pr.area },
  "AUPR, integer steps": { low: AREAS["AUPR, linear"], high: pr.area },
  "AUPR, max precision": {
    low: AREAS["AUPR, max precision"],
    high: AREAS["AUPR, max precision"],
    lowFromRows: true,
  },
  AUPRG: { low: prg.area, high: prg.area },
};
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
