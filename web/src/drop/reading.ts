/** From columns to tables: one for each model, or for each class. */

import { fileCommand, quoted } from "../commands";
import { count, type Sample } from "../count";
import { joined, numberIn } from "../format";
import { dataOf, dataOfRows, MOST_ROWS, VERSION, type ReportData } from "../model";
import { HIGHEST_SCORE, type Table } from "../table";
import { Classes, Numbers, type Decimal } from "./columns";
import { areTruthWords, describe, isPositiveWord, type Guess, type Layout } from "./layout";
import {
  InputError,
  Problem,
  sayWhich,
  shown,
  type Value,
  throwTogether,
  type Lined,
} from "./problems";

/** The chosen columns while a file is read. */
export class Columns {
  readonly label: Classes;
  readonly scores: Numbers[];
  readonly model: Classes | null;
  readonly weight: Numbers | null;

  constructor(
    readonly layout: Layout,
    decimal: Decimal = null,
  ) {
    this.label = new Classes(layout.label);
    this.scores = layout.scores.map((name) => new Numbers(name, decimal));
    this.model = layout.model === null ? null : new Classes(layout.model);
    this.weight = layout.weight === null ? null : new Numbers(layout.weight, decimal);
  }

  /** The collector of each column by name; a column may serve twice. */
  named(): [string, (Classes | Numbers)[]][] {
    const all = new Map<string, (Classes | Numbers)[]>();
    for (const column of this.all())
      all.set(column.name, [...(all.get(column.name) ?? []), column]);
    return [...all];
  }

  /** In the order in which their problems are told. */
  all(): (Classes | Numbers)[] {
    const { weight, label, scores, model } = this;
    return [...(weight ? [weight] : []), label, ...scores, ...(model ? [model] : [])];
  }
}

export type Tables = Awaited<ReturnType<typeof tablesOf>>;

export function reportOf(
  { tables, rows, positive, notes }: Tables,
  layout: Guess,
  title: string,
  counted: string,
): ReportData {
  const said = [describe({ ...layout, positive: layout.positive ?? positive }), ...notes];
  const { group, classes } = layout;
  // The page has no groups of its own.
  const inGroups =
    group == null || classes
      ? ""
      : ` Whether one threshold serves all groups: ${fileCommand("report", title, layout).join(" ")} --group ${quoted(group)}`;
  return {
    version: VERSION,
    title,
    description: `${counted} ${said.join("; ")}.${inGroups}`,
    ...(rows ?? { models: [...tables].map(([name, table]) => dataOf(name, table)) }),
    ...(classes ? { classes: true } : {}),
  };
}

/** Products of several counts between these stay far from the ends of the floats. */
const LEAST_TOTAL = 1e-30;
const MOST_TOTAL = 1e30;

/** Counts the rows; everything that is wrong with them is told together. */
export async function tablesOf(columns: Columns, source: Lined, dropMissing = false) {
  const { label, layout } = columns;
  if (label.size === 0) {
    await throwTogether([], source);
    throw new InputError(`${label.name} is empty; at least one row is needed`);
  }
  const dropped = dropMissing ? missingRows(columns) : null;
  if (dropped?.rows.size === label.size)
    throw new InputError("every row misses a value, so that none is left");
  const weights = columns.weight?.finished() ?? null;
  const { rows: labels, word, problem } = positiveRows(label, layout.positive);
  const problems = columns.all().flatMap((column): (Problem | InputError)[] => {
    const found: (Problem | InputError)[] = [...column.problems(dropMissing)];
    if (column === columns.weight) found.push(...weightProblems(column.name, weights!));
    if (column === label && problem && !layout.classes) found.push(problem);
    return found;
  });
  await throwTogether(problems, source);
  if (weights?.every((weight) => weight === 0))
    throw new InputError(`${layout.weight} is zero for every row; at least one weight must be > 0`);
  const isPresent = (row: number): boolean =>
    (!weights || weights[row] !== 0) && !dropped?.rows.has(row);
  const present =
    dropped?.rows.size || weights?.includes(0) ? rowsWhere(label.size, isPresent) : null;
  const tables = new Map<string, Table>();
  const samples: Sample[] = [];
  const whole = columns.weight?.whole ?? true;
  const add = (
    name: string,
    scores: Float64Array,
    rows: Uint32Array | null,
    positives = labels,
  ): void => {
    const all = { labels: positives, scores, weights, whole };
    const sample = rows ? someOf(all, rows) : all;
    tables.set(name, checked(count(sample), label.name));
    samples.push(sample);
  };
  const { classes } = layout;
  if (columns.model === null)
    columns.scores.forEach((scores, place) => {
      const name = classes?.[place];
      const positives = name === undefined ? labels : positiveRows(label, name).rows;
      add(name ?? scores.name, scores.finished(), present, positives);
    });
  else {
    const codes = columns.model.finished();
    const scores = columns.scores[0]!.finished();
    columns.model.values.forEach((name, code) => {
      const rows = rowsWhere(codes.length, (row) => codes[row] === code && isPresent(row));
      if (rows.length) add(String(name), scores, rows);
    });
  }
  const percents = columns.scores.filter((each) => each.isPercent).map(({ name }) => name);
  // Classes are no rivals, and each model of a column of models has rows of its own.
  const shared = columns.model === null ? !classes : samples.length === 1;
  const few = samples.reduce((sum, { scores }) => sum + scores.length, 0) <= MOST_ROWS;
  return {
    tables,
    /** The rows of all models, where these have the same ones and there are few enough. */
    rows:
      shared && few && samples.length === tables.size
        ? dataOfRows(
            samples[0]!,
            samples.map(({ scores }) => scores),
            tables,
          )
        : null,
    /** The positive label, where labels such as yes and no told it. */
    positive: word,
    notes: [
      ...(percents.length ? [`${joined(percents)} in percent, read as shares`] : []),
      ...source.notes,
      ...(dropped ? [dropped.said] : []),
    ],
  };
}

