/**
 * The number that is shown for a threshold: as short as possible, and it flags the same rows.
 *
 * `src/isometrics/_core/threshold_text.py` is the same function.
 */

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
  if (Number.isNaN(threshold)) return "nan";
  if (!Number.isFinite(threshold)) return threshold > 0 ? "inf" : "-inf";
  const known = below.length > 0 && below.every((score) => score < threshold);
  if (Number.isInteger(threshold) && Math.abs(threshold) < 2 ** 53) return String(threshold + 0);
  const [digits, exponent] = digitsOf(threshold);
  const length = lengthOf(digits);
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

function lengthOf(digits: bigint): number {
  return String(digits < 0n ? -digits : digits).length;
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
