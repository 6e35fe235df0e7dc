/** What the page is given; `src/isometrics/report/model.py` is the other side of it. */

import { count, histogramOf, rowsToExplore, type Histogram, type Sample } from "./count";
import type { GroupsData } from "./groups";
import { areasOf, type Bracket, type Measure } from "./measures";
import {
  packedBelow,
  packedCounts,
  packedFloats,
  packedIntegers,
  unpacked,
  unpackedBelow,
  type Packed,
} from "./packing";
import type { Settings } from "./state";
import { HIGHEST_SCORE, isNested, take, type Table } from "./table";
import type { Rows } from "./verdict/contest";

export const VERSION = 2;

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
  /** The rows of all models, where there are few enough, so that the page can judge by itself. */
  readonly rows?: RowsData | null;
  /** What Python says for other settings, where the page does not have the rows. */
  readonly others?: OthersData | null;
}

export interface OthersData {
  /** The β among the settings, rising. */
  readonly betas: readonly JsonNumber[];
  /** How many resamples each verdict comes from, or more. */
  readonly replicates: number;
  /** A list of `StoredVerdict` as JSON, deflated. */
  readonly verdicts: string;
}

export type StoredVerdict = Required<Pick<Verdict, "settings" | "lines" | "picture">>;

export interface RowsData {
  readonly labels: Packed;
  readonly weights: Packed | null;
  /** For each model, which of its distinct scores, from the highest on, each row has: 1, 2, … */
  readonly ranks: readonly Packed[];
  /** The distinct scores of each model, highest first. */
  readonly thresholds: readonly Packed[];
  /** The prevalence to which the tables were moved; null: their own. */
  readonly prevalence: number | null;
}

export interface Confidence {
  readonly level: number;
  /** How many standard errors an interval of this confidence reaches to either side. */
  readonly z: number;
}

export const USUAL: Confidence = { level: 0.95, z: 1.959963984540054 };

/** JSON has no infinity: it is a text. */
export type JsonNumber = number | "inf";

export function numberOf(value: JsonNumber): number {
  return value === "inf" ? Infinity : value;
}

/** The settings that ask for a verdict. */
export function settingsOf({ settings }: Pick<Verdict, "settings">): Partial<Settings> {
  if (settings?.beta === undefined) return (settings ?? {}) as Partial<Settings>;
  return { ...settings, beta: numberOf(settings.beta) };
}

export interface Verdict {
  /** The class, or empty. */
  readonly name: string;
  readonly objective: string;
  /** The settings that ask for it; "given" is what the page cannot ask for. */
  readonly settings?: Partial<Omit<Settings, "beta">> & { readonly beta?: JsonNumber };
  readonly lines: readonly string[];
  /** How many resamples it comes from; 0 if only the tables were looked at. */
  readonly replicates?: number;
  readonly level?: number;
  readonly picture?: Picture | null;
  /** At evenly spaced weights of recall, the share of resamples that each model wins. */
  readonly shares?: {
    readonly costs: boolean;
    readonly wins: readonly (readonly (number | null)[])[];
  } | null;
}

/** What to expect of each model at the threshold chosen for it; null or NaN where that is not known. */
export interface Picture {
  readonly models: readonly {
    readonly name: string;
    /** Chosen for new data; null or NaN where none keeps what was asked for. */
    readonly threshold: JsonNumber | null;
    readonly here: number | null;
    readonly expected: number | null;
    readonly lower: number | null;
    readonly upper: number | null;
  }[];
  readonly chosen: string;
  readonly everything: number | null;
  readonly nothing: number | null;
}

export interface ModelData extends Omit<Table, "thresholds" | "below" | "tp" | "fp"> {
  readonly name: string;
  /** How many rows the table had before it was thinned. */
  readonly rows: number;
  /** Whether no row is missing, so that areas can be computed anew. */
  readonly complete: boolean;
  /** Null, like the counts, where the page counts the rows itself. */
  readonly thresholds: Packed | null;
  /** Whether thresholds lost digits, because a browser has no long doubles. */
  readonly rounded: boolean;
  /** How far the next lower score lies below each threshold; null where the next row has it. */
  readonly below?: Packed | null;
  readonly tp: Packed | null;
  readonly fp: Packed | null;
  /** Null where an area is not defined. */
  readonly areas: Readonly<Record<string, readonly [number | null, number | null]>>;
  readonly histogram: Histogram<Packed> | null;
  readonly bands: readonly Band<Packed>[];
  /** Where there is tuning data: its rules, with their counts there and here. */
  readonly tuning?: TuningData;
}

