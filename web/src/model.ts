/** What the page is given; `src/isometrics/report/model.py` is the other side of it. */

import { areasOf, type Bracket, type Measure } from "./measures";
import type { GroupsData } from "./groups/data";
import { histogramOf, type Histogram } from "./histogram";
import { packedCounts, packedFloats, unpacked, type Packed } from "./packing";
import { isNested, take, type Kind, type Table } from "./table";
import { rowsToExplore } from "./thinning";

export const VERSION = 1;

export type SpaceName = "roc" | "pr" | "prg";

export interface ReportData {
  readonly version: number;
  readonly title: string;
  readonly description: string;
  readonly models: readonly ModelData[];
  /** The confidence of intervals; 95 % if not given. */
  readonly confidence?: Confidence;
  /** What Python says of the models: one verdict, or one for each class; none of dropped files. */
  readonly verdicts?: readonly Verdict[];
  /** Whether the models are the classes of one classifier, each against all others. */
  readonly classes?: boolean;
  /** What one rule does in each group of rows. */
  readonly groups?: GroupsData;
}

export interface Confidence {
  readonly level: number;
  /** How many standard errors an interval of this confidence reaches to either side. */
  readonly z: number;
}

export const USUAL: Confidence = { level: 0.95, z: 1.959963984540054 };

export interface Verdict {
  /** The class, or empty. */
  readonly name: string;
  readonly objective: string;
  /** The β of F_β without constraints; null for other objectives. */
  readonly beta: number | null;
  readonly lines: readonly string[];
}

export interface ModelData {
  readonly name: string;
  readonly kind: Kind;
  readonly positives: number;
  readonly negatives: number;
  readonly whole: boolean;
  /** How many rows the table had before it was thinned. */
  readonly rows: number;
  /** Whether no row is missing, so that areas can be computed anew. */
  readonly complete: boolean;
  readonly thresholds: Packed;
  /** Whether thresholds lost digits, because a browser has no long doubles. */
  readonly rounded: boolean;
  /** The next lower score of each row, NaN if unknown; null where the next row has it. */
  readonly below?: Packed | null;
  readonly tp: Packed;
  readonly fp: Packed;
  readonly labels: readonly string[] | null;
  /** Null where an area is not defined. */
  readonly areas: Readonly<Record<string, readonly [number | null, number | null]>>;
  readonly histogram: HistogramData | null;
  readonly bands: readonly BandData[];
}

interface HistogramData {
  readonly lo: number;
  readonly hi: number;
  readonly positives: Packed;
  readonly negatives: Packed;
  readonly below: readonly [number, number];
  readonly above: readonly [number, number];
}

interface BandData extends BandNames {
  readonly x: Packed;
  readonly lo: Packed;
  readonly hi: Packed;
}

interface BandNames {
  readonly space: SpaceName | "tradeoff";
  /** The index in tradeoff space, else empty. */
  readonly index: string;
  /** What the band promises, such as "pointwise". */
  readonly kind: string;
  /** The confidence. */
  readonly level: number;
}

/** A confidence band around a curve. */
export interface Band extends BandNames {
  readonly x: Float64Array;
  readonly lo: Float64Array;
  readonly hi: Float64Array;
}

/** One model as the page works with it. */
export interface Model {
  readonly name: string;
  readonly table: Table;
  readonly rows: number;
  readonly complete: boolean;
  readonly rounded: boolean;
  readonly areas: ReadonlyMap<string, Bracket>;
  readonly histogram: Histogram | null;
  readonly bands: readonly Band[];
}

export class VersionError extends Error {}

export function modelsOf(data: ReportData): Model[] {
  if (data.version !== VERSION)
    throw new VersionError(
      `this page reads reports of version ${VERSION}, but the data has version ${data.version}`,
    );
  return data.models.map(modelOf);
}

function modelOf(data: ModelData): Model {
  const limit = (value: number | null): number => value ?? NaN;
  return {
    name: data.name,
    rows: data.rows,
    complete: data.complete,
    rounded: data.rounded,
    table: {
      kind: data.kind,
      thresholds: unpacked(data.thresholds),
      below: data.below ? unpacked(data.below) : data.complete ? null : unknown(data),
      tp: unpacked(data.tp),
      fp: unpacked(data.fp),
      positives: data.positives,
      negatives: data.negatives,
      whole: data.whole,
      labels: data.labels,
    },
    areas: new Map(
      Object.entries(data.areas).map(([name, [lo, hi]]) => [name, [limit(lo), limit(hi)]]),
    ),
    histogram: data.histogram && {
      ...data.histogram,
      positives: unpacked(data.histogram.positives),
      negatives: unpacked(data.histogram.negatives),
    },
    bands: data.bands.map((band) => ({
      ...band,
      x: unpacked(band.x),
      lo: unpacked(band.lo),
      hi: unpacked(band.hi),
    })),
  };
}

function unknown(data: ModelData): Float64Array {
  return unpacked(data.thresholds).fill(NaN);
}

/** The data of a table that was counted here: thinned, with the areas of all its rows. */
export function dataOf(name: string, table: Table): ModelData {
  const kept = isNested(table) ? take(table, rowsToExplore(table), table.kind) : table;
  const complete = kept.tp.length === table.tp.length;
  const histogram = histogramOf(table);
  const known = (value: number): number | null => (Number.isFinite(value) ? value : null);
  const areas: Record<string, readonly [number | null, number | null]> = {};
  for (const [measure, [lo, hi]] of Object.entries(areasOf(table)) as [Measure, Bracket][])
    areas[measure] = [known(lo), known(hi)];
  return {
    name,
    kind: table.kind,
    positives: table.positives,
    negatives: table.negatives,
    whole: table.whole,
    rows: table.tp.length,
    complete,
    thresholds: packedFloats(kept.thresholds),
    below: complete || !kept.below ? null : packedFloats(kept.below),
    rounded: false,
    tp: packedCounts(kept.tp, table.whole),
    fp: packedCounts(kept.fp, table.whole),
    labels: kept.labels,
    areas,
    histogram: histogram && {
      ...histogram,
      positives: packedCounts(histogram.positives, table.whole),
      negatives: packedCounts(histogram.negatives, table.whole),
    },
    bands: [],
  };
}
