/**
 * Settings as text: for the fragment of the page's address, and for saved reports.
 *
 * The text has one entry for each field that differs from the settings at the start, such as
 * `beta=2&prevalence=0.01&hide=linear`. A reader takes what is valid, field by field, and ignores
 * the rest: other words, numbers out of range, models that this report does not have.
 */

import { exact, numberIn } from "./format";
import type { Model } from "./model";
import { GOAL_NAMES } from "./objective";
import { INTERPOLATIONS } from "./spaces/pr";
import {
  GROUP_ORDERS,
  PANEL_NAMES,
  THEMES,
  type Cursor,
  type Settings,
  type Sorting,
  type Zoom,
} from "./state";
import { completed } from "./table";
import { INDEX_NAMES } from "./tradeoff";

/** What a field may depend on: the models, and the fields above it. */
interface About {
  readonly models: readonly Model[];
  readonly settings: Settings;
}

interface Field<Value> {
  /** The name in the text. */
  readonly key: string;
  /** A value as one text or several; every value has at least one. */
  write(value: Value, about: About): readonly string[];
  /** Undefined where the texts are no value of this field. */
  read(texts: readonly string[], about: About): Value | undefined;
}

/** One entry for each field, in the order in which they are read; null where it is not kept. */
export const FIELDS: { readonly [Name in keyof Settings]: Field<Settings[Name]> | null } = {
  goal: choice("matters", GOAL_NAMES),
  beta: number("beta", 0, 1e9, true),
  missCost: number("miss-cost", 0, 1e12),
  falseAlarmCost: number("false-alarm-cost", 0, 1e12),
  minPrecision: number("min-precision", 0, 1),
  minRecall: number("min-recall", 0, 1),
  maxFpr: number("max-fpr", 0, 1),
  minSpecificity: number("min-specificity", 0, 1),
  budget: number("budget", 0, 1e15),
  budgetItems: optional(number("budget-items", 1e-300, 1e15), "rows"),
  index: choice("index", INDEX_NAMES),
  prevalence: optional(number("prevalence", 1e-9, 1 - 1e-9), "data"),
  otherClass: flag("negatives"),
  hidden: models("hide"),
  forward: models("forward"),
  panels: choices("panels", PANEL_NAMES),
  closeUps: choices("near", PANEL_NAMES),
  curve: flag("curves"),
  hull: flag("hulls"),
  interpolation: choice("interpolation", INTERPOLATIONS),
  isolines: flag("isolines"),
  baselines: flag("baselines"),
  unachievable: flag("unachievable"),
  bands: flag("bands"),
  preferred: optional(model("model"), ""),
  chosen: optional(cursor("point"), "best"),
  hovered: null,
  typed: optional(number("threshold", -Infinity, Infinity), "none"),
  zooms: zooms("zoom"),
  sorting: optional(sorting("sort"), "none"),
  theme: choice("theme", THEMES),
  groupOrder: choice("group-order", GROUP_ORDERS),
  groupSearch: single("group-search", inText, (given) => given),
};

const NAMES = Object.keys(FIELDS) as (keyof Settings)[];

/** Whether a field is kept; what the pointer hovers over is not. */
export function isKept(name: keyof Settings): boolean {
  return FIELDS[name] !== null;
}

/** The entries of the fields that differ from the settings at the start. */
export function entries(
  settings: Settings,
  start: Settings,
  models: readonly Model[],
): [key: string, text: string][] {
  return NAMES.flatMap((name) => {
    const [texts, usual] = [settings, start].map((each) => written(name, each, models));
    const same = texts!.length === usual!.length && texts!.every((text, at) => text === usual![at]);
    return same ? [] : texts!.map((text): [string, string] => [FIELDS[name]!.key, text]);
  });
}

function written<Name extends keyof Settings>(
  name: Name,
  settings: Settings,
  models: readonly Model[],
): readonly string[] {
  const field: Field<Settings[Name]> | null = FIELDS[name];
  return field ? field.write(settings[name], { models, settings }) : [];
}

export function toText(settings: Settings, start: Settings, models: readonly Model[]): string {
  const text = new URLSearchParams(entries(settings, start, models)).toString();
  // Legal in a fragment as they are, and easier to read.
  return text.replace(/%(?:40|3A|2C|2F)/g, decodeURIComponent);
}

/** The settings in one line, for paper, which has no theme: β, and whatever else differs from the settings at the start. */
export function said(settings: Settings, start: Settings, models: readonly Model[]): string {
  const changed = entries(settings, start, models).filter(
    ([key]) => key !== "beta" && key !== "theme",
  );
  const all = [["beta", exact(settings.beta)] as const, ...changed];
  return `Settings: ${all.map(([key, text]) => `${key} ${text}`).join("; ")}; all others as the report was made.`;
}

export function fromText(text: string, start: Settings, models: readonly Model[]): Settings {
  const given = new URLSearchParams(text);
  return NAMES.reduce((settings, name) => read(name, given, { models, settings }), start);
}

function read<Name extends keyof Settings>(
  name: Name,
  given: URLSearchParams,
  about: About,
): Settings {
  const field: Field<Settings[Name]> | null = FIELDS[name];
  const texts = field ? given.getAll(field.key) : [];
  const value = texts.length ? field!.read(texts, about) : undefined;
  return value === undefined ? about.settings : { ...about.settings, [name]: value };
}

// ---------------------------------------------------------------------- kinds of fields

function single<Value>(
  key: string,
  write: (value: Value, about: About) => string,
  read: (text: string, about: About) => Value | undefined,
): Field<Value> {
  return {
    key,
    write: (value, about) => [write(value, about)],
    read: (texts, about) => read(texts.at(-1)!, about),
  };
}

