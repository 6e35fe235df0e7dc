/** Which rows are positive; labels that name more than two classes are refused. */

import { numberIn, shown, type Classes, type Value } from "./columns";
import { areTruthWords, isPositiveWord } from "./layout";
import { InputError, Problem, sayWhich } from "./problems";

/** Values of the label column as Python would read them from a file of texts. */
function typed(values: readonly Value[]): Value[] {
  if (values.every((value) => typeof value !== "string")) return values.map(plain);
  const texts = values.map(String);
  if (texts.every((text) => /^\s*(true|false)\s*$/i.test(text)))
    return texts.map((text) => /true/i.test(text));
  const numbers = texts.map(numberIn);
  return numbers.every((number) => number !== undefined) ? (numbers as number[]) : [...values];
}

function plain(value: Value): Value {
  return typeof value === "bigint" ? Number(value) : value;
}

export interface Positives {
  /** 1 for every positive row. */
  readonly rows: Uint8Array;
  /** The positive label, where labels such as yes and no told it. */
  readonly word: string | null;
  readonly problem: Problem | InputError | null;
}

/** The positive rows; what is wrong with the labels is returned, to be told with the rest. */
export function positiveRows(labels: Classes, positive: string | null): Positives {
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
  return { rows: Uint8Array.from(codes, (code) => (isPositive[code] ? 1 : 0)), word, problem };
}

/** The rows of one class against all others. */
export function rowsOfClass(labels: Classes, name: string): Uint8Array {
  const isPositive = typed(labels.values).map((value) => matches(value, name));
  return Uint8Array.from(labels.finished(), (code) => (isPositive[code] ? 1 : 0));
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
