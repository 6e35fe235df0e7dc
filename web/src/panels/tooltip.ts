/** What the point under the pointer is, beside the pointer. */

import { h } from "../dom";
import { counted, percent, shortened } from "../format";
import { lookOf } from "../looks";
import { rule } from "../sentences";
import * as pr from "../spaces/pr";
import type { Cursor } from "../state";
import type { View } from "../view";

const GAP = 16;

export class Tooltip {
  /** Screen readers are told by the panel itself. */
  readonly element = h("div", { class: "tooltip", "aria-hidden": "true", hidden: true });
  private readonly name = h("strong");
  private readonly rule = h("span");
  private readonly counts = h("span");
  private readonly shares = h("span");
  private at: readonly [number, number] | null = null;

  /** The element that the tooltip lies in. */
  private frame: HTMLElement | null = null;

  constructor() {
    this.element.append(this.name, this.rule, this.counts, this.shares);
  }

  /** Follows the pointer; it is drawn with the point. */
  follow(event: PointerEvent, frame: HTMLElement): void {
    const box = frame.getBoundingClientRect();
    this.frame = frame;
    this.at = [event.clientX - box.left, event.clientY - box.top];
  }

  leave(): void {
    this.at = null;
    this.element.hidden = true;
  }

  draw(view: View, { model, row }: Cursor): void {
    if (!this.at || !this.frame) return;
    const one = view.models[model]!;
    const { table } = one;
    const [tp, fp] = [table.tp[row]!, table.fp[row]!];
    this.name.textContent = shortened(one.model.name, 40);
    this.name.className = lookOf(view, model);
    this.rule.textContent = rule(one, row, view);
    this.counts.textContent =
      `tp ${counted(tp)}, fp ${counted(fp)}, ` +
      `fn ${counted(table.positives - tp)}, tn ${counted(table.negatives - fp)}`;
    this.shares.textContent =
      `precision ${percent(pr.y(table, row))}, ` + `recall ${percent(pr.x(table, row))}`;
    this.element.hidden = false;
    const [x, y] = this.at;
    const { offsetWidth, offsetHeight } = this.element;
    const [width, height] = [this.frame.clientWidth, this.frame.clientHeight];
    const left = x + GAP + offsetWidth <= width ? x + GAP : x - GAP - offsetWidth;
    const top = y + GAP + offsetHeight <= height ? y + GAP : y - GAP - offsetHeight;
    this.element.style.left = `${Math.max(left, 4)}px`;
    this.element.style.top = `${Math.max(top, 4)}px`;
  }
}
