/**
 * Which kind of file it is, by its first bytes and then by its name; and Parquet files.
 *
 * `src/isometrics/sources/files.py` has the same rules and says the same sentences.
 */

import { gunzipSync } from "fflate";
import { decompress } from "fzstd";
import {
  parquetMetadataAsync,
  parquetScan,
  parquetSchema,
  type AsyncBuffer,
  type Compressors,
} from "hyparquet";

import { kindOf, type Peek } from "./columns";
import { CsvFile, type CsvFormat } from "./csv";
import { InputError, unreadable, type Lined, type Value } from "./problems";
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

export async function openSource(file: Blob, name: string, format: CsvFormat): Promise<Source> {
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
  const source = new CsvFile(file, name, format);
  await source.sniff();
  return source;
}

// ---------------------------------------------------------------------- Parquet, column by column

const FIRST = 1000;

const COMPRESSORS: Compressors = {
  GZIP: (input, length) => gunzipSync(input, { out: new Uint8Array(length) }),
  ZSTD: (input, length) => decompress(input, new Uint8Array(length)),
};

async function guarded<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof InputError) throw error;
    const message = (error as Error).message;
    const codec = /unsupported compression codec: (\w+)/.exec(message)?.[1];
    throw new InputError(
      codec
        ? `the file is compressed with ${codec}; save it with snappy, gzip or zstd`
        : `the file cannot be read as Parquet: ${message}`,
    );
  }
}

class ParquetFile implements Source {
  readonly lined = false;
  readonly lineName = "row";
  readonly notes: string[] = [];

  private constructor(
    private readonly buffer: AsyncBuffer,
    readonly name: string,
    readonly columns: readonly Peek[],
  ) {}

  /** Finds the columns of a file from its first rows. */
  static open(file: Blob, name: string): Promise<ParquetFile> {
    return guarded(async () => {
      const buffer: AsyncBuffer = {
        byteLength: file.size,
        slice: (start, end) => file.slice(start, end).arrayBuffer(),
      };
      const metadata = await parquetMetadataAsync(buffer);
      const rows = Number(metadata.num_rows);
      if (!rows) throw new InputError("the file has no rows; at least one row is needed");
      const columns = parquetSchema(metadata)
        .children.filter(({ children }) => !children.length)
        .map(({ element }) => element.name);
      const rowEnd = Math.min(rows, FIRST);
      const parts = { file: buffer, metadata, columns, rowEnd, compressors: COMPRESSORS };
      const scan = await parquetScan(parts);
      const peeks: Peek[] = [];
      for (const column of columns) {
        const values: Value[] = [];
        for (const range of scan.ranges)
          for (const value of await scan.readColumn({ ...range, column }))
            if (values.length < rowEnd) values.push((value as Value | undefined) ?? null);
        peeks.push({ name: column, kind: kindOfValues(values), values });
      }
      return new ParquetFile(buffer, name, peeks);
    });
  }

  read(columns: Columns, progress: (rows: number) => void): Promise<void> {
    return guarded(async () => {
      const wanted = columns.named();
      const names = wanted.map(([name]) => name);
      const parts = { file: this.buffer, columns: names, compressors: COMPRESSORS };
      const scan = await parquetScan(parts);
      for (const range of scan.ranges) {
        for (const [column, collectors] of wanted) {
          const values = await scan.readColumn({ ...range, column });
          for (const collector of collectors)
            for (let row = 0; row < values.length; row++)
              collector.add(values[row] as Value | undefined);
        }
        progress(range.rowEnd);
      }
    });
  }

  lines(): Promise<null> {
    return Promise.resolve(null);
  }

  broken(): InputError[] {
    return [];
  }
}

function kindOfValues(values: readonly Value[]): Peek["kind"] {
  const present = values.filter((value) => value !== null);
  const all = (...types: string[]): boolean =>
    present.every((value) => types.includes(typeof value));
  if (!present.length) return "other";
  if (all("boolean")) return "boolean";
  if (all("string")) return kindOf(present as string[]) === "other" ? "other" : "string";
  if (!all("number", "bigint")) return "other";
  return present.every((value) => typeof value === "bigint" || Number.isInteger(value))
    ? "integer"
    : "float";
}
