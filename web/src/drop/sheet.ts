/** The first sheet of an Excel workbook: a header and rows, held in memory. */

import { strFromU8, unzipSync } from "fflate";

import type { Columns } from "./reading";
import { isMissing, kindOf, type Peek, type Value } from "./columns";
import { peekOf, type Writing } from "./csv";
import { shown, unreadable, type InputError, type Lined } from "./problems";
import { isNumber } from "./written_numbers";

const FIRST = 1000;
/** A workbook that holds more text than this is refused, before it is unpacked. */
const LARGEST = 1 << 28;

type Cell = string | number | boolean | null;

export class SheetFile implements Lined {
  readonly lined = true;
  readonly lineName = "row";
  readonly notes: string[] = [];
  columns: Peek[] = [];
  private rows: { number: number; cells: Cell[] }[] = [];
  private names: string[] = [];

  private constructor(readonly name: string) {}

  static async open(file: Blob, name: string, writing: Writing): Promise<SheetFile> {
    const source = new SheetFile(name);
    const bytes = new Uint8Array(await file.arrayBuffer());
    let parts: Record<string, Uint8Array>;
    try {
      let total = 0;
      parts = unzipSync(bytes, {
        filter: ({ name: part, originalSize }) => {
          const needed =
            /^xl\/(workbook|sharedStrings|worksheets\/[^/]+|_rels\/workbook)\.xml/.test(part);
          total += needed ? originalSize : 0;
          if (total > LARGEST) throw new RangeError("it holds too much text; save it as CSV");
          return needed;
        },
      });
    } catch (error) {
      throw unreadable(
        name,
        error instanceof RangeError
          ? error.message
          : `it is no whole Excel workbook: ${(error as Error).message}`,
      );
    }
    source.take(parts, name, writing);
    return source;
  }

  private take(parts: Record<string, Uint8Array>, name: string, writing: Writing): void {
    const text = (part: string): string => (parts[part] ? strFromU8(parts[part]) : "");
    const sheets = [...text("xl/workbook.xml").matchAll(/<sheet\s[^>]*>/g)].map(([tag]) => tag);
    const title = unescaped(attribute(sheets[0] ?? "", "name") ?? "Sheet1");
    const content = text(sheetPath(sheets[0], text("xl/_rels/workbook.xml.rels")));
    const strings = [...text("xl/sharedStrings.xml").matchAll(/<si\b[^>]*?(?:\/>|>(.*?)<\/si>)/gs)];
    const shared = strings.map(([, inner]) => textIn(inner ?? ""));
    // Rows without a single value lie between parts of a table, and are none of it.
    const filled = rowsOf(content, shared).filter(({ cells }) => cells.some(holds));
    if (!filled.length) throw unreadable(name, `its first sheet, ${shown(title)}, is empty`);
    const width = Math.max(...filled.map(({ cells }) => cells.length));
    const first = filled[0]!.cells;
    const header =
      writing.header ??
      first.filter(holds).every((cell) => typeof cell === "string" && !isNumber(cell, null));
    this.names = Array.from({ length: width }, (_, place) => {
      const cell = first[place] ?? null;
      return header && holds(cell) ? String(cell) : `column${place}`;
    });
    const double = this.names.find((each, place) => this.names.indexOf(each) !== place);
    if (double !== undefined)
      throw unreadable(name, `it has two columns called ${shown(double)}; rename one of them`);
    this.rows = header ? filled.slice(1) : filled;
    if (!header) this.notes.push("the sheet has no header");
    if (sheets.length > 1) this.notes.push(`sheet ${title}, the first of ${sheets.length}`);
    this.columns = this.names.map((each, place) => {
      const values = this.rows.slice(0, FIRST).map(({ cells }) => cells[place] ?? null);
      const texts = values.map((cell) => (holds(cell) ? String(cell) : ""));
      if (values.every((cell) => typeof cell !== "string")) {
        const kind = values.some((cell) => typeof cell === "boolean") ? "boolean" : kindOf(texts);
        return { name: each, kind, values: values.map((cell) => (holds(cell) ? cell : null)) };
      }
      return peekOf(each, texts, writing.decimal);
    });
  }

