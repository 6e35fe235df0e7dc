/** The precision-recall panel: lines of equal F, what needs no model, what nobody can reach. */

import type { Glossary } from "../glossary";
import { fName } from "../format";
import { fIsoline } from "../isolines";
import * as pr from "../spaces/pr";
import type { Cursor, Store } from "../state";
import { prevalence } from "../table";
import { tracePr } from "../trace";
import { prReads } from "../sentences";
import type { ModelView, View } from "../view";
import { Panel, type Layer } from "./frame";

const LEVELS = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9];

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
