/**
 * The top of the ranking, and scores as probabilities.
 *
 * The same numbers as `isometrics.decisions.lift` and `isometrics.calibration.reliability`.
 */

import type { Line } from "./lines";
import type { Model } from "./model";
import type { Path, Piece, Table } from "./table";

/** The share of all items that a rule flags. */
export function share(table: Table, row: number): number {
  return (table.tp[row]! + table.fp[row]!) / (table.positives + table.negatives);
}

/** How many times as many positives as in a random share; NaN for the empty rule. */
export function lift(table: Table, row: number): number {
  return table.tp[row]! / table.positives / share(table, row);
}

export function traceGains(table: Table, path: Path): Line {
  const all = table.positives + table.negatives;
  return Array.from(path.x, (tp, row) => [(tp + path.y[row]!) / all, tp / table.positives]);
}

/** Pixels between points of a curve that bends. */
const STRIDE = 4;

/** Lift over the share; among tied items the true positives rise in proportion, so it bends. */
export function traceLift(table: Table, path: Path, width: number): Line {
  const all = table.positives + table.negatives;
  const points: [number, number][] = [];
  const add = (tp: number, size: number): void => {
    points.push([size / all, tp / table.positives / (size / all)]);
  };
  for (let row = 1; row < path.x.length; row++) {
    const [tp, end] = [path.x[row - 1]!, path.x[row]!];
    const [size, last] = [tp + path.y[row - 1]!, end + path.y[row]!];
    if (size === last) continue;
    // From the empty rule to the first row lift is constant.
    if (size === 0) points.push([0, end / table.positives / (last / all)]);
    const parts = size === 0 ? 1 : Math.ceil((((last - size) / all) * width) / STRIDE);
    for (let part = 1; part < parts; part++)
      add(tp + ((end - tp) * part) / parts, size + ((last - size) * part) / parts);
    add(end, last);
  }
  return points;
}

/** Whether the scores are known, and lie in [0, 1]; items that were never scored lie at -inf. */
export function hasProbabilities({ histogram }: Model): boolean {
  if (!histogram) return false;
  const [positives, negatives] = histogram.above;
  return histogram.lo >= 0 && histogram.hi <= 1 && positives + negatives === 0;
}

/**
 * Which row flags the items with probability p or more, for every p from 0 to 1: lo < p ≤ hi.
 *
 * Of the other class the probability is 1 - score, and the rule of a row `score < threshold`.
 * Where rows are missing, nothing is said of the probabilities between two rules.
 */
export function probabilityRules(table: Table, otherClass: boolean): Piece[] {
  const { thresholds, below } = table;
  const rules: Piece[] = [];
  for (let row = 0; row < thresholds.length; row++) {
    const high = otherClass ? 1 - (thresholds[row - 1] ?? -Infinity) : thresholds[row]!;
    const known = below?.[row] ?? NaN;
    const next = Number.isNaN(known) ? (thresholds[row + 1] ?? -Infinity) : known;
    const low = otherClass ? 1 - thresholds[row]! : next;
    const [lo, hi] = [Math.max(low, 0), Math.min(high, 1)];
    if (hi > lo || (hi === 0 && low < 0)) rules.push({ row, lo, hi });
  }
  return rules;
}

/** TP/n - FP/n·p/(1-p), net true positives for each item (Vickers & Elkin 2006). */
export function netBenefit(table: Table, row: number, p: number): number {
  const all = table.positives + table.negatives;
  const [tp, fp] = [table.tp[row]! / all, table.fp[row]! / all];
  // At p = 1 a false positive costs infinitely much, and none costs nothing.
  return fp === 0 ? tp : tp - fp * (p / (1 - p));
}

/** What flagging everything gives. */
export function netBenefitOfAll({ positives, negatives }: Table, p: number): number {
  const all = positives + negatives;
  return positives / all - (negatives / all) * (p / (1 - p));
}

/** Where a decision curve is drawn to: at 1 it has no value. */
const LAST = 0.9999;

