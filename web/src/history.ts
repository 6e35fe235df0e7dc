/** What was set before: undo and redo, and the address of the page with its back and forward. */

import { button, h } from "./dom";
import { fromText, isKept, said, toText } from "./fragment";
import type { Model } from "./model";
import type { Settings, Store } from "./state";

/** Changes of the same fields that follow each other so soon are one step, in milliseconds. */
const REST = 700;
/** Changes that one event makes. */
const AT_ONCE = 40;
/** How often the address is written while something moves; browsers allow 100 times in 30 s. */
const PACE = 400;
const MOST_STEPS = 500;

export class History {
  readonly element: HTMLElement;
  /** The settings in one line, for paper. */
  readonly line = h("p.settings-line");
  /** What "Reset" returns to. */
  private readonly first: Settings;
  /** What an address without settings means. */
  private readonly start: Settings;
  private readonly past: Settings[] = [];
  private readonly future: Settings[] = [];
  private last: Settings;
  private readonly buttons: Record<"undo" | "redo" | "reset", HTMLButtonElement>;
  /** The fields that changed last, and when. */
  private fields = "";
  private when = -Infinity;
  /** Whether the next change begins a step, whatever it is. */
  private isFresh = true;
  private isHeld = false;
  private cause: "reader" | "steps" | "address" = "reader";
  /** Writes the end of a movement to the address. */
  private pending: (() => void) | null = null;

  constructor(
    private readonly store: Store,
    private readonly models: readonly Model[],
    private readonly keeper: Keeper | null,
  ) {
    this.first = store.settings;
    const { saved, shared } = keeper?.read() ?? { saved: "", shared: "" };
    this.start = fromText(saved, this.first, models);
    store.set(fromText(shared, this.start, models));
    this.last = store.settings;
    const small = (label: string, title: string, act: () => void): HTMLButtonElement =>
      button(label, act, { class: "small", title });
    this.buttons = {
      undo: small("Undo", "Ctrl+Z", () => this.step(this.past, this.future)),
      redo: small("Redo", "Ctrl+Shift+Z", () => this.step(this.future, this.past)),
      reset: small("Reset", "All settings as the report was made", () => this.set(this.first)),
    };
    this.element = h(
      "div.history",
      { role: "group", "aria-label": "Steps" },
      ...Object.values(this.buttons),
    );
    this.draw();
    store.subscribe((settings, changed) => this.changed(settings, changed));
  }

  /** Listens for keys and pointers in an element, and to the address, until told to end. */
  listen(root: HTMLElement | Document, signal: AbortSignal): void {
    this.keeper?.listen((text) => {
      this.cause = "address";
      this.set(fromText(text, this.start, this.models));
      this.cause = "reader";
    }, signal);
    const on = (name: string, act: () => void): void =>
      root.addEventListener(name, act, { capture: true, signal });
    on("pointerdown", () => (this.isFresh = this.isHeld = true));
    for (const name of ["pointerup", "pointercancel"]) on(name, () => (this.isHeld = false));
    root.addEventListener("keydown", (event) => this.keyed(event as KeyboardEvent), { signal });
  }

  /** The settings as a saved report has them. */
  text(): string {
    return toText(this.store.settings, this.first, this.models);
  }

  private keyed(event: KeyboardEvent): void {
    const isUndo = (event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "z";
    const isRedo = event.ctrlKey && event.key.toLowerCase() === "y";
    if (!(isUndo || isRedo) || event.altKey || isTextBox(event.target)) return;
    event.preventDefault();
    event.stopPropagation();
    if (isRedo || event.shiftKey) this.step(this.future, this.past);
    else this.step(this.past, this.future);
  }

  private step(from: Settings[], to: Settings[]): void {
    const settings = from.pop();
    if (!settings) return;
    to.push(this.last);
    this.cause = "steps";
    this.set(settings);
    this.cause = "reader";
    this.draw();
  }

  private set(settings: Settings): void {
    this.isFresh = true;
    this.store.set({ ...settings, hovered: null });
  }

  private changed(settings: Settings, changed: ReadonlySet<keyof Settings>): void {
    const fields = [...changed].filter(isKept).sort().join();
    if (!fields) return;
    const isStep = this.cause !== "reader" || this.isStep(fields);
    if (isStep && this.cause !== "steps") {
      this.past.push(this.last);
      if (this.past.length > MOST_STEPS) this.past.shift();
      this.future.length = 0;
    }
    this.last = settings;
    this.draw();
    // Where the reader went back, the end of a movement would be written to the wrong entry.
    if (this.cause === "address") this.pending = null;
    else this.keep(isStep);
  }

  /** Whether a change begins a step: not while something is dragged, and not soon after the last. */
  private isStep(fields: string): boolean {
    const now = performance.now();
    const isSoon = now - this.when < (fields === this.fields ? REST : AT_ONCE);
    const isStep = this.isFresh || !(this.isHeld || isSoon);
    [this.fields, this.when, this.isFresh] = [fields, now, false];
    return isStep;
  }

  private keep(isStep: boolean): void {
    const { keeper, store, models } = this;
    if (!keeper) return;
    const texts = { saved: this.text(), shared: toText(store.settings, this.start, models) };
    if (isStep) {
      this.pending?.();
      keeper.write(texts, true);
      return;
    }
    if (!this.pending) setTimeout(() => this.pending?.(), PACE);
    this.pending = () => {
      this.pending = null;
      keeper.write(texts, false);
    };
  }

  private draw(): void {
    this.buttons.undo.disabled = !this.past.length;
    this.buttons.redo.disabled = !this.future.length;
    this.buttons.reset.disabled = this.text() === "";
    this.line.textContent = said(this.last, this.first, this.models);
  }
}

/** Whether keys write into an element. */
export function isTextBox(target: EventTarget | null): boolean {
  const element = target instanceof HTMLElement ? target : null;
  if (element instanceof HTMLInputElement)
    return !["range", "checkbox", "radio", "button", "file"].includes(element.type);
  return element instanceof HTMLTextAreaElement || Boolean(element?.isContentEditable);
}

/** Keeps settings in the fragment of the page's address, and in an element that is saved with it. */
export function pageKeeper(root: HTMLElement) {
  // The address of a frame is nobody's to share, and its steps are steps of the page around it.
  const isOwn = window.top === window;
  return {
    /** The settings with which the page was saved or shared. */
    read: () => ({
      saved: root.dataset["settings"] ?? "",
      shared: isOwn ? location.hash.slice(1) : "",
    }),
    /** Keeps settings, as a step of their own or in place of the last one. */
    write({ saved, shared }: { saved: string; shared: string }, isStep: boolean): void {
      root.dataset["settings"] = saved;
      if (!isOwn) return;
      const address = location.href.split("#")[0]! + (shared && `#${shared}`);
      try {
        if (isStep) history.pushState(null, "", address);
        else history.replaceState(null, "", address);
      } catch {
        // A browser may refuse after too many steps, or for a page without an address of its own.
      }
    },
    /** Calls back when the reader goes back or forward, until it is told to end. */
    listen(moved: (shared: string) => void, signal: AbortSignal): void {
      if (isOwn) addEventListener("popstate", () => moved(location.hash.slice(1)), { signal });
    },
  };
}

export type Keeper = ReturnType<typeof pageKeeper>;
