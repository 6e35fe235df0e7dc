/** CSV files, read in parts so that their size does not matter. */

import Papa from "papaparse";

import { InputError, isMissing, kindOf, numberIn, type Peek } from "./columns";
import type { Columns } from "./reading";

const FIRST = 1000;

function parsed(
  file: Blob,
  rows: (rows: string[][]) => void,
  options: { preview?: number } = {},
): Promise<void> {
  return new Promise((done, fail) => {
    Papa.parse<string[]>(file as File, {
      ...options,
      skipEmptyLines: true,
      chunkSize: 4 << 20,
      chunk: ({ data, errors }, parser) => {
        const broken = errors.find(({ type }) => type === "Quotes");
        try {
          if (broken)
            throw new InputError(`the file is not CSV: ${broken.message} (row ${broken.row ?? 0})`);
          rows(data);
        } catch (error) {
          // Whatever comes first settles it, and stopping completes.
          fail(error as Error);
          parser.abort();
        }
      },
      complete: () => done(),
      error: (error: Error) => fail(new InputError(`the file cannot be read: ${error.message}`)),
    });
  });
}

/** The columns of a file, from its first rows. */
export async function peekCsv(file: Blob): Promise<Peek[]> {
  const first: string[][] = [];
  await parsed(file, (rows) => void first.push(...rows), { preview: FIRST + 1 });
  const names = first.shift();
  if (!names || !first.length)
    throw new InputError("the file has no rows; a header and at least one row are needed");
  const double = names.find((name, place) => names.indexOf(name) !== place);
  if (double !== undefined)
    throw new InputError(`the file has two columns called '${double}'; rename one of them`);
  return names.map((name, place) => {
    const cells = first.map((row) => row[place] ?? "");
    const kind = kindOf(cells);
    const value = (cell: string): Peek["values"][number] =>
      isMissing(cell) ? null : kind === "integer" || kind === "float" ? numberIn(cell)! : cell;
    return { name, kind, values: cells.map(value) };
  });
}

/** Reads the chosen columns; `progress` is told the rows read so far. */
export async function readCsv(
  file: Blob,
  columns: Columns,
  progress: (rows: number) => void,
): Promise<void> {
  let names: string[] | null = null;
  let read = 0;
  const wanted = columns.named();
  await parsed(file, (rows) => {
    const header = (names ??= rows.shift() ?? []);
    for (const row of rows)
      if (row.length !== header.length)
        throw new InputError(
          `row ${read + rows.indexOf(row) + 1} of the file has ${row.length} cells but the header has ` +
            `${header.length}`,
        );
    for (const [name, collectors] of wanted) {
      const place = header.indexOf(name);
      for (const collector of collectors) for (const row of rows) collector.addText(row[place]!);
    }
    read += rows.length;
    progress(read);
  });
}
