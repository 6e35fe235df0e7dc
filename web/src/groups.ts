/** Groups of rows: does one threshold serve all of them? */

import { choiceBox, freshId, h, headRow, s, scrolling } from "./dom";
import { counted, decimals, levelSaid, percent, shortened } from "./format";
import { tracePr } from "./lines";
import type { Model } from "./model";
import { Names } from "./names";
import { unpacked, type Packed } from "./packing";
import { textWidth } from "./panels/plane";
import * as pr from "./spaces/pr";
import type { GroupOrder, Settings, Store } from "./state";
import { curveTable, pathOf, type Table } from "./table";

export interface GroupsData {
  /** What the common rule was chosen for, such as F1. */
  readonly objective: string;
  readonly higherIsBetter: boolean;
  /** The common rule: scores of this model from this threshold on are flagged. */
  readonly model: string;
  readonly threshold: string;
  readonly level: number;
  /** Whether one threshold serves all groups, in words. */
  readonly lines: readonly string[];
  /** The group that the common rule serves worst comes first. */
  readonly rows: readonly GroupData[];
  /** Some of the groups that could not be judged, and why. */
  readonly leftOut: readonly (readonly [string, string])[];
  readonly nLeftOut: number;
  /** How many groups are too small to be among those here. */
  readonly smaller: number;
}

type Maybe = number | null;

/** One group; null is what is not known. */
interface GroupData {
  readonly name: string;
  readonly positives: number;
  readonly negatives: number;
  /** What the common rule achieves here. */
  readonly value: Maybe;
  readonly valueLower: Maybe;
  readonly valueUpper: Maybe;
  readonly counts: readonly [Maybe, Maybe];
  /** The best threshold of the common model here; empty where there is none. */
  readonly ownThreshold: string;
  readonly ownCounts: readonly [Maybe, Maybe];
  /** How much better it is to be expected to be than the common one. */
  readonly gain: Maybe;
  readonly gainLower: Maybe;
  readonly gainUpper: Maybe;
  /** The group's own verdict. */
  readonly model: string;
  readonly threshold: string;
  readonly expected: Maybe;
  readonly lower: Maybe;
  readonly upper: Maybe;
  readonly sentence: string;
  /** That of the common model; null where the group lacks it. */
  readonly curve: {
    readonly tp: Packed;
    readonly fp: Packed;
    readonly positives: number;
    readonly negatives: number;
  } | null;
}

const LETTERS = 48;
/** From so many groups on they can be searched. */
const SEARCHED = 9;

const ORDERS: readonly (readonly [GroupOrder, string])[] = [
  ["worst", "served worst first"],
  ["gain", "most to gain first"],
  ["size", "largest first"],
  ["name", "by name"],
];

export class Groups {
  readonly element: HTMLElement;
  private readonly body = h("tbody");
  private readonly pictures = h("div.group-pictures");
  private readonly count = h("p.note", { role: "status" });
  private readonly order: HTMLSelectElement;
  private readonly search: HTMLInputElement;
  private readonly names: Names;
  private drawn = "";

  constructor(
    private readonly data: GroupsData,
    store: Store,
    private readonly models: readonly Model[],
  ) {
    const names = [...models, ...data.rows].map(({ name }) => name);
    this.names = new Names(names);
    const id = freshId("group-order");
    this.order = choiceBox(ORDERS, (groupOrder) => store.set({ groupOrder }), { id });
    const said = "Find a group";
    this.search = h("input", { type: "search", placeholder: said, "aria-label": said });
    this.search.addEventListener("input", () => store.set({ groupSearch: this.search.value }));
    const [first, ...others] = data.lines.map((line) => this.names.in(line));
    this.element = h(
      "section.groups",
      { "aria-label": "Groups" },
      h("h2", "Does one threshold serve all groups?"),
      h("p.first", ...(first ?? [])),
      ...others.map((line) => h("p", ...line)),
      h(
        "div.group-tools",
        data.rows.length >= SEARCHED && this.search,
        h("span.group-choice", h("label", { for: id }, "Order"), this.order),
      ),
      scrolling("Table of groups", true, this.head(), this.body),
      this.count,
      this.leftOut(),
      this.pictures,
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
    const rule =
      `Common rule: ${model}, ${cut(threshold)}, chosen for ${objective} on all rows.` +
      (intervals ? ` Intervals of ${levelSaid(level)} in brackets.` : "");
    return h(
      "thead",
      h("tr.common", h("td", { colspan: names.length }, ...this.names.in(rule))),
      headRow(...names),
    );
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
      "details.more",
      h("summary", `${counted(nLeftOut + smaller)} left out`),
      h("ul", ...said.map((parts) => h("li", ...parts))),
    );
  }

  private chosen(order: GroupOrder, search: string): GroupData[] {
    const { rows, higherIsBetter } = this.data;
    const sought = search.trim().toLowerCase();
    const found = rows.filter(({ name }) => name.toLowerCase().includes(sought));
    if (order === "name")
      return found.sort((one, two) =>
        one.name.localeCompare(two.name, undefined, { numeric: true }),
      );
    const keys: Record<typeof order, (group: GroupData) => number | null> = {
      worst: ({ value }) => value && (higherIsBetter ? value : -value),
      gain: ({ gain }) => gain && -gain,
      size: ({ positives, negatives }) => -positives - negatives,
    };
    // What is not known comes last.
    const key = (group: GroupData): number => keys[order](group) ?? Number.MAX_VALUE;
    return found.sort((one, two) => key(one) - key(two));
  }

