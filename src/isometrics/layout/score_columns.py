"""Which columns hold scores: those given, those named after the labels, or those that look so."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from isometrics.errors import ParameterError
from isometrics.layout.guesses import CONVENTIONS, NUMBERS, Peek, guess_scores, named_scores
from isometrics.layout.label_values import class_name, classes_of_columns, columns_of_classes
from isometrics.printing import several

if TYPE_CHECKING:
    from collections.abc import Mapping


class FoundScores(NamedTuple):
    """Score columns by model or class."""

    columns: dict[str, str]
    classes: dict[str, object]
    """The label of each class; empty where the columns are those of models."""
    reason: str | None
    """By what they were guessed; None where they were given."""


def scores_among(
    free: Mapping[str, Peek], given: Mapping[str, str], label: Peek, positive: object
) -> FoundScores:
    """Return the score columns: those given, else guesses among columns of no other use."""
    values = {class_name(value): value for value in label.distinct()}
    if given:
        named, reason = _given_classes(given, list(values), positive), None
    else:
        named, reason = _guessed_classes(free, list(values)), "columns named after the labels"
        if positive is not None and positive not in values.values():
            # A rare class may not be among the first rows, but have a column.
            wider = values | {class_name(positive): positive}
            if more := _guessed_classes(free, list(wider)):
                named, values = more, wider
    if named:
        return _of_classes(named, values, positive, reason)
    if given:
        return FoundScores(dict(given), {}, None)
    names, reason = guess_scores(free)
    return FoundScores({name: name for name in names}, {}, reason)


def _given_classes(
    given: Mapping[str, str], classes: list[str], positive: object
) -> dict[str, str]:
    """Return the given column of each class, where three classes or more are known."""
    columns = list(given.values())
    if len(classes) < 3:
        return {}
    if set(given) <= set(classes):
        return dict(given)
    if len(columns) > 1:
        return classes_of_columns(columns, classes)
    return {} if positive is None else classes_of_columns(columns, [class_name(positive)])


def _guessed_classes(free: Mapping[str, Peek], classes: list[str]) -> dict[str, str]:
    """Return the column of each class, if every class in sight has one."""
    numbers = [name for name, peek in free.items() if peek.kind in NUMBERS]
    if len(classes) < 2:
        return {}
    found = columns_of_classes(classes, numbers)
    others = {name: peek for name, peek in free.items() if name not in found.values()}
    if found and len(classes) == 2 and (score := named_scores(others)):
        fitting = several([repr(column) for column in found.values()])
        raise ParameterError(
            f"scores could be the column {score[0]!r}, or {fitting}, which are named after the "
            "labels; say which with scores="
        )
    return {name: column for column in numbers for name in found if found[name] == column}


def _of_classes(
    named: dict[str, str], values: dict[str, object], positive: object, reason: str | None
) -> FoundScores:
    """Keep the positive class, where there is one; else each class has its turn."""
    if positive is None and set(values.values()) in CONVENTIONS:
        positive = 1
    if positive is None:
        return FoundScores(named, {name: values[name] for name in named}, reason)
    name = next((name for name, value in values.items() if value == positive), None)
    if name not in named:
        raise ParameterError(
            f"pos_label {positive!r} has no score column; there are columns for the classes "
            f"{several(list(named))}"
        )
    if len(values) == 2:
        return FoundScores({named[name]: named[name]}, {}, reason)
    return FoundScores({name: named[name]}, {name: positive}, reason)