interface TuningData {
  readonly positives: number;
  readonly negatives: number;
  /** Whether every rule is here, and not only those that are best for some β or some costs. */
  readonly complete: boolean;
  readonly thresholds: Packed;
  /** The highest score below each threshold in either data set. */
  readonly below: Packed;
  readonly tp: Packed;
  readonly fp: Packed;
  readonly tpHere: Packed;
  readonly fpHere: Packed;
}

/** A confidence band around a curve. */
export interface Band<Numbers = Float64Array> {
  readonly space: SpaceName | "tradeoff";
  /** The index in tradeoff space, else empty. */
  readonly index: string;
  /** What the band promises, such as "pointwise". */
  readonly kind: string;
  /** The confidence. */
  readonly level: number;
  readonly x: Numbers;
  readonly lo: Numbers;
  readonly hi: Numbers;
}

/** One model as the page works with it. */
export interface Model extends Pick<ModelData, "name" | "rows" | "complete" | "rounded"> {
  readonly table: Table;
  readonly areas: ReadonlyMap<string, Bracket>;
  readonly histogram: Histogram | null;
  readonly bands: readonly Band[];
  readonly tuning: Tuning | null;
}

/** The rules of tuning data. */
export interface Tuning {
  readonly complete: boolean;
  readonly table: Table;
  /** The same rules on the rows of the page, row by row. */
  readonly here: Table;
}

export function modelsOf(data: ReportData): Model[] {
  if (data.version !== VERSION)
    throw new Error(
      `this page reads reports of version ${VERSION}, but the data has version ${data.version}`,
    );
  const rows = data.rows && rowsOf(data.rows, data.models);
  return data.models.map((model, place) => modelOf(model, rows ?? null, place));
}

function modelOf(data: ModelData, rows: Rows | null, place: number): Model {
  const limit = (value: number | null): number => value ?? NaN;
  const { name, rows: size, complete, rounded } = data;
  return {
    ...{ name, rows: size, complete, rounded },
    table: data.thresholds ? tableOf(data, data.thresholds) : countedTable(data, rows!, place),
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
    tuning: data.tuning ? tuningOf(data.tuning, data) : null,
  };
}

function tuningOf(data: TuningData, { positives, negatives }: ModelData): Tuning {
  const table: Table = {
    kind: "scores",
    thresholds: unpacked(data.thresholds),
    below: unpacked(data.below),
    tp: unpacked(data.tp),
    fp: unpacked(data.fp),
    positives: data.positives,
    negatives: data.negatives,
    whole: "whole" in data.tp && "whole" in data.fp,
    labels: null,
  };
  const [tp, fp] = [unpacked(data.tpHere), unpacked(data.fpHere)];
  const here: Table = { ...table, kind: "selection", tp, fp, positives, negatives };
  return { complete: data.complete, table, here };
}

function tableOf(data: ModelData, packed: Packed): Table {
  const thresholds = unpacked(packed);
  const unknown = (): Float64Array => new Float64Array(thresholds.length).fill(NaN);
  const { kind, positives, negatives, whole, labels } = data;
  return {
    ...{ kind, positives, negatives, whole, labels, thresholds },
    below: data.below ? unpackedBelow(thresholds, data.below) : data.complete ? null : unknown(),
    tp: unpacked(data.tp!),
    fp: unpacked(data.fp!),
  };
}

/** The table of a model whose rows are here, thinned as Python would have done it. */
function countedTable(data: ModelData, rows: Rows, place: number): Table {
  const [ranks, scores] = [rows.ranks[place]!, rows.thresholds[place]!];
  return count({
    labels: rows.labels,
    scores: Float64Array.from(ranks, (rank) => scores[rank]!),
    weights: rows.weights,
    whole: data.whole,
  });
}

