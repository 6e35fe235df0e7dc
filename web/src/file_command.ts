/** Commands about a file whose columns were chosen on the page. */

import type { Layout } from "./drop/layout";

/** A text as one word of a shell. */
export function quoted(text: string): string {
  if (/^[\w@%+=:,./-]+$/.test(text)) return text;
  return `'${text.replaceAll("'", `'"'"'`)}'`;
}

/** The words of a command about a file, with the roles of its columns. */
export function fileCommand(
  command: string,
  file: string,
  layout: Layout,
  scores: readonly string[] = layout.scores,
): string[] {
  // A name that begins with a dash would be an option.
  const words = [`isometrics ${command}`, quoted(file.replace(/^-/, "./-"))];
  const option = (name: string, ...values: readonly string[]): void => {
    words.push(name, ...values.map(quoted));
  };
  option("--label", layout.label);
  option("--scores", ...scores);
  if (layout.model !== null) option("--model", layout.model);
  if (layout.weight !== null) option("--weight", layout.weight);
  if (layout.positive !== null) option("--pos-label", layout.positive);
  return words;
}
