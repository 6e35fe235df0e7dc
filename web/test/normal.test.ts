/** The normal distribution, against scipy. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { normalBelow, normalQuantile } from "../src/arithmetic";

// `ndtr` and `ndtri` of `scipy.special`.
const BELOW = [
  [-12, 1.776482112077653e-33],
  [-8.5, 9.47953482220325e-18],
  [-5, 2.866515718791933e-7],
  [-2.5758293035489004, 0.005000000000000004],
  [-1, 0.15865525393145707],
  [-0.1, 0.460172162722971],
  [0, 0.5],
  [1e-9, 0.5000000003989423],
  [0.5, 0.6914624612740131],
  [1.959963984540054, 0.975],
  [3.3, 0.9995165758576162],
  [6, 0.9999999990134123],
  [8.9, 1.0],
  [40, 1.0],
] as const;
const QUANTILES = [
  [0.5, 0.0],
  [0.6, 0.2533471031357997],
  [0.75, 0.6744897501960817],
  [0.9, 1.2815515655446004],
  [0.95, 1.6448536269514722],
  [0.975, 1.959963984540054],
  [0.995, 2.5758293035489004],
  [0.9995, 3.2905267314919255],
  [0.99995, 3.8905918864131204],
] as const;

const near = (found: number, right: number): void =>
  assert.ok(Math.abs(found - right) <= 1e-12 * Math.max(1, right), `${found} instead of ${right}`);

test("the share below a value", () => {
  for (const [value, share] of BELOW) near(normalBelow(value), share);
});

test("the value below which a share lies", () => {
  for (const [share, value] of QUANTILES) near(normalQuantile(share), value);
});
