"""Compare thresholds for F₁ on real tasks: all at once, on a grid, and by a sweep over all.

Give the folder of the data with ``--data``: KEEL files in ``keel/*.dat``, and CSV files without a
header and with the class last in ``csv_jbrownlee/*.csv``. The rarer class is the positive one.
"""

import argparse
import csv
import os
import platform
import re
import statistics
import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
import sklearn
from sklearn.compose import make_column_transformer
from sklearn.datasets import make_classification
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import f1_score
from sklearn.model_selection import (
    StratifiedKFold,
    TunedThresholdClassifierCV,
    cross_val_predict,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

import isometrics as iso
from isometrics.integrations.sklearn import FBetaThresholdClassifier

RESULTS = Path(__file__).with_suffix(".md")
FOLDS = 5
ROWS, POSITIVES, FAMILY = (300, 2500), 40, 3
"""Rows and fewest positives of a task, and the most tasks of one family, such as yeast1, yeast3."""

OURS, GRID, SWEEP = "isometrics", "grid", "sweep"


class Task(NamedTuple):
    """A table with its columns apart by type, and labels with 1 for the rarer class."""

    name: str
    numbers: np.ndarray
    words: np.ndarray
    y: np.ndarray


class Result(NamedTuple):
    """One method on one task: means over the outer folds."""

    tuning: float
    test: float
    seconds: float


Results = list[tuple[Task, dict[str, Result]]]


def tasks(folder: Path, wanted: int) -> list[Task]:
    """Return tasks of usable size, spread evenly over their prevalences."""
    files = sorted(folder.glob("keel/*.dat")) + sorted(folder.glob("csv_jbrownlee/*.csv"))
    found: list[Task] = []
    families: dict[str, int] = {}
    for file in files:
        task = _read(file)
        family = re.split(r"[-_\d]", file.stem)[0]
        if task is None or families.get(family, 0) == FAMILY:
            continue
        # The same table may come in both collections.
        if file.suffix == ".csv" and families.get(family):
            continue
        families[family] = families.get(family, 0) + 1
        found.append(task)
    found.sort(key=lambda task: task.y.mean())
    places = np.linspace(0, len(found) - 1, min(wanted, len(found))).round().astype(int)
    return [found[place] for place in places]


def _read(file: Path) -> Task | None:
    lines = file.read_text(encoding="utf-8").splitlines()
    rows = [
        [value.strip() for value in row]
        for row in csv.reader(line for line in lines if not line.startswith("@"))
        if row
    ]
    if not ROWS[0] <= len(rows) <= ROWS[1] or any("?" in row for row in rows):
        return None
    table = np.array(rows)
    classes, counts = np.unique(table[:, -1], return_counts=True)
    if classes.size != 2 or counts.min() < POSITIVES:
        return None
    numeric = [_is_numeric(column) for column in table[:, :-1].T]
    return Task(
        file.stem,
        table[:, :-1][:, numeric].astype(float),
        table[:, :-1][:, np.logical_not(numeric)],
        (table[:, -1] == classes[counts.argmin()]).astype(int),
    )


def _is_numeric(column: np.ndarray) -> bool:
    try:
        column.astype(float)
    except ValueError:
        return False
    return True


def model(numbers: int, words: int) -> object:
    """Return a logistic regression on scaled numbers and one-hot words."""
    columns = make_column_transformer(
        (StandardScaler(), list(range(numbers))),
        (OneHotEncoder(handle_unknown="ignore"), list(range(numbers, numbers + words))),
    )
    return make_pipeline(columns, LogisticRegression(max_iter=2000))


def methods(base: object, cv: StratifiedKFold, scores: np.ndarray) -> dict[str, object]:
    return {
        OURS: FBetaThresholdClassifier(base, cv=cv),
        GRID: TunedThresholdClassifierCV(base, scoring="f1", cv=cv),
        SWEEP: TunedThresholdClassifierCV(base, scoring="f1", cv=cv, thresholds=np.unique(scores)),
    }


def compare(task: Task) -> dict[str, Result]:
    """Return what each method reaches on the data it is tuned on, and on data it has not seen."""
    X = np.hstack([task.numbers.astype(object), task.words.astype(object)])
    base = model(task.numbers.shape[1], task.words.shape[1])
    found: dict[str, list[tuple[float, float, float]]] = {OURS: [], GRID: [], SWEEP: []}
    outer = StratifiedKFold(FOLDS, shuffle=True, random_state=0)
    for train, test in outer.split(X, task.y):
        inner = StratifiedKFold(FOLDS, shuffle=True, random_state=1)
        y = task.y[train]
        scores = cross_val_predict(base, X[train], y, cv=inner, method="predict_proba")[:, 1]
        for name, method in methods(base, inner, scores).items():
            start = time.perf_counter()
            method.fit(X[train], y)
            seconds = time.perf_counter() - start
            tuning = f1_score(y, scores >= method.best_threshold_)
            reached = f1_score(task.y[test], method.predict(X[test]))
            found[name].append((tuning, reached, seconds))
    return {
        name: Result(*map(statistics.mean, zip(*values, strict=True)))
        for name, values in found.items()
    }


def as_table(results: Results) -> Iterator[str]:
    yield (
        "| task | rows | positives | tuning F₁: isometrics | grid | sweep "
        "| test F₁: isometrics | grid | sweep | fit, s: isometrics | grid | sweep |"
    )
    yield "|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|"
    for task, found in results:
        yield f"| {task.name} | {task.y.size} | {task.y.sum()} | {_numbers(found)} |"
    means = {
        name: Result(*np.mean([found[name] for _, found in results], axis=0))
        for name in (OURS, GRID, SWEEP)
    }
    yield f"| **mean** | | | {_numbers(means)} |"


def _numbers(found: dict[str, Result]) -> str:
    cells = [
        f"{getattr(found[name], value):.{digits}f}"
        for value, digits in (("tuning", 4), ("test", 4), ("seconds", 3))
        for name in (OURS, GRID, SWEEP)
    ]
    return " | ".join(cells)


def wins(results: Results) -> Iterator[str]:
    yield "| isometrics against | on | wins | ties | losses | mean difference |"
    yield "|---|---|--:|--:|--:|--:|"
    for other in (GRID, SWEEP):
        for value in ("tuning", "test"):
            gaps = np.array(
                [getattr(found[OURS], value) - getattr(found[other], value) for _, found in results]
            )
            gaps[abs(gaps) < 1e-12] = 0
            counts = [(gaps > 0).sum(), (gaps == 0).sum(), (gaps < 0).sum()]
            yield f"| {other} | {value} | {' | '.join(map(str, counts))} | {gaps.mean():+.4f} |"


def speed(rows: int) -> Iterator[str]:
    """Time `fit`, with the model's own part and without it."""
    X, y = make_classification(rows, weights=[0.9], class_sep=0.8, random_state=0)
    base = LogisticRegression()
    cv = StratifiedKFold(FOLDS)
    scores = cross_val_predict(base, X, y, cv=cv, method="predict_proba")[:, 1]
    seconds = {}
    for name, method in methods(base, cv, scores).items():
        runs = []
        for _ in range(1 if name == SWEEP else 5):
            start = time.perf_counter()
            method.fit(X, y)
            runs.append(time.perf_counter() - start)
        seconds[name] = statistics.median(runs)
    yield f"| `fit` on {rows:,} rows | s | times isometrics |"
    yield "|---|--:|--:|"
    for name, taken in seconds.items():
        yield f"| {name} | {taken:.3f} | {taken / seconds[OURS]:.1f} |"


def report(folder: Path, wanted: int) -> str:
    results: Results = []
    for task in tasks(folder, wanted):
        results.append((task, compare(task)))
        print(task.name, _numbers(results[-1][1]), flush=True)
    lines = [
        "# Thresholds for F₁",
        "",
        f"{os.cpu_count()} cores, {platform.system()}, Python {platform.python_version()}, "
        f"NumPy {np.__version__}, scikit-learn {sklearn.__version__}, "
        f"isometrics {iso.__version__}",
        "",
        "A logistic regression on scaled numbers and one-hot categories; the rarer class is "
        f"positive. Means over {FOLDS} outer folds; thresholds come from {FOLDS} folds inside each "
        "training part, the same for all methods. *isometrics*: `FBetaThresholdClassifier`. "
        '*grid*: `TunedThresholdClassifierCV(scoring="f1")` with its default of 100 thresholds. '
        "*sweep*: the same with every distinct score as a threshold. Tuning F₁ is that of the "
        "pooled out-of-fold scores, test F₁ that of the outer folds.",
        "",
        *as_table(results),
        "",
        *wins(results),
        "",
        "## Time",
        "",
        *speed(10_000),
    ]
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True, help="the folder of the data")
    parser.add_argument("--tasks", type=int, default=20)
    parser.add_argument("--write", action="store_true", help=f"write {RESULTS.name} too")
    given = parser.parse_args()
    # A few tasks separate perfectly; where the regression stops then changes no comparison.
    warnings.simplefilter("ignore", ConvergenceWarning)
    text = report(given.data, given.tasks)
    print(text)
    if given.write:
        RESULTS.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
