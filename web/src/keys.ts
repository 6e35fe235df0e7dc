/** Keys that move the operating point. */

import type { Cursor } from "./state";
import { cursorOf, type View } from "./view";

/**
 * The point that a key leads to; null where the key means nothing here.
 *
 * Right and down lower the threshold, left and up raise it; page keys take larger steps, home and
 * end go to the ends, and m goes to the next model, at the recall nearest to this one.
 */
export function moved(view: View, event: KeyboardEvent): Cursor | null {
  const cursor = cursorOf(view);
  if (!cursor || event.ctrlKey || event.metaKey || event.altKey) return null;
  const { table } = view.models[cursor.model]!;
  const last = table.tp.length - 1;
  const stride = Math.max(10, Math.round(last / 50));
  const rows: Record<string, number> = {
    ArrowRight: cursor.row + (event.shiftKey ? stride : 1),
    ArrowDown: cursor.row + (event.shiftKey ? stride : 1),
    ArrowLeft: cursor.row - (event.shiftKey ? stride : 1),
    ArrowUp: cursor.row - (event.shiftKey ? stride : 1),
    PageDown: cursor.row + stride,
    PageUp: cursor.row - stride,
    Home: 0,
    End: last,
  };
  const row = rows[event.key];
  if (row !== undefined) return { model: cursor.model, row: Math.min(Math.max(row, 0), last) };
  return event.key === "m" || event.key === "M" ? ofNextModel(view, cursor) : null;
}

function ofNextModel(view: View, cursor: Cursor): Cursor {
  const place = view.shown.findIndex((one) => one.place === cursor.model);
  const next = view.shown[(place + 1) % view.shown.length]!;
  const here = view.models[cursor.model]!.table;
  const recall = here.tp[cursor.row]! / here.positives;
  // Scores of two models need not share a scale; recalls do.
  let [best, least] = [0, Infinity];
  next.table.tp.forEach((tp, row) => {
    const away = Math.abs(tp / next.table.positives - recall);
    if (away < least) [best, least] = [row, away];
  });
  return { model: next.place, row: best };
}
