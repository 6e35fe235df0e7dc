/** What the page and the worker that judges say to each other. */

import type { Objective } from "../objective";
import type { Rows } from "./contest";
import type { ModelValue } from "./judge";

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
