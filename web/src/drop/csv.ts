/** CSV files, read in parts so that their size does not matter. */

import { joined, numberIn } from "../format";
import {
  hasDecimalComma,
  isMissing,
  kindOf,
  looksLikeNumber,
  parseNumber,
  type Decimal,
  type Peek,
} from "./columns";
import {
  commas,
  firstLines,
  InputError,
  MOST_LINES,
  shown,
  unreadable,
  type Lined,
} from "./problems";
import type { Columns } from "./reading";
import { readText, Scanner } from "./text";

/** What a user knows about how a file is written. */
export interface CsvFormat {
  /** The mark before decimals; null is a point, and nothing between digits. */
  readonly decimal: Decimal;
  /** Whether the first line has the names of the columns; null is as it looks. */
  readonly header: boolean | null;
}

export const PLAIN: CsvFormat = { decimal: null, header: null };

const FIRST = 1000;
const LETTERS = 1 << 20;
const DELIMITERS = [",", ";", "\t", "|"] as const;

interface Record {
  readonly values: string[];
  readonly line: number;
}

export class CsvFile implements Lined {
  readonly lined = true;
  readonly lineName = "line";
  columns: Peek[] = [];
  private delimiter = "";
  private names: readonly string[] = [];
  private hasHeader = false;
  /** Lines before this one are no rows. */
  private firstLine = 1;
  private readonly ragged: { line: number; width: number }[] = [];
  private nRagged = 0;
  /** Lines with a quote that does not end, or text after one. */
  private readonly quotes: number[] = [];
  private rows = 0;

  constructor(
    private readonly file: Blob,
    readonly name: string,
    private readonly format: CsvFormat,
  ) {}

  get notes(): string[] {
    return this.hasHeader ? [] : ["the file has no header line"];
  }

