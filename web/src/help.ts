/** The keys, in a dialog that "?" opens. */

import { freshId, h } from "./dom";
import { isTextBox } from "./history";

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
    const close = h("button", { type: "button", onclick: () => this.dialog.close() }, "Close");
    this.dialog = h(
      "dialog",
      { class: "help", "aria-labelledby": title },
      h("h2", { id: title }, "Keys"),
      h(
        "dl",
        { class: "keys" },
        ...KEYS.map(([keys, does]) => h("div", {}, h("dt", {}, keys), h("dd", {}, does))),
      ),
      close,
    );
    // A click beside the list closes it, too.
    this.dialog.addEventListener("click", ({ target }) => {
      if (target === this.dialog) this.dialog.close();
    });
    this.button = h(
      "button",
      {
        type: "button",
        class: "small",
        "aria-haspopup": "dialog",
        onclick: () => this.dialog.showModal(),
      },
      "Keys (?)",
    );
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
    "a",
    {
      class: "skip",
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
