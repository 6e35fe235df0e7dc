"""Time the optimal tradeoff curves of a million points against sorting these points.

Run with ``python benchmarks/tradeoff.py``. Prints the best of five runs of each.
"""

import time

import numpy as np

import isometrics as iso
from isometrics.spaces.indices import INDICES

ROWS = 1_000_000


def seconds(work, runs: int = 5) -> float:
    best = float("inf")
    for _ in range(runs):
        start = time.perf_counter()
        work()
        best = min(best, time.perf_counter() - start)
    return best


def ranking() -> iso.OperatingPoints:
    """Return the table of a million distinct scores, 20% of them positive."""
    rng = np.random.default_rng(0)
    labels = rng.random(ROWS) < 0.2
    return iso.OperatingPoints.from_scores(labels, rng.normal(1.5 * labels))


def family() -> iso.OperatingPoints:
    """Return a million sets in no order."""
    rng = np.random.default_rng(1)
    tp, fp = rng.integers(0, 10**6, ROWS), rng.integers(0, 10**7, ROWS)
    labels = range(ROWS)
    return iso.OperatingPoints.from_counts(tp, fp, positives=10**6, negatives=10**7, labels=labels)


def main() -> None:
    for title, points in (("scores", ranking()), ("sets in no order", family())):
        shuffled = np.random.default_rng(2).permutation(len(points))
        tp, fp = points.tp[shuffled], points.fp[shuffled]
        sorting = seconds(lambda tp=tp, fp=fp: np.lexsort((tp, fp)))
        print(f"{title}: sorting {len(points):,} points takes {sorting * 1e3:.0f} ms")
        for name in INDICES:
            taken = seconds(lambda points=points, name=name: points.tradeoff(name))
            pieces = len(points.tradeoff(name).intervals)
            print(
                f"  {name:12} {taken * 1e3:6.0f} ms, {taken / sorting:5.2f} times; {pieces} pieces"
            )


if __name__ == "__main__":
    main()
