/**
 * What to beware of in a ranking and in a verdict, in plain words.
 *
 * `src/isometrics/verdict/sentences.py` is the other side of it.
 */

import { wilson } from "../arithmetic";
import { fixed, roundEven, thousands } from "../format";
import { AUROC } from "../measures";
import { atRatio, type Contest, type Ranking } from "./contest";
import type { Choice } from "./choosing";

/** Positives below which the correction was found to be too weak in places. */
const FEW = 50;
const FEW_SCORES = 5;
const FEW_FLAGGED = 20;
/** Standard errors of an interval of 95%. */
const Z = 1.96;

export function caveatsOf(contest: Contest, choice: Choice, expected: number): string[] {
  const rows = contest.labels.length;
  const positives = contest.labels.reduce((count, label) => count + label, 0);
  // Of as many of both, Python's order of texts names the negatives.
  const isNegative = rows - positives <= positives;
  const fewer = isNegative ? rows - positives : positives;
  const name = isNegative ? "negative" : "positive";
  const s = fewer === 1 ? "" : "s";
  const said: string[] = [];
  if (fewer < FEW)
    said.push(
      `there ${fewer === 1 ? "is" : "are"} only ${fewer} ${name}${s}; with fewer than ${FEW} the ` +
        "expected value may still be too good, and no interval is sure",
    );
  if (Number.isNaN(expected))
    said.push(`with ${fewer} ${name} row${s} nothing is left to judge a choice on`);
  const ranking = contest.rankings[choice.model]!;
  said.push(...belowChance(areaOf(ranking), positives, rows - positives));
  const distinct = ranking.thresholds.length - 1;
  said.push(...tooFewScores(distinct));
  if (distinct > 2 && distinct <= FEW_SCORES)
    said.push(`there are only ${distinct} distinct scores to choose a threshold from`);
  const rule = choice.rules[choice.model]!;
  said.push(...noFalsePositives(ranking, rule, rows - positives));
  if (fewer >= FEW) said.push(...fewFlagged(contest, ranking, rule));
  return said;
}

/** The area under the ROC curve. */
function areaOf({ tp, fp }: Ranking): number {
  let sum = 0;
  for (let rule = 1; rule < tp.length; rule++)
    sum += ((fp[rule]! - fp[rule - 1]!) * (tp[rule]! + tp[rule - 1]!)) / 2;
  return sum / (tp[tp.length - 1]! * fp[fp.length - 1]!);
}

/** Warns that none seen is no proof: with n rows without one, 3/n are still possible. */
function noFalsePositives(ranking: Ranking, rule: number, negatives: number): string[] {
  if (ranking.fp[rule]! > 0 || ranking.ends[rule] === 0) return [];
  const possible = 1 - 0.05 ** (1 / negatives);
  const scale = 10 ** Math.ceil(-Math.log10(possible));
  return [
    `no false positive was seen among ${thousands(negatives)} negatives, which is no proof: up to ` +
      `${roundEven(possible * scale)} in ${thousands(scale)} are possible`,
  ];
}

/** Warns that the precision of a few rows is hardly known. */
function fewFlagged(contest: Contest, { positive, ends }: Ranking, rule: number): string[] {
  const flagged = ends[rule]!;
  if (!(flagged > 0 && flagged < FEW_FLAGGED)) return [];
  const hits = positive.subarray(0, flagged).reduce((count, label) => count + label, 0);
  const [low] = wilson(hits, flagged, Z);
  const { positives, negatives } = contest;
  const { tp, fp } = atRatio({ tp: low, fp: 1 - low, positives, negatives }, contest.ratio);
  return [
    `only ${flagged} of ${thousands(positive.length)} rows ${flagged === 1 ? "is" : "are"} ` +
      "flagged; the precision of so few is hardly known, and may be as low as " +
      fixed(tp / (tp + fp), 2),
  ];
}

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
