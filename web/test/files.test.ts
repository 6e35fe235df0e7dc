import assert from "node:assert/strict";
import { test } from "node:test";

import { Classes, isMissing, kindOf, Numbers, type Peek } from "../src/drop/columns";
import { describe, guess } from "../src/drop/layout";
import { InputError, Problem, shown, type Lined } from "../src/drop/problems";
import { Columns, positiveRows, tablesOf as tablesIn } from "../src/drop/reading";
import {
  bracketed,
  counted,
  decimals,
  exact,
  numberIn,
  percent,
  percents,
  short,
} from "../src/format";

const NO_LINES: Lined = {
  name: "",
  lined: false,
  lineName: "row",
  notes: [],
  lines: () => Promise.resolve(null),
  broken: () => [],
};
const tablesOf = (columns: Columns): ReturnType<typeof tablesIn> => tablesIn(columns, NO_LINES);

test("numbers are read as other tools read them", () => {
  const right: [string, number | undefined][] = [
    ["1", 1],
    ["-1.5e-3", -0.0015],
    [" 2 ", 2],
    [".5", 0.5],
    ["5.", 5],
    ["1E5", 100000],
    ["inf", Infinity],
    ["-Infinity", -Infinity],
    ["", undefined],
    [" ", undefined],
    ["0x10", undefined],
    ["0b1", undefined],
    ["1_000", undefined],
    ["1,5", undefined],
    ["abc", undefined],
    ["nan", undefined],
  ];
  for (const [text, value] of right) assert.equal(numberIn(text), value, JSON.stringify(text));
});

test("what says that it is missing is missing", () => {
  for (const text of ["", " ", "NaN", "null", "NA", "None"]) assert.ok(isMissing(text));
  for (const text of ["0", "no", "nano"]) assert.ok(!isMissing(text));
});

test("kinds of columns", () => {
  assert.equal(kindOf(["1", "", "-3"]), "integer");
  assert.equal(kindOf(["1", "2.5"]), "float");
  assert.equal(kindOf(["True", "false"]), "boolean");
  assert.equal(kindOf(["a", "1"]), "string");
  assert.equal(kindOf(["", ""]), "other");
});

/** What is wrong with a column, without lines. */
function wrong(column: Numbers | Classes): string[] {
  return column.problems().map((each) => each.asError(null, "line").problem);
}

test("columns say what is wrong with them, and where", () => {
  const scores = new Numbers("score");
  for (const cell of ["1", "", "x", "", "1e999", "57%"]) scores.addText(cell);
  assert.deepEqual(wrong(scores), [
    "score has missing values (NaN or null): 2 in all, the first at position 1",
    "score has values that are not real numbers of 64 bits, such as 'x': 2 in all, the first at position 2",
  ]);
  const binary = new Numbers("score");
  for (const value of [1, 2n, null, true]) binary.add(value);
  assert.match(wrong(binary)[0]!, /the first at position 2/);
  const large = new Numbers("score");
  large.add(2n ** 60n);
  assert.match(wrong(large)[0]!, /from 2\*\*53 on/);
});

test("many rows fit, and whole numbers are known", () => {
  const numbers = new Numbers("n", null, 1);
  for (let row = 0; row < 5000; row++) numbers.addText(String(row));
  assert.equal(numbers.finished()[4999], 4999);
  assert.ok(numbers.whole);
  numbers.addText("1.0");
  assert.ok(!numbers.whole);
  const classes = new Classes("c", 1);
  for (let row = 0; row < 5000; row++) classes.addText(row % 3 ? "a" : "b");
  assert.equal(classes.finished().length, 5000);
});

function labels(...values: (string | number | boolean | bigint | null)[]): Classes {
  const found = new Classes("y");
  for (const value of values) {
    if (typeof value === "string") found.addText(value);
    else found.add(value);
  }
  return found;
}

function weighted(...weights: string[]): Columns {
  const layout = { label: "y", scores: ["s"], model: null, weight: "w", positive: null };
  const columns = new Columns(layout);
  weights.forEach((weight, row) => {
    columns.label.addText(row % 2 ? "0" : "1");
    columns.scores[0]!.addText(String(row));
    columns.weight!.addText(weight);
  });
  return columns;
}

test("sums of weights whose products floats cannot hold are refused", async () => {
  await assert.rejects(tablesOf(weighted("1e-200", "1e-200", "1", "1e-200")), {
    message:
      "negatives, as a count or as a sum of weights, must lie between 1e-30 and 1e+30 but is " +
      "2e-200; multiply all weights or counts by one factor",
  });
  await assert.rejects(tablesOf(weighted("1e154", "1")), /positives, as a count/);
  const { tables } = await tablesOf(weighted("1e-29", "1e29"));
  assert.equal(tables.get("s")!.positives, 1e-29);
});

