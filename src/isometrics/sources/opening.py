"""Paths, URLs, standard input and data frames become sources."""

from __future__ import annotations

import os
import sys
from errno import EBADF
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from isometrics._core.writing import ScratchFolder, scratch_errors
from isometrics.errors import FileError, ParameterError, redacted, require
from isometrics.formats.registry import FORMATS, sniff
from isometrics.sources.arrow_files import ArrowFiles, ParquetFile
from isometrics.sources.batches import GivenSource, Source, reading
from isometrics.sources.csv_files import CSVFiles, Writing
from isometrics.sources.files import (
    ARROW,
    CSV,
    EXCEL,
    PARQUET,
    files_of,
    is_stream,
    kind_of_file,
)
from isometrics.sources.memory_limit import SHARE_OF_BATCHES, parse_memory_limit, rows_budget
from isometrics.sources.text_files import JSONFiles, refuse_long_lines, refuse_utf_16

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

STANDARD_INPUT = "-"
_NAME_OF_STANDARD_INPUT = "standard input"
_BLOCK = 1 << 20
_AS_USUAL = Writing()


def open_source(
    given: Any, memory_limit: str | int | None = None, *, writing: Writing = _AS_USUAL
) -> Source:
    """Open a path, a pattern, a folder, the URL of a table, ``-``, a data frame or a source.

    `writing` is about CSV files and workbooks of Excel.
    """
    source = _opened(given, memory_limit, writing)
    check_writing(source, writing)
    return source


def check_writing(source: Source, writing: Writing) -> None:
    """Refuse what is about CSV files for other sources."""
    if writing != _AS_USUAL and not source.takes_writing:
        source.close()
        raise ParameterError(
            f"is about CSV files and Excel, and {redacted(source.name)!r} is neither; leave it out",
            parameter="decimal" if writing.decimal is not None else "header",
        )


def _opened(given: Any, memory_limit: str | int | None, writing: Writing) -> Source:
    memory = parse_memory_limit(memory_limit) // SHARE_OF_BATCHES
    if not isinstance(given, str | os.PathLike):
        if isinstance(given, Source):
            return given
        from isometrics.sources.clusters import frame_source

        # The class is asked, because some lazy frames compute the attributes they are asked for.
        return GivenSource(given) if hasattr(type(given), "batches") else frame_source(given)
    path = os.fspath(given)
    if "://" in path:
        from isometrics.sources.databases import open_table
        from isometrics.sources.spark_urls import SPARK_SCHEMES, open_spark

        is_spark = path.partition("://")[0] in SPARK_SCHEMES
        return open_spark(path) if is_spark else open_table(path, memory)
    open_files = partial(_files, memory=memory, budget=rows_budget(memory_limit), writing=writing)
    if path == STANDARD_INPUT:
        return _copied(_NAME_OF_STANDARD_INPUT, _blocks_of_standard_input(), open_files)
    return _copied(path, _blocks_of(path), open_files) if is_stream(path) else open_files(path)


def _files(path: str, *, memory: int, budget: int, writing: Writing) -> Source:
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
    require("reading CSV and JSON", "duckdb")
    for file in files:
        refuse_utf_16(file)
    if kind != CSV:
        return JSONFiles(path, files, memory)
    for file in files:
        refuse_long_lines(file)
        _refuse_other_formats(file)
    return CSVFiles(path, files, memory, writing)


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


def _copied(name: str, blocks: Iterable[bytes], open_copy: Callable[[str], Source]) -> Source:
    """Open a copy of what can be read only once; it keeps its own name.

    What `blocks` raise is about reading, and all else about writing the copy.
    """
    folder = ScratchFolder()
    path = Path(folder.name, "copy")
    try:
        with scratch_errors(folder.name, f"a copy of {name!r}"), path.open("wb") as file:
            file.writelines(blocks)
        source = open_copy(str(_named_by_content(path)))
    except FileError as error:
        folder.cleanup()
        raise error.renamed(name) from error
    except BaseException:
        folder.cleanup()
        raise
    source.name = name
    source.belongings.append(folder)
    return source
