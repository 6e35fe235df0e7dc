/** The precision-recall-gain panel: parallel lines of equal F gain. */

import type { Glossary } from "../glossary";
import { fName } from "../format";
import { fGainIsoline, fIsoline } from "../isolines";
import { weights } from "../spaces/pr";
import * as prg from "../spaces/prg";
import type { Cursor, Store } from "../state";
import { prevalence } from "../table";
import { tracePrg } from "../trace";
import { prgReads } from "../sentences";
import type { ModelView, View } from "../view";
import { Panel, type Layer, type Window } from "./frame";

const LEVELS = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9];

export class PrgPanel extends Panel {
  constructor(
    store: Store,
    glossary: Glossary,
    report: string,
    private readonly areaOf: (one: ModelView) => string,
  ) {
    super(
      {
        name: "prg",
        title: "Precision–recall gain",
        term: "PRG",
        x: "recall gain",
        y: "precision gain",
        shows:
          "Precision and recall on the scale where calling everything positive is 0 and perfect is 1; lines of equal F are straight.",
      },
      store,
      glossary,
      report,
    );
  }

  /** The gains of recalls from 10 to 90 % of the leading model, if they lie close to the corner. */
  protected override closeUp(view: View): Window | null {
    const leader = view.models[view.leader];
    if (!leader) return null;
    const extent = this.extent(leader);
    const [left, low] = [extent.x[0], Math.max(extent.y[0], 0)];
    if (!(left >= 0.75 && left < 1 && low < 1)) return null;
    const pad = [0.05 * (1 - left), 0.05 * (1 - low)] as const;
    return { x: [left - pad[0], 1 + pad[0]], y: [low - pad[1], 1 + pad[1]] };
  }

  protected place(one: ModelView, row: number): readonly [number, number] {
    return [prg.x(one.table, row), prg.y(one.table, row)];
  }

  protected drawBack(layer: Layer, view: View): void {
    const share = view.shown[0] && prevalence(view.shown[0].table);
    if (share === undefined) return;
    const { isolines, baselines, beta } = view.settings;
    if (isolines)
      for (const level of LEVELS)
        if (this.isCloseUp(view))
          // Near the corner all gains are close to 1, and scores tell more.
          this.drawIsoline(layer, fIsoline(level, "prg", share, beta), fName(beta), level);
        else
          this.drawIsoline(
            layer,
            fGainIsoline(level, "prg", share, beta),
            `${fName(beta)} gain`,
            level,
          );
    // Calling everything positive has recall gain 1 and precision gain 0, so F gain λ.
    if (baselines) this.drawBaseline(layer, fGainIsoline(weights(beta)[0], "prg", share, beta));
  }

  protected drawModel(lines: Layer, bands: Layer, one: ModelView, view: View): void {
    this.drawBand(bands, one, "prg", view);
    const curve = one.path && tracePrg(one.table, one.path);
    this.drawLines(lines, one, view, curve, tracePrg(one.hull, one.hullPath));
  }

  protected reads(view: View, cursor: Cursor): string {
    return prgReads(view, cursor, this.areaOf(view.models[cursor.model]!));
  }
}
