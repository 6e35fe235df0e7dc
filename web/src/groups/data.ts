/** What Python says about groups; `src/isometrics/report/groups.py` is the other side of it. */

import { unpacked, type Packed } from "../packing";
import { pathOf, type Path } from "../path";
import type { Table } from "../table";

export interface GroupsData {
  /** What the common rule was chosen for, such as F1. */
  readonly objective: string;
  readonly higherIsBetter: boolean;
  /** The common rule: scores of this model from this threshold on are flagged. */
  readonly model: string;
  readonly threshold: string;
  readonly level: number;
  /** Whether one threshold serves all groups, in words. */
  readonly lines: readonly string[];
  /** The group that the common rule serves worst comes first. */
  readonly rows: readonly GroupData[];
  /** Some of the groups that could not be judged, and why. */
  readonly leftOut: readonly (readonly [string, string])[];
  readonly nLeftOut: number;
  /** How many groups are too small to be among those here. */
  readonly smaller: number;
}

type Maybe = number | null;

/** One group; null is what is not known. */
export interface GroupData {
  readonly name: string;
  readonly positives: number;
  readonly negatives: number;
  /** What the common rule achieves here. */
  readonly value: Maybe;
  readonly valueLower: Maybe;
  readonly valueUpper: Maybe;
  readonly counts: readonly [Maybe, Maybe];
  /** The best threshold of the common model here; empty where there is none. */
  readonly ownThreshold: string;
  readonly ownValue: Maybe;
  readonly ownCounts: readonly [Maybe, Maybe];
  /** How much better it is to be expected to be than the common one. */
  readonly gain: Maybe;
  readonly gainLower: Maybe;
  readonly gainUpper: Maybe;
  /** The group's own verdict. */
  readonly model: string;
  readonly threshold: string;
  readonly expected: Maybe;
  readonly lower: Maybe;
  readonly upper: Maybe;
  readonly sentence: string;
  /** By model; none of groups for which there was no room. */
  readonly curves: Readonly<Record<string, CurveData>>;
}

interface CurveData {
  readonly tp: Packed;
  readonly fp: Packed;
  readonly positives: number;
  readonly negatives: number;
}

export interface Curve {
  readonly table: Table;
  readonly path: Path;
}

/** The curve of a model in a group; null where it is not here. */
export function curveOf(group: GroupData, model: string): Curve | null {
  const data = Object.hasOwn(group.curves, model) ? group.curves[model]! : null;
  if (!data) return null;
  const tp = unpacked(data.tp);
  const table = tableOf(tp, unpacked(data.fp), data.positives, data.negatives);
  const path = pathOf(table);
  return path && { table, path };
}

/** A table that is good for a curve alone. */
export function tableOf(
  tp: Float64Array,
  fp: Float64Array,
  positives: number,
  negatives: number,
): Table {
  const thresholds = new Float64Array(tp.length).fill(NaN);
  return {
    kind: "curve",
    thresholds,
    below: null,
    tp,
    fp,
    positives,
    negatives,
    whole: false,
    labels: null,
  };
}