/** The data of a table that was counted here: thinned, with the areas of all its rows. */
export function dataOf(name: string, table: Table): ModelData {
  const kept = isNested(table) ? take(table, rowsToExplore(table), table.kind) : table;
  const complete = kept.tp.length === table.tp.length;
  const histogram = histogramOf(table);
  const { kind, positives, negatives, whole } = table;
  const known = (value: number): number | null => (Number.isFinite(value) ? value : null);
  const areas: Record<string, readonly [number | null, number | null]> = {};
  for (const [measure, [lo, hi]] of Object.entries(areasOf(table)) as [Measure, Bracket][])
    areas[measure] = [known(lo), known(hi)];
  return {
    ...{ name, kind, positives, negatives, whole, complete },
    rows: table.tp.length,
    thresholds: packedFloats(kept.thresholds),
    below: complete || !kept.below ? null : packedBelow(kept.thresholds, kept.below),
    rounded: false,
    tp: packedCounts(kept.tp, whole),
    fp: packedCounts(kept.fp, whole),
    labels: kept.labels,
    areas,
    histogram: histogram && {
      ...histogram,
      positives: packedCounts(histogram.positives, whole),
      negatives: packedCounts(histogram.negatives, whole),
    },
    bands: [],
  };
}

/** Rows times models up to which a page has the rows. */
export const MOST_ROWS = 20_000;

/** The data of models that were counted here on the same rows, so that the page can judge them. */
export function dataOfRows(
  { labels, weights, whole }: Omit<Sample, "scores">,
  scores: readonly Float64Array[],
  tables: ReadonlyMap<string, Table>,
): Pick<ReportData, "models" | "rows"> {
  // A verdict may choose any row.
  const counted = { thresholds: null, below: null, tp: null, fp: null, complete: true };
  const ranks = [...tables.values()].map(({ thresholds }, model) => {
    const rankOf = new Map(Array.from(thresholds, (threshold, rank) => [threshold, rank]));
    return packedIntegers(
      Array.from(scores[model]!, (score) => rankOf.get(Math.min(score, HIGHEST_SCORE))!),
    );
  });
  return {
    // The page counts the rows itself.
    models: [...tables].map(([name, table]) => ({ ...dataOf(name, table), ...counted })),
    rows: {
      labels: packedIntegers(labels),
      weights: weights && packedCounts(weights, whole),
      ranks,
      thresholds: [...tables.values()].map(({ thresholds }) => packedFloats(thresholds.slice(1))),
      prevalence: null,
    },
  };
}

/** The rows of all models; null where the page does not have them. */
export function modelRows(data: ReportData, models: readonly Model[]): Rows | null {
  if (data.rows) return rowsOf(data.rows, data.models);
  const [only] = models;
  return only && models.length === 1 ? rowsOfTable(only) : null;
}

function rowsOf(data: RowsData, models: readonly ModelData[]): Rows {
  const { labels, weights, ranks, thresholds } = data;
  return {
    labels: Uint8Array.from(unpacked(labels)),
    weights: weights && unpacked(weights),
    names: models.map(({ name }) => name),
    ranks: ranks.map((each) => Uint32Array.from(unpacked(each))),
    thresholds: thresholds.map((each) => Float64Array.of(Infinity, ...unpacked(each))),
  };
}

/** The rows that the table of one model counted; null where it does not tell them. */
function rowsOfTable({ name, table, complete, rounded }: Model): Rows | null {
  const total = table.positives + table.negatives;
  if (!complete || rounded || table.kind !== "scores" || !table.whole || total > MOST_ROWS)
    return null;
  const [labels, ranks] = [new Uint8Array(total), new Uint32Array(total)];
  let row = 0;
  for (let rank = 1; rank < table.tp.length; rank++)
    for (const [label, counts] of [
      [1, table.tp],
      [0, table.fp],
    ] as const)
      for (let count = counts[rank]! - counts[rank - 1]!; count > 0; count--) {
        labels[row] = label;
        ranks[row++] = rank;
      }
  return { labels, weights: null, names: [name], ranks: [ranks], thresholds: [table.thresholds] };
}
