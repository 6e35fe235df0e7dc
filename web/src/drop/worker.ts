/** Reads files away from the page, so that it never freezes; and what both say to each other. */

import { counted } from "../format";
import type { ReportData } from "../model";
import type { Peek } from "./columns";
import type { CsvFormat } from "./csv";
import type { Guess } from "./layout";
import { openSource } from "./opening";
import { InputError } from "./problems";
import { Columns, reportOf, tablesOf } from "./reading";

const say = (answer: Answer): void => postMessage(answer);

async function work(ask: Ask): Promise<Answer> {
  const { file, format } = ask;
  const source = await openSource(file, file.name, format);
  if (!ask.read) return { kind: "columns", columns: source.columns };
  const { layout, dropMissing } = ask.read;
  const columns = new Columns(layout, format.decimal);
  await source.read(columns, (rows) => say({ kind: "progress", rows }));
  const tables = await tablesOf(columns, source, dropMissing);
  const start = `Counted in this browser from ${file.name}: ${counted(columns.label.size)} rows;`;
  return { kind: "report", report: reportOf(tables, layout, file.name, start) };
}

addEventListener("message", (event: MessageEvent<Ask>) => {
  work(event.data).then(say, (error: Error) =>
    say({ kind: "error", message: error.message, expected: error instanceof InputError }),
  );
});

export interface Ask {
  readonly file: File;
  readonly format: CsvFormat;
  /** How to read it; null where only its columns are asked for. */
  readonly read: { readonly layout: Guess; readonly dropMissing: boolean } | null;
}

export type Answer =
  | { readonly kind: "columns"; readonly columns: readonly Peek[] }
  | { readonly kind: "progress"; readonly rows: number }
  | { readonly kind: "report"; readonly report: ReportData }
  | { readonly kind: "error"; readonly message: string; readonly expected: boolean };
