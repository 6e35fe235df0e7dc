"""Time the table, its areas and its hull against ``np.sort`` and scikit-learn.

Run with ``make bench``. Everything is timed twice, in two processes: as NumPy comes, and with its
AVX-512 code disabled, because the speed of ``np.sort``, the yardstick, depends on it.
"""

import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

import isometrics as iso

RESULTS = Path(__file__).with_name("results.md")
AVX512 = {"NPY_DISABLE_CPU_FEATURES": "X86_V4 AVX512_ICL"}
CASES = {
    "π = 0.5": (0.5, False),
    "π = 0.01": (0.01, False),
    "π = 0.0001": (0.0001, False),
    "π = 0.5, scores rounded to 3 digits": (0.5, True),
}
SORT = "np.sort of the scores"


def sample(rows: int, prevalence: float, tied: bool) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(1)
    labels = rng.random(rows) < prevalence
    labels[:2] = True, False
    scores = rng.normal(size=rows)
    scores += labels
    np.negative(scores, out=scores)
    np.exp(scores, out=scores)
    scores += 1
    np.reciprocal(scores, out=scores)
    return labels, np.round(scores, 3) if tied else scores


def seconds(work: Callable[[], object], repeats: int) -> list[float]:
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return times


def timings(rows: int, repeats: int, sklearn: bool) -> dict[str, dict[str, list[float]]]:
    """Return the times of every step, by case."""
    found = {}
    for case, (prevalence, tied) in CASES.items():
        labels, scores = sample(rows, prevalence, tied)
        points = iso.OperatingPoints.from_scores(labels, scores)

        def table(labels: np.ndarray = labels, scores: np.ndarray = scores) -> object:
            return iso.OperatingPoints.from_scores(labels, scores)

        def areas(table: Callable[[], iso.OperatingPoints] = table) -> object:
            points = table()
            return points.roc.area(), points.pr.areas(), points.prg.area()

        steps = {
            SORT: seconds(lambda scores=scores: np.sort(scores), repeats),
            "from_scores": seconds(table, repeats),
            "from_scores, then 7 areas": seconds(areas, repeats),
            "hull of the table": seconds(points.hull, repeats),
        }
        del points
        if sklearn:
            from sklearn.metrics import precision_recall_curve, roc_auc_score

            for function in (precision_recall_curve, roc_auc_score):
                steps[f"scikit-learn {function.__name__}"] = seconds(
                    lambda function=function, labels=labels, scores=scores: function(
                        labels, scores
                    ),
                    1,
                )
        found[case] = steps
    return found


STARTS = {
    "nothing": ["-c", "pass"],
    "numpy": ["-c", "import numpy"],
    "isometrics": ["-c", "import isometrics"],
    "isometrics, and its table": ["-c", "import isometrics; isometrics.OperatingPoints"],
    "`isometrics --help`": ["-m", "isometrics", "--help"],
}


def start_times(repeats: int) -> dict[str, float]:
    """Return the shortest time from the start to the end of fresh processes."""

    def once(arguments: list[str]) -> float:
        start = time.perf_counter()
        _python(arguments, {})
        return time.perf_counter() - start

    return {
        name: min(once(arguments) for _ in range(4 * repeats)) for name, arguments in STARTS.items()
    }


def _python(arguments: list[str], environment: dict[str, str]) -> str:
    return subprocess.run(
        [sys.executable, *arguments],
        env=os.environ | environment,
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    ).stdout


def machine() -> str:
    model = platform.processor() or platform.machine()
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        named = [line for line in cpuinfo.read_text().splitlines() if line.startswith("model name")]
        model = named[0].split(":", 1)[1].strip() if named else model
    return (
        f"{model}, {os.cpu_count()} cores, {platform.system()}, Python "
        f"{platform.python_version()}, NumPy {np.__version__}, isometrics {iso.__version__}"
    )


def as_table(found: dict[str, dict[str, list[float]]], rows: int) -> str:
    lines = [
        "| case | step | min, s | median, s | ns/row | min / np.sort |",
        "|---|---|--:|--:|--:|--:|",
    ]
    for case, steps in found.items():
        yardstick = min(steps[SORT])
        for step, times in steps.items():
            least, middle = min(times), statistics.median(times)
            lines.append(
                f"| {case} | {step} | {least:.3f} | {middle:.3f} | {least / rows * 1e9:.1f} "
                f"| {least / yardstick:.2f} |"
            )
    return "\n".join(lines)


def report(rows: int, repeats: int, sklearn: bool) -> str:
    child = [__file__, "--child", f"--rows={rows}", f"--repeats={repeats}"]
    child += [] if sklearn else ["--skip-sklearn"]
    starts = "\n".join(f"| {name} | {took:.3f} |" for name, took in start_times(repeats).items())
    default, plain = (json.loads(_python(child, features)) for features in ({}, AVX512))
    return f"""# Benchmarks

{machine()}

{rows:,} float64 scores; minimum and median of {repeats} repeats, scikit-learn once. The 7 areas are
AUROC, the five areas under the PR curve, and AUPRG. Other work on the machine disturbs the minimum
less than the median. `make bench` repeats this.

## As NumPy comes

{as_table(default, rows)}

## With NumPy's AVX-512 code disabled

`NPY_DISABLE_CPU_FEATURES="{AVX512["NPY_DISABLE_CPU_FEATURES"]}"`, set before Python starts.

{as_table(plain, rows)}

## Start

A whole process of Python that loads what is named; minimum of {4 * repeats}. Names of isometrics
are loaded on first use.

| | s |
|---|--:|
{starts}
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--skip-sklearn", action="store_true")
    parser.add_argument("--write", action="store_true", help=f"write {RESULTS.name} too")
    parser.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.child:
        print(json.dumps(timings(given.rows, given.repeats, not given.skip_sklearn)))
        return
    text = report(given.rows, given.repeats, not given.skip_sklearn)
    print(text)
    if given.write:
        RESULTS.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
