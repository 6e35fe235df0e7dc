/**
 * Columns as they come out of a file, numbers as people write them, and what is wrong with them.
 *
 * `src/isometrics/sources/written_numbers.py` has the same ways of writing numbers.
 */

import { numberIn } from "../format";
import { commas, DROP_MISSING, InputError, Problem, type Advice, type Value } from "./problems";

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
const CANONICAL = /^-?(0|[1-9]\d*)$/;
const MISSING = new Set(["", "nan", "null", "none", "na", "n/a"]);

/** A cell of a text file: what is empty, or says so, is missing. */
export function isMissing(text: string): boolean {
  return text.length < 5 && MISSING.has(text.trim().toLowerCase());
}

/** Guesses the kind of a column of texts from its first cells. */
export function kindOf(cells: readonly string[], decimal: Decimal = null): ColumnKind {
  const present = cells.filter((cell) => !isMissing(cell));
  if (!present.length) return "other";
  if (present.every((cell) => /^\s*(true|false)\s*$/i.test(cell))) return "boolean";
  if (present.every((cell) => CANONICAL.test(cell.trim()))) return "integer";
  for (const fits of [isNumber, isPercent])
    if (present.every((cell) => fits(cell, decimal))) return "float";
  return "string";
}

const NOT_NUMBERS = (example: string): string =>
  `values that are not real numbers of 64 bits, such as ${example}`;
const MISSING_VALUES = "missing values (NaN or null)";

/** Growing arrays of numbers, for a file whose length is not known. */
export class Numbers {
  private values: Float64Array;
  size = 0;
  private readonly missing: Problem;
  private readonly strange: Problem;
  private readonly percents: Problem;
  private readonly large: Problem;
  private plain = 0;
  /** Whether all values so far were written as whole numbers. */
  whole = true;

  constructor(
    readonly name: string,
    private readonly decimal: Decimal = null,
    rows = 1024,
  ) {
    this.values = new Float64Array(rows);
    this.missing = new Problem(name, MISSING_VALUES, DROP_MISSING);
    this.strange = new Problem(name, NOT_NUMBERS);
    this.percents = new Problem(name, NOT_NUMBERS);
    this.large = new Problem(name, "whole numbers from 2**53 on, which a browser would round");
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
    const value = this.decimal === null ? numberIn(cell) : undefined;
    if (value === undefined) return this.addWritten(cell);
    this.plain++;
    if (Math.abs(value) >= LARGEST && INTEGER.test(cell)) this.large.add(this.size, cell);
    // The order is that of cost: most numbers are not whole.
    if (this.whole && (!Number.isInteger(value) || !INTEGER.test(cell))) this.whole = false;
    this.push(value);
  }

  private addWritten(cell: string): void {
    const value = parseNumber(cell, this.decimal);
    if (isMissing(cell) || Number.isNaN(value)) this.missing.add(this.size);
    else if (value === undefined) this.strange.add(this.size, cell);
    else {
      if (isPercent(cell, this.decimal)) this.percents.add(this.size, cell);
      else this.plain++;
      if (this.whole && (!Number.isInteger(value) || !INTEGER.test(cell))) this.whole = false;
      return this.push(value);
    }
    this.push(NaN);
  }

  /** Adds a value of a binary file. */
  add(value: Value | undefined): void {
    if (value === null || value === undefined || value !== value) {
      this.missing.add(this.size);
      this.push(NaN);
    } else if (typeof value === "string") {
      this.addText(value);
    } else {
      const number = Number(value);
      if (typeof value === "bigint" && Math.abs(number) >= LARGEST)
        this.large.add(this.size, value);
      if (typeof value === "number" && !Number.isInteger(value)) this.whole = false;
      this.plain++;
      this.push(number);
    }
  }

  /** Whether all numbers have percent signs. */
  get isPercent(): boolean {
    return this.percents.count > 0 && !this.plain && !this.strange.count;
  }

  isMissingAt(row: number): boolean {
    return Number.isNaN(this.values[row]);
  }

  /** What is wrong with the column. */
  problems(dropMissing = false): Problem[] {
    const found: Problem[] = dropMissing ? [] : [this.missing];
    if (this.percents.count && !this.isPercent) this.strange.merge(this.percents);
    if (this.strange.count)
      this.strange.advice = adviceAbout(String(this.strange.example), this.decimal);
    found.push(this.strange, this.large);
    return found.filter(({ count }) => count > 0);
  }

