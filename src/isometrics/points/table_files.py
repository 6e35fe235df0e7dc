"""Tables of groups in a temporary file, where they are too many for the memory.

A table is read again, to the bit, whenever it is asked for. The file is removed with the last
object that can read it, and when the process ends.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from isometrics._core.lazy_mapping import LazyMapping
from isometrics._core.writing import ScratchFolder, scratch_errors
from isometrics._table.table import Table
from isometrics.errors import FileError, system_reason
from isometrics.points.models import GroupTables, separate
from isometrics.points.operating_points import OperatingPoints

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from numpy.typing import NDArray

    from isometrics._core.arrays import Total
    from isometrics._table.table import Gaps, Kind

BYTES_OF_AN_ENTRY = 600
"""The memory for the name of a group, and for where its table is, measured at 400 and more."""


class _Entry(NamedTuple):
    """Where a table is in the file, and what else it consists of."""

    offset: int
    size: int
    dtypes: tuple[np.dtype[Any], ...]
    """The types of thresholds, tp and fp, and of `below` where the table has that."""
    positives: Total
    negatives: Total
    kind: Kind
    gaps: Gaps | None
    """Without its array, which is in the file."""


class _TableWriter:
    """Writes the tables of one group after another."""

    def __init__(self) -> None:
        self._folder = ScratchFolder()
        self._path = Path(self._folder.name, "tables.bin")
        self._entries: dict[str, dict[str, _Entry]] = {}
        self.nbytes = 0
        """The bytes written so far."""

    def add(self, group: str, models: Mapping[str, OperatingPoints]) -> None:
        """Write the tables of a group, which are those of scores."""
        with (
            scratch_errors(self._folder.name, "the tables of groups"),
            self._path.open("ab") as file,
        ):
            entries = {}
            for name, points in models.items():
                table = points.table
                columns = [table.thresholds, table.tp, table.fp]
                columns += [] if table.below is None else [table.below]
                gaps = table.gaps
                entries[name] = _Entry(
                    self.nbytes,
                    table.size,
                    tuple(column.dtype for column in columns),
                    table.positives,
                    table.negatives,
                    table.kind,
                    None if gaps is None else replace(gaps, between=gaps.between[:0]),
                )
                for column in [*columns, *([] if gaps is None else [gaps.between])]:
                    file.write(np.ascontiguousarray(column).data)
                    self.nbytes += column.nbytes
        self._entries[group] = entries

    def finish(self) -> LazyMapping[dict[str, OperatingPoints]]:
        """Return the tables by group and model."""
        reader = _TableReader(self._folder, self._path, self._entries)
        return LazyMapping(self._entries, reader.read)

    def discard(self) -> None:
        """Remove the file, where not all tables could be written."""
        self._folder.cleanup()


def write_groups(
    groups: Iterable[tuple[str, Mapping[str, OperatingPoints | str]]],
) -> tuple[GroupTables, int]:
    """Write the tables of one group after another; return them, and how many bytes they take.

    Of models without a table the only class is given, as for `group_tables`.
    """
    writer = _TableWriter()
    skipped: dict[str, str] = {}
    try:
        for group, models in groups:
            counted, reason = separate(models)
            if counted:
                writer.add(group, counted)
            if reason:
                skipped[group] = reason
    except BaseException:
        writer.discard()
        raise
    return GroupTables(writer.finish(), skipped), writer.nbytes


class _TableReader(NamedTuple):
    """Reads the tables of a group; the folder lives as long as its readers."""

    folder: ScratchFolder
    path: Path
    entries: dict[str, dict[str, _Entry]]

    def read(self, group: str) -> dict[str, OperatingPoints]:
        """Return the tables of a group."""
        try:
            with self.path.open("rb") as file:
                return {
                    name: OperatingPoints(_read_table(file, entry))
                    for name, entry in self.entries[group].items()
                }
        except OSError as error:
            raise FileError(
                f"cannot read the tables of groups from {str(self.path)!r}: "
                f"{system_reason(error)}; read the predictions again"
            ) from error


def _read_table(file: Any, entry: _Entry) -> Table:
    file.seek(entry.offset)
    columns: list[NDArray[Any]] = [np.fromfile(file, each, entry.size) for each in entry.dtypes]
    gaps = entry.gaps
    if gaps is not None:
        gaps = replace(gaps, between=np.fromfile(file, np.bool_, entry.size - 1))
    thresholds, tp, fp, *below = columns
    return Table(
        thresholds,
        tp,
        fp,
        entry.positives,
        entry.negatives,
        entry.kind,
        gaps=gaps,
        below=below[0] if below else None,
    )
