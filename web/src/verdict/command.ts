/** The command that answers what the page cannot. */

import { optionsOf } from "../objective";
import type { Source } from "../snippet";
import { itemsOf, type View } from "../view";

/** A text as one word of a shell. */
export function quoted(text: string): string {
  if (/^[\w@%+=:,./-]+$/.test(text)) return text;
  return `'${text.replaceAll("'", `'"'"'`)}'`;
}

export function commandOf(view: View, source: Source | null): string {
  const { settings } = view;
  const words = ["isometrics verdict"];
  // A name that begins with a dash would be an option.
  words.push(source ? quoted(source.file.replace(/^-/, "./-")) : "FILE");
  const option = (name: string, ...values: string[]): void => {
    words.push(name, ...values.map(quoted));
  };
  const hidden = view.models.length > view.shown.length;
  const shown = view.shown.map(({ model }) => model.name);
  if (source) {
    const { layout } = source;
    option("--label", layout.label);
    option("--scores", ...(hidden && layout.model === null ? shown : layout.scores));
    if (layout.model !== null) option("--model", layout.model);
    if (layout.weight !== null) option("--weight", layout.weight);
    if (layout.positive !== null) option("--pos-label", layout.positive);
  } else if (hidden) option("--scores", ...shown);
  // Of the file with the tuning data, the page does not know the name.
  if (view.models.some(({ model }) => model.tuning)) words.push("--thresholds-from TUNING_FILE");
  const rows = view.models[0] ? itemsOf(view.models[0].model) : 0;
  words.push(optionsOf(settings, rows));
  if (settings.prevalence !== null) option("--prevalence", String(settings.prevalence));
  return words.join(" ");
}
