"""Compare rules that are proven to keep a rate with those of MAPIE and of `sure`.

Usage: python benchmarks/guarantee.py RESULTS.jsonl [--samples 2000] [--only TEXT] [--write]

Each cell draws many samples from normal distributions, whose population values are known, and lets
`guarantee=0.95`, `sure=0.95` and MAPIE's `BinaryClassificationController` choose a model and a
threshold that keep a rate. Told are how often each answers, how often the rate is broken in the
population, and the mean value of its rules there, 0 where it has no answer. MAPIE, where it is
installed, sees the first samples of each cell only, because it is slow; its scores are the true
probabilities, and each of k models has 1/k of the error. A cell that the file of results has is
left out, so that a run can be continued. ``--write`` makes guarantee.md of the results.
"""

from __future__ import annotations

import math
import time
import warnings
import zlib
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
from scipy.optimize import brentq
from scipy.special import ndtr, ndtri
from verdict_cells import run_cells

import isometrics as iso
from isometrics.analysis.verdicts import contest_of_rows
from isometrics.decisions.objective import parse_objective
from isometrics.errors import NotAnswerableError
from isometrics.verdict import guarantee
from isometrics.verdict.contest import Options, choose_each

try:
    from mapie.risk_control import BinaryClassificationController
except ImportError:
    BinaryClassificationController = None

LEVEL, FOR_MAPIE = 0.95, 150
GRID = np.linspace(0, 0.99, 100)
"""The thresholds of MAPIE."""
PRECISIONS = (0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95)
NAMES = {"guarantee": "guarantee", "sure": "sure", "mapie": "MAPIE"}


@dataclass(frozen=True)
class Cell:
    """What is drawn, and the rate that is asked for."""

    rate: str
    n: int
    prevalence: float
    separation: float
    k: int

    @property
    def name(self) -> str:
        """What is drawn, in words."""
        return (
            f"{self.rate} {self.level:g}, n {self.n}, prevalence {self.prevalence}, separation "
            f"{self.separation}, k {self.k}"
        )

    @cached_property
    def level(self) -> float:
        """The level that is asked for; of precision one that allows a recall of about .6."""
        if self.rate != "precision":
            return {"recall": 0.8, "fpr": 0.05}[self.rate]
        levels = [each for each in PRECISIONS if each > 1.3 * self.prevalence]
        return min(levels, key=lambda level: abs(self.recall_at(level) - 0.6))

    @property
    def asked(self) -> dict[str, float]:
        """The level as `Analysis.verdict` has it."""
        return {("max_" if self.rate == "fpr" else "min_") + self.rate: self.level}

    @property
    def separations(self) -> list[float]:
        """How far the positives of each model lie above its negatives; the first is best."""
        return [self.separation * (1 - 0.5 * i / max(self.k - 1, 1)) for i in range(self.k)]

    def rates(self, separation: float, threshold: float) -> dict[str, float]:
        """Return the rates of a rule in the population."""
        recall, fpr = float(ndtr(separation - threshold)), float(ndtr(-threshold))
        alarms = self.prevalence * recall + (1 - self.prevalence) * fpr
        precision = self.prevalence * recall / alarms if alarms else 1.0
        return {"recall": recall, "fpr": fpr, "precision": precision}

    def recall_at(self, precision: float) -> float:
        """Return the highest recall of the best model at a precision in the population."""
        edge = brentq(
            lambda at: self.rates(self.separation, at)["precision"] - precision, -8.0, 30.0
        )
        return float(ndtr(self.separation - edge))

    def judged(self, rule: tuple[int, float] | None) -> tuple[bool, bool, float]:
        """Return whether there is a rule, whether it breaks the rate, and its value."""
        if rule is None:
            return False, False, 0.0
        rates = self.rates(self.separations[rule[0]], rule[1])
        broken = rates[self.rate] - self.level
        value = rates["precision" if self.rate == "recall" else "recall"]
        return True, bool(broken > 0 if self.rate == "fpr" else broken < 0), float(value)

    @property
    def possible(self) -> float:
        """The best value in the population under the rate."""
        if self.rate == "precision":
            return self.recall_at(self.level)
        if self.rate == "recall":
            edge = self.separation - ndtri(self.level)
            return float(self.rates(self.separation, edge)["precision"])
        return float(ndtr(self.separation + ndtri(self.level)))


