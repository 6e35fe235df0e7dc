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
