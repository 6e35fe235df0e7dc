/** Random draws of rows, from a seed: the same settings always give the same verdict. */

import type { Draws } from "./judge";

/** xoshiro128** (Blackman & Vigna 2021), seeded by splitmix32. */
export class Random {
  private readonly state = new Uint32Array(4);

  constructor(seed: number) {
    for (let place = 0; place < 4; place++) {
      seed = (seed + 0x9e3779b9) | 0;
      let word = seed ^ (seed >>> 16);
      word = Math.imul(word, 0x21f0aaad);
      word ^= word >>> 15;
      word = Math.imul(word, 0x735a2d97);
      this.state[place] = word ^ (word >>> 15);
    }
  }

  /** A word of 32 random bits. */
  word(): number {
    const { state } = this;
    const scaled = Math.imul(state[1]!, 5);
    const found = Math.imul((scaled << 7) | (scaled >>> 25), 9);
    const shifted = state[1]! << 9;
    state[2]! ^= state[0]!;
    state[3]! ^= state[1]!;
    state[1]! ^= state[2]!;
    state[0]! ^= state[3]!;
    state[2]! ^= shifted;
    state[3] = (state[3]! << 11) | (state[3]! >>> 21);
    return found >>> 0;
  }

  /** A whole number below another one, each equally likely to within 2**-32 of its size. */
  below(size: number): number {
    return Math.floor((this.word() / 2 ** 32) * size);
  }
}

/** Multinomial draws of all rows, and parts to which both classes are dealt out by themselves. */
export function randomDraws(labels: Uint8Array, seed = 0): Draws {
  const [forRows, forFolds] = [new Random(seed), new Random(seed + 1)];
  const size = labels.length;
  const counts = new Uint16Array(size);
  return {
    weighting() {
      counts.fill(0);
      for (let draw = 0; draw < size; draw++) counts[forRows.below(size)]! += 1;
      return counts;
    },
    folds(parts) {
      const order = Uint32Array.from({ length: size }, (_, row) => row);
      for (let last = size - 1; last > 0; last--) {
        const other = forFolds.below(last + 1);
        [order[last], order[other]] = [order[other]!, order[last]!];
      }
      const dealt = new Uint8Array(size);
      let place = 0;
      for (const label of [1, 0])
        for (const row of order) if (labels[row] === label) dealt[row] = place++ % parts;
      return dealt;
    },
  };
}
