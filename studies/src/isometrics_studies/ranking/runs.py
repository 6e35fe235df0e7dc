"""Predictions of OpenML runs as tasks; files with the same rows are models of one task."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass, field
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from isometrics.errors import FileError, InputError
from isometrics.formats.predictions import confidence
from isometrics.formats.text import TextFile
from isometrics.formats.weka import openml_rows
from isometrics_studies.ranking.datasets import Unusable, binarise_classes
from isometrics_studies.ranking.scoring import measures_of

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
    """Runs with the same rows, folds and labels."""

    name: str
    runs: list[Run] = field(default_factory=list)

    def rows(self) -> list[dict[str, Any]]:
        """Return one row for each run, with the same columns as the rows of data sets."""
        rows = []
        for run in self.runs:
            in_first_half = run.fold < (run.fold.max() + 1) // 2
            description = {
                "task": self.name,
                "rows": run.positive.size,
                "features": 0,
                "positives": int(run.positive.sum()),
                "rule": run.rule,
                "model": run.name,
                "family": FAMILY,
            }
            measures = measures_of(run.positive, run.scores, in_first_half)
            rows.append(description | measures | {"seconds": 0.0, "warned": 0, "reason": ""})
        return rows


def read_runs(folder: str | PathLike[str]) -> tuple[list[RunTask], list[Unusable]]:
    """Read all OpenML prediction files of a folder, grouped into tasks.

    Parameters
    ----------
    folder
        A folder of files whose names end in .arff.

    Notes
    -----
    Several classes are split into the largest one and the rest, and the score is the sum of the
    confidences of the positive side. Rows of all repeats are ranked together. Learning curves,
    with predictions of models fitted to samples of different sizes, are not used.
    """
    runs_folder = Path(folder)
    files = sorted(runs_folder.glob("*.arff")) if runs_folder.is_dir() else []
    if not files:
        raise FileError(
            f"{str(runs_folder)!r} is no folder with .arff files; give one of OpenML runs"
        )
    tasks: dict[str, RunTask] = {}
    unusable = []
    for file in files:
        try:
            run = read_run(file)
        except InputError as error:
            unusable.append(Unusable.by(file.name, error))
            continue
        if run.rows not in tasks:
            tasks[run.rows] = RunTask(_task_name(run, [task.name for task in tasks.values()]))
        tasks[run.rows].runs.append(run)
    return list(tasks.values()), unusable


def _task_name(run: Run, other_names: list[str]) -> str:
    """Return a name for the task of a run that no other task has."""
    name = f"OpenML task {run.task}"
    if run.task is not None and name not in other_names:
        return name
    return f"{name}, as in {run.name}" if run.task else f"the task of {run.name}"


def read_run(file: Path) -> Run:
    """Read the predictions of one run."""
    columns, label, classes, _ = openml_rows(file)
    sample = columns.get("sample")
    if sample is not None and (sample != sample[0]).any():
        raise FileError.about(file, "holds a learning curve, not predictions of one model")
    zeros = np.zeros(columns[label].size, np.intp)
    repeat, fold, row = (columns.get(name, zeros) for name in ("repeat", "fold", "row_id"))
    # In a file with folds only, the group column has replaced them by texts.
    fold = np.asarray(fold, np.intp)
    order = np.lexsort((row, fold, repeat))
    labels = columns[label][order]
    positive, rule = binarise_classes(labels.tolist())
    if positive.all() or not positive.any():
        raise FileError.about(file, "has rows of one class only")
    positive_classes = [name for name in classes if (positive & (labels == name)).any()]
    scores = np.sum([columns[confidence(name)] for name in positive_classes], axis=0)[order]
    digest = hashlib.sha256("\n".join(map(str, labels.tolist())).encode())
    for key in (repeat, fold, row):
        digest.update(np.asarray(key[order], np.int64).tobytes())
    name = file.name.removesuffix(".arff")
    return Run(name, _task_number(file), positive, rule, scores, fold[order], digest.hexdigest())


def _task_number(file: Path) -> str | None:
    """Return the number of the task in the header."""
    texts = (text.strip() for _, text in TextFile(file, "").lines())
    header = takewhile(lambda text: text.lower() != "@data", texts)
    numbers = [match[1] for match in map(_RELATION.match, header) if match]
    return numbers[0] if numbers else None
