/** What to beware of in a table; `src/isometrics/verdict/caveats.py` says the same. */

import { AUROC } from "./measures";
import type { ModelView } from "./view";

/** Standard errors of an interval of 95%. */
const Z = 1.96;

/**
 * Where scores say nothing, the variance of the area is (P + N + 1)/(12·P·N), that of the statistic
 * of Mann and Whitney (1947).
 */
export function caveatOf({ model }: ModelView): string {
  const { thresholds, positives, negatives, labels } = model.table;
  const [area] = model.areas.get(AUROC) ?? [NaN];
  const error = Math.sqrt((positives + negatives + 1) / (12 * positives * negatives));
  if (area < 0.5 - Z * error)
    return (
      `${AUROC} is ${area.toFixed(3)}, below 0.5 beyond chance; are the scores reversed, or is ` +
      "the other class the positive one?"
    );
  if (labels || !model.complete || Number.isNaN(thresholds[1])) return "";
  if (model.rows === 2) return "all scores are equal, so that no threshold tells rows apart";
  return model.rows === 3
    ? "there are only two distinct scores; these look like predictions, not scores"
    : "";
}