def cells() -> list[Cell]:
    """Return all cells, the small ones first."""
    grid = [(share, apart) for share in (0.02, 0.1, 0.3) for apart in (0.75, 1.5, 2.5)]
    kinds = [("precision", 2000, 1), ("precision", 500, 1), ("precision", 2000, 5)]
    kinds += [("precision", 10_000, 1), ("fpr", 2000, 1), ("recall", 2000, 1)]
    return [Cell(rate, n, *each, k) for rate, n, k in kinds for each in grid]


def by_library(cell: Cell, labels, scores, how: str) -> tuple[int, float] | None:
    """Return the rule of `guarantee` or `sure`, or None where it refuses."""
    objective = parse_objective(**cell.asked, **{how: LEVEL})
    analysis = iso.analyse(labels, {str(model): each for model, each in enumerate(scores)})
    contest = contest_of_rows(analysis.rows, analysis.models, objective, Options(), None)
    try:
        if how == "guarantee":
            choice = guarantee.prove(contest).choice
        else:
            (choice,) = choose_each([contest], "plain")
    except NotAnswerableError:
        return None
    rule = choice.rules[choice.model]
    return choice.model, float(contest.tables[choice.model].thresholds[rule])


def by_mapie(cell: Cell, labels, scores) -> tuple[int, float] | None:
    """Return the rule of MAPIE: of its models the one with the best value on these rows."""
    odds = math.log(cell.prevalence / (1 - cell.prevalence))
    best = None
    for model, (own, apart) in enumerate(zip(scores, cell.separations, strict=True)):
        probability = 1 / (1 + np.exp(-(apart * own - apart**2 / 2 + odds)))
        controller = BinaryClassificationController(
            lambda x: np.column_stack([1 - x[:, 0], x[:, 0]]),
            risk=cell.rate,
            target_level=cell.level,
            confidence_level=1 - (1 - LEVEL) / cell.k,
            # A threshold that no row reaches has no p-value there, and none at all is then proven.
            list_predict_params=GRID[probability.max() >= GRID],
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            controller.calibrate(probability[:, None], labels.astype(int))
        at = controller.best_predict_param
        if at is None:
            continue
        flagged = probability >= at
        hits = np.count_nonzero(flagged & labels)
        value = hits / max(np.count_nonzero(flagged), 1) if cell.rate == "recall" else hits
        edge = (math.log(at / (1 - at)) - odds + apart**2 / 2) / apart if at > 0 else -math.inf
        if best is None or value > best[0]:
            best = (value, (model, edge))
    return best and best[1]


def run(cell: Cell, options) -> dict:
    """Return how the rules of all ways do."""
    start = time.perf_counter()
    random = np.random.default_rng([options.seed, zlib.crc32(cell.name.encode())])
    found: dict[str, list] = {}
    for sample in range(options.samples):
        labels = random.random(cell.n) < cell.prevalence
        common = random.normal(size=cell.n) * math.sqrt(0.5)
        noise = math.sqrt(0.5) * random.normal(size=(cell.k, cell.n))
        scores = [
            common + own + apart * labels
            for own, apart in zip(noise, cell.separations, strict=True)
        ]
        if not 0 < labels.sum() < cell.n:
            continue
        for how in ("guarantee", "sure"):
            rule = by_library(cell, labels, scores, how)
            found.setdefault(how, []).append(cell.judged(rule))
        if BinaryClassificationController is not None and sample < FOR_MAPIE:
            rule = by_mapie(cell, labels, scores)
            found.setdefault("mapie", []).append(cell.judged(rule))
            # What the same samples give here.
            found.setdefault("paired", []).append(found["guarantee"][-1])
    means = {how: np.mean(np.array(each, float), axis=0).tolist() for how, each in found.items()}
    return {
        "name": cell.name,
        "rate": cell.rate,
        "samples": options.samples,
        "possible": cell.possible,
        "means": means,
        "seconds": time.perf_counter() - start,
    }


def page(results: list[dict]) -> str:
    """Return the page."""
    lines = [
        "# What a proof costs",
        "",
        "`guarantee=0.95` chooses among rules that are proven to keep a rate in the population. "
        "Here it is compared with `sure=0.95`, which is measured and not proven, and with the "
        "`BinaryClassificationController` of MAPIE 1.6, at the same level on the same samples. "
        "The scores of MAPIE are the true probabilities, for which its 100 thresholds are made; "
        "it is given those that a row reaches, because with others it proves nothing. It sees the "
        f"first {FOR_MAPIE} samples of each cell, and *paired* is the value that `guarantee` has "
        "on these. Values are recall, and precision where a recall is asked for; a sample without "
        "an answer counts as 0. *Possible* is the value of the best rule of the population that "
        "keeps the rate. Two normal distributions give the scores; of five models the others are "
        "worse, down to half the separation.",
        "",
    ]
    for rate, title in (
        ("precision", "Precision"),
        ("fpr", "False positive rate"),
        ("recall", "Recall"),
    ):
        own = [each for each in results if each["rate"] == rate]
        if own:
            lines += [f"## {title}", "", *summary(own), "", *table(own), ""]
    lines.append("`python benchmarks/guarantee.py RESULTS.jsonl --write` measures this again.")
    return "\n".join(lines) + "\n"


def summary(results: list[dict]) -> list[str]:
    """Return what the table shows, in sentences."""
    broken = [each["means"]["guarantee"][1] for each in results]
    answers = [each for each in results if each["means"]["sure"][0] >= 0.95]
    ratio = [each["means"]["guarantee"][2] / each["means"]["sure"][2] for each in answers]
    mean = np.mean(
        [[each["means"][how][2] for how in ("guarantee", "sure")] for each in answers], 0
    )
    said = [
        f"- The rate is broken in {max(broken):.1%} of {results[0]['samples']:,} samples at most, "
        f"in {np.mean(broken):.1%} on average; with `sure` in "
        f"{max(each['means']['sure'][1] for each in results):.1%} at most.",
    ]
    if answers:
        said.append(
            f"- In the {len(answers)} of {len(results)} cells where `sure` answers in 95% of the "
            f"samples, its mean value is {mean[1]:.3f} and that of `guarantee` {mean[0]:.3f}, "
            f"{mean[0] / mean[1]:.0%} of it; in single cells {min(ratio):.0%} to {max(ratio):.0%}."
        )
    both = [each["means"] for each in results if "mapie" in each["means"]]
    if both:
        ours, theirs = (np.array([each[how][2] for each in both]) for how in ("paired", "mapie"))
        said.append(
            f"- MAPIE: {theirs.mean():.3f} where `guarantee` has {ours.mean():.3f}; `guarantee` is "
            f"better in {np.count_nonzero(ours > theirs)} of {len(both)} cells, and worse by "
            f"{max((theirs - ours).max(), 0):.3f} at most."
        )
    else:
        said.append("- MAPIE was not installed, and is left out.")
    return said


def table(results: list[dict]) -> list[str]:
    """Return a row for each cell."""
    lines = [
        "| cell | possible | guarantee: answers | broken | value | sure: answers | broken | value "
        "| paired | MAPIE: answers | broken | value |",
        "|---|" + "--:|" * 11,
    ]
    for each in results:
        means = each["means"]
        row = [each["name"], f"{each['possible']:.3f}"]
        for how in ("guarantee", "sure"):
            row += [f"{value:.3f}" for value in means[how]]
        row.append(f"{means['paired'][2]:.3f}" if "paired" in means else "")
        row += [f"{value:.3f}" for value in means["mapie"]] if "mapie" in means else [""] * 3
        lines.append(f"| {' | '.join(row)} |")
    return lines


if __name__ == "__main__":
    guarantee.precision_tests = lru_cache(maxsize=None)(guarantee.precision_tests)
    run_cells(__file__, __doc__, cells(), run, page, samples=2000)
