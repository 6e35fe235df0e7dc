/**
 * Which column of a file is what: a sensible guess, which the reader can change.
 *
 * `src/isometrics/sources/column_roles.py` has the same rules and says the same sentences.
 */

import { isNumber, looksLikeNumber, type Peek } from "./columns";
import { joined } from "../format";
import { InputError, sayWhich, shown, type Value } from "./problems";

export interface Layout {
  readonly label: string;
  /** The score column of each model; one only where a column names the models. */
  readonly scores: readonly string[];
  /** The column that names the model of a row. */
  readonly model: string | null;
  readonly weight: string | null;
  /** The label of the positive class as text; null: by convention, 1 or true. */
  readonly positive: string | null;
  readonly group?: string | null;
  /** Of a classifier of several classes, the label of each score column. */
  readonly classes?: readonly string[] | null;
}

/** A layout, and what of it was guessed by what. */
export interface Guess extends Layout {
  readonly guessed: ReadonlyMap<string, string>;
  readonly unused: readonly string[];
}

const words = (text: string): readonly string[] => text.split(" ");
const NAMES = {
  label: words("label labels y y_true target truth true actual ground_truth class correct outcome"),
  model: words("model algorithm classifier method system"),
  weight: words("weight weights sample_weight w"),
  group: words("group fold site query qid split part repeat"),
};
const SCORES = words(
  "score scores prob proba probability p y_score y_prob y_pred_proba confidence",
);
const PREDICTIONS = words("pred prediction");
const OTHERS = [
  ...words("id ids row_id rowid row index idx key uuid y_pred predicted predicted_label"),
  "predicted_class",
  "unnamed: 0",
  "",
];
const RESERVED = Object.values(NAMES).flat();
const SEVERAL_MODELS = "; a list of columns is several models";
const REMAINING = "the remaining numeric columns";
const FIELDS = { label: "Label", model: "Column that names the model", weight: "Weight" } as const;

const isKnown = ({ name }: Peek, names: readonly string[]): boolean =>
  names.includes(name.trim().toLowerCase());
const isNumeric = ({ kind }: Peek): boolean => kind === "integer" || kind === "float";
const quoted = (columns: readonly Peek[]): string[] => columns.map(({ name }) => shown(name));

/** Different values among the first ones, as text. */
export function distinct(peek: Peek): string[] {
  return [...new Set(peek.values.filter((value) => value !== null).map(className))];
}

/** A label as it stands in the names of columns. */
function className(value: Value): string {
  return typeof value === "boolean" ? (value ? "True" : "False") : String(value);
}

function isBinary(peek: Peek): boolean {
  const values = distinct(peek);
  if (isNumeric(peek)) return values.length === 2 && isConvention(values);
  return peek.kind === "boolean" || (peek.kind === "string" && values.length === 2);
}

function isConvention(values: readonly string[]): boolean {
  return [0, -1].some((other) => values.every((value) => [1, other].includes(Number(value))));
}

/** A label is no measurement, but whole numbers or words. */
function holdsClasses(peek: Peek): boolean {
  if (peek.kind === "float")
    return distinct(peek).every((value) => Number.isInteger(Number(value)));
  return ["boolean", "integer", "string"].includes(peek.kind);
}

function only(fitting: readonly Peek[], role: string, field: string, more = ""): Peek {
  if (fitting.length > 1)
    throw new InputError(`${role} could be the column ${joined(quoted(fitting), "or")}`, [
      sayWhich("say which", `--${role}`, field, more),
    ]);
  return fitting[0]!;
}

/** The best guess; what cannot be guessed is refused. */
export function guess(columns: readonly Peek[]): Guess {
  const [label, reason] = guessLabel(columns);
  const guessed = new Map([["label", reason]]);
  const taken = new Map([["label", label]]);
  const free = (): Peek[] => columns.filter((one) => ![...taken.values()].includes(one));
  for (const role of ["weight", "group", "model"] as const) {
    const fitting = free().filter(
      (one) =>
        isKnown(one, NAMES[role]) &&
        (role === "weight" ? isNumeric(one) : ["string", "integer"].includes(one.kind)),
    );
    if (!fitting.length) continue;
    const field = role === "group" ? "Group" : FIELDS[role];
    taken.set(role, only(fitting, role, field, `, or --no-${role} for none`));
    guessed.set(role, "");
  }
  const found = scoresAmong(free(), label);
  guessed.set("scores", found.reason);
  const model = taken.get("model");
  if (model && (found.columns.length > 1 || found.classes))
    throw new InputError(
      `the column ${shown(model.name)} names the model of a row, so one column must hold the ` +
        `scores, but there are ${joined(quoted(found.columns))}`,
      [
        sayWhich(
          "say which",
          "--scores",
          "Scores",
          ", or --no-model if each column is a model or a class",
        ),
      ],
    );
  const used = [...taken.values(), ...found.columns];
  return {
    label: label.name,
    scores: found.columns.map(({ name }) => name),
    model: model?.name ?? null,
    weight: taken.get("weight")?.name ?? null,
    group: taken.get("group")?.name ?? null,
    positive: null,
    classes: found.classes,
    guessed,
    unused: columns.filter((one) => !used.includes(one)).map(({ name }) => name),
  };
}

