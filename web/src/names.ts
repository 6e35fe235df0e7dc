/**
 * Names that people gave, inside the sentences of the page.
 *
 * A name may be long, and it may hold letters or controls that turn the direction of the text
 * around it. In a sentence it is cut, with the whole name under the pointer, and stands in a box of
 * its own, which its direction does not leave.
 */

import { h } from "./dom";
import { inSentence, shortened } from "./format";
import type { ModelView } from "./view";

/** So many letters of a name stand in a sentence. */
const LETTERS = 60;

/** Controls of direction, and letters that are written from right to left. */
const DIRECTED =
  /[\u0590-\u08ff\u200e\u200f\u202a-\u202e\u2066-\u2069\ufb1d-\ufdff\ufe70-\ufeff\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;

/** Names that cannot stand in a sentence as they are, the longest first. */
export class Names {
  private readonly special: readonly (readonly [text: string, name: string])[];

  constructor(names: readonly string[]) {
    this.special = names
      .filter((name) => name.length > LETTERS || DIRECTED.test(name))
      // Sentences of verdicts have one space for each white space in a name.
      .flatMap((name) =>
        [...new Set([name.trim(), inSentence(name)])].map((text) => [text, name] as const),
      )
      .filter(([text]) => text)
      .sort(([one], [two]) => two.length - one.length);
  }

  /** A sentence with its names as elements. */
  in(sentence: string): (Node | string)[] {
    const parts: (Node | string)[] = [];
    let rest = sentence;
    while (rest) {
      let [at, found]: [number, readonly [string, string] | null] = [rest.length, null];
      for (const each of this.special) {
        const place = rest.indexOf(each[0]);
        if (place >= 0 && place < at) [at, found] = [place, each];
      }
      if (at) parts.push(rest.slice(0, at));
      if (!found) break;
      parts.push(nameOf(...found));
      rest = rest.slice(at + found[0].length);
    }
    return parts;
  }
}

function nameOf(text: string, name: string): HTMLElement {
  const isDirected = DIRECTED.test(name);
  return h("bdi", { class: isDirected ? "directed" : "", title: name }, shortened(text, LETTERS));
}

const made = new WeakMap<object, Names>();

/** The names of models and of their sets, for the sentences about them. */
export function namesOf(models: readonly ModelView[]): Names {
  let names = made.get(models);
  if (!names) {
    names = new Names(models.flatMap(({ model }) => [model.name, ...(model.table.labels ?? [])]));
    made.set(models, names);
  }
  return names;
}
