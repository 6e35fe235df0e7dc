/** Numbers and names in text, as a reader wants them and as Python prints them. */

import type { Bracket } from "./measures";

/** Up to so many significant digits, without trailing zeros. */
export function short(value: number, digits = 4): string {
  if (Number.isNaN(value)) return "–";
  if (!Number.isFinite(value)) return value > 0 ? "∞" : "−∞";
  if (value === 0) return "0";
  const size = Math.abs(value);
  const text =
    size >= 10 ** digits
      ? size < 1e9
        ? grouped(Math.round(value))
        : value.toExponential(digits - 1)
      : size < 1e-4
        ? value.toExponential(digits - 2)
        : String(Number(value.toPrecision(digits)));
  return text.replace("-", "−");
}

/** A count, or a sum of weights, as Python prints them: 1,619. */
export function counted(value: number): string {
  if (!Number.isFinite(value) || Math.abs(value) >= 1e15) return short(value, 6);
  if (Number.isInteger(value) || Math.abs(value) < 1) return grouped(value, 6);
  // A sum of weights: two decimals at most, as money has, and none that nobody would read.
  return grouped(Number(value.toFixed(Math.abs(value) < 1e4 ? 2 : 0)), 17);
}

function grouped(value: number, digits = 17): string {
  const text = Number.isInteger(value) ? String(value) : String(Number(value.toPrecision(digits)));
  const [whole, ...rest] = text.split(/(?=[.e])/);
  return [thousands(whole!), ...rest].join("");
}

/** A score under an axis, in few characters. */
export function tick(value: number): string {
  return value === 0
    ? "0"
    : value
        .toExponential(2)
        .replace(/\.?0*e\+?/, "e")
        .replace(/-/g, "−");
}

/** A share as whole percent, with a decimal where that says more. */
export function percent(share: number): string {
  if (Number.isNaN(share)) return "–";
  const value = 100 * share;
  const near = Math.min(Math.abs(value), Math.abs(100 - value));
  const text = value.toFixed(near > 0 && near < 10 ? 1 : 0);
  // Almost all is not all, and almost nothing is something.
  const shown = text === "100.0" ? ">99.9" : text === "0.0" ? "<0.1" : text;
  return `${shown}%`;
}

/** A confidence as people say it: 95%, 99.9%. */
export function levelSaid(level: number): string {
  return `${Number((100 * level).toPrecision(10))}%`;
}

/** Both ends of an interval of shares, with as many digits as it takes to tell them apart. */
export function percents([lo, hi]: readonly [number, number], between: string): string {
  if (percent(lo) !== percent(hi)) return `${percent(lo)}${between}${percent(hi)}`;
  let digits = 1;
  while (digits < 6 && (100 * lo).toFixed(digits) === (100 * hi).toFixed(digits)) digits++;
  const [low, high] = [lo, hi].map((share) => (100 * share).toFixed(digits));
  return `${low}${between}${high}%`;
}

/** F1, F2, F0.5. */
export function fName(beta: number): string {
  return `F${short(beta, 3)}`;
}

/** So many decimals, and more where 0 or 1 would be printed for something else. */
export function decimals(value: number, digits = 3): string {
  if (!(Math.abs(value) < 1e4)) return short(value);
  let text = value.toFixed(digits);
  const isRound = (): boolean => Number(text) === 0 || Number(text) === 1;
  while (digits < 9 && isRound() && Number(text) !== value) text = value.toFixed(++digits);
  // Rounding errors are no difference.
  return (digits < 9 ? text : Number(text).toFixed(3)).replace("-", "−");
}

/** An area: one number where its limits agree in the digits shown, else both. */
export function bracketed([lo, hi]: Bracket): string {
  const [low, high] = [decimals(lo), decimals(hi)];
  return low === high ? low : `${low}–${high}`;
}

/** A number for a file: all its digits. */
export function exact(value: number): string {
  if (Number.isNaN(value)) return "nan";
  if (!Number.isFinite(value)) return value > 0 ? "inf" : "-inf";
  return String(value);
}

