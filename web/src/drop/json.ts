/** JSON files: an object on each line, or an array of objects. */

import type { Columns } from "./reading";
import { kindOf, type Peek, type Value } from "./columns";
import { InputError, unreadable, type Lined } from "./problems";
import { readText } from "./text";

const FIRST = 1000;

type Item = { readonly [key: string]: unknown };

export class JsonFile implements Lined {
  readonly lined = true;
  readonly lineName = "line";
  readonly notes: string[] = [];
  columns: Peek[] = [];
  private items: Item[] = [];
  /** The line of each object; null where they are not one on each line. */
  private places: number[] | null = [];

  private constructor(readonly name: string) {}

  static async open(file: Blob, name: string): Promise<JsonFile> {
    const source = new JsonFile(name);
    let text = "";
    await readText(file, name, (part) => void (text += part));
    source.parse(text.replace(/^\ufeff/, ""), name);
    return source;
  }

  private parse(text: string, name: string): void {
    const parsed = (part: string, line: number): unknown => {
      try {
        return JSON.parse(part);
      } catch {
        throw unreadable(name, `line ${line} is not JSON; correct or remove it`);
      }
    };
    if (text.trimStart().startsWith("[")) {
      this.places = null;
      const all = parsed(text, 1);
      this.items = Array.isArray(all) ? (all as Item[]) : [];
    } else
      text.split("\n").forEach((line, place) => {
        if (!line.trim()) return;
        this.items.push(parsed(line, place + 1) as Item);
        this.places!.push(place + 1);
      });
    if (this.items.some((item) => typeof item !== "object" || item === null || Array.isArray(item)))
      throw unreadable(name, "it must hold objects, one on each line");
    if (!this.items.length)
      throw new InputError("the file has no rows; at least one row is needed");
    const names = [...new Set(this.items.slice(0, FIRST).flatMap((item) => Object.keys(item)))];
    this.columns = names.map((key) => {
      const values = this.items.slice(0, FIRST).map((item) => valueOf(item, key));
      return { name: key, kind: kindOfValues(values), values };
    });
  }

  read(columns: Columns): Promise<void> {
    for (const [name, collectors] of columns.named())
      for (const collector of collectors)
        for (const item of this.items) collector.add(valueOf(item, name));
    return Promise.resolve();
  }

  lines(positions: readonly number[]): Promise<ReadonlyMap<number, number> | null> {
    const { places } = this;
    return Promise.resolve(places && new Map(positions.map((row) => [row, places[row]!])));
  }

  broken(): InputError[] {
    return [];
  }
}

function valueOf(item: Item, key: string): Value {
  const value = Object.hasOwn(item, key) ? item[key] : null;
  return value === null || typeof value !== "object" ? (value as Value) : JSON.stringify(value);
}

export function kindOfValues(values: readonly Value[]): Peek["kind"] {
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
