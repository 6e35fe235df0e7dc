/** What the settings make of the models: tables, hulls, areas, winners, best rows. */

import { Fraction } from "./arithmetic";
import { looksOf, type Looks } from "./looks";
import {
  AREA_OF,
  areaBetween,
  areasOf,
  AUROC,
  type BoundedMeasure,
  type Bracket,
} from "./measures";
import { numberOf, type Confidence, type Model, type Picture } from "./model";
import {
  bestForConstraint,
  bestForCosts,
  bestForF,
  gainOf,
  objectiveOf,
  optimaOf,
  type Objective,
} from "./objective";
import { lambdaOf, type Cursor, type Settings } from "./state";
import {
  atPrevalence,
  completed,
  countsAt,
  ofOtherClass,
  pathOf,
  take,
  vertices,
  type Table,
} from "./table";
import {
  INDICES,
  samePrevalence,
  tradeoffOf,
  winnersAt,
  winnersOf,
  type Range,
  type Tradeoff,
} from "./tradeoff";
import { chosenHere, tunedLeader } from "./tuned";
import { rowsAt } from "./typed";

/** A model as it is seen under the settings. */
export type ModelView = ReturnType<typeof seen>;

export interface View {
  readonly settings: Settings;
  readonly lam: number;
  readonly confidence: Confidence;
  /** How many items the first model was counted on, or their weight. */
  readonly items: number;
  /** Whether the models are the classes of one classifier, which are no rivals. */
  readonly classes: boolean;
  readonly models: readonly ModelView[];
  readonly shown: readonly ModelView[];
  readonly tradeoffs: ReadonlyMap<number, Tradeoff>;
  /** By the index chosen; null where models cannot be compared. */
  readonly winners: readonly Range[] | null;
  /** By the F-measure, for the sentences about β. */
  readonly fWinners: readonly Range[] | null;
  /** What matters. */
  readonly objective: Objective;
  /**
   * The row of each shown model that its verdict chose; where none is known, the best row, chosen on
   * the tuning data where there is any. None of a model that cannot keep a constraint.
   */
  readonly best: ReadonlyMap<number, number>;
  /** Whether a verdict chose them, and not what is best on these rows. */
  readonly judged: boolean;
  /** How the models look. */
  readonly looks: Looks;
  /** The best model; of classes the first one. */
  readonly leader: number;
}

/** Makes views, and keeps what a change does not touch. */
export class Views {
  private tables: { key: string; models: ModelView[] } | null = null;
  private curves: { key: string; part: Pick<View, "tradeoffs" | "winners" | "fWinners"> } | null =
    null;
  private areas = new Map<string, Bracket>();
  private looks: Looks = new Map();
  private ruled: { verdict: Picture; models: readonly ModelView[] | null } | null = null;

  constructor(
    private readonly models: readonly Model[],
    private readonly confidence: Confidence,
    private readonly classes = false,
    private readonly verdictOn: (settings: Settings) => Picture | null = () => null,
  ) {}

  of(settings: Settings): View {
    const key = `${settings.otherClass} ${settings.prevalence}`;
    if (this.tables?.key !== key) {
      this.tables = {
        key,
        models: this.models.map((model, place) => seen(model, place, settings)),
      };
      this.curves = null;
      this.ruled = null;
      this.areas.clear();
    }
    const isShown = ({ place }: ModelView): boolean => !settings.hidden.has(place);
    const curvesKey = `${settings.index} ${[...settings.hidden].join()}`;
    if (this.curves?.key !== curvesKey)
      this.curves = {
        key: curvesKey,
        part: compared(this.tables.models.filter(isShown), settings, this.classes),
      };
    const [first] = this.models;
    const items = first ? first.table.positives + first.table.negatives : 0;
    const objective = objectiveOf(settings, items);
    const best = new Map<number, number>();
    const verdict = this.verdictOn(settings);
    if (verdict && this.ruled?.verdict !== verdict)
      this.ruled = { verdict, models: ruledBy(verdict, this.tables.models) };
    const ruled = verdict && this.ruled!.models;
    const judged = ruled !== null;
    const models = (ruled ?? this.tables.models).map((one) => {
      if (!isShown(one)) return one;
      const [cut, row] = judged
        ? [one, one.rule?.row ?? null]
        : chosenHere(one, settings, objective);
      if (row !== null) best.set(one.place, row);
      return cut;
    });
    const shown = models.filter(isShown);
    const lam = lambdaOf(settings.beta);
    const { confidence, classes } = this;
    const rules = { objective, best, judged };
    const common = { settings, lam, confidence, items, classes, models, shown, ...rules };
    const view = { ...common, ...this.curves.part };
    this.looks = looksOf(view, this.looks);
    const leader = classes
      ? (shown[0]?.place ?? 0)
      : judged
        ? models.findIndex(({ model }) => model.name === verdict!.chosen)
        : (tunedLeader(shown, settings, objective) ?? leaderOf(view));
    return { ...view, looks: this.looks, leader };
  }

