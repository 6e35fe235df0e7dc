/** The panels of ROC, precision-recall and precision-recall-gain space. */

import { fName } from "../format";
import type { Glossary } from "../glossary";
import { accuracyIsoline, fGainIsoline, fIsoline, tracePr, tracePrg, traceRoc } from "../lines";
import { prgReads, prReads, rocReads } from "../sentences";
import * as pr from "../spaces/pr";
import { weights } from "../spaces/pr";
import * as prg from "../spaces/prg";
import * as roc from "../spaces/roc";
import { costOf, type Cursor, type Store } from "../state";
import { odds, prevalence } from "../table";
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

export class PrPanel extends Panel {
  constructor(
    store: Store,
    glossary: Glossary,
    report: string,
    private readonly areaOf: (one: ModelView) => string,
  ) {
    super(
      {
        name: "pr",
        title: "Precision–recall",
        term: "PR",
        x: "recall",
        y: "precision",
        shows:
          "How many of the items a cut calls positive are right (up), against how many of the positives it finds (right).",
      },
      store,
      glossary,
      report,
    );
  }

  protected place(one: ModelView, row: number): readonly [number, number] {
    return [pr.x(one.table, row), pr.y(one.table, row)];
  }

  protected drawBack(layer: Layer, view: View): void {
    const share = view.shown[0] && prevalence(view.shown[0].table);
    if (share === undefined) return;
    const { settings } = view;
    if (settings.unachievable) this.drawUnachievable(layer, share);
    if (settings.isolines)
      for (const level of LEVELS)
        this.drawIsoline(
          layer,
          fIsoline(level, "pr", share, settings.beta),
          fName(settings.beta),
          level,
        );
    if (!settings.baselines) return;
    // The F of the rule that calls everything positive, which needs no model.
    const [recall, precision] = pr.weights(settings.beta);
    this.drawBaseline(
      layer,
      fIsoline(1 / (precision / share + recall), "pr", share, settings.beta),
    );
    layer
      .append("circle")
      .attr("class", "baseline-point")
      .attr("cx", this.x(1))
      .attr("cy", this.y(share))
      .attr("r", 3.5);
  }

  /** Precision of the worst ranking, π·r/(1 - π + π·r) (Boyd et al. 2012). */
  private drawUnachievable(layer: Layer, share: number): void {
    const edge = Array.from({ length: 101 }, (_, step) => {
      const recall = step / 100;
      return [recall, (share * recall) / (1 - share + share * recall)] as const;
    });
    layer
      .append("path")
      .attr("class", "unachievable")
      .attr("d", `${this.pathOf([...edge, [1, 0]])}Z`);
  }

  protected drawModel(lines: Layer, bands: Layer, one: ModelView, view: View): void {
    this.drawBand(bands, one, "pr", view);
    const { interpolation } = view.settings;
    const pixels = [this.width, this.height] as const;
    const curve = one.path && tracePr(one.table, one.path, interpolation, ...pixels);
    const hull = tracePr(one.hull, one.hullPath, "davis-goadrich", ...pixels);
    this.drawLines(lines, one, view, curve, hull);
  }

  protected reads(view: View, cursor: Cursor): string {
    return prReads(view, cursor, this.areaOf(view.models[cursor.model]!));
  }
}

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
