/** Groups of rows: does one threshold serve all of them? */

import { freshId, h } from "../dom";
import { counted, decimals, levelSaid, percent, shortened } from "../format";
import type { ModelView, View } from "../view";
import type { GroupData, GroupsData } from "./data";
import { COLOURS, overlay, smallMultiple, SPACES, swatch, type Space } from "./drawing";

const LETTERS = 48;
/** So many small pictures are drawn at first. */
const PICTURES = 24;
/** From so many groups on they can be searched. */
const SEARCHED = 9;

type Order = "worst" | "gain" | "size" | "name";

export class Groups {
  readonly element: HTMLElement;
  private readonly body = h("tbody");
  private readonly pictures = h("div", { class: "group-pictures" });
  private readonly more = h("button", { type: "button", class: "small", hidden: true });
  private readonly count = h("p", { class: "note", role: "status" });
  private readonly model: HTMLSelectElement;
  private order: Order = "worst";
  private sought = "";
  private space: Space = SPACES[0];
  private style: "each" | "overlay" = "each";
  private all = false;
  private isolated: string | null = null;
  private view: View | null = null;
  private hidden = "";
  private seen = false;

  constructor(private readonly data: GroupsData) {
    const models = [...new Set(data.rows.flatMap(({ curves }) => Object.keys(curves)))];
    this.model = this.choice(
      "Model",
      models,
      (name) => name,
      data.model,
      () => this.drawPictures(),
    );
    this.more.addEventListener("click", () => {
      this.all = true;
      this.drawPictures();
    });
    const [first, ...others] = data.lines;
    this.element = h(
      "section",
      { class: "groups", "aria-label": "Groups" },
      h("h2", {}, "Does one threshold serve all groups?"),
      h("p", { class: "first" }, first ?? ""),
      ...others.map((line) => h("p", {}, line)),
      this.tools(),
      h(
        "div",
        { class: "scroll tall", tabindex: 0, role: "region", "aria-label": "Table of groups" },
        h("table", {}, this.head(), this.body),
      ),
      this.count,
      this.leftOut(),
      data.rows.some(({ curves }) => Object.keys(curves).length) ? this.curves(models) : null,
    );
  }

  private head(): HTMLElement {
    const { objective, model, threshold, level } = this.data;
    const intervals = this.data.rows.some(({ gainLower }) => gainLower !== null);
    const names = [
      "group",
      "rows",
      "positives",
      `${objective} with the common rule`,
      "its own threshold",
      "better by",
      "its own verdict",
      "expect",
    ];
    return h(
      "thead",
      {},
      h(
        "tr",
        { class: "common" },
        h(
          "td",
          { colspan: names.length },
          `Common rule: ${shortened(model, LETTERS)}, ${cut(threshold)}, chosen for ${objective} on all rows.` +
            (intervals ? ` Intervals of ${levelSaid(level)} in brackets.` : ""),
        ),
      ),
      h("tr", {}, ...names.map((name) => h("th", { scope: "col" }, name))),
    );
  }

  private tools(): HTMLElement {
    const search = h("input", {
      type: "search",
      placeholder: "Find a group",
      "aria-label": "Find a group",
    });
    search.addEventListener("input", () => {
      this.sought = search.value.trim().toLowerCase();
      this.refresh();
    });
    const orders: Record<Order, string> = {
      worst: "served worst first",
      gain: "most to gain first",
      size: "largest first",
      name: "by name",
    };
    const order = this.choice(
      "Order",
      Object.keys(orders) as Order[],
      (name) => orders[name],
      "worst",
      (name) => {
        this.order = name;
        this.refresh();
      },
    );
    return h(
      "div",
      { class: "group-tools" },
      this.data.rows.length >= SEARCHED ? search : null,
      order.parentElement,
    );
  }

