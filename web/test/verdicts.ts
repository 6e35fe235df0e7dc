/**
 * The page's verdicts on questions in a file, as JSON: `node verdicts.mjs QUESTIONS`.
 *
 * `tests/report/test_page_verdict.py` draws the questions and knows the right answers.
 */

import { readFileSync } from "node:fs";

import type { Objective } from "../src/objective";
import { randomDraws, type Draws } from "../src/verdict/contest";
import { judge } from "../src/verdict/judge";
import { lines } from "../src/verdict/words";

type Plain = number | string;

interface Question {
  readonly labels: number[];
  readonly weights: number[] | null;
  readonly names: string[];
  readonly ranks: number[][];
  readonly thresholds: Plain[][];
  readonly objective: {
    readonly beta: Plain | null;
    readonly costs: [number, number] | null;
    readonly constraint: Objective["constraint"];
  };
  readonly prevalence: number | null;
  readonly level: number;
  readonly replicates: number;
  /** Null: the page draws by itself. */
  readonly weightings: number[][] | null;
  readonly folds: number[][];
}

function answerTo(question: Question): unknown {
  const { objective, weightings, folds } = question;
  const labels = Uint8Array.from(question.labels);
  const given: Draws = {
    weighting: (replicate) => Uint8Array.from(weightings![replicate]!),
    folds: (_parts, dealing) => Uint8Array.from(folds[dealing]!),
  };
  try {
    const verdict = judge(
      {
        labels,
        weights: question.weights && Float64Array.from(question.weights),
        names: question.names,
        ranks: question.ranks.map((ranks) => Uint32Array.from(ranks)),
        thresholds: question.thresholds.map((each) => Float64Array.from(each, Number)),
      },
      {
        ...question,
        objective: {
          ...objective,
          beta: objective.beta === null ? null : Number(objective.beta),
        },
      },
      weightings ? given : randomDraws(labels),
    );
    return { ...verdict, lines: lines(verdict) };
  } catch (error) {
    return { refused: (error as Error).message };
  }
}

const questions = JSON.parse(readFileSync(process.argv[2]!, "utf-8")) as Question[];
process.stdout.write(
  JSON.stringify(questions.map(answerTo), (_name, value: unknown) =>
    typeof value === "number" && !Number.isFinite(value) ? String(value) : value,
  ),
);
