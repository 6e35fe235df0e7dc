/**
 * Thresholds of tuning data: what they promised there, and what they achieve on these rows.
 *
 * Of long tables the page has the rules that are best for some β or some costs; a constraint may
 * need another one.
 */

import { commandOf, type Source } from "./commands";
import { capitalised, counted, decimals, fName, general, percent, short } from "./format";
import type { Line } from "./lines";
import {
  constraintSaid,
  costShares,
  gainOf,
  noRuleSaid,
  valueOf,
  type Objective,
} from "./objective";
import { askedSaid, rule } from "./sentences";
import * as pr from "./spaces/pr";
import type { Cursor, Settings } from "./state";
import { countsAt, nextLower, type Piece, type Table } from "./table";
import { bestRowFor, seen, under, type ModelView, type View } from "./view";

export interface Tuned {
  /** The model on the tuning data. */
  readonly there: ModelView;
  /** The same rules on the rows of this page, row by row. */
  readonly here: Table;
  /** The model with one of these thresholds, by its row there. */
  readonly cuts: Map<number, ModelView>;
}

const made = new WeakMap<ModelView, Tuned>();

/** The tuning data of a model under the settings; null where there is none. */
export function tunedOf(one: ModelView, settings: Settings): Tuned | null {
  const { tuning } = one.model;
  if (!tuning) return null;
  let tuned = made.get(one);
  if (!tuned) {
    const { table, complete } = tuning;
    const there = seen({ ...one.model, table, complete }, one.place, settings);
    tuned = { there, here: under(tuning.here, settings), cuts: new Map() };
    made.set(one, tuned);
  }
  return tuned;
}

/** The rule that the tuning data chooses; null where none keeps a constraint, or it is not here. */
export function chosenRow({ there }: Tuned, objective: Objective): number | null {
  return !objective.constraint || there.complete ? bestRowFor(there, objective) : null;
}

/** A model, and its best row; chosen on the tuning data where there is any. */
export function chosenHere(
  one: ModelView,
  settings: Settings,
  objective: Objective,
): readonly [ModelView, number | null] {
  const tuned = tunedOf(one, settings);
  if (!tuned) return [one, bestRowFor(one, objective)];
  const row = chosenRow(tuned, objective);
  return row === null ? [one, null] : [cutAt(one, tuned, row), rowHere(one, tuned, row)];
}

/**
 * A model that has a threshold of the tuning data in the row that flags the same of these rows.
 *
 * The score that stood there is the next higher one here, and would not flag the same of new rows.
 */
export function cutAt(one: ModelView, tuned: Tuned, row: number): ModelView {
  let cut = tuned.cuts.get(row);
  if (!cut) {
    const here = rowHere(one, tuned, row);
    const [from, to] = [tuned.there.table, one.table];
    const thresholds = to.thresholds.slice();
    thresholds[here] = from.thresholds[row]!;
    const below = (to.below ?? nextLower(to))?.slice() ?? null;
    if (below) below[here] = from.below![row]!;
    cut = { ...one, table: { ...to, thresholds, below } };
    tuned.cuts.set(row, cut);
    made.set(cut, tuned);
  }
  return cut;
}

/** The model that is best on the tuning data; null where there is none, or none keeps a constraint. */
export function tunedLeader(
  shown: readonly ModelView[],
  settings: Settings,
  objective: Objective,
): number | null {
  let [leader, highest]: [number | null, number] = [null, -Infinity];
  for (const one of shown) {
    const tuned = tunedOf(one, settings);
    const row = tuned && chosenRow(tuned, objective);
    const gain = tuned && row !== null ? gainOf(objective, countsAt(tuned.there.table, row)) : NaN;
    if (gain > highest) [leader, highest] = [one.place, gain];
  }
  return leader;
}

/** How much recall counts, or how much misses cost, as a share. */
export function weightOf({ lam, objective }: View): number {
  return objective.costs ? costShares(objective.costs)[0] : lam;
}

/** F at a weight of recall; for costs 1 − cost per item, with both costs as shares. */
export function valueAtWeight(table: Table, row: number, weight: number, costs: boolean): number {
  const { positives, negatives } = table;
  const [tp, fp] = [table.tp[row]!, table.fp[row]!];
  const errors = weight * (positives - tp) + (1 - weight) * fp;
  return costs ? 1 - errors / (positives + negatives) : tp / (tp + errors);
}

/** The rules that are best on the tuning data, and for which weights. */
function piecesOf({ there }: Tuned, costs: boolean): Piece[] {
  const { hull, hullRows, optima } = there;
  // β² = ∞ is the weight 1.
  const share = (squared: number): number => (squared === Infinity ? 1 : squared / (1 + squared));
  if (!costs)
    return optima.map(({ row, lo, hi }) => ({ row: hullRows[row]!, lo: share(lo), hi: share(hi) }));
  // Two neighbours cost the same where what one of them finds more pays for its false alarms.
  const ends = hullRows.slice(1).map((_, row) => {
    const [more, wrong] = [hull.tp[row + 1]! - hull.tp[row]!, hull.fp[row + 1]! - hull.fp[row]!];
    return wrong / (more + wrong);
  });
  return hullRows.map((row, place) => ({ row, lo: ends[place - 1] ?? 0, hi: ends[place] ?? 1 }));
}

