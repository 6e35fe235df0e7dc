/** A point that follows the pointer; a finger that scrolls the page does not move it. */

import type { Selection } from "d3-selection";

/** How far a finger moves sideways before it drags, in pixels. */
const SIDEWAYS = 6;

/**
 * Calls `choose` while the main button drags, when a finger taps, and while it drags sideways.
 *
 * The page scrolls up and down under a finger (`touch-action: pan-y`); the browser then cancels
 * the pointer.
 */
export function onDrag(
  svg: Selection<SVGSVGElement, unknown, null, undefined>,
  choose: (event: PointerEvent) => void,
): { readonly active: boolean } {
  let state: "idle" | "waiting" | "dragging" = "idle";
  let start = 0;
  svg
    .on("pointerdown.drag", (event: PointerEvent) => {
      if (event.shiftKey || event.button !== 0 || !event.isPrimary) return;
      svg.node()!.setPointerCapture(event.pointerId);
      state = event.pointerType === "touch" ? "waiting" : "dragging";
      start = event.clientX;
      if (state === "dragging") choose(event);
    })
    .on("pointermove.drag", (event: PointerEvent) => {
      if (state === "waiting" && Math.abs(event.clientX - start) > SIDEWAYS) state = "dragging";
      if (state === "dragging") choose(event);
    })
    .on("pointerup.drag", (event: PointerEvent) => {
      if (state === "waiting") choose(event);
      state = "idle";
    })
    .on("pointercancel.drag", () => (state = "idle"));
  return {
    get active() {
      return state !== "idle";
    },
  };
}
