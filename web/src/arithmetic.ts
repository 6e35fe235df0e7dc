/** Exact fractions, sums that do not depend on the order of their terms, and how sure a share is. */

export class Fraction {
  private constructor(
    readonly numerator: bigint,
    /** Always above 0. */
    readonly denominator: bigint,
  ) {}

  /** A finite float, exactly. */
  static of(value: number): Fraction {
    if (Number.isSafeInteger(value)) return new Fraction(BigInt(value), 1n);
    if (!Number.isFinite(value)) throw new RangeError(`${value} is no fraction`);
    const bits = new DataView(new ArrayBuffer(8));
    bits.setFloat64(0, value);
    const word = bits.getBigUint64(0);
    const exponent = Number((word >> 52n) & 0x7ffn);
    const mantissa = (word & 0xfffffffffffffn) | (exponent ? 0x10000000000000n : 0n);
    const signed = word >> 63n ? -mantissa : mantissa;
    const power = (exponent || 1) - 1075;
    return power >= 0
      ? new Fraction(signed << BigInt(power), 1n)
      : new Fraction(signed, 1n << BigInt(-power));
  }

  plus(other: Fraction): Fraction {
    if (this.denominator === other.denominator)
      return new Fraction(this.numerator + other.numerator, this.denominator);
    return new Fraction(
      this.numerator * other.denominator + other.numerator * this.denominator,
      this.denominator * other.denominator,
    );
  }

  minus(other: Fraction): Fraction {
    return this.plus(new Fraction(-other.numerator, other.denominator));
  }

  times(other: Fraction): Fraction {
    return new Fraction(this.numerator * other.numerator, this.denominator * other.denominator);
  }

  over(other: Fraction): Fraction {
    const sign = other.numerator < 0n ? -1n : 1n;
    if (other.numerator === 0n) throw new RangeError("division by zero");
    return new Fraction(
      sign * this.numerator * other.denominator,
      sign * this.denominator * other.numerator,
    );
  }

  /** Negative, zero or positive, as this is below, equal to or above the other. */
  compare(other: Fraction): number {
    const difference = this.numerator * other.denominator - other.numerator * this.denominator;
    return difference < 0n ? -1 : difference > 0n ? 1 : 0;
  }

  get sign(): number {
    return this.numerator < 0n ? -1 : this.numerator > 0n ? 1 : 0;
  }

  /** The nearest float, ties to even. */
  toNumber(): number {
    if (this.numerator === 0n) return 0;
    const negative = this.numerator < 0n;
    const numerator = negative ? -this.numerator : this.numerator;
    // A quotient of 56 bits or more, with a last bit that is set for any remainder, is rounded
    // by Number() as the exact quotient would be.
    const shift = 64 - 4 * (hexDigits(numerator) - hexDigits(this.denominator));
    const up = shift > 0 ? numerator << BigInt(shift) : numerator;
    const down = shift < 0 ? this.denominator << BigInt(-shift) : this.denominator;
    let quotient = up / down;
    if (quotient * down !== up) quotient |= 1n;
    const half = Math.trunc(shift / 2);
    const value = Number(quotient) * 2 ** -half * 2 ** -(shift - half);
    return negative ? -value : value;
  }
}

function hexDigits(value: bigint): number {
  return value.toString(16).length;
}

export const ONE = Fraction.of(1);

/** part/(part + rest), rounded once; NaN unless both are ≥ 0 or both are ≤ 0, and not both 0. */
export function share(part: Fraction, rest: Fraction): number {
  const total = part.plus(rest);
  if (part.sign * rest.sign < 0 || total.sign === 0) return NaN;
  return part.over(total).toNumber();
}

/** The first place at which a distance is least; -1 where there is none. */
export function nearest(places: number, away: (place: number) => number): number {
  let [best, least] = [-1, Infinity];
  for (let place = 0; place < places; place++) {
    const distance = away(place);
    if (distance < least) [best, least] = [place, distance];
  }
  return best;
}

/** Neumaier's compensated sum. */
export class Sum {
  private high = 0;
  private low = 0;

  add(term: number): void {
    const next = this.high + term;
    this.low +=
      Math.abs(this.high) >= Math.abs(term) ? this.high - next + term : term - next + this.high;
    this.high = next;
  }

  get value(): number {
    return this.high + this.low;
  }
}

/** Sums of the values up to each of them; two roundings may differ in the last bit, but none falls. */
export function cumulated(values: Float64Array): Float64Array {
  const sum = new Sum();
  let last = 0;
  return values.map((value) => {
    sum.add(value);
    return (last = Math.max(last, sum.value));
  });
}

/** Adds up in the order of NumPy's `sum`, so that both sides round the same way. */
export function pairwise(size: number, value: (place: number) => number, start = 0): number {
  if (size > 128) {
    const half = (size >> 1) - ((size >> 1) % 8);
    return pairwise(half, value, start) + pairwise(size - half, value, start + half);
  }
  const sums = new Float64Array(8);
  const whole = size - (size % 8);
  for (let place = 0; place < whole; place++) sums[place % 8]! += value(start + place);
  const [a, b, c, d, e, f, g, h] = sums as unknown as number[];
  let sum = a! + b! + (c! + d!) + (e! + f! + (g! + h!));
  for (let place = whole; place < size; place++) sum += value(start + place);
  return sum;
}

/** The interval of Wilson (1927), z standard errors wide, for `part` of `whole` independent items. */
export function wilson(part: number, whole: number, z: number): [number, number] {
  if (!(whole > 0)) return [NaN, NaN];
  const share = part / whole;
  const middle = share + (z * z) / (2 * whole);
  const spread = z * Math.sqrt((share * (1 - share) + (z * z) / (4 * whole)) / whole);
  const scale = 1 + (z * z) / whole;
  // Where none or all are, the end of the scale is the end of the interval, without rounding.
  return [
    part === 0 ? 0 : (middle - spread) / scale,
    part === whole ? 1 : (middle + spread) / scale,
  ];
}

/** The share of the standard normal distribution below a value (Marsaglia 2004, J. Stat. Softw. 11). */
export function normalBelow(value: number): number {
  if (Math.abs(value) > 9) return Number(value > 0);
  let [sum, before, term] = [value, NaN, value];
  for (let odd = 3; sum !== before; odd += 2) {
    term *= (value * value) / odd;
    before = sum;
    sum += term;
  }
  return 0.5 + sum * normalDensity(value);
}

export const normalDensity = (value: number): number =>
  Math.exp((-value * value) / 2) / Math.sqrt(2 * Math.PI);

/** The value below which a share of ½ or more of the normal distribution lies. */
export function normalQuantile(share: number): number {
  // Steps of Newton's method approach it from below, because the density falls.
  let [value, next] = [-1, 0];
  while (next > value) {
    value = next;
    next += (share - normalBelow(value)) / normalDensity(value);
  }
  return value;
}
