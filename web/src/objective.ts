/**
 * What a rule is chosen for, an F_β, a cost or a constraint, and the best row for it.
 *
 * `src/isometrics/decisions/objective.py` is the other side of it, with the same words.
 */

import { Fraction, ONE } from "./arithmetic";
import { general } from "./format";
import * as pr from "./spaces/pr";
import type { Settings } from "./state";
import { countsAt, type Counts, type Piece, type Table } from "./table";

export interface Constraint {
  /** A false positive rate and the flagged share of all rows at most, the others at least. */
  readonly quantity: "precision" | "recall" | "false_positive_rate" | "specificity" | "flagged";
  readonly level: number;
}

export interface Objective {
  /** The β of F_β: 0 is precision, infinity recall; null for a cost. */
  readonly beta: number | null;
  /** What a miss and a false alarm cost; null for an F. */
  readonly costs: readonly [number, number] | null;
  readonly constraint: Constraint | null;
}

export const GOAL_NAMES = [
  "f",
  "money",
  "precision",
  "recall",
  "alarms",
  "specificity",
  "budget",
  "given",
] as const;
/** What matters; "given" is what only Python can ask for. */
export type Goal = (typeof GOAL_NAMES)[number];

/** Sums of weights in another order may miss a level by this much. */
const ROUNDING = 1e-12;

/** The objective of the settings; a budget is a share of so many rows. */
export function objectiveOf(settings: Settings, rows: number): Objective {
  const { missCost, falseAlarmCost } = settings;
  const asked = (beta: number, constraint: Constraint | null): Objective => ({
    beta,
    costs: null,
    constraint,
  });
  switch (settings.goal) {
    case "money":
      return { beta: null, costs: [missCost, falseAlarmCost], constraint: null };
    case "precision":
      return asked(Infinity, { quantity: "precision", level: settings.minPrecision });
    case "recall":
      return asked(0, { quantity: "recall", level: settings.minRecall });
    case "alarms":
      return asked(Infinity, { quantity: "false_positive_rate", level: settings.maxFpr });
    case "specificity":
      return asked(Infinity, { quantity: "specificity", level: settings.minSpecificity });
    case "budget": {
      const share = settings.budget / (settings.budgetItems ?? rows);
      return asked(Infinity, { quantity: "flagged", level: Math.min(share, 1) });
    }
    default:
      return asked(settings.beta, null);
  }
}

export function higherIsBetter({ costs }: Objective): boolean {
  return !costs;
}

/** Whether flagging nothing is a legal answer. */
export function allowsNothing({ beta, costs }: Objective): boolean {
  return costs !== null || beta === Infinity;
}

/** The costs of a miss and of a false alarm as shares of their sum. */
export function costShares([miss, alarm]: readonly [number, number]): [number, number] {
  return [miss / (miss + alarm), alarm / (miss + alarm)];
}

/** What is maximised or minimised, in words. */
export function nameOf({ beta, costs }: Objective): string {
  if (costs) return "cost per row";
  if (beta === 0) return "precision";
  if (beta === Infinity) return "recall";
  const text = general(beta!);
  return Number.isInteger(beta) ? `F${text}` : `F (β ${text})`;
}

/** That no threshold keeps a constraint, and what to do; `whose` are the models or the data. */
export function noRuleSaid(constraint: Constraint, whose: string, where = ""): string {
  const said = constraintSaid(constraint);
  // Flagging nothing keeps every limit, but has no value.
  return isLimit(constraint)
    ? `no threshold that flags a row${whose} has ${said}${where}; allow more`
    : `no threshold${whose} has ${said}${where}; ask for less`;
}

/** Whether the level is the highest that is allowed, not the lowest. */
export function isLimit({ quantity }: Constraint): boolean {
  return quantity === "flagged" || quantity === "false_positive_rate";
}

/** A constraint in the words of a sentence. */
export function constraintSaid({ quantity, level }: Constraint): string {
  if (quantity === "flagged") return `at most ${general(100 * level)}% flagged`;
  if (quantity === "false_positive_rate") return `false positive rate ≤ ${general(100 * level)}%`;
  return `${quantity} of ${general(level)}${level < 1 ? " or more" : ""}`;
}

const divided = (part: number, whole: number): number => (whole > 0 ? part / whole : NaN);

export function quantityOf({ quantity }: Constraint, counts: Counts): number {
  const { tp, fp, positives, negatives } = counts;
  if (quantity === "false_positive_rate") return divided(fp, negatives);
  if (quantity === "specificity") return divided(negatives - fp, negatives);
  if (quantity === "precision") return divided(tp, tp + fp);
  if (quantity === "recall") return divided(tp, positives);
  return divided(tp + fp, positives + negatives);
}

