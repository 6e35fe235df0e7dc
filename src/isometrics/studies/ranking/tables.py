"""The tables of a study: what was used and what was not, how measures disagree, what they pick."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from isometrics._core.results import ResultTable, number
from isometrics._core.writing import whole_file
from isometrics.errors import EmptyInputError
from isometrics.points import OperatingPoints
from isometrics.studies.ranking.agreement import agreement
from isometrics.studies.ranking.choosing import CRITERIA, picks

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from isometrics.studies.ranking.datasets import DataSet, Unusable
    from isometrics.studies.ranking.results import TaskResult


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class TaskList(ResultTable):
    """Every file that was found: its task, or why it is none.

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
            "task": [*(task.name for task in self.tasks), *(each.name for each in self.unusable)],
            "used": [True] * len(self.tasks) + [False] * len(self.unusable),
            "rows": [*(task.positive.size for task in self.tasks), *without],
            "features": [*(task.nominal.size for task in self.tasks), *without],
            "positives": [*(task.positives for task in self.tasks), *without],
            "rule": [*(task.rule for task in self.tasks), *without],
            "note": [
                *(f"without {', '.join(task.notes)}" if task.notes else "" for task in self.tasks),
                *(each.reason for each in self.unusable),
            ],
        }


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class PairPoints(ResultTable):
    """The operating points of some models of one task, in counts.

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
        each = [(name, points) for name, points in self.models.items()]
        return {
            "model": [name for name, points in each for _ in points.tp],
            "tp": [int(count) for _, points in each for count in points.tp],
            "fp": [int(count) for _, points in each for count in points.fp],
            "positives": [int(points.positives) for _, points in each for _ in points.tp],
            "negatives": [int(points.negatives) for _, points in each for _ in points.tp],
        }


def read_points(path: Path) -> dict[str, OperatingPoints]:
    """Read what `write_csv` wrote of `PairPoints`."""
    rows: dict[str, list[dict[str, str]]] = {}
    with path.open(newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            rows.setdefault(row["model"], []).append(row)
    return {
        name: OperatingPoints.from_counts(
            [int(row["tp"]) for row in of_model],
            [int(row["fp"]) for row in of_model],
            positives=int(of_model[0]["positives"]),
            negatives=int(of_model[0]["negatives"]),
        )
        for name, of_model in rows.items()
    }


def tables_of(results: Sequence[TaskResult], *, random_state: int = 0) -> dict[str, ResultTable]:
    """Return the tables of a study by their names.

    Parameters
    ----------
    results
        From `read_results`. Tasks with fewer than two models tell nothing about ranks, and are
        left out.
    random_state
        The seed of the intervals.
    """
    compared = [task for task in results if len(task.models) > 1]
    if not compared:
        raise EmptyInputError("no task has two models or more, so there is nothing to rank")
    tables: dict[str, ResultTable] = {"agreement": agreement(compared, random_state=random_state)}
    for criterion in CRITERIA:
        try:
            found, differences = picks(compared, criterion, random_state=random_state)
        except EmptyInputError:
            continue
        tables[f"picks_{criterion}"] = found
        tables[f"pick_differences_{criterion}"] = differences
    return tables


def write_csv(path: Path, table: ResultTable) -> None:
    """Write all columns of a table; numbers with six digits, as they are printed."""
    columns = table._columns()
    with whole_file(path) as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(columns)
        for row in zip(*columns.values(), strict=True):
            writer.writerow("" if cell is None else number(cell) for cell in row)