  /** Python's numbers stand, whatever the settings are. */
  draw({ groupOrder, groupSearch }: Settings): void {
    const key = `${groupOrder} ${groupSearch}`;
    if (key === this.drawn) return;
    this.drawn = key;
    this.order.value = groupOrder;
    if (this.search.value !== groupSearch) this.search.value = groupSearch;
    const chosen = this.chosen(groupOrder, groupSearch);
    this.body.replaceChildren(...chosen.map((group) => this.row(group)));
    const [some, all] = [chosen.length, this.data.rows.length];
    this.count.textContent = some < all ? `${counted(some)} of ${counted(all)} groups.` : "";
    this.drawPictures(chosen);
  }

  private row(group: GroupData): HTMLElement {
    const total = group.positives + group.negatives;
    const many = this.data.rows.some(({ model }) => model !== this.data.model);
    const sure = group.gainLower !== null && group.gainLower > 0;
    const gain =
      group.gain === null
        ? "–"
        : `${group.gain < 0 ? "" : "+"}${decimals(group.gain)}${ends(group.gainLower, group.gainUpper)}`;
    const own = `${many ? `${shortened(group.model, 24)} ` : ""}${cut(group.threshold)}`;
    return h(
      "tr",
      h("th", { scope: "row", title: group.name }, shortened(group.name, LETTERS) || "(no name)"),
      h("td", counted(total)),
      h("td", percent(group.positives / total)),
      h("td", `${known(group.value)}${ends(group.valueLower, group.valueUpper)}`),
      h("td", group.ownThreshold ? cut(group.ownThreshold) : "–"),
      h("td", { class: sure ? "sure" : "" }, gain),
      h("td", { title: group.sentence }, own),
      h("td", `${known(group.expected)}${ends(group.lower, group.upper)}`),
    );
  }

  private drawPictures(groups: readonly GroupData[]): void {
    const all = this.models.find(({ name }) => name === this.data.model)!;
    const drawn = groups.flatMap((group) => smallPicture(group, all.table) ?? []);
    const key =
      "Precision over recall. Grey: all rows. Filled: the common threshold. Hollow: the group's own best one.";
    this.pictures.replaceChildren(h("p.legend", drawn.length > 0 && key), ...drawn);
  }
}

/** A rule in a few letters. */
function cut(threshold: string): string {
  return threshold === "inf" ? "flag nothing" : `≥ ${threshold}`;
}

function known(value: Maybe): string {
  return value === null ? "–" : decimals(value);
}

function ends(lower: Maybe, upper: Maybe): string {
  return lower === null || upper === null ? "" : ` (${decimals(lower)} to ${decimals(upper)})`;
}

/** The side of a picture, and the places of its left and its lower edge, in pixels. */
const [SIZE, LEFT] = [200, 26];
const INSIDE = SIZE - LEFT - 6;

/** A share as a place inside a picture; far outside is as good as anywhere there. */
function at(share: number): string {
  return (LEFT + Math.max(-1, Math.min(share, 2)) * INSIDE).toFixed(1);
}

function curve(name: string, table: Table): SVGPathElement | null {
  const path = pathOf(table);
  const line = path && tracePr(table, path, "davis-goadrich", SIZE, SIZE);
  return (
    line &&
    s("path", { class: name, d: `M${line.map(([x, y]) => `${at(x)},${at(1 - y)}`).join("L")}` })
  );
}

function mark(
  name: string,
  { positives, negatives }: GroupData,
  counts: GroupData["counts"],
): SVGElement | null {
  const [tp, fp] = counts;
  if (tp === null || fp === null || tp + fp === 0) return null;
  const table = curveTable(Float64Array.of(tp), Float64Array.of(fp), positives, negatives);
  return s("circle", { class: name, cx: at(pr.x(table, 0)), cy: at(1 - pr.y(table, 0)), r: 4 });
}

/** As much of a name as so many pixels show, in the bold letters of titles. */
function fitting(name: string, width: number): string {
  let letters = 28;
  while (letters > 3 && 1.15 * textWidth(shortened(name, letters), 13) > width) letters--;
  return shortened(name, letters);
}

let serial = 0;

/** A group before the curve of all rows, with the common rule and its own best threshold. */
function smallPicture(group: GroupData, all: Table): SVGSVGElement | null {
  if (!group.curve) return null;
  const { tp, fp, positives, negatives } = group.curve;
  const own = curveTable(unpacked(tp), unpacked(fp), positives, negatives);
  const clip = `group-clip-${serial++}`;
  const box = { x: LEFT, y: LEFT, width: INSIDE, height: INSIDE };
  const axis = { class: "group-axis", x: LEFT + INSIDE / 2 };
  const upwards = `translate(11,${LEFT + INSIDE / 2}) rotate(-90)`;
  const title = `${group.name}: precision over recall`;
  return s(
    "svg",
    { viewBox: `0 0 ${SIZE} ${SIZE + 14}`, role: "img", "aria-label": title },
    s("clipPath", { id: clip }, s("rect", box)),
    s("rect.plot", { ...box }),
    s(
      "g",
      { "clip-path": `url(#${clip})` },
      curve("group-all", all),
      curve("group-curve", own),
      mark("group-common", group, group.counts),
      mark("group-own", group, group.ownCounts),
    ),
    s("text", { ...axis, y: SIZE + 9 }, "recall"),
    s("text.group-axis", { transform: upwards }, "precision"),
    ...[0, 1].map((end) => s("text", { ...axis, x: at(end), y: SIZE }, String(end))),
    s("text.group-title", { x: LEFT, y: 16 }, fitting(group.name, SIZE - LEFT)),
  );
}
