/** Groups of rows: does one threshold serve all of them? */

import { freshId, h } from "../dom";
import { counted, decimals, levelSaid, percent, shortened } from "../format";
import { inText } from "../fragment";
import { Names } from "../names";
import {
  GROUP_ORDERS,
  GROUP_SPACES,
  type GroupOrder,
  type GroupStyle,
  type Settings,
  type Store,
} from "../state";
import type { ModelView, View } from "../view";
import type { GroupData, GroupsData } from "./data";
import { LOOKS } from "../looks";
import { overlay, smallMultiple, SPACES, swatch } from "./drawing";

const LETTERS = 48;
/** So many small pictures are drawn at first. */
const PICTURES = 24;
/** From so many groups on they can be searched. */
const SEARCHED = 9;

const ORDERS: Record<GroupOrder, string> = {
  worst: "served worst first",
  gain: "most to gain first",
  size: "largest first",
  name: "by name",
};

/** The settings that change the table and the curves. */
const FIELDS = [
  "groupOrder",
  "groupSearch",
  "groupAlone",
  "groupModel",
  "groupSpace",
  "groupStyle",
  "groupsAll",
  "hidden",
] as const satisfies readonly (keyof Settings)[];

export class Groups {
  readonly element: HTMLElement;
  private readonly body = h("tbody");
  private readonly pictures = h("div", { class: "group-pictures" });
  private readonly more = h("button", { type: "button", class: "small", hidden: true });
  private readonly count = h("p", { class: "note", role: "status" });
  private readonly model: HTMLSelectElement;
  private readonly order: HTMLSelectElement;
  private readonly space: HTMLSelectElement;
  private readonly search: HTMLInputElement;
  private readonly styles = new Map<GroupStyle, HTMLInputElement>();
  private readonly names: Names;
  private settings: Settings;
  private view: View | null = null;
  private seen = false;

