/** Commands and Python programs that give the numbers of the view. */

import type { Writing } from "./drop/csv";
import type { Layout } from "./drop/layout";
import { optionsOf } from "./objective";
import { packedCounts, packedFloats, type Packed } from "./packing";
import { parametersOf } from "./rule";
import { itemsOf, type ModelView, type View } from "./view";

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
  const rows = view.models[0] ? itemsOf(view.models[0].model) : 0;
  words.push(optionsOf(settings, rows));
  if (settings.prevalence !== null) words.push(`--prevalence ${settings.prevalence}`);
  return words.join(" ");
}

/** The file that the page counted itself, and how. */
export interface Source {
  readonly file: string;
  readonly layout: Layout;
  readonly writing?: Writing;
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

function fromFile(view: View, { file, layout, writing, dropMissing }: Source): string[] {
  const options = [`label=${text(layout.label)}`];
  options.push(`scores=[${layout.scores.map(text).join(", ")}]`);
  options.push(`model=${layout.model === null ? "False" : text(layout.model)}`);
  options.push(`weight=${layout.weight === null ? "False" : text(layout.weight)}`);
  if (layout.positive !== null) options.push(`pos_label=${text(layout.positive)}`);
  if (writing?.decimal) options.push(`decimal=${text(writing.decimal)}`);
  if (typeof writing?.header === "boolean")
    options.push(`header=${writing.header ? "True" : "False"}`);
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