function guessLabel(columns: readonly Peek[]): [Peek, string] {
  const named = columns.filter((one) => isKnown(one, NAMES.label) && holdsClasses(one));
  if (named.length) return [only(named, "label", FIELDS.label), ""];
  const others = [...RESERVED, ...SCORES, ...PREDICTIONS, ...OTHERS];
  const two = columns.filter((one) => !isKnown(one, others) && isBinary(one));
  if (two.length) return [only(two, "label", FIELDS.label), "the only column with two values"];
  throw new InputError(`no column looks like the label among ${listed(columns)}`, [
    sayWhich("say which it is", "--label", FIELDS.label),
  ]);
}

function listed(columns: readonly Peek[]): string {
  return columns.length ? joined(quoted(columns)) : "no columns";
}

interface Found {
  readonly columns: readonly Peek[];
  readonly classes: readonly string[] | null;
  /** By what they were guessed. */
  readonly reason: string;
}

function scoresAmong(free: readonly Peek[], label: Peek): Found {
  const values = distinct(label);
  const byClass = values.length < 2 ? null : columnsOfClasses(values, free.filter(isNumeric));
  if (!byClass) {
    const [columns, reason] = guessScores(free);
    return { columns, classes: null, reason };
  }
  const reason = "columns named after the labels";
  const others = free.filter((one) => ![...byClass.values()].includes(one));
  const score = values.length === 2 ? namedScores(others) : [];
  if (score.length)
    throw new InputError(
      `scores could be the column ${shown(score[0]!.name)}, or ` +
        `${joined(quoted([...byClass.values()]))}, which are named after the labels`,
      [sayWhich("say which", "--scores", "Scores")],
    );
  const chosen =
    values.find((value) => isConvention(values) && Number(value) === 1) ??
    (areTruthWords(values) ? values.find(isPositiveWord) : undefined);
  if (values.length === 2 && chosen !== undefined && byClass.has(chosen))
    return { columns: [byClass.get(chosen)!], classes: null, reason };
  const inOrder = [...byClass].sort(([, one], [, two]) => free.indexOf(one) - free.indexOf(two));
  return {
    columns: inOrder.map(([, column]) => column),
    classes: inOrder.map(([name]) => name),
    reason,
  };
}

/** The column of each class, where every class has one named after it, as p_cat and p_dog are. */
function columnsOfClasses(
  classes: readonly string[],
  columns: readonly Peek[],
): Map<string, Peek> | null {
  const fitting: Map<string, Peek>[] = [];
  const tried = new Set<string>();
  for (const { name } of columns)
    for (let at = name.indexOf(classes[0]!); at >= 0; at = name.indexOf(classes[0]!, at + 1)) {
      const [before, after] = [name.slice(0, at), name.slice(at + classes[0]!.length)];
      const key = JSON.stringify([before, after]);
      if (!classes[0] || tried.has(key) || splitsANumber(before, classes[0], after)) continue;
      tried.add(key);
      const found = classes.map((each) =>
        columns.find((one) => one.name === before + each + after),
      );
      if (found.every((one) => one !== undefined))
        fitting.push(new Map(classes.map((each, place) => [each, found[place]!])));
    }
  if (fitting.length > 1)
    throw new InputError(
      "several families of columns are named after the labels, such as " +
        joined(fitting.map((one) => shown([...one.values()][0]!.name))),
      [sayWhich("say which", "--scores", "Scores")],
    );
  return fitting[0] ?? null;
}

/** Whether the name is a part of a number: model 10 is not named after class 0. */
function splitsANumber(before: string, name: string, after: string): boolean {
  const pairs = [before.slice(-1) + name[0]!, name.at(-1)! + after.slice(0, 1)];
  return pairs.some((pair) => /^\p{Nd}{2}$/u.test(pair));
}

