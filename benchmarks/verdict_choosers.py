"""Compare ways to choose model and threshold, and intervals of what to expect, on real populations.

Usage: python benchmarks/verdict_choosers.py FOLDER RESULTS.jsonl [--samples 60] [--sizes N ...]
[--only NAME] [--write]

FOLDER has the data sets of `populations.py`. Of each population and size many samples are drawn,
and each way chooses one of six models and its threshold on the sample alone. What it loses is how
much better the best rule of all models is on the population. Each line of the results is a
population at a size, so a run goes on where it was stopped. ``--write`` makes verdict_choosers.md.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import numpy as np
from populations import DATA, Population
from scipy.special import expit, logit
from scipy.stats import norm
from verdict_cells import results_in

import isometrics as iso
from isometrics._counting.confusion import Confusion
from isometrics.analysis.verdicts import contest_of_rows
from isometrics.decisions.objective import parse_objective
from isometrics.verdict.contest import Contest, Options, choose, choose_each, resample
from isometrics.verdict.estimates import fixed_values

SIZES = (200, 500, 2000)
FEWEST = 5
"""Samples with fewer rows of a class are left out."""
RESAMPLES, REPEATS, FOLDS, BAGS = 400, 8, 5, 25
OBJECTIVES = {
    "F1": {"beta": 1.0},
    "F2": {"beta": 2.0},
    "F0.5": {"beta": 0.5},
    "cost 5:1": {"miss_cost": 5.0, "false_alarm_cost": 1.0},
}
MODELS = {
    "apparent": "the highest value on the sample",
    "most wins": "best in most resamples",
    "mean of bests": "the highest mean, over resamples, of its best value there",
}
THRESHOLDS = {
    "edge": "the lowest score that the best rule flags",
    "gap": "halfway from there to the next lower score",
    "median gap": "the same for the median of the rules that are best in the resamples",
    "smooth": "the best by kernel estimates of both rates, on the logits of scores",
}
CENTRES = ("cross-fitted", "mixed")
COLUMNS = ("objective", "centre", "samples", "covered", "below", "above", "bias", "width")


def gaps(thresholds: np.ndarray) -> np.ndarray:
    """Return a threshold in the middle of the gap below each rule; row 0 flags nothing."""
    middle = thresholds.astype(float)
    middle[1:-1] = (thresholds[1:-1] + thresholds[2:]) / 2
    return middle


def low_median(rules: np.ndarray) -> int:
    """Return the median of the rules there are, the lower one of two."""
    known = np.sort(rules[rules >= 0])
    return int(known[(known.size - 1) // 2])


def smoothed(labels: np.ndarray, scores: np.ndarray, objective) -> float:
    """Return the best threshold by kernel estimates, with half of Silverman's bandwidth."""
    z = logit(np.clip(scores, 1e-6, 1 - 1e-6))
    quartiles = np.quantile(z, [0.25, 0.75])
    spread = min(z.std(), (quartiles[1] - quartiles[0]) / 1.34) or z.std() or 1.0
    bandwidth = 0.45 * spread * z.size**-0.2
    at = np.unique(np.concatenate([np.quantile(z, np.linspace(0, 1, 300)), np.sort(z)[-100:]]))
    tp, fp = (
        norm.sf((at[:, None] - z[rows]) / bandwidth).sum(axis=1) for rows in (labels, ~labels)
    )
    gain = objective.gain(Confusion(tp, fp, float(labels.sum()), float((~labels).sum())))
    return float(expit(at[np.nanargmax(gain)]))


def bagged(contest: Contest, chosen, bags: slice) -> tuple[int, int]:
    """Return the model with the highest mean of best values in resamples, and its median rule."""
    gain = contest.objective.gain(chosen.counts(0.0))[:, bags]
    model = int(np.where(np.isnan(gain), -1e9, gain).mean(axis=1).argmax())
    return model, low_median(chosen.rule[model, bags])


