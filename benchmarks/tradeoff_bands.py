"""Measure how often bands of tradeoff curves contain the curve of the population.

Usage: python benchmarks/tradeoff_bands.py RESULTS.jsonl [--samples 200] [--only TEXT] [--write]

The truth is the optimal tradeoff curve of the population: at every weight λ of recall the best
value over all thresholds. Each line of the results is a cell, so a run goes on where it was
stopped. ``--write`` makes tradeoff_bands.md.
"""

from __future__ import annotations

import argparse
import time
import warnings
from typing import Any, NamedTuple
from unittest.mock import patch

import numpy as np
from scipy.stats import gamma, norm
from verdict_cells import run_cells

import isometrics as iso
from isometrics._counting.confusion import Confusion
from isometrics.spaces.indices import index_named
from isometrics.uncertainty import bands

WEIGHTS = np.linspace(0.05, 0.95, 19)
RESAMPLES = 400
POPULATIONS: dict[str, tuple[Any, Any]] = {
    "normal, 1 apart": (norm(1), norm()),
    "normal, 2 apart": (norm(2), norm()),
    "gamma": (gamma(2, scale=1.5), gamma(1)),
}
"""The distributions of the scores of positives and of negatives."""


class Cell(NamedTuple):
    """A population, a size and an index."""

    scores: str
    rows: int
    prevalence: float
    index: str = "f-measure"

    @property
    def name(self) -> str:
        """What the results call it."""
        return f"{self.index}, {self.scores}, {self.rows} rows, prevalence {self.prevalence:g}"


CELLS = [
    Cell("normal, 1 apart", 200, 0.3),
    Cell("gamma", 200, 0.5),
    Cell("normal, 2 apart", 500, 0.2),
    Cell("gamma", 500, 0.05),
    Cell("normal, 1 apart", 1000, 0.1),
    Cell("gamma", 1000, 0.2),
    Cell("normal, 1 apart", 5000, 0.05),
    Cell("normal, 2 apart", 1000, 0.2, "kulczynski"),
    Cell("gamma", 500, 0.5, "folke"),
    Cell("normal, 1 apart", 1000, 0.1, "jaccard"),
    Cell("normal, 1 apart", 1000, 0.1, "cost"),
]


def population_curve(cell: Cell) -> np.ndarray:
    """Return the best values over a fine grid of thresholds, flagging everything among them."""
    positive, negative = POPULATIONS[cell.scores]
    thresholds = np.concatenate([[-np.inf], np.linspace(-6, 15, 20_001)])
    tp = cell.prevalence * positive.sf(thresholds)
    fp = (1 - cell.prevalence) * negative.sf(thresholds)
    some = tp > 0
    rules = Confusion(tp[some], fp[some], cell.prevalence, 1 - cell.prevalence).column()
    return np.asarray(index_named(cell.index).of_rows(rules, WEIGHTS).max(axis=0))


def ends(cell: Cell, seed: np.random.SeedSequence) -> np.ndarray:
    """Return the ends of three bands of one sample: pointwise, simultaneous, of the maxima."""
    drawing, drawn = seed.spawn(2)
    random = np.random.default_rng(drawing)
    labels = random.random(cell.rows) < cell.prevalence
    positive, negative = POPULATIONS[cell.scores]
    size = (cell.rows,)
    scores = np.where(labels, positive.rvs(size, random), negative.rvs(size, random))
    maxima = []
    less_optimism = bands._less_optimism

    def record(best: np.ndarray, *others: np.ndarray, bounded: bool) -> np.ndarray:
        maxima.append(np.nanquantile(best, [0.025, 0.975], axis=0))
        return less_optimism(best, *others, bounded=bounded)

    with patch.object(bands, "_less_optimism", record):
        curves = iso.bootstrap_curves(
            labels,
            scores,
            space="tradeoff",
            index=cell.index,
            x=WEIGHTS,
            n_resamples=RESAMPLES,
            random_state=drawn,
            n_jobs=1,
        )
    both = [curves.band(kind=kind) for kind in bands.KINDS]
    told = np.where(np.isnan(both[0].lower), np.nan, 1)
    return np.array([*([band.lower, band.upper] for band in both), maxima[0] * told])


def run(cell: Cell, options: argparse.Namespace) -> dict[str, Any]:
    """Return how often the bands of many samples contain the curve."""
    started = time.perf_counter()
    truth = population_curve(cell)
    seeds = np.random.SeedSequence([options.seed, CELLS.index(cell)]).spawn(options.samples)
    lower, upper = np.moveaxis(np.array([ends(cell, seed) for seed in seeds]), 2, 0)
    told = ~np.isnan(lower[:, 0])
    usual = told.mean(axis=0) > 0.5
    below, above = ((miss & told[:, None]) for miss in (truth < lower, truth > upper))
    shares = [miss[..., usual].sum(axis=0) / told[:, usual].sum(axis=0) for miss in (below, above)]
    covered = 1 - shares[0] - shares[1]
    whole = ~(below | above)[:, 1].any(axis=1)
    return {
        "name": cell.name,
        **cell._asdict(),
        "samples": options.samples,
        "seed": options.seed,
        "from": WEIGHTS[usual][0],
        "to": WEIGHTS[usual][-1],
        "maxima": covered[2].mean(),
        "band": covered[0].mean(),
        "below": shares[0][0].mean(),
        "above": shares[1][0].mean(),
        "least": covered[0].min(),
        "most": covered[0].max(),
        "simultaneous": whole.mean(),
        "seconds": time.perf_counter() - started,
    }


def page(results: list[dict]) -> str:
    """Return the page as Markdown."""
    seeds = ", ".join(sorted({str(result["seed"]) for result in results}))
    lines = [
        "# Bands of tradeoff curves",
        "",
        "`python benchmarks/tradeoff_bands.py RESULTS.jsonl --write`: how often bands that say 95% "
        "contain the optimal tradeoff curve of the population, which is at every weight λ of "
        "recall the best value over all thresholds there, in percent. "
        f"Seed {seeds}, {RESAMPLES} replicates, λ from 0.05 to 0.95 in steps of 0.05. Only those λ "
        "count at which more than half of the samples have a band. *Maxima*: percentiles of the "
        "best values in the replicates, which are too high. *Pointwise*: the band, its mean over "
        "λ, in brackets how often the curve lies below and above it; then the λ where it covers "
        "least and most. At one λ, 95% has a standard error of 1.5 with 200 samples, and of 2.2 "
        "with 100.",
        "",
        "| index | scores | rows | π | samples | λ | maxima | pointwise | least | most "
        "| simultaneous |",
        "|---|---|--:|--:|--:|---|--:|--:|--:|--:|--:|",
    ]
    for cell in CELLS:
        for result in results:
            if result["name"] != cell.name:
                continue
            maxima, band, below, above, least, most, whole = (
                f"{100 * result[name]:.1f}"
                for name in ("maxima", "band", "below", "above", "least", "most", "simultaneous")
            )
            lines.append(
                f"| {cell.index} | {cell.scores} | {cell.rows} | {cell.prevalence:g} "
                f"| {result['samples']} | {result['from']:.2f} to {result['to']:.2f} | {maxima} "
                f"| {band} ({below}, {above}) | {least} | {most} | {whole} |"
            )
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", iso.UndefinedWarning)
        run_cells(__file__, __doc__, CELLS, run, page, samples=200)
