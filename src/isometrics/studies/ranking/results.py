"""Results of the study: read, written one Parquet file a task, and joined."""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import numpy as np

from isometrics._core.results import Value
from isometrics._core.writing import whole_file
from isometrics.errors import FileError, ParameterError
from isometrics.formats.text import as_path, unreadable
from isometrics.studies.ranking.scoring import HALVES, MEASURES

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from os import PathLike

    from isometrics._core.arrays import Floats
    from isometrics.studies.ranking.datasets import DataSet
    from isometrics.studies.ranking.scoring import Settings


_KEY = b"isometrics"
_LONGEST = 150


def part_path(folder: Path, task: str) -> Path:
    """Return the file of a task; a name that is no file name is written with escapes."""
    name = quote(task, safe=" ")
    if len(name) > _LONGEST:
        # File systems have a limit; the names of two tasks must differ all the same.
        name = f"{name[:_LONGEST]}-{hashlib.sha256(task.encode()).hexdigest()[:16]}"
    return folder / f"{name}.parquet"


def fingerprint(data: DataSet, settings: Settings) -> str:
    """Return what the rows of a task depend on, to tell whether they still hold."""
    import sklearn

    known = settings._asdict() | {"data": data.digest(), "scikit-learn": sklearn.__version__}
    return json.dumps(known, sort_keys=True)


def write_part(path: Path, rows: Sequence[dict[str, Any]], of: str) -> None:
    """Write the rows of a task; a file under this name is always whole."""
    import pyarrow as pa

    table = pa.Table.from_pylist(list(rows))
    write_table(path, table.replace_schema_metadata({_KEY: of.encode()}))


def write_table(path: Path, table: Any) -> None:
    """Write a table of pyarrow into a small Parquet file that appears whole."""
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


def holds(path: Path, of: str) -> bool:
    """Tell whether a part is there, can be read, and belongs to these data and settings."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        table = pq.read_table(path)
    except (OSError, pa.ArrowException):
        return False
    return bool((table.schema.metadata or {}).get(_KEY) == of.encode())


def join_parts(paths: Iterable[Path]) -> Any:
    """Return all parts as one table of pyarrow, with the ranks of the models inside each task.

    Areas keep all their digits; ranks, seconds and what is about halves are floats of 32 bits.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    tables = [_ranked(pq.read_table(path).replace_schema_metadata(None)) for path in paths]
    whole = pa.concat_tables(tables)
    short = [f"_{half}" for half in HALVES]
    fields = [
        pa.field(field.name, pa.float32())
        if field.name.startswith("rank_") or field.name.endswith((*short, "seconds"))
        else field
        for field in whole.schema
    ]
    return whole.cast(pa.schema(fields))


def _ranked(table: Any) -> Any:
    from scipy.stats import rankdata

    for measure in MEASURES:
        values = table.column(measure).to_numpy()
        ranks = rankdata(-values, nan_policy="omit")
        table = table.append_column(f"rank_{measure}", [np.asarray(ranks, np.float64)])
    return table


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