/** A table that has both classes, and totals that can be reckoned with. */
function checked(table: Table, label: string): Table {
  for (const [total, only] of [
    [table.positives, "negatives"],
    [table.negatives, "positives"],
  ] as const)
    if (total === 0) throw new InputError(`${label} has only ${only}; both classes are needed`);
  if (table.thresholds[2] === HIGHEST_SCORE)
    throw new InputError(
      "scores of +inf and of 1.7976931348623157e+308, the highest float64, or more cannot be " +
        "told apart; give ranks instead of scores, or clip them",
    );
  for (const total of ["positives", "negatives"] as const)
    if (!(table[total] >= LEAST_TOTAL && table[total] <= MOST_TOTAL))
      throw new InputError(
        `${total}, as a count or as a sum of weights, must lie between 1e-30 and 1e+30 but is ` +
          `${table[total]}; multiply all weights or counts by one factor`,
      );
  return table;
}

/** The rows that miss a value in any column that is used. */
function missingRows(columns: Columns): { rows: Set<number>; said: string } {
  const rows = new Set<number>();
  const by: string[] = [];
  // In the order of Python: labels, scores, models, weights.
  const { label, scores, model, weight } = columns;
  for (const column of [label, ...scores, model, weight]) {
    if (!column) continue;
    let missing = 0;
    for (let row = 0; row < column.size; row++)
      if (column.isMissingAt(row)) {
        missing++;
        rows.add(row);
      }
    if (missing) by.push(`${column.name}: ${missing}`);
  }
  const what = rows.size === 1 ? "row with missing values is" : "rows with missing values are";
  const said = rows.size
    ? `${rows.size} ${what} left out, for all models (${by.join(", ")})`
    : "no row has a missing value";
  return { rows, said };
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

function weightProblems(name: string, weights: Float64Array): Problem[] {
  const [negative, infinite] = [
    new Problem(name, "negative values"),
    new Problem(name, "infinite values"),
  ];
  weights.forEach((weight, row) => {
    if (weight < 0) negative.add(row);
    if (Math.abs(weight) === Infinity) infinite.add(row);
  });
  return [negative, infinite].filter(({ count: found }) => found > 0);
}

/** Values of the label column as Python would read them from a file of texts. */
function typed(values: readonly Value[]): Value[] {
  if (values.every((value) => typeof value !== "string"))
    return values.map((value) => (typeof value === "bigint" ? Number(value) : value));
  const texts = values.map(String);
  if (texts.every((text) => /^\s*(true|false)\s*$/i.test(text)))
    return texts.map((text) => /true/i.test(text));
  const numbers = texts.map(numberIn);
  return numbers.every((number) => number !== undefined) ? (numbers as number[]) : [...values];
}

/** The positive rows; what is wrong with the labels is returned, to be told with the rest. */
export function positiveRows(labels: Classes, positive: string | null) {
  const codes = labels.finished();
  const values = typed(labels.values);
  const distinct = values.filter((value, place) => values.indexOf(value) === place);
  let [problem, word]: [Problem | InputError | null, string | null] = [null, null];
  if (distinct.length > 2) problem = third(labels, codes, values, distinct);
  else if (positive === null && !isConventional(values)) {
    const texts = values.map(String);
    if (values.every((value) => typeof value === "string") && areTruthWords(texts))
      word = texts.find(isPositiveWord) ?? null;
    else
      problem = new InputError(
        `${labels.name} has the labels ${distinct.map(shown).join(" and ")}`,
        [sayWhich("say which one is positive", "--pos-label", "Positive label")],
      );
  } else if (
    positive !== null &&
    distinct.length === 2 &&
    !values.some((value) => matches(value, positive))
  )
    problem = new InputError(
      `pos_label ${shown(positive)} is not among the labels of ${labels.name}, ` +
        distinct.map(shown).join(" and "),
    );
  const isPositive = values.map((value) => {
    if (positive !== null) return matches(value, positive);
    return typeof value === "string" ? isPositiveWord(value) : value === true || value === 1;
  });
  // The word is the positive label, where labels such as yes and no told it.
  return { rows: Uint8Array.from(codes, (code) => (isPositive[code] ? 1 : 0)), word, problem };
}

function matches(value: Value, positive: string): boolean {
  if (typeof value === "boolean") return (value ? "true" : "false") === positive.toLowerCase();
  return String(value) === positive || (typeof value === "number" && value === Number(positive));
}

function isConventional(values: readonly Value[]): boolean {
  if (values.every((value) => typeof value === "boolean")) return true;
  return [0, -1].some((other) => values.every((value) => value === 1 || value === other));
}

function third(
  labels: Classes,
  codes: Uint16Array,
  values: readonly Value[],
  distinct: readonly Value[],
): Problem {
  const known = distinct.slice(0, 2);
  const problem = new Problem(
    labels.name,
    `labels besides ${known.map(shown).join(" and ")}, such as ${shown(distinct[2]!)}, where two ` +
      "classes are needed",
  );
  const isSurplus = values.map((value) => !known.includes(value));
  codes.forEach((code, row) => {
    if (isSurplus[code] && !labels.isMissingAt(row)) problem.add(row);
  });
  // Of labels, the first is named.
  problem.positions.splice(1);
  return problem;
}
