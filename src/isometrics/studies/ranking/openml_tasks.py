"""Tasks fetched from OpenML by its own package; nothing else in this study uses the network."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from isometrics.errors import FileError, MissingPackageError
from isometrics.studies.ranking.datasets import Column, RawTable, data_set_of

if TYPE_CHECKING:
    from isometrics.studies.ranking.datasets import DataSet


def fetch_task(task_id: int) -> DataSet:
    """Fetch the data of an OpenML task, or take them from its cache, and make them binary.

    Parameters
    ----------
    task_id
        The number of the task.

    Notes
    -----
    Folds are made anew, as for all data sets; those of the task are not used.
    """
    try:
        import openml
    except ImportError:
        raise MissingPackageError(
            "fetching OpenML tasks needs openml, which is not installed", "isometrics[openml]"
        ) from None
    try:
        task: Any = openml.tasks.get_task(task_id)
        target = task.target_name
        frame, answers, nominal, names = task.get_dataset().get_data(target=target)
    except (OSError, openml.exceptions.PyOpenMLError) as error:
        reason = " ".join(str(error).partition(" (Caused by")[0].split())
        raise FileError(
            f"cannot fetch OpenML task {task_id}: {reason}; this needs a connection to openml.org "
            "or the data in the cache of openml"
        ) from error
    features = [
        Column(str(name), _cells(frame[name]), not of_classes)
        for name, of_classes in zip(names, nominal, strict=True)
    ]
    numeric = getattr(answers.dtype, "kind", "O") in "iuf"
    table = RawTable(features, Column(target, _cells(answers), numeric))
    return data_set_of(f"OpenML task {task_id}", table)


def _cells(column: Any) -> list[str | None]:
    known = column.notna().tolist()
    return [
        str(value) if there else None for value, there in zip(column.tolist(), known, strict=True)
    ]
