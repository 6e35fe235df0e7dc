/** Files as people have them, from the list that the command is held to as well. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { gzipSync, strToU8 } from "fflate";

import CASES from "../../tests/sources/cases/messy_files.json";
import { count } from "../src/count";
import type { Peek } from "../src/drop/columns";
import { PLAIN, type CsvFormat } from "../src/drop/csv";
import { describe, guess, type Guess } from "../src/drop/layout";
import { openSource } from "../src/drop/opening";
import { InputError } from "../src/drop/problems";
import { Columns, tablesOf, type Tables } from "../src/drop/reading";

interface Case {
  readonly name: string;
  readonly text: string;
  /** The name of the file, where it is not x.csv. */
  readonly file?: string;
  readonly options: Record<string, unknown>;
  readonly positive?: readonly (boolean | string)[];
  readonly scores?: Record<string, readonly number[]>;
  readonly description?: string;
  readonly says?: string;
}

interface Read extends Tables {
  readonly layout: Guess;
}

async function read(file: Blob, name: string, options: Record<string, unknown>): Promise<Read> {
  const format = { ...PLAIN, ...options } as CsvFormat;
  const source = await openSource(file, name, format);
  const { label, scores, pos_label: positive } = options as Record<string, string | undefined>;
  let layout: Guess;
  try {
    // The reader of the page can change what was guessed.
    const chosen = { model: null, weight: null, guessed: new Map(), unused: [] };
    layout =
      label === undefined
        ? { ...guess(source.columns), positive: positive ?? null }
        : { ...chosen, label, scores: [scores!], positive: null };
  } catch (error) {
    // Broken lines are told first.
    if (source.lined) {
      const [{ name: first }] = source.columns as [Peek];
      const empty = new Columns({
        label: first,
        scores: [],
        model: null,
        weight: null,
        positive: null,
      });
      await source.read(empty, () => undefined);
      for (const broken of source.broken()) throw broken;
    }
    throw error;
  }
  const columns = new Columns(layout, format.decimal);
  await source.read(columns, () => undefined);
  return { ...(await tablesOf(columns, source, options["drop_missing"] === true)), layout };
}

async function said(file: Blob, name: string, options: Record<string, unknown>): Promise<string> {
  try {
    await read(file, name, options);
  } catch (error) {
    if (error instanceof InputError) return error.inTheCommand;
    throw error;
  }
  return "nothing";
}

// Files of JSON are left to the command, and so is what to leave out of a guess.
const TEXTS = (CASES as unknown as readonly Case[]).filter(
  ({ file, options, description }) =>
    !file?.includes(".json") &&
    !("weight" in options) &&
    !("pos_label" in options && description?.includes("classes")),
);

for (const one of TEXTS) {
  const name = one.file ?? "x.csv";
  test(one.name, async () => {
    for (const [file, called] of [
      [new Blob([one.text]), name],
      [new Blob([gzipSync(strToU8(one.text))]), `${name}.gz`],
    ] as const) {
      if (one.says !== undefined) {
        const expected = one.says.replaceAll("{file}", called);
        assert.equal(await said(file, called, one.options), expected);
        continue;
      }
      const { tables, layout, positive, notes } = await read(file, called, one.options);
      const full = { ...layout, positive: layout.positive ?? positive };
      assert.equal([describe(full), ...notes].join("; "), one.description);
      assert.deepEqual([...tables.keys()].sort(), Object.keys(one.scores!).sort());
      for (const [model, scores] of Object.entries(one.scores!)) {
        const labels = Uint8Array.from(one.positive!, (label) =>
          label === true || label === model ? 1 : 0,
        );
        const right = count({
          labels,
          scores: Float64Array.from(scores),
          weights: null,
          whole: true,
        });
        const table = tables.get(model)!;
        for (const part of ["thresholds", "tp", "fp"] as const)
          assert.deepEqual(table[part], right[part]);
      }
    }
  });
}

test("files that are no tables are refused kindly", async () => {
  const bytes = (...values: number[]): Blob => new Blob([Uint8Array.from(values)]);
  const start = (name: string): string => `cannot read '${name}': `;
  for (const [file, name, why] of [
    [bytes(0x93, 78, 85, 77, 80, 89, 1), "x.npy", "it is a single NumPy array"],
    [bytes(128, 4, 1), "x.bin", "it looks like a pickle"],
    [new Blob(["abc"]), "x.pkl", "it looks like a pickle"],
    [bytes(80, 75, 3, 4, 1), "x.xlsx", "it is a workbook or another archive, which this page does"],
    [new Blob(["ARROW1 xyz"]), "x.arrow", "it is an Arrow file, which this page does not read"],
    [new Blob(["y,s"]), "x.json.gz", "it is a file of JSON, which this page does not read"],
    [new Blob(["y,s"]), "x.parquet", "its name says parquet but its first bytes do not"],
    [bytes(0xff, 0xfe, 65, 0), "x.csv", "it is text in UTF-16; save it as UTF-8"],
    [bytes(0x1f, 0x8b, 8, 0, 1, 2, 3), "x.csv.gz", "its compressed data are broken"],
    [new Blob([]), "x.csv", "the file is empty"],
    [new Blob(["Predictions\ny,s\n1,2\n0,1\n"]), "x.csv", "line 1 does not have the 2 values"],
    [
      new Blob([strToU8("y,s,n\n1,0.5,"), Uint8Array.of(0xe9), strToU8("\n0,0.2,b\n")]),
      "x.csv",
      "there is text that is not UTF-8 on line 2; save it as UTF-8",
    ],
  ] as const)
    assert.ok((await said(file, name, {})).startsWith(start(name) + why), `${name}: ${why}`);
});

test("a record may end anywhere in a part", async () => {
  const lines = ["y,s,n"];
  for (let row = 0; row < 30_000; row++) lines.push(`${row % 2},0.${row},"a ""quote"", ${row}\nx"`);
  lines.push("1,high,z");
  const text = lines.join("\r\n");
  assert.equal(
    await said(new Blob([text]), "x.csv", { label: "y", scores: "s" }),
    "s has values that are not real numbers of 64 bits, such as 'high': 1 in all, on line 60002",
  );
});
