/** What the page and its worker say to each other. */

import type { ReportData } from "../model";
import type { Peek } from "./columns";
import type { Writing } from "./csv";
import type { Guess } from "./layout";

export type Ask =
  | { readonly kind: "peek"; readonly file: File; readonly writing: Writing }
  | {
      readonly kind: "read";
      readonly file: File;
      readonly writing: Writing;
      readonly layout: Guess;
      readonly dropMissing: boolean;
    };

export type Answer =
  | { readonly kind: "columns"; readonly columns: readonly Peek[] }
  | { readonly kind: "progress"; readonly rows: number }
  | { readonly kind: "report"; readonly report: ReportData }
  | { readonly kind: "error"; readonly message: string; readonly expected: boolean };