/** The decision curve, a piece for each rule, from the highest probability to 0. */
export function traceNetBenefit(table: Table, otherClass: boolean, width: number): Line {
  const points: [number, number][] = [];
  for (const { row, lo, hi } of probabilityRules(table, otherClass)) {
    // Rules of higher scores alone would be drawn where another rule holds.
    if (lo >= LAST) continue;
    const [from, to] = [Math.min(hi, LAST), lo];
    const parts = Math.max(Math.ceil(((from - to) * width) / STRIDE), 1);
    for (let part = 0; part <= parts; part++) {
      // The last one is not rounded, so that the curve ends at 0.
      const p = part === parts ? to : from + ((to - from) * part) / parts;
      points.push([p, netBenefit(table, row, p)]);
    }
  }
  return points;
}

/** Items whose scores are close together. */
export interface ScoreBin {
  /** The lowest and the highest score. */
  readonly lower: number;
  readonly upper: number;
  readonly items: number;
  readonly positives: number;
  /** The mean score; NaN where only the limits of the bin are known. */
  readonly predicted: number;
  /** The share of positives. */
  readonly observed: number;
}

const BINS = 10;

/** Bins with equally many items as far as ties allow, from a table with all its scores. */
export function binsOfEqualSize(table: Table): ScoreBin[] {
  const { thresholds, tp, fp } = table;
  const last = thresholds.length - 1;
  const rows = Array.from({ length: last }, (_, place) => last - place).filter(
    (row) => thresholds[row] !== -Infinity,
  );
  const itemsOf = (row: number): number => tp[row]! - tp[row - 1]! + (fp[row]! - fp[row - 1]!);
  const all = rows.reduce((sum, row) => sum + itemsOf(row), 0);
  const bins = new Map<number, { rows: number[]; items: number }>();
  let below = 0;
  for (const row of rows) {
    const number = Math.floor((below * BINS) / all);
    const bin = bins.get(number) ?? { rows: [], items: 0 };
    bin.rows.push(row);
    bin.items += itemsOf(row);
    bins.set(number, bin);
    below += itemsOf(row);
  }
  return [...bins.values()].map(({ rows: inside, items }) => {
    const positives = inside.reduce((sum, row) => sum + (tp[row]! - tp[row - 1]!), 0);
    return {
      lower: thresholds[inside[0]!]!,
      upper: thresholds[inside.at(-1)!]!,
      items,
      positives,
      predicted: inside.reduce((sum, row) => sum + thresholds[row]! * itemsOf(row), 0) / items,
      observed: positives / items,
    };
  });
}

/** Bins of equal width from a histogram, four of its bins in each, where the rows are thinned. */
export function binsOfEqualWidth({ histogram }: Model, factor: number): ScoreBin[] {
  const { lo, hi, positives: right, negatives: wrong } = histogram!;
  const wide = right.length / BINS;
  const sum = (counts: Float64Array, bin: number): number =>
    counts.subarray(bin * wide, (bin + 1) * wide).reduce((total, count) => total + count, 0);
  return Array.from({ length: BINS }, (_, bin) => {
    const positives = sum(right, bin);
    const items = positives + sum(wrong, bin) * factor;
    return {
      lower: lo + ((hi - lo) * bin) / BINS,
      upper: lo + ((hi - lo) * (bin + 1)) / BINS,
      items,
      positives,
      predicted: NaN,
      observed: positives / items,
    };
  }).filter(({ items }) => items > 0);
}

/** The mean distance of predicted and observed shares, weighted by items. */
export function calibrationError(bins: readonly ScoreBin[]): number {
  const all = bins.reduce((sum, { items }) => sum + items, 0);
  return (
    bins.reduce(
      (sum, { items, predicted, observed }) => sum + items * Math.abs(predicted - observed),
      0,
    ) / all
  );
}

/** The same bins, seen from the other class. */
export function binsOfOtherClass(bins: readonly ScoreBin[]): ScoreBin[] {
  return bins
    .map(({ lower, upper, items, positives, predicted, observed }) => ({
      lower: 1 - upper,
      upper: 1 - lower,
      items,
      positives: items - positives,
      predicted: 1 - predicted,
      observed: 1 - observed,
    }))
    .reverse();
}