/** Whether a column of predictions has classes that were decided, 0 and 1, and no scores. */
function holdsDecisions(peek: Peek): boolean {
  return isKnown(peek, PREDICTIONS) && isNumeric(peek) && isConvention(distinct(peek));
}

/** The column that is called a score, if one is; not one of decided classes. */
function namedScores(columns: readonly Peek[]): Peek[] {
  for (const names of [SCORES, PREDICTIONS]) {
    const named = columns.filter(
      (one) => isKnown(one, names) && isNumeric(one) && !holdsDecisions(one),
    );
    if (named.length) return [only(named, "scores", "Scores", SEVERAL_MODELS)];
  }
  return [];
}

const textsOf = (peek: Peek): string[] =>
  peek.kind === "string" ? peek.values.filter((value) => typeof value === "string") : [];

function guessScores(columns: readonly Peek[]): [Peek[], string] {
  const named = namedScores(columns);
  if (named.length) return [named, ""];
  const mayBeModel = (one: Peek): boolean => !isKnown(one, [...RESERVED, ...OTHERS]);
  const decided = columns.filter(holdsDecisions);
  const models = columns.filter(
    (one) =>
      !decided.includes(one) &&
      mayBeModel(one) &&
      (one.kind === "float" || hasBrokenFractions(one)),
  );
  if (models.length) return [models, REMAINING];
  if (decided.length) return [[only(decided, "scores", "Scores", SEVERAL_MODELS)], ""];
  const texts = columns.filter(
    (one) => isKnown(one, [...SCORES, ...PREDICTIONS]) && one.kind === "string",
  );
  // Who reads it says which values are no numbers, and where.
  if (texts.length === 1) return [texts, ""];
  const mostly = columns.filter((one) => {
    const written = textsOf(one);
    return mayBeModel(one) && written.filter(looksLikeNumber).length * 2 > written.length;
  });
  if (mostly.length) return [mostly, REMAINING];
  throw new InputError(`no column looks like scores among ${listed(columns)}`, [
    sayWhich("say which they are", "--scores", "Scores"),
  ]);
}

/** Whether more than half of the texts of a column are fractions, but not all plain ones. */
function hasBrokenFractions(peek: Peek): boolean {
  const texts = textsOf(peek);
  if (texts.every((text) => isNumber(text, null))) return false;
  const fractions = texts.filter((text) => /[.,%]/.test(text));
  return fractions.filter(looksLikeNumber).length * 2 > texts.length;
}

const PAIRS = [
  "true false",
  "t f",
  "yes no",
  "y n",
  "1 0",
  "1 -1",
  "positive negative",
  "pos neg",
].map(words);
const word = (label: string): string => label.trim().toLowerCase();

/** Whether labels are texts that say which one is positive, such as yes and no. */
export function areTruthWords(labels: readonly string[]): boolean {
  return labels.length > 0 && PAIRS.some((pair) => labels.every((one) => pair.includes(word(one))));
}

export function isPositiveWord(label: string): boolean {
  return PAIRS.some(([positive]) => positive === word(label));
}

/** One sentence that says which column is what, and what was guessed. */
export function describe(layout: Guess): string {
  const { guessed } = layout;
  const role = (name: string, columns: string, what = name): string => {
    const reason = guessed.get(name);
    const how = reason === undefined ? "" : reason ? ` (guessed: ${reason})` : " (guessed)";
    return `${what}: ${columns}${how}`;
  };
  const said = [role("label", layout.label)];
  if (layout.positive !== null) said.push(`positive: ${layout.positive}`);
  if (layout.model !== null) said.push(role("model", layout.model));
  const columns = layout.scores.map((name, place) => {
    const label = layout.classes?.[place] ?? name;
    return label === name ? name : `${label} = ${name}`;
  });
  const what = layout.classes ? "classes" : columns.length > 1 ? "models" : "score";
  said.push(role("scores", columns.join(", "), what));
  if (layout.weight !== null) said.push(role("weight", layout.weight));
  if (layout.group) said.push(role("group", layout.group));
  const most = 20;
  if (layout.unused.length) {
    const more = layout.unused.length - most;
    const names = layout.unused.slice(0, most);
    said.push(`not used: ${[...names, ...(more > 0 ? [`and ${more} more`] : [])].join(", ")}`);
  }
  return said.join("; ").split(/\s+/).join(" ").trim();
}
