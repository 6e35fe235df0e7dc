"""Frames of Spark and Dask as a source: rows stay in the cluster, and aggregates are collected."""

from __future__ import annotations

import sys
import warnings
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from isometrics.errors import FileError, ParameterError
from isometrics.sources.batches import FIRST_ROWS, reading
from isometrics.sources.frames import FrameSource

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    import narwhals.stable.v2 as nw
    import pyarrow as pa

_SPARK = ("pyspark", "pyspark[connect]")
_DISTRIBUTED = (*_SPARK, "dask")
_ERRORS = (
    ("pyspark.errors", "PySparkException"),
    ("py4j.protocol", "Py4JError"),
    ("grpc", "RpcError"),
)


def frame_source(frame: Any) -> FrameSource | ClusterFrame:
    """Return a data frame as a source: those of Spark and Dask are left where they are."""
    import narwhals.stable.v2 as nw

    given = nw.from_native(frame, pass_through=True) if _may_be_distributed(frame) else None
    if isinstance(given, nw.LazyFrame) and given.implementation.value in _DISTRIBUTED:
        return ClusterFrame(given)
    return FrameSource(frame)


def _may_be_distributed(frame: Any) -> bool:
    return type(frame).__module__.partition(".")[0] in ("pyspark", "dask", "narwhals")


@contextmanager
def asking(name: str, *errors: type[Exception]) -> Iterator[None]:
    """Turn what a cluster's libraries raise into one sentence, and hide what they say of pandas."""
    # Libraries that are not loaded raise nothing, and are not loaded for their errors.
    loaded = tuple(
        getattr(sys.modules[module], error) for module, error in _ERRORS if module in sys.modules
    )
    with reading(name, *errors, *loaded), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "PySpark does not yet fully support pandas")
        yield


class ClusterFrame:
    """A frame of Spark, classic or Connect, or of Dask.

    Parameters
    ----------
    frame
        The frame, through narwhals.
    name
        What messages call it.
    close
        What to call in the end; a frame that was given is left to its owner.
    """

    def __init__(
        self, frame: Any, name: str = "the data frame", close: Callable[[], None] | None = None
    ) -> None:
        import narwhals.stable.v2 as nw

        native = nw.to_native(frame)
        in_spark = frame.implementation.value in _SPARK
        names = list(native.columns) if in_spark else frame.collect_schema().names()
        if len(set(names)) < len(names):
            raise ParameterError(f"{name} has two columns of one name; rename one")
        if not all(isinstance(each, str) for each in names):
            raise ParameterError(f"column names must be texts but are {names!r}")
        self.name = name
        self.backend = frame.implementation
        self._session: Any = None
        self._close = close
        # Spark reads dots and small and large letters in names its own way.
        self._places = {each: f"column_{place}" for place, each in enumerate(names)}
        if in_spark:
            self._session = native.sparkSession
            native = native.toDF(*self._places.values())
            self._frame: nw.LazyFrame[Any] = nw.from_native(native)
        else:
            self._frame = frame.rename(self._places)
        self._first: pa.Table | None = None

    @property
    def rows(self) -> int | None:
        """Not known before they are counted."""
        return None

    @property
    def schema(self) -> pa.Schema:
        """The names and types of all columns."""
        return self.head(list(self._places)).schema

    def columns(self, **wanted: str) -> nw.LazyFrame[Any]:
        """Return some columns, under the names of the arguments."""
        import narwhals.stable.v2 as nw

        return self._frame.select(
            **{name: nw.col(self._places[column]) for name, column in wanted.items()}
        )

    def collect(self, frame: nw.LazyFrame[Any]) -> pa.Table:
        """Compute what is left of a frame, which must be little."""
        with asking(self.name):
            return frame.collect(backend="pyarrow").to_native()

    def local(
        self, table: pa.Table, rows: nw.LazyFrame[Any], keys: Sequence[str]
    ) -> nw.LazyFrame[Any]:
        """Send a small table to wherever the rows are, to be joined with them by key columns."""
        import narwhals.stable.v2 as nw

        with asking(self.name):
            eager = nw.from_native(table, eager_only=True)
            sent: nw.LazyFrame[Any] = eager.lazy(backend=self.backend, session=self._session)
            native = nw.to_native(sent)
            if self._session is not None:
                native = native.hint("broadcast")
            elif self.backend.is_dask():
                # The same texts, numbers and times have several types in pandas.
                types = nw.to_native(rows).dtypes
                native = native.astype({key: types[key] for key in keys})
            joined: nw.LazyFrame[Any] = nw.from_native(native)
            return joined

    def head(self, columns: Sequence[str]) -> pa.Table:
        """Return the first rows of some columns; they are collected once."""
        if self._first is None:
            found = self.collect(self._frame.head(FIRST_ROWS))
            # The index of a Dask frame may come as one more column.
            found = found.select(list(self._places.values()))
            self._first = found.replace_schema_metadata().rename_columns(list(self._places))
        return self._first.select(columns)

    def batches(
        self, columns: Sequence[str], *, limit: int | None = None
    ) -> Iterator[pa.RecordBatch]:
        """Read the first rows of some columns; all rows are never read here."""
        if limit is None:
            raise FileError(
                f"cannot read the rows of {self.name!r} one by one: they stay in the cluster; "
                "write them to Parquet files there and name those"
            )
        yield from self.head(columns).slice(0, limit).to_batches()

    def close(self) -> None:
        """Let go of a session that was opened for this frame."""
        if self._close is not None:
            self._close()
