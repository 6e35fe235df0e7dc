/** The panels, and the boxes that choose which are shown. */

import { freshId, h } from "../dom";
import { bracketed } from "../format";
import type { Glossary } from "../glossary";
import { AUPRG, AUROC } from "../measures";
import type { PanelName, Store } from "../state";
import type { View, Views } from "../view";
import type { Panel } from "./frame";
import { GainsPanel, LiftPanel } from "./gains";
import { HistogramPanel } from "./histogram";
import { NetBenefitPanel, ReliabilityPanel } from "./probabilities";
import { PromisedPanel } from "./promised";
import { PrgPanel, PrPanel, RocPanel } from "./spaces";
import { TradeoffPanel } from "./tradeoff";

const LABELS: Record<PanelName, string> = {
  roc: "ROC",
  pr: "precision–recall",
  prg: "precision–recall gain",
  tradeoff: "tradeoff",
  promised: "promised and achieved",
  reliability: "reliability",
  gains: "cumulative gains",
  lift: "lift",
  "net-benefit": "net benefit",
  scores: "score histogram",
};

export class Board {
  readonly element = h("div", { class: "panels" });
  readonly chooser: HTMLElement;
  readonly histogram: HistogramPanel;
  private readonly boxes = new Map<PanelName, HTMLInputElement>();
  private readonly made = new Map<PanelName, Panel>();
  private readonly makers: Record<Exclude<PanelName, "scores">, () => Panel>;
  private shown = "";

  constructor(
    private readonly store: Store,
    views: Views,
    glossary: Glossary,
    title: string,
    /** Whether there is tuning data, without which nothing was promised. */
    private readonly isTuned: boolean,
  ) {
    this.makers = {
      roc: () =>
        new RocPanel(store, glossary, title, (one) =>
          bracketed(views.area(one, AUROC, store.settings)),
        ),
      pr: () =>
        new PrPanel(store, glossary, title, (one) => bracketed(views.prArea(one, store.settings))),
      prg: () =>
        new PrgPanel(store, glossary, title, (one) =>
          bracketed(views.area(one, AUPRG, store.settings)),
        ),
      tradeoff: () => new TradeoffPanel(store, glossary, title),
      promised: () => new PromisedPanel(store, glossary, title),
      reliability: () => new ReliabilityPanel(store, glossary, title),
      gains: () => new GainsPanel(store, glossary, title),
      lift: () => new LiftPanel(store, glossary, title),
      "net-benefit": () => new NetBenefitPanel(store, glossary, title),
    };
    this.histogram = new HistogramPanel(store, glossary, title);
    this.chooser = this.choices();
  }

  private choices(): HTMLElement {
    const id = freshId("panels");
    const group = h("div", { class: "toggles chooser", role: "group", "aria-labelledby": id });
    group.append(h("span", { class: "name", id }, "Panels"));
    for (const [name, label] of Object.entries(LABELS) as [PanelName, string][]) {
      if (!this.isOffered(name)) continue;
      const box = h("input", { type: "checkbox" });
      box.addEventListener("change", () => {
        const panels = new Set(this.store.settings.panels);
        if (box.checked) panels.add(name);
        else panels.delete(name);
        this.store.set({ panels, hovered: null });
      });
      this.boxes.set(name, box);
      group.append(h("label", { class: "toggle" }, box, label));
    }
    return group;
  }

  private isOffered(name: PanelName): boolean {
    return name !== "promised" || this.isTuned;
  }

  draw(view: View, what: "cursor" | "all"): void {
    if (what === "all") this.arrange(view);
    // Panels that are not shown draw nothing.
    for (const name of view.settings.panels)
      if (name !== "scores" && this.isOffered(name)) {
        const panel = this.made.get(name)!;
        if (what === "all") panel.draw(view);
        else panel.drawCursor(view);
      }
    this.histogram.draw(view);
  }

  private arrange(view: View): void {
    const { panels } = view.settings;
    for (const [name, box] of this.boxes) box.checked = panels.has(name);
    const shown = [...panels].sort().join();
    if (shown === this.shown) return;
    this.shown = shown;
    const names = (Object.keys(this.makers) as (keyof typeof this.makers)[]).filter(
      (name) => panels.has(name) && this.isOffered(name),
    );
    for (const name of names) if (!this.made.has(name)) this.made.set(name, this.makers[name]());
    this.element.replaceChildren(...names.map((name) => this.made.get(name)!.element));
  }
}
