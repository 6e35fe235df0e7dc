import assert from "node:assert/strict";
import { test } from "node:test";

import { thresholdText, toFloat16 } from "../src/format";

const drawn = (): number => {
  const words = new BigUint64Array([
    (BigInt(Math.floor(Math.random() * 2 ** 32)) << 32n) |
      BigInt(Math.floor(Math.random() * 2 ** 32)),
  ]);
  return new Float64Array(words.buffer)[0]!;
};

test("a threshold is as short as its neighbour allows", () => {
  assert.equal(thresholdText(0.41315287, 0.4087), "0.413");
  assert.equal(thresholdText(0.41315287, 0.4087, 0.4131), "0.41315");
  assert.equal(thresholdText(0.99999999998, 0.9999), "0.99999");
  assert.equal(thresholdText(0.99999999998), "0.99999999998");
  assert.equal(thresholdText(-2.34834, -2.5), "-2.35");
  assert.equal(thresholdText(-0, -1), "0");
  assert.equal(thresholdText(Infinity, 1), "inf");
});

test("a printed threshold lies between the scores", () => {
  for (let round = 0; round < 5000; round++) {
    const [below, threshold] = [drawn(), drawn()].sort((one, two) => one - two) as [number, number];
    if (!(below < threshold)) continue;
    const shown = Number(thresholdText(threshold, below));
    assert.ok(below < shown && shown <= threshold, `${below} ${threshold}`);
    const [low, high] = [Math.fround(below), Math.fround(threshold)];
    if (!(low < high && Number.isFinite(high))) continue;
    const narrow = Math.fround(Number(thresholdText(high, low)));
    assert.ok(low < narrow && narrow <= high, `${low} ${high}`);
  }
});

test("numbers of 16 bits are rounded to even", () => {
  for (const [value, rounded] of [
    [1 + 2 ** -11, 1],
    [1 + 3 * 2 ** -11, 1 + 2 ** -9],
    [2 ** -25, 0],
    [3 * 2 ** -25, 2 ** -23],
    [65519, 65504],
    [65520, Infinity],
    [-65520, -Infinity],
    [0.1, 0.0999755859375],
    [NaN, NaN],
  ])
    assert.equal(toFloat16(value!), rounded);
});
