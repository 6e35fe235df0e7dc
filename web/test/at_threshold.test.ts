import assert from "node:assert/strict";
import { test } from "node:test";

import { count } from "../src/count";
import { dataOf, modelsOf, VERSION } from "../src/model";
import { ofOtherClass, type Table } from "../src/table";
import { hasThresholds, isFloat32, rowsAt } from "../src/typed";

interface Rows {
  readonly labels: boolean[];
  readonly scores: number[];
}

function drawn(rows: number, digits: number): Rows {
  const labels = Array.from({ length: rows }, (_, row) => row < 2 || Math.random() < 0.3);
  labels[0] = false;
  const scores = labels.map((label) => {
    const dice = Math.random();
    if (dice < 0.01) return dice < 0.005 ? Infinity : -Infinity;
    return Number((Math.random() + (label ? 0.4 : 0)).toFixed(digits));
  });
  return { labels, scores };
}

/** The table as the page has it: of many rows, only some. */
function onThePage({ labels, scores }: Rows): Table {
  const table = count({
    labels: Uint8Array.from(labels, Number),
    scores: Float64Array.from(scores),
    weights: null,
    whole: true,
  });
  const data = { version: VERSION, title: "", description: "", models: [dataOf("m", table)] };
  return modelsOf(data)[0]!.table;
}

function counted({ labels, scores }: Rows, threshold: number): { tp: number; fp: number } {
  let [tp, fp] = [0, 0];
  scores.forEach((score, row) => {
    // The threshold +inf flags nothing, not even a score of +inf.
    if (score >= threshold && threshold < Infinity) labels[row] ? tp++ : fp++;
  });
  return { tp, fp };
}

function thresholdsFor({ scores }: Rows): number[] {
  const some = Array.from({ length: 60 }, () => scores[Math.floor(Math.random() * scores.length)]!);
  const near = some.flatMap((score) => [score, score + 1e-9, score - 1e-9, score / 2]);
  return [...near, 0, -0, 5, -5, Infinity, -Infinity, Number.MAX_VALUE, 1e-320];
}

for (const [rows, digits] of [
  [2, 1],
  [40, 1],
  [900, 3],
  [9000, 2],
  [9000, 12],
] as const)
  test(`the counts of any number are those of applying it: ${rows} rows, ${digits} digits`, () => {
    const sample = drawn(rows, digits);
    const table = onThePage(sample);
    const turned = ofOtherClass(table);
    let known = 0;
    for (const threshold of thresholdsFor(sample)) {
      const { tp, fp } = counted(sample, threshold);
      const { strict, lenient } = rowsAt(table, threshold, false);
      assert.ok(table.tp[strict]! <= tp && tp <= table.tp[lenient]!, String(threshold));
      assert.ok(table.fp[strict]! <= fp && fp <= table.fp[lenient]!, String(threshold));
      if (strict === lenient) known++;
      const other = rowsAt(turned, threshold, true);
      const last = table.tp.length - 1;
      assert.deepEqual(other, { strict: last - strict, lenient: last - lenient });
      // Where two rows of the table are given, no stored row has the counts of this number.
      if (strict !== lenient) assert.ok(!table.thresholds.includes(threshold));
    }
    if (table.below === null) assert.equal(known, thresholdsFor(sample).length);
    else assert.ok(known > 8 && known < 240);
  });

test("tables without scores are asked for none", () => {
  const table = onThePage(drawn(40, 2));
  assert.ok(hasThresholds(table, false));
  assert.ok(!hasThresholds(table, true));
  assert.ok(!hasThresholds({ ...table, labels: ["a"] }, false));
  assert.ok(!hasThresholds({ ...table, thresholds: table.thresholds.map(() => NaN) }, false));
  // A curve whose points have no thresholds, between those of the trivial rules.
  const curve: Table = {
    ...table,
    kind: "curve",
    thresholds: Float64Array.of(Infinity, NaN, 0.5, NaN, -Infinity),
    tp: Float64Array.of(0, 1, 2, 3, 4),
    fp: Float64Array.of(0, 1, 2, 3, 4),
  };
  assert.deepEqual(rowsAt(curve, 0.5, false), { strict: 2, lenient: 2 });
  assert.deepEqual(rowsAt(curve, 0.4, false), { strict: 2, lenient: 4 });
  assert.deepEqual(rowsAt(curve, 0.6, false), { strict: 0, lenient: 2 });
});

test("scores of 32 bits are told", () => {
  const table = onThePage({ labels: [true, false], scores: [0.7, 0.25].map(Math.fround) });
  assert.ok(isFloat32(table));
  assert.ok(!isFloat32(onThePage({ labels: [true, false], scores: [0.7, 0.25] })));
});
