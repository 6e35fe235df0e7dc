"""The first sheet of an Excel workbook as a source."""

from __future__ import annotations

import zipfile
from typing import TYPE_CHECKING, Any

from isometrics._core.results import several
from isometrics.errors import Advice, FileError, MissingPackageError, ParameterError
from isometrics.sources.batches import reading, refuse_doubled
from isometrics.sources.frames import FrameSource
from isometrics.sources.memory_limit import limit_for
from isometrics.sources.problems import Line
from isometrics.sources.text_files import NULLS, may_be
from isometrics.sources.written_numbers import (
    PLAIN,
    is_number,
    is_percent,
    kinds_for,
    matches,
    parse_number,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pyarrow as pa

    from isometrics.sources.csv_files import Writing

_BYTES_HELD = 6
"""The memory that a sheet takes for each byte of its text, measured."""
_LARGEST = 2**31
"""A sheet of Excel has at most 2**20 rows; more bytes than this are no sheet of predictions."""


class ExcelFile(FrameSource):
    """The first sheet of a workbook: a header and rows, held in memory.

    Cells that hold numbers as text, such as 0,5783 or 57.8%, follow the rules of CSV files.

    Parameters
    ----------
    path
        The workbook.
    budget
        The bytes of memory that rows may fill.
    writing
        What the user knows about the texts of cells, and whether there is a header.
    """

    has_lines = True
    takes_writing = True
    line_name = "row"

    def __init__(self, path: str, budget: int, writing: Writing) -> None:
        import pyarrow as pa

        _refuse_large(path, budget)
        self._writing = writing
        self.decimal = writing.decimal
        names, rows = self._read(path)
        # Rows without any value separate parts of a table, and do not belong to it.
        filled = [(number, row) for number, row in enumerate(rows, 1) if any(map(_holds, row))]
        if not filled:
            raise FileError.unreadable(path, f"its first sheet, {names[0]!r}, is empty")
        self._sheets = names
        self._has_header = (
            writing.header if writing.header is not None else _is_header(filled[0][1])
        )
        header = filled[0][1] if self._has_header else []
        body = filled[1:] if self._has_header else filled
        width = len(filled[0][1])
        while width > 1 and not any(_holds(row[width - 1]) for _, row in filled):
            width -= 1
        columns = [
            _text(header[k]) if header and _holds(header[k]) else f"column{k}" for k in range(width)
        ]
        refuse_doubled(path, columns)
        self._rows_of_sheet = [number for number, _ in body]
        self._percents: list[str] = []
        arrays: dict[str, pa.Array] = {
            name: self._array(name, [row[k] for _, row in body]) for k, name in enumerate(columns)
        }
        super().__init__(pa.table(arrays), path)

    def _read(self, path: str) -> tuple[list[str], list[list[Any]]]:
        try:
            import python_calamine
        except ImportError:
            raise MissingPackageError(
                f"{path!r} is an Excel workbook, which python-calamine reads; save it as CSV, or "
                "install it",
                "isometrics[excel]",
            ) from None
        with reading(path, python_calamine.CalamineError):
            workbook = python_calamine.CalamineWorkbook.from_path(path)
            sheet = workbook.get_sheet_by_index(0)
            # Without this, the rows above the first cell would not be counted.
            return list(workbook.sheet_names), sheet.to_python(skip_empty_area=False)

    def _array(self, name: str, cells: list[Any]) -> pa.Array:
        """Return a column: numbers if all cells are, else texts."""
        import pyarrow as pa

        values = [cell if _holds(cell) else None for cell in cells]
        present = [value for value in values if value is not None]
        if present and all(isinstance(value, bool) for value in present):
            return pa.array(values)
        texts = [value for value in present if isinstance(value, str)]
        numbers = [value for value in present if _is_number(value)]
        if len(texts) + len(numbers) < len(present):
            return pa.array([None if value is None else _text(value) for value in values])
        kind = self._kind(texts)
        if kind is None or (is_percent(kind) and numbers):
            return pa.array([None if value is None else _text(value) for value in values])
        if is_percent(kind):
            self._percents.append(name)
        floats = [
            parse_number(value, kind) if isinstance(value, str) else value for value in values
        ]
        whole = all(value is None or float(value).is_integer() for value in floats)
        if whole and not is_percent(kind) and all(abs(v) < 2**53 for v in floats if v is not None):
            return pa.array([None if value is None else int(value) for value in floats], pa.int64())
        return pa.array(floats, pa.float64())

    def _kind(self, texts: list[str]) -> str | None:
        """Return how numbers are written in texts; None if some texts are not numbers."""
        if self._writing.decimal is None and all(may_be(text, PLAIN) for text in texts):
            return PLAIN
        return next(
            (
                kind
                for kind in kinds_for(self._writing.decimal)
                if all(matches(text, kind) for text in texts)
            ),
            None,
        )

    def is_number(self, text: str) -> bool:
        """Tell whether a text is a number as the cells have them."""
        return is_number(text) if self.decimal is None else matches(text, f"{PLAIN} {self.decimal}")

    def lines(self, positions: Sequence[int]) -> dict[int, Line]:
        """Return the rows of the sheet by positions."""
        return {position: Line(self._rows_of_sheet[position]) for position in positions}

    def notes(self) -> list[str]:
        """Return what a reader should know about how the sheet was read."""
        said = [f"{several(self._percents)} in percent, read as shares"] if self._percents else []
        if not self._has_header:
            said.append("the sheet has no header")
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
    if size > _LARGEST:
        raise FileError.unreadable(path, "it holds more than 2 GB of text; save it as CSV")
    if size * _BYTES_HELD > budget:
        raise ParameterError(
            f"cannot read {path!r} within the memory limit: workbooks are held in memory",
            Advice(
                "raise {memory_limit} to {}, or save the sheet as CSV",
                limit_for(size * _BYTES_HELD),
            ),
        )


def _holds(cell: object) -> bool:
    return cell is not None and not (isinstance(cell, str) and cell.strip() in NULLS)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_header(cells: list[Any]) -> bool:
    """Tell whether a row has names: texts alone, none of which is a number."""
    return all(isinstance(cell, str) and not is_number(cell) for cell in cells if _holds(cell))


def _text(value: object) -> str:
    """Return a cell as text; whole numbers without decimals, times as ISO 8601 has them."""
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return value.isoformat() if hasattr(value, "isoformat") else str(value)
