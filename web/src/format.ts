/** Numbers as a reader wants them. */

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
  return [whole!.replace(/\B(?=(\d{3})+(?!\d))/g, ","), ...rest].join("");
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
  if (Number.isNaN(value)) return "–";
  if (!Number.isFinite(value)) return value > 0 ? "∞" : "−∞";
  if (Math.abs(value) >= 1e4) return short(value);
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