/** The level, eased by what rounding may add or take. */
function limitOf(constraint: Constraint): number {
  return constraint.level * (isLimit(constraint) ? 1 + ROUNDING : 1 - ROUNDING);
}

export function isMet(constraint: Constraint, quantity: number): boolean {
  const limit = limitOf(constraint);
  return isLimit(constraint) ? quantity <= limit : quantity >= limit;
}

function costPerRow(counts: Counts, miss: number, alarm: number): number {
  const { tp, fp, positives, negatives } = counts;
  return (miss * (positives - tp) + alarm * fp) / (positives + negatives);
}

/** F, or the cost per row; NaN where it is not defined. */
export function valueOf({ beta, costs }: Objective, counts: Counts): number {
  if (costs) return costPerRow(counts, ...costs);
  const { tp, fp, positives } = counts;
  const [recall, precision] = pr.weights(beta!);
  return divided(tp, tp + (recall * (positives - tp) + precision * fp));
}

/** The counts of flagging a share of both classes: all, none, or some at random. */
export function flagging(
  share: number,
  { positives, negatives }: Pick<Counts, "positives" | "negatives">,
): Counts {
  return { tp: share * positives, fp: share * negatives, positives, negatives };
}

/** What is maximised: the value, or minus the cost per row divided by the sum of both costs. */
export function gainOf(objective: Objective, counts: Counts): number {
  if (objective.costs) return -costPerRow(counts, ...costShares(objective.costs));
  return valueOf(objective, counts);
}

/** How much a difference of 1 between gains is in the user's unit. */
export const unitOf = ({ costs }: Objective): number => (costs ? costs[0] + costs[1] : 1);

/** The value of a range that is nearest to a value; NaN stays. */
export const within = (value: number, most: number, least = 0): number =>
  Math.min(Math.max(value, least), most);

/**
 * The value with a gain that was estimated, in the user's unit.
 *
 * Corrections, and rounding, may carry an estimate past all values that there can be.
 */
export function valueOfGain(objective: Objective, gain: number): number {
  const { costs } = objective;
  return costs ? within(0 - gain * unitOf(objective), Math.max(...costs)) : within(gain, 1);
}

/** A range that holds every gain. */
export function gainLimits(objective: Objective): readonly [number, number] {
  const { costs } = objective;
  return costs ? [-Math.max(...costs) / unitOf(objective), 0] : [0, 1];
}

/** The objective in numbers, for loops over many rules. */
export interface Task {
  readonly costs: boolean;
  readonly first: number;
  readonly second: number;
  readonly minPrecision: number;
  readonly minRecall: number;
  readonly maxFpr: number;
  readonly mostFlagged: number;
  readonly allowsNothing: boolean;
}

export function taskOf(objective: Objective): Task {
  const { beta, costs, constraint } = objective;
  const [first, second] = costs ? costShares(costs) : pr.weights(beta!);
  const limit = (quantity: Constraint["quantity"], none: number): number =>
    constraint?.quantity === quantity ? limitOf(constraint) : none;
  return {
    costs: costs !== null,
    first,
    second,
    minPrecision: limit("precision", -1),
    minRecall: limit("recall", -1),
    maxFpr: Math.min(limit("false_positive_rate", Infinity), 1 - limit("specificity", -Infinity)),
    mostFlagged: limit("flagged", Infinity),
    allowsNothing: allowsNothing(objective),
  };
}

/** What is maximised for a rule; -inf for a rule that is not allowed. */
export function worthOf(
  task: Task,
  tp: number,
  fp: number,
  positives: number,
  negatives: number,
): number {
  let worth = task.first * (positives - tp) + task.second * fp;
  worth = task.costs ? -worth : tp / (worth + tp);
  const flagged = tp + fp;
  const allowed =
    positives > 0 &&
    negatives > 0 &&
    worth === worth &&
    (task.allowsNothing || flagged > 0) &&
    (task.minPrecision < 0 || tp / flagged >= task.minPrecision) &&
    (task.minRecall <= 0 || tp / positives >= task.minRecall) &&
    (task.maxFpr === Infinity || fp / negatives <= task.maxFpr) &&
    (task.mostFlagged === Infinity || flagged <= task.mostFlagged * (positives + negatives));
  return allowed ? worth : -Infinity;
}

const DOUBT = 16 * Number.EPSILON;

/**
 * The best row of a hull for every β², each threshold once: the vertices of a hull without the empty rule.
 *
 * Between neighbours a and b both are equally good at
 * β² = (fp_b·tp_a - fp_a·tp_b)/(P·(tp_b - tp_a)), computed in fractions and rounded once.
 */
