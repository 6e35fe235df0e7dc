/**
 * What is wrong with a file, told together, with the lines that an editor shows.
 *
 * `src/isometrics/sources/cleaning.py` is the other side of it: both say the same sentences.
 */

import { joined } from "../format";

/** What to do: in the words of the command, and in those of this page. */
export interface Advice {
  readonly command: string;
  readonly page: string;
}

/** An input that cannot be used as it is; the message is a sentence for the reader. */
export class InputError extends Error {
  constructor(
    readonly problem: string,
    readonly advice: readonly Advice[] = [],
  ) {
    super([problem, ...advice.map(({ page }) => page)].join("; "));
  }

  /** The sentence as the command says it. */
  get inTheCommand(): string {
    return [this.problem, ...this.advice.map(({ command }) => command)].join("; ");
  }
}

/** An error about a file as a whole. */
export function unreadable(name: string, why: string, ...advice: Advice[]): InputError {
  return new InputError(`cannot read ${shown(name)}: ${why}`, advice);
}

export const DROP_MISSING: Advice = {
  command: "leave out rows with missing values with --drop-missing",
  page: "leave out rows with missing values by the box of that name",
};

/** Advice about commas in a number: a decimal comma, or commas between thousands. */
export function commas(text: string, mark: "," | "."): Advice {
  const what = mark === "," ? "looks like a decimal comma" : "has commas between thousands";
  const start = `${text.trim()} ${what}; `;
  return {
    command: `${start}pass --decimal ${mark}`,
    page: `${start}choose the decimal mark ${mark}`,
  };
}

/** Advice to name a column or a label. */
export function sayWhich(start: string, option: string, field: string, more = ""): Advice {
  return { command: `${start} with ${option}${more}`, page: `${start} under “${field}”` };
}

/** A value of a file as text, a number, a truth value; null where it is missing. */
export type Value = string | number | bigint | boolean | null;

/** A value as Python prints it. */
export function shown(value: Value): string {
  if (value === null) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  if (typeof value !== "string") return String(value);
  const quote = value.includes("'") && !value.includes('"') ? '"' : "'";
  const escaped = value
    .replace(/\\/g, "\\\\")
    .replace(/\n/g, "\\n")
    .replace(/\r/g, "\\r")
    .replace(/\t/g, "\\t")
    .replace(
      /[\0-\x1f\x7f-\xa0\xad]/g,
      (mark) => `\\x${mark.charCodeAt(0).toString(16).padStart(2, "0")}`,
    );
  return quote + (quote === "'" ? escaped.replace(/'/g, "\\'") : escaped) + quote;
}

/** So many lines of one problem are named. */
export const MOST_LINES = 5;

function listedLines(lines: readonly number[], name = "line"): string {
  return `${name}${lines.length > 1 ? "s" : ""} ${joined(lines.map(String))}`;
}

/** The first lines of one problem, and how many more there are. */
export function firstLines(lines: readonly number[]): string {
  const more = lines.length > MOST_LINES ? ` and ${lines.length - MOST_LINES} more` : "";
  return listedLines(lines.slice(0, MOST_LINES)) + more;
}

/** Values of a column that cannot be used for one reason. */
export class Problem {
  count = 0;
  readonly positions: number[] = [];
  /** The first of the values. */
  example: Value = null;

  constructor(
    private readonly column: string,
    private readonly what: string | ((example: string) => string),
    public advice: Advice | null = null,
  ) {}

  add(position: number, example: Value = null): void {
    if (this.count++ === 0) this.example = example;
    if (this.positions.length < MOST_LINES) this.positions.push(position);
  }

  /** Takes over the values of another problem of the same kind. */
  merge(other: Problem): void {
    if (!this.count || other.positions[0]! < this.positions[0]!) this.example = other.example;
    this.count += other.count;
    const all = [...this.positions, ...other.positions].sort((one, two) => one - two);
    this.positions.splice(0, this.positions.length, ...all.slice(0, MOST_LINES));
    other.count = 0;
  }

  /** The error; it names lines where they are known, else the first position. */
  asError(lines: ReadonlyMap<number, number> | null, name: string): InputError {
    const what = typeof this.what === "string" ? this.what : this.what(shown(this.example));
    const start = `${this.column} has ${what}: ${this.count} in all, `;
    const known = lines && this.positions.map((position) => lines.get(position)!);
    const where = known
      ? `${this.count > known.length ? "the first " : ""}on ${listedLines(known, name)}`
      : `the first at position ${this.positions[0]}`;
    return new InputError(start + where, this.advice ? [this.advice] : []);
  }
}

/** Where rows come from, as far as messages need it. */
export interface Lined {
  readonly name: string;
  /** Whether problems are told together, and rows have lines. */
  readonly lined: boolean;
  readonly lineName: string;
  /** What a reader should know about how it was read. */
  readonly notes: readonly string[];
  /** The lines of some rows by position; null where rows have none. */
  lines(positions: readonly number[]): Promise<ReadonlyMap<number, number> | null>;
  /** What is wrong with lines that are no rows. */
  broken(): InputError[];
}

/** Throws what is wrong, if anything: broken lines, or else values. */
export async function throwTogether(
  problems: readonly (Problem | InputError)[],
  source: Lined,
): Promise<void> {
  const [broken] = source.broken();
  if (broken) throw broken;
  if (!problems.length) return;
  const told = source.lined ? problems : problems.slice(0, 1);
  const positions = told.flatMap((each) => (each instanceof Problem ? each.positions : []));
  const sorted = [...new Set(positions)].sort((one, two) => one - two);
  const lines = source.lined && sorted.length ? await source.lines(sorted) : null;
  const all = told.map((each) => {
    if (!(each instanceof Problem)) return each;
    const error = each.asError(lines, source.lineName);
    return source.lined ? error : new InputError(error.problem);
  });
  const advice = new Map(all.flatMap((error) => error.advice).map((each) => [each.page, each]));
  throw new InputError(all.map(({ problem }) => problem).join("; "), [...advice.values()]);
}
