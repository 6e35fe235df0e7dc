/**
 * The rule of a row to take away: as the file that `iso.load_decision` reads, as SQL, as Python.
 *
 * `src/isometrics/decisions/files.py` is the other side of the file; docs/rules.md describes it.
 */

import { version } from "../package.json";
import type { Source } from "./commands";
import { exact, general } from "./format";
import { budgetOf, nameOf, valueOf, type Objective } from "./objective";
import type { Settings } from "./state";
import { countsAt, itemsOf, type ModelView, type View } from "./view";

export const FORMAT = "isometrics/decision-1";

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
  const [tp, fp] = [table.tp[row]!, table.fp[row]!];
  const rule = {
    format: FORMAT,
    isometrics: version,
    model: model.name,
    model_column: source?.layout.model ?? null,
    scores: scoresOf(one, source),
    threshold: plain(typed ?? table.thresholds[row]!),
    pos_label: source?.layout.positive ?? null,
    ...(typed === null ? chosenFor(one, row, view) : BY_HAND),
    prevalence: table.positives / (table.positives + table.negatives),
    tp,
    fp,
    fn: table.positives - tp,
    tn: table.negatives - fp,
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
  const threshold = plain(typed ?? one.table.thresholds[row]!);
  const column = quoted(scoresOf(one, source) ?? one.model.name);
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
  const threshold = exact(typed ?? one.table.thresholds[row]!);
  const number = threshold.includes("inf") ? `float("${threshold}")` : threshold;
  const column = JSON.stringify(scoresOf(one, source) ?? one.model.name);
  return `flagged = new_scores[${column}] ${threshold === "inf" ? ">" : ">="} ${number}\n`;
}

interface Purpose {
  readonly objective: string;
  readonly parameters: Record<string, number | string>;
  readonly value: number | string | null;
}

const BY_HAND: Purpose = { objective: "chosen by hand", parameters: {}, value: null };

function chosenFor(one: ModelView, row: number, view: View): Purpose {
  if (row !== view.best.get(one.place)) return BY_HAND;
  return {
    objective: labelOf(view.objective, view.settings),
    parameters: parametersOf(view),
    value: plain(valueOf(view.objective, countsAt(one, row))),
  };
}

/** The objective as Python's tables show it. */
function labelOf(objective: Objective, settings: Settings): string {
  const { beta, constraint } = objective;
  if (!constraint) return beta === null ? nameOf(objective) : `F (β ${general(beta)})`;
  const { quantity, level } = constraint;
  const asked =
    quantity !== "flagged"
      ? `${quantity} ≥ ${general(level)}`
      : settings.budgetItems === null
        ? `at most ${general(settings.budget)} predicted positives`
        : `at most ${general(100 * level)}% flagged`;
  return `${nameOf(objective)} with ${asked}`;
}

/** The arguments of `iso.best_threshold` that ask for the same. */
export function parametersOf({ settings, models }: View): Record<string, number | string> {
  switch (settings.goal) {
    case "money":
      return { miss_cost: settings.missCost, false_alarm_cost: settings.falseAlarmCost };
    case "precision":
      return { min_precision: settings.minPrecision };
    case "recall":
      return { min_recall: settings.minRecall };
    case "budget":
      return { budget: budgetOf(settings, models[0] ? itemsOf(models[0].model) : 0) };
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

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;
