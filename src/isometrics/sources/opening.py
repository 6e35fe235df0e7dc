"""Paths, URLs, standard input and data frames become sources."""

from __future__ import annotations

import os
import shutil
import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from isometrics._core.writing import ScratchFolder
from isometrics.errors import FileError
from isometrics.formats.registry import FORMATS, sniff
from isometrics.sources.clusters import SPARK_SCHEMES, frame_source, open_spark
from isometrics.sources.files import (
    ARROW,
    CSV,
    PARQUET,
    ArrowFiles,
    ParquetFile,
    files_of,
    kind_of_file,
)
from isometrics.sources.memory_limit import SHARE_OF_BATCHES, parse_memory_limit
from isometrics.sources.text_files import (
    TextFiles,
    copy_without_blank_blocks,
    has_blank_block,
    refuse_long_lines,
    text_files,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    import pyarrow as pa

    from isometrics.sources.batches import Source

STANDARD_INPUT = "-"


def open_source(
    given: Any, memory_limit: str | int | None = None, *, all_rows: bool = False
) -> Source:
    """Open a path, a pattern, a folder, the URL of a table, ``-``, a data frame or a source.

    The types of text are those of its first rows, and reading raises `ColumnTypesChangedError`
    where later rows have others. With `all_rows` all are looked at beforehand, for those who pass
    rows on and cannot begin again.
    """
    memory = parse_memory_limit(memory_limit) // SHARE_OF_BATCHES
    if not isinstance(given, str | os.PathLike):
        # Its class is asked, because some lazy frames compute what they are asked for.
        is_source = hasattr(type(given), "batches")
        return given if is_source else frame_source(given)
    path = os.fspath(given)
    if path == STANDARD_INPUT:
        return ScratchCopy("standard input", _standard_input, memory, all_rows=all_rows)
    if "://" in path:
        if path.partition("://")[0] in SPARK_SCHEMES:
            return open_spark(path)
        from isometrics.sources.databases import open_table

        return open_table(path, memory)
    return _files(path, memory, all_rows=all_rows)


def _files(
    path: str, memory: int, *, all_rows: bool
) -> ParquetFile | ArrowFiles | TextFiles | ScratchCopy:
    files = files_of(path)
    kinds = {kind_of_file(file) for file in files}
    if len(kinds) > 1:
        raise FileError.unreadable(
            path, f"it holds files of several kinds, {' and '.join(sorted(kinds))}"
        )
    (kind,) = kinds
    if kind == PARQUET and path == str(files[0]):
        return ParquetFile(path, memory)
    if kind in (PARQUET, ARROW):
        return ArrowFiles(path, files, kind, memory)
    if kind == CSV:
        if len(files) == 1 and has_blank_block(files[0]):
            copy = partial(copy_without_blank_blocks, files[0])
            return ScratchCopy(path, copy, memory, all_rows=all_rows)
        for file in files:
            refuse_long_lines(file)
            _refuse_other_formats(file)
    found = text_files(path, files, kind, memory)
    if all_rows:
        found.settle()
    return found


def _refuse_other_formats(file: Path) -> None:
    """Refuse a file of another tool, which would be a wrong table if it were read as plain CSV."""
    name = sniff(file)
    if name is not None:
        raise FileError.unreadable(
            file,
            f"it looks like {FORMATS[name].description}; save it as a file, and read or convert it "
            "alone",
            purpose=" as a plain table",
        )


def settle_types(source: Source) -> bool:
    """Take the types of text from all rows; tell whether they are others than until now."""
    found = source.source if isinstance(source, ScratchCopy) else source
    return isinstance(found, TextFiles) and found.settle()


_BEGINNINGS = {b"{": ".jsonl", b"\x1f\x8b": ".csv.gz", b"\x28\xb5\x2f\xfd": ".csv.zst"}
"""How text begins that is not plain CSV, and the name it would have."""


def _named_by_content(path: Path) -> Path:
    """Give what has no name the one that readers would go by."""
    with path.open("rb") as file:
        first = file.read(4)
    for beginning, suffix in _BEGINNINGS.items():
        if first.startswith(beginning):
            return path.rename(path.with_name(f"{path.name}{suffix}"))
    return path


def _standard_input(target: BinaryIO) -> None:
    shutil.copyfileobj(sys.stdin.buffer, target)


class ScratchCopy:
    """A copy of what cannot be read where it is, under its own name.

    Standard input can be read only once; in some files there is more nothing than DuckDB takes.
    """

    def __init__(
        self, name: str, copy: Callable[[BinaryIO], None], memory: int, *, all_rows: bool
    ) -> None:
        self.name = name
        self._folder = ScratchFolder()
        path = Path(self._folder.name, "copy")
        try:
            with path.open("wb") as file:
                copy(file)
            path = _named_by_content(path)
            self.source = _files(str(path), memory, all_rows=all_rows)
        except FileError as error:
            self._folder.cleanup()
            raise error.renamed(self.name) from error
        except BaseException:
            self._folder.cleanup()
            raise
        self.source.name = name
        self.rows: int | None = self.source.rows

    @property
    def schema(self) -> pa.Schema:
        """The names and types of all columns."""
        return self.source.schema

    def batches(
        self, columns: Sequence[str], *, limit: int | None = None
    ) -> Iterator[pa.RecordBatch]:
        """Read some columns."""
        return self.source.batches(columns, limit=limit)

    def close(self) -> None:
        """Remove the copy."""
        self.source.close()
        self._folder.cleanup()