const STEPS = 200;

/** The values of what the tuning data chooses, over all weights: there, or here. */
export function lineOf(tuned: Tuned, table: Table, costs: boolean): Line {
  const line: [number, number][] = [];
  for (const { lo, hi, row } of piecesOf(tuned, costs)) {
    if (hi < lo) continue;
    const steps = Math.max(1, Math.ceil((hi - lo) * STEPS));
    for (let step = 0; step <= steps; step++) {
      const weight = lo + ((hi - lo) * step) / steps;
      const value = valueAtWeight(table, row, weight, costs);
      // Who flags nothing has no precision.
      if (!Number.isNaN(value)) line.push([weight, value]);
    }
  }
  return line;
}

/** The row of a model here that flags what a threshold of the tuning data flags. */
export function rowHere(one: ModelView, tuned: Tuned, row: number): number {
  const threshold = tuned.there.table.thresholds[row]!;
  const { thresholds } = one.table;
  let [best, least] = [0, Infinity];
  thresholds.forEach((each, place) => {
    if (each >= threshold && each <= least) [best, least] = [place, each];
  });
  return best;
}

/** The rule that is best on the tuning data at a weight. */
export function rowAtWeight(tuned: Tuned, weight: number, costs: boolean): number {
  const pieces = piecesOf(tuned, costs);
  return (pieces.find(({ hi }) => weight <= hi) ?? pieces.at(-1)!).row;
}

// ---------------------------------------------------------------------- sentences

/** A value of the objective, with its name where it stands first. */
function valueSaid(view: View, table: Table, row: number): string {
  const { objective, settings } = view;
  const counts = countsAt(table, row);
  if (objective.costs)
    return `a cost of ${counted(Number(general(1000 * valueOf(objective, counts), 3)))} per 1,000 items`;
  if (objective.constraint)
    return `${percent(pr.y(table, row))} precision at ${percent(pr.x(table, row))} recall`;
  const value = valueOf(objective, counts);
  const name = fName(settings.beta);
  return Number.isNaN(value)
    ? `no ${name}, because it flags nothing`
    : `${name} ${decimals(value)}`;
}

/** What was promised and what is achieved by the model in hand. */
export function promisedReads(view: View, { model }: Cursor): string {
  const one = view.models[model]!;
  const tuned = tunedOf(one, view.settings)!;
  const { objective, settings } = view;
  const row = chosenRow(tuned, objective);
  if (row === null) return notChosen(view, [tuned], null);
  const said =
    `${capitalised(askedSaid(view))}, the tuning data chose ${rule(tuned.there, row, view)} for ${one.model.name} ` +
    `and promised ${valueSaid(view, tuned.there.table, row)}; on these rows it achieves ` +
    `${valueSaid(view, tuned.here, row)}.`;
  const best = bestRowFor(one, objective);
  if (best === null) return said;
  const possible = valueSaid(view, one.table, best);
  const weight = short(settings.beta, 3);
  const which = objective.costs || objective.constraint ? "" : ` for β = ${weight}`;
  return `${said} The best threshold of these rows${which}, which nobody knew in advance, has ${possible}.`;
}

function notChosen(view: View, tuned: readonly Tuned[], source: Source | null): string {
  const constraint = constraintSaid(view.objective.constraint!);
  if (tuned.every(({ there }) => there.complete))
    return capitalised(`${noRuleSaid(view.objective.constraint!, "", " on the tuning data")}.`);
  return (
    "Of the tuning data this page has the thresholds that are best for an F or for costs; which " +
    `one is best with ${constraint}, ${commandOf(view, source)} says.`
  );
}

/** The model and the threshold that the tuning data chooses, judged on these rows. */
export function tunedAnswer(view: View, source: Source | null): string[] {
  const { objective, settings } = view;
  const tuned = view.shown.map((one) => tunedOf(one, settings)!);
  const best = tuned.find(({ there }) => there.place === view.leader)!;
  const row = chosenRow(best, objective);
  if (row === null) return [notChosen(view, tuned, source)];
  const { there, here } = best;
  const shares = `${percent(pr.y(here, row))} precision at ${percent(pr.x(here, row))} recall`;
  const said = [
    `On the tuning data, ${askedSaid(view)}, ${there.model.name} at ` +
      `${rule(there, row, view)} is best. It promised ${valueSaid(view, there.table, row)} there ` +
      `and achieves ${valueSaid(view, here, row)} on these rows` +
      `${objective.constraint ? "" : `, ${shares}`}.`,
  ];
  const chosen = "It was not chosen on these rows, so expect about as much on new data";
  if (settings.otherClass || settings.goal === "given") said.push(`${chosen}.`);
  else said.push(`${chosen}: ${commandOf(view, source)} says how sure that is.`);
  return said;
}