  constructor(
    private readonly data: GroupsData,
    private readonly store: Store,
    private readonly modelNames: readonly string[],
  ) {
    this.settings = store.settings;
    this.names = new Names([...modelNames, ...data.rows.map(({ name }) => name)]);
    const models = [...new Set(data.rows.flatMap(({ curves }) => Object.keys(curves)))];
    this.model = this.choice(
      "Model",
      models,
      (name) => name,
      (name) => {
        const place = modelNames.indexOf(name);
        this.set({ groupModel: place < 0 || name === data.model ? null : place });
      },
    );
    this.order = this.choice(
      "Order",
      GROUP_ORDERS,
      (name) => ORDERS[name],
      (groupOrder) => this.set({ groupOrder }),
    );
    this.space = this.choice(
      "Space",
      GROUP_SPACES,
      (name) => SPACES[name],
      (groupSpace) => this.set({ groupSpace }),
    );
    this.search = h("input", {
      type: "search",
      placeholder: "Find a group",
      "aria-label": "Find a group",
    });
    this.search.addEventListener("input", () => this.set({ groupSearch: this.search.value }));
    this.more.addEventListener("click", () => this.set({ groupsAll: true }));
    const [first, ...others] = data.lines.map((line) => this.names.in(line));
    this.element = h(
      "section",
      { class: "groups", "aria-label": "Groups" },
      h("h2", {}, "Does one threshold serve all groups?"),
      h("p", { class: "first" }, ...(first ?? [])),
      ...others.map((line) => h("p", {}, ...line)),
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
          ...this.names.in(
            `Common rule: ${model}, ${cut(threshold)}, chosen for ${objective} on all rows.` +
              (intervals ? ` Intervals of ${levelSaid(level)} in brackets.` : ""),
          ),
        ),
      ),
      h("tr", {}, ...names.map((name) => h("th", { scope: "col" }, name))),
    );
  }

  private tools(): HTMLElement {
    return h(
      "div",
      { class: "group-tools" },
      this.data.rows.length >= SEARCHED ? this.search : null,
      this.order.parentElement,
    );
  }

  private curves(models: readonly string[]): HTMLElement {
    const styles = h("fieldset", { class: "group-style" }, h("legend", {}, "Curves"));
    const name = freshId("group-style");
    for (const [style, label] of [
      ["each", "one picture each"],
      ["overlay", "all in one"],
    ] as const) {
      const box = h("input", { type: "radio", name, value: style });
      box.addEventListener("change", () => this.set({ groupStyle: style }));
      this.styles.set(style, box);
      styles.append(h("label", {}, box, h("span", {}, label)));
    }
    return h(
      "div",
      {},
      h(
        "div",
        { class: "group-tools" },
        styles,
        this.space.parentElement,
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
    change: (name: Name) => void,
  ): HTMLSelectElement {
    const id = freshId("group-choice");
    const box = h(
      "select",
      { id },
      ...names.map((name) => h("option", { value: name }, shortened(text(name), LETTERS))),
    );
    box.addEventListener("change", () => change(box.value as Name));
    h("span", { class: "group-choice" }, h("label", { for: id }, label), box);
    return box;
  }

  private leftOut(): HTMLElement | null {
    const { leftOut, nLeftOut, smaller } = this.data;
    const names = new Names(leftOut.map(([name]) => name));
    const said = leftOut.map(([name, why]) => names.in(`${name}: ${why}`));
    const more = nLeftOut - leftOut.length;
    if (more > 0) said.push([`and ${counted(more)} more`]);
    if (smaller > 0)
      said.push([
        `${counted(smaller)} smaller group${smaller > 1 ? "s are" : " is"} not on this page; ` +
          "isometrics verdict FILE --group COLUMN lists all",
      ]);
    if (!said.length) return null;
    return h(
      "details",
      { class: "more" },
      h("summary", {}, `${counted(nLeftOut + smaller)} left out`),
      h("ul", {}, ...said.map((parts) => h("li", {}, ...parts))),
    );
  }

  private get chosen(): GroupData[] {
    const { rows, higherIsBetter } = this.data;
    const { groupOrder, groupSearch } = this.settings;
    const sought = groupSearch.trim().toLowerCase();
    const found = rows.filter(({ name }) => name.toLowerCase().includes(sought));
    const number = (value: number | null): number => value ?? NaN;
    const by = (key: (group: GroupData) => number): GroupData[] =>
      found.sort((one, two) => {
        const [a, b] = [key(one), key(two)];
        return Number.isNaN(a) || Number.isNaN(b)
          ? Number(Number.isNaN(a)) - Number(Number.isNaN(b))
          : a - b;
      });
    if (groupOrder === "gain") return by(({ gain }) => -number(gain));
    if (groupOrder === "size") return by(({ positives, negatives }) => -positives - negatives);
    if (groupOrder === "name")
      return found.sort((one, two) =>
        one.name.localeCompare(two.name, undefined, { numeric: true }),
      );
    return by(({ value }) => (higherIsBetter ? 1 : -1) * number(value));
  }

  /** Sets something, and shows it at once. */
  private set(settings: Partial<Settings>): void {
    this.store.set(settings);
    this.settings = this.store.settings;
    this.showSettings();
    this.refresh();
  }

  /** Python's numbers stand; what follows the page is which models are hidden. */
  draw(view: View): void {
    const first = !this.view;
    const changed = FIELDS.some((name) => view.settings[name] !== this.settings[name]);
    if (!first && !changed) return;
    [this.view, this.settings] = [view, view.settings];
    this.showSettings();
    this.refresh();
    if (!first) return;
    // Curves that nobody looks at are not drawn; paper is looked at.
    const observer = new IntersectionObserver((seen) => {
      if (seen.some(({ isIntersecting }) => isIntersecting)) look();
    });
    const look = (): void => {
      observer.disconnect();
      paper.removeEventListener("change", look);
      this.seen = true;
      this.drawPictures();
    };
    const paper = matchMedia("print");
    paper.addEventListener("change", look);
    observer.observe(this.pictures);
  }

  /** The controls follow the settings, which an address or a step back may have changed. */
  private showSettings(): void {
    const { groupOrder, groupSearch, groupModel, groupSpace, groupStyle } = this.settings;
    this.order.value = groupOrder;
    this.space.value = groupSpace;
    this.model.value = groupModel === null ? this.data.model : this.modelNames[groupModel]!;
    if (this.search.value !== groupSearch) this.search.value = groupSearch;
    for (const [style, box] of this.styles) box.checked = style === groupStyle;
  }

  /** The name of the group that is shown alone; null where there is no such group. */
  private get isolated(): string | null {
    const { groupAlone } = this.settings;
    if (groupAlone === null) return null;
    const asked = inText(groupAlone);
    return this.data.rows.find(({ name }) => inText(name) === asked)?.name ?? null;
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
          this.set({ groupAlone: this.isolated === group.name ? null : group.name });
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
    const { groupSpace, groupStyle, groupsAll } = this.settings;
    if (groupStyle === "overlay") {
      this.more.hidden = true;
      const key = h("p", { class: "legend" });
      groups
        .slice(0, LOOKS)
        .forEach((group, place) =>
          key.append(h("span", {}, swatch(place), shortened(group.name, LETTERS))),
        );
      if (groups.length > LOOKS)
        key.append(h("span", {}, `${counted(groups.length - LOOKS)} more in grey`));
      const picture = overlay(groups, one, groupSpace, this.isolated);
      this.pictures.className = "group-pictures one";
      this.pictures.replaceChildren(picture, key);
      return;
    }
    const found = groups
      .filter(({ name }) => this.isolated === null || name === this.isolated)
      .map((group) => smallMultiple(group, one, groupSpace, marks))
      .filter((svg) => svg !== null);
    const shown = groupsAll ? found : found.slice(0, PICTURES);
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
