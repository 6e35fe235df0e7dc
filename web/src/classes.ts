/** The classes of one classifier, each against all others: they are no rivals of each other. */

import { decimals, percent, short } from "./format";
import { AUPRG } from "./measures";
import type { Verdict } from "./model";
import { askedSaid, rule } from "./sentences";
import * as pr from "./spaces/pr";
import * as prg from "./spaces/prg";
import { commandOf } from "./verdict/command";
import type { ModelView, View, Views } from "./view";

/** What the tables of a report are about. */
export function nounOf(view: Pick<View, "classes">, many = false): string {
  if (view.classes) return many ? "classes" : "class";
  return many ? "models" : "model";
}

/** How many classes have their own sentence. */
const MOST = 5;

/** The answer of each class, and what to beware of in it. */
export function verdictsOfClasses(verdicts: readonly Verdict[]): string[] {
  const said = verdicts
    .slice(0, MOST)
    .flatMap(({ name, lines: [answer, ...others] }) => [
      `${name}: ${answer}`,
      ...others.filter((line) => line.startsWith("Beware")).map((line) => `${name}: ${line}`),
    ]);
  return [...said, ...moreClasses(verdicts.length - MOST)];
}

function moreClasses(more: number): string[] {
  return more > 0 ? [`and ${more} more ${more === 1 ? "class" : "classes"}, in the table.`] : [];
}

/** The best rule of each class on these rows, which is too good for others. */
export function classesOnTheseRows(view: View): string[] {
  if (!view.shown.length) return ["No class is shown."];
  const said = view.shown.slice(0, MOST).map((one, place) => {
    const row = view.best.get(one.place);
    const start = place ? "" : `On these rows, ${askedSaid(view)}, each class by itself: `;
    if (row === undefined) return `${start}${one.model.name} has no threshold that keeps this.`;
    return (
      `${start}${one.model.name} at ${rule(one, row, view)}: ${percent(pr.y(one.table, row))} ` +
      `precision at ${percent(pr.x(one.table, row))} recall.`
    );
  });
  return [
    ...said,
    ...moreClasses(view.shown.length - MOST),
    "Cuts were chosen on these rows, so expect less of them on new data: " +
      `${commandOf(view, null)} says how much less of each class.`,
  ];
}

/**
 * The averages over classes that mean something: those on the gain scale.
 *
 * Precision, F and AUPR of classes start from different baselines, so they have no common mean.
 */
export function macroSentence(view: View, views: Views): string {
  const { shown } = view;
  if (!view.classes || shown.length < 2) return "";
  const mean = (value: (one: ModelView) => number): string =>
    decimals(shown.reduce((sum, one) => sum + value(one), 0) / shown.length);
  const ends = [0, 1].map((end) => mean((one) => views.area(one, AUPRG, view.settings)[end]!));
  const area = ends[0] === ends[1] ? ends[0] : ends.join("–");
  const beta = view.settings.beta;
  const best = mean((one) => prg.fGain(one.table, view.best.get(one.place)!, beta));
  return (
    `Macro average over the ${shown.length} classes: ${AUPRG} ${area}, ` +
    `best F gain (β ${short(beta, 3)}) ${best}.`
  );
}
