"""The first sheet of an Excel workbook as a source: its cells are read as a CSV file of them."""

from __future__ import annotations

import csv
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from isometrics._core.files import ScratchFolder
from isometrics.errors import Advice, FileError, ParameterError, require
from isometrics.sources.batches import Line, reading
from isometrics.sources.memory_limit import limit_for
from isometrics.sources.text_files import CSVFiles
from isometrics.sources.written_numbers import NULLS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from isometrics.sources.written_numbers import Dialect

_BYTES_HELD = 6
"""The memory that a sheet takes for each byte of its text, measured."""


class ExcelFile(CSVFiles):
    """The first sheet of a workbook, with a line for each of its rows.

    Parameters
    ----------
    path
        The workbook.
    memory
        The bytes of memory of the reader of its copy.
    budget
        The bytes of memory that rows may fill.
    dialect
        What the user knows about the texts of cells, and whether there is a header.
    """

    line_name = "row"

    def __init__(self, path: str, memory: int, budget: int, dialect: Dialect) -> None:
        require("reading workbooks of Excel", "python_calamine", extra="excel")
        _refuse_large(path, budget)
        self._sheets, rows = _read(path)
        width = 1 + max(
            (k for row in rows for k, cell in enumerate(row) if _holds(cell)), default=-1
        )
        if not width:
            raise FileError.unreadable(path, f"its first sheet, {self._sheets[0]!r}, is empty")
        folder = ScratchFolder()
        copy = Path(folder.name, "sheet.csv")
        with copy.open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, quoting=csv.QUOTE_ALL, lineterminator="\n")
            for row in rows:
                texts = [_text(cell, dialect.decimal or ".") for cell in row[:width]]
                # Rows without any value separate parts of a table, and do not belong to it.
                writer.writerow(texts if any(map(_holds, row)) else [])
        try:
            super().__init__(str(copy), [copy], memory, dialect)
        except FileError as error:
            raise error.renamed(path) from error
        self.name = path
        self.belongings += (folder,)
        header = self._formats[copy].header
        self._numbers = [n for n, row in enumerate(rows, 1) if any(map(_holds, row))][header:]

    def _lines_of_rows(self) -> Iterator[Line]:
        # In the copy, a row with line ends in its cells is several lines.
        return map(Line, self._numbers)

    def notes(self) -> list[str]:
        """Return what a reader should know about how the sheet was read."""
        said = super().notes()
        if len(self._sheets) > 1:
            said.append(f"sheet {self._sheets[0]}, the first of {len(self._sheets)}")
        return said


def _refuse_large(path: str, budget: int) -> None:
    """Refuse a workbook whose first sheet would not fit, before it is read."""
    try:
        with zipfile.ZipFile(path) as archive:
            size = max((entry.file_size for entry in archive.infolist()), default=0)
    except Exception as error:
        # A damaged archive may raise almost any error.
        raise FileError.unreadable(path, f"it is no whole Excel workbook: {error}") from error
    if size * _BYTES_HELD > budget:
        raise ParameterError(
            f"cannot read {path!r} within the memory limit: workbooks are held in memory",
            Advice(
                "raise {memory_limit} to {}, or save the sheet as CSV",
                limit_for(size * _BYTES_HELD),
            ),
        )


def _read(path: str) -> tuple[list[str], list[list[Any]]]:
    """Return the names of the sheets, and the rows of the first."""
    import python_calamine

    with reading(path, python_calamine.CalamineError):
        workbook = python_calamine.CalamineWorkbook.from_path(path)
        sheet = workbook.get_sheet_by_index(0)
        # Without this, the rows above the first cell would not be counted.
        return list(workbook.sheet_names), sheet.to_python(skip_empty_area=False)


def _holds(cell: object) -> bool:
    return not (isinstance(cell, str) and cell.strip() in NULLS)


def _text(value: object, decimal: str) -> str:
    """Return a cell as text; whole numbers without decimals, times as ISO 8601 has them."""
    if isinstance(value, float):
        return f"{value:.0f}" if value.is_integer() else repr(value).replace(".", decimal)
    return value.isoformat() if hasattr(value, "isoformat") else str(value)
