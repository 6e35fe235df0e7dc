"""Data frames of any library as a source, through one narwhals expression."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

from isometrics.errors import ParameterError
from isometrics.sources.batches import FIRST_ROWS, Source, batch_rows, reading

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import pyarrow as pa


class FrameSource(Source):
    """A frame of pandas, polars, pyarrow or DuckDB, eager or lazy.

    Only the columns that are needed are ever collected. A DuckDB relation is streamed.
    """

    def __init__(self, frame: Any, name: str = "the data frame") -> None:
        import narwhals.stable.v2 as nw

        try:
            given = nw.from_native(frame, pass_through=True)
        except nw.exceptions.DuplicateError:
            raise ParameterError(f"{name} has two columns of one name; rename one") from None
        if not isinstance(given, nw.DataFrame | nw.LazyFrame):
            raise ParameterError(
                f"must be a path, a URL or a data frame but are {type(frame).__name__}",
                parameter="predictions",
            )
        names = given.collect_schema().names()
        if not all(isinstance(each, str) for each in names):
            raise ParameterError(f"column names must be texts but are {names!r}")
        self.name = name
        self._frame = given
        self.rows = len(given) if isinstance(given, nw.DataFrame) else None
        self._schema: pa.Schema | None = None

    @property
    def schema(self) -> pa.Schema:
        """The names and types of all columns."""
        if self._schema is None:
            with reading(self.name):
                self._schema = self._found_schema()
        return self._schema

    def _found_schema(self) -> pa.Schema:
        """Look at the first rows; where those are all null, objects of pandas have no type yet."""
        import pyarrow as pa

        schema = self._reader(self._frame.head(FIRST_ROWS)).schema
        unknown = [field.name for field in schema if pa.types.is_null(field.type)]
        if unknown:
            for field in self._reader(self._frame.select(*unknown)).schema:
                schema = schema.set(schema.get_field_index(field.name), field)
        return schema

    def batches(
        self, columns: Sequence[str], *, limit: int | None = None
    ) -> Iterator[pa.RecordBatch]:
        """Collect some columns and yield them in batches."""
        with reading(self.name):
            frame = self._frame.select(*columns)
            if limit is not None:
                frame = frame.head(limit)
            yield from self._reader(frame)

    def _reader(self, frame: Any) -> pa.RecordBatchReader:
        import narwhals.stable.v2 as nw
        import pyarrow as pa

        # The index of a pandas frame is not a column.
        frame = _dense(nw.maybe_reset_index(frame))
        native = frame.to_native()
        if hasattr(native, "to_arrow_reader"):
            return native.to_arrow_reader(batch_rows(len(frame.columns)))
        with warnings.catch_warnings():
            # pyarrow asks pandas for times in a way that pandas has deprecated.
            warnings.filterwarnings("ignore", "Series.values returning an ndarray that drops")
            table = frame.lazy().collect(backend="pyarrow").to_native()
        return pa.RecordBatchReader.from_batches(
            table.schema, table.to_batches(max_chunksize=batch_rows(table.num_columns))
        )


def _dense(frame: Any) -> Any:
    """Return a frame in which pandas' sparse columns, which Arrow does not take, are dense."""
    import narwhals.stable.v2 as nw

    if not frame.implementation.is_pandas():
        return frame
    native = frame.to_native()
    sparse = {
        name: dtype.subtype
        for name, dtype in native.dtypes.items()
        if type(dtype).__name__ == "SparseDtype"
    }
    return nw.from_native(native.astype(sparse)) if sparse else frame
