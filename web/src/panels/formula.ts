/** Formulas in MathML, made from code. */

const MATH = "http://www.w3.org/1998/Math/MathML";

/** A part of a formula: a name or a number is enough. */
export type Part = Element | string;

function element(tag: string, ...parts: readonly Part[]): Element {
  const made = document.createElementNS(MATH, tag);
  made.append(...parts);
  return made;
}

function part(given: Part): Element {
  if (typeof given !== "string") return given;
  if (/^[\d.]+$/.test(given)) return element("mn", given);
  // Names of several letters stand upright, as functions do.
  if (/^\p{Letter}/u.test(given)) return element("mi", given);
  return element("mo", given);
}

export function row(...parts: readonly Part[]): Element {
  return element("mrow", ...parts.map(part));
}

export function over(above: Part, below: Part): Element {
  return element("mfrac", part(above), part(below));
}

export function sub(base: Part, index: Part): Element {
  return element("msub", part(base), part(index));
}

export function square(base: Part): Element {
  return element("msup", part(base), element("mn", "2"));
}

/** A formula on a line of its own, with its words for those who do not see it. */
export function formula(words: string, ...parts: readonly Part[]): Element {
  const math = element("math", row(...parts));
  math.setAttribute("display", "block");
  math.setAttribute("aria-label", words);
  return math;
}
