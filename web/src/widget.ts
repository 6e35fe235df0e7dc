/** The page inside a notebook, for anywidget: its keys, its theme, and its traits. */

import { mount, type Connection } from "./app";
import type { ReportData } from "./model";
import { cursorOf, thresholdAt, type View } from "./view";

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

/** JupyterLab runs none of its shortcuts for keys that are pressed inside such an element. */
const SUPPRESS = "data-lm-suppress-shortcuts";

/**
 * Keeps keys from the notebook, in which "d d" deletes a cell; returns what undoes it.
 *
 * Keys with Ctrl or ⌘ belong to the notebook (save, run, the palette), except those that edit a
 * number or undo a step.
 */
function keepKeys(root: HTMLElement): () => void {
  // JupyterLab listens on the document before anything inside it is asked, the window even earlier.
  const mark = (event: KeyboardEvent): void => {
    if (event.target instanceof Node && root.contains(event.target))
      root.toggleAttribute(SUPPRESS, !isOfNotebook(event));
  };
  // Other notebooks listen behind the page.
  const stop = (event: KeyboardEvent): void => {
    if (!isOfNotebook(event)) event.stopPropagation();
  };
  root.setAttribute(SUPPRESS, "");
  window.addEventListener("keydown", mark, true);
  for (const kind of ["keydown", "keypress", "keyup"] as const) root.addEventListener(kind, stop);
  return () => window.removeEventListener("keydown", mark, true);
}

function isOfNotebook({ key, ctrlKey, metaKey, shiftKey }: KeyboardEvent): boolean {
  if (!ctrlKey && !metaKey) return false;
  return !(shiftKey ? /^z$/i : /^[acvxyz]$/i).test(key);
}

/** The theme of the notebook around the page; null where it does not tell. */
function themeOfHost(): "light" | "dark" | null {
  const { body, documentElement } = document;
  const jupyter = body.dataset["jpThemeLight"];
  if (jupyter) return jupyter === "false" ? "dark" : "light";
  const code = body.dataset["vscodeThemeKind"];
  if (code) return code.endsWith("light") ? "light" : "dark";
  const colab = documentElement.getAttribute("theme");
  return colab === "dark" || colab === "light" ? colab : null;
}

/** Lets the page follow the theme of the notebook; returns what ends that. */
function followTheme(root: HTMLElement): () => void {
  const follow = (): void => {
    const theme = themeOfHost();
    if (theme) root.dataset["host"] = theme;
    else delete root.dataset["host"];
  };
  follow();
  const observer = new MutationObserver(follow);
  for (const element of [document.documentElement, document.body])
    observer.observe(element, {
      attributeFilter: ["data-jp-theme-light", "data-vscode-theme-kind", "theme"],
    });
  return () => observer.disconnect();
}

/** JSON has no infinity: it is the text "inf". */
type Setting = number | "inf" | "-inf";
type Threshold = Setting | null;

interface Point {
  readonly model: string;
  readonly threshold: Threshold;
  readonly beta: Setting;
}

interface Traits extends Point {
  readonly data: ReportData;
}

/** The part of anywidget's model that is used here. */
interface TraitModel {
  get<Name extends keyof Traits>(name: Name): Traits[Name];
  set<Name extends keyof Traits>(name: Name, value: Traits[Name]): void;
  save_changes(): void;
  on(event: `change:${keyof Traits}`, act: () => void): void;
  off(event: `change:${keyof Traits}`, act: () => void): void;
}

const NAMES = ["model", "threshold", "beta"] as const;

/** Joins a report and the traits; returns what parts them. */
function connectTraits(report: Connection, model: TraitModel): () => void {
  const { store } = report;
  let isBusy = false;
  /** Acts without taking its own changes for those of the other side. */
  const quietly = (act: () => void): void => {
    if (isBusy) return;
    isBusy = true;
    act();
    isBusy = false;
  };
  const follow = (): void => quietly(() => apply(report, model));
  follow();
  store.subscribe(() =>
    quietly(() => {
      const told = pointOf(report.view());
      const changed = NAMES.filter((name) => told && told[name] !== model.get(name));
      for (const name of changed) model.set(name, told![name]);
      if (changed.length) model.save_changes();
    }),
  );
  for (const name of NAMES) model.on(`change:${name}`, follow);
  return () => {
    for (const name of NAMES) model.off(`change:${name}`, follow);
  };
}

/** Shows what the traits say. */
function apply({ store, view }: Connection, model: TraitModel): void {
  const beta = numberOf(model.get("beta"));
  if (beta !== store.settings.beta) store.set({ beta, chosen: null, hovered: null });
  const name = model.get("model");
  const place = view().models.findIndex((one) => one.model.name === name);
  if (place < 0) return;
  if (pointOf(view())?.model !== name) {
    const hidden = new Set(store.settings.hidden);
    // A model that is asked for is shown.
    if (hidden.delete(place)) store.set({ hidden });
    store.set({ preferred: place, chosen: null, hovered: null });
  }
  const threshold = model.get("threshold");
  if (threshold === null || threshold === pointOf(view())?.threshold) return;
  // Behind the rule that flags nothing, at +inf, a score of +inf may stand.
  const row = view().models[place]!.table.thresholds.lastIndexOf(numberOf(threshold));
  if (row >= 0) store.set({ chosen: { model: place, row }, hovered: null });
}

/** The point that was chosen, or the best one; a point under the pointer is not set. */
function pointOf(view: View): Point | null {
  const cursor = cursorOf({ ...view, settings: { ...view.settings, hovered: null } });
  if (!cursor) return null;
  const one = view.models[cursor.model]!;
  const threshold = textOf(thresholdAt(one, cursor.row));
  return { model: one.model.name, threshold, beta: textOf(view.settings.beta)! };
}

function textOf(value: number): Threshold {
  if (Number.isNaN(value)) return null;
  return Number.isFinite(value) ? value : value > 0 ? "inf" : "-inf";
}

function numberOf(value: Setting): number {
  if (typeof value === "number") return value;
  return value === "inf" ? Infinity : -Infinity;
}
