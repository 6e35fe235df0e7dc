/** Columns as they come out of a file, and what is wrong with them, in one voice. */

/** An input that cannot be used as it is; the message is a sentence for the reader. */
export class InputError extends Error {}

/** A value of a file as text, a number, a truth value; null where it is missing. */
export type Value = string | number | bigint | boolean | null;

export type ColumnKind = "boolean" | "integer" | "float" | "string" | "other";

/** What is known of a column before all of it is read. */
export interface Peek {
  readonly name: string;
  readonly kind: ColumnKind;
  /** Its first values. */
  readonly values: readonly Value[];
}

const LARGEST = 2 ** 53;
const INTEGER = /^\s*[+-]?\d+\s*$/;
const DECIMAL = /^\s*[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?\s*$/i;
const INFINITE = /^\s*([+-]?)inf(inity)?\s*$/i;
const MISSING = new Set(["", "nan", "null", "none", "na", "n/a"]);

/** A cell of a text file: what is empty, or says so, is missing. */
export function isMissing(text: string): boolean {
  return text.length < 5 && MISSING.has(text.trim().toLowerCase());
}

/** The number that a text writes; undefined where it writes none. */
export function numberIn(text: string): number | undefined {
  const value = Number(text);
  // Number() also takes blanks and hexadecimal numbers, which no other tool does. Most texts have a
  // digit or a point in their second place; they need no second look.
  const second = text.charCodeAt(1);
  if (value === value && second >= 46 && second <= 57) return value;
  if (DECIMAL.test(text)) return value;
  const infinite = INFINITE.exec(text);
  return infinite ? (infinite[1] === "-" ? -Infinity : Infinity) : undefined;
}

/** Guesses the kind of a column of texts from its first cells. */
export function kindOf(cells: readonly string[]): ColumnKind {
  const present = cells.filter((cell) => !isMissing(cell));
  if (!present.length) return "other";
  if (present.every((cell) => /^\s*(true|false)\s*$/i.test(cell))) return "boolean";
  if (present.every((cell) => INTEGER.test(cell))) return "integer";
  return present.every((cell) => numberIn(cell) !== undefined) ? "float" : "string";
}

/** Collects the offending values of a column. */
class Offence {
  count = 0;
  first = -1;
  example: Value = null;

  add(position: number, value: Value): void {
    if (this.count++ === 0) [this.first, this.example] = [position, value];
  }

  refuse(name: string, what: (example: string) => string): void {
    if (this.count)
      throw new InputError(
        `${name} has ${what(shown(this.example))}: ${this.count} in all, ` +
          `the first at position ${this.first}`,
      );
  }
}

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
    .replace(/\t/g, "\\t");
  return quote + (quote === "'" ? escaped.replace(/'/g, "\\'") : escaped) + quote;
}

/** Growing arrays of numbers, for a file whose length is not known. */
export class Numbers {
  private values: Float64Array;
  size = 0;
  private readonly missing = new Offence();
  private readonly strange = new Offence();
  private readonly large = new Offence();
  /** Whether all values so far were written as whole numbers. */
  whole = true;

  constructor(
    private readonly name: string,
    rows = 1024,
  ) {
    this.values = new Float64Array(rows);
  }

  private push(value: number): void {
    if (this.size === this.values.length) {
      const wider = new Float64Array(2 * this.size);
      wider.set(this.values);
      this.values = wider;
    }
    this.values[this.size++] = value;
  }

  /** Adds a cell of a text file. */
  addText(cell: string): void {
    const value = numberIn(cell);
    if (value === undefined) {
      if (isMissing(cell)) this.missing.add(this.size, null);
      else this.strange.add(this.size, cell);
      this.push(NaN);
      return;
    }
    if (Math.abs(value) >= LARGEST && INTEGER.test(cell)) this.large.add(this.size, cell);
    // The order is that of cost: most numbers are not whole.
    if (this.whole && (!Number.isInteger(value) || !INTEGER.test(cell))) this.whole = false;
    this.push(value);
  }

  /** Adds a value of a binary file. */
  add(value: Value | undefined): void {
    if (value === null || value === undefined || value !== value) {
      this.missing.add(this.size, null);
      this.push(NaN);
    } else if (typeof value === "string") {
      this.strange.add(this.size, value);
      this.push(NaN);
    } else {
      const number = Number(value);
      if (typeof value === "bigint" && Math.abs(number) >= LARGEST)
        this.large.add(this.size, value);
      if (typeof value === "number" && !Number.isInteger(value)) this.whole = false;
      this.push(number);
    }
  }

  /** All values; those that are missing or no numbers are refused. */
  finished(): Float64Array {
    this.missing.refuse(this.name, () => "missing values (NaN or null)");
    this.strange.refuse(
      this.name,
      (example) => `values that are not real numbers of 64 bits, such as ${example}`,
    );
    this.large.refuse(this.name, () => "whole numbers from 2**53 on, which a browser would round");
    return this.values.subarray(0, this.size);
  }
}

/** A column of few different values: each row holds the place of its value. */
export class Classes {
  private codes: Uint16Array;
  private readonly places = new Map<Value, number>();
  readonly values: Value[] = [];
  readonly firsts: number[] = [];
  size = 0;
  private readonly missing = new Offence();

  constructor(
    readonly name: string,
    rows = 1024,
  ) {
    this.codes = new Uint16Array(rows);
  }

  add(value: Value | undefined): void {
    if (this.size === this.codes.length) {
      const wider = new Uint16Array(2 * this.size);
      wider.set(this.codes);
      this.codes = wider;
    }
    if (value === null || value === undefined || value !== value) {
      this.missing.add(this.size++, null);
      return;
    }
    let place = this.places.get(value);
    if (place === undefined) {
      place = this.values.length;
      if (place === 65_535)
        throw new InputError(
          `${this.name} has more than 65,535 different values; choose another column`,
        );
      this.places.set(value, place);
      this.values.push(value);
      this.firsts.push(this.size);
    }
    this.codes[this.size++] = place;
  }

  addText(cell: string): void {
    // A value that is known is not missing.
    this.add(this.places.has(cell) || !isMissing(cell) ? cell : null);
  }

  finished(): Uint16Array {
    this.missing.refuse(this.name, () => "missing values (NaN or null)");
    return this.codes.subarray(0, this.size);
  }
}