  read(columns: Columns): Promise<void> {
    for (const [name, collectors] of columns.named()) {
      const place = this.names.indexOf(name);
      for (const collector of collectors)
        for (const { cells } of this.rows) {
          const cell: Value = cells[place] ?? null;
          if (typeof cell === "string") collector.addText(cell);
          else collector.add(cell);
        }
    }
    return Promise.resolve();
  }

  lines(positions: readonly number[]): Promise<ReadonlyMap<number, number>> {
    return Promise.resolve(new Map(positions.map((row) => [row, this.rows[row]!.number])));
  }

  broken(): InputError[] {
    return [];
  }
}

function holds(cell: Cell): boolean {
  return cell !== null && !(typeof cell === "string" && isMissing(cell));
}

/** Where the first sheet lies in the archive. */
function sheetPath(sheet: string | undefined, relations: string): string {
  const id = sheet && attribute(sheet, "r:id");
  const found = [...relations.matchAll(/<Relationship\s[^>]*>/g)]
    .map(([tag]) => tag)
    .find((tag) => attribute(tag, "Id") === id);
  const target = (found && attribute(found, "Target")) ?? "worksheets/sheet1.xml";
  return target.startsWith("/") ? target.slice(1) : `xl/${target}`;
}

function rowsOf(content: string, shared: readonly string[]): { number: number; cells: Cell[] }[] {
  let [last, rows] = [0, [] as { number: number; cells: Cell[] }[]];
  for (const [, attributes, inner] of content.matchAll(/<row\b([^>]*?)(?:\/>|>(.*?)<\/row>)/gs)) {
    const number = Number(attribute(`<row${attributes} >`, "r") ?? last + 1);
    last = number;
    const cells: Cell[] = [];
    for (const [, tag, body] of (inner ?? "").matchAll(/<c\b([^>]*?)(?:\/>|>(.*?)<\/c>)/gs)) {
      const opening = `<c${tag} >`;
      const letters = /^[A-Z]+/.exec(attribute(opening, "r") ?? "")?.[0];
      const place = letters ? columnOf(letters) : cells.length;
      while (cells.length < place) cells.push(null);
      cells[place] = cellOf(attribute(opening, "t"), body ?? "", shared);
    }
    rows.push({ number, cells });
  }
  return rows;
}

function columnOf(letters: string): number {
  return [...letters].reduce((sum, letter) => 26 * sum + letter.charCodeAt(0) - 64, 0) - 1;
}

function cellOf(kind: string | undefined, body: string, shared: readonly string[]): Cell {
  const value = /<v\b[^>]*>(.*?)<\/v>/s.exec(body)?.[1];
  if (kind === "inlineStr") return textIn(body);
  if (value === undefined) return null;
  if (kind === "s") return shared[Number(value)] ?? null;
  if (kind === "b") return value === "1";
  if (kind === "str" || kind === "d") return unescaped(value);
  return kind === "e" ? null : Number(value);
}

/** The text of all runs; phonetic hints are no part of it. */
function textIn(inner: string): string {
  const runs = inner.replace(/<rPh\b.*?<\/rPh>/gs, "").matchAll(/<t\b[^>]*?(?:\/>|>(.*?)<\/t>)/gs);
  return [...runs].map(([, text]) => unescaped(text ?? "")).join("");
}

function attribute(tag: string, name: string): string | undefined {
  return new RegExp(`\\s${name}="([^"]*)"`).exec(tag)?.[1];
}

const ENTITIES: Record<string, string> = { lt: "<", gt: ">", quot: '"', apos: "'", amp: "&" };

function unescaped(text: string): string {
  return text.replace(/&(#x?[0-9a-f]+|\w+);/gi, (whole, name: string) => {
    if (!name.startsWith("#")) return ENTITIES[name] ?? whole;
    const code = name[1] === "x" ? parseInt(name.slice(2), 16) : Number(name.slice(1));
    return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
  });
}