  finished(): Float64Array {
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
  private readonly missing: Problem;
  private readonly absent = new Set<number>();

  constructor(
    readonly name: string,
    rows = 1024,
  ) {
    this.codes = new Uint16Array(rows);
    this.missing = new Problem(name, MISSING_VALUES, DROP_MISSING);
  }

  add(value: Value | undefined): void {
    if (this.size === this.codes.length) {
      const wider = new Uint16Array(2 * this.size);
      wider.set(this.codes);
      this.codes = wider;
    }
    if (value === null || value === undefined || value !== value) {
      this.missing.add(this.size);
      this.absent.add(this.size++);
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

  isMissingAt(row: number): boolean {
    return this.absent.has(row);
  }

  problems(dropMissing = false): Problem[] {
    return this.missing.count && !dropMissing ? [this.missing] : [];
  }

  finished(): Uint16Array {
    return this.codes.subarray(0, this.size);
  }
}

export type Decimal = "," | "." | null;

const SPECIAL = "[+-]?(?:inf|infinity|nan)";
const EXPONENT = "(?:[eE][+-]?[0-9]+)?";
const WHOLE = "(?:0|[1-9][0-9]*)";

function pattern(decimal: "," | ".", grouped: boolean): string {
  const [mark, other] = decimal === "," ? [",", "\\."] : ["\\.", ","];
  const whole = grouped ? `(?:${WHOLE}|[1-9][0-9]{0,2}(?:${other}[0-9]{3})+)` : WHOLE;
  return `(?:${whole}(?:${mark}[0-9]*)?|${mark}[0-9]+)`;
}

const full = (text: string): RegExp => new RegExp(`^(?:${text})$`, "i");

const PLAIN = full(`[+-]?(?:(?!0[0-9])[0-9]+\\.?[0-9]*|\\.[0-9]+)${EXPONENT}|${SPECIAL}`);
const NUMBER = {
  ",": full(`[+-]?${pattern(",", true)}${EXPONENT}|${SPECIAL}`),
  ".": full(`[+-]?${pattern(".", true)}${EXPONENT}|${SPECIAL}`),
};
const PERCENT = {
  "": full(`[+-]?${pattern(".", false)}\\s*%`),
  ",": full(`[+-]?${pattern(",", true)}\\s*%`),
  ".": full(`[+-]?${pattern(".", true)}\\s*%`),
};
const COMMA_NUMBER = full(`\\s*[+-]?${pattern(",", true)}${EXPONENT}\\s*%?\\s*`);

export function isNumber(text: string, decimal: Decimal): boolean {
  return (decimal === null ? PLAIN : NUMBER[decimal]).test(text.trim());
}

export function isPercent(text: string, decimal: Decimal): boolean {
  return PERCENT[decimal ?? ""].test(text.trim());
}

export function hasDecimalComma(text: string): boolean {
  return text.includes(",") && COMMA_NUMBER.test(text);
}

/** Whether a text is a number in some way of writing it. */
export function looksLikeNumber(text: string): boolean {
  const written = text.trim();
  return (
    hasDecimalComma(text) ||
    [...Object.values(NUMBER), ...Object.values(PERCENT)].some((kind) => kind.test(written))
  );
}

/** The number that a text is, percents as shares; undefined where it is none. */
export function parseNumber(text: string, decimal: Decimal): number | undefined {
  const isShare = isPercent(text, decimal);
  if (!isShare && !isNumber(text, decimal)) return undefined;
  let plain = text.trim();
  if (decimal === ",") plain = plain.replaceAll(".", "").replace(",", ".");
  else if (decimal === ".") plain = plain.replaceAll(",", "");
  if (isShare) return Number(`${plain.replace(/\s*%$/, "")}e-2`);
  const special = /^([+-]?)(inf|infinity|nan)$/i.exec(plain);
  if (!special) return Number(plain);
  return /nan/i.test(special[2]!) ? NaN : special[1] === "-" ? -Infinity : Infinity;
}

/** What to do about a text that was expected to be a number. */
function adviceAbout(text: string, decimal: Decimal): Advice | null {
  if (decimal === null && hasDecimalComma(text)) return commas(text, ",");
  if (decimal === null && text.includes(",") && looksLikeNumber(text)) return commas(text, ".");
  if (!text.trimEnd().endsWith("%") || !looksLikeNumber(text)) return null;
  const advice = "write all values of a column with a percent sign, or none";
  return { command: advice, page: advice };
}