def cross_fitted(contests: list[Contest], labels, scores, random) -> list[float]:
    """Return the mean value of bagged choices, pooled over the parts that they were not made on."""
    pooled = np.zeros((len(contests), REPEATS, 2))
    for repeat in range(REPEATS):
        fold = contests[0].folds(FOLDS, random)
        for part in range(FOLDS):
            rows = np.flatnonzero(fold != part)
            weights = np.zeros((BAGS, labels.size), np.uint8)
            shares = np.full(rows.size, 1 / rows.size)
            weights[:, rows] = random.multinomial(rows.size, shares, size=BAGS)
            found = choose(contests, weights, "compiled")
            for place, (contest, chosen) in enumerate(zip(contests, found, strict=True)):
                model, rule = bagged(contest, chosen, slice(None))
                threshold = contest.tables[model].thresholds[rule]
                flagged = (scores[model] >= threshold) & (fold == part)
                pooled[place, repeat] += (flagged & labels).sum(), (flagged & ~labels).sum()
    totals = float(labels.sum()), float((~labels).sum())
    return [
        float(contest.objective.gain(Confusion(*counts.T, *totals)).mean())
        for contest, counts in zip(contests, pooled, strict=True)
    ]


def tried(population: Population, rows: int, seed: list[int]) -> Iterable[dict]:
    """Choose on one sample in every way, for every objective."""
    labels, scores = population.sample(rows, seed)
    if min(labels.sum(), (~labels).sum()) < FEWEST:
        return
    random = np.random.default_rng([*seed, 1])
    options = Options(n_resamples=RESAMPLES, random_state=random, n_jobs=1)
    analysis = iso.analyse(labels, scores)
    plain = contest_of_rows(analysis.rows, analysis.models, parse_objective(), options, None)
    contests = [replace(plain, objective=parse_objective(**asked)) for asked in OBJECTIVES.values()]
    best = choose_each(contests, "compiled")
    columns = list(scores.values())
    drawn = resample(contests, options, [choice.rules for choice in best])
    medians = [[*map(low_median, each.rule)] for each in drawn]
    again = resample(contests, options, medians)
    crossed = cross_fitted(contests, labels, columns, random)
    for place, name in enumerate(OBJECTIVES):
        contest, chosen, choice = contests[place], drawn[place], best[place]
        objective = contest.objective

        def truth(model: int, threshold: float, objective=objective) -> float:
            counts = population.counts(plain.names[model], np.array([threshold]))
            return float(objective.gain(Confusion(*counts))[0])

        gain = objective.gain(chosen.counts(0.0))
        gain = np.where(np.isnan(gain), -1e9, gain)
        winners = gain == gain.max(axis=0)
        picked = {
            "apparent": choice.model,
            "most wins": int((winners / winners.sum(axis=0)).mean(axis=1).argmax()),
            "mean of bests": int(gain.mean(axis=1).argmax()),
        }
        middle = [gaps(table.thresholds) for table in contest.tables]
        thresholds = {
            "edge": [t.thresholds[r] for t, r in zip(contest.tables, choice.rules, strict=True)],
            "gap": [m[r] for m, r in zip(middle, choice.rules, strict=True)],
            "median gap": [m[r] for m, r in zip(middle, medians[place], strict=True)],
            "smooth": [smoothed(labels, each, objective) for each in columns],
        }
        highest = max(
            float(np.nanmax(objective.gain(Confusion(*population.counts(each, np.unique(at))))))
            for each, at in population.scores.items()
        )
        losses = {
            f"{by}, {at}": highest - truth(model, thresholds[at][model])
            for by, model in picked.items()
            for at in thresholds
        }
        # The intervals are those of the model with the highest mean at its median gap.
        model = picked["mean of bests"]
        rule = medians[place][model]
        here = float(objective.gain(contest.counts(model, rule)))
        each = np.arange(gain.shape[1])
        top = gain.argmax(axis=0)
        outside = np.stack(
            [
                objective.gain(contest.counts(number, np.maximum(rules, 0)))
                for number, rules in enumerate(chosen.rule)
            ]
        )[top, each]
        spread = fixed_values(
            contest, again[place], list(enumerate(medians[place])), objective.gain
        )[model].std()
        yield {
            "objective": name,
            "losses": losses,
            "rarer": int(min(labels.sum(), (~labels).sum())),
            "truth": truth(model, thresholds["median gap"][model]),
            "here": here,
            "crossed": crossed[place],
            "outside": float(np.nanmean(outside)),
            "spread": float(spread),
        }


def interval(row: dict, centre: str) -> tuple[float, float, float]:
    """Return the centre and the ends of an interval, on the scale where 1 is the best there can be.

    The correction is that of cross-fitting, or half of it and the bootstrap's. Its half, squared,
    is added to the variance of the fixed rule; the interval is symmetric on the logit scale.
    """
    correction = row["here"] - row["crossed"]
    if centre == "mixed":
        correction = (correction + 2 * (row["here"] - row["outside"])) / 2
    at = row["here"] - correction
    base = 1.0 if row["objective"].startswith("cost") else 0.0
    share = float(np.clip(at + base, 1e-4, 1 - 1e-4))
    error = np.sqrt(row["spread"] ** 2 + correction**2 / 2) / (share * (1 - share))
    low, high = expit(logit(share) + norm.ppf(0.975) * error * np.array([-1.0, 1.0])) - base
    return at, float(low), float(high)


