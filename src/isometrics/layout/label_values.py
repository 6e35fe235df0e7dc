"""The values of a label column: the positive one, and score columns that are named after them."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from isometrics.errors import ParameterError
from isometrics.printing import several

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from isometrics.layout.guesses import Peek

    Pattern = tuple[str, str]

_TRUTH = {
    **dict.fromkeys(("true", "t", "yes", "y", "1"), True),
    **dict.fromkeys(("false", "f", "no", "n", "0"), False),
}
"""What a truth value may be called; a CSV file of ``yes`` and ``no`` is read as truth values."""
_KINDS = {"boolean": "booleans", "integer": "whole numbers", "float": "numbers"}


def as_label(pos_label: object, label: str, peek: Peek) -> object:
    """Return a positive label that was given as text in the type of its column."""
    if peek.kind == "string":
        return None if pos_label is None else str(pos_label)
    if peek.kind == "boolean" and pos_label in (0, 1):
        return bool(pos_label)
    if not isinstance(pos_label, str) or peek.kind not in _KINDS:
        return pos_label
    read: dict[str, Callable[[str], object]] = {
        "boolean": lambda text: _TRUTH[text.lower()],
        "integer": _whole_number,
        "float": _number,
    }
    try:
        return read[peek.kind](pos_label.strip())
    except (KeyError, ValueError):
        found = [repr(value) for value in peek.distinct()]
        examples = f" such as {several(found, most=3)}" if found else ""
        raise ParameterError(
            f"pos_label {pos_label!r} cannot be a value of the label column {label!r}, which "
            f"holds {_KINDS[peek.kind]}{examples}"
        ) from None


def _whole_number(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        number = _number(text)
        if not number.is_integer():
            raise
        return int(number)


def _number(text: str) -> float:
    number = float(text)
    if math.isnan(number):
        raise ValueError
    return number


def class_name(value: object) -> str:
    """Return the text of a label, as it stands in the names of columns."""
    whole = isinstance(value, float) and value.is_integer()
    return str(int(value)) if whole else str(value)  # type: ignore[call-overload]


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
    return _only(fitting)


def classes_of_columns(columns: Sequence[str], classes: Sequence[str]) -> dict[str, str]:
    """Return the column of each class, where every column is named after a class."""
    fitting = []
    for before, after in _patterns(columns[:1], classes):
        names = {f"{before}{name}{after}": name for name in classes}
        if all(column in names for column in columns):
            fitting.append({names[column]: column for column in columns})
    return _only(fitting)


def _patterns(columns: Sequence[str], classes: Sequence[str]) -> list[Pattern]:
    """Return what stands before and behind the name of a class in the name of a column."""

    def found() -> Iterator[Pattern]:
        for column in columns:
            for name in filter(None, classes):
                start = column.find(name)
                while start >= 0:
                    yield column[:start], column[start + len(name) :]
                    start = column.find(name, start + 1)

    return list(dict.fromkeys(found()))


def _only(fitting: list[dict[str, str]]) -> dict[str, str]:
    if len(fitting) > 1:
        shown = [repr(next(iter(columns.values()))) for columns in fitting]
        raise ParameterError(
            "several families of columns are named after the labels, such as "
            f"{several(shown)}; say which with scores="
        )
    return fitting[0] if fitting else {}
