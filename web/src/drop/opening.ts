/**
 * Which kind of file it is, by its first bytes and then by its name.
 *
 * `src/isometrics/sources/files.py` has the same rules and says the same sentences.
 */

import type { Peek } from "./columns";
import { CsvFile, type Writing } from "./csv";
import { ParquetFile } from "./parquet";
import { unreadable, type Lined } from "./problems";
import type { Columns } from "./reading";
import { startsWith } from "./text";

/** A file whose columns are known and can be read. */
export interface Source extends Lined {
  readonly columns: readonly Peek[];
  read(columns: Columns, progress: (rows: number) => void): Promise<void>;
}

const bytes = (text: string): number[] => [...text].map((letter) => letter.charCodeAt(0));
const PICKLE =
  "it looks like a pickle, which may run any program when it is opened, so it is never read; " +
  "load it yourself, and save a table as Parquet or CSV, or pass arrays to isometrics.analyse";
const UTF_16 = "it is text in UTF-16; save it as UTF-8";
const REFUSED: readonly (readonly [readonly number[], string])[] = [
  [
    bytes("\x93NUMPY"),
    "it is a single NumPy array, without names of columns; save labels and scores together with " +
      "np.savez(file, y_true=..., y_score=...), or pass arrays to isometrics.analyse",
  ],
  ...[2, 3, 4, 5].map((protocol) => [[128, protocol], PICKLE] as const),
  [bytes("\xd0\xcf\x11\xe0"), "it looks like a workbook of Excel 97; save it as .xlsx or CSV"],
  [[0xff, 0xfe], UTF_16],
  [[0xfe, 0xff], UTF_16],
];

/** What the command reads and this page does not. */
const ELSEWHERE: readonly (readonly [string, ...string[]])[] = [
  ["a file of JSON", ".jsonl", ".ndjson", ".json"],
  ["an Arrow file", ".arrow", ".feather", ".ipc"],
  ["an ARFF file", ".arff"],
  ["a workbook", ".xlsx", ".xlsm"],
];

const isNamed = (name: string, ...suffixes: string[]): boolean =>
  suffixes.some((suffix) => name.toLowerCase().endsWith(suffix));

export async function openSource(file: Blob, name: string, writing: Writing): Promise<Source> {
  if (file.size === 0) throw unreadable(name, "the file is empty");
  if (await startsWith(file, bytes("PAR1"))) return ParquetFile.open(file, name);
  for (const [mark, why] of REFUSED) if (await startsWith(file, mark)) throw unreadable(name, why);
  if (isNamed(name, ".pkl", ".pickle", ".joblib")) throw unreadable(name, PICKLE);
  if (isNamed(name, ".parquet", ".pq"))
    throw unreadable(name, "its name says parquet but its first bytes do not");
  const what = (await startsWith(file, bytes("PK\x03\x04")))
    ? "a workbook or another archive"
    : ELSEWHERE.find(([, ...suffixes]) =>
        isNamed(name.replace(/\.(gz|zst)$/i, ""), ...suffixes),
      )?.[0];
  if (what)
    throw unreadable(
      name,
      `it is ${what}, which this page does not read; save it as CSV, or use the command: ` +
        `isometrics report ${name}`,
    );
  return CsvFile.open(file, name, writing);
}
