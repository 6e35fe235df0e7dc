/** Judges models away from the page, so that it never freezes; and what both say to each other. */

import type { Picture } from "../model";
import type { Objective } from "../objective";
import { randomDraws, type Draws, type Rows } from "./contest";
import { judge } from "./judge";
import { lines } from "./words";

const REPLICATES = 2000;

let given: readonly [Rows, Draws] | null = null;

function answerTo(ask: Question, all: Rows, draws: Draws): Answer {
  const pick = <Values>(values: readonly Values[]): Values[] =>
    ask.models.map((model) => values[model]!);
  const some = {
    ...all,
    names: pick(all.names),
    ranks: pick(all.ranks),
    thresholds: pick(all.thresholds),
  };
  try {
    const verdict = judge(some, { ...ask, replicates: REPLICATES }, draws);
    const trivial = new Map(verdict.doingNothing);
    const picture = {
      models: verdict.models.map((model) => {
        const [lower, upper] = model.interval;
        return { ...model, lower, upper };
      }),
      chosen: verdict.model,
      everything: trivial.get("flagging everything")!,
      nothing: trivial.get("flagging nothing")!,
    };
    return { lines: lines(verdict), picture };
  } catch (error) {
    return { refused: (error as Error).message };
  }
}

addEventListener("message", ({ data }: MessageEvent<Ask>) => {
  // What is drawn serves for all questions.
  if ("labels" in data) given = [data, randomDraws(data.labels)];
  else if (given) postMessage(answerTo(data, ...given));
});

export interface Question {
  readonly models: readonly number[];
  readonly objective: Objective;
  readonly prevalence: number | null;
  readonly level: number;
}

/** The rows are sent once; every question is about some of their models. */
export type Ask = Rows | Question;

/** What the page shows of a verdict, or why there is none. */
export type Answer =
  { readonly lines: readonly string[]; readonly picture: Picture } | { readonly refused: string };
