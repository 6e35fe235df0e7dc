"""Time replicates of three areas against resampling with scikit-learn, in one run.

Run from the root of the repository:

    python benchmarks/bootstrap.py [rows]

Prints a table; writes nothing. scikit-learn's time is the median of some replicates: draw rows,
then `roc_auc_score` and `average_precision_score`.
"""

import statistics
import sys
import time
import tracemalloc
from collections.abc import Callable
from typing import NamedTuple
from unittest import mock

import numpy as np
from sklearn.metrics import average_precision_score, roc_auc_score

import isometrics as iso
from isometrics._counting import native

REPLICATES = 1000
ROUNDS = 3
THREADS = 2
WAYS = {
    ("compiled", 1): REPLICATES,
    ("compiled", THREADS): REPLICATES,
    ("plain", 1): 50,
    ("plain", THREADS): 50,
}
"""Kernels and threads, and how many replicates are timed."""


class Timed(NamedTuple):
    """Seconds by the clock, and of all processors together."""

    wall: float
    cpu: float


def timed(work: Callable[..., object], *given: object, count: int = 1, **options: object) -> Timed:
    """Return what one of `count` replicates takes."""
    wall, cpu = time.perf_counter(), time.process_time()
    work(*given, **options)
    return Timed((time.perf_counter() - wall) / count, (time.process_time() - cpu) / count)


def scikit_learn(labels: np.ndarray, scores: np.ndarray, random: np.random.Generator) -> None:
    rows = random.integers(0, labels.size, labels.size)
    chosen, ranked = labels[rows], scores[rows]
    roc_auc_score(chosen, ranked)
    average_precision_score(chosen, ranked)


def measured(prevalence: float, rows: int) -> iso.OperatingPoints:
    """Print the rows of one prevalence; return its table."""
    random = np.random.default_rng(1)
    labels = np.arange(rows) < rows * prevalence
    scores = random.normal(1.0 * labels)
    points = iso.OperatingPoints.from_scores(labels, scores)
    cells = np.count_nonzero(np.diff(labels[np.argsort(scores)])) + 1
    # Once without a clock: imports, compilation, memory.
    scikit_learn(labels, scores, random)
    iso.bootstrap(points, n_resamples=2, method="percentile")
    theirs: list[Timed] = []
    ours: dict[tuple[str, int], list[Timed]] = {way: [] for way in WAYS}
    for _ in range(ROUNDS):
        theirs += [timed(scikit_learn, labels, scores, random) for _ in range(3)]
        for (kernel, threads), count in WAYS.items():
            options = {"n_resamples": count, "n_jobs": threads}
            compiled = kernel == "compiled"
            with mock.patch.object(native, "available", lambda compiled=compiled: compiled):
                ours[kernel, threads].append(timed(iso.bootstrap, points, count=count, **options))
    base = [statistics.median(times) for times in zip(*theirs, strict=True)]
    for (way, threads), times in {("scikit-learn", 1): theirs, **ours}.items():
        wall, cpu = (statistics.median(part) for part in zip(*times, strict=True))
        print(
            f"| {prevalence:g} | {cells} | {way} | {threads} | {1e3 * wall:.2f} | {1e3 * cpu:.2f} "
            f"| {base[0] / wall:.0f} | {base[1] / cpu:.0f} |",
            flush=True,
        )
    return points


def main() -> None:
    rows = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    print(f"{rows} rows, replicates of AUROC, AUPR and AUPRG; medians of {ROUNDS} rounds\n")
    print("| π | cells | way | threads | ms | CPU ms | times faster | in CPU time |")
    print("|---|---|---|---|---|---|---|---|")
    for prevalence in (0.5, 0.01):
        points = measured(prevalence, rows)
    tracemalloc.start()
    iso.bootstrap(points, n_resamples=REPLICATES, n_jobs=THREADS)
    print(f"\nPeak memory of the last bootstrap: {tracemalloc.get_traced_memory()[1] / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
