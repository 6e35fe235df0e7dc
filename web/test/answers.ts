/**
 * The page's answers to questions in a file, as JSON: `node answers.mjs QUESTIONS`.
 *
 * `tests/report/test_same_numbers.py` draws the questions and knows the right answers.
 */

import { readFileSync } from "node:fs";

import { Fraction, ONE } from "../src/arithmetic";
import { count, histogramOf, rowsToExplore } from "../src/count";
import { areaBetween, AREAS, areasOf, AUPR, AUPRG, BOUNDED } from "../src/measures";
import { dataOf, modelsOf, VERSION, type ModelData } from "../src/model";
import { bestForCosts, bestForF, optimaOf } from "../src/objective";
import {
  binsOfEqualSize,
  binsOfEqualWidth,
  binsOfOtherClass,
  calibrationError,
  hasProbabilities,
  netBenefit,
  netBenefitOfAll,
  probabilityRules,
  traceGains,
  traceLift,
  traceNetBenefit,
} from "../src/ranking";
import * as pr from "../src/spaces/pr";
import * as prg from "../src/spaces/prg";
import * as roc from "../src/spaces/roc";
import {
  atPrevalence,
  completed,
  ofOtherClass,
  pathOf,
  take,
  vertices,
  type Table,
} from "../src/table";
import {
  INDEX_NAMES,
  INDICES,
  tradeoffOf,
  valueAt,
  winnersAt,
  winnersOf,
  type Tradeoff,
} from "../src/tradeoff";

/** A number that JSON can hold: text where it has none. */
type Plain = number | string;

interface Question {
  readonly model?: ModelData;
  readonly sample?: {
    readonly labels: number[];
    readonly scores: Plain[];
    readonly weights: number[] | null;
    readonly whole: boolean;
  };
  readonly prevalence: number;
  readonly betas: Plain[];
  readonly costs: number[];
  readonly lambdas: number[];
}

const plain = (value: number): Plain => (Number.isFinite(value) ? value : String(value));
const number = (value: Plain): number => Number(value);
const all = (values: Iterable<number>): Plain[] => Array.from(values, plain);

function tableOf(question: Question): Table {
  if (question.model)
    return modelsOf({
      version: VERSION,
      title: "",
      description: "",
      models: [question.model],
    })[0]!.table;
  const { labels, scores, weights, whole } = question.sample!;
  return count({
    labels: Uint8Array.from(labels),
    scores: Float64Array.from(scores, number),
    weights: weights && Float64Array.from(weights),
    whole,
  });
}

function coordinates(table: Table): Record<string, Plain[]> {
  const rows = Array.from(table.tp.keys());
  return {
    fpr: all(rows.map((row) => roc.x(table, row))),
    recall: all(rows.map((row) => pr.x(table, row))),
    precision: all(rows.map((row) => pr.y(table, row))),
    recall_gain: all(rows.map((row) => prg.x(table, row))),
    precision_gain: all(rows.map((row) => prg.y(table, row))),
  };
}

