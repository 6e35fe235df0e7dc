/**
 * What others run: commands and Python programs that give the numbers of the view, and the rule of
 * a row as the file that `iso.load_decision` reads, as SQL, as Python.
 *
 * `src/isometrics/decisions/decision.py` is the other side of the file; docs/rules.md describes it.
 */

import { version } from "../package.json";
import type { CsvFormat } from "./drop/csv";
import type { Layout } from "./drop/layout";
import { exact, general } from "./format";
import { constraintSaid, isLimit, nameOf, valueOf, type Objective } from "./objective";
import { packedCounts, packedFloats, type Packed } from "./packing";
import type { Settings } from "./state";
import { countsAt, matrixAt } from "./table";
import { thresholdAt, type ModelView, type View } from "./view";

/** A text as one word of a shell. */
export function quoted(text: string): string {
  if (/^[\w@%+=:,./-]+$/.test(text)) return text;
  return `'${text.replaceAll("'", `'"'"'`)}'`;
}

/** The words of a command about a file, with the roles of its columns. */
export function fileCommand(
  command: string,
  file: string,
  layout: Layout,
  scores: readonly string[] = layout.scores,
): string[] {
  // A name that begins with a dash would be an option.
  const words = [`isometrics ${command}`, quoted(file.replace(/^-/, "./-"))];
  const option = (name: string, ...values: readonly string[]): void => {
    words.push(name, ...values.map(quoted));
  };
  option("--label", layout.label);
  option("--scores", ...scores);
  if (layout.model !== null) option("--model", layout.model);
  if (layout.weight !== null) option("--weight", layout.weight);
  if (layout.positive !== null) option("--pos-label", layout.positive);
  return words;
}

export function commandOf(view: View, source: Source | null): string {
  const { settings } = view;
  const hidden = view.models.length > view.shown.length;
  const shown = view.shown.map(({ model }) => model.name);
  const words: string[] = [];
  if (source) {
    const { file, layout } = source;
    const scores = hidden && layout.model === null ? shown : layout.scores;
    words.push(...fileCommand("verdict", file, layout, scores));
  } else {
    words.push("isometrics verdict FILE");
    if (hidden) words.push("--scores", ...shown.map(quoted));
  }
  // Of the file with the tuning data, the page does not know the name.
  if (view.models.some(({ model }) => model.tuning)) words.push("--thresholds-from TUNING_FILE");
  for (const [name, value] of Object.entries(parametersOf(view)))
    words.push(`--${name.replaceAll("_", "-")} ${value === "Infinity" ? "inf" : value}`);
  if (settings.prevalence !== null) words.push(`--prevalence ${settings.prevalence}`);
  return words.join(" ");
}

/** The file that the page counted itself, and how. */
export interface Source {
  readonly file: string;
  readonly layout: Layout;
  readonly format?: CsvFormat;
  readonly dropMissing?: boolean;
}

/** A text is written in Python as it is in JSON. */
const text = (value: string): string => JSON.stringify(value);

export function snippetOf(view: View, source: Source | null): string {
  const { settings } = view;
  const lines = ["import isometrics as iso", ""];
  if (source) lines.push(...fromFile(view, source));
  else lines.push(...fromCounts(view));
  if (settings.otherClass)
    lines.push(
      "",
      "# The class of interest is the other one: what was left alone is what is found.",
      "models = {",
      "    name: iso.OperatingPoints.from_counts(",
      "        pts.tn[::-1], pts.fn[::-1], positives=pts.negatives, negatives=pts.positives",
      "    )",
      "    for name, pts in models.items()",
      "}",
    );
  if (settings.prevalence !== null)
    lines.push(
      "",
      `models = {name: pts.at_prevalence(${settings.prevalence}) for name, pts in models.items()}`,
    );
  const keywords = Object.entries(parametersOf(view))
    .map(([name, value]) => `${name}=${value === "Infinity" ? 'float("inf")' : value}`)
    .join(", ");
  lines.push("", "for name, pts in models.items():", "    print(name)");
  if (view.shown.every(({ path }) => path))
    lines.push(
      `    print("areas:", pts.roc.area(), pts.pr.area(${text(settings.interpolation)}), pts.prg.area())`,
    );
  lines.push(`    print(iso.best_threshold(pts, ${keywords}))`);
  if (view.winners) lines.push("", `print(iso.compare(models, ${text(settings.index)}))`);
  return `${lines.join("\n")}\n`;
}

function fromFile(view: View, { file, layout, format, dropMissing }: Source): string[] {
  const options = [`label=${text(layout.label)}`];
  options.push(`scores=[${layout.scores.map(text).join(", ")}]`);
  options.push(`model=${layout.model === null ? "False" : text(layout.model)}`);
  options.push(`weight=${layout.weight === null ? "False" : text(layout.weight)}`);
  if (layout.positive !== null) options.push(`pos_label=${text(layout.positive)}`);
  if (format?.decimal) options.push(`decimal=${text(format.decimal)}`);
  if (typeof format?.header === "boolean")
    options.push(`header=${format.header ? "True" : "False"}`);
  if (dropMissing) options.push("drop_missing=True");
  const shown = view.shown.map(({ model }) => text(model.name)).join(", ");
  return [
    `analysis = iso.read_predictions(${text(file)}, ${options.join(", ")})`,
    `models = {name: analysis.models[name] for name in [${shown}]}`,
  ];
}

function fromCounts(view: View): string[] {
  const lines = ["from isometrics.report.model import unpacked", ""];
  if (view.shown.some(({ complete }) => !complete))
    lines.push(
      "# Some rows were left out of the report, so areas here are close to those of all rows, not",
      "# equal; the best thresholds are the same.",
    );
  lines.push("models = {");
  for (const one of view.shown) lines.push(...countsOf(one));
  return [...lines, "}"];
}

