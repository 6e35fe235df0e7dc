"""Columns that are named after the classes whose scores they hold, such as ``p_cat``, ``p_dog``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from isometrics._core.results import several
from isometrics.errors import Advice, ParameterError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    Pattern = tuple[str, str]


def columns_of_classes(classes: Sequence[str], columns: Sequence[str]) -> dict[str, str]:
    """Return the column of each class, where every class has one named after it.

    The names are those of the classes, or these between one beginning and one end, as in
    ``p_cat``, ``p_dog``. Without such columns the answer is empty.
    """
    present = set(columns)
    fitting = [
        {name: f"{before}{name}{after}" for name in classes}
        for before, after in _patterns(columns, classes[:1])
        if all(f"{before}{name}{after}" in present for name in classes)
    ]
    return _only_fitting(fitting)


def classes_of_columns(columns: Sequence[str], classes: Sequence[str]) -> dict[str, str]:
    """Return the column of each class, where every column is named after a class."""
    fitting = []
    for before, after in _patterns(columns[:1], classes):
        names = {f"{before}{name}{after}": name for name in classes}
        if all(column in names for column in columns):
            fitting.append({names[column]: column for column in columns})
    return _only_fitting(fitting)


def _patterns(columns: Sequence[str], classes: Sequence[str]) -> list[Pattern]:
    """Return what stands before and behind the name of a class in the name of a column."""

    def found() -> Iterator[Pattern]:
        for column in columns:
            for name in filter(None, classes):
                start = column.find(name)
                while start >= 0:
                    before, after = column[:start], column[start + len(name) :]
                    if not _splits_a_number(before, name, after):
                        yield before, after
                    start = column.find(name, start + 1)

    return list(dict.fromkeys(found()))


def _splits_a_number(before: str, name: str, after: str) -> bool:
    """Return whether the name is a part of a number: model 10 is not named after class 0."""
    pairs = (before[-1:], name[0]), (name[-1], after[:1])
    return any(one.isdecimal() and other.isdecimal() for one, other in pairs)


def _only_fitting(fitting: list[dict[str, str]]) -> dict[str, str]:
    if len(fitting) > 1:
        shown = [repr(next(iter(columns.values()))) for columns in fitting]
        raise ParameterError(
            f"several families of columns are named after the labels, such as {several(shown)}",
            Advice("say which with {scores}"),
        )
    return fitting[0] if fitting else {}
