import assert from "node:assert/strict";
import { test } from "node:test";

import { accuracyIsoline, fGainIsoline, fIsoline, tracePr, tracePrg, traceRoc } from "../src/lines";
import type { SpaceName } from "../src/model";
import { INTERPOLATIONS } from "../src/spaces/pr";
import { pathOf, type Table } from "../src/table";

const SPACES: SpaceName[] = ["roc", "pr", "prg"];
const PREVALENCE = 0.2;
const ODDS = PREVALENCE / (1 - PREVALENCE);

/** Recall and false positive rate of a point of a space. */
function rates(space: SpaceName, x: number, y: number): [number, number] {
  if (space === "roc") return [y, x];
  if (space === "pr") return [x, (ODDS * x * (1 - y)) / y];
  const recall = ODDS / (ODDS + 1 - x);
  return [recall, (1 - y) * recall];
}

test("all points of a line of equal F have that F", () => {
  for (const space of SPACES)
    for (const beta of [0.5, 1, 2]) {
      const line = fIsoline(0.4, space, PREVALENCE, beta);
      assert.ok(line.length > 1, space);
      for (const [x, y] of line) {
        const [recall, fpr] = rates(space, x, y);
        const lam = beta ** 2 / (1 + beta ** 2);
        const f = recall / (recall + lam * (1 - recall) + (1 - lam) * (fpr / ODDS));
        assert.ok(Math.abs(f - 0.4) < 1e-9, `${space} ${f}`);
      }
    }
});

test("all points of a line of equal accuracy have that accuracy", () => {
  for (const space of SPACES)
    for (const cost of [0.3, 0.5]) {
      const line = accuracyIsoline(0.75, space, PREVALENCE, cost);
      for (const [x, y] of line) {
        // Some lines of PR space run into its corner, which belongs to all of them.
        if (space === "pr" && y === 0) continue;
        const [recall, fpr] = rates(space, x, y);
        const value =
          2 * (1 - cost) * PREVALENCE * recall + 2 * cost * (1 - PREVALENCE) * (1 - fpr);
        assert.ok(Math.abs(value - 0.75) < 1e-9, `${space} ${value}`);
      }
    }
});

test("the minor diagonal is the F1 gain of calling everything positive", () => {
  assert.deepEqual(fGainIsoline(0.5, "prg", PREVALENCE, 1), [
    [0, 1],
    [1, 0],
  ]);
  assert.deepEqual(fIsoline(0.999, "prg", PREVALENCE, 0).length, 2);
});

const dented: Table = {
  kind: "curve",
  thresholds: Float64Array.of(Infinity, NaN, NaN, NaN, -Infinity),
  below: null,
  tp: Float64Array.of(0, 4, 5, 12, 20),
  fp: Float64Array.of(0, 0, 20, 24, 200),
  positives: 20,
  negatives: 200,
  whole: true,
  labels: null,
};

test("every curve visits every row of the table", () => {
  const path = pathOf(dented)!;
  const close = (line: readonly (readonly [number, number])[], x: number, y: number): boolean =>
    line.some(([a, b]) => Math.hypot(a - x, b - y) < 1e-12);
  const roc = traceRoc(dented, path);
  dented.tp.forEach((tp, row) => assert.ok(close(roc, dented.fp[row]! / 200, tp / 20)));
  for (const interpolation of INTERPOLATIONS) {
    if (interpolation === "max-precision") continue;
    const line = tracePr(dented, path, interpolation, 400, 400);
    for (let row = 1; row < 5; row++) {
      const [tp, fp] = [dented.tp[row]!, dented.fp[row]!];
      assert.ok(close(line, tp / 20, tp / (tp + fp)), interpolation);
    }
    assert.equal(line[0]![0], 0);
  }
  const prg = tracePrg(dented, path);
  const c = 0.1;
  for (let row = 2; row < 5; row++) {
    const [tp, fp] = [dented.tp[row]!, dented.fp[row]!];
    assert.ok(close(prg, 1 - (c * (20 - tp)) / tp, 1 - (c * fp) / tp));
  }
});

test("maximum precision never rises", () => {
  const line = tracePr(dented, pathOf(dented)!, "max-precision", 400, 400);
  for (let place = 1; place < line.length; place++) {
    assert.ok(line[place]![0] >= line[place - 1]![0]);
    assert.ok(line[place]![1] <= line[place - 1]![1]);
  }
});

test("points that are not nested have no path", () => {
  const sets: Table = {
    ...dented,
    kind: "sets",
    tp: Float64Array.of(3, 5),
    fp: Float64Array.of(9, 1),
    thresholds: Float64Array.of(NaN, NaN),
    labels: ["a", "b"],
  };
  assert.equal(pathOf(sets), null);
});
