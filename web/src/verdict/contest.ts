/**
 * Models on the same rows, ready to be chosen among under any weighting of these rows.
 *
 * `src/isometrics/verdict/contest.py` is the other side of it; both choose the same rules.
 */

import { cumulated, pairwise } from "../arithmetic";
import { thresholdText } from "../format";
import { taskOf, worthOf, type Objective } from "../objective";
import type { Counts } from "../table";

/** The rows of all models, as the page and its worker pass them on. */
export interface Rows {
  /** 1 for a positive, 0 for a negative. */
  readonly labels: Uint8Array;
  /** Null where every row counts once. */
  readonly weights: Float64Array | null;
  readonly names: readonly string[];
  /** For each model, which of its distinct scores, from the highest on, each row has: 1, 2, … */
  readonly ranks: readonly Uint32Array[];
  /** The distinct scores of each model behind +inf, which flags nothing. */
  readonly thresholds: readonly Float64Array[];
}

export type Ranking = ReturnType<typeof rankingOf>;
export type Contest = ReturnType<typeof contestOf>;

export const NO_RULE = -1;

/** Where the chance comes from; the same is drawn whenever it is asked for. */
export interface Draws {
  /** How often each row is drawn in a replicate. */
  readonly weighting: (replicate: number) => Uint8Array;
  /** The part of each row in a dealing. */
  readonly folds: (parts: number, dealing: number) => Uint8Array;
}

export function contestOf(rows: Rows, objective: Objective, prevalence: number | null) {
  const { labels, weights } = rows;
  const rankings = rows.ranks.map((ranks, model) =>
    rankingOf(ranks, rows.thresholds[model]!, labels, weights),
  );
  const last = rankings[0]!;
  return {
    names: rows.names,
    rankings,
    labels,
    weights,
    objective,
    task: taskOf(objective),
    positives: last.tp[last.tp.length - 1]!,
    negatives: last.fp[last.fp.length - 1]!,
    /** Negatives for each positive where a prevalence is fixed, else 0. */
    ratio: prevalence === null ? 0 : (1 - prevalence) / prevalence,
  };
}

/**
 * The rows of a model from the highest score to the lowest, and its rules: rule 0 flags none, rule i
 * the rows of the i highest scores.
 */
function rankingOf(
  ranks: Uint32Array,
  thresholds: Float64Array,
  labels: Uint8Array,
  weights: Float64Array | null,
) {
  // How many rows each rule flags.
  const ends = new Uint32Array(thresholds.length);
  for (const rank of ranks) ends[rank]! += 1;
  for (let rule = 1; rule < ends.length; rule++) ends[rule]! += ends[rule - 1]!;
  const row = new Uint32Array(ranks.length);
  const next = ends.slice();
  // Filled from behind, so that of equal scores the last row comes first, as in Python.
  ranks.forEach((rank, place) => {
    next[rank]! -= 1;
    row[next[rank]!] = place;
  });
  const positive = Uint8Array.from(row, (place) => labels[place]!);
  const weight = weights && Float64Array.from(row, (place) => weights[place]!);
  const [tp, fp] = [1, 0].map((label) => {
    const sums = new Float64Array(ends.length);
    ranks.forEach((rank, place) => {
      if (labels[place] === label) sums[rank]! += weights ? weights[place]! : 1;
    });
    return cumulated(sums);
  }) as [Float64Array, Float64Array];
  // Whether the lowest score that a rule flags has a positive.
  const rises = Array.from(ends, (end, rule) => positive.subarray(ends[rule - 1], end).includes(1));
  return { row, positive, weight, ends, rises, thresholds, tp, fp };
}

/** Scales the negatives to so many for each positive; 0 leaves them. */
export function atRatio(counts: Counts, ratio: number): Counts {
  if (ratio <= 0) return counts;
  const negatives = counts.positives * ratio;
  return { ...counts, fp: counts.fp * (negatives / counts.negatives), negatives };
}

/** The counts of a rule in the sample itself, at the prevalence asked for. */
export function countsOf(contest: Contest, model: number, rule: number): Counts {
  const { tp, fp } = contest.rankings[model]!;
  const { positives, negatives } = contest;
  return atRatio({ tp: tp[rule]!, fp: fp[rule]!, positives, negatives }, contest.ratio);
}

/** A threshold in the middle of the gap below the lowest score that a rule flags, a short one. */
export function thresholdOf({ rankings }: Contest, model: number, rule: number): number {
  const { thresholds } = rankings[model]!;
  const high = thresholds[rule]!;
  if (rule === 0 || rule === thresholds.length - 1) return high;
  const low = thresholds[rule + 1]!;
  const middle = high / 2 + low / 2;
  if (!(low < middle && middle < high)) return high;
  const short = Number(thresholdText(middle, middle / 2 + low / 2));
  return low < short && short <= high ? short : middle;
}

