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

/** A count: whole with thin groups, or a sum of weights. */
export function counted(value: number): string {
  return Number.isInteger(value) && Math.abs(value) < 1e15 ? grouped(value) : short(value, 6);
}

function grouped(value: number): string {
  return String(value).replace(/\B(?=(\d{3})+(?!\d))/g, "\u202f");
}

/** A share as whole percent, with a decimal where that says more. */
export function percent(share: number): string {
  if (Number.isNaN(share)) return "–";
  const value = 100 * share;
  const near = Math.min(Math.abs(value), Math.abs(100 - value));
  const text = value.toFixed(near > 0 && near < 10 ? 1 : 0);
  // Almost all is not all, and almost nothing is something.
  const shown = text === "100.0" ? ">99.9" : text === "0.0" ? "<0.1" : text;
  return `${shown}\u202f%`;
}

/** Both ends of an interval of shares, with as many digits as it takes to tell them apart. */
export function percents([lo, hi]: readonly [number, number], between: string): string {
  if (percent(lo) !== percent(hi)) return `${percent(lo)}${between}${percent(hi)}`;
  let digits = 1;
  while (digits < 6 && (100 * lo).toFixed(digits) === (100 * hi).toFixed(digits)) digits++;
  const [low, high] = [lo, hi].map((share) => (100 * share).toFixed(digits));
  return `${low}${between}${high}\u202f%`;
}

export function decimals(value: number, digits = 3): string {
  if (Number.isNaN(value)) return "–";
  if (!Number.isFinite(value)) return value > 0 ? "∞" : "−∞";
  if (Math.abs(value) >= 1e4) return short(value);
  return value.toFixed(digits).replace("-", "−");
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
