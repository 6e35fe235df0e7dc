"""Results of the study: a Parquet file for each task, one table of all, resamples of tasks."""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import numpy as np

from isometrics._core.files import as_path, whole_file
from isometrics._core.results import Value
from isometrics.errors import FileError, ParameterError
from isometrics.formats.text import unreadable
from isometrics_studies.ranking.scoring import HALVES, MEASURES

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from os import PathLike

    from isometrics._core.arrays import Floats
    from isometrics_studies.ranking.datasets import DataSet
    from isometrics_studies.ranking.scoring import Settings


_METADATA_KEY = b"isometrics"
_MAX_NAME_LENGTH = 150


def part_path(folder: Path, task: str) -> Path:
    """Return the file of a task; characters that file names cannot have are escaped."""
    name = quote(task, safe=" ")
    if len(name) > _MAX_NAME_LENGTH:
        # File systems limit the length; the digest keeps the names of two tasks different.
        name = f"{name[:_MAX_NAME_LENGTH]}-{hashlib.sha256(task.encode()).hexdigest()[:16]}"
    return folder / f"{name}.parquet"


def fingerprint(data: DataSet, settings: Settings) -> str:
    """Return a text of all that the rows of a task depend on, to decide whether they are valid."""
    import sklearn

    inputs = settings._asdict() | {"data": data.digest(), "scikit-learn": sklearn.__version__}
    return json.dumps(inputs, sort_keys=True)


def write_part(path: Path, rows: Sequence[dict[str, Any]], fingerprint_text: str) -> None:
    """Write the rows of a task, with their fingerprint."""
    import pyarrow as pa

    table = pa.Table.from_pylist(list(rows))
    write_table(path, table.replace_schema_metadata({_METADATA_KEY: fingerprint_text.encode()}))


def write_table(path: Path, table: Any) -> None:
    """Write a table of pyarrow to a compressed Parquet file, completely or not at all."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    floats = [field.name for field in table.schema if pa.types.is_floating(field.type)]
    others = [name for name in table.column_names if name not in floats]
    with whole_file(path, binary=True) as file:
        pq.write_table(
            table,
            file,
            compression="zstd",
            compression_level=15,
            use_dictionary=others,
            use_byte_stream_split=floats,
        )


def is_valid_part(path: Path, fingerprint_text: str) -> bool:
    """Return whether a file of a task exists, can be read and has this fingerprint."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        table = pq.read_table(path)
    except (OSError, pa.ArrowException):
        return False
    return bool((table.schema.metadata or {}).get(_METADATA_KEY) == fingerprint_text.encode())


def join_parts(paths: Iterable[Path]) -> Any:
    """Return the files of tasks as one table of pyarrow, with the ranks of models in each task.

    Areas are floats of 64 bits; ranks, seconds and columns of halves are floats of 32 bits.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    tables = [_add_ranks(pq.read_table(path).replace_schema_metadata(None)) for path in paths]
    joined = pa.concat_tables(tables)
    short_suffixes = (*(f"_{half}" for half in HALVES), "seconds")
    fields = [
        pa.field(field.name, pa.float32())
        if field.name.startswith("rank_") or field.name.endswith(short_suffixes)
        else field
        for field in joined.schema
    ]
    return joined.cast(pa.schema(fields))


def _add_ranks(table: Any) -> Any:
    from scipy.stats import rankdata

    for measure in MEASURES:
        values = table.column(measure).to_numpy()
        ranks = rankdata(-values, nan_policy="omit")
        table = table.append_column(f"rank_{measure}", [np.asarray(ranks, np.float64)])
    return table


_ORIGIN = re.compile(r"[^-.\d]+")


@dataclass(frozen=True, slots=True, eq=False)
class TaskResult(Value):
    """The results of one task, without models that have no areas.

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
    """Return the data set that a task comes from, according to the beginning of its name.

    Two tasks from one data set, such as ``yeast1`` and ``yeast-2_vs_4``, are not independent, so
    resampling draws them together.

    Examples
    --------
    >>> from isometrics_studies.ranking.results import origin
    >>> origin("keel/yeast1.dat"), origin("arff/nominal__heart.c.arff")
    ('yeast', 'heart')
    """
    name = task.rpartition("/")[2].rpartition("__")[2].lower()
    match = _ORIGIN.match(name)
    return match[0] if match else name


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
        raise unreadable(file, error) from error
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
    has_areas = ~np.isnan(np.asarray(numbers[MEASURES[0]], np.float64))
    results = []
    for task in dict.fromkeys(names.tolist()):
        rows = np.flatnonzero((names == task) & has_areas)
        columns = {name: np.asarray(values[rows], np.float64) for name, values in numbers.items()}
        results.append(TaskResult(task, tuple(models[rows].tolist()), columns))
    return results


def task_named(results: list[TaskResult], name: str) -> TaskResult:
    """Return the task of this name, or the only one whose name contains it."""
    matches = [task for task in results if task.name == name]
    matches = matches or [task for task in results if name in task.name]
    if len(matches) != 1:
        raise ParameterError(f"{len(matches)} tasks have {name!r} in their names; one is needed")
    return matches[0]


# ---------------------------------------------------------------------- resamples of tasks


class TaskResamples:
    """Resamples of tasks: how often each task is drawn in each of them.

    Parameters
    ----------
    tasks
        The names of the tasks. Origins are drawn with replacement, each with all its tasks.
    resamples
        The number of resamples.
    confidence_level
        The level of the intervals.
    random_state
        The seed.
    """

    def __init__(
        self, tasks: Sequence[str], resamples: int, confidence_level: float, random_state: int
    ) -> None:
        names, origin_index = np.unique([origin(task) for task in tasks], return_inverse=True)
        rng = np.random.default_rng(random_state)
        origin_counts = rng.multinomial(names.size, np.full(names.size, 1 / names.size), resamples)
        self.counts = np.asarray(origin_counts[:, origin_index], np.float64)
        self.origins = int(names.size)
        self._tails = [(1 - confidence_level) / 2, (1 + confidence_level) / 2]

    def interval_of_means(self, values: Floats) -> tuple[float, float]:
        """Return a percentile interval of the mean over tasks, without NaN."""
        return self.interval_of_ratios(np.where(np.isnan(values), 0.0, values), ~np.isnan(values))

    def interval_of_ratios(self, numerators: Floats, denominators: Floats) -> tuple[float, float]:
        """Return a percentile interval of the ratio of two sums over tasks."""
        with np.errstate(invalid="ignore", divide="ignore"):
            ratios = (self.counts @ numerators) / (self.counts @ denominators)
        return self.interval(ratios)

    def interval(self, replicates: Floats) -> tuple[float, float]:
        """Return the percentile interval of replicates, without those that are not finite."""
        defined = replicates[np.isfinite(replicates)]
        if not defined.size:
            return np.nan, np.nan
        low, high = np.quantile(defined, self._tails)
        return float(low), float(high)
