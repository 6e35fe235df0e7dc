/** What stands around a report: its title, the theme, the list of keys. */

import { button, freshId, h } from "./dom";
import { isTextBox } from "./history";
import type { ReportData } from "./model";
import { Names } from "./names";
import { THEMES, type Theme } from "./state";

export function headerOf(data: ReportData, theme: HTMLElement): HTMLElement {
  const names = new Names(data.models.map(({ name }) => name));
  return h(
    "header.top",
    h("h1", data.title),
    theme,
    data.description ? h("p.description", ...names.in(data.description)) : null,
  );
}

export class ThemeButton {
  readonly element = button("", () => this.onChoice(this.next), { class: "small theme" });
  onChoice: (theme: Theme) => void = () => undefined;

  constructor(private readonly root: HTMLElement) {
    this.show(this.current);
  }

  private get next(): Theme {
    return THEMES[(THEMES.indexOf(this.current) + 1) % THEMES.length]!;
  }

  get current(): Theme {
    return THEMES.find((theme) => theme === this.root.dataset["theme"]) ?? "auto";
  }

  show(theme: Theme): void {
    if (theme !== this.current) this.root.dataset["theme"] = theme;
    this.element.textContent = `Theme: ${theme}`;
  }
}

const KEYS: readonly (readonly [keys: string, does: string])[] = [
  ["?", "this list"],
  ["Tab", "go to the next panel or control"],
  ["→ ↓ / ← ↑", "lower / raise the threshold; with Shift in larger steps"],
  ["Page Down / Page Up", "larger steps"],
  ["Home / End", "the strictest / the most lenient cut"],
  ["m", "the next model, at the nearest recall"],
  ["Ctrl+Z / Ctrl+Shift+Z", "undo / redo, outside text boxes"],
  ["Ctrl and wheel, Shift and drag", "zoom and move a panel"],
  ["Escape", "close an explanation or this list, leave full screen"],
];

export class Help {
  readonly button: HTMLButtonElement;
  readonly dialog: HTMLDialogElement;

  constructor() {
    const title = freshId("keys");
    const keys = KEYS.map(([keys, does]) => h("div", h("dt", keys), h("dd", does)));
    this.dialog = h(
      "dialog.help",
      { "aria-labelledby": title },
      h("h2", { id: title }, "Keys"),
      h("dl.keys", ...keys),
      button("Close", () => this.dialog.close()),
    );
    // A click beside the list closes it, too.
    this.dialog.addEventListener("click", ({ target }) => {
      if (target === this.dialog) this.dialog.close();
    });
    const look = { class: "small", "aria-haspopup": "dialog" };
    this.button = button("Keys (?)", () => this.dialog.showModal(), look);
  }

  /** Listens for "?" in an element, until told to end. */
  listen(root: HTMLElement | Document, signal: AbortSignal): void {
    const keyed = (event: KeyboardEvent): void => {
      if (event.key !== "?" || event.ctrlKey || event.metaKey || isTextBox(event.target)) return;
      event.preventDefault();
      event.stopPropagation();
      if (!this.dialog.open) this.dialog.showModal();
    };
    root.addEventListener("keydown", (event) => keyed(event as KeyboardEvent), { signal });
  }
}

/** A link, seen when it has the focus, past the tables and controls to the panels. */
export function skipLink(targeted: () => HTMLElement): HTMLElement {
  return h(
    "a.skip",
    {
      href: "#",
      onclick: (event) => {
        // The fragment of the address belongs to the settings.
        event.preventDefault();
        const target = targeted();
        target.tabIndex = -1;
        target.scrollIntoView();
        target.focus({ preventScroll: true });
      },
    },
    "Skip to the curves",
  );
}
