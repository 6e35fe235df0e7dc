/**
 * Bytes as text, four of them in five letters: a sixteenth less than base64.
 *
 * The code of Python's `base64.b85encode`, with letters that need no escapes in HTML, JSON,
 * templates and replacements; `src/isometrics/report/packing.py` is the other side of it.
 */

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
