/** Tradeoff space: the best value of an index for every weight λ of recall, and who wins where. */

import { Fraction, share } from "./arithmetic";
import {
  countsAt,
  curveTable,
  EVERYTHING,
  isNested,
  NOTHING,
  sortedRows,
  vertices,
  type Counts,
  type Piece,
  type Table,
} from "./table";

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
  /** Whether the empty rule has a value, and so is a point like any other. */
  readonly hasEmptyRule?: true;
  /** The value of counts at a weight of recall. */
  value(point: Counts, lam: number): number;
  /** Where the curves of two points meet in [0, 1]; NaN where they do not. */
  meeting(one: Counts, other: Counts): number;
  /** The coordinates whose hull is the envelope, unless it is the hull of counts. */
  readonly coordinates?: (point: Counts) => [number, number];
}

const recall = (point: Counts): number => point.tp / point.positives;
const precision = (point: Counts): number => point.tp / (point.tp + point.fp);
const fn = (point: Counts): number => point.positives - point.tp;

/** P·(tp₂ - tp₁) and tp₁·fp₂ - tp₂·fp₁, exactly. */
function steps(one: Counts, other: Counts): [Fraction, Fraction] {
  const [tp1, fp1] = [Fraction.of(one.tp), Fraction.of(one.fp)];
  const [tp2, fp2] = [Fraction.of(other.tp), Fraction.of(other.fp)];
  const rise = Fraction.of(one.positives).times(tp2.minus(tp1));
  return [rise, tp1.times(fp2).minus(tp2.times(fp1))];
}

function predicted(point: Counts): Fraction {
  return Fraction.of(point.tp).plus(Fraction.of(point.fp));
}

/** tp/(tp + weighted errors). */
function tversky(point: Counts, missed: number, wrong: number): number {
  return point.tp / (point.tp + (missed * fn(point) + wrong * point.fp));
}

function fMeeting(one: Counts, other: Counts): number {
  const [rise, fall] = steps(one, other);
  return share(fall, rise);
}

export const INDICES: Record<IndexName, WeightedIndex> = {
  "f-measure": {
    value: (point, lam) => tversky(point, lam, 1 - lam),
    meeting: fMeeting,
  },
  kulczynski: {
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
  },
  folke: {
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
  },
  jaccard: {
    value: (point, lam) => tversky(point, Math.min(2 * lam, 1), Math.min(2 * (1 - lam), 1)),
    meeting: (one, other) => {
      const [rise, fall] = steps(one, other);
      const flat = fall.times(fall).compare(rise.times(rise)) <= 0;
      const [smaller, larger] = flat ? [fall, rise] : [rise, fall];
      const half = share(smaller, larger.plus(larger).minus(smaller));
      return flat ? half : 1 - half;
    },
  },
  "f-gain": {
    value: (point, lam) =>
      1 -
      (point.positives / point.negatives) * ((lam * fn(point) + (1 - lam) * point.fp) / point.tp),
    meeting: fMeeting,
  },
  cost: {
    hasEmptyRule: true,
    value: (point, lam) =>
      lam * recall(point) + (1 - lam) * ((point.negatives - point.fp) / point.negatives),
    meeting: (one, other) => {
      const rise = Fraction.of(other.tp)
        .minus(Fraction.of(one.tp))
        .times(Fraction.of(one.negatives));
      const run = Fraction.of(other.fp)
        .minus(Fraction.of(one.fp))
        .times(Fraction.of(one.positives));
      return share(run, rise);
    },
  },
};

export interface Tradeoff {
  readonly table: Table;
  readonly index: WeightedIndex;
  /** In the order of λ; neighbours share an end, and all together cover 0 to 1. */
  readonly pieces: readonly Piece[];
}

/** The optimal tradeoff curve of the rows of a table, and of no others. */
export function tradeoffOf(table: Table, index: WeightedIndex): Tradeoff {
  let rows = hullRows(table, index.hasEmptyRule === true);
  if (index.coordinates) {
    const places = rows.map((row) => index.coordinates!(countsAt(table, row)));
    const corners = vertices(
      Float64Array.from(places, ([x]) => x),
      Float64Array.from(places, ([, y]) => y),
      false,
    );
    rows = corners.map((corner) => rows[corner]!);
  }
  const ends = [0];
  for (let next = 1; next < rows.length; next++) {
    const met = index.meeting(countsAt(table, rows[next - 1]!), countsAt(table, rows[next]!));
    ends.push(Math.max(ends[next - 1]!, met));
  }
  ends.push(1);
  const pieces: Piece[] = [];
  rows.forEach((row, place) => {
    const [lo, hi] = [ends[place]!, ends[place + 1]!];
    if (hi > lo) pieces.push({ lo, hi, row });
  });
  return { table, index, pieces };
}

