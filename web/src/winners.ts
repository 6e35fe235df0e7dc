/** The winners: which of several models is best for which weight of recall. */

import type { Point } from "./indices";
import { EVERYTHING, NOTHING, type Table } from "./table";
import { tradeoffOfRows, valueAt, type Tradeoff } from "./tradeoff";

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

interface Scale {
  readonly positives: number;
  readonly negatives: number;
  readonly whole: boolean;
}

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
  const table: Table = {
    kind: "selection",
    thresholds: new Float64Array(points.length).fill(NaN),
    below: null,
    tp: Float64Array.from(points, ([tp]) => tp),
    fp: Float64Array.from(points, ([, fp]) => fp),
    positives: scale.positives,
    negatives: scale.negatives,
    whole: scale.whole,
    labels: null,
  };
  return tradeoffOfRows(table, curves.values().next().value!.index);
}

interface Part {
  readonly lo: number;
  readonly names: readonly string[];
}

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
  const trivial = new Map<string, Point>([
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
