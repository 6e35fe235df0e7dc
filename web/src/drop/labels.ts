/** Which rows are positive; labels that name more than two classes are refused. */

import { InputError, numberIn, shown, type Classes, type Value } from "./columns";

/** Values of the label column as Python would read them from a file of texts. */
function typed(values: readonly Value[]): Value[] {
  if (values.every((value) => typeof value !== "string")) return values.map(plain);
  const texts = values.map(String);
  if (texts.every((text) => /^\s*(true|false)\s*$/i.test(text)))
    return texts.map((text) => /true/i.test(text));
  const numbers = texts.map(numberIn);
  return numbers.every((number) => number !== undefined) ? (numbers as number[]) : [...values];
}

function plain(value: Value): Value {
  return typeof value === "bigint" ? Number(value) : value;
}

/** 1 for every positive row. */
export function positiveRows(labels: Classes, positive: string | null): Uint8Array {
  const codes = labels.finished();
  const values = typed(labels.values);
  const positives = values.map((value) =>
    positive === null ? value === true || value === 1 : matches(value, positive),
  );
  if (positive === null) {
    if (!isConventional(values)) {
      refuseThird(labels, codes, values);
      throw new InputError(
        `${labels.name} has the labels ${values.slice(0, 2).map(shown).join(" and ")}; ` +
          "say which one is positive with pos_label=",
      );
    }
  } else {
    refuseThird(labels, codes, values);
    if (values.length === 2 && !positives.includes(true))
      throw new InputError(
        `pos_label ${shown(positive)} is not among the labels of ${labels.name}, ` +
          values.map(shown).join(" and "),
      );
  }
  return Uint8Array.from(codes, (code) => (positives[code] ? 1 : 0));
}

function matches(value: Value, positive: string): boolean {
  return String(value) === positive || (typeof value === "number" && value === Number(positive));
}

function isConventional(values: readonly Value[]): boolean {
  if (values.every((value) => typeof value === "boolean")) return true;
  return [0, -1].some((other) => values.every((value) => value === 1 || value === other));
}

function refuseThird(labels: Classes, codes: Uint16Array, values: readonly Value[]): void {
  if (values.length < 3) return;
  const surplus = codes.reduce((sum, code) => sum + (code > 1 ? 1 : 0), 0);
  throw new InputError(
    `${labels.name} has labels besides ${values.slice(0, 2).map(shown).join(" and ")}, such as ` +
      `${shown(values[2]!)}, where two classes are needed: ${surplus} in all, ` +
      `the first at position ${labels.firsts[2]}`,
  );
}
