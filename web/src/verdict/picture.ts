/** The verdict as a picture: the models on one axis with their intervals. */

import { h, s } from "../dom";
import { capitalised, counted, general, levelSaid, shortened } from "../format";
import { chip, lookOf } from "../looks";
import type { Picture } from "../model";
import { flagging, higherIsBetter, nameOf, taskOf, valueOf, worthOf } from "../objective";
import { countsAt } from "../table";
import type { View } from "../view";
import { shown } from "./words";

/** More models than these do not fit on a first screen. */
const MOST = 8;
const LETTERS = 30;

export function pictureOf(picture: Picture, view: View, level: number): HTMLElement | null {
  const { objective } = view;
  type Drawn = Picture["models"][number];
  const placeOf = (name: string): number =>
    view.models.findIndex(({ model }) => model.name === name);
  const sign = higherIsBetter(objective) ? 1 : -1;
  const chosen = ({ name }: Drawn): boolean => name === picture.chosen;
  // Either what to expect of all models, or their values on these rows: both cannot be compared.
  const isExpected = picture.models.some((model) => chosen(model) && isKnown(model.expected));
  const point = ({ expected, here }: Drawn): number => (isExpected ? expected : here) ?? NaN;
  const models = picture.models
    .filter((model) => !Number.isNaN(point(model)))
    .sort(
      (one, other) =>
        Number(chosen(other)) - Number(chosen(one)) || sign * (point(other) - point(one)),
    );
  if (!models.length) return null;
  const drawn = models.slice(0, MOST);
  const trivial = [
    { name: "flag everything", value: picture.everything ?? NaN },
    { name: "flag nothing", value: picture.nothing ?? NaN },
  ]
    .filter(({ value }) => isKnown(value))
    .sort((one, other) => sign * (other.value - one.value));
  const ends = drawn.flatMap((model) => [point(model), model.lower, model.upper]);
  // The worse one of the two may lie so far off that nothing else could be told apart.
  const values = [...ends, trivial[0]?.value].filter(isKnown);
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const lines = trivial.filter(({ value }) => value >= low && value <= high);
  const room = (high - low || 1) * 0.06;
  const at = (value: number): string =>
    `${((100 * (value - low + room)) / (high - low + 2 * room)).toFixed(2)}%`;
  const perThousand = objective.costs !== null;
  const text = (value: number): string =>
    perThousand ? counted(Number(general(1000 * value, 3))) : shown(value);
  const upright = (value: number, end: number | string): SVGElement =>
    s("line.trivial", { x1: at(value), x2: at(value), y1: 0, y2: end });
  const rows = drawn.map((model) => {
    const [from, to] = [model.lower ?? NaN, model.upper ?? NaN];
    const interval = isKnown(from) ? ` (${text(from)} to ${text(to)})` : "";
    const middle = { y1: "50%", y2: "50%" };
    const track = s(
      "svg",
      { class: `track ${lookOf(view, placeOf(model.name))}`, "aria-hidden": "true" },
      ...lines.map(({ value }) => upright(value, "100%")),
      isKnown(from) && s("line.interval", { x1: at(from), x2: at(to), ...middle }),
      s("circle.expected", { cx: at(point(model)), cy: "50%", r: 4.5 }),
    );
    return h(
      "div",
      { class: chosen(model) ? "row chosen" : "row" },
      h(
        "span.who",
        chip(view.looks.get(placeOf(model.name))),
        h("span", { title: model.name }, shortened(model.name, LETTERS)),
      ),
      track,
      h("span.numbers", text(point(model)) + interval),
    );
  });
  const axis = s("svg.axis", { "aria-hidden": "true" });
  lines.forEach(({ name, value }, place) => {
    const share = Number.parseFloat(at(value));
    const anchor = share < 30 ? "start" : share > 70 ? "end" : "middle";
    const y = 16 + 14 * place;
    const label = s("text", { x: at(value), y, "text-anchor": anchor }, `${name} ${text(value)}`);
    axis.append(upright(value, 4 + 14 * place), label);
  });
  const name = perThousand ? "cost per 1,000 items (less is better)" : nameOf(objective);
  const hasIntervals = drawn.some(({ lower }) => isKnown(lower));
  const intervals = hasIntervals ? `, with intervals of ${levelSaid(level)}` : "";
  const expected = isExpected
    ? `${name} to expect on new data${intervals}`
    : `${name} on these rows`;
  const rest = models.length - drawn.length;
  return h(
    "figure.verdict-picture",
    ...rows,
    h("div.row", h("span"), axis, h("span")),
    h(
      "figcaption",
      `${capitalised(expected)}; each model at ${chosenSaid(view, isExpected)}.` +
        (rest > 0 ? ` The best ${MOST} of ${models.length} models.` : ""),
    ),
  );
}

function isKnown(value: number | null | undefined): value is number {
  return !Number.isNaN(value ?? NaN);
}

function chosenSaid({ shown: models }: View, isExpected: boolean): string {
  if (models.some(({ model }) => model.tuning)) return "its threshold of the tuning data";
  // The best one on these rows is hardly ever the one for new data.
  if (isExpected) return "the threshold chosen for it";
  return `its own best ${models.some(({ table }) => table.labels) ? "set" : "threshold"}`;
}

/** The values on these rows, where what to expect on new data is not known. */
export function pictureHere(view: View): HTMLElement | null {
  const { best, classes, objective, settings, shown: models } = view;
  const first = view.models[view.leader];
  // The table of so many models says the same, and the panels shall stay in sight.
  if (!first || classes || settings.goal === "given" || models.length > MOST) return null;
  const { positives, negatives } = first.table;
  // Models of other data have another value of flagging everything.
  const isOther = models.some(
    ({ table }) => table.positives * negatives !== positives * table.negatives,
  );
  if (isOther) return null;
  const task = taskOf(objective);
  const trivial = (share: number): number => {
    const counts = flagging(share, first.table);
    return worthOf(task, counts.tp, counts.fp, positives, negatives) > -Infinity
      ? valueOf(objective, counts)
      : NaN;
  };
  return pictureOf(
    {
      chosen: first.model.name,
      everything: trivial(1),
      nothing: trivial(0),
      models: models.map((one) => {
        const row = best.get(one.place);
        const here = row === undefined ? NaN : valueOf(objective, countsAt(one.table, row));
        return {
          name: one.model.name,
          threshold: null,
          here,
          expected: null,
          lower: null,
          upper: null,
        };
      }),
    },
    view,
    NaN,
  );
}
