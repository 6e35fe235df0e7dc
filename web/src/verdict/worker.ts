/** Judges models away from the page, so that it never freezes. */

import type { Rows } from "./contest";
import { randomDraws } from "./draws";
import { judge, type Verdict } from "./judge";
import type { Answer, Ask, Shown } from "./messages";
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