export function optimaOf(hull: Table): Piece[] {
  const total = Fraction.of(hull.positives);
  const ends: number[] = [];
  let least = ONE;
  for (let row = 1; row < hull.tp.length; row++) {
    const [tpA, fpA] = [Fraction.of(hull.tp[row - 1]!), Fraction.of(hull.fp[row - 1]!)];
    const [tpB, fpB] = [Fraction.of(hull.tp[row]!), Fraction.of(hull.fp[row]!)];
    const rise = total.times(tpB.minus(tpA));
    const d = rise.over(rise.plus(fpB.times(tpA)).minus(fpA.times(tpB)));
    // Sums of float weights may bend a hull inwards by their last bits.
    if (d.compare(least) < 0) least = d;
    ends.push(least.sign === 0 ? Infinity : ONE.minus(least).over(least).toNumber());
  }
  return ends.map((lo, place) => ({ row: place + 1, lo, hi: ends[place + 1] ?? Infinity }));
}

/** The row of the table with the highest F_β; of two that tie, the one with fewer positives. */
export function bestForF(
  table: Table,
  hull: Table,
  hullRows: readonly number[],
  optima: readonly Piece[],
  beta: number,
): number {
  if (beta === 0) return mostPrecise(table);
  const squared = beta * beta;
  let best: { row: number; loss: Fraction } | null = null;
  for (const { row, lo, hi } of optima) {
    if (!(lo <= squared && squared <= hi)) continue;
    const loss = lossOf(hull, row, beta);
    if (!best || loss.compare(best.loss) < 0) best = { row, loss };
  }
  return hullRows[best!.row]!;
}

/** (β²·fn + fp)/tp, which falls as F_β rises; for β = ∞, fn/tp. */
function lossOf(hull: Table, row: number, beta: number): Fraction {
  const tp = Fraction.of(hull.tp[row]!);
  const missed = Fraction.of(hull.positives).minus(tp);
  if (beta === Infinity) return missed.over(tp);
  const weight = Fraction.of(beta);
  return weight.times(weight).times(missed).plus(Fraction.of(hull.fp[row]!)).over(tp);
}

function mostPrecise(table: Table): number {
  let best = -1;
  let precision: Fraction | null = null;
  let approximate = -1;
  for (let row = 0; row < table.tp.length; row++) {
    const value = pr.y(table, row);
    if (!(value >= approximate - DOUBT)) continue;
    const tp = Fraction.of(table.tp[row]!);
    const exact = tp.over(tp.plus(Fraction.of(table.fp[row]!)));
    const order = precision ? exact.compare(precision) : 1;
    if (order < 0 || (order === 0 && predicted(table, row) >= predicted(table, best))) continue;
    [best, precision, approximate] = [row, exact, value];
  }
  return best;
}

function predicted(table: Table, row: number): number {
  return table.tp[row]! + table.fp[row]!;
}

/** The row at which errors cost least, where a miss and a false alarm cost so much. */
export function bestForCosts(
  table: Table,
  rows: readonly number[],
  [miss, alarm]: readonly [Fraction, Fraction],
): number {
  const [gain, price] = [miss.toNumber(), alarm.toNumber()];
  const values = rows.map((row) => gain * table.tp[row]! - price * table.fp[row]!);
  const scale = Math.max(table.positives, table.negatives) * Math.max(gain, price);
  const near = Math.max(...values) - DOUBT * 2 * scale;
  let best: { row: number; value: Fraction } | null = null;
  rows.forEach((row, place) => {
    if (values[place]! < near) return;
    const value = miss
      .times(Fraction.of(table.tp[row]!))
      .minus(alarm.times(Fraction.of(table.fp[row]!)));
    if (!best || value.compare(best.value) > 0) best = { row, value };
  });
  return best!.row;
}

/**
 * The row that keeps a constraint and has the most recall, or for recall the most precision.
 *
 * Of several the one with the fewest predicted positives; null where no row keeps it.
 */
export function bestForConstraint(table: Table, constraint: Constraint): number | null {
  let best: number | null = null;
  for (let row = 0; row < table.tp.length; row++) {
    if (predicted(table, row) === 0 && constraint.quantity === "recall") continue;
    if (!isMet(constraint, quantityOf(constraint, countsAt(table, row)))) continue;
    if (best === null || isBetter(table, row, best, constraint)) best = row;
  }
  return best;
}

function isBetter(table: Table, row: number, best: number, { quantity }: Constraint): boolean {
  const [here, there] = [predicted(table, row), predicted(table, best)];
  const ahead =
    quantity === "recall"
      ? table.tp[row]! * there - table.tp[best]! * here
      : table.tp[row]! - table.tp[best]!;
  return ahead > 0 || (ahead === 0 && here < there);
}
