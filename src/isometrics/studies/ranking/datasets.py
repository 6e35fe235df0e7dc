"""Folders of data sets made into binary tasks; what cannot be used is listed with its reason."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from isometrics.errors import FileError, InputError
from isometrics.studies.ranking.binarise import binarise_classes, binarise_numbers
from isometrics.studies.ranking.raw import SUFFIXES, Column, RawTable, read_raw
from isometrics.values import Value

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from os import PathLike

    from numpy.typing import NDArray

    from isometrics.aliases import Floats


@dataclass(frozen=True, slots=True, eq=False)
class DataSet(Value):
    """A binary task.

    Attributes
    ----------
    name
        The folder and the name of the file.
    values
        One row for each item; nominal values are codes, missing ones NaN.
    nominal
        Which columns hold codes.
    positive
        Which items are positive.
    rule
        How the target became two classes.
    notes
        What was left out of the file, and why.
    """

    name: str
    values: Floats
    nominal: NDArray[np.bool_]
    positive: NDArray[np.bool_]
    rule: str
    notes: tuple[str, ...] = ()

    @property
    def positives(self) -> int:
        """The number of positive items."""
        return int(self.positive.sum())

    def digest(self) -> str:
        """Return a fingerprint of all that a result depends on."""
        return _fingerprint(self.values, self.nominal, self.positive)

    def content(self) -> str:
        """Return a fingerprint that does not depend on the order of the rows."""
        table = np.column_stack([self.values, self.positive])
        order = np.lexsort(table.T)
        return _fingerprint(table[order])


class Unusable(NamedTuple):
    """A file that is no task, and why."""

    name: str
    reason: str


def _fingerprint(*arrays: NDArray[np.generic]) -> str:
    found = hashlib.sha256()
    for array in arrays:
        found.update(f"{array.shape}".encode())
        found.update(np.ascontiguousarray(array).tobytes())
    return found.hexdigest()


def usable(
    found: Iterable[DataSet | Unusable], *, folds: int
) -> tuple[list[DataSet], list[Unusable]]:
    """Tell the data sets with enough rows of each class, each of them once, from the rest.

    Parameters
    ----------
    found
        From `data_sets_in` or elsewhere.
    folds
        Into how many parts both classes must go.
    """
    tasks: list[DataSet] = []
    unusable: list[Unusable] = []
    first: dict[str, str] = {}
    for each in found:
        if isinstance(each, Unusable):
            unusable.append(each)
        elif (reason := _too_small(each, folds)) is not None:
            unusable.append(Unusable(each.name, reason))
        elif (known := first.setdefault(each.content(), each.name)) != each.name:
            unusable.append(Unusable(each.name, f"has the same rows as {known}"))
        else:
            tasks.append(each)
    return tasks, unusable


def _too_small(data: DataSet, folds: int) -> str | None:
    fewest = min(data.positives, data.positive.size - data.positives)
    if fewest < folds:
        return f"has {fewest} rows of its rarer class, fewer than {folds} folds"
    return None


def data_sets_in(folders: Iterable[str | PathLike[str]]) -> Iterator[DataSet | Unusable]:
    """Read all data sets that lie in some folders, not in folders inside them.

    Parameters
    ----------
    folders
        The folders. Files whose names end in .arff, .dat, .csv or .data are data sets.
    """
    for folder in map(Path, folders):
        if not folder.is_dir():
            raise FileError(f"{str(folder)!r} is no folder; give the folder that holds data sets")
        files = sorted(file for file in folder.iterdir() if file.suffix in SUFFIXES)
        if not files:
            raise FileError(
                f"the folder {str(folder)!r} has no data sets; their names end in "
                f"{', '.join(SUFFIXES)}"
            )
        for file in files:
            name = f"{folder.resolve().name}/{file.name}"
            try:
                yield data_set_of(name, read_raw(file))
            except InputError as error:
                yield Unusable(name, str(error).replace(f"{folder}/", ""))


def data_set_of(name: str, table: RawTable) -> DataSet:
    """Make a binary task of a table: numbers and codes, and which rows are positive."""
    notes = []
    known = np.array([cell is not None for cell in table.target.cells])
    if not known.all():
        notes.append(f"{int((~known).sum())} rows without a target")
    cells = [cell for cell in table.target.cells if cell is not None]
    if len(set(cells)) < 2:
        raise InputError(
            f"{name} has a target of {len(set(cells))} different values; two are needed"
        )
    if table.target.numeric:
        positive, rule = binarise_numbers(_numbers(name, table.target)[known])
    else:
        positive, rule = binarise_classes(cells)
    values, nominal = [], []
    for column in table.features:
        codes = (_numbers if column.numeric else _codes)(name, column)[known]
        reason = _useless(codes, column.numeric)
        if reason is None:
            values.append(codes)
            nominal.append(not column.numeric)
        else:
            notes.append(f"column {column.name!r}, which {reason}")
    if not values:
        raise InputError(f"{name} has no column to learn from")
    return DataSet(name, np.column_stack(values), np.array(nominal), positive, rule, tuple(notes))


def _useless(values: Floats, numeric: bool) -> str | None:
    known = values[~np.isnan(values)]
    different = np.unique(known).size
    if different < 2:
        return "does not vary"
    if not numeric and different == known.size:
        return "names each row"
    return None


def _numbers(name: str, column: Column) -> Floats:
    try:
        return np.array([np.nan if cell is None else float(cell) for cell in column.cells])
    except ValueError:
        raise InputError(
            f"{name} has values in the numeric column {column.name!r} that are no numbers"
        ) from None


def _codes(_: str, column: Column) -> Floats:
    places = {text: code for code, text in enumerate(sorted({*column.cells} - {None}))}  # type: ignore[type-var]
    return np.array([np.nan if cell is None else places[cell] for cell in column.cells])
