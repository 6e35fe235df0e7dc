/** Reads files away from the page, so that it never freezes. */

import { counted } from "../format";
import { InputError } from "./columns";
import { peekCsv, readCsv } from "./csv";
import type { Answer, Ask } from "./messages";
import { peekParquet, readParquet } from "./parquet";
import { Columns, reportOf } from "./reading";

const say = (answer: Answer): void => postMessage(answer);

async function isParquet(file: Blob): Promise<boolean> {
  return (await file.slice(0, 4).text()) === "PAR1";
}

async function work(ask: Ask): Promise<Answer> {
  const { file } = ask;
  if (file.size === 0) throw new InputError(`'${file.name}' is empty; at least one row is needed`);
  const parquet = await isParquet(file);
  if (ask.kind === "peek")
    return { kind: "columns", columns: await (parquet ? peekParquet : peekCsv)(file) };
  const columns = new Columns(ask.layout);
  await (parquet ? readParquet : readCsv)(file, columns, (rows) => say({ kind: "progress", rows }));
  const description = `Counted in this browser from ${file.name}: ${counted(columns.label.size)} rows.`;
  return { kind: "report", report: reportOf(columns, file.name, description) };
}

addEventListener("message", (event: MessageEvent<Ask>) => {
  work(event.data).then(say, (error: Error) =>
    say({ kind: "error", message: error.message, expected: error instanceof InputError }),
  );
});
