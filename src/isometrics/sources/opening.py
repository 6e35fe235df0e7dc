"""Paths, URLs, standard input and data frames become sources."""

from __future__ import annotations

import os
import sys
from errno import EBADF
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from isometrics._core.writing import ScratchFolder, scratch_errors
from isometrics.errors import FileError, ParameterError, redacted
from isometrics.formats.registry import FORMATS, sniff
from isometrics.sources.arrow_files import ArrowFiles, ParquetFile
from isometrics.sources.batches import MIXED_LINE_ENDS, reading
from isometrics.sources.clusters import frame_source
from isometrics.sources.csv_files import CSVFiles, Writing
from isometrics.sources.files import (
    ARROW,
    CSV,
    EXCEL,
    PARQUET,
    closed_on_failure,
    files_of,
    is_stream,
    kind_of_file,
)
from isometrics.sources.memory_limit import SHARE_OF_BATCHES, parse_memory_limit, rows_budget
from isometrics.sources.problems import raise_together
from isometrics.sources.spark_urls import SPARK_SCHEMES, open_spark
from isometrics.sources.text_files import (
    JSONFiles,
    TextFiles,
    blocks_with_rows,
    has_blank_block,
    mixes_line_ends,
    refuse_long_lines,
    refuse_utf_16,
    with_one_line_end,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    import pyarrow as pa

    from isometrics.sources.batches import Source
    from isometrics.sources.excel import ExcelFile

STANDARD_INPUT = "-"
_NAME_OF_STANDARD_INPUT = "standard input"
_BLOCK = 1 << 20
_AS_USUAL = Writing()


def open_source(
    given: Any,
    memory_limit: str | int | None = None,
    *,
    all_rows: bool = False,
    writing: Writing = _AS_USUAL,
) -> Source:
    """Open a path, a pattern, a folder, the URL of a table, ``-``, a data frame or a source.

    The types of text are those of its first rows, and reading raises `ColumnTypesChangedError`
    where later rows have others. With `all_rows` all are looked at beforehand, for those who pass
    rows on and cannot begin again. `writing` is about CSV files and workbooks of Excel.
    """
    source = _opened(given, memory_limit, writing, all_rows=all_rows)
    check_writing(source, writing)
    return source


def check_writing(source: Source, writing: Writing) -> None:
    """Refuse what is about CSV files for other sources."""
    if writing != _AS_USUAL and not hasattr(source, "decimal"):
        source.close()
        raise ParameterError(
            f"is about CSV files and Excel, and {redacted(source.name)!r} is neither; leave it out",
            parameter="decimal" if writing.decimal is not None else "header",
        )


def _opened(
    given: Any, memory_limit: str | int | None, writing: Writing, *, all_rows: bool
) -> Source:
    memory = parse_memory_limit(memory_limit) // SHARE_OF_BATCHES
    if not isinstance(given, str | os.PathLike):
        # The class is asked, because some lazy frames compute the attributes they are asked for.
        is_source = hasattr(type(given), "batches")
        return given if is_source else frame_source(given)
    path = os.fspath(given)
    if "://" in path:
        if path.partition("://")[0] in SPARK_SCHEMES:
            return open_spark(path)
        from isometrics.sources.databases import open_table

        return open_table(path, memory)
    open_files = partial(
        _files,
        memory=memory,
        budget=rows_budget(memory_limit),
        writing=writing,
        all_rows=all_rows,
    )
    if path == STANDARD_INPUT:
        return ScratchCopy(_NAME_OF_STANDARD_INPUT, _blocks_of_standard_input(), open_files)
    if is_stream(path):
        return ScratchCopy(path, _blocks_of(path), open_files)
    return open_files(path)


def _files(
    path: str, *, memory: int, budget: int, writing: Writing, all_rows: bool, copied: bool = False
) -> ParquetFile | ArrowFiles | TextFiles | ExcelFile | ScratchCopy:
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
    if kind == EXCEL:
        from isometrics.sources.excel import ExcelFile

        return ExcelFile(path, budget, writing)
    found: TextFiles
    for file in files:
        refuse_utf_16(file)
    if kind == CSV:
        blocks = None if copied else _rewritten(path, files)
        if blocks is not None:
            how = partial(_files, memory=memory, budget=budget, writing=writing, all_rows=all_rows)
            return ScratchCopy(path, blocks, partial(how, copied=True))
        for file in files:
            refuse_long_lines(file)
            _refuse_other_formats(file)
        found = CSVFiles(path, files, memory, writing)
    else:
        found = JSONFiles(path, files, memory)
    if all_rows:
        with closed_on_failure(found):
            found.infer_types()
            raise_together([], found)
    return found


def _rewritten(path: str, files: Sequence[Path]) -> Iterator[bytes] | None:
    """Return a CSV file as DuckDB takes it, where it would not take it as it is."""
    if len(files) == 1 and has_blank_block(files[0]):
        return blocks_with_rows(files[0])
    mixed = [file for file in files if mixes_line_ends(file)]
    if mixed and len(files) > 1:
        raise FileError.unreadable(path, f"in {mixed[0].name!r} {MIXED_LINE_ENDS}")
    return with_one_line_end(mixed[0]) if mixed else None


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
    return isinstance(found, TextFiles) and found.infer_types()


_BEGINNINGS = {
    b"{": ".jsonl",
    b"PK\x03\x04": ".xlsx",
    b"\x1f\x8b": ".csv.gz",
    b"\x28\xb5\x2f\xfd": ".csv.zst",
}
"""How text begins that is not plain CSV, and the name it would have."""


def _named_by_content(path: Path) -> Path:
    """Add the suffix by which readers know the format, found from the first bytes."""
    with path.open("rb") as file:
        first = file.read(4)
    for beginning, suffix in _BEGINNINGS.items():
        if first.startswith(beginning):
            return path.rename(path.with_name(f"{path.name}{suffix}"))
    return path


def _blocks_of_standard_input() -> Iterator[bytes]:
    with reading(_NAME_OF_STANDARD_INPUT):
        try:
            while block := sys.stdin.buffer.read(_BLOCK):
                yield block
        except OSError as error:
            if error.errno != EBADF:
                raise
            raise FileError(
                f"{_NAME_OF_STANDARD_INPUT} is closed; open it or name a file"
            ) from error


def _blocks_of(path: str) -> Iterator[bytes]:
    with reading(path), Path(path).open("rb") as file:
        while block := file.read(_BLOCK):
            yield block


_OF_TEXT = (
    *("decimal", "is_number", "lines", "line_name", "broken_lines", "notes"),
    *("most_rows", "written_rows", "keep_texts"),
)
"""What files of text can tell and do besides what every source can."""


class ScratchCopy:
    """A copy of what cannot be read where it is, under its own name.

    Standard input and pipes can be read only once, and some files have more blank lines than
    DuckDB takes.

    Parameters
    ----------
    name
        What messages call it.
    blocks
        Its bytes. What they raise is about reading, and all else about writing the copy.
    open_copy
        A function that opens the copy by its path.
    """

    def __init__(
        self, name: str, blocks: Iterable[bytes], open_copy: Callable[[str], Source]
    ) -> None:
        self.name = name
        self._folder = ScratchFolder()
        path = Path(self._folder.name, "copy")
        try:
            with (
                scratch_errors(self._folder.name, f"a copy of {name!r}"),
                path.open("wb") as file,
            ):
                file.writelines(blocks)
            path = _named_by_content(path)
            self.source = open_copy(str(path))
        except FileError as error:
            self._folder.cleanup()
            raise error.renamed(self.name) from error
        except BaseException:
            self._folder.cleanup()
            raise
        self.source.name = name  # type: ignore[misc]
        self.rows: int | None = self.source.rows
        for method in _OF_TEXT:
            if hasattr(self.source, method):
                setattr(self, method, getattr(self.source, method))

    @property
    def bytes_read(self) -> int | None:
        """How many bytes all passes have read, where the copy tells."""
        return getattr(self.source, "bytes_read", None)

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