/** The positives and the negatives under a weighting. */
export function totalsUnder(
  { labels, weights }: Contest,
  weighting: Uint8Array,
): readonly [number, number] {
  if (weights)
    return [1, 0].map((label) =>
      pairwise(labels.length, (row) =>
        labels[row] === label ? weighting[row]! * weights[row]! : 0,
      ),
    ) as [number, number];
  let [positives, negatives] = [0, 0];
  for (let row = 0; row < labels.length; row++)
    if (labels[row]) positives += weighting[row]!;
    else negatives += weighting[row]!;
  return [positives, negatives];
}

/** The true and the false positives of each rule of a model under a weighting, up to the last one. */
export function sumsUnder(
  { row, positive, weight, ends }: Ranking,
  weighting: Uint8Array,
  last = ends.length - 1,
): readonly [Float64Array, Float64Array] {
  const [tps, fps] = [new Float64Array(last + 1), new Float64Array(last + 1)];
  let [tp, fp, place] = [0, 0, 0];
  for (let rule = 0; rule <= last; rule++) {
    for (const end = ends[rule]!; place < end; place++) {
      let drawn = weighting[row[place]!]!;
      if (weight) drawn *= weight[place]!;
      if (positive[place]) tp += drawn;
      else fp += drawn;
    }
    tps[rule] = tp;
    fps[rule] = fp;
  }
  return [tps, fps];
}

/** The counts of a rule of each model under each weighting. */
export interface Drawn {
  readonly tp: readonly Float64Array[];
  readonly fp: readonly Float64Array[];
  readonly positives: Float64Array;
  readonly negatives: Float64Array;
}

export type BestRules = ReturnType<typeof choose>;

/** The best rule of each model under each weighting; -1 and NaN where no rule is allowed. */
export function choose(contest: Contest, count: number, weightingOf: Draws["weighting"]) {
  const floats = (): Float64Array => new Float64Array(count).fill(NaN);
  const { rankings } = contest;
  const rules = rankings.map(() => new Int32Array(count).fill(NO_RULE));
  const [tps, fps] = [rankings.map(floats), rankings.map(floats)];
  const [positives, negatives] = [floats(), floats()];
  for (let number = 0; number < count; number++) {
    const weighting = weightingOf(number);
    const totals = totalsUnder(contest, weighting);
    [positives[number], negatives[number]] = totals;
    rankings.forEach((ranking, model) => {
      const [tp, fp] = sumsUnder(ranking, weighting);
      const rule = bestRule(contest, tp, fp, totals);
      if (rule === NO_RULE) return;
      rules[model]![number] = rule;
      tps[model]![number] = tp[rule]!;
      fps[model]![number] = fp[rule]!;
    });
  }
  return { rule: rules, tp: tps, fp: fps, positives, negatives };
}

function bestRule(
  { ratio, task }: Contest,
  tps: Float64Array,
  fps: Float64Array,
  [positives, negatives]: readonly [number, number],
): number {
  const scaled = ratio > 0 ? positives * ratio : negatives;
  const factor = ratio > 0 ? scaled / negatives : 1;
  let [best, rule] = [-Infinity, NO_RULE];
  for (let each = 0; each < tps.length; each++) {
    const fp = ratio > 0 ? fps[each]! * factor : fps[each]!;
    const worth = worthOf(task, tps[each]!, fp, positives, scaled);
    if (worth > best) [best, rule] = [worth, each];
  }
  return rule;
}

/** A quantity of a rule of each model under each weighting. */
export function valuesOf(
  { ratio }: Contest,
  { tp, fp, positives, negatives }: Drawn,
  quantity: (counts: Counts) => number,
): Float64Array[] {
  return tp.map((hits, model) =>
    hits.map((hit, number) => {
      const [alarms, total, others] = [fp[model]!, positives, negatives].map((all) => all[number]!);
      const counts = { tp: hit, fp: alarms!, positives: total!, negatives: others! };
      return quantity(atRatio(counts, ratio));
    }),
  );
}

/** What is maximised for a rule; -inf for a rule that is not allowed. */
export function worthHere({ task }: Contest, counts: Counts): number {
  return worthOf(task, counts.tp, counts.fp, counts.positives, counts.negatives);
}

/** The counts of a rule of each model in replicates whose best rules are known. */
export function countRules(
  contest: Contest,
  { positives, negatives }: BestRules,
  rules: readonly number[],
  draws: Draws,
): Drawn {
  const counted = rules.map((rule, model) =>
    Array.from(positives, (_, replicate) => {
      const weighting = draws.weighting(replicate);
      const sums = sumsUnder(contest.rankings[model]!, weighting, Math.max(rule, 0));
      return sums.map((each) => each.at(-1)!);
    }),
  );
  const [tp, fp] = [0, 1].map((place) =>
    counted.map((sums) => Float64Array.from(sums, (each) => each[place]!)),
  );
  return { tp: tp!, fp: fp!, positives, negatives };
}

/** True or false positives or negatives that are as many spread in a bootstrap as they should. */
const FEW = 5;
/** The root of x⁹ = x + 1; multiples of its powers fill a cube of eight dimensions evenly. */
const ROOT = 1.0850702454914507;
const STEPS = [1, 2, 3, 4, 5, 6, 7, 8].map((power) => ROOT ** -power);

