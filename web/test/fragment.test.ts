import assert from "node:assert/strict";
import { test } from "node:test";

import { entries, FIELDS, fromText, isKept, parseNumber, toText } from "../src/fragment";
import { dataOf, modelsOf, VERSION } from "../src/model";
import { INITIAL, type Settings } from "../src/state";
import type { Table } from "../src/table";

const NAMES = ["forest", "a,b&c=d@e", "näme 😀", "__proto__", "\ud800", "x".repeat(300)];

function tableOf(thresholds: number[], labels: string[] | null = null): Table {
  const rows = thresholds.length;
  return {
    kind: labels ? "sets" : "scores",
    thresholds: Float64Array.from(thresholds),
    below: null,
    tp: Float64Array.from(thresholds, (_, row) => row),
    fp: Float64Array.from(thresholds, (_, row) => row),
    positives: rows - 1,
    negatives: rows - 1,
    whole: true,
    labels,
  };
}

const MODELS = modelsOf({
  version: VERSION,
  title: "",
  description: "",
  models: [
    ...NAMES.map((name) => dataOf(name, tableOf([Infinity, Infinity, 0.3, 1e-300, -2]))),
    dataOf("sets", tableOf([NaN, NaN, NaN], ["a", "b", "c"])),
  ],
});

/** Settings that differ from the initial ones in every field that is kept. */
const OTHER: Settings = {
  ...INITIAL,
  theme: "dark",
  beta: 0.1 + 0.2,
  index: "jaccard",
  goal: "money",
  missCost: 50,
  falseAlarmCost: 0.1,
  minPrecision: 1 / 3,
  minRecall: 0.25,
  maxFpr: 0.125,
  minSpecificity: 0.875,
  budget: 40,
  budgetItems: 1e6,
  prevalence: 1e-9,
  otherClass: true,
  hidden: new Set([1, 4]),
  forward: new Set([3, 0]),
  panels: new Set(["pr", "lift"]),
  closeUps: new Set(["prg"]),
  curve: false,
  hull: false,
  interpolation: "linear",
  isolines: false,
  baselines: false,
  unachievable: false,
  bands: false,
  chosen: { model: 2, row: 2 },
  preferred: 2,
  typed: -1.5e-7,
  zooms: new Map([
    ["ROC", { scale: 4, left: -0.25, top: 1 }],
    ["tradeoff space", { scale: 1.6, left: 0, top: 0.5 }],
  ]),
  sorting: { column: "a,falling", falling: false },
  groupOrder: "name",
  groupSearch: "  Nörd&=#",
};

const read = (text: string): Settings => fromText(text, INITIAL, MODELS);

test("every field of the settings has an entry, with a key of its own", () => {
  assert.deepEqual(Object.keys(FIELDS).sort(), Object.keys(INITIAL).sort());
  const keys = Object.values(FIELDS).flatMap((field) => (field ? [field.key] : []));
  assert.equal(new Set(keys).size, keys.length);
  assert.deepEqual(
    (Object.keys(FIELDS) as (keyof Settings)[]).filter((name) => !isKept(name)),
    ["hovered"],
  );
});

test("every field that is kept comes back, alone and with all others", () => {
  for (const name of Object.keys(INITIAL) as (keyof Settings)[]) {
    if (!isKept(name)) continue;
    const differs = entries(OTHER, INITIAL, MODELS).some(([key]) => key === FIELDS[name]!.key);
    assert.ok(differs, `give ${name} another value in this test`);
    const one = { ...INITIAL, [name]: OTHER[name] };
    assert.deepEqual(read(toText(one, INITIAL, MODELS)), one, name);
  }
  assert.deepEqual(read(toText(OTHER, INITIAL, MODELS)), OTHER);
});

test("a report that was saved with settings can be reset, and that is kept too", () => {
  assert.equal(toText(OTHER, OTHER, MODELS), "");
  const text = toText(INITIAL, OTHER, MODELS);
  assert.deepEqual(fromText(text, OTHER, MODELS), INITIAL);
});

test("the text can be read by people", () => {
  const settings = { ...INITIAL, beta: 2, prevalence: 0.01, chosen: { model: 0, row: 2 } };
  assert.equal(toText(settings, INITIAL, MODELS), "beta=2&prevalence=0.01&point=forest@0.3");
});

test("points are found by their thresholds, and by rows where these do not tell", () => {
  for (const otherClass of [false, true])
    for (const model of MODELS.keys())
      for (let row = 0; row < MODELS[model]!.table.tp.length; row++) {
        const settings = { ...INITIAL, otherClass, chosen: { model, row } };
        assert.deepEqual(read(toText(settings, INITIAL, MODELS)), settings);
      }
});

test("what is stale or hostile is ignored field by field", () => {
  for (const text of [
    "",
    "beta=",
    "beta=x&cost=2&cost=-1",
    "beta=-1",
    "beta=1e10",
    "beta=0x10",
    "beta=NaN",
    "index=constructor",
    "interpolation=__proto__",
    "prevalence=0",
    "prevalence=1",
    "hide=nobody",
    "model=nobody",
    "point=forest@0.4",
    "point=forest@nan",
    "point=forest@row5",
    "point=forest@row-1",
    "point=forest",
    "point=@",
    "curves=perhaps",
    "threshold=abc",
    "zoom=ROC",
    "zoom=ROC:1,2",
    "zoom=ROC:1e9,0,0",
    "zoom=ROC:0,0,0",
    "zoom=ROC:2,1e99,0",
    "sort=AUROC",
    "__proto__=1&constructor=2&hasOwnProperty=3",
    "%E0%A4%A",
    "&&&===",
    "<script>alert(1)</script>",
    "x".repeat(100_000),
  ])
    assert.deepEqual(read(text), INITIAL, text.slice(0, 60));
  const some = read("beta=2&cost=7&hide=nobody&hide=forest&curves=no&point=gone@1");
  assert.deepEqual(some, { ...INITIAL, beta: 2, hidden: new Set([0]), curve: false });
});

test("numbers are numbers, and nothing else is", () => {
  for (const [text, value] of [
    ["0.5", 0.5],
    [" 1e-12 ", 1e-12],
    ["−3", -3],
    [".5", 0.5],
    ["-inf", -Infinity],
    ["∞", Infinity],
  ] as const)
    assert.equal(parseNumber(text), value);
  for (const text of ["", "-", "1_0", "0x1", "1,5", "1e", "nan", "1 2", "one"])
    assert.equal(parseNumber(text), undefined, text);
});
