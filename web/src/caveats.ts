/**
 * What to beware of in a ranking, with a verdict or without.
 *
 * `src/isometrics/verdict/caveats.py` says the same.
 */

import { AUROC } from "./measures";
import { fixed } from "./python_format";

/** Standard errors of an interval of 95%. */
const Z = 1.96;

/**
 * Warns of an area below that of chance.
 *
 * Where scores say nothing, the variance of the area is (P + N + 1)/(12·P·N), that of the statistic
 * of Mann and Whitney (1947).
 */
export function belowChance(area: number, positives: number, negatives: number): string[] {
  const error = Math.sqrt((positives + negatives + 1) / (12 * positives * negatives));
  if (!(area < 0.5 - Z * error)) return [];
  return [
    `${AUROC} is ${fixed(area, 3)}, below 0.5 beyond chance; are the scores reversed, or is the ` +
      "other class the positive one?",
  ];
}

/** Warns of scores that are none. */
export function tooFewScores(distinct: number): string[] {
  if (distinct === 1) return ["all scores are equal, so that no threshold tells rows apart"];
  if (distinct === 2)
    return ["there are only two distinct scores; these look like predictions, not scores"];
  return [];
}
