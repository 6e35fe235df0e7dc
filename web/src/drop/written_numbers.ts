/**
 * Numbers as people and spreadsheets write them: 0,5783 and 1.234,5 and 57.8%.
 *
 * `src/isometrics/sources/written_numbers.py` is the same list of kinds.
 */

import { decimalComma, thousandsCommas, type Advice } from "./problems";

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

const PERCENT_ADVICE = "write all values of a column with a percent sign, or none";

/** What to do about a text that was expected to be a number. */
export function adviceAbout(text: string, decimal: Decimal): Advice | null {
  if (decimal === null && hasDecimalComma(text)) return decimalComma(text);
  if (decimal === null && text.includes(",") && looksLikeNumber(text)) return thousandsCommas(text);
  if (text.trimEnd().endsWith("%") && looksLikeNumber(text))
    return { command: PERCENT_ADVICE, page: PERCENT_ADVICE };
  return null;
}