function countsOf({ model }: ModelView): string[] {
  const { table } = model;
  const array = (packed: Packed): string => {
    const [[kind, data]] = Object.entries(packed) as [[string, string]];
    return `unpacked({"${kind}": "${data}"})`;
  };
  const more = table.labels
    ? [`        labels=[${table.labels.map(text).join(", ")}],`]
    : table.kind === "curve"
      ? []
      : [`        thresholds=${array(packedFloats(table.thresholds))},`];
  return [
    `    ${text(model.name)}: iso.OperatingPoints.from_counts(`,
    `        ${array(packedCounts(table.tp, table.whole))},`,
    `        ${array(packedCounts(table.fp, table.whole))},`,
    `        positives=${table.positives},`,
    `        negatives=${table.negatives},`,
    ...more,
    "    ),",
  ];
}

// ---------------------------------------------------------------------- the rule of a row

/** Whether a row is a rule about scores whose threshold is here to its last digit. */
export function isRule(one: ModelView, row: number, view: View): boolean {
  const known = !Number.isNaN(one.table.thresholds[row]!) && !one.table.labels;
  // Of the other class, scores below the threshold are called positive.
  return known && !one.model.rounded && !view.settings.otherClass;
}

/** The file of a row, or of a number that was typed and has the counts of the row. */
export function ruleFile(
  one: ModelView,
  row: number,
  view: View,
  source: Source | null,
  typed: number | null = null,
): string {
  const { table, model } = one;
  const { beta } = view.settings;
  const rule = {
    format: "isometrics/decision-1",
    isometrics: version,
    model: model.name,
    model_column: source?.layout.model ?? null,
    scores: scoresOf(one, source),
    threshold: plain(typed ?? thresholdAt(one, row)),
    pos_label: source?.layout.positive ?? null,
    ...(typed === null ? chosenFor(one, row, view) : BY_HAND),
    prevalence: table.positives / (table.positives + table.negatives),
    ...matrixAt(table, row),
    beta: plain(beta),
    fingerprint: null,
  };
  return `${JSON.stringify(rule, null, 2)}\n`;
}

/** A statement for the table of new scores; the threshold is read as a number of 64 bits. */
export function ruleSql(
  one: ModelView,
  row: number,
  source: Source | null,
  typed: number | null = null,
): string {
  const threshold = plain(typed ?? thresholdAt(one, row));
  const column = `"${(scoresOf(one, source) ?? one.model.name).replaceAll('"', '""')}"`;
  // No score reaches the threshold of the empty rule, not even +inf.
  const flagged =
    threshold === "Infinity" ? "FALSE" : `${column} >= CAST('${threshold}' AS DOUBLE PRECISION)`;
  return `SELECT *, ${flagged} AS flagged FROM new_scores;\n`;
}

/** A line for a data frame of new scores. */
export function rulePython(
  one: ModelView,
  row: number,
  source: Source | null,
  typed: number | null = null,
): string {
  const threshold = exact(typed ?? thresholdAt(one, row));
  const number = threshold.includes("inf") ? `float("${threshold}")` : threshold;
  const column = JSON.stringify(scoresOf(one, source) ?? one.model.name);
  return `flagged = new_scores[${column}] ${threshold === "inf" ? ">" : ">="} ${number}\n`;
}

const BY_HAND = { objective: "chosen by hand", parameters: {}, value: null };

function chosenFor(one: ModelView, row: number, view: View) {
  // What only Python can ask for is not known here.
  if (row !== view.best.get(one.place) || view.settings.goal === "given") return BY_HAND;
  return {
    objective: labelOf(view.objective, view.settings),
    parameters: parametersOf(view),
    value: plain(valueOf(view.objective, countsAt(one.table, row))),
  };
}

/** The objective as Python's tables show it. */
function labelOf(objective: Objective, settings: Settings): string {
  const { beta, constraint } = objective;
  if (!constraint) return beta === null ? nameOf(objective) : `F (β ${general(beta)})`;
  const { quantity, level } = constraint;
  const asked =
    quantity === "flagged" && settings.budgetItems === null
      ? `at most ${general(settings.budget)} predicted positives`
      : isLimit(constraint)
        ? constraintSaid(constraint)
        : `${quantity} ≥ ${general(level)}`;
  return `${nameOf(objective)} with ${asked}`;
}

/** The arguments of `iso.best_threshold` that ask for the same. */
function parametersOf({ settings, items }: View): Record<string, number | string> {
  switch (settings.goal) {
    case "money":
      return { miss_cost: settings.missCost, false_alarm_cost: settings.falseAlarmCost };
    case "precision":
      return { min_precision: settings.minPrecision };
    case "recall":
      return { min_recall: settings.minRecall };
    case "alarms":
      return { max_fpr: settings.maxFpr };
    case "specificity":
      return { min_specificity: settings.minSpecificity };
    case "budget": {
      const { budget, budgetItems } = settings;
      return { budget: budgetItems === null ? budget : (budget * items) / budgetItems };
    }
    default:
      return { beta: plain(settings.beta)! };
  }
}

/** The column of a file that the page counted itself; of other models only the name is known. */
function scoresOf(one: ModelView, source: Source | null): string | null {
  if (!source) return null;
  return source.layout.model === null ? one.model.name : source.layout.scores[0]!;
}

/** A number as JSON holds it. */
function plain(value: number): number | string | null {
  if (Number.isNaN(value)) return null;
  return Number.isFinite(value) ? value : String(value);
}
