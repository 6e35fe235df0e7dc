/** Numbers packed into text: differences of neighbours as bytes of variable length, in base64. */

export type Packed = { readonly integers: string } | { readonly floats: string };

const SIGN = 1n << 63n;
const WORD = (1n << 64n) - 1n;

export function unpacked(packed: Packed): Float64Array {
  return "integers" in packed ? integersOf(packed.integers) : floatsOf(packed.floats);
}

export function packedIntegers(values: ArrayLike<number>): Packed {
  return { integers: text(Array.from(values, (value) => BigInt(value) & WORD)) };
}

export function packedFloats(values: Float64Array): Packed {
  const bits = new BigUint64Array(values.slice().buffer);
  return { floats: text(Array.from(bits, (word) => (word & SIGN ? ~word & WORD : word | SIGN))) };
}

export function packedCounts(values: Float64Array, whole: boolean): Packed {
  return whole ? packedIntegers(values) : packedFloats(values);
}

function integersOf(data: string): Float64Array {
  return Float64Array.from(words(data), (word) => Number(BigInt.asIntN(64, word)));
}

function floatsOf(data: string): Float64Array {
  const bits = BigUint64Array.from(words(data), (word) =>
    word & SIGN ? word ^ SIGN : ~word & WORD,
  );
  return new Float64Array(bits.buffer);
}

function text(values: readonly bigint[]): string {
  const bytes: number[] = [];
  let before = 0n;
  for (const value of values) {
    const step = BigInt.asIntN(64, value - before);
    let folded = BigInt.asUintN(64, (step << 1n) ^ (step >> 63n));
    before = value;
    while (folded > 127n) {
      bytes.push(Number(folded & 127n) | 128);
      folded >>= 7n;
    }
    bytes.push(Number(folded));
  }
  let binary = "";
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return btoa(binary);
}

function words(data: string): bigint[] {
  const binary = atob(data);
  const found: bigint[] = [];
  let [word, folded, shift] = [0n, 0n, 0n];
  for (let place = 0; place < binary.length; place++) {
    const byte = binary.charCodeAt(place);
    folded |= BigInt(byte & 127) << shift;
    shift += 7n;
    if (byte & 128) continue;
    word = BigInt.asUintN(64, word + ((folded >> 1n) ^ -(folded & 1n)));
    found.push(word);
    [folded, shift] = [0n, 0n];
  }
  return found;
}
