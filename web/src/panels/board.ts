/** The panels, and the boxes that choose which are shown. */

import { h, toggles } from "../dom";
import { PANEL_NAMES, toggled, type PanelName } from "../state";
import type { View } from "../view";
import type { Panel, Shared } from "./frame";
import { HistogramPanel } from "./histogram";
import { GainsPanel, LiftPanel, NetBenefitPanel, ReliabilityPanel } from "./scores";
import { PrgPanel, PrPanel, RocPanel } from "./spaces";
import { TEXTS } from "./texts";
import { PromisedPanel, TradeoffPanel } from "./weights";

type Charted = keyof typeof TEXTS;

const PANELS: Record<Charted, new (name: Charted, shared: Shared) => Panel> = {
  roc: RocPanel,
  pr: PrPanel,
  prg: PrgPanel,
  tradeoff: TradeoffPanel,
  promised: PromisedPanel,
  reliability: ReliabilityPanel,
  gains: GainsPanel,
  lift: LiftPanel,
  "net-benefit": NetBenefitPanel,
};

export class Board {
  readonly element = h("div.panels");
  readonly chooser: HTMLElement;
  readonly histogram: HistogramPanel;
  private readonly boxes = new Map<PanelName, HTMLInputElement>();
  private readonly made = new Map<PanelName, Panel>();
  private shown = "";

  constructor(
    private readonly shared: Shared,
    /** Whether there is tuning data, without which nothing was promised. */
    private readonly isTuned: boolean,
  ) {
    this.histogram = new HistogramPanel(shared);
    this.chooser = this.choices();
  }

  private choices(): HTMLElement {
    const { store } = this.shared;
    const offered = PANEL_NAMES.filter((name) => this.isOffered(name));
    const items = offered.map((name) => {
      const onchange = (): void =>
        store.set({ panels: toggled(store.settings.panels, name), hovered: null });
      const box = h("input", { type: "checkbox", onchange });
      this.boxes.set(name, box);
      return h("label.toggle", box, labelOf(name));
    });
    return toggles("toggles chooser", "Panels", items);
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
    const names = (Object.keys(PANELS) as Charted[]).filter(
      (name) => panels.has(name) && this.isOffered(name),
    );
    for (const name of names)
      if (!this.made.has(name)) this.made.set(name, new PANELS[name](name, this.shared));
    this.element.replaceChildren(...names.map((name) => this.made.get(name)!.element));
  }
}

function labelOf(name: PanelName): string {
  if (name === "scores") return "score histogram";
  const { title } = TEXTS[name];
  return name === "roc" ? title : title[0]!.toLowerCase() + title.slice(1);
}
