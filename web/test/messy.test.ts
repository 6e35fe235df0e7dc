/** Files as people have them, from the list that the command is held to as well. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { gzipSync, strToU8, zipSync } from "fflate";

import CASES from "../../tests/sources/cases/messy_files.json";
import { count } from "../src/count";
import type { Peek } from "../src/drop/columns";
import { PLAIN, type Writing } from "../src/drop/csv";
import { describe, guess, type Given, type Guess } from "../src/drop/layout";
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
  const writing = { ...PLAIN, ...options } as Writing;
  const source = await openSource(file, name, writing);
  const { label, scores, weight, pos_label: positive } = options;
  let layout: Guess;
  try {
    layout = guess(source.columns, { label, scores, weight, positive } as Given);
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
  const columns = new Columns(layout, writing.decimal);
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

for (const one of CASES as unknown as readonly Case[]) {
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
    [bytes(80, 75, 3, 4, 1), "x.csv", "it is a zip archive"],
    [bytes(80, 75, 3, 4, 1), "x.xlsx", "it is no whole Excel workbook: "],
    [bytes(80, 75, 3, 4, 1), "x.npz", "it has arrays of NumPy, which this page does not read"],
    [new Blob(["ARROW1 xyz"]), "x.arrow", "it is an Arrow file, which this page does not read"],
    [new Blob(["y,s"]), "x.xlsx", "its name says Excel but its first bytes do not"],
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
    [new Blob(['{"y": 1}\n{oops\n']), "x.jsonl", "line 2 is not JSON; correct or remove it"],
    [new Blob(["[1, 2]"]), "x.json", "it must hold objects, one on each line"],
  ] as const)
    assert.ok((await said(file, name, {})).startsWith(start(name) + why), `${name}: ${why}`);
});

/** A workbook with one sheet. */
function workbook(rows: string): Blob {
  const parts = {
    "xl/workbook.xml":
      '<workbook><sheets><sheet name="Data &amp; more" sheetId="1" r:id="rId7"/>' +
      '<sheet name="two" sheetId="2" r:id="rId8"/></sheets></workbook>',
    "xl/_rels/workbook.xml.rels":
      '<Relationships><Relationship Id="rId8" Target="worksheets/b.xml"/>' +
      '<Relationship Id="rId7" Target="worksheets/a.xml"/></Relationships>',
    "xl/sharedStrings.xml":
      '<sst><si><t>y</t></si><si><r><t>sco</t></r><r><t xml:space="preserve">re</t></r></si>' +
      "<si><t>a &lt;b&gt;</t></si></sst>",
    "xl/worksheets/a.xml": `<worksheet><sheetData>${rows}</sheetData></worksheet>`,
    "xl/worksheets/b.xml": "<worksheet/>",
  };
  const zipped = Object.entries(parts).map(([name, text]) => [name, strToU8(text)] as const);
  return new Blob([zipSync(Object.fromEntries(zipped))]);
}

const HEADER = '<row r="2"><c r="A2" t="s"><v>0</v></c><c r="C2" t="s"><v>1</v></c></row>';

test("the first sheet of a workbook is read", async () => {
  const rows =
    HEADER +
    '<row r="3"><c r="A3"><v>1</v></c><c r="B3"/><c r="C3"><v>0.75</v></c></row>' +
    '<row r="5"><c r="A5"><v>0</v></c><c r="C5" t="inlineStr"><is><t>0.25</t></is></c></row>' +
    '<row r="6"><c r="A6"><v>1</v></c><c r="C6"><v>5E-1</v></c></row>';
  const { tables, layout, notes } = await read(workbook(rows), "x.xlsx", {});
  assert.deepEqual(layout.scores, ["score"]);
  assert.deepEqual(Array.from(tables.get("score")!.thresholds), [Infinity, 0.75, 0.5, 0.25]);
  assert.deepEqual(notes, ["sheet Data & more, the first of 2"]);
});

test("rows of a sheet have their numbers", async () => {
  const rows =
    HEADER +
    '<row r="3"><c r="A3"><v>1</v></c><c r="C3" t="s"><v>2</v></c></row>' +
    '<row r="9"><c r="A9"><v>0</v></c><c r="C9"><v>0.5</v></c></row>' +
    '<row r="12"><c r="A12"><v>0</v></c></row>';
  assert.equal(
    await said(workbook(rows), "x.xlsx", { label: "y", scores: "score" }),
    "score has missing values (NaN or null): 1 in all, on row 12; score has values that are not " +
      "real numbers of 64 bits, such as 'a <b>': 1 in all, on row 3; leave out rows with missing " +
      "values with --drop-missing",
  );
  assert.equal(
    await said(workbook(""), "x.xlsx", {}),
    "cannot read 'x.xlsx': its first sheet, 'Data & more', is empty",
  );
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
