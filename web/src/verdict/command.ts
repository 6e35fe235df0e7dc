/** The command that answers what the page cannot. */

import { fileCommand, quoted } from "../file_command";
import { optionsOf } from "../objective";
import type { Source } from "../snippet";
import { itemsOf, type View } from "../view";

export function commandOf(view: View, source: Source | null): string {
  const { settings } = view;
  const hidden = view.models.length > view.shown.length;
  const shown = view.shown.map(({ model }) => model.name);
  const words: string[] = [];
  if (source) {
    const { file, layout } = source;
    const scores = hidden && layout.model === null ? shown : layout.scores;
    words.push(...fileCommand("verdict", file, layout, scores));
  } else {
    words.push("isometrics verdict FILE");
    if (hidden) words.push("--scores", ...shown.map(quoted));
  }
  // Of the file with the tuning data, the page does not know the name.
  if (view.models.some(({ model }) => model.tuning)) words.push("--thresholds-from TUNING_FILE");
  const rows = view.models[0] ? itemsOf(view.models[0].model) : 0;
  words.push(optionsOf(settings, rows));
  if (settings.prevalence !== null) words.push(`--prevalence ${settings.prevalence}`);
  return words.join(" ");
}
