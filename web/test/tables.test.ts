import assert from "node:assert/strict";
import { test } from "node:test";

import { cell } from "../src/saving";

test("names that a spreadsheet would take for formulas get an apostrophe", () => {
  for (const name of ["=1+1", "+cmd", "-x", "@sum", "\tx"]) assert.equal(cell(name), `'${name}`);
  assert.equal(cell("=a,b"), `"'=a,b"`);
});

test("numbers and other names stay as they are", () => {
  for (const name of ["-1", "+1.5e3", "a=b", ""]) assert.equal(cell(name), name);
  assert.equal(cell(-0.5), "-0.5");
});
