/** The page inside a notebook, for anywidget. */

import { mount } from "./app";
import type { ReportData } from "./model";

interface WidgetModel {
  get(name: "data"): ReportData;
  on(event: "change:data", act: () => void): void;
  off(event: "change:data", act: () => void): void;
}

function render({ model, el }: { model: WidgetModel; el: HTMLElement }): () => void {
  const root = document.createElement("div");
  root.className = "isometrics in-notebook";
  el.append(root);
  const draw = (): void =>
    mount(root, model.get("data"), { pageWith: null, keeper: null, footer: null, source: null });
  draw();
  model.on("change:data", draw);
  return () => model.off("change:data", draw);
}

export default { render };