function answer(question: Question): unknown {
  const table = tableOf(question);
  const complete = completed(table);
  const hullRows = vertices(complete.fp, complete.tp, complete.whole);
  const hull = take(complete, hullRows, "hull");
  const optima = optimaOf(hull);
  const moved = atPrevalence(table, question.prevalence);
  const other = ofOtherClass(table);
  const histogram = histogramOf(table);
  const kept = rowsToExplore(table);
  const path = pathOf(table);
  return {
    thresholds: all(table.thresholds),
    tp: all(table.tp),
    fp: all(table.fp),
    packed: dataOf("again", table),
    areas: Object.fromEntries(
      Object.entries(areasOf(table)).map(([name, [lo]]) => [name, plain(lo)]),
    ),
    limits: Object.fromEntries(BOUNDED.map((name) => [name, areaBetween(table, name).map(plain)])),
    hull: { tp: all(hull.tp), fp: all(hull.fp), thresholds: all(hull.thresholds) },
    optima: optima.map(({ lo, hi }) => [plain(lo), plain(hi)]),
    best: question.betas.map((beta) => {
      const row = bestForF(complete, hull, hullRows, optima, number(beta));
      return [plain(complete.thresholds[row]!), complete.tp[row]!, complete.fp[row]!];
    }),
    f: question.betas.map((beta) =>
      all(Array.from(table.tp.keys(), (row) => pr.f(table, row, number(beta)))),
    ),
    f_gain: question.betas.map((beta) =>
      all(Array.from(table.tp.keys(), (row) => prg.fGain(table, row, number(beta)))),
    ),
    cost: question.costs.map((cost) =>
      plain(
        complete.thresholds[
          bestForCosts(complete, hullRows, [ONE.minus(Fraction.of(cost)), Fraction.of(cost)])
        ]!,
      ),
    ),
    accuracy: question.costs.map((cost) =>
      all(Array.from(table.tp.keys(), (row) => roc.accuracy(table, row, cost))),
    ),
    here: coordinates(table),
    moved: coordinates(moved),
    moved_areas: path && {
      [AUPR]: plain(AREAS[AUPR](moved, pathOf(moved)!)),
      [AUPRG]: plain(AREAS[AUPRG](moved, pathOf(moved)!)),
    },
    other: {
      tp: all(other.tp),
      fp: all(other.fp),
      areas: Object.fromEntries(
        Object.entries(areasOf(other)).map(([name, [lo]]) => [name, plain(lo)]),
      ),
    },
    histogram: histogram && {
      lo: histogram.lo,
      hi: histogram.hi,
      positives: all(histogram.positives),
      negatives: all(histogram.negatives),
      below: histogram.below,
      above: histogram.above,
    },
    kept: table.tp.length === kept.length ? "all" : Array.from(kept),
    tradeoff: Object.fromEntries(
      INDEX_NAMES.map((name) => {
        const curve = tradeoffOf(completed(table), INDICES[name]);
        return [name, question.lambdas.map((lam) => plain(valueAt(curve, lam)))];
      }),
    ),
  };
}

function compared(tables: readonly Table[], lambdas: readonly number[]): unknown {
  return Object.fromEntries(
    INDEX_NAMES.map((name) => {
      const curves = new Map<string, Tradeoff>();
      tables.forEach((table, place) =>
        curves.set(`m${place}`, tradeoffOf(completed(table), INDICES[name])),
      );
      const ranges = winnersOf(curves);
      return [
        name,
        {
          ends: ranges.map(({ lo }) => lo),
          names: ranges.map(({ names }) => names),
          at: lambdas.map((lam) => winnersAt(ranges, lam)),
        },
      ];
    }),
  );
}

/** What the panels of gains, lift, net benefit and reliability draw. */
function ranked({ model, probabilities }: { model: ModelData; probabilities: number[] }): unknown {
  const given = { version: VERSION, title: "", description: "", models: [model] };
  const one = modelsOf(given)[0]!;
  const { table } = one;
  const path = pathOf(table)!;
  const lines = (line: readonly (readonly [number, number])[]): Plain[][] => line.map(all);
  const benefit = (of: Table, otherClass: boolean, p: number): Plain => {
    const rules = probabilityRules(of, otherClass).reverse();
    // From 0 on everything is flagged, by the last rule.
    const { row } = rules.find(({ lo, hi }) => (p > lo || p === 0) && p <= hi)!;
    return plain(netBenefit(of, row, p));
  };
  const other = ofOtherClass(table);
  return {
    probabilities: hasProbabilities(one),
    gains: lines(traceGains(table, path)),
    lift: lines(traceLift(table, path, 400)),
    benefit: hasProbabilities(one) && {
      here: probabilities.map((p) => benefit(table, false, p)),
      other: probabilities.map((p) => benefit(other, true, p)),
      all: probabilities.map((p) => plain(netBenefitOfAll(table, p))),
      line: lines(traceNetBenefit(table, false, 400)),
    },
    bins: binsOfEqualSize(table),
    other_bins: binsOfOtherClass(binsOfEqualSize(table)),
    wide_bins: one.histogram && binsOfEqualWidth(one, 1),
    error: plain(calibrationError(binsOfEqualSize(table))),
  };
}

const questions = JSON.parse(readFileSync(process.argv[2]!, "utf-8")) as {
  tables: Question[];
  rankings?: Parameters<typeof ranked>[0][];
  pairs: { members: number[]; prevalence: number | null; lambdas: number[] }[];
};
const tables = questions.tables.map(tableOf);
process.stdout.write(
  JSON.stringify({
    tables: questions.tables.map(answer),
    rankings: (questions.rankings ?? []).map(ranked),
    pairs: questions.pairs.map(({ members, prevalence, lambdas }) =>
      compared(
        members
          .map((member) => tables[member]!)
          .map((table) => (prevalence === null ? table : atPrevalence(table, prevalence))),
        lambdas,
      ),
    ),
  }),
);
