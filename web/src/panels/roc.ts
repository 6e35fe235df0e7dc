/** The ROC panel: lines of equal accuracy, the diagonal of guessing. */

import type { Glossary } from "../glossary";
import { accuracyIsoline } from "../isolines";
import * as roc from "../spaces/roc";
import { costOf, type Cursor, type Store } from "../state";
import { odds, prevalence } from "../table";
import { traceRoc } from "../trace";
import { rocReads } from "../sentences";
import type { ModelView, View } from "../view";
import { Panel, type Layer, type Window } from "./frame";

const LEVELS = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9];

export class RocPanel extends Panel {
  constructor(
    store: Store,
    glossary: Glossary,
    report: string,
    private readonly areaOf: (one: ModelView) => string,
  ) {
    super(
      {
        name: "roc",
        title: "ROC",
        term: "ROC",
        x: "false positive rate",
        y: "recall (true positive rate)",
        shows:
          "How many of the positives a cut finds (up), against how many of the negatives it takes with them (right).",
      },
      store,
      glossary,
      report,
    );
  }

  /** To a recall of 90 %, or to 20 false alarms for each positive, if most of the plane is beyond. */
  protected override closeUp(view: View): Window | null {
    const leader = view.models[view.leader];
    if (!leader) return null;
    const last = Math.min(this.extent(leader).x[1], 20 * odds(leader.table));
    return last > 0 && last < 0.25 ? { x: [0, 1.1 * last], y: [0, 1] } : null;
  }

  protected place(one: ModelView, row: number): readonly [number, number] {
    return [roc.x(one.table, row), roc.y(one.table, row)];
  }

  protected drawBack(layer: Layer, view: View): void {
    const share = view.shown[0] && prevalence(view.shown[0].table);
    if (view.settings.isolines && share !== undefined)
      for (const level of LEVELS)
        this.drawIsoline(
          layer,
          accuracyIsoline(level, "roc", share, costOf(view.settings)),
          costOf(view.settings) === 0.5 ? "accuracy" : "accuracy at this cost",
          level,
        );
    if (view.settings.baselines)
      this.drawBaseline(layer, [
        [0, 0],
        [1, 1],
      ]);
  }

  protected drawModel(lines: Layer, bands: Layer, one: ModelView, view: View): void {
    this.drawBand(bands, one, "roc", view);
    const curve = one.path && traceRoc(one.table, one.path);
    this.drawLines(lines, one, view, curve, traceRoc(one.hull, one.hullPath));
  }

  protected reads(view: View, cursor: Cursor): string {
    return rocReads(view, cursor, this.areaOf(view.models[cursor.model]!));
  }
}
