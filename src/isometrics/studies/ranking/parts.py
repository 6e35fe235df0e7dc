"""Results on disk: one Parquet file for each task, whole or not there, and all of them joined."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import numpy as np

from isometrics.studies.ranking.scoring import HALVES, MEASURES
from isometrics.writing import whole_file

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

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
