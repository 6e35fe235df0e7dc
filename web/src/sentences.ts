/** The results in plain language. */

import { wilson } from "./arithmetic";
import { commandOf } from "./commands";
import {
  capitalised,
  counted,
  decimals,
  levelSaid,
  percent,
  percents,
  short,
  thresholdText,
} from "./format";
import { AUPRG } from "./measures";
import type { Confidence, Verdict } from "./model";
import { constraintSaid, noRuleSaid } from "./objective";
import { hasProbabilities } from "./ranking";
import * as pr from "./spaces/pr";
import * as prg from "./spaces/prg";
import { betaOf, type Cursor } from "./state";
import { EVERYTHING, NOTHING } from "./table";
import { samePrevalence, type Range } from "./tradeoff";
import { thresholdAt, type ModelView, type View, type Views } from "./view";

/** The rule of a row in words; with all digits of its threshold if asked for. */
export function rule(one: ModelView, row: number, view: View, allDigits = false): string {
  const label = one.table.labels?.[row];
  if (label !== undefined) return `set ${label}`;
  const threshold = thresholdAt(one, row);
  const sign = view.settings.otherClass ? "<" : "≥";
  const shown = allDigits && Number.isFinite(threshold);
  const text = shown ? thresholdText(threshold) : shownThreshold(one, row);
  if (!Number.isNaN(threshold)) return `score ${sign} ${text}`;
  return `row ${row + 1}, which has no threshold`;
}

/** A model and the rule of its row. */
export function ruleOf(view: View, model: number, row: number): string {
  const one = view.models[model]!;
  return `${one.model.name} at ${rule(one, row, view)}`;
}

/** A threshold by the shortest number that flags the same rows; whole where those are unknown. */
export function shownThreshold(one: ModelView, row: number): string {
  const { thresholds, below, kind } = one.table;
  const threshold = thresholdAt(one, row);
  if (!Number.isFinite(threshold)) return short(threshold);
  // The verdict has a short one.
  if (one.rule?.row === row) return thresholdText(threshold);
  const next = kind === "scores" ? (thresholds[row + 1] ?? -Infinity) : NaN;
  return thresholdText(threshold, below ? below[row]! : next);
}

/** The point in one line, for screen readers. */
export function said(view: View, { model, row }: Cursor): string {
  const one = view.models[model]!;
  return (
    `${one.model.name}, ${rule(one, row, view)}: precision ${percent(pr.y(one.table, row))}, ` +
    `recall ${percent(pr.x(one.table, row))}, row ${row + 1} of ${one.table.tp.length}`
  );
}

export function winnerName(name: string, view: View): string {
  if (name === EVERYTHING) return "everything";
  if (name === NOTHING) return "nothing";
  return view.models[Number(name)]!.model.name;
}

/** Why some models are missing from a panel of probabilities; empty where none is. */
export function notProbabilities(shown: readonly ModelView[], what: string): string {
  const sets = shown.filter(({ table }) => table.labels);
  if (sets.length && sets.length === shown.length) return `Sets have no scores, and so no ${what}.`;
  const missing = shown.filter(({ model }) => !hasProbabilities(model));
  return missing
    .slice(0, 3)
    .map(({ model: { name, histogram } }) => {
      if (!histogram) return `${name} has no ${what}: its scores are not known one by one.`;
      const { lo, hi, above } = histogram;
      const scores = above[0] + above[1] > 0 ? "of +∞" : `from ${short(lo, 3)} to ${short(hi, 3)}`;
      return `${name} has scores ${scores}, which are no probabilities, so it has no ${what}: “isometrics calibrate” makes probabilities of them.`;
    })
    .concat(missing.length > 3 ? `Nor have ${missing.length - 3} other models.` : [])
    .join(" ");
}

/** Who is best where, in one sentence. */
export function rangesSaid(
  winners: readonly Range[],
  view: View,
  letter: string,
  scale: (lam: number) => number,
): string {
  const end = (lam: number): string => short(scale(lam), 3);
  const two = view.shown.length === 2;
  const who = ({ names }: Range): string => {
    const first = names[0]!;
    if (first === EVERYTHING) return "calling everything positive is as good as any model";
    if (first === NOTHING) return "calling nothing positive is as good as any model";
    const shown = names.map((name) => winnerName(name, view));
    if (shown.length > 1) return `${shown.join(" and ")} tie`;
    const other = view.shown.find((one) => String(one.place) !== first);
    return two && other ? `${shown[0]} beats ${other.model.name}` : `${shown[0]} is best`;
  };
  if (winners.length === 1) return `${capital(who(winners[0]!))} for every ${letter}.`;
  const most = 4;
  const parts = winners.slice(0, most).map((range) => {
    if (range.lo === 0) return `${who(range)} for every ${letter} below ${end(range.hi)}`;
    if (range.hi === 1) return `${who(range)} for every ${letter} above ${end(range.lo)}`;
    return `${who(range)} from ${end(range.lo)} to ${end(range.hi)}`;
  });
  const rest =
    winners.length > most ? `; ${winners.length - most} more ranges are in the strip` : "";
  return `${capital(parts.join(", "))}${rest}.`;
}

