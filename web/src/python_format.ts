/** Numbers and names as Python prints them, so that both sides say the same sentences. */

/** `f"{value:.{digits}f}"`: of two nearest numbers the even one, where JavaScript takes the larger. */
export function fixed(value: number, digits: number): string {
  if (Number.isNaN(value)) return "nan";
  if (!Number.isFinite(value)) return value > 0 ? "inf" : "-inf";
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
  if (Number.isNaN(value)) return "nan";
  if (!Number.isFinite(value)) return value > 0 ? "inf" : "-inf";
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

/** Names in a row, the last one behind "and"; of very many, the first ones. */
export function several(names: readonly string[], most = 10): string {
  const shown = names.map((name) => {
    const text = name.split(SPACES).filter(Boolean).join(" ");
    return text || quotedName(name);
  });
  return listed(shown, most);
}

/** Texts in a row as `several` does, each as it is. */
export function listed(shown: readonly string[], most = 10): string {
  if (shown.length > most) shown = [...shown.slice(0, most - 1), `${shown.length - most + 1} more`];
  const last = shown[shown.length - 1]!;
  return shown.length > 1 ? `${shown.slice(0, -1).join(", ")} and ${last}` : last;
}

function quotedName(name: string): string {
  return `'${JSON.stringify(name).slice(1, -1)}'`;
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
