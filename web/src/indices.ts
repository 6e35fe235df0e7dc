/** The weighted indices: one number from a point and the weight λ of recall. */

import { Fraction, share } from "./fraction";
import type { Table } from "./table";

export const INDEX_NAMES = [
  "f-measure",
  "kulczynski",
  "folke",
  "jaccard",
  "f-gain",
  "cost",
] as const;
export type IndexName = (typeof INDEX_NAMES)[number];

export interface WeightedIndex {
  readonly name: IndexName;
  /** Whether the empty rule has a value, and so is a point like any other. */
  readonly hasEmptyRule: boolean;
  /** The value of counts at a weight of recall. */
  value(point: Point, lam: number): number;
  /** Where the curves of two points meet in [0, 1]; NaN where they do not. */
  meeting(one: Point, other: Point): number;
  /** The coordinates whose hull is the envelope, unless it is the hull of counts. */
  readonly coordinates?: (point: Point) => [number, number];
}

/** Counts under totals. */
export interface Point {
  readonly tp: number;
  readonly fp: number;
  readonly positives: number;
  readonly negatives: number;
}

export function pointOf(table: Table, row: number): Point {
  return {
    tp: table.tp[row]!,
    fp: table.fp[row]!,
    positives: table.positives,
    negatives: table.negatives,
  };
}

const recall = (point: Point): number => point.tp / point.positives;
const precision = (point: Point): number => point.tp / (point.tp + point.fp);
const fn = (point: Point): number => point.positives - point.tp;

/** P·(tp₂ - tp₁) and tp₁·fp₂ - tp₂·fp₁, exactly. */
function steps(one: Point, other: Point): [Fraction, Fraction] {
  const [tp1, fp1, tp2, fp2] = [one.tp, one.fp, other.tp, other.fp].map(Fraction.of) as [
    Fraction,
    Fraction,
    Fraction,
    Fraction,
  ];
  const rise = Fraction.of(one.positives).times(tp2.minus(tp1));
  return [rise, tp1.times(fp2).minus(tp2.times(fp1))];
}

function predicted(point: Point): Fraction {
  return Fraction.of(point.tp).plus(Fraction.of(point.fp));
}

/** tp/(tp + weighted errors). */
function tversky(point: Point, missed: number, wrong: number): number {
  return point.tp / (point.tp + (missed * fn(point) + wrong * point.fp));
}

function fMeeting(one: Point, other: Point): number {
  const [rise, fall] = steps(one, other);
  return share(fall, rise);
}

const fMeasure: WeightedIndex = {
  name: "f-measure",
  hasEmptyRule: false,
  value: (point, lam) => tversky(point, lam, 1 - lam),
  meeting: fMeeting,
};

const kulczynski: WeightedIndex = {
  name: "kulczynski",
  hasEmptyRule: false,
  value: (point, lam) => lam * recall(point) + (1 - lam) * precision(point),
  meeting: (one, other) => {
    const [rise, fall] = steps(one, other);
    const total = Fraction.of(one.positives);
    return share(
      fall.times(total.times(total)),
      rise.times(predicted(one).times(predicted(other))),
    );
  },
  coordinates: (point) => [recall(point), precision(point)],
};

const folke: WeightedIndex = {
  name: "folke",
  hasEmptyRule: false,
  value: (point, lam) => recall(point) ** lam * precision(point) ** (1 - lam),
  meeting: (one, other) => {
    const [rise, fall] = steps(one, other);
    const gained = fall.over(predicted(one).times(Fraction.of(other.tp))).toNumber();
    const grown = rise.over(Fraction.of(one.positives).times(Fraction.of(one.tp))).toNumber();
    const [part, rest] = [Math.log1p(gained), Math.log1p(grown)];
    const meet = ((part >= 0 && rest >= 0) || (part <= 0 && rest <= 0)) && part + rest !== 0;
    return meet ? part / (part + rest) : NaN;
  },
  coordinates: (point) => [-Math.log1p(fn(point) / point.tp), -Math.log1p(point.fp / point.tp)],
};

const jaccard: WeightedIndex = {
  name: "jaccard",
  hasEmptyRule: false,
  value: (point, lam) => tversky(point, Math.min(2 * lam, 1), Math.min(2 * (1 - lam), 1)),
  meeting: (one, other) => {
    const [rise, fall] = steps(one, other);
    const flat = absolute(fall).compare(absolute(rise)) <= 0;
    const [smaller, larger] = flat ? [fall, rise] : [rise, fall];
    const half = share(smaller, larger.plus(larger).minus(smaller));
    return flat ? half : 1 - half;
  },
};

const fGain: WeightedIndex = {
  name: "f-gain",
  hasEmptyRule: false,
  value: (point, lam) =>
    1 - (point.positives / point.negatives) * ((lam * fn(point) + (1 - lam) * point.fp) / point.tp),
  meeting: fMeeting,
};

const cost: WeightedIndex = {
  name: "cost",
  hasEmptyRule: true,
  value: (point, lam) =>
    lam * recall(point) + (1 - lam) * ((point.negatives - point.fp) / point.negatives),
  meeting: (one, other) => {
    const rise = Fraction.of(other.tp).minus(Fraction.of(one.tp)).times(Fraction.of(one.negatives));
    const run = Fraction.of(other.fp).minus(Fraction.of(one.fp)).times(Fraction.of(one.positives));
    return share(run, rise);
  },
};

function absolute(value: Fraction): Fraction {
  return value.sign < 0 ? Fraction.of(0).minus(value) : value;
}

export const INDICES: Record<IndexName, WeightedIndex> = {
  "f-measure": fMeasure,
  kulczynski,
  folke,
  jaccard,
  "f-gain": fGain,
  cost,
};
