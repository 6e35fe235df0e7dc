"""The rows of a study by task: which models have which areas and ranks."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from isometrics.errors import FileError, ParameterError
from isometrics.formats.text import as_path, unreadable
from isometrics.studies.ranking.scoring import MEASURES
from isometrics.values import Value

if TYPE_CHECKING:
    from os import PathLike

    from isometrics.aliases import Floats

NAMES = {
    "auroc": "AUROC",
    "aupr": "AUPR",
    "auprg": "AUPRG",
    "tradeoff_f_measure": "tradeoff, F-measure",
    "tradeoff_jaccard": "tradeoff, Jaccard",
    "tradeoff_folke": "tradeoff, Folke",
    "tradeoff_kulczynski": "tradeoff, Kulczynski",
}
"""What the columns of areas are called in tables and pictures."""

_ORIGIN = re.compile(r"[^-.\d]+")


@dataclass(frozen=True, slots=True, eq=False)
class TaskResult(Value):
    """One task: its models with all numbers, without those models that gave none.

    Attributes
    ----------
    name
        The task.
    models
        The models.
    columns
        Their areas, ranks and other numbers by name, one value for each model.
    """

    name: str
    models: tuple[str, ...]
    columns: dict[str, Floats]

    def table(self, names: tuple[str, ...] = MEASURES) -> Floats:
        """Return some columns, one row for each model."""
        return np.column_stack([self.columns[name] for name in names])


def origin(task: str) -> str:
    """Return what tasks made of the same data have in common: how their names begin.

    Two tasks made of one data set, such as ``yeast1`` and ``yeast-2_vs_4``, are no independent
    witnesses; intervals draw them together.

    Examples
    --------
    >>> from isometrics.studies.ranking.results import origin
    >>> origin("keel/yeast1.dat"), origin("arff/nominal__heart.c.arff")
    ('yeast', 'heart')
    """
    name = task.rpartition("/")[2].rpartition("__")[2].lower()
    found = _ORIGIN.match(name)
    return found[0] if found else name


def read_results(path: str | PathLike[str]) -> list[TaskResult]:
    """Read the table that a study wrote.

    Parameters
    ----------
    path
        The file ``results.parquet``.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    file = as_path(path)
    try:
        table = pq.read_table(file)
    except (OSError, pa.ArrowException) as error:
        raise FileError(unreadable(file, error)) from error
    missing = {"task", "model", *MEASURES} - set(table.column_names)
    if missing:
        raise FileError(
            f"{file} has no column {', '.join(sorted(missing))}; give the results.parquet of "
            "isometrics study ranking"
        )
    return results_of(table)


def results_of(table: Any) -> list[TaskResult]:
    """Return the tasks of a table of pyarrow, in its order."""
    names = np.array(table.column("task").to_pylist(), object)
    models = np.array(table.column("model").to_pylist(), object)
    numbers = {
        field.name: table.column(field.name).to_numpy()
        for field in table.schema
        if str(field.type) in ("double", "float", "int64")
    }
    known = ~np.isnan(np.asarray(numbers[MEASURES[0]], np.float64))
    found = []
    for task in dict.fromkeys(names.tolist()):
        rows = np.flatnonzero((names == task) & known)
        columns = {name: np.asarray(values[rows], np.float64) for name, values in numbers.items()}
        found.append(TaskResult(task, tuple(models[rows].tolist()), columns))
    return found


def task_named(results: list[TaskResult], name: str) -> TaskResult:
    """Return the one task whose name is, or contains, these words."""
    found = [each for each in results if each.name == name]
    found = found or [each for each in results if name in each.name]
    if len(found) != 1:
        raise ParameterError(f"{len(found)} tasks have {name!r} in their names; one is needed")
    return found[0]