function capital(text: string): string {
  // A model's name keeps its case.
  return /^calling/.test(text) ? capitalised(text) : text;
}

/** All that Python says: one verdict, or of each class the answer and what to beware of in it. */
export function headline(view: View, verdicts: readonly Verdict[]): string[] {
  if (!view.classes && verdicts.every(({ name }) => !name))
    return verdicts.flatMap(({ lines }) => lines);
  const said = verdicts
    .slice(0, MOST)
    .flatMap(({ name, lines: [answer, ...others] }) => [
      `${name}: ${answer}`,
      ...others.filter((line) => line.startsWith("Beware")).map((line) => `${name}: ${line}`),
    ]);
  return [...said, ...moreClasses(verdicts.length - MOST)];
}

/** The best rule of these rows, which is too good for others. */
export function onTheseRows(view: View): string[] {
  if (view.classes) return classesOnTheseRows(view);
  const row = view.best.get(view.leader);
  const { objective } = view;
  if (row === undefined)
    return objective.constraint
      ? [capitalised(`${noRuleSaid(objective.constraint, " of any model")}.`)]
      : ["No model is shown."];
  const one = view.models[view.leader]!;
  const [precision, recall] = [pr.y(one.table, row), pr.x(one.table, row)];
  const choice = one.table.labels
    ? `take ${rule(one, row, view)} of ${one.model.name}`
    : `cut ${one.model.name} at ${rule(one, row, view)}`;
  const said = [
    `On these rows, ${askedSaid(view)}, ${choice}: ` +
      `${percent(precision)} precision at ${percent(recall)} recall.`,
  ];
  const isF = !objective.costs && !objective.constraint;
  if (isF && view.fWinners) said.push(rangesSaid(view.fWinners, view, "β", betaOf));
  else if (!samePrevalence(view.shown.map(({ table }) => table)))
    said.push("The models have different prevalences, so set one prevalence to compare them.");
  if (one.table.whole) said.push(howSure(one, row, view.confidence));
  return said;
}

/** What is asked for, in the middle of a sentence. */
export function askedSaid({ objective, settings }: View): string {
  const { costs, constraint } = objective;
  if (constraint) return `with ${constraintSaid(constraint)}`;
  if (!costs) return `at β = ${short(settings.beta, 3)}`;
  return `where a miss costs ${short(costs[0])} and a false alarm ${short(costs[1])}`;
}

function howSure(one: ModelView, row: number, { level, z }: Confidence): string {
  const { tp, fp, positives } = one.table;
  const interval = (ends: [number, number]): string => percents(ends, " to ");
  return (
    `How sure? From ${counted(tp[row]! + fp[row]!)} predicted and ${counted(positives)} actual ` +
    `positives, the precision of this ${one.table.labels ? "set" : "cut"} is ${interval(wilson(tp[row]!, tp[row]! + fp[row]!, z))}, ` +
    `its recall ${interval(wilson(tp[row]!, positives, z))} (${levelSaid(level)} intervals).`
  );
}

/** What the tables of a report are about. */
export function nounOf(view: Pick<View, "classes">, many = false): string {
  if (view.classes) return many ? "classes" : "class";
  return many ? "models" : "model";
}

/** How many classes have their own sentence. */
const MOST = 5;

function moreClasses(more: number): string[] {
  return more > 0 ? [`and ${more} more ${more === 1 ? "class" : "classes"}, in the table.`] : [];
}

/** The best rule of each class on these rows, which is too good for others. */
function classesOnTheseRows(view: View): string[] {
  if (!view.shown.length) return ["No class is shown."];
  const said = view.shown.slice(0, MOST).map((one, place) => {
    const row = view.best.get(one.place);
    const start = place ? "" : `On these rows, ${askedSaid(view)}, each class by itself: `;
    if (row === undefined) return `${start}${one.model.name} has no threshold that keeps this.`;
    return (
      `${start}${one.model.name} at ${rule(one, row, view)}: ${percent(pr.y(one.table, row))} ` +
      `precision at ${percent(pr.x(one.table, row))} recall.`
    );
  });
  return [
    ...said,
    ...moreClasses(view.shown.length - MOST),
    "Cuts were chosen on these rows, so expect less of them on new data: " +
      `${commandOf(view, null)} says how much less of each class.`,
  ];
}

/**
 * The averages over classes that mean something: those on the gain scale.
 *
 * Precision, F and AUPR of classes start from different baselines, so they have no common mean.
 */
export function macroSentence(view: View, views: Views): string {
  const { shown } = view;
  if (!view.classes || shown.length < 2) return "";
  const mean = (value: (one: ModelView) => number): string =>
    decimals(shown.reduce((sum, one) => sum + value(one), 0) / shown.length);
  const ends = [0, 1].map((end) => mean((one) => views.area(one, AUPRG, view.settings)[end]!));
  const area = ends[0] === ends[1] ? ends[0] : ends.join("–");
  const beta = view.settings.beta;
  const best = mean((one) => prg.fGain(one.table, view.best.get(one.place)!, beta));
  return (
    `Macro average over the ${shown.length} classes: ${AUPRG} ${area}, ` +
    `best F gain (β ${short(beta, 3)}) ${best}.`
  );
}
