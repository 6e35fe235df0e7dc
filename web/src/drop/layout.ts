/** Which column of a file is what: a sensible guess, which the reader can change. */

import type { Peek } from "./columns";

export interface Layout {
  readonly label: string;
  /** The score column of each model; one only where a column names the models. */
  readonly scores: readonly string[];
  /** The column that names the model of a row. */
  readonly model: string | null;
  readonly weight: string | null;
  /** The label of the positive class as text; null: by convention, 1 or true. */
  readonly positive: string | null;
}

const NAMES = {
  label: [
    ..."label labels y y_true target truth true actual ground_truth class correct outcome".split(
      " ",
    ),
  ],
  model: ["model", "algorithm", "classifier", "method", "system"],
  weight: ["weight", "weights", "sample_weight", "w"],
  group: ["group", "fold", "site", "query", "qid", "split", "part", "repeat"],
};
const SCORES = "score scores prob proba probability p y_score y_prob y_pred_proba confidence".split(
  " ",
);
const PREDICTIONS = ["pred", "prediction"];
const OTHERS = [
  ..."id ids row_id rowid row index idx key uuid y_pred predicted".split(" "),
  "predicted_label",
  "predicted_class",
  "unnamed: 0",
  "",
];
const RESERVED = Object.values(NAMES).flat();

function known(peek: Peek, names: readonly string[]): boolean {
  return names.includes(peek.name.trim().toLowerCase());
}

function isNumber({ kind }: Peek): boolean {
  return kind === "integer" || kind === "float";
}

/** Different values among the first ones, as text. */
export function distinct(peek: Peek): string[] {
  return [...new Set(peek.values.filter((value) => value !== null).map(String))];
}

function isBinary(peek: Peek): boolean {
  const values = distinct(peek);
  if (isNumber(peek))
    return values.length <= 2 && values.every((value) => [0, 1, -1].includes(Number(value)));
  return peek.kind === "boolean" || (peek.kind === "string" && values.length === 2);
}

/** The best guess; null where no column can be the label or the score. */
export function guess(columns: readonly Peek[]): Layout | null {
  const label =
    columns.find((one) => known(one, NAMES.label) && (one.kind !== "float" || isBinary(one))) ??
    columns.find(
      (one) => !known(one, [...RESERVED, ...SCORES, ...PREDICTIONS, ...OTHERS]) && isBinary(one),
    );
  const rest = columns.filter((one) => one !== label);
  const weight = rest.find((one) => known(one, NAMES.weight) && isNumber(one));
  const model = rest.find((one) => known(one, NAMES.model) && one.kind === "string");
  const free = rest.filter((one) => one !== weight && one !== model && isNumber(one));
  const named = [SCORES, PREDICTIONS]
    .map((names) => free.filter((one) => known(one, names)))
    .find((found) => found.length);
  const scores =
    named?.slice(0, 1) ??
    free.filter((one) => one.kind === "float" && !known(one, [...RESERVED, ...OTHERS]));
  if (!label || !scores.length) return null;
  return {
    label: label.name,
    scores: (model ? scores.slice(0, 1) : scores).map(({ name }) => name),
    model: model?.name ?? null,
    weight: weight?.name ?? null,
    positive: isConventional(label) ? null : (likelyPositive(distinct(label)) ?? null),
  };
}

function isConventional(peek: Peek): boolean {
  const values = distinct(peek).map((value) => value.trim().toLowerCase());
  return (
    values.every((value) => value === "true" || value === "false") ||
    [0, -1].some((other) => values.every((value) => [1, other].includes(Number(value))))
  );
}

function likelyPositive(values: readonly string[]): string | undefined {
  const names = ["yes", "y", "pos", "positive", "p", "t", "spam", "case", "sick", "bad", "fraud"];
  return values.find((value) => names.includes(value.trim().toLowerCase())) ?? values[0];
}
