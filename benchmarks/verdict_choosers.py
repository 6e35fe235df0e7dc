"""Compare ways to choose model and threshold on real populations.

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
from isometrics.verdict.choosing import resample
from isometrics.verdict.contest import Options, choose

SIZES = (200, 500, 2000)
FEWEST = 5
"""Samples with fewer rows of a class are left out."""
RESAMPLES = 400
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
    here = choose(contests, np.ones((1, rows), np.uint8), "compiled")
    columns = list(scores.values())
    drawn = [each.best for each in resample(contests, options)]
    for place, name in enumerate(OBJECTIVES):
        contest, chosen, best = contests[place], drawn[place], here[place].rule[:, 0]
        objective = contest.objective
        medians = [*map(low_median, chosen.rule)]

        def truth(model: int, threshold: float, objective=objective) -> float:
            counts = population.counts(plain.names[model], np.array([threshold]))
            return float(objective.gain(Confusion(*counts))[0])

        gain = objective.gain(chosen.counts(0.0))
        gain = np.where(np.isnan(gain), -1e9, gain)
        winners = gain == gain.max(axis=0)
        picked = {
            "apparent": int(objective.gain(here[place].counts(0.0))[:, 0].argmax()),
            "most wins": int((winners / winners.sum(axis=0)).mean(axis=1).argmax()),
            "mean of bests": int(gain.mean(axis=1).argmax()),
        }
        middle = [gaps(table.thresholds) for table in contest.tables]
        thresholds = {
            "edge": [t.thresholds[r] for t, r in zip(contest.tables, best, strict=True)],
            "gap": [m[r] for m, r in zip(middle, best, strict=True)],
            "median gap": [m[r] for m, r in zip(middle, medians, strict=True)],
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
        yield {"objective": name, "losses": losses}


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
        "Of the chosen one, *mean of bests, median gap*, `verdict_real.md` tells what is expected "
        "of it, and what is true.",
    ]
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