/** The number that a text is; undefined of any other text. */
export function parseNumber(text: string): number | undefined {
  return numberIn(text.trim().replace(/^[−–]/, "-").replace("∞", "inf"));
}

function number(key: string, least: number, most: number, orInfinite = false): Field<number> {
  return single(key, exact, (text) => {
    const value = parseNumber(text) ?? NaN;
    const isInside = value >= least && value <= most;
    return isInside || (orInfinite && value === Infinity) ? value : undefined;
  });
}

function choice<Name extends string>(key: string, names: readonly Name[]): Field<Name> {
  return single<Name>(
    key,
    (name) => name,
    (text) => names.find((name) => name === text),
  );
}

function flag(key: string): Field<boolean> {
  return single<boolean>(
    key,
    (value) => (value ? "yes" : "no"),
    (text) => (text === "yes" ? true : text === "no" ? false : undefined),
  );
}

/** Some of several words, `roc,pr`. */
function choices<Word extends string>(
  key: string,
  words: readonly Word[],
): Field<ReadonlySet<Word>> {
  return single<ReadonlySet<Word>>(
    key,
    (chosen) => words.filter((word) => chosen.has(word)).join() || "none",
    (text) => {
      const given = text.split(",");
      const chosen = words.filter((word) => given.includes(word));
      return chosen.length || text === "none" ? new Set(chosen) : undefined;
    },
  );
}

/** A field that may be null, which is written as a word. */
function optional<Value>(field: Field<Value>, none: string): Field<Value | null> {
  return {
    key: field.key,
    write: (value, about) => (value === null ? [none] : field.write(value, about)),
    read: (texts, about) => (texts.at(-1) === none ? null : field.read(texts, about)),
  };
}

/** The place of a model, by its name. */
function model(key: string): Field<number> {
  return single(
    key,
    (place, { models }) => inText(models[place]!.name),
    (text, { models }) => placeOf(text, models),
  );
}

/** Places of models in their order, one entry for each name. */
function models(key: string): Field<ReadonlySet<number>> {
  return {
    key,
    write: (places, { models }) =>
      places.size
        ? models.filter((_, place) => places.has(place)).map(({ name }) => inText(name))
        : [""],
    read: (texts, { models }) => {
      const places = texts.map((text) => placeOf(text, models));
      const known = places.filter((place) => place !== undefined);
      return known.length || texts.every((text) => !text) ? new Set(known) : undefined;
    },
  };
}

/** A name as an address holds it: a half of a pair of surrogates becomes the mark for it. */
export function inText(name: string): string {
  return new URLSearchParams({ name }).get("name")!;
}

function placeOf(text: string, models: readonly Model[]): number | undefined {
  const place = models.findIndex(({ name }) => inText(name) === text);
  return place < 0 ? undefined : place;
}

/** A model and its threshold, `forest@0.25`; or the number of the row, `forest@row3`. */
function cursor(key: string): Field<Cursor> {
  const thresholdsOf = ({ models, settings }: About, place: number): Float64Array => {
    const { labels, thresholds } = completed(models[place]!.table);
    // Sets have names, and no thresholds.
    if (labels) return thresholds.slice().fill(NaN);
    return settings.otherClass ? thresholds.slice().reverse() : thresholds;
  };
  return single<Cursor>(
    key,
    (point, about) => {
      const thresholds = thresholdsOf(about, point.model);
      const threshold = thresholds[point.row]!;
      // Two rows may stand at +inf: the empty rule, and scores of +inf.
      const isOnly =
        thresholds.indexOf(threshold) === point.row &&
        thresholds.lastIndexOf(threshold) === point.row;
      const where = isOnly ? exact(threshold) : `row${point.row}`;
      return `${inText(about.models[point.model]!.name)}@${where}`;
    },
    (text, about) => {
      const at = text.lastIndexOf("@");
      const place = placeOf(text.slice(0, at), about.models);
      if (at < 0 || place === undefined) return undefined;
      const thresholds = thresholdsOf(about, place);
      const where = text.slice(at + 1);
      const [, position] = /^row(\d{1,9})$/.exec(where) ?? [];
      const row = position ? Number(position) : thresholds.indexOf(parseNumber(where) ?? NaN);
      return row >= 0 && row < thresholds.length ? { model: place, row } : undefined;
    },
  );
}

const MOST_ZOOM = 50;

/** Panels with scale, left and upper end, `ROC:4,0,1`. */
function zooms(key: string): Field<ReadonlyMap<string, Zoom>> {
  return {
    key,
    write: (panels) =>
      panels.size
        ? [...panels].map(([name, { scale, left, top }]) => `${name}:${scale},${left},${top}`)
        : ["none"],
    read: (texts) => {
      const panels = new Map<string, Zoom>();
      for (const text of texts) {
        const [name, ends] = text.split(":");
        const numbers = (ends ?? "").split(",").map(parseNumber);
        if (numbers.length !== 3 || !numbers.every((each) => Math.abs(each ?? NaN) <= 1e3))
          continue;
        const [scale, left, top] = numbers as [number, number, number];
        if (scale >= 0.5 && scale <= MOST_ZOOM) panels.set(name!, { scale, left, top });
      }
      return panels.size || texts.includes("none") ? panels : undefined;
    },
  };
}

/** A column of the table of models and a direction, with a comma between them. */
function sorting(key: string): Field<Sorting> {
  return single<Sorting>(
    key,
    ({ column, falling }) => `${inText(column)},${falling ? "falling" : "rising"}`,
    (text) => {
      const [, column, order] = /^(.+),(falling|rising)$/s.exec(text) ?? [];
      return column ? { column, falling: order === "falling" } : undefined;
    },
  );
}