/** How large rows are for those of tp, fp, fn and tn that are fewer than five; null for none. */
function unseenRows(contest: Contest, model: number, rule: number): number[] | null {
  const { tp, fp } = contest.rankings[model]!;
  if (!(rule > 0 && rule < tp.length - 1)) return null;
  const [hits, alarms] = [tp[rule]!, fp[rule]!];
  const units = [1, 0, 1, 0].map((label) => unitOf(contest, label));
  const cells = [hits, alarms, contest.positives - hits, contest.negatives - alarms];
  const sizes = units.map((unit, place) => (cells[place]! < FEW * unit ? unit : 0));
  return sizes.some((size) => size > 0) ? sizes : null;
}

/** What one row of a class is worth: Σw²/Σw. */
function unitOf({ labels, weights }: Contest, label: number): number {
  if (!weights) return 1;
  let [squares, sum] = [0, 0];
  weights.forEach((weight, row) => {
    if (labels[row] !== label) return;
    squares += weight * weight;
    sum += weight;
  });
  return squares / sum;
}

/**
 * A quantity of a fixed rule of each model in replicates.
 *
 * A bootstrap draws the rows that are there; rows that were not seen widen the spread.
 */
export function fixedValues(
  contest: Contest,
  drawn: Drawn,
  rules: readonly number[],
  quantity: (counts: Counts) => number,
): Float64Array[] {
  const plain = valuesOf(contest, drawn, quantity);
  return rules.map((rule, model) => {
    const sizes = unseenRows(contest, model, rule);
    if (!sizes) return plain[model]!;
    const more = (counts: Float64Array, ...cells: number[]): Float64Array =>
      counts.map((count, replicate) =>
        cells.reduce((sum, cell) => sum + sizes[cell]! * halfGamma(replicate, cell), count),
      );
    const wider = {
      tp: [more(drawn.tp[model]!, 0)],
      fp: [more(drawn.fp[model]!, 1)],
      positives: more(drawn.positives, 0, 2),
      negatives: more(drawn.negatives, 1, 3),
    };
    // Where a replicate flags nothing there is nothing to know, whatever was not seen.
    return valuesOf(contest, wider, quantity)[0]!.map((each, replicate) =>
      Number.isNaN(plain[model]![replicate]) ? NaN : each,
    );
  });
}

/** A variate of the gamma distribution of the shape ½ (Box & Muller 1958, Roberts 2018). */
function halfGamma(replicate: number, place: number): number {
  const [first, second] = [place, place + 4].map((each) => ((replicate + 1) * STEPS[each]!) % 1);
  return -Math.log(first!) * Math.cos(2 * Math.PI * second!) ** 2;
}

/** xoshiro128** (Blackman & Vigna 2021), seeded by splitmix32. */
export class Random {
  private readonly state = new Uint32Array(4);

  constructor(seed: number) {
    for (let place = 0; place < 4; place++) {
      seed = (seed + 0x9e3779b9) | 0;
      let word = seed ^ (seed >>> 16);
      word = Math.imul(word, 0x21f0aaad);
      word ^= word >>> 15;
      word = Math.imul(word, 0x735a2d97);
      this.state[place] = word ^ (word >>> 15);
    }
  }

  /** A word of 32 random bits. */
  word(): number {
    const { state } = this;
    const scaled = Math.imul(state[1]!, 5);
    const found = Math.imul((scaled << 7) | (scaled >>> 25), 9);
    const shifted = state[1]! << 9;
    state[2]! ^= state[0]!;
    state[3]! ^= state[1]!;
    state[1]! ^= state[2]!;
    state[0]! ^= state[3]!;
    state[2]! ^= shifted;
    state[3] = (state[3]! << 11) | (state[3]! >>> 21);
    return found >>> 0;
  }

  /** A whole number below another one, each equally likely to within 2**-32 of its size. */
  below(size: number): number {
    return Math.floor((this.word() / 2 ** 32) * size);
  }
}

/** Multinomial draws of all rows, and parts to which both classes are dealt out by themselves. */
export function randomDraws(labels: Uint8Array): Draws {
  const size = labels.length;
  const drawn: Uint8Array[] = [];
  const draw = (replicate: number): Uint8Array => {
    const random = new Random(replicate);
    // No row is drawn nearly as often as a byte can count.
    const counts = new Uint8Array(size);
    for (let row = 0; row < size; row++) counts[random.below(size)]! += 1;
    return counts;
  };
  return {
    weighting: (replicate) => (drawn[replicate] ??= draw(replicate)),
    folds(parts, dealing) {
      // Replicates have the seeds from 0 on.
      const random = new Random(-1 - dealing);
      const order = Uint32Array.from({ length: size }, (_, row) => row);
      for (let last = size - 1; last > 0; last--) {
        const other = random.below(last + 1);
        [order[last], order[other]] = [order[other]!, order[last]!];
      }
      const dealt = new Uint8Array(size);
      let place = 0;
      for (const label of [1, 0])
        for (const row of order) if (labels[row] === label) dealt[row] = place++ % parts;
      return dealt;
    },
  };
}
