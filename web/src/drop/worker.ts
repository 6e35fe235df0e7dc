/** Reads files away from the page, so that it never freezes; and what both say to each other. */

import { counted } from "../format";
import type { ReportData } from "../model";
import type { Peek } from "./columns";
import type { Writing } from "./csv";
import type { Guess } from "./layout";
import { openSource } from "./opening";
import { InputError } from "./problems";
import { Columns, reportOf, tablesOf } from "./reading";

const say = (answer: Answer): void => postMessage(answer);

async function work(ask: Ask): Promise<Answer> {
  const { file, writing } = ask;
  const source = await openSource(file, file.name, writing);
  if (ask.kind === "peek") return { kind: "columns", columns: source.columns };
  const columns = new Columns(ask.layout, writing.decimal);
  await source.read(columns, (rows) => say({ kind: "progress", rows }));
  const tables = await tablesOf(columns, source, ask.dropMissing);
  const start = `Counted in this browser from ${file.name}: ${counted(columns.label.size)} rows;`;
  return { kind: "report", report: reportOf(tables, ask.layout, file.name, start) };
}

addEventListener("message", (event: MessageEvent<Ask>) => {
  work(event.data).then(say, (error: Error) =>
    say({ kind: "error", message: error.message, expected: error instanceof InputError }),
  );
});

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
