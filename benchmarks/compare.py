"""Time the comparison of many long models. Run: python benchmarks/compare.py [models] [rows]."""

import sys
import time

import numpy as np

import isometrics as iso


def timed(what, function):
    start = time.perf_counter()
    result = function()
    print(f"{what:40} {time.perf_counter() - start:8.2f} s")
    return result


def main(models=50, rows=100_000):
    rng = np.random.default_rng(0)
    labels = rng.random(rows) < 0.1
    tables = timed(
        f"{models} tables of {rows} scores",
        lambda: {
            f"model {k}": iso.OperatingPoints.from_scores(
                labels, rng.normal(labels * (1 + k / models))
            )
            for k in range(models)
        },
    )
    for index in ("f-measure", "kulczynski", "folke", "jaccard", "cost"):
        result = timed(f"compare, {index}", lambda index=index: iso.compare(tables, index))
    own = iso.Index("own", lambda p, r, lam: p * r / (lam * p + (1 - lam) * r))
    timed("compare, a function of the user's", lambda: iso.compare(tables, own))
    timed("dominance of all pairs of hulls", lambda: result.hull_dominance)
    timed("dominance of all pairs of curves", lambda: result.dominance)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
