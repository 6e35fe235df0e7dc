"""Time an analysis and its summary with many groups, and with each table measured by itself.

Usage: python benchmarks/groups.py [--rows 1000000] [--groups 1000 10000 100000] [--models 1 3]

All in one run, in processor seconds: other work on the machine disturbs them least. Labels, scores
and groups are drawn with seed 1; 3 of 10 rows are positive and scores are distinct doubles.
"""

import argparse
import time
from unittest.mock import patch

import numpy as np

import isometrics as iso
from isometrics.decisions import thresholds


def analysed(rows: int, groups: int, models: int) -> iso.Analysis:
    """Return the analysis of rows that are drawn anew."""
    rng = np.random.default_rng(1)
    labels = rng.random(rows) < 0.3
    scores = {f"m{model}": rng.normal(labels / (1 + model)) for model in range(models)}
    sites = rng.integers(0, groups, rows)
    start = time.process_time()
    analysis = iso.analyse(labels, scores, groups=sites)
    print(f"{rows:>9,} {groups:>9,} {models:>6}", end=f" {time.process_time() - start:10.2f}")
    return analysis


def seconds_of_summary(analysis: iso.Analysis) -> float:
    """Return the processor seconds of the summary as a table."""
    start = time.process_time()
    analysis.summary().to_frame("polars")
    return time.process_time() - start


def main() -> None:
    """Print one line for each number of groups and models."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=10**6)
    parser.add_argument("--groups", type=int, nargs="+", default=[10**3, 10**4, 10**5])
    parser.add_argument("--models", type=int, nargs="+", default=[1, 3])
    given = parser.parse_args()
    iso.analyse([1, 0] * 20, [1.0, 2.0] * 20).summary().to_frame("polars")
    print("     rows    groups models   analysis    summary  one by one  ratio")
    for models in given.models:
        for groups in given.groups:
            analysis = analysed(given.rows, groups, models)
            together = seconds_of_summary(analysis)
            with patch.object(thresholds, "_FEWEST", np.inf):
                alone = seconds_of_summary(analysis)
            print(f" {together:10.2f} {alone:11.2f} {alone / together:6.1f}")


if __name__ == "__main__":
    main()
