"""The tables of a study: its tasks, the disagreement of measures, and their picks."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from isometrics._core.files import whole_file
from isometrics._core.results import ResultTable, number
from isometrics.errors import EmptyInputError
from isometrics.points import OperatingPoints
from isometrics_studies.ranking.agreement import agreement
from isometrics_studies.ranking.choosing import CRITERIA, picks

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from isometrics_studies.ranking.datasets import DataSet, Unusable
    from isometrics_studies.ranking.results import TaskResult


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class TaskList(ResultTable):
    """All files of a study: tasks, and files that cannot be used, with reasons.

    Attributes
    ----------
    tasks
        The data sets that are used.
    unusable
        Those that are not.
    """

    tasks: tuple[DataSet, ...]
    unusable: tuple[Unusable, ...]

    def _title(self) -> str:
        return f"{len(self.tasks)} tasks, and {len(self.unusable)} files that are none"

    def _columns(self) -> dict[str, Any]:
        without = [None] * len(self.unusable)
        return {
            "task": [*(task.name for task in self.tasks), *(file.name for file in self.unusable)],
            "used": [True] * len(self.tasks) + [False] * len(self.unusable),
            "rows": [*(task.positive.size for task in self.tasks), *without],
            "features": [*(task.nominal.size for task in self.tasks), *without],
            "positives": [*(task.positives for task in self.tasks), *without],
            "rule": [*(task.rule for task in self.tasks), *without],
            "note": [
                *(f"without {', '.join(task.notes)}" if task.notes else "" for task in self.tasks),
                *(file.reason for file in self.unusable),
            ],
        }


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class PairPoints(ResultTable):
    """The operating points of several models of one task, as counts.

    Attributes
    ----------
    task
        The task.
    models
        The points of each model.
    """

    task: str
    models: dict[str, OperatingPoints]

    def _title(self) -> str:
        return f"Operating points of {' and '.join(self.models)} on {self.task}"

    def _columns(self) -> dict[str, Any]:
        tables = self.models.values()
        return {
            "model": [name for name, points in self.models.items() for _ in points.tp],
            "tp": [int(count) for points in tables for count in points.tp],
            "fp": [int(count) for points in tables for count in points.fp],
            "positives": [int(points.positives) for points in tables for _ in points.tp],
            "negatives": [int(points.negatives) for points in tables for _ in points.tp],
        }


def read_points(path: Path) -> dict[str, OperatingPoints]:
    """Read a file of `PairPoints` that `write_csv` wrote."""
    rows: dict[str, list[dict[str, str]]] = {}
    with path.open(newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            rows.setdefault(row["model"], []).append(row)
    return {
        name: OperatingPoints.from_counts(
            [int(row["tp"]) for row in model_rows],
            [int(row["fp"]) for row in model_rows],
            positives=int(model_rows[0]["positives"]),
            negatives=int(model_rows[0]["negatives"]),
        )
        for name, model_rows in rows.items()
    }


def tables_of(results: Sequence[TaskResult], *, random_state: int = 0) -> dict[str, ResultTable]:
    """Return the tables of a study by their names.

    Parameters
    ----------
    results
        From `read_results`. Tasks with fewer than two models are left out.
    random_state
        The seed of the intervals.
    """
    compared = [task for task in results if len(task.models) > 1]
    if not compared:
        raise EmptyInputError("no task has two models or more, so there is nothing to rank")
    tables: dict[str, ResultTable] = {"agreement": agreement(compared, random_state=random_state)}
    for criterion in CRITERIA:
        try:
            by_measure, differences = picks(compared, criterion, random_state=random_state)
        except EmptyInputError:
            continue
        tables[f"picks_{criterion}"] = by_measure
        tables[f"pick_differences_{criterion}"] = differences
    return tables


def write_csv(path: Path, table: ResultTable) -> None:
    """Write all columns of a table, with six digits of numbers, as they are printed."""
    columns = table._columns()
    with whole_file(path) as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(columns)
        for row in zip(*columns.values(), strict=True):
            writer.writerow("" if cell is None else number(cell) for cell in row)
