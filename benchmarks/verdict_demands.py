"""Ask the library itself for verdicts on simulated samples, and compare them with the truth.

Usage: python benchmarks/verdict_demands.py [--samples 1000] [--jobs 2] [--cases NAME ...] [--write]

Samples are drawn from two normal distributions, scores of all models correlated by 0.5.
``--write`` makes verdict_demands.md, of all cases.
"""

from __future__ import annotations

import argparse
import math
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import numpy as np

import isometrics as iso

RESAMPLES = 500


@dataclass(frozen=True)
class Case:
    """What is drawn, and what is asked."""

    name: str
    rows: int
    prevalence: float
    separations: tuple[float, ...]
    asked: dict = field(default_factory=dict)


CASES = [
    Case("noise", 500, 0.3, (0.0,) * 3),
    Case("noise, a cost", 500, 0.3, (0.0,) * 3, {"miss_cost": 5, "false_alarm_cost": 1}),
    Case("weak", 500, 0.3, (0.75,) * 3),
    Case("weak, a cost", 500, 0.3, (0.75,) * 3, {"miss_cost": 5, "false_alarm_cost": 1}),
    Case("good", 500, 0.3, (1.5,) * 3),
    Case("good against weak", 2000, 0.1, (1.5, 0.75)),
    Case("five equal models", 500, 0.1, (1.5,) * 5),
    Case("twenty equal models", 500, 0.1, (1.5,) * 20),
    Case("recall of 0.8", 2000, 0.1, (1.5,) * 5, {"min_recall": 0.8}),
    Case("precision of 0.5", 2000, 0.1, (1.5,) * 5, {"min_precision": 0.5}),
    Case("precision of 0.5, sure", 2000, 0.1, (1.5,) * 5, {"min_precision": 0.5, "sure": 0.95}),
    Case("recall of 0.8, sure", 2000, 0.1, (1.5,) * 5, {"min_recall": 0.8, "sure": 0.95}),
    Case("few errors", 600, 0.1, (4.0,)),
    Case("hardly any error", 600, 0.1, (5.0,)),
    Case("mostly no error", 600, 0.1, (6.0,)),
    Case("mostly no error, many rows", 2000, 0.1, (6.0,)),
    Case("few positives, few errors", 400, 0.05, (4.0,)),
    Case("few errors, a cost", 600, 0.1, (4.0,), {"miss_cost": 5, "false_alarm_cost": 1}),
    Case("precision of 0.97, few errors", 600, 0.1, (4.0,), {"min_precision": 0.97}),
]


def tail(x: float) -> float:
    return 0.5 * math.erfc(x / math.sqrt(2))


def truth(case: Case, separation: float, threshold: float) -> dict[str, float]:
    """Return precision, recall and the value of a rule in the population."""
    share = case.prevalence
    hits, alarms = share * tail(threshold - separation), (1 - share) * tail(threshold)
    precision, recall = hits / (hits + alarms) if hits else math.nan, hits / share
    value = 2 * hits / (share + hits + alarms)
    if "miss_cost" in case.asked:
        value = 5 * (share - hits) + alarms
    elif "min_recall" in case.asked:
        value = precision
    elif "min_precision" in case.asked:
        value = recall
    return {"precision": precision, "recall": recall, "value": value}


def sample(case: Case, seed: int) -> iso.Analysis:
    random = np.random.default_rng(seed)
    labels = random.random(case.rows) < case.prevalence
    common = random.normal(size=case.rows)
    scores = {
        f"model {number}": math.sqrt(0.5) * (common + random.normal(size=case.rows))
        + separation * labels
        for number, separation in enumerate(case.separations)
    }
    return iso.analyse(labels, scores)


