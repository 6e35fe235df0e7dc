/**
 * How the page prints thresholds with their lower neighbours: `node texts.mjs CASES`.
 *
 * `tests/report/test_threshold_text.py` draws the cases, and prints them itself.
 */

import { readFileSync } from "node:fs";

import { thresholdText } from "../src/format";

const cases = JSON.parse(readFileSync(process.argv[2]!, "utf-8")) as (number | string)[][];
process.stdout.write(
  JSON.stringify(
    cases.map((numbers) => {
      const [threshold, ...below] = numbers.map(Number);
      return thresholdText(threshold!, ...below);
    }),
  ),
);
