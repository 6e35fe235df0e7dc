/** The header of the page: its title, what the data are, and the theme. */

import { h } from "./dom";
import type { ReportData } from "./model";
import { Names } from "./names";
import { THEMES, type Theme } from "./state";

export function headerOf(data: ReportData, button: HTMLElement): HTMLElement {
  const names = new Names(data.models.map(({ name }) => name));
  return h(
    "header",
    { class: "top" },
    h("h1", {}, data.title),
    button,
    data.description ? h("p", { class: "description" }, ...names.in(data.description)) : null,
  );
}

export class ThemeButton {
  readonly element = h("button", { type: "button", class: "small theme" });
  onChoice: (theme: Theme) => void = () => undefined;

  constructor(private readonly root: HTMLElement) {
    this.element.addEventListener("click", () => {
      const next = THEMES[(THEMES.indexOf(this.current) + 1) % THEMES.length]!;
      this.onChoice(next);
    });
    this.show(this.current);
  }

  get current(): Theme {
    return THEMES.find((theme) => theme === this.root.dataset["theme"]) ?? "auto";
  }

  show(theme: Theme): void {
    if (theme !== this.current) this.root.dataset["theme"] = theme;
    this.element.textContent = `Theme: ${theme}`;
  }
}