def trial(case: Case, seed: int) -> dict[str, float]:
    """Return what one verdict says, beside the truth; NaN where it is not asked."""
    analysis = sample(case, seed)
    options = {"n_resamples": RESAMPLES, "random_state": seed, "n_jobs": 1}
    try:
        verdict = analysis.verdict(**case.asked, **options)
    except iso.NotAnswerableError:
        return {"answered": 0.0, "broken": 0.0}
    separation = dict(zip(analysis.models, case.separations, strict=True))
    true = truth(case, separation[verdict.model], verdict.threshold)
    low, high = verdict.interval
    said = {
        "answered": 1.0,
        "alone": float(len(verdict.confidence_set) == 1),
        "covered": float(low <= true["value"] <= high),
        "error here": verdict.value - true["value"],
        "error": verdict.expected - true["value"],
    }
    if verdict.better_than_nothing is not None:
        said["better"] = float(verdict.better_than_nothing)
    if verdict.kept:
        quantity = "precision" if "min_precision" in case.asked else "recall"
        said["broken"] = float(true[quantity] < verdict.kept[0].level)
        said["chance"] = verdict.kept[0].missed
        return said
    each = {name: float(iso.best_threshold(points, **cost_share(case)))
            for name, points in analysis.models.items()}  # fmt: skip
    values = {name: truth(case, separation[name], each[name])["value"] for name in each}
    best = (min if case.asked else max)(values, key=lambda name: values[name])
    said["holds"] = float(best in verdict.confidence_set)
    return said


def cost_share(case: Case) -> dict[str, float]:
    return {"cost": 1 / 6} if case.asked else {}


def page(cases: list[Case], results: dict[str, dict[str, float]], samples: int) -> str:
    """Return the means as Markdown."""
    lines = [
        "# Verdicts of the library on simulated samples",
        "",
        f"Made by `benchmarks/verdict_demands.py`: {samples:,} samples of each case, "
        f"{RESAMPLES} replicates. What `Analysis.verdict` says, beside the population: how often "
        "it calls the choice better than doing nothing, how often the confidence set is one model "
        "and holds the one with the highest true value at its threshold, how often the interval "
        "covers the true value of the choice, and the mean error of the value here and of the one "
        "to expect; a cost that is too good is too low. Demanded are: better in at most 5% for "
        "noise, in at least 95% for good and 80% "
        "for weak models, by F1; the set holds the best in at least 93%, and is one model in at "
        "least 90% for good against weak.",
        "",
        "| case | rows | prevalence | separations | better | alone | holds | covered "
        "| error here | error |",
        "|---|--:|--:|---|--:|--:|--:|--:|--:|--:|",
    ]
    for case in cases:
        means = results[case.name]
        shown = [f"{means[name]:.3f}" if name in means else ""
                 for name in ("better", "alone", "holds", "covered")]  # fmt: skip
        shown += [f"{means[name]:+.4f}" for name in ("error here", "error")]
        kinds = sorted(set(case.separations), reverse=True)
        models = ", ".join(f"{case.separations.count(kind)} × {kind:g}" for kind in kinds)
        cells = [case.name, f"{case.rows:,}", f"{case.prevalence:g}", models, *shown]
        lines.append(f"| {' | '.join(cells)} |")
    lines += [
        "",
        "Constraints: the share of samples with an answer, the chance that the verdict gives for "
        "missing the level, and the share of samples with an answer that misses it.",
        "",
        "| case | answered | chance given | missed |",
        "|---|--:|--:|--:|",
    ]
    for case in cases:
        means = results[case.name]
        if "chance" in means:
            numbers = (means["answered"], means["chance"], means["broken"])
            lines.append(f"| {case.name} | {' | '.join(f'{each:.3f}' for each in numbers)} |")
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--samples", type=int, default=1000)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--cases", nargs="+", choices=[case.name for case in CASES], metavar="NAME")
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    cases = [case for case in CASES if options.cases is None or case.name in options.cases]
    results = {}
    with ProcessPoolExecutor(options.jobs) as pool:
        for case in cases:
            trials = list(pool.map(partial(trial, case), range(options.samples), chunksize=8))
            names = dict.fromkeys(name for each in trials for name in each)
            results[case.name] = {
                name: float(np.nanmean([each[name] for each in trials if name in each]))
                for name in names
            }
            print(case.name, results[case.name], flush=True)
    text = page(cases, results, options.samples)
    print(text)
    if options.write and options.cases is None:
        Path(__file__).with_suffix(".md").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
