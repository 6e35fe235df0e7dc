/** Text in parts: decoded, decompressed where it is compressed, and split into records. */

import { Decompress as Unzstd } from "fzstd";

import { firstLines, unreadable } from "./problems";

const GZIP = [0x1f, 0x8b];
const ZSTD = [0x28, 0xb5, 0x2f, 0xfd];

export async function startsWith(file: Blob, mark: readonly number[]): Promise<boolean> {
  const first = new Uint8Array(await file.slice(0, mark.length).arrayBuffer());
  return first.length === mark.length && mark.every((byte, place) => first[place] === byte);
}

/** The bytes of a file; those of one that is compressed by gzip or Zstandard decompressed. */
async function bytesOf(file: Blob): Promise<ReadableStream<Uint8Array>> {
  const raw = file.stream() as ReadableStream<Uint8Array>;
  if (await startsWith(file, GZIP))
    return raw.pipeThrough(
      new DecompressionStream("gzip") as unknown as TransformStream<Uint8Array, Uint8Array>,
    );
  if (!(await startsWith(file, ZSTD))) return raw;
  let unzstd: Unzstd;
  return raw.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      start: (out) => void (unzstd = new Unzstd((part) => out.enqueue(part))),
      transform: (part) => unzstd.push(part),
      flush: () => unzstd.push(new Uint8Array(0), true),
    }),
  );
}

/** Reads a file as text; `part` returns false once it has seen enough. */
export async function readText(
  file: Blob,
  name: string,
  part: (text: string) => boolean | void,
): Promise<void> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  const reader = (await bytesOf(file)).getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read().catch((error: Error) => {
        throw unreadable(name, `its compressed data are broken (${error.message})`);
      });
      let text: string;
      try {
        text = decoder.decode(value, { stream: !done });
      } catch {
        throw await otherEncoding(file, name);
      }
      if ((text && part(text) === false) || done) return;
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

async function otherEncoding(file: Blob, name: string): Promise<Error> {
  const reader = (await bytesOf(file)).getReader();
  const decoder = new TextDecoder("utf-8", { fatal: true });
  const lines: number[] = [];
  let [line, rest] = [1, [] as number[]];
  const check = (): void => {
    try {
      decoder.decode(Uint8Array.from(rest));
    } catch {
      lines.push(line);
    }
    rest = [];
    line++;
  };
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    for (const byte of value) {
      rest.push(byte);
      if (byte === 10) check();
    }
  }
  check();
  return unreadable(
    name,
    `there is text that is not UTF-8 on ${firstLines(lines)}; save it as UTF-8`,
  );
}

/** Splits text into records of values; a quoted value may hold separators and line breaks. */
export class Scanner {
  private rest = "";
  private line = 1;
  private started = false;
  private old: boolean | null = null;

  constructor(
    private readonly delimiter: string,
    /** Told the values of a record, and the line on which it begins; false stops. */
    readonly record: (values: string[], line: number, isBroken?: boolean) => boolean | void,
  ) {}

  /** Returns false once the receiver has seen enough. */
  feed(part: string, last = false): boolean {
    if (!this.started) {
      part = part.replace(/^\ufeff/, "");
      this.started = true;
    }
    // Files of old ended their lines otherwise.
    this.old ??= part.includes("\r") && !part.includes("\n");
    let text = this.rest + (this.old ? part.replaceAll("\r", "\n") : part);
    if (last && text && !text.endsWith("\n")) text += "\n";
    return text.includes('"') ? this.quoted(text, last) : this.plain(text);
  }

  private plain(text: string): boolean {
    const lines = text.split("\n");
    this.rest = lines.pop()!;
    for (const line of lines) {
      const here = this.line++;
      const bare = line.endsWith("\r") ? line.slice(0, -1) : line;
      if (bare && this.record(bare.split(this.delimiter), here) === false) return false;
    }
    return true;
  }

  private quoted(text: string, last: boolean): boolean {
    let start = 0;
    while (start < text.length) {
      const found = this.next(text, start, last);
      if (!found) break;
      const here = this.line;
      for (let at = text.indexOf("\n", start); at >= 0 && at < found.end;) {
        this.line++;
        at = text.indexOf("\n", at + 1);
      }
      start = found.end;
      const blank = found.values.length === 1 && found.values[0] === "";
      if (!blank && this.record(found.values, here, found.isBroken) === false) return false;
    }
    this.rest = text.slice(start);
    return true;
  }

  /** The record that begins at a place; null where its end is not here yet. */
  private next(text: string, start: number, last: boolean) {
    const values: string[] = [];
    let at = start;
    let isBroken = false;
    for (;;) {
      let from = at;
      if (text[at] === '"') {
        const close = closing(text, at + 1);
        if (close < 0 && !last) return null;
        const after = text[close + 1];
        const ends =
          after === this.delimiter ||
          after === "\n" ||
          (after === "\r" && text[close + 2] === "\n");
        if (close >= 0 && after === undefined && !last) return null;
        if (close >= 0 && ends) {
          values.push(text.slice(at + 1, close).replaceAll('""', '"'));
          at = close + (after === "\r" ? 2 : 1);
          if (text[at] === "\n") return { values, end: at + 1, isBroken };
          at++;
          continue;
        }
        // It is refused; until the line ends, the quote is a letter like others.
        isBroken = true;
        from = close < 0 ? at : close + 1;
      }
      const line = text.indexOf("\n", from);
      if (line < 0) return null;
      const comma = text.indexOf(this.delimiter, from);
      if (comma >= 0 && comma < line) {
        values.push(text.slice(at, comma));
        at = comma + 1;
      } else {
        values.push(text.slice(at, text[line - 1] === "\r" ? line - 1 : line));
        return { values, end: line + 1, isBroken };
      }
    }
  }
}

function closing(text: string, from: number): number {
  for (let at = text.indexOf('"', from); at >= 0; at = text.indexOf('"', at + 2))
    if (text[at + 1] !== '"') return at;
  return -1;
}
