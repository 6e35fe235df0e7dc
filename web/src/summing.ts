/** Sums that do not depend on the order of their terms by more than a rounding. */

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
