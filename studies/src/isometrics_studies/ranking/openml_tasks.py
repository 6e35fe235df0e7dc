"""Tasks fetched from OpenML by its package; nothing else in this study uses the network."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from isometrics.errors import FileError, MissingPackageError
from isometrics_studies.ranking.datasets import Column, RawTable, data_set_of

if TYPE_CHECKING:
    from isometrics_studies.ranking.datasets import DataSet


def fetch_task(task_id: int) -> DataSet:
    """Fetch the data of an OpenML task, or read them from the cache, as a binary task.

    Parameters
    ----------
    task_id
        The number of the task.

    Notes
    -----
    The folds of the OpenML task are not used; they are drawn as for all data sets.
    """
    try:
        import openml
    except ImportError:
        raise MissingPackageError(
            "fetching OpenML tasks needs openml, which is not installed",
            "isometrics-studies[openml]",
        ) from None
    try:
        task: Any = openml.tasks.get_task(task_id)
        target = task.target_name
        frame, labels, nominal, names = task.get_dataset().get_data(target=target)
    except (OSError, openml.exceptions.PyOpenMLError) as error:
        reason = " ".join(str(error).partition(" (Caused by")[0].split())
        raise FileError(
            f"cannot fetch OpenML task {task_id}: {reason}; this needs a connection to openml.org "
            "or the data in the cache of openml"
        ) from error
    features = [
        Column(str(name), _cells(frame[name]), not is_nominal)
        for name, is_nominal in zip(names, nominal, strict=True)
    ]
    numeric = getattr(labels.dtype, "kind", "O") in "iuf"
    table = RawTable(features, Column(target, _cells(labels), numeric))
    return data_set_of(f"OpenML task {task_id}", table)


def _cells(column: Any) -> list[str | None]:
    present = column.notna().tolist()
    pairs = zip(column.tolist(), present, strict=True)
    return [str(value) if is_present else None for value, is_present in pairs]
