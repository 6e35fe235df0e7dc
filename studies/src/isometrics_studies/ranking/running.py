"""Running the study on many tasks, in several processes, and resuming it."""

from __future__ import annotations

import multiprocessing
import os
import threading
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path
from typing import TYPE_CHECKING, Any

from isometrics._core.parameters import parse_jobs, reporting
from isometrics.errors import EmptyInputError, FileError, ParameterError, system_reason
from isometrics_studies.ranking.models import first_models
from isometrics_studies.ranking.results import (
    fingerprint,
    is_valid_part,
    join_parts,
    part_path,
    write_part,
    write_table,
)
from isometrics_studies.ranking.scoring import Settings, evaluate_task

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from os import PathLike

    from isometrics._core.parameters import ProgressLike
    from isometrics_studies.ranking.datasets import DataSet
    from isometrics_studies.ranking.runs import RunTask

RESULTS = "results.parquet"
_PARTS_FOLDER = "parts"


def settings_of(
    *, models: int = 30, folds: int = 10, random_state: int = 0, limit: float = 300.0
) -> Settings:
    """Check the settings of a study.

    Parameters
    ----------
    models
        The number of models: the first ones of `isometrics_studies.ranking.models.MODELS`.
    folds
        The number of folds, 2 or more.
    random_state
        The seed of the folds and of all models.
    limit
        Seconds of processor time for one model on one task; a model that would take longer has a
        row without areas that says so.
    """
    if folds < 2:
        raise ParameterError(f"must be 2 or more but is {folds}", parameter="folds")
    if random_state < 0:
        raise ParameterError(f"must be 0 or more but is {random_state}", parameter="random_state")
    if not limit > 0:
        raise ParameterError(
            f"must be a number of seconds above 0 but is {limit}", parameter="limit"
        )
    return Settings(first_models(models), folds, random_state, limit)


def run_study(
    tasks: Sequence[DataSet],
    settings: Settings,
    folder: str | PathLike[str],
    *,
    n_jobs: int | None = 1,
    runs: Sequence[RunTask] = (),
    progress: ProgressLike = None,
) -> Any:
    """Evaluate all models on all tasks and return one row for each pair, as a table of pyarrow.

    Parameters
    ----------
    tasks
        From `usable`.
    settings
        From `settings_of`.
    folder
        The folder for results: a file for each task in ``parts``, as soon as it is finished, and
        at the end ``results.parquet`` with all of them. Tasks that already have files of the same
        data, settings and version of scikit-learn are not computed again.
    n_jobs
        The number of processes; each uses one thread.
    runs
        Predictions of OpenML runs, from `read_runs`.
    progress
        As in `bootstrap`: True for a bar, or a function that takes tasks done and tasks in all.
    """
    if not tasks and not runs:
        raise EmptyInputError("there is no task to run; give data sets that can be used")
    parts_folder = _make_folder(Path(folder) / _PARTS_FOLDER)
    paths = [part_path(parts_folder, task.name) for task in tasks]
    jobs = [
        (task, settings, path)
        for task, path in zip(tasks, paths, strict=True)
        if not is_valid_part(path, fingerprint(task, settings))
    ]
    # Long tasks first, so that no process is left with one at the end.
    jobs.sort(key=lambda job: job[0].values.size, reverse=True)
    n_processes = min(parse_jobs(n_jobs), max(len(jobs), 1))
    with reporting(progress, "tasks") as report:
        n_done = len(tasks) - len(jobs)
        for _ in _run_all(jobs, n_processes):
            n_done += 1
            if report is not None:
                report(n_done, len(tasks))
    for task in runs:
        paths.append(part_path(parts_folder, task.name))
        write_part(paths[-1], task.rows(), "")
    table = join_parts(paths)
    write_table(Path(folder) / RESULTS, table)
    return table


def _make_folder(folder: Path) -> Path:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FileError(
            f"cannot make the folder {str(folder)!r}: {system_reason(error)}"
        ) from error
    return folder


def _run_all(jobs: Sequence[tuple[DataSet, Settings, Path]], n_processes: int) -> Iterator[None]:
    """Run the jobs, and yield after each one that is finished."""
    if n_processes == 1:
        for job in jobs:
            _run(*job)
            yield
        return
    other_children = set(multiprocessing.active_children())
    context = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(n_processes, mp_context=context, initializer=_end_with_parent)
    try:
        for future in as_completed([pool.submit(_run, *job) for job in jobs]):
            future.result()
            yield
    except BaseException:
        # Do not wait for running tasks, which may take minutes; finished ones are written.
        pool.shutdown(wait=False, cancel_futures=True)
        for child in set(multiprocessing.active_children()) - other_children:
            child.terminate()
        raise
    pool.shutdown()


def _end_with_parent() -> None:
    """End this process when the one that started it is killed."""
    parent = multiprocessing.parent_process()
    assert parent is not None

    def watch() -> None:
        parent.join()
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def _run(task: DataSet, settings: Settings, path: Path) -> None:
    import sklearn.ensemble
    import sklearn.linear_model  # noqa: F401 (only libraries already loaded are limited)
    from threadpoolctl import threadpool_limits

    with threadpool_limits(1):
        rows = evaluate_task(task, settings)
    write_part(path, rows, fingerprint(task, settings))
