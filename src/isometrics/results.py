"""What the tables that functions return have in common: a printout, a data frame."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar

from isometrics.frames import to_frame
from isometrics.printing import html_table, text_table
from isometrics.values import Value

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


class ResultTable(Value, ABC):
    """Base of frozen dataclasses of arrays that read as a table."""

    __slots__ = ()

    _left: ClassVar[tuple[str, ...]] = ()
    """The columns that the printout aligns at the left."""
    _most_rows: ClassVar[int] = 10
    """The largest number of rows that are printed."""

    @abstractmethod
    def _title(self) -> str:
        """Return the line above the printout."""

    @abstractmethod
    def _columns(self) -> dict[str, Any]:
        """Return all columns, for the data frame."""

    def _shown(self) -> dict[str, Any]:
        """Return the columns of the printout: all, unless a result has too many."""
        return self._columns()

    def _notes(self, shown: Mapping[str, Any]) -> Sequence[str]:  # noqa: ARG002
        """Return the lines below the printout of these columns."""
        return ()

    def to_frame(self, library: str | None = None) -> Any:
        """Return the table as a data frame of pandas, polars or pyarrow.

        Parameters
        ----------
        library
            ``"pandas"``, ``"polars"`` or ``"pyarrow"``; by default the first one installed.
        """
        return to_frame(self._columns(), library)

    def __repr__(self) -> str:
        """Return a readable table."""
        columns = self._shown()
        notes = self._notes(columns)
        return text_table(
            self._title(), columns, left=self._left, notes=notes, most=self._most_rows
        )

    def _repr_html_(self) -> str:
        """Return the table for notebooks."""
        columns = self._shown()
        notes = self._notes(columns)
        return html_table(self._title(), columns, notes=notes, most=self._most_rows)