  /** An area under the settings: from all rows where they are known, else its limits. */
  area(one: ModelView, measure: BoundedMeasure, settings: Settings): Bracket {
    const given = one.model.areas.get(measure) ?? [NaN, NaN];
    // Neither the prevalence nor the choice of the class changes the area under a ROC curve.
    if (measure === AUROC || (!settings.otherClass && settings.prevalence === null)) return given;
    const key = `${one.place} ${measure}`;
    let found = this.areas.get(key);
    if (!found) {
      found = one.complete ? areasOf(one.table)[measure] : areaBetween(one.table, measure);
      this.areas.set(key, found);
    }
    return found;
  }

  /** A measure that Python computed and the page cannot: it is that of the data as they are. */
  givenArea(one: ModelView, measure: string, settings: Settings): Bracket {
    const moved = settings.otherClass || settings.prevalence !== null;
    return (!moved && one.model.areas.get(measure)) || [NaN, NaN];
  }

  prArea(one: ModelView, settings: Settings): Bracket {
    return this.area(one, AREA_OF[settings.interpolation], settings);
  }
}

/** A table under the settings of the class of interest and of the prevalence. */
export function under(table: Table, { otherClass, prevalence }: Settings): Table {
  const turned = otherClass ? ofOtherClass(table) : table;
  return prevalence === null ? turned : atPrevalence(turned, prevalence);
}

export function seen(model: Model, place: number, settings: Settings) {
  const turned = under(completed(model.table), { ...settings, prevalence: null });
  // Scaling the false positives keeps the hull; on whole counts it is found exactly.
  const hullRows = vertices(turned.fp, turned.tp, turned.whole);
  const table = under(turned, { ...settings, otherClass: false });
  const hull = take(table, hullRows, "hull");
  return {
    place,
    model,
    table,
    /** Null where the points are not nested. */
    path: pathOf(table),
    hullRows,
    hull,
    hullPath: { x: hull.tp, y: hull.fp },
    optima: optimaOf(hull),
    /** Whether all rows are here, so that areas can be computed anew exactly. */
    complete: model.complete,
    /** The rule that a verdict chose: its threshold lies between two scores. */
    rule: null as { readonly row: number; readonly threshold: number } | null,
  };
}

/** Models with the rules of a verdict; null where this page does not have the row of one of them. */
function ruledBy(verdict: Picture, models: readonly ModelView[]): readonly ModelView[] | null {
  const ruled = models.map((one) => {
    const threshold = numberOf(
      verdict.models.find(({ name }) => name === one.model.name)?.threshold ?? NaN,
    );
    if (Number.isNaN(threshold)) return one;
    const { strict, lenient } = rowsAt(one.table, threshold, false);
    return strict === lenient ? { ...one, rule: { row: strict, threshold } } : null;
  });
  return ruled.every((one) => one !== null) ? ruled : null;
}

/** The threshold of a row: that of the verdict on it, or the lowest score that it flags. */
export function thresholdAt({ rule, table }: ModelView, row: number): number {
  return rule && rule.row === row ? rule.threshold : table.thresholds[row]!;
}

function compared(shown: readonly ModelView[], settings: Settings, classes: boolean) {
  const curvesOf = (name: Settings["index"]): Map<number, Tradeoff> =>
    new Map(shown.map((one) => [one.place, tradeoffOf(one.table, INDICES[name])]));
  const tradeoffs = curvesOf(settings.index);
  const comparable =
    !classes && shown.length > 1 && samePrevalence(shown.map(({ table }) => table));
  const ranges = (curves: Map<number, Tradeoff>): Range[] | null =>
    comparable
      ? winnersOf(new Map([...curves].map(([place, curve]) => [String(place), curve])))
      : null;
  const winners = ranges(tradeoffs);
  const fWinners = settings.index === "f-measure" ? winners : ranges(curvesOf("f-measure"));
  return { tradeoffs, winners, fWinners };
}

/** The row of the table that is best for an objective; null where none keeps its constraint. */
export function bestRowFor(one: ModelView, { beta, costs, constraint }: Objective): number | null {
  if (constraint) return bestForConstraint(one.table, constraint);
  if (!costs) return bestForF(one.table, one.hull, one.hullRows, one.optima, beta!);
  return bestForCosts(one.table, one.hullRows, [Fraction.of(costs[0]), Fraction.of(costs[1])]);
}

function leaderOf(view: Omit<View, "looks" | "leader">): number {
  const { shown, best, fWinners, objective, lam } = view;
  // Where precision or recall counts alone, models tie, and the first of them is taken.
  const isF = !objective.costs && !objective.constraint && lam > 0 && lam < 1;
  const named =
    isF &&
    fWinners &&
    winnersAt(fWinners, lam)
      .map(Number)
      .find((place) => best.has(place));
  if (typeof named === "number") return named;
  let [leader, highest] = [shown[0]?.place ?? 0, -Infinity];
  for (const one of shown) {
    const row = best.get(one.place);
    const value = row === undefined ? NaN : gainOf(objective, countsAt(one.table, row));
    if (value > highest) [leader, highest] = [one.place, value];
  }
  return leader;
}

/** The point to show: under the pointer, chosen, or the best one. */
export function cursorOf(view: View): Cursor | null {
  const { hovered, chosen } = view.settings;
  for (const cursor of [hovered, chosen])
    if (cursor && view.shown.some(({ place }) => place === cursor.model)) return cursor;
  const { preferred } = view.settings;
  const model = preferred !== null && view.best.has(preferred) ? preferred : view.leader;
  const row = view.best.get(model);
  return row === undefined ? null : { model, row };
}