/** The rows on the hull of counts, up to the first of most true positives. */
function hullRows(table: Table, withEmptyRule: boolean): number[] {
  const rows = front(table, withEmptyRule);
  const at = (counts: Float64Array): Float64Array =>
    Float64Array.from(withEmptyRule ? rows : [-1, ...rows], (row) => (row < 0 ? 0 : counts[row]!));
  const corners = vertices(at(table.fp), at(table.tp), table.whole);
  if (withEmptyRule) return corners.map((corner) => rows[corner]!);
  // The hull begins at the empty rule, which is no row here.
  return corners.slice(1).map((corner) => rows[corner - 1]!);
}

/** The rows that no other one has more true and not more false positives than. */
function front(table: Table, withEmptyRule: boolean): number[] {
  const { tp, fp } = table;
  const order = isNested(table) ? Array.from(tp.keys()) : sortedRows(fp, tp);
  const found: number[] = [];
  let highest = withEmptyRule ? -1 : 0;
  order.forEach((row, place) => {
    const next = order[place + 1];
    if (next !== undefined && fp[next] === fp[row]) return;
    if (tp[row]! > highest) {
      highest = tp[row]!;
      found.push(row);
    }
  });
  return found;
}

/** The row that is best at a weight of recall: the strictest where two pieces meet. */
export function bestRow(curve: Tradeoff, lam: number): number {
  return (curve.pieces.find((piece) => piece.hi >= lam) ?? curve.pieces.at(-1)!).row;
}

/** The best value of the index at a weight of recall. */
export function valueAt(curve: Tradeoff, lam: number): number {
  const piece = curve.pieces.filter(({ lo }) => lo <= lam).at(-1) ?? curve.pieces[0]!;
  return curve.index.value(countsAt(curve.table, piece.row), lam);
}

/** What needs no algorithm: everything, and one true positive alone (for the cost, nothing). */
export function baselinePoints(table: Table, index: WeightedIndex) {
  const { positives, negatives } = table;
  const everything = { tp: positives, fp: negatives, positives, negatives };
  const found = [{ name: "everything", point: everything }];
  if (index.hasEmptyRule)
    found.push({ name: "nothing", point: { tp: 0, fp: 0, positives, negatives } });
  else if (Number.isInteger(positives))
    found.push({ name: "one true positive", point: { tp: 1, fp: 0, positives, negatives } });
  return found;
}

const ROUNDING = 1e-12;
const EXACT = 2 ** 53;
const INSIDE = [0.25, 0.5, 0.75];

/** A range of λ in which the same models are best. */
export interface Range {
  readonly lo: number;
  readonly hi: number;
  /** The best model, or all that tie; or a trivial set where no model is better. */
  readonly names: readonly string[];
}

type Scale = Pick<Table, "positives" | "negatives" | "whole">;

/** Who wins where: the upper envelope of the models' optimal tradeoff curves. */
export function winnersOf(curves: ReadonlyMap<string, Tradeoff>): Range[] {
  const scale = scaleOf([...curves.values()].map((curve) => curve.table));
  const together = tradeoffTogether(curves, scale);
  const parts = scale.whole ? byCounts(curves, together, scale) : byValues(curves, together, scale);
  const ranges: Range[] = [];
  parts.forEach(({ lo, names }, place) => {
    const hi = parts[place + 1]?.lo ?? 1;
    const last = ranges.at(-1);
    if (last && last.names.join("\n") === names.join("\n"))
      ranges[ranges.length - 1] = { ...last, hi };
    else ranges.push({ lo, hi, names });
  });
  return ranges;
}

/** Whether precisions of models can be compared: they have one prevalence, but for rounding. */
export function samePrevalence(tables: readonly Table[]): boolean {
  const first = tables[0]!;
  return tables.every((table) => {
    if (first.whole && table.whole)
      return (
        BigInt(first.positives) * BigInt(table.negatives) ===
        BigInt(table.positives) * BigInt(first.negatives)
      );
    const [one, two] = [first.positives / first.negatives, table.positives / table.negatives];
    return Math.abs(one - two) <= ROUNDING * Math.max(one, two);
  });
}