  /** Finds out how the file is written, and its columns from its first rows. */
  async sniff(): Promise<void> {
    let start = "";
    await readText(this.file, this.name, (part) => (start += part).length < LETTERS);
    start = start.replace(/^\ufeff/, "");
    const delimiter = this.delimiterOf(start);
    const records = recordsOf(start, delimiter);
    const empty = "the file has no rows; a header and at least one row are needed";
    if (!records.length) throw new InputError(empty);
    const width = usualWidth(records);
    // Comments stand above a table.
    while (
      records.length > 1 &&
      records[0]!.values.length !== width &&
      /^(#|sep=)/.test(records[0]!.values[0]!)
    )
      records.shift();
    const [first, ...others] = records;
    if (first!.values.length < width && first!.values.length === 1)
      throw unreadable(
        this.name,
        `line ${first!.line} does not have the ${width} values of other lines; remove it, or ` +
          "begin it with #",
      );
    const body = others.filter(({ values }) => values.length === first!.values.length);
    const header = this.format.header ?? looksLikeHeader(first!.values, body);
    const rows = (header ? body : [first!, ...body]).slice(0, FIRST);
    const names = header
      ? first!.values.map((text, place) => text.trim() || `column${place}`)
      : first!.values.map((_, place) => `column${place}`);
    if (!rows.length) throw new InputError(empty);
    const double = names.find((name, place) => names.indexOf(name) !== place);
    if (double !== undefined)
      throw new InputError(`the file has two columns called ${shown(double)}; rename one of them`);
    [this.delimiter, this.names, this.hasHeader] = [delimiter, names, header];
    this.firstLine = first!.line + Number(header);
    const { decimal } = this.format;
    this.columns = names.map((name, place) => {
      const cells = rows.map(({ values }) => values[place]!);
      return peekOf(name, cells, decimal);
    });
  }

  private delimiterOf(start: string): string {
    const line = start.split(/\r\n|\n|\r/).find((text) => text.trim()) ?? "";
    const count = (mark: string): number => line.split(mark).length - 1;
    const [other] = DELIMITERS.slice(1).sort((one, two) => count(two) - count(one));
    const mark = count(other!) ? other! : "";
    if (this.format.decimal === ",") {
      if (mark) return mark;
      // A column alone is separated by nothing, so that anything will do that it does not hold.
      if (!start.includes('"') && (!line.includes(",") || hasDecimalComma(line))) return ";";
    }
    const delimiter = mostRegular(start);
    if (this.format.decimal === null && delimiter === "," && mark) {
      const values = line.split(mark);
      const number = values.find(hasDecimalComma);
      if (number !== undefined && values.every(looksLikeNumber))
        throw unreadable(
          this.name,
          `its values are separated by ${shown(mark)}`,
          commas(number, ","),
        );
    }
    return delimiter;
  }

  /** Reads the chosen columns; `progress` is told the rows read so far. */
  async read(columns: Columns, progress: (rows: number) => void): Promise<void> {
    const { names } = this;
    const wanted = columns.named().map(([name, collectors]) => ({
      place: names.indexOf(name),
      collectors,
    }));
    await this.scan((values, line, isBroken) => {
      if (isBroken) {
        this.quotes.push(line);
        return;
      }
      if (values.length !== names.length) {
        this.nRagged++;
        if (this.ragged.length < MOST_LINES) this.ragged.push({ line, width: values.length });
        return;
      }
      for (const { place, collectors } of wanted)
        for (const collector of collectors) collector.addText(values[place]!);
      if (++this.rows % 65_536 === 0) progress(this.rows);
    });
  }

  private async scan(row: Scanner["record"]): Promise<void> {
    const scanner = new Scanner(this.delimiter, (values, line, isBroken) =>
      line < this.firstLine ? undefined : row(values, line, isBroken),
    );
    let going = true;
    await readText(this.file, this.name, (part) => (going = scanner.feed(part)));
    if (going) scanner.feed("", true);
  }

  async lines(positions: readonly number[]): Promise<ReadonlyMap<number, number>> {
    const [found, wanted] = [new Map<number, number>(), new Set(positions)];
    let row = 0;
    await this.scan((values, line, isBroken) => {
      if (isBroken || values.length !== this.names.length) return;
      if (wanted.has(row)) found.set(row, line);
      row++;
      return found.size < wanted.size;
    });
    return found;
  }

  broken(): InputError[] {
    const ragged = this.ragged.map(
      ({ line, width }) => `line ${line} has ${width} value${width === 1 ? "" : "s"}`,
    );
    const more = this.nRagged - this.ragged.length;
    if (more) ragged.push(`${more} more lines another number`);
    const said: string[] = [];
    if (ragged.length) said.push(`${joined(ragged)} but the first line ${this.names.length}`);
    if (this.quotes.length)
      said.push(
        `there is a quote that does not end, or text after one on ${firstLines(this.quotes)}`,
      );
    if (!said.length) return [];
    const them = this.nRagged + this.quotes.length === 1 ? "it" : "them";
    return [unreadable(this.name, `${said.join("; ")}; correct or remove ${them}`)];
  }
}

/** The first records of a text; the last one may be cut off, so it does not count. */
function recordsOf(start: string, delimiter: string): Record[] {
  const records: Record[] = [];
  const scanner = new Scanner(delimiter, (values, line) => {
    records.push({ values, line });
    return records.length <= FIRST + 1;
  });
  if (scanner.feed(start)) scanner.feed("", start.length < LETTERS);
  return records;
}

function usualWidth(records: readonly Record[]): number {
  const counts = new Map<number, number>();
  for (const { values } of records) counts.set(values.length, (counts.get(values.length) ?? 0) + 1);
  return [...counts].sort((one, two) => two[1] - one[1] || two[0] - one[0])[0]![0];
}

/** The separator by which most lines have as many values as the first one, and more than one. */
function mostRegular(start: string): string {
  const scored = DELIMITERS.map((mark) => {
    const records = recordsOf(start, mark);
    const table = records.filter(({ values }) => !/^(#|sep=)/.test(values[0]!));
    const width = table[0]?.values.length ?? 1;
    const usual = usualWidth(table.length ? table : [{ values: [""], line: 1 }]);
    const same = table.filter(({ values }) => values.length === (width > 1 ? width : usual)).length;
    const regular = table.length ? same / table.length : 0;
    return { mark, score: Math.max(width, usual) > 1 ? regular * (width > 1 ? 1 : 0.5) : 0 };
  });
  return scored.reduce((best, each) => (each.score > best.score ? each : best)).mark;
}

/** Whether the first line has names: a word above numbers, or words alone above words. */
function looksLikeHeader(first: readonly string[], body: readonly Record[]): boolean {
  if (!body.length) return true;
  const kinds = first.map((_, place) => kindOf(body.map(({ values }) => values[place]!)));
  const typed = (place: number): boolean => ["boolean", "integer", "float"].includes(kinds[place]!);
  if (first.some((_, place) => typed(place)))
    return first.some((cell, place) => {
      const kind = kindOf([cell]);
      const fits =
        kind === kinds[place] ||
        kind === "other" ||
        (kind === "integer" && kinds[place] === "float");
      return typed(place) && !fits;
    });
  return first.every((cell) => !isMissing(cell));
}

function peekOf(name: string, cells: readonly string[], decimal: Decimal): Peek {
  const kind = kindOf(cells, decimal);
  const number = (cell: string): number => numberIn(cell) ?? parseNumber(cell, decimal) ?? NaN;
  const value = (cell: string): Peek["values"][number] =>
    isMissing(cell) ? null : kind === "integer" || kind === "float" ? number(cell) : cell;
  return { name, kind, values: cells.map(value) };
}
