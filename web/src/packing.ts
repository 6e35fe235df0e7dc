/**
 * Numbers and programs as text: differences of neighbours in as many bits as they need, in base 85.
 *
 * `src/isometrics/report/model.py` is the other side of it, and has the code in words.
 */

export type Packed = { readonly whole: string } | { readonly real: string };

/** Integers of 64 bits, the lower half of each before the upper one, as in a Float64Array. */
type Words = Uint32Array;

const HALF = 2 ** 32;
const TOP = 0x80000000;
const HEADER = 5;

export function unpacked(packed: Packed): Float64Array {
  if ("real" in packed) return floatsOf(decoded(packed.real));
  const words = decoded(packed.whole);
  return Float64Array.from(
    { length: words.length / 2 },
    (_, place) => (words[2 * place + 1]! | 0) * HALF + words[2 * place]!,
  );
}

export function packedIntegers(values: ArrayLike<number>): Packed {
  const words = new Uint32Array(2 * values.length);
  for (let place = 0; place < values.length; place++) {
    words[2 * place] = values[place]!;
    words[2 * place + 1] = Math.floor(values[place]! / HALF);
  }
  return { whole: encoded(words) };
}

export function packedFloats(values: Float64Array): Packed {
  return { real: encoded(wordsOf(values)) };
}

export function packedCounts(values: Float64Array, whole: boolean): Packed {
  return whole ? packedIntegers(values) : packedFloats(values);
}

/** How far floats lie below others, in steps from each float to the next. */
export function packedBelow(values: Float64Array, below: Float64Array): Packed {
  return { whole: encoded(differences(wordsOf(values), wordsOf(below))) };
}

export function unpackedBelow(values: Float64Array, packed: Packed): Float64Array {
  if (!("whole" in packed)) throw new Error("steps are whole numbers");
  return floatsOf(differences(wordsOf(values), decoded(packed.whole)));
}

/** Integers in the order of the floats. */
function wordsOf(values: Float64Array): Words {
  const words = new Uint32Array(values.slice().buffer);
  for (let place = 0; place < words.length; place += 2)
    if (words[place + 1]! & TOP) {
      words[place] = ~words[place]!;
      words[place + 1] = ~words[place + 1]!;
    } else words[place + 1]! ^= TOP;
  return words;
}

function floatsOf(words: Words): Float64Array {
  const bits = words.slice();
  for (let place = 0; place < bits.length; place += 2)
    if (bits[place + 1]! & TOP) bits[place + 1]! ^= TOP;
    else {
      bits[place] = ~bits[place]!;
      bits[place + 1] = ~bits[place + 1]!;
    }
  return new Float64Array(bits.buffer);
}

/** The differences of two lists, modulo 2**64. */
function differences(some: Words, others: Words): Words {
  const found = new Uint32Array(some.length);
  for (let place = 0; place < some.length; place += 2) {
    const low = some[place]! - others[place]!;
    found[place] = low;
    found[place + 1] = some[place + 1]! - others[place + 1]! - (low < 0 ? 1 : 0);
  }
  return found;
}

/** How many bits a number of 64 bits needs. */
function lengthOf(low: number, high: number): number {
  return high ? 64 - Math.clz32(high) : 32 - Math.clz32(low);
}

/** The order of the code that is shortest, if lengths of 0 cost nothing. */
function orderOf(lengths: readonly number[]): number {
  const counts = new Array<number>(65).fill(0);
  for (const length of lengths) counts[length]! += 1;
  let [best, least] = [0, Infinity];
  // An order of 0 has no code for 2**64 - 1.
  for (let order = counts[64] ? 1 : 0; order < 63; order++) {
    const cost = counts.reduce(
      (sum, count, length) => sum + count * (2 * Math.max(length - order, 0) + order),
      0,
    );
    if (cost < least) [best, least] = [order, cost];
  }
  return best;
}

function encoded(words: Words): string {
  const size = words.length / 2;
  const before = new Uint32Array(words.length);
  before.set(words.subarray(0, -2), Math.min(2, words.length));
  const zigzag = differences(words, before);
  const lengths: number[] = [];
  for (let place = 0; place < zigzag.length; place += 2) {
    const [low, high] = [zigzag[place]!, zigzag[place + 1]!];
    const sign = high & TOP ? 0xffffffff : 0;
    zigzag[place] = (low << 1) ^ sign;
    zigzag[place + 1] = ((high << 1) | (low >>> 31)) ^ sign;
    lengths.push(lengthOf(zigzag[place]!, zigzag[place + 1]!));
  }
  const order = orderOf(lengths);
  const writer = new Writer();
  writer.put(order, 8);
  writer.put(size, 32);
  const widths: number[] = [];
  const rest = new Uint32Array(zigzag.length);
  for (let place = 0; place < size; place++) {
    const [low, high] = [zigzag[2 * place]!, zigzag[2 * place + 1]!];
    const sum = low + (order < 32 ? 2 ** order : 0);
    const upper = high + (order < 32 ? 0 : 2 ** (order - 32)) + (sum >= HALF ? 1 : 0);
    [rest[2 * place], rest[2 * place + 1]] = [sum, upper];
    // The highest bit is not written.
    const width = (upper >= HALF ? 65 : lengthOf(sum >= HALF ? sum - HALF : sum, upper)) - 1;
    widths.push(width);
    for (let zero = width - order; zero > 0; zero -= 16) writer.put(0, Math.min(zero, 16));
    writer.put(1, 1);
  }
  widths.forEach((width, place) => {
    if (width > 32) writer.put(rest[2 * place + 1]! % 2 ** (width - 32), width - 32);
    const lower = Math.min(width, 32);
    writer.put(rest[2 * place]! % 2 ** lower, lower);
  });
  return textOf(Uint8Array.from(writer.bytes));
}

