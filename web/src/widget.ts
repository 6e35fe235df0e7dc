/** The page inside a notebook, for anywidget. */

import { mount } from "./app";
import { followTheme, keepKeys } from "./notebook";
import { connectTraits, type TraitModel } from "./traits";

function render({ model, el }: { model: TraitModel; el: HTMLElement }): () => void {
  const root = document.createElement("div");
  root.className = "isometrics in-notebook";
  el.append(root);
  const ends = [keepKeys(root), followTheme(root)];
  let part = (): void => undefined;
  const draw = (): void => {
    part();
    mount(root, model.get("data"), {
      pageWith: null,
      keeper: null,
      footer: null,
      source: null,
      connect: (report) => (part = connectTraits(report, model)),
    });
  };
  draw();
  model.on("change:data", draw);
  return () => {
    model.off("change:data", draw);
    part();
    for (const end of ends) end();
  };
}

export default { render };
