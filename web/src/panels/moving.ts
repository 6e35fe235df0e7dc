/** How keys and pointers move the operating point, and what stands beside the pointer. */

import { nearest } from "../arithmetic";
import { h } from "../dom";
import { counted, percent, shortened } from "../format";
import { lookOf } from "../looks";
import { rule } from "../sentences";
import * as pr from "../spaces/pr";
import type { Cursor, Store } from "../state";
import { matrixAt } from "../table";
import { cursorOf, type View } from "../view";

/**
 * The point that a key leads to; null where the key means nothing here.
 *
 * Right and down lower the threshold, left and up raise it; page keys take larger steps, home and
 * end go to the ends, and m goes to the next model, at the recall nearest to this one.
 */
function moved(view: View, event: KeyboardEvent): Cursor | null {
  const cursor = cursorOf(view);
  if (!cursor || event.ctrlKey || event.metaKey || event.altKey) return null;
  const { table } = view.models[cursor.model]!;
  const last = table.tp.length - 1;
  const stride = Math.max(10, Math.round(last / 50));
  const step = event.shiftKey ? stride : 1;
  const rows: Record<string, number> = {
    ArrowRight: cursor.row + step,
    ArrowDown: cursor.row + step,
    ArrowLeft: cursor.row - step,
    ArrowUp: cursor.row - step,
    PageDown: cursor.row + stride,
    PageUp: cursor.row - stride,
    Home: 0,
    End: last,
  };
  const row = rows[event.key];
  if (row !== undefined) return { model: cursor.model, row: Math.min(Math.max(row, 0), last) };
  return event.key === "m" || event.key === "M" ? ofNextModel(view, cursor) : null;
}

/** Lets keys move the operating point. */
export function onKeys(svg: SVGSVGElement, store: Store, viewOf: () => View | null): void {
  svg.addEventListener("keydown", (event) => {
    const view = viewOf();
    const next = view && moved(view, event);
    if (!next) return;
    event.preventDefault();
    store.set({ chosen: next, hovered: null });
  });
}

function ofNextModel(view: View, cursor: Cursor): Cursor {
  const place = view.shown.findIndex((one) => one.place === cursor.model);
  const next = view.shown[(place + 1) % view.shown.length]!;
  const here = view.models[cursor.model]!.table;
  const recall = here.tp[cursor.row]! / here.positives;
  // Scores of two models need not share a scale; recalls do.
  const { tp, positives } = next.table;
  const row = nearest(tp.length, (place) => Math.abs(tp[place]! / positives - recall));
  return { model: next.place, row };
}

/** How far a finger moves sideways before it drags, in pixels. */
const SIDEWAYS = 6;

/**
 * Calls `choose` while the main button drags, when a finger taps, and while it drags sideways.
 *
 * The page scrolls up and down under a finger (`touch-action: pan-y`); the browser then cancels
 * the pointer.
 */
export function onDrag(svg: SVGSVGElement, choose: (event: PointerEvent) => void) {
  let state: "idle" | "waiting" | "dragging" = "idle";
  let start = 0;
  svg.addEventListener("pointerdown", (event) => {
    if (event.shiftKey || event.button !== 0 || !event.isPrimary) return;
    svg.setPointerCapture(event.pointerId);
    state = event.pointerType === "touch" ? "waiting" : "dragging";
    start = event.clientX;
    if (state === "dragging") choose(event);
  });
  svg.addEventListener("pointermove", (event) => {
    if (state === "waiting" && Math.abs(event.clientX - start) > SIDEWAYS) state = "dragging";
    if (state === "dragging") choose(event);
  });
  svg.addEventListener("pointerup", (event) => {
    if (state === "waiting") choose(event);
    state = "idle";
  });
  svg.addEventListener("pointercancel", () => (state = "idle"));
  return {
    get active(): boolean {
      return state !== "idle";
    },
  };
}

const GAP = 16;

export class Tooltip {
  /** Screen readers are told by the panel itself. */
  readonly element = h("div.tooltip", { "aria-hidden": "true", hidden: true });
  private readonly name = h("strong");
  private readonly rule = h("span");
  private readonly counts = h("span");
  private readonly shares = h("span");
  /** Where the pointer is in the element that the tooltip lies in; null while it is elsewhere. */
  private at: { x: number; y: number; frame: HTMLElement } | null = null;

  constructor() {
    this.element.append(this.name, this.rule, this.counts, this.shares);
  }

  /** Follows the pointer; it is drawn with the point. */
  follow(event: PointerEvent, frame: HTMLElement): void {
    const box = frame.getBoundingClientRect();
    this.at = { x: event.clientX - box.left, y: event.clientY - box.top, frame };
  }

  leave(): void {
    this.at = null;
    this.element.hidden = true;
  }

  draw(view: View, { model, row }: Cursor): void {
    if (!this.at) return;
    const one = view.models[model]!;
    const { table } = one;
    const { tp, fp, fn, tn } = matrixAt(table, row);
    this.name.textContent = shortened(one.model.name, 40);
    this.name.className = lookOf(view, model);
    this.rule.textContent = rule(one, row, view);
    this.counts.textContent = `tp ${counted(tp)}, fp ${counted(fp)}, fn ${counted(fn)}, tn ${counted(tn)}`;
    this.shares.textContent = `precision ${percent(pr.y(table, row))}, recall ${percent(pr.x(table, row))}`;
    this.element.hidden = false;
    const { x, y, frame } = this.at;
    const { offsetWidth, offsetHeight } = this.element;
    const [width, height] = [frame.clientWidth, frame.clientHeight];
    const left = x + GAP + offsetWidth <= width ? x + GAP : x - GAP - offsetWidth;
    const top = y + GAP + offsetHeight <= height ? y + GAP : y - GAP - offsetHeight;
    this.element.style.left = `${Math.max(left, 4)}px`;
    this.element.style.top = `${Math.max(top, 4)}px`;
  }
}