function scaleOf(tables: readonly Table[]): Scale {
  if (tables.every((table) => table.whole)) {
    const positives = tables.map((table) => table.positives).reduce(leastCommonMultiple);
    const negatives = tables.map((table) => table.negatives).reduce(leastCommonMultiple);
    if (Math.max(positives, negatives) < EXACT) return { positives, negatives, whole: true };
  }
  return { positives: tables[0]!.positives, negatives: tables[0]!.negatives, whole: false };
}

function leastCommonMultiple(one: number, two: number): number {
  let [a, b] = [one, two];
  while (b) [a, b] = [b, a % b];
  return (one / a) * two;
}

function scaled(table: Table, row: number, scale: Scale): [number, number] {
  const { tp, fp, positives, negatives } = table;
  if (scale.whole)
    return [tp[row]! * (scale.positives / positives), fp[row]! * (scale.negatives / negatives)];
  // Rates that are 1 stay so: the trivial sets must not move.
  return [(tp[row]! / positives) * scale.positives, (fp[row]! / negatives) * scale.negatives];
}

function tradeoffTogether(curves: ReadonlyMap<string, Tradeoff>, scale: Scale): Tradeoff {
  const points: [number, number][] = [[0, 0]];
  for (const curve of curves.values())
    for (const piece of curve.pieces) points.push(scaled(curve.table, piece.row, scale));
  points.push([scale.positives, scale.negatives]);
  points.sort((one, two) => one[1] - two[1] || one[0] - two[0]);
  const tp = Float64Array.from(points, ([found]) => found);
  const fp = Float64Array.from(points, ([, taken]) => taken);
  const curve = curveTable(tp, fp, scale.positives, scale.negatives);
  const table: Table = { ...curve, kind: "selection", whole: scale.whole };
  return tradeoffOf(table, curves.values().next().value!.index);
}

type Part = Pick<Range, "lo" | "names">;

/** Names the winners of each piece: all models that have its row. */
function byCounts(curves: ReadonlyMap<string, Tradeoff>, together: Tradeoff, scale: Scale): Part[] {
  const owners = new Map<string, string[]>();
  for (const [name, curve] of curves)
    for (const piece of curve.pieces) {
      const key = scaled(curve.table, piece.row, scale).join(" ");
      owners.set(key, [...(owners.get(key) ?? []), name]);
    }
  owners.set("0 0", [NOTHING]);
  owners.set(`${scale.positives} ${scale.negatives}`, [EVERYTHING]);
  return together.pieces.map(({ lo, row }) => ({
    lo,
    names: owners.get(`${together.table.tp[row]} ${together.table.fp[row]}`)!,
  }));
}

/** Names the winners between all ends of all pieces: those whose values are highest there. */
function byValues(curves: ReadonlyMap<string, Tradeoff>, together: Tradeoff, scale: Scale): Part[] {
  const all = [together, ...curves.values()].flatMap((curve) => curve.pieces.map(({ lo }) => lo));
  const sorted = [...new Set(all)].sort((one, two) => one - two);
  const starts = sorted.filter((lo, place) => place === 0 || lo - sorted[place - 1]! > ROUNDING);
  const { index } = together;
  const trivial = new Map<string, Counts>([
    [EVERYTHING, { ...scale, tp: scale.positives, fp: scale.negatives }],
  ]);
  if (index.hasEmptyRule) trivial.set(NOTHING, { ...scale, tp: 0, fp: 0 });
  return starts.map((lo, place) => {
    const width = (starts[place + 1] ?? 1) - lo;
    const probes = INSIDE.map((inside) => {
      const lam = lo + width * inside;
      const values = new Map([...curves].map(([name, curve]) => [name, valueAt(curve, lam)]));
      const best = Math.max(...values.values());
      return { lam, values, level: best - ROUNDING * Math.max(1, Math.abs(best)) };
    });
    for (const [name, point] of trivial)
      if (probes.every(({ lam, level }) => index.value(point, lam) >= level))
        return { lo, names: [name] };
    const names = [...curves.keys()];
    const always = names.filter((name) =>
      probes.every(({ values, level }) => values.get(name)! >= level),
    );
    const middle = probes[1]!;
    return {
      lo,
      names: always.length
        ? always
        : names.filter((name) => middle.values.get(name)! >= middle.level),
    };
  });
}

/** The models that are best at a weight of recall; both sides' where two ranges meet. */
export function winnersAt(ranges: readonly Range[], lam: number): string[] {
  const here = ranges.filter(({ lo, hi }) => lo <= lam && lam <= hi);
  return [...new Set(here.flatMap(({ names }) => names))];
}
