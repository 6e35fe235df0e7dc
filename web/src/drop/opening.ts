/**
 * Which kind of file it is, by its first bytes and then by its name.
 *
 * `src/isometrics/sources/files.py` has the same rules and says the same sentences.
 */

import type { Peek } from "./columns";
import { CsvFile, type Writing } from "./csv";
import { JsonFile } from "./json";
import { ParquetFile } from "./parquet";
import { unreadable, type Lined } from "./problems";
import type { Columns } from "./reading";
import { SheetFile } from "./sheet";
import { startsWith } from "./text";

/** A file whose columns are known and can be read. */
export interface Source extends Lined {
  readonly columns: readonly Peek[];
  read(columns: Columns, progress: (rows: number) => void): Promise<void>;
}

const bytes = (text: string): number[] => [...text].map((letter) => letter.charCodeAt(0));
const ZIP = bytes("PK\x03\x04");
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

export async function openSource(file: Blob, name: string, writing: Writing): Promise<Source> {
  if (file.size === 0) throw unreadable(name, "the file is empty");
  const suffix = /\.[^.]+$/.exec(name.toLowerCase().replace(/\.(gz|zst)$/, ""))?.[0] ?? "";
  if (await startsWith(file, bytes("PAR1"))) return ParquetFile.open(file, name);
  for (const [mark, why] of REFUSED) if (await startsWith(file, mark)) throw unreadable(name, why);
  if ([".pkl", ".pickle", ".joblib"].includes(suffix)) throw unreadable(name, PICKLE);
  const isZip = await startsWith(file, ZIP);
  const isExcel = [".xlsx", ".xlsm"].includes(suffix);
  const elsewhere = `which this page does not read; the command does: isometrics report ${name}`;
  if (await startsWith(file, bytes("ARROW1")))
    throw unreadable(name, `it is an Arrow file, ${elsewhere}`);
  if (isZip && suffix === ".npz") throw unreadable(name, `it has arrays of NumPy, ${elsewhere}`);
  if (suffix === ".arff") throw unreadable(name, `it is an ARFF file, ${elsewhere}`);
  if (isExcel && !isZip) throw unreadable(name, "its name says Excel but its first bytes do not");
  if (isZip && !isExcel)
    throw unreadable(
      name,
      "it is a zip archive; unpack it, and name the file inside, or compress it as .gz",
    );
  if (isZip) return SheetFile.open(file, name, writing);
  for (const [kind, suffixes] of [
    ["parquet", [".parquet", ".pq"]],
    ["arrow", [".arrow", ".feather", ".ipc"]],
  ] as const)
    if ((suffixes as readonly string[]).includes(suffix))
      throw unreadable(name, `its name says ${kind} but its first bytes do not`);
  if ([".jsonl", ".ndjson", ".json"].includes(suffix)) return JsonFile.open(file, name);
  return CsvFile.open(file, name, writing);
}
