"""Predictions of OpenML runs as tasks: files about the same rows are models of one task."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass, field
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from isometrics.errors import FileError, InputError
from isometrics.formats.openml import openml_rows
from isometrics.formats.predictions import confidence
from isometrics.formats.text import TextFile
from isometrics.studies.ranking.datasets import Unusable, binarise_classes
from isometrics.studies.ranking.scoring import measures_of

if TYPE_CHECKING:
    from os import PathLike

    from numpy.typing import NDArray

    from isometrics._core.arrays import Floats

FAMILY = "OpenML run"

_RELATION = re.compile(r"(?i)@relation\s+'?openml_task_(\d+)_predictions")


class Run(NamedTuple):
    """The predictions of one file, sorted by repeat, fold and row."""

    name: str
    task: str | None
    positive: NDArray[np.bool_]
    rule: str
    scores: Floats
    fold: NDArray[np.intp]
    rows: str
    """A fingerprint of the rows and their labels."""


@dataclass(frozen=True, slots=True)
class RunTask:
    """Runs about the same rows, folds and labels."""

    name: str
    runs: list[Run] = field(default_factory=list)

    def rows(self) -> list[dict[str, Any]]:
        """Return one row for each run, with the same columns as the rows of data sets."""
        found = []
        for run in self.runs:
            first = run.fold < (run.fold.max() + 1) // 2
            about = {
                "task": self.name,
                "rows": run.positive.size,
                "features": 0,
                "positives": int(run.positive.sum()),
                "rule": run.rule,
                "model": run.name,
                "family": FAMILY,
            }
            spent = {"seconds": 0.0, "warned": 0, "reason": ""}
            found.append(about | measures_of(run.positive, run.scores, first) | spent)
        return found


def read_runs(folder: str | PathLike[str]) -> tuple[list[RunTask], list[Unusable]]:
    """Read all OpenML prediction files of a folder, and put together what belongs together.

    Parameters
    ----------
    folder
        A folder of files whose names end in .arff.

    Notes
    -----
    Of several classes the largest stands against the rest, and the score is the sum of the
    confidences of the positive side. Rows of all repeats are ranked together. Learning curves,
    which have predictions of models that were fitted to samples of different size, are no task.
    """
    place = Path(folder)
    files = sorted(place.glob("*.arff")) if place.is_dir() else []
    if not files:
        raise FileError(f"{str(place)!r} is no folder with .arff files; give one of OpenML runs")
    tasks: dict[str, RunTask] = {}
    unusable = []
    for file in files:
        try:
            run = read_run(file)
        except InputError as error:
            unusable.append(Unusable.by(file.name, error))
            continue
        if run.rows not in tasks:
            tasks[run.rows] = RunTask(_name(run, [task.name for task in tasks.values()]))
        tasks[run.rows].runs.append(run)
    return list(tasks.values()), unusable


def _name(run: Run, taken: list[str]) -> str:
    """Return a name for the task of a run that no other task has."""
    number = f"OpenML task {run.task}"
    if run.task is not None and number not in taken:
        return number
    return f"{number}, as in {run.name}" if run.task else f"the task of {run.name}"


def read_run(file: Path) -> Run:
    """Read the predictions of one run."""
    columns, label, classes, _ = openml_rows(file)
    sample = columns.get("sample")
    if sample is not None and (sample != sample[0]).any():
        raise FileError.about(file, "holds a learning curve, not predictions of one model")
    zeros = np.zeros(columns[label].size, np.intp)
    repeat, fold, row = (columns.get(name, zeros) for name in ("repeat", "fold", "row_id"))
    # Where the file has folds alone, its group column has taken their place, as text.
    fold = np.asarray(fold, np.intp)
    order = np.lexsort((row, fold, repeat))
    truth = columns[label][order]
    positive, rule = binarise_classes(truth.tolist())
    if positive.all() or not positive.any():
        raise FileError.about(file, "has rows of one class only")
    ours = [name for name in classes if (positive & (truth == name)).any()]
    scores = np.sum([columns[confidence(name)] for name in ours], axis=0)[order]
    about = hashlib.sha256("\n".join(map(str, truth.tolist())).encode())
    for key in (repeat, fold, row):
        about.update(np.asarray(key[order], np.int64).tobytes())
    name = file.name.removesuffix(".arff")
    return Run(name, _task_of(file), positive, rule, scores, fold[order], about.hexdigest())


def _task_of(file: Path) -> str | None:
    """Return the number of the task that the header names."""
    texts = (text.strip() for _, text in TextFile(file, "").lines())
    header = takewhile(lambda text: text.lower() != "@data", texts)
    numbers = [found[1] for found in map(_RELATION.match, header) if found]
    return numbers[0] if numbers else None