  private curves(models: readonly string[]): HTMLElement {
    const space = this.choice(
      "Space",
      SPACES,
      (name) => name,
      SPACES[0],
      (name) => {
        this.space = name;
        this.drawPictures();
      },
    );
    const styles = h("fieldset", { class: "group-style" }, h("legend", {}, "Curves"));
    const name = freshId("group-style");
    for (const [style, label] of [
      ["each", "one picture each"],
      ["overlay", "all in one"],
    ] as const) {
      const box = h("input", { type: "radio", name, value: style });
      box.checked = style === this.style;
      box.addEventListener("change", () => {
        this.style = style;
        this.drawPictures();
      });
      styles.append(h("label", {}, box, h("span", {}, label)));
    }
    return h(
      "div",
      {},
      h(
        "div",
        { class: "group-tools" },
        styles,
        space.parentElement,
        models.length > 1 ? this.model.parentElement : null,
      ),
      this.pictures,
      this.more,
    );
  }

  private choice<Name extends string>(
    label: string,
    names: readonly Name[],
    text: (name: Name) => string,
    chosen: string,
    change: (name: Name) => void,
  ): HTMLSelectElement {
    const id = freshId("group-choice");
    const box = h(
      "select",
      { id },
      ...names.map((name) =>
        h("option", { value: name, selected: name === chosen }, shortened(text(name), LETTERS)),
      ),
    );
    box.addEventListener("change", () => change(box.value as Name));
    h("span", { class: "group-choice" }, h("label", { for: id }, label), box);
    return box;
  }

  private leftOut(): HTMLElement | null {
    const { leftOut, nLeftOut, smaller } = this.data;
    const said = leftOut.map(([name, why]) => `${shortened(name, LETTERS)}: ${why}`);
    const more = nLeftOut - leftOut.length;
    if (more > 0) said.push(`and ${counted(more)} more`);
    if (smaller > 0)
      said.push(
        `${counted(smaller)} smaller group${smaller > 1 ? "s are" : " is"} not on this page; ` +
          "isometrics verdict FILE --group COLUMN lists all",
      );
    if (!said.length) return null;
    return h(
      "details",
      { class: "more" },
      h("summary", {}, `${counted(nLeftOut + smaller)} left out`),
      h("ul", {}, ...said.map((text) => h("li", {}, text))),
    );
  }

  private get chosen(): GroupData[] {
    const { rows, higherIsBetter } = this.data;
    const found = rows.filter(({ name }) => name.toLowerCase().includes(this.sought));
    const number = (value: number | null): number => value ?? NaN;
    const by = (key: (group: GroupData) => number): GroupData[] =>
      found.sort((one, two) => {
        const [a, b] = [key(one), key(two)];
        return Number.isNaN(a) || Number.isNaN(b)
          ? Number(Number.isNaN(a)) - Number(Number.isNaN(b))
          : a - b;
      });
    if (this.order === "gain") return by(({ gain }) => -number(gain));
    if (this.order === "size") return by(({ positives, negatives }) => -positives - negatives);
    if (this.order === "name")
      return found.sort((one, two) =>
        one.name.localeCompare(two.name, undefined, { numeric: true }),
      );
    return by(({ value }) => (higherIsBetter ? 1 : -1) * number(value));
  }

  /** Python's numbers stand; what follows the page is which models are hidden. */
  draw(view: View): void {
    const key = [...view.settings.hidden].join();
    if (this.view && key === this.hidden) return;
    const first = !this.view;
    [this.view, this.hidden] = [view, key];
    if (!first) return this.drawPictures();
    this.refresh();
    // Curves that nobody looks at are not drawn.
    new IntersectionObserver((seen, observer) => {
      if (!seen.some(({ isIntersecting }) => isIntersecting)) return;
      observer.disconnect();
      this.seen = true;
      this.drawPictures();
    }).observe(this.pictures);
  }

