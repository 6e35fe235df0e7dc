"""Ask the library for verdicts on samples of real populations, and compare them with the truth.

Usage: python benchmarks/verdict_real.py FOLDER RESULTS.jsonl [--samples 40] [--sizes N ...]
[--only NAME] [--seed 3] [--simulated] [--write]

FOLDER has the data sets of `populations.py`: six models were trained on a small part of each, and
all other rows are the population. Samples are drawn from it with replacement, and judged for
several objectives with the same resamples. The estimators were chosen on other samples, with other
seeds (`verdict_choosers.py`). ``--simulated`` draws from normal distributions instead, whose truth
is known exactly. Each line of the results is a population at a size, so a run goes on where it was
stopped. ``--write`` makes verdict_real.md of results of both kinds.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterable
from itertools import pairwise
from pathlib import Path

import numpy as np
from populations import DATA, SIMULATED, Population, Simulated
from verdict_cells import results_in

import isometrics as iso
from isometrics._counting.confusion import Confusion
from isometrics.analysis.verdicts import contest_of_rows
from isometrics.decisions.objective import parse_objective
from isometrics.verdict.contest import Contest, Options, choose
from isometrics.verdict.judge import judge
from isometrics.verdict.verdict import Verdict

SIZES = (200, 500, 2000)
FEWEST = 5
"""Samples with fewer rows of a class are left out."""
RESAMPLES = 500
OBJECTIVES = {
    "F1": {"beta": 1.0},
    "F2": {"beta": 2.0},
    "F0.5": {"beta": 0.5},
    "cost 5:1": {"miss_cost": 5.0, "false_alarm_cost": 1.0},
    "precision ≥ .8": {"min_precision": 0.8},
    "the same, sure": {"min_precision": 0.8, "sure": 0.95},
    "recall ≥ .9": {"min_recall": 0.9},
    "budget": {},
}
FREE = ("F1", "F2", "F0.5", "cost 5:1")
"""Objectives whose loss is compared with that of the rule that is best on the sample."""
CHANCES = (0.0, 0.1, 0.2, 0.4, 0.6, 0.8, 0.9, 0.98, 1.01)
ROUNDING = 1e-9


def tried(population: Population | Simulated, rows: int, seed: list[int]) -> Iterable[dict]:
    """Judge one sample for all objectives."""
    labels, scores = population.sample(rows, seed)
    rarer = int(min(labels.sum(), (~labels).sum()))
    if rarer < FEWEST:
        return
    analysis = iso.analyse(labels, scores)
    options = Options(n_resamples=RESAMPLES, random_state=seed[-1], n_jobs=1)
    # As many rows as are positive, but at most a tenth.
    budget = round(rows * max(0.02, min(0.1, population.labels.mean())))
    contests = {}
    for name, asked in OBJECTIVES.items():
        objective = parse_objective(**(asked or {"budget": budget}))
        contest = contest_of_rows(analysis.rows, analysis.models, objective, options, None)
        (here,) = choose([contest], np.ones((1, rows), np.uint8), "compiled")
        # Not every sample has a rule that keeps what is asked for.
        if (here.rule >= 0).any():
            contests[name] = contest
    # The rows are added up once for all objectives.
    judged = judge(list(contests.values()), options)
    for (name, contest), verdict in zip(contests.items(), judged, strict=True):
        yield {"objective": name, "rarer": rarer, **facts(population, contest, verdict)}


def facts(population: Population | Simulated, contest: Contest, verdict: Verdict) -> dict:
    """Return what a verdict says beside what is true."""
    objective = contest.objective

    def counts(model: str, threshold: float) -> Confusion:
        # A threshold may be short of a score by a rounding of its type.
        return Confusion(*population.counts(model, np.array([threshold])))

    def value(model: str, threshold: float) -> float:
        return float(objective.value(counts(model, threshold))[0])

    chosen = counts(verdict.model, verdict.threshold)
    truth = float(objective.value(chosen)[0])
    sign = 1 if objective.higher_is_better else -1
    found = {
        "truth": truth,
        "here": verdict.value,
        "expected": verdict.expected,
        "interval": list(verdict.interval),
        "better": verdict.better_than_nothing,
        "said": [
            [
                float(constraint.of(chosen)[0]),
                kept.expected,
                *kept.interval,
                kept.missed,
                not bool(constraint.met(constraint.of(chosen))[0]),
            ]
            for constraint, kept in zip(objective.constraints, verdict.kept, strict=True)
        ],
    }
    values = {
        each.name: sign * value(each.name, each.threshold)
        for each in verdict.models
        if not np.isnan(each.threshold)
    }
    best = max(values, key=values.__getitem__)
    found["holds"] = best in verdict.confidence_set or values[best] <= max(
        values[name] for name in verdict.confidence_set if name in values
    )
    found["size"] = len(verdict.confidence_set)
    if verdict.runner_up in values:
        lead = (values[verdict.model] - values[verdict.runner_up]) / objective.unit
        found["lead"] = [lead, verdict.lead, *verdict.lead_interval]
    if not objective.constraints:
        top = max(
            float(
                np.nanmax(sign * objective.value(Confusion(*population.counts(each, np.unique(s)))))
            )
            for each, s in population.scores.items()
        )
        here = {
            name: iso.best_threshold(points, **objective.parameters)
            for name, points in zip(contest.names, points_of(contest), strict=True)
        }
        apparent = max(here, key=lambda name: sign * here[name].value)
        found["loss"] = top - sign * truth
        found["apparent"] = top - sign * value(apparent, float(here[apparent].threshold))
    return found


def points_of(contest: Contest) -> list[iso.OperatingPoints]:
    return [iso.OperatingPoints(table) for table in contest.tables]


# ---------------------------------------------------------------------- the page


def page(results: list[dict]) -> str:
    """Return Markdown of all results."""
    real = [each for each in results if each["population"] in DATA]
    simulated = [each for each in results if each["population"] in SIMULATED]
    lines = [
        "# Verdicts on samples of real populations",
        "",
        f"Made by `benchmarks/verdict_real.py`, which asks the library itself: {len(DATA)} "
        "populations of 2,890 to 19,000 rows (`benchmarks/populations.py`), six models, at most "
        f"{RESAMPLES} resamples each. The truth is what the chosen rule does on the population. "
        "*Rarer* is the number of rows of the rarer class in the sample; samples with fewer than "
        f"{FEWEST} are left out. The last part has simulated populations.",
        "",
        *parts(real),
        "",
        "# Simulated populations",
        "",
        "Scores of normal distributions, 1.5 standard deviations apart or less, of which models "
        "share half: one, five or twenty models at prevalences of .5 and .1, and noise.",
        "",
        *parts(simulated),
    ]
    return "\n".join(lines) + "\n"


def parts(results: list[dict]) -> list[str]:
    """Return the tables of some results."""
    rows = [row | {"sample": each["size"]} for each in results for row in each["rows"]]
    of = {name: [row for row in rows if row["objective"] == name] for name in OBJECTIVES}
    return [
        "## The value to expect",
        "",
        "Intervals of 95%. Below and above are samples whose truth lies there; for a cost, below "
        "is cheaper.",
        "",
        *table(
            of, expected_row, ["covered", "below", "above", "bias", "bias here", "error", "width"]
        ),
        "",
        "## What is asked for",
        "",
        "The precision, recall or share of flagged rows, in the same way.",
        "",
        *table(of, kept_row, ["covered", "below", "above", "bias", "missed"]),
        "",
        "Verdicts by the chance they give for missing what was asked for, and how often that "
        "happens.",
        "",
        "| chance given | verdicts | mean | missed |",
        "|---|--:|--:|--:|",
        *chances([each for row in rows for each in row["said"]]),
        "",
        "## Which model",
        "",
        "How often the set of models that cannot be told apart holds the model with the highest "
        "true value, is one model, and how often the interval of the lead holds the true lead.",
        "",
        *table(of, model_row, ["holds", "one model", "lead covered", "lead bias", "better"]),
        "",
        "## The choice",
        "",
        "What the choice loses to the best rule of all models on the population, beside the rule "
        "that is best on the sample (`best_threshold` of the model with the highest value there).",
        "",
        "| rows | objective | loss | of the best here | change |",
        "|--:|---|--:|--:|--:|",
        *losses(of),
    ]


def table(
    of: dict[str, list[dict]], cells: Callable[[list[dict]], list[str] | None], columns: list[str]
) -> list[str]:
    """Return a table with rows for objectives and numbers of the rarer class, then for sizes."""
    lines = [
        f"| objective | samples | n | {' | '.join(columns)} |",
        "|---|---|--:|" + "--:|" * len(columns),
    ]
    parts = [
        ("rarer: 50 or more", lambda row: row["rarer"] >= 50),
        ("rarer: 20 to 49", lambda row: 20 <= row["rarer"] < 50),
        ("rarer: 5 to 19", lambda row: row["rarer"] < 20),
        *((f"{size:,} rows", lambda row, size=size: row["sample"] == size) for size in SIZES),
    ]
    for name, rows in of.items():
        for text, holds in parts:
            some = [row for row in rows if holds(row)]
            found = cells(some) if some else None
            if found:
                lines.append(f"| {name} | {text} | {len(some):,} | {' | '.join(found)} |")
    return lines


def coverage(truth: np.ndarray, low: np.ndarray, high: np.ndarray) -> list[str]:
    below, above = truth < low - ROUNDING, truth > high + ROUNDING
    return [f"{each:.1%}" for each in ((~below & ~above).mean(), below.mean(), above.mean())]


def expected_row(rows: list[dict]) -> list[str] | None:
    known = np.array(
        [
            [row["truth"], *row["interval"], row["expected"], row["here"]]
            for row in rows
            if not np.isnan([row["truth"], *row["interval"]]).any()
        ]
    )
    truth, low, high, expected, here = known.T
    return [
        *coverage(truth, low, high),
        f"{(expected - truth).mean():+.4f}",
        f"{(here - truth).mean():+.4f}",
        f"{np.sqrt(((expected - truth) ** 2).mean()):.4f}",
        f"{(high - low).mean():.4f}",
    ]


def kept_row(rows: list[dict]) -> list[str] | None:
    said = np.array(
        [each[:5] for row in rows for each in row["said"] if not np.isnan(each[:4]).any()]
    )
    if not said.size:
        return None
    truth, expected, low, high, _ = said.T
    missed = np.mean([each[5] for row in rows for each in row["said"]])
    return [*coverage(truth, low, high), f"{(expected - truth).mean():+.4f}", f"{missed:.1%}"]


def chances(said: list[list]) -> list[str]:
    given = np.array([each[4] for each in said])
    missed = np.array([each[5] for each in said])
    lines = []
    for low, high in pairwise(CHANCES):
        some = (given >= low) & (given < high)
        if some.any():
            means = f"{given[some].mean():.1%} | {missed[some].mean():.1%}"
            lines.append(f"| {low:.0%} to {min(high, 1):.0%} | {some.sum():,} | {means} |")
    return lines


def model_row(rows: list[dict]) -> list[str] | None:
    leads = np.array([row["lead"] for row in rows if not np.isnan(row.get("lead", [np.nan])).any()])
    truth, lead, low, high = leads.reshape(-1, 4).T
    better = [row["better"] for row in rows if row["better"] is not None]
    return [
        f"{np.mean([row['holds'] for row in rows]):.1%}",
        f"{np.mean([row['size'] == 1 for row in rows]):.1%}",
        coverage(truth, low, high)[0] if leads.size else "",
        f"{(lead - truth).mean():+.4f}" if leads.size else "",
        f"{np.mean(better):.1%}" if better else "",
    ]


def losses(of: dict[str, list[dict]]) -> list[str]:
    lines = []
    for size in SIZES:
        changes = []
        for name in FREE:
            some = [row for row in of[name] if row["sample"] == size]
            if not some:
                continue
            loss, apparent = (np.mean([row[key] for row in some]) for key in ("loss", "apparent"))
            changes.append(loss / apparent - 1)
            lines.append(
                f"| {size:,} | {name} | {loss:.4f} | {apparent:.4f} | {changes[-1]:+.1%} |"
            )
        if changes:
            lines.append(f"| {size:,} | *mean* | | | {np.mean(changes):+.1%} |")
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--samples", type=int, default=40)
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES)
    parser.add_argument("--only", default="", help="text in the names of the populations")
    parser.add_argument("--seed", type=int, default=3)
    parser.add_argument("--simulated", action="store_true")
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    done = {(each["population"], each["size"]) for each in results_in(options.out)}
    for size in options.sizes:
        for place, name in enumerate(SIMULATED if options.simulated else DATA):
            if (name, size) in done or options.only not in name:
                continue
            simulated = options.simulated
            population = Simulated(name) if simulated else Population(options.folder, name)
            rows = [
                row
                for sample in range(options.samples)
                for row in tried(population, size, [options.seed, place, size, sample])
            ]
            with options.out.open("a") as results:
                line = {"population": name, "size": size, "seed": options.seed, "rows": rows}
                results.write(json.dumps(line) + "\n")
            print(f"{name}, {size} rows: {len(rows)} verdicts", flush=True)
    if options.write:
        Path(__file__).with_suffix(".md").write_text(page(results_in(options.out)))


if __name__ == "__main__":
    main()
