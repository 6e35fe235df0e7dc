/** From columns to tables: one for each model. */

import { count, type Sample } from "../count";
import { dataOf, VERSION, type ReportData } from "../model";
import type { Table } from "../table";
import { InputError, Classes, Numbers } from "./columns";
import { positiveRows } from "./labels";
import type { Layout } from "./layout";

/** The chosen columns while a file is read. */
export class Columns {
  readonly label: Classes;
  readonly scores: Numbers[];
  readonly model: Classes | null;
  readonly weight: Numbers | null;

  constructor(
    readonly layout: Layout,
    rows?: number,
  ) {
    this.label = new Classes(layout.label, rows);
    this.scores = layout.scores.map((name) => new Numbers(name, rows));
    this.model = layout.model === null ? null : new Classes(layout.model, rows);
    this.weight = layout.weight === null ? null : new Numbers(layout.weight, rows);
  }

  /** The collector of each column by name; a column may serve twice. */
  named(): [string, (Classes | Numbers)[]][] {
    const all = new Map<string, (Classes | Numbers)[]>();
    const add = (name: string, column: Classes | Numbers | null): void => {
      if (column) all.set(name, [...(all.get(name) ?? []), column]);
    };
    add(this.layout.label, this.label);
    this.layout.scores.forEach((name, place) => add(name, this.scores[place]!));
    if (this.layout.model !== null) add(this.layout.model, this.model);
    if (this.layout.weight !== null) add(this.layout.weight, this.weight);
    return [...all];
  }
}

export function reportOf(columns: Columns, title: string, description: string): ReportData {
  const tables = tablesOf(columns);
  return {
    version: VERSION,
    title,
    description,
    models: [...tables].map(([name, table]) => dataOf(name, table)),
  };
}

/** Products of several counts between these stay far from the ends of the floats. */
const LEAST_TOTAL = 1e-30;
const MOST_TOTAL = 1e30;

export function tablesOf(columns: Columns): Map<string, Table> {
  const { label, layout } = columns;
  if (label.size === 0) throw new InputError(`${label.name} is empty; at least one row is needed`);
  const weights = columns.weight && weightsOf(columns.weight, layout.weight!);
  const labels = positiveRows(label, layout.positive);
  const tables = new Map<string, Table>();
  const whole = columns.weight?.whole ?? true;
  const add = (name: string, scores: Float64Array, rows: Uint32Array | null): void => {
    const sample = { labels, scores, weights, whole };
    const table = count(rows ? someOf(sample, rows) : sample);
    for (const [total, only] of [
      [table.positives, "negatives"],
      [table.negatives, "positives"],
    ] as const)
      if (total === 0)
        throw new InputError(`${label.name} has only ${only}; both classes are needed`);
    for (const total of ["positives", "negatives"] as const)
      if (!(table[total] >= LEAST_TOTAL && table[total] <= MOST_TOTAL))
        throw new InputError(
          `${total}, as a count or as a sum of weights, must lie between 1e-30 and 1e+30 but is ` +
            `${table[total]}; multiply all weights or counts by one factor`,
        );
    tables.set(name, table);
  };
  const present = weights?.includes(0)
    ? rowsWhere(labels.length, (row) => weights[row] !== 0)
    : null;
  if (columns.model === null) {
    layout.scores.forEach((name, place) => add(name, columns.scores[place]!.finished(), present));
    return tables;
  }
  const codes = columns.model.finished();
  const scores = columns.scores[0]!.finished();
  columns.model.values.forEach((name, code) => {
    const rows = rowsWhere(
      codes.length,
      (row) => codes[row] === code && (!weights || weights[row] !== 0),
    );
    if (rows.length) add(String(name), scores, rows);
  });
  return tables;
}

function someOf({ labels, scores, weights, whole }: Sample, rows: Uint32Array): Sample {
  return {
    labels: Uint8Array.from(rows, (row) => labels[row]!),
    scores: Float64Array.from(rows, (row) => scores[row]!),
    weights: weights && Float64Array.from(rows, (row) => weights[row]!),
    whole,
  };
}

function rowsWhere(rows: number, holds: (row: number) => boolean): Uint32Array {
  return Uint32Array.from({ length: rows }, (_, row) => row).filter(holds);
}

function weightsOf(column: Numbers, name: string): Float64Array {
  const weights = column.finished();
  const refuse = (wrong: (weight: number) => boolean, what: string): void => {
    const first = weights.findIndex(wrong);
    if (first < 0) return;
    const all = weights.reduce((sum, weight) => sum + (wrong(weight) ? 1 : 0), 0);
    throw new InputError(`${name} has ${what}: ${all} in all, the first at position ${first}`);
  };
  refuse((weight) => weight < 0, "negative values");
  refuse((weight) => !Number.isFinite(weight), "infinite values");
  if (weights.every((weight) => weight === 0))
    throw new InputError(`${name} is zero for every row; at least one weight must be > 0`);
  return weights;
}
