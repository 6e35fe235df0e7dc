/**
 * The rules that the page copies, of every row of a report: `node rules.mjs REPORT SETTINGS`.
 *
 * `tests/report/test_rules.py` draws the reports, and reads and runs what is copied.
 */

import { readFileSync } from "node:fs";

import { isRule, ruleFile, rulePython, ruleSql, type Source } from "../src/commands";
import { modelsOf, USUAL, type ReportData } from "../src/model";
import { INITIAL, type Settings } from "../src/state";
import { Views } from "../src/view";

const read = <Content>(path: string): Content => JSON.parse(readFileSync(path, "utf-8")) as Content;
const data = read<ReportData>(process.argv[2]!);
const { source, ...settings } = read<Partial<Settings> & { source: Source | null }>(
  process.argv[3]!,
);
const view = new Views(modelsOf(data), USUAL).of({ ...INITIAL, ...settings });
process.stdout.write(
  JSON.stringify(
    view.models.map((one) =>
      Array.from(one.table.tp, (_, row) => ({
        best: row === view.best.get(one.place),
        rule: isRule(one, row, view),
        json: ruleFile(one, row, view, source),
        sql: ruleSql(one, row, source),
        python: rulePython(one, row, source),
      })),
    ),
  ),
);
