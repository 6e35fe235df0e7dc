/** Judges models away from the page, so that it never freezes; and what both say to each other. */

import type { Objective } from "../objective";
import { randomDraws, type Rows } from "./contest";
import { judge, type ModelValue, type Verdict } from "./judge";
import { lines } from "./words";

const REPLICATES = 2000;

let rows: Rows | null = null;

function shownOf(verdict: Verdict): Shown {
  const trivial = new Map(verdict.doingNothing);
  return {
    lines: lines(verdict),
    models: verdict.models,
    chosen: verdict.model,
    everything: trivial.get("flagging everything")!,
    nothing: trivial.get("flagging nothing")!,
  };
}

function answerTo(ask: Extract<Ask, { kind: "judge" }>, all: Rows): Answer {
  const { number } = ask;
  const pick = <Values>(values: readonly Values[]): Values[] =>
    ask.models.map((model) => values[model]!);
  const some = {
    ...all,
    names: pick(all.names),
    ranks: pick(all.ranks),
    thresholds: pick(all.thresholds),
  };
  try {
    const verdict = judge(some, { ...ask, replicates: REPLICATES }, randomDraws(all.labels));
    return { kind: "verdict", number, verdict: shownOf(verdict) };
  } catch (error) {
    return { kind: "refused", number, message: (error as Error).message };
  }
}

addEventListener("message", ({ data }: MessageEvent<Ask>) => {
  if (data.kind === "rows") rows = data.rows;
  else if (rows) postMessage(answerTo(data, rows));
});

/** The rows are sent once; every question is about some of their models. */
export type Ask =
  | { readonly kind: "rows"; readonly rows: Rows }
  | {
      readonly kind: "judge";
      readonly number: number;
      readonly models: readonly number[];
      readonly objective: Objective;
      readonly prevalence: number | null;
      readonly level: number;
    };

/** What the page shows of a verdict. */
export interface Shown {
  readonly lines: readonly string[];
  readonly models: readonly ModelValue[];
  /** The model that was chosen. */
  readonly chosen: string;
  /** The values of flagging everything and nothing; NaN where they are not defined. */
  readonly everything: number;
  readonly nothing: number;
}

export type Answer =
  | { readonly kind: "verdict"; readonly number: number; readonly verdict: Shown }
  | { readonly kind: "refused"; readonly number: number; readonly message: string };
