/** The header of the page: its title, what the data are, and the theme. */

import { h } from "./dom";
import type { ReportData } from "./model";

export function headerOf(data: ReportData, root: HTMLElement): HTMLElement {
  return h(
    "header",
    { class: "top" },
    h("h1", {}, data.title),
    themeButton(root),
    data.description ? h("p", { class: "description" }, data.description) : null,
  );
}

function themeButton(root: HTMLElement): HTMLElement {
  const themes = ["auto", "light", "dark"] as const;
  let place = 0;
  const button = h("button", { type: "button", class: "small theme" }, "Theme: auto");
  button.addEventListener("click", () => {
    place = (place + 1) % themes.length;
    root.dataset["theme"] = themes[place];
    button.textContent = `Theme: ${themes[place]}`;
  });
  return button;
}
