/** The heads of a table by which its rows can be sorted. */

import { h } from "./dom";
import type { Sorting, Store } from "./state";

export class SortedHeads {
  private readonly heads = new Map<string, HTMLElement>();
  /** Columns that are first sorted from the lowest up, as names are. */
  private readonly rising = new Set<string>();

  constructor(private readonly store: Store) {}

  /** The head of a column; `said` names it for screen readers. */
  head(
    column: string,
    said: string,
    content: HTMLElement | string,
    first: "falling" | "rising" = "falling",
  ): HTMLElement {
    if (first === "rising") this.rising.add(column);
    const button = h("button", { type: "button", class: "sort", "aria-label": `Sort by ${said}` });
    const head = h("th", { scope: "col" }, content, button);
    head.addEventListener("click", ({ target }) => {
      // A word that explains itself does nothing else.
      if (target === head || target === button) this.turn(column);
    });
    this.heads.set(column, head);
    return head;
  }

  /** From one order to the other, and then back to that of the report. */
  private turn(column: string): void {
    const { sorting } = this.store.settings;
    const first = !this.rising.has(column);
    const isHere = sorting?.column === column;
    const next: Sorting | null = !isHere
      ? { column, falling: first }
      : sorting.falling === first
        ? { column, falling: !first }
        : null;
    this.store.set({ sorting: next });
  }

  /** Rows in the order that is set; those without a value last. */
  sorted<Row>(rows: readonly Row[], value: (row: Row, column: string) => number | string): Row[] {
    const { sorting } = this.store.settings;
    for (const [column, head] of this.heads)
      if (sorting?.column === column)
        head.setAttribute("aria-sort", sorting.falling ? "descending" : "ascending");
      else head.removeAttribute("aria-sort");
    if (!sorting || !this.heads.has(sorting.column)) return [...rows];
    const { column, falling } = sorting;
    const valued = rows.map((row) => ({ row, key: value(row, column) }));
    return valued.sort((one, two) => compared(one.key, two.key, falling)).map(({ row }) => row);
  }
}

function compared(one: number | string, two: number | string, falling: boolean): number {
  const missing = Number(Number.isNaN(one)) - Number(Number.isNaN(two));
  if (missing || Number.isNaN(one)) return missing;
  const order =
    typeof one === "string" || typeof two === "string"
      ? String(one).localeCompare(String(two), "en", { numeric: true })
      : Math.sign(one - two) || 0;
  return falling ? -order : order;
}