  private refresh(): void {
    const { chosen } = this;
    this.body.replaceChildren(...chosen.map((group) => this.row(group)));
    const of = this.data.rows.length;
    this.count.textContent =
      chosen.length < of ? `${counted(chosen.length)} of ${counted(of)} groups.` : "";
    this.drawPictures();
  }

  private row(group: GroupData): HTMLElement {
    const total = group.positives + group.negatives;
    const many = this.data.rows.some(({ model }) => model !== this.data.model);
    const sure = group.gainLower !== null && group.gainLower > 0;
    const name = h(
      "button",
      {
        type: "button",
        class: "link",
        title: group.name,
        "aria-pressed": String(this.isolated === group.name),
        onclick: () => {
          this.isolated = this.isolated === group.name ? null : group.name;
          this.refresh();
        },
      },
      shortened(group.name, LETTERS) || "(no name)",
    );
    const gain =
      group.gain === null
        ? "–"
        : `${group.gain < 0 ? "" : "+"}${decimals(group.gain)}${ends(group.gainLower, group.gainUpper)}`;
    return h(
      "tr",
      { class: this.isolated === group.name ? "isolated" : "" },
      h("th", { scope: "row" }, name),
      h("td", {}, counted(total)),
      h("td", {}, percent(group.positives / total)),
      h("td", {}, `${known(group.value)}${ends(group.valueLower, group.valueUpper)}`),
      h("td", {}, group.ownThreshold ? cut(group.ownThreshold) : "–"),
      h("td", { class: sure ? "sure" : "" }, gain),
      h(
        "td",
        { title: group.sentence },
        `${many ? `${shortened(group.model, 24)} ` : ""}${cut(group.threshold)}`,
      ),
      h("td", {}, `${known(group.expected)}${ends(group.lower, group.upper)}`),
    );
  }

  /** The model whose curves are drawn: the one chosen, unless it is hidden. */
  private get drawn(): ModelView | null {
    const { view } = this;
    const named = (name: string): ModelView | undefined =>
      view?.shown.find(({ model }) => model.name === name);
    return named(this.model.value) ?? named(this.data.model) ?? view?.shown[0] ?? null;
  }

  private drawPictures(): void {
    if (!this.seen) return;
    const one = this.drawn;
    const groups = this.chosen;
    if (!one) return void this.pictures.replaceChildren();
    const marks = one.model.name === this.data.model;
    if (this.style === "overlay") {
      this.more.hidden = true;
      const key = h("p", { class: "legend" });
      groups
        .slice(0, COLOURS)
        .forEach((group, place) =>
          key.append(h("span", {}, swatch(place), shortened(group.name, LETTERS))),
        );
      if (groups.length > COLOURS)
        key.append(h("span", {}, `${counted(groups.length - COLOURS)} more in grey`));
      const picture = overlay(groups, one, this.space, this.isolated);
      this.pictures.className = "group-pictures one";
      this.pictures.replaceChildren(picture, key);
      return;
    }
    const found = groups
      .filter(({ name }) => this.isolated === null || name === this.isolated)
      .map((group) => smallMultiple(group, one, this.space, marks))
      .filter((svg) => svg !== null);
    const shown = this.all ? found : found.slice(0, PICTURES);
    this.more.hidden = shown.length === found.length;
    this.more.textContent = `Draw all ${counted(found.length)} groups`;
    const key = h(
      "p",
      { class: "legend" },
      "Grey: all rows.",
      marks ? " Filled: the common threshold. Hollow: the group's own best one." : "",
    );
    this.pictures.className = "group-pictures";
    this.pictures.replaceChildren(key, ...shown);
  }
}

/** A rule in a few letters. */
function cut(threshold: string): string {
  return threshold === "inf" ? "flag nothing" : `≥ ${threshold}`;
}

function known(value: number | null): string {
  return value === null ? "–" : decimals(value);
}

function ends(lower: number | null, upper: number | null): string {
  return lower === null || upper === null ? "" : ` (${decimals(lower)} to ${decimals(upper)})`;
}
