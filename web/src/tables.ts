/** Points and thresholds as CSV, with all their digits. */

import { exact } from "./format";
import * as pr from "./spaces/pr";
import * as prg from "./spaces/prg";
import * as roc from "./spaces/roc";
import { thresholdRows } from "./thresholds";
import type { View } from "./view";

/** A value as CSV has it. */
export function cell(value: string | number): string {
  if (typeof value === "number") return exact(value);
  // A spreadsheet would take it for a formula.
  if (/^[=+\-@\t\r]/.test(value) && Number.isNaN(Number(value))) value = `'${value}`;
  return /[",\r\n]/.test(value) ? `"${value.replace(/"/g, '""')}"` : value;
}

function csv(rows: readonly (readonly (string | number)[])[]): string {
  return rows.map((row) => `${row.map(cell).join(",")}\r\n`).join("");
}

/** All rows of the models shown, under the settings. */
export function pointsCsv(view: View): string {
  const head =
    "model,threshold,tp,fp,fn,tn,false_positive_rate,precision,recall,precision_gain,recall_gain,f,f_gain";
  const rows: (string | number)[][] = [head.split(",")];
  const { beta } = view.settings;
  for (const { model, table } of view.shown)
    for (let row = 0; row < table.tp.length; row++) {
      const [tp, fp] = [table.tp[row]!, table.fp[row]!];
      rows.push([
        model.name,
        table.labels?.[row] ?? table.thresholds[row]!,
        tp,
        fp,
        table.positives - tp,
        table.negatives - fp,
        roc.x(table, row),
        pr.y(table, row),
        pr.x(table, row),
        prg.y(table, row),
        prg.x(table, row),
        pr.f(table, row, beta),
        prg.fGain(table, row, beta),
      ]);
    }
  return csv(rows);
}

/** The best thresholds for every β of the models shown, as the table by β has them. */
export function thresholdsCsv(view: View): string {
  const rows: (string | number)[][] = [
    ["model", "beta_lo", "beta_hi", "threshold", "tp", "fp", "precision", "recall"],
  ];
  for (const one of view.shown)
    for (const { row, betaLo, betaHi } of thresholdRows(one, view.settings)) {
      const { table } = one;
      rows.push([
        one.model.name,
        betaLo,
        betaHi,
        table.labels?.[row] ?? table.thresholds[row]!,
        table.tp[row]!,
        table.fp[row]!,
        pr.y(table, row),
        pr.x(table, row),
      ]);
    }
  return csv(rows);
}
