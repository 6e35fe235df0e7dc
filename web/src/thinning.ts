/** The rows that draw a table in all spaces at once to within half a pixel. */

import { vertices } from "./hull";
import { odds, size, type Table } from "./table";

const SHORT = 2000;
/** Farther than a pixel from what is seen of PRG space; beyond it, distances do not count. */
const LOWEST_GAIN = -0.1;

/**
 * Every vertex of the hull is kept, the strictest row of highest precision for either class, a row
 * every two pixels of ROC space, and whatever row is farther than half a pixel, in some space, from
 * the straight way in counts between its kept neighbours. Tables of up to 2,000 rows keep them all.
 */
export function rowsToExplore(table: Table, width = 800): Uint32Array {
  const rows = size(table);
  if (rows <= SHORT) return Uint32Array.from({ length: rows }, (_, row) => row);
  const kept = new Uint8Array(rows);
  for (const row of vertices(table.fp, table.tp, table.whole)) kept[row] = 1;
  for (const row of [0, rows - 1, ...strictest(table)]) kept[row] = 1;
  const step = (row: number): number =>
    Math.floor((table.tp[row]! / table.positives + table.fp[row]! / table.negatives) * (width / 2));
  for (let row = 0; row + 1 < rows; row++) if (step(row) !== step(row + 1)) kept[row] = 1;
  const distance = distanceIn(table);
  let start = 0;
  for (let stop = 1; stop < rows; stop++) {
    if (!kept[stop]) continue;
    cut(table, start, stop, 0.5 / width, distance, kept);
    start = stop;
  }
  return Uint32Array.from(kept.keys()).filter((row) => kept[row]);
}

/** The strictest rows of highest precision, for the positives and for the negatives. */
function strictest({ tp, fp, positives, negatives }: Table): [number, number] {
  let [first, last] = [0, 0];
  let [highest, lowest] = [-1, -1];
  for (let row = 0; row < tp.length; row++) {
    const share = tp[row]! / (tp[row]! + fp[row]!);
    if (share > highest) [first, highest] = [row, share];
    const left = negatives - fp[row]!;
    const rest = left / (left + positives - tp[row]!);
    if (rest >= lowest) [last, lowest] = [row, rest];
  }
  return [first, last];
}

type Distance = (tp: number, straight: number, predicted: number) => number;

function cut(
  table: Table,
  first: number,
  last: number,
  most: number,
  distance: Distance,
  kept: Uint8Array,
): void {
  const { tp, fp } = table;
  const waiting: [number, number][] = [[first, last]];
  for (let segment = waiting.pop(); segment; segment = waiting.pop()) {
    const [start, stop] = segment;
    const from = tp[start]! + fp[start]!;
    const run = tp[stop]! + fp[stop]! - from;
    let [farthest, highest] = [-1, most];
    for (let row = start + 1; row < stop; row++) {
      const predicted = tp[row]! + fp[row]!;
      const share = run > 0 ? (predicted - from) / run : 0;
      const away = distance(tp[row]!, tp[start]! + share * (tp[stop]! - tp[start]!), predicted);
      if (away > highest) [farthest, highest] = [row, away];
    }
    if (farthest < 0) continue;
    kept[farthest] = 1;
    waiting.push([start, farthest], [farthest, stop]);
  }
}

/** The largest distance, in ROC, PR and PRG space, of points with equally many predicted. */
function distanceIn(table: Table): Distance {
  const { positives, negatives } = table;
  const c = odds(table);
  const gain = (missed: number, found: number): number => {
    const value = 1 - c * (missed / found);
    return value > LOWEST_GAIN ? value : LOWEST_GAIN;
  };
  return (tp, straight, predicted) => {
    const miss = Math.abs(tp - straight);
    const recall = gain(positives - tp, tp) - gain(positives - straight, straight);
    const precision = gain(predicted - tp, tp) - gain(predicted - straight, straight);
    const largest = Math.max((miss / negatives) ** 2, (miss / predicted) ** 2 || 0);
    return Math.sqrt(Math.max((miss / positives) ** 2 + largest, recall ** 2 + precision ** 2));
  };
}
