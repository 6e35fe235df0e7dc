"""Time the score functions on few rows against sorting the scores, and others, in one run.

Usage: python benchmarks/small.py [--rows 100 1000 10000] [--rounds 15]

The functions take turns, and each has its least time, in processor seconds: other work on the
machine disturbs it least. The ratio is that to the positions of the sorted scores,
``scores.argsort()``, which every function needs or something like it. scors and scikit-learn are
timed where they are installed.
"""

import argparse
import time
from collections.abc import Callable
from importlib.util import find_spec

import numpy as np

import isometrics as iso

CALLS = 100


def functions() -> dict[str, Callable[[np.ndarray, np.ndarray], object]]:
    """Return what is timed, the yardstick first."""
    timed: dict[str, Callable[[np.ndarray, np.ndarray], object]] = {
        "positions of sorted scores": lambda _, scores: scores.argsort(),
        "auroc_score": iso.auroc_score,
        "aupr_score": iso.aupr_score,
        "aupr_score, average precision": lambda labels, scores: iso.aupr_score(
            labels, scores, interpolation="average-precision"
        ),
        "auprg_score": iso.auprg_score,
        "area_scores": iso.area_scores,
    }
    if find_spec("scors"):
        import scors

        timed["scors roc_auc"] = scors.roc_auc
        timed["scors average_precision"] = scors.average_precision
    if find_spec("sklearn"):
        from sklearn.metrics import average_precision_score, roc_auc_score

        timed["scikit-learn roc_auc_score"] = roc_auc_score
        timed["scikit-learn average_precision_score"] = average_precision_score
    return timed


def least_times(rows: int, rounds: int) -> dict[str, float]:
    """Return the processor seconds of one call of each function."""
    rng = np.random.default_rng(1)
    labels = rng.random(rows) < 0.5
    scores = rng.normal(1.0 * labels)
    least = dict.fromkeys(functions(), np.inf)
    for _ in range(rounds + 1):  # the first one loads what is needed
        for name, function in functions().items():
            start = time.process_time()
            for _ in range(CALLS):
                function(labels, scores)
            least[name] = min(least[name], (time.process_time() - start) / CALLS)
    return least


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, nargs="+", default=[100, 1000, 10_000])
    parser.add_argument("--rounds", type=int, default=15)
    options = parser.parse_args()
    print("| rows | what | µs | / sorting |\n|--:|---|--:|--:|")
    for rows in options.rows:
        least = least_times(rows, options.rounds)
        yardstick = next(iter(least.values()))
        for name, seconds in least.items():
            print(f"| {rows} | {name} | {1e6 * seconds:.1f} | {seconds / yardstick:.1f} |")


if __name__ == "__main__":
    main()