test("labels by convention and by name", () => {
  const rows = (found: Classes, positive: string | null = null): number[] =>
    Array.from(positiveRows(found, positive).rows);
  assert.deepEqual(rows(labels("1", "0", "1")), [1, 0, 1]);
  assert.deepEqual(rows(labels("1.0", "-1")), [1, 0]);
  assert.deepEqual(rows(labels("TRUE", "false")), [1, 0]);
  assert.deepEqual(rows(labels(true, false)), [1, 0]);
  assert.deepEqual(rows(labels(1n, 0n)), [1, 0]);
  assert.deepEqual(rows(labels("spam", "ham"), "ham"), [0, 1]);
  assert.deepEqual(rows(labels(2, 3), "3"), [0, 1]);
  assert.equal(positiveRows(labels("yes", "no"), null).word, "yes");
  const refused = (found: Classes, positive: string | null = null): string => {
    const { problem } = positiveRows(found, positive);
    return problem instanceof Problem
      ? problem.asError(null, "line").message
      : problem!.inTheCommand;
  };
  assert.equal(
    refused(labels("a", "b")),
    "y has the labels 'a' and 'b'; say which one is positive with --pos-label",
  );
  assert.equal(
    refused(labels("a", "b"), "c"),
    "pos_label 'c' is not among the labels of y, 'a' and 'b'",
  );
  assert.equal(
    refused(labels("1", "0", "2", "2")),
    "y has labels besides 1 and 0, such as 2, where two classes are needed: 2 in all, " +
      "the first at position 2",
  );
  assert.match(wrong(labels("1", ""))[0]!, /missing values/);
});

test("values are shown as Python shows them", () => {
  assert.equal(shown("it's"), '"it\'s"');
  assert.equal(shown("both ' and \""), "'both \\' and \"'");
  assert.equal(shown("a\nb\\"), "'a\\nb\\\\'");
  assert.equal(shown(true), "True");
  assert.equal(shown(null), "None");
});

const peek = (name: string, kind: Peek["kind"], ...values: Peek["values"]): Peek => ({
  name,
  kind,
  values,
});

test("layouts are guessed by names and values", () => {
  const guessed = (...columns: Peek[]): string => describe(guess(columns));
  assert.equal(
    guessed(
      peek("id", "integer", 1, 2),
      peek("y", "integer", 0, 1),
      peek("rf", "float", 0.2, 0.9),
      peek("logit", "float", 0.4, 0.8),
    ),
    "label: y (guessed); models: rf, logit (guessed: the remaining numeric columns); not used: id",
  );
  assert.equal(
    guessed(
      peek("Model", "string", "a", "b"),
      peek("outcome", "string", "no", "yes"),
      peek("score", "float", 0.2, 0.9),
      peek("W", "integer", 2, 1),
    ),
    "label: outcome (guessed); model: Model (guessed); score: score (guessed); weight: W (guessed)",
  );
  assert.equal(
    guess([peek("flag", "boolean", "true", "false"), peek("p", "float", 0.1)]).label,
    "flag",
  );
  const refused = (...columns: Peek[]): string => {
    try {
      return guessed(...columns);
    } catch (error) {
      return (error as InputError).inTheCommand;
    }
  };
  assert.equal(
    refused(peek("x", "float", 0.2), peek("z", "float", 0.3)),
    "no column looks like the label among 'x' and 'z'; say which it is with --label",
  );
  assert.equal(
    refused(peek("y", "integer", 0, 1)),
    "no column looks like scores among no columns; say which they are with --scores",
  );
  assert.match(
    refused(peek("y", "integer", 0, 1), peek("target", "integer", 0, 1)),
    /^label could be the column 'y' or 'target'; say which with --label$/,
  );
});

test("numbers as a reader wants them", () => {
  assert.equal(short(0.71288855), "0.7129");
  assert.equal(short(-0.00001), "−1.00e-5");
  assert.equal(short(123456.7), "123,457");
  assert.equal(short(Infinity), "∞");
  assert.equal(counted(1234567), "1,234,567");
  assert.equal(percent(0.7123), "71%");
  assert.equal(percent(0.9512), "95.1%");
  assert.equal(percent(1), "100%");
  assert.equal(percent(0.99999), ">99.9%");
  assert.equal(percent(1e-6), "<0.1%");
  assert.equal(percent(0), "0%");
  assert.equal(percent(NaN), "–");
  assert.equal(percents([0.61, 0.71], " to "), "61% to 71%");
  assert.equal(percents([0.5381, 0.5412], " to "), "53.8 to 54.1%");
  assert.equal(decimals(-0.5), "−0.500");
  assert.equal(bracketed([0.61234, 0.61236]), "0.612");
  assert.equal(bracketed([0.61, 0.62]), "0.610–0.620");
  assert.equal(exact(0.1), "0.1");
  assert.equal(exact(-Infinity), "-inf");
  assert.equal(exact(NaN), "nan");
});
