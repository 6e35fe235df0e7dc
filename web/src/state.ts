/** What the reader has set, and who wants to know of changes. */

import type { Goal } from "./objective";
import { weights, type Interpolation } from "./spaces/pr";
import type { IndexName } from "./tradeoff";

/** An operating point: a row of the table of a model. */
export interface Cursor {
  readonly model: number;
  readonly row: number;
}

export const PANEL_NAMES = [
  "roc",
  "pr",
  "prg",
  "tradeoff",
  "promised",
  "reliability",
  "gains",
  "lift",
  "net-benefit",
  "scores",
] as const;
export type PanelName = (typeof PANEL_NAMES)[number];

/** "auto" is the theme of the system, or of the notebook. */
export const THEMES = ["auto", "light", "dark"] as const;
export type Theme = (typeof THEMES)[number];

/** The part of a panel that is shown: its scale, and its left and upper ends in units of the axes. */
export interface Zoom {
  readonly scale: number;
  readonly left: number;
  readonly top: number;
}

/** How the table of models is sorted. */
export interface Sorting {
  readonly column: string;
  readonly falling: boolean;
}

export const GROUP_ORDERS = ["worst", "gain", "size", "name"] as const;
export type GroupOrder = (typeof GROUP_ORDERS)[number];

/**
 * What the reader can set, as it is at first. Each field has an entry in fragment.ts, which keeps it
 * in the address and in saved reports.
 */
export const INITIAL = {
  goal: "f" as Goal,
  beta: 1,
  missCost: 10,
  falseAlarmCost: 1,
  minPrecision: 0.9,
  minRecall: 0.9,
  maxFpr: 0.01,
  minSpecificity: 0.99,
  /** The most rows that are flagged, of so many items; null: of the rows here. */
  budget: 100,
  budgetItems: null as number | null,
  index: "f-measure" as IndexName,
  /** Null: as in the data. */
  prevalence: null as number | null,
  /** Whether the negatives are the class of interest. */
  otherClass: false,
  hidden: new Set() as ReadonlySet<number>,
  /** Models that were searched for: of many, they have a colour first. */
  forward: new Set() as ReadonlySet<number>,
  panels: new Set(["roc", "pr", "prg", "tradeoff", "scores"]) as ReadonlySet<PanelName>,
  /** Panels that show where the curves are instead of the whole plane. */
  closeUps: new Set() as ReadonlySet<PanelName>,
  curve: true,
  hull: true,
  interpolation: "davis-goadrich" as Interpolation,
  isolines: true,
  baselines: true,
  unachievable: true,
  bands: true,
  /** The point the reader chose; null: the best one for β. */
  chosen: null as Cursor | null,
  /** The point under the pointer. */
  hovered: null as Cursor | null,
  /** The model of the last point that was chosen; null: the leading one. */
  preferred: null as number | null,
  /** A threshold that the reader typed. */
  typed: null as number | null,
  /** The panels that are zoomed, by the names of their spaces. */
  zooms: new Map() as ReadonlyMap<string, Zoom>,
  /** Null: in the order of the report. */
  sorting: null as Sorting | null,
  theme: "auto" as Theme,
  groupOrder: "worst" as GroupOrder,
  /** What the names of the groups shown contain. */
  groupSearch: "",
};
export type Settings = Readonly<typeof INITIAL>;

type Listener = (settings: Settings, changed: ReadonlySet<keyof Settings>) => void;

export class Store {
  private current: Settings = INITIAL;
  private readonly listeners: Listener[] = [];

  get settings(): Settings {
    return this.current;
  }

  subscribe(listener: Listener): void {
    this.listeners.push(listener);
  }

  set(given: Partial<Settings>): void {
    const patch = given.chosen ? { ...given, preferred: given.chosen.model } : given;
    const changed = new Set(
      (Object.keys(patch) as (keyof Settings)[]).filter(
        (name) => !same(patch[name], this.current[name]),
      ),
    );
    if (!changed.size) return;
    this.current = { ...this.current, ...patch };
    for (const listener of this.listeners) listener(this.current, changed);
  }
}

function same(one: unknown, two: unknown): boolean {
  if (one && two && typeof one === "object" && "row" in one) {
    const [a, b] = [one as Cursor, two as Cursor];
    return a.model === b.model && a.row === b.row;
  }
  return Object.is(one, two);
}

/** The cost proportion of false alarms: a half, unless money matters. */
export function costOf({ goal, missCost, falseAlarmCost }: Settings): number {
  return goal === "money" ? falseAlarmCost / (missCost + falseAlarmCost) : 0.5;
}

/** λ = β²/(1+β²), the weight of recall. */
export function lambdaOf(beta: number): number {
  return weights(beta)[0];
}

export function betaOf(lam: number): number {
  return Math.sqrt(lam / (1 - lam));
}

/** A set with a value if it lacked it, and else without. */
export function toggled<Value>(values: ReadonlySet<Value>, value: Value): ReadonlySet<Value> {
  const next = new Set(values);
  if (!next.delete(value)) next.add(value);
  return next;
}