function decoded(data: string): Words {
  const reader = new Reader(bytesOf(data));
  const [order, size] = [reader.take(8), reader.take(32)];
  const widths = new Uint8Array(size);
  for (let place = 0; place < size; place++) {
    let zeros = 0;
    while (!reader.take(1)) zeros++;
    widths[place] = zeros + order;
  }
  const words = new Uint32Array(2 * size);
  let [low, high] = [0, 0];
  for (let place = 0; place < size; place++) {
    const width = widths[place]!;
    // The number is 2**width, whose bit was not written, less 2**order, and what was written.
    let upper = width > 32 ? reader.take(width - 32) : 0;
    let lower = reader.take(Math.min(width, 32));
    if (width < 32) lower += 2 ** width;
    else if (width < 64) upper += 2 ** (width - 32);
    if (order < 32) lower -= 2 ** order;
    else upper -= 2 ** (order - 32);
    if (lower < 0) [lower, upper] = [lower + HALF, upper - 1];
    const sign = lower % 2 ? 0xffffffff : 0;
    const [stepLow, stepHigh] = [
      (((lower >>> 1) | (upper << 31)) ^ sign) >>> 0,
      ((upper >>> 1) ^ sign) >>> 0,
    ];
    low += stepLow;
    high = (high + stepHigh + (low >= HALF ? 1 : 0)) % HALF;
    low %= HALF;
    [words[2 * place], words[2 * place + 1]] = [low, high];
  }
  return words;
}

/** Writes bits, highest first. */
class Writer {
  readonly bytes: number[] = [];
  private filled = 0;

  /** Writes a number of at most 32 bits. */
  put(value: number, width: number): void {
    for (let bit = width - 1; bit >= 0; bit--) {
      if (this.filled % 8 === 0) this.bytes.push(0);
      if ((value >>> bit) & 1) this.bytes[this.bytes.length - 1]! |= 128 >> (this.filled % 8);
      this.filled++;
    }
  }
}

class Reader {
  private place = 0;

  constructor(private readonly bytes: Uint8Array) {
    if (bytes.length < HEADER) throw new Error("the numbers have no header");
  }

  /** Reads a number of at most 32 bits. */
  take(width: number): number {
    let value = 0;
    while (width > 0) {
      const free = 8 - (this.place % 8);
      const some = Math.min(free, width);
      const byte = this.bytes[this.place >> 3];
      if (byte === undefined) throw new Error("the numbers end too early");
      value = value * 2 ** some + ((byte >> (free - some)) & (2 ** some - 1));
      this.place += some;
      width -= some;
    }
    return value;
  }
}

const LETTERS =
  "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#[%,()*+-;.=/?@^_:{|}~";
const BASE = 85;

export function textOf(bytes: Uint8Array): string {
  let text = "";
  for (let place = 0; place < bytes.length; place += 4) {
    let word = 0;
    for (let byte = 0; byte < 4; byte++) word = word * 256 + (bytes[place + byte] ?? 0);
    let group = "";
    for (let letter = 0; letter < 5; letter++) {
      group = LETTERS[word % BASE]! + group;
      word = Math.floor(word / BASE);
    }
    // Of an incomplete group, a letter more than it has bytes.
    text += group.slice(0, bytes.length - place + 1);
  }
  return text;
}

export function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  const size = Math.floor((text.length * 4) / 5);
  const bytes = new Uint8Array(size);
  for (let place = 0; place < size; place += 4) {
    let word = 0;
    const start = (place / 4) * 5;
    for (let letter = start; letter < start + 5; letter++) {
      const value = letter < text.length ? VALUES[text.charCodeAt(letter)] : BASE - 1;
      if (value === undefined) throw new Error("the text has other letters than those of base 85");
      word = word * BASE + value;
    }
    for (let byte = 3; byte >= 0; byte--) {
      if (place + byte < size) bytes[place + byte] = word % 256;
      word = Math.floor(word / 256);
    }
  }
  return bytes;
}

const VALUES: (number | undefined)[] = [];
for (let value = 0; value < BASE; value++) VALUES[LETTERS.charCodeAt(value)] = value;

export function inflated(packed: string): Promise<string> {
  const stream = new Blob([bytesOf(packed)])
    .stream()
    .pipeThrough(new DecompressionStream("deflate-raw"));
  return new Response(stream).text();
}

/** Starts the worker whose text was imported from `packed:`. */
export async function startWorker(packed: string): Promise<Worker> {
  const text = await inflated(packed);
  const address = URL.createObjectURL(new Blob([text], { type: "text/javascript" }));
  const worker = new Worker(address);
  URL.revokeObjectURL(address);
  return worker;
}