const INFINITE = /^\s*([+-]?)inf(inity)?\s*$/i;
const DECIMAL = /^\s*[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?\s*$/i;

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

/** A name in so many letters at most. */
export function shortened(text: string, letters: number): string {
  if (text.length <= letters) return text;
  // A pair of surrogates is one letter.
  return `${text.slice(0, letters - 1).replace(/[\ud800-\udbff]$/, "")}…`;
}

/** A sentence with a capital letter at its beginning. */
export function capitalised(text: string): string {
  return text[0]!.toUpperCase() + text.slice(1);
}

/** `f"{value:.{digits}f}"`: of two nearest numbers the even one, where JavaScript takes the larger. */
export function fixed(value: number, digits: number): string {
  if (!Number.isFinite(value)) return exact(value);
  const sign = value < 0 || Object.is(value, -0) ? "-" : "";
  return sign + evenly(Math.abs(value), digits);
}

function evenly(size: number, digits: number): string {
  const text = size.toFixed(digits);
  const whole = size.toFixed(100);
  const dot = whole.indexOf(".");
  const [head, rest] = [whole.slice(0, dot + 1 + digits), whole.slice(dot + 1 + digits)];
  if (!/^50*$/.test(rest)) return text;
  const down = digits ? head : head.slice(0, -1);
  return Number(down[down.length - 1]) % 2 ? text : down;
}

/** `f"{value:.{digits}g}"`. */
export function general(value: number, digits = 6): string {
  if (!Number.isFinite(value)) return exact(value);
  if (value === 0) return Object.is(value, -0) ? "-0" : "0";
  const size = Math.abs(value);
  const sign = value < 0 ? "-" : "";
  let [mantissa, power] = parts(size.toExponential(digits - 1));
  const rounded = roundedAt(size, digits - 1 - power);
  if (rounded !== null) [mantissa, power] = parts(rounded.toExponential(digits - 1));
  const trimmed = mantissa.includes(".") ? mantissa.replace(/\.?0+$/, "") : mantissa;
  if (power < -4 || power >= digits)
    return `${sign}${trimmed}e${power < 0 ? "-" : "+"}${String(Math.abs(power)).padStart(2, "0")}`;
  if (power >= 0) return sign + String(Number(`${trimmed}e${power}`));
  return `${sign}0.${"0".repeat(-power - 1)}${trimmed.replace(".", "")}`;
}

/** A number to so many decimals, of two nearest the even one; null where there are not two. */
function roundedAt(size: number, decimals: number): number | null {
  if (decimals >= 0) return decimals <= 99 ? Number(evenly(size, decimals)) || null : null;
  if (!Number.isInteger(size)) return null;
  const unit = 10n ** BigInt(-decimals);
  const [whole, rest] = [BigInt(size) / unit, BigInt(size) % unit];
  return 2n * rest === unit ? Number((whole + (whole % 2n)) * unit) : null;
}

function parts(text: string): [string, number] {
  const [mantissa, power] = text.split("e");
  return [mantissa!, Number(power)];
}

/** `f"{count:,}"`. */
export function thousands(count: number | string): string {
  return String(count).replace(/\B(?=(\d{3})+(?!\d))/g, ",");
}

/** `round(value)`: of two nearest whole numbers the even one. */
export function roundEven(value: number): number {
  const floor = Math.floor(value);
  if (value - floor !== 0.5) return Math.round(value);
  return floor % 2 ? floor + 1 : floor;
}

const SPACES = /[\t-\r\x1c-\x20\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+/;

/** A name as it stands in a sentence, with one space for each white space. */
export function inSentence(name: string): string {
  const text = name.split(SPACES).filter(Boolean).join(" ");
  return text || `'${JSON.stringify(name).slice(1, -1)}'`;
}

/** Texts in a row, the last one behind a word. */
export function joined(texts: readonly string[], word = "and"): string {
  if (texts.length < 2) return texts.join("");
  return `${texts.slice(0, -1).join(", ")} ${word} ${texts.at(-1)}`;
}

/** A share in percent, with as many digits as it takes not to claim certainty. */
export function percentSaid(share: number): string {
  for (let digits = 0; digits < 7; digits++) {
    const text = fixed(100 * share, digits);
    if (![0, 100].includes(Number(text)) || [0, 1].includes(share)) return `${text}%`;
  }
  return `${general(100 * share)}%`;
}

/** Numbers with at least so many decimals, and as many as tell them apart, also from 0 and 1. */
export function toldApart(values: readonly number[], decimals: number): string[] {
  const finite = [...values, 0, 1].filter(Number.isFinite);
  const different = (digits: number): number =>
    new Set(finite.map((value) => Number(fixed(value, digits)))).size;
  while (different(decimals) < different(10)) decimals++;
  return values.map((value) => fixed(value, decimals));
}

/** Fewer digits would move a threshold far on new data. */
const LEAST_DIGITS = 3;

/** The powers of ten between which a number is written without an exponent. */
const [SMALLEST_PLAIN, LARGEST_PLAIN] = [-4, 15];

/**
 * The shortest decimal p with `below < p <= threshold`, as float64, and as float32 or float16
 * wherever scores of these types lie below.
 *
 * `below` has the next lower score of each data set whose counts stand beside the threshold: -inf
 * where there is none, NaN where it is not known. The threshold is then given to its last digit.
 */
export function thresholdText(threshold: number, ...below: number[]): string {
  if (!Number.isFinite(threshold)) return exact(threshold);
  const known = below.length > 0 && below.every((score) => score < threshold);
  if (Number.isInteger(threshold) && Math.abs(threshold) < 2 ** 53) return String(threshold + 0);
  const [digits, exponent] = digitsOf(threshold);
  const length = String(digits < 0n ? -digits : digits).length;
  if (known) {
    const power = length - 1 + exponent;
    const least = power > LARGEST_PLAIN ? LEAST_DIGITS : Math.max(LEAST_DIGITS, power + 1);
    for (let dropped = length - least; dropped > 0; dropped--) {
      const text = written(floorDivided(digits, 10n ** BigInt(dropped)), exponent + dropped);
      if (flagsTheSame(Number(text), threshold, below)) return text;
    }
  }
  return written(digits, exponent);
}

/** Whether a shorter number lies between the scores, in whatever type it is read. */
function flagsTheSame(shown: number, threshold: number, below: readonly number[]): boolean {
  if (!(shown <= threshold && below.every((score) => score < shown))) return false;
  return [toFloat16, Math.fround].every((rounded) =>
    below.every(
      (score) =>
        // A threshold of other data may itself be rounded to a score of this type.
        rounded(score) !== score || !(score < rounded(threshold)) || score < rounded(shown),
    ),
  );
}

/** The nearest number of 16 bits, of two equally near ones the even one. */
export function toFloat16(value: number): number {
  const size = Math.abs(value);
  if (!(size < 65520)) return Number.isNaN(value) ? value : Math.sign(value) * Infinity;
  const power = Math.max(Math.floor(Math.log2(size)), -14);
  // Adding and taking away a number of this size leaves as many bits as the type has.
  const large = 1.5 * 2 ** (power + 42);
  return Math.sign(value) * (size + large - large);
}

/** A whole number, and the power of ten that it is to be multiplied by. */
function digitsOf(value: number): [bigint, number] {
  const [mantissa, power] = value.toExponential().split("e");
  const fraction = mantissa!.split(".")[1] ?? "";
  return [BigInt(mantissa!.replace(".", "")), Number(power) - fraction.length];
}

function floorDivided(digits: bigint, divisor: bigint): bigint {
  const quotient = digits / divisor;
  return digits < 0n && quotient * divisor !== digits ? quotient - 1n : quotient;
}

function written(digits: bigint, exponent: number): string {
  const sign = digits < 0n ? "-" : "";
  const text = String(digits < 0n ? -digits : digits);
  const stripped = text.replace(/0+$/, "");
  exponent += text.length - stripped.length;
  const power = stripped.length - 1 + exponent;
  if (power < SMALLEST_PLAIN || power > LARGEST_PLAIN) {
    const fraction = stripped.length > 1 ? `.${stripped.slice(1)}` : "";
    return `${sign}${stripped[0]}${fraction}e${power < 0 ? "" : "+"}${power}`;
  }
  if (exponent >= 0) return sign + stripped + "0".repeat(exponent);
  const padded = stripped.padStart(1 - exponent, "0");
  return `${sign}${padded.slice(0, exponent)}.${padded.slice(exponent)}`;
}
