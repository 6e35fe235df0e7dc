/** The panels of ROC, precision-recall and precision-recall-gain space. */

import { s } from "../dom";
import { bracketed, decimals, fName, percent } from "../format";
import {
  accuracyIsoline,
  fGainIsoline,
  fIsoline,
  tracePr,
  tracePrg,
  traceRoc,
  type Line,
} from "../lines";
import { AUPR, AUPRG, AUROC, type Bracket } from "../measures";
import type { SpaceName } from "../model";
import { ruleOf } from "../sentences";
import * as pr from "../spaces/pr";
import * as prg from "../spaces/prg";
import * as roc from "../spaces/roc";
import { costOf, type Cursor } from "../state";
import { odds, prevalence, type Path, type Table } from "../table";
import type { ModelView, View } from "../view";
import { Panel, type Window } from "./frame";
import { across, sampled, type Layer } from "./plane";

const LEVELS = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9];
const SPACES = { roc, pr, prg };

abstract class SpacePanel extends Panel {
  protected abstract readonly space: SpaceName;

  /** The way of a table through this space; hulls are joined as coin tosses do. */
  protected abstract trace(table: Table, path: Path, view: View, isHull: boolean): Line;

  protected place({ table }: ModelView, row: number): readonly [number, number] {
    const { x, y } = SPACES[this.space];
    return [x(table, row), y(table, row)];
  }

  protected drawModel(lines: Layer, bands: Layer, one: ModelView, view: View): void {
    this.drawBand(bands, one, this.space, view);
    const curve = one.path && this.trace(one.table, one.path, view, false);
    this.drawLines(lines, one, view, curve, this.trace(one.hull, one.hullPath, view, true));
  }

  protected areaSaid(name: string, bracket: Bracket, how = ""): string {
    const area = bracketed(bracket);
    if (area === "–") return "Points that are not nested have no curve, and so no area.";
    return `Its ${name} is ${area}${how}.`;
  }
}

export class RocPanel extends SpacePanel {
  protected readonly space = "roc";

  /** To a recall of 90 %, or to 20 false alarms for each positive, if most of the plane is beyond. */
  protected override closeUp(view: View): Window | null {
    const leader = view.models[view.leader];
    if (!leader) return null;
    const last = Math.min(this.extent(leader).x[1], 20 * odds(leader.table));
    return last > 0 && last < 0.25 ? { x: [0, 1.1 * last], y: [0, 1] } : null;
  }

  protected drawBack(layer: Layer, { settings, shown: [first] }: View): void {
    const cost = costOf(settings);
    const name = cost === 0.5 ? "accuracy" : "accuracy at this cost";
    if (settings.isolines && first)
      for (const level of LEVELS) {
        const line = accuracyIsoline(level, "roc", prevalence(first.table), cost);
        this.drawIsoline(layer, line, name, level);
      }
    if (settings.baselines) this.drawBaseline(layer, across(0, 1));
  }

  protected trace(table: Table, path: Path): Line {
    return traceRoc(table, path);
  }

  protected reads(view: View, { model, row }: Cursor): string {
    const one = view.models[model]!;
    const area = this.shared.views.area(one, AUROC, view.settings);
    return (
      `${ruleOf(view, model, row)} finds ${percent(roc.y(one.table, row))} of the positives and ` +
      `${percent(roc.x(one.table, row))} of the negatives. ${this.areaSaid(AUROC, area)}`
    );
  }
}

export class PrPanel extends SpacePanel {
  protected readonly space = "pr";

  protected drawBack(layer: Layer, { settings, shown: [first] }: View): void {
    if (!first) return;
    const [share, { beta }] = [prevalence(first.table), settings];
    if (settings.unachievable) this.drawUnachievable(layer, share);
    if (settings.isolines)
      for (const level of LEVELS)
        this.drawIsoline(layer, fIsoline(level, "pr", share, beta), fName(beta), level);
    if (!settings.baselines) return;
    // The F of the rule that calls everything positive, which needs no model.
    const [recall, precision] = pr.weights(beta);
    this.drawBaseline(layer, fIsoline(1 / (precision / share + recall), "pr", share, beta));
    const corner = { cx: this.x(1), cy: this.y(share), r: 3.5 };
    layer.append(s("circle.baseline-point", { ...corner }));
  }

  /** Precision of the worst ranking, π·r/(1 - π + π·r) (Boyd et al. 2012). */
  private drawUnachievable(layer: Layer, share: number): void {
    const edge = sampled(100, (recall) => (share * recall) / (1 - share + share * recall));
    const d = `${this.pathOf([...edge, [1, 0]])}Z`;
    layer.append(s("path.unachievable", { d }));
  }

  protected trace(table: Table, path: Path, { settings }: View, isHull: boolean): Line {
    const interpolation = isHull ? "davis-goadrich" : settings.interpolation;
    return tracePr(table, path, interpolation, this.width, this.height);
  }

  protected reads(view: View, { model, row }: Cursor): string {
    const one = view.models[model]!;
    const area = this.shared.views.prArea(one, view.settings);
    return (
      `${ruleOf(view, model, row)}: ${percent(pr.y(one.table, row))} precision at ` +
      `${percent(pr.x(one.table, row))} recall. ` +
      this.areaSaid(AUPR, area, ` (${view.settings.interpolation})`)
    );
  }
}

export class PrgPanel extends SpacePanel {
  protected readonly space = "prg";

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

  protected drawBack(layer: Layer, view: View): void {
    const first = view.shown[0];
    if (!first) return;
    const share = prevalence(first.table);
    const { isolines, baselines, beta } = view.settings;
    // Near the corner all gains are close to 1, and scores tell more.
    const isScore = this.isCloseUp(view);
    const [isoline, name] = isScore
      ? [fIsoline, fName(beta)]
      : [fGainIsoline, `${fName(beta)} gain`];
    if (isolines)
      for (const level of LEVELS)
        this.drawIsoline(layer, isoline(level, "prg", share, beta), name, level);
    // Calling everything positive has recall gain 1 and precision gain 0, so F gain λ.
    if (baselines) this.drawBaseline(layer, fGainIsoline(pr.weights(beta)[0], "prg", share, beta));
  }

  protected trace(table: Table, path: Path): Line {
    return tracePrg(table, path);
  }

  protected reads(view: View, { model, row }: Cursor): string {
    const one = view.models[model]!;
    const area = this.shared.views.area(one, AUPRG, view.settings);
    const [x, y] = this.place(one, row);
    const where =
      x < 0 || y < 0 || Number.isNaN(y)
        ? "lies outside the square, below the baseline in one of the two"
        : `has precision gain ${decimals(y)} at recall gain ${decimals(x)}`;
    return `${ruleOf(view, model, row)} ${where}. ${this.areaSaid(AUPRG, area)}`;
  }
}
