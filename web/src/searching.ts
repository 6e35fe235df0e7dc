/** Names of models: a click isolates one, and a search brings some of many forward. */

import { h } from "./dom";
import { LOOKS } from "./looks";
import type { Model } from "./model";
import type { Store } from "./state";

/** Shows one model alone, and afterwards the models that were shown before. */
export class Isolation {
  private before: ReadonlySet<number> = new Set();

  constructor(
    private readonly store: Store,
    private readonly models: number,
  ) {}

  isAlone(place: number): boolean {
    const { hidden } = this.store.settings;
    return this.models > 1 && hidden.size === this.models - 1 && !hidden.has(place);
  }

  toggle(place: number): void {
    const { hidden } = this.store.settings;
    if (this.isAlone(place)) {
      // A model that was alone all along has nothing to go back to.
      const back = this.before.size === this.models - 1 ? new Set<number>() : this.before;
      this.store.set({ hidden: back, hovered: null });
      return;
    }
    this.before = hidden;
    const others = Array.from({ length: this.models }, (_, other) => other);
    this.store.set({ hidden: new Set(others.filter((other) => other !== place)), hovered: null });
  }
}

/** A box that gives a colour to the models whose names contain its text; null for few models. */
export function searchBox(store: Store, models: readonly Model[]): HTMLElement | null {
  if (models.length <= LOOKS) return null;
  const said = h("span", { role: "status" });
  const box = h("input", { type: "search", "aria-label": "Search the names of the models" });
  const usual = `The best ${LOOKS} of ${models.length} models have colours; the rest is grey.`;
  said.textContent = usual;
  box.addEventListener("input", () => {
    const text = box.value.trim().toLowerCase();
    const forward = models
      .map(({ name }, place) => (name.toLowerCase().includes(text) ? place : -1))
      .filter((place) => text && place >= 0);
    store.set({ forward: forward.slice(0, LOOKS) });
    said.textContent = text ? foundSaid(forward.length, models.length) : usual;
  });
  return h("p", { class: "search" }, h("label", {}, "Find a model ", box), said);
}

function foundSaid(found: number, models: number): string {
  if (!found) return `None of ${models} names contains this.`;
  const names = found === 1 ? "1 name contains" : `${found} names contain`;
  if (found <= LOOKS) return `${names} this, and ${found === 1 ? "has" : "have"} a colour now.`;
  return `${names} this; the first ${LOOKS} have a colour now.`;
}