def page(results: list[dict]) -> str:
    """Return Markdown of all results."""
    rows = [row | {"size": each["size"]} for each in results for row in each["rows"]]
    sizes = sorted({row["size"] for row in rows})
    names = list(OBJECTIVES)
    lines = [
        "# Ways to choose a model and a threshold",
        "",
        f"Made by `benchmarks/verdict_choosers.py`: {len(DATA)} populations of 2,890 to 19,000 "
        f"rows (`benchmarks/populations.py`), {len(rows) // len(names):,} samples in all, six "
        f"models, {RESAMPLES} resamples each. A loss is the value of the best rule of all models "
        "on the population minus that of the choice; shown is the mean loss relative to "
        "*apparent, edge*, which takes the best rule on the sample as it is.",
        "",
        "Models: " + "; ".join(f"*{name}*: {text}" for name, text in MODELS.items()) + ".",
        "Thresholds: " + "; ".join(f"*{name}*: {text}" for name, text in THRESHOLDS.items()) + ".",
    ]
    for size in sizes:
        of = {
            name: [r for r in rows if r["size"] == size and r["objective"] == name]
            for name in names
        }
        base = {n: np.mean([r["losses"]["apparent, edge"] for r in of[n]]) for n in names}
        lines += ["", f"## {size:,} rows", "", f"| choice | {' | '.join(names)} |"]
        lines += ["|---|" + "--:|" * len(names)]
        said = " | ".join(f"{base[name]:.4f}" for name in names)
        lines.append(f"| *loss of apparent, edge* | {said} |")
        for by in MODELS:
            for at in THRESHOLDS:
                key = f"{by}, {at}"
                change = (np.mean([r["losses"][key] for r in of[n]]) / base[n] - 1 for n in names)
                lines.append(f"| {key} | " + " | ".join(f"{c:+.1%}" for c in change) + " |")
    lines += [
        "",
        "## What to expect of it",
        "",
        "Intervals of 95% for *mean of bests, median gap*. *Cross-fitted* pools such choices over "
        "five parts that they were not made on; *mixed* takes half of that correction, and the "
        "bootstrap's whole one. Below and above are samples whose truth lies there.",
        "",
        f"| rows, rarer class | {' | '.join(COLUMNS)} |",
        "|---|---|---|--:|--:|--:|--:|--:|--:|",
    ]
    for size in sizes:
        for low, high, text in ((20, 50, "20 to 49"), (50, np.inf, "50 or more")):
            for name in names:
                some = [
                    r
                    for r in rows
                    if r["size"] == size and r["objective"] == name and low <= r["rarer"] < high
                ]
                for centre in CENTRES if some else ():
                    truth = np.array([r["truth"] for r in some])
                    at, lower, upper = np.array([interval(r, centre) for r in some]).T
                    below, above = np.mean(truth < lower), np.mean(truth > upper)
                    lines.append(
                        f"| {size:,}, {text} | {name} | {centre} | {len(some):,} | "
                        f"{1 - below - above:.1%} | {below:.1%} | {above:.1%} | "
                        f"{np.mean(at - truth):+.4f} | {np.mean(upper - lower):.4f} |"
                    )
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--samples", type=int, default=60)
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES)
    parser.add_argument("--only", default="", help="text in the names of the populations")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    done = {(each["population"], each["size"]) for each in results_in(options.out)}
    for size in options.sizes:
        for place, name in enumerate(DATA):
            if (name, size) in done or options.only not in name:
                continue
            population = Population(options.folder, name)
            rows = [
                row
                for sample in range(options.samples)
                for row in tried(population, size, [options.seed, place, size, sample])
            ]
            with options.out.open("a") as results:
                line = {"population": name, "size": size, "seed": options.seed, "rows": rows}
                results.write(json.dumps(line) + "\n")
            print(f"{name}, {size} rows: {len(rows)} choices", flush=True)
    if options.write:
        Path(__file__).with_suffix(".md").write_text(page(results_in(options.out)))


if __name__ == "__main__":
    main()
