/** Parquet files, read column by column. */

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
import { InputError, type Lined, type Value } from "./problems";
import type { Columns } from "./reading";

const FIRST = 1000;

const COMPRESSORS: Compressors = {
  GZIP: (input, length) => gunzipSync(input, { out: new Uint8Array(length) }),
  ZSTD: (input, length) => decompress(input, new Uint8Array(length)),
};

function bufferOf(file: Blob): AsyncBuffer {
  return {
    byteLength: file.size,
    slice: (start, end) => file.slice(start, end).arrayBuffer(),
  };
}

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

export class ParquetFile implements Lined {
  readonly lined = false;
  readonly lineName = "row";
  readonly notes: string[] = [];

  private constructor(
    private readonly file: Blob,
    readonly name: string,
    readonly columns: readonly Peek[],
  ) {}

  static async open(file: Blob, name: string): Promise<ParquetFile> {
    return new ParquetFile(file, name, await peekParquet(file));
  }

  read(columns: Columns, progress: (rows: number) => void): Promise<void> {
    return readParquet(this.file, columns, progress);
  }

  lines(): Promise<null> {
    return Promise.resolve(null);
  }

  broken(): InputError[] {
    return [];
  }
}

/** The columns of a file, from its first rows. */
function peekParquet(file: Blob): Promise<Peek[]> {
  return guarded(async () => {
    const buffer = bufferOf(file);
    const metadata = await parquetMetadataAsync(buffer);
    const rows = Number(metadata.num_rows);
    if (!rows) throw new InputError("the file has no rows; at least one row is needed");
    const names = parquetSchema(metadata)
      .children.filter(({ children }) => !children.length)
      .map(({ element }) => element.name);
    const rowEnd = Math.min(rows, FIRST);
    const scan = await parquetScan({
      file: buffer,
      metadata,
      columns: names,
      rowEnd,
      compressors: COMPRESSORS,
    });
    const peeks: Peek[] = [];
    for (const name of names) {
      const values: Value[] = [];
      for (const range of scan.ranges)
        for (const value of await scan.readColumn({ ...range, column: name }))
          if (values.length < rowEnd) values.push((value as Value | undefined) ?? null);
      peeks.push({ name, kind: kindOfValues(values), values });
    }
    return peeks;
  });
}

/** Reads the chosen columns; `progress` is told the rows read so far. */
function readParquet(
  file: Blob,
  columns: Columns,
  progress: (rows: number) => void,
): Promise<void> {
  return guarded(async () => {
    const buffer = bufferOf(file);
    const wanted = columns.named();
    const scan = await parquetScan({
      file: buffer,
      columns: wanted.map(([name]) => name),
      compressors: COMPRESSORS,
    });
    for (const range of scan.ranges) {
      for (const [name, collectors] of wanted) {
        const values = await scan.readColumn({ ...range, column: name });
        for (const collector of collectors)
          for (let row = 0; row < values.length; row++)
            collector.add(values[row] as Value | undefined);
      }
      progress(range.rowEnd);
    }
  });
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
