"""Which class a label is of, and which of two classes is the positive one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from isometrics._core.arrays import (
    SEVERAL_CLASSES,
    Column,
    RowNumbers,
    equal_to,
    offence,
    plain,
)
from isometrics.errors import Advice, LabelError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray


CONVENTIONS: tuple[set[object], ...] = ({0, 1}, {-1, 1})
"""Labels that need no positive one to be named: it is 1, or True."""


_SEVERAL = Advice("for one of the classes pass y_true == label; {}", SEVERAL_CLASSES)


_WORDS = (
    *({"true", "false"}, {"t", "f"}, {"yes", "no"}, {"y", "n"}, {"1", "0"}, {"1", "-1"}),
    *({"positive", "negative"}, {"pos", "neg"}),
)
"""Pairs of texts that say by themselves which one is positive, in small letters."""


_POSITIVE_WORDS = {"true", "t", "yes", "y", "1", "positive", "pos"}


def positive_rows(
    labels: Column, pos_label: object, *, advice: Advice | None = _SEVERAL
) -> NDArray[np.bool_]:
    """Tell the positive rows; labels that name more than two classes are refused, with advice."""
    values = labels.present()
    if pos_label is None and values.dtype.kind == "b":
        return values
    if pos_label is None and values.dtype.kind in "iufO":
        positive = positive_by_convention(values, np)
        if positive is not None:
            return np.asarray(positive)
    check_pos_label(pos_label)
    classes = Classes(labels.name)
    classes.add(labels)
    return labels.equal(classes.check(pos_label, advice=advice))


def are_truth_words(labels: Iterable[object]) -> bool:
    """Tell whether labels are texts that say which one is positive, such as yes and no.

    Examples
    --------
    >>> are_truth_words(["Yes", "No"]), are_truth_words(["T", "F"]), are_truth_words(["T", "N"])
    (True, True, False)
    """
    words = {_word(label) for label in labels}
    return bool(words) and any(words <= pair for pair in _WORDS)


def is_positive_word(label: object) -> bool:
    """Tell which one of two labels that `are_truth_words` is positive."""
    return _word(label) in _POSITIVE_WORDS


def positive_word(values: NDArray[Any]) -> object:
    """Return the positive one of labels that are texts such as yes and no; None of others."""
    if values.dtype.kind not in "OUT":
        return None
    classes = Classes("")
    classes.add(Column("", values))
    if classes.surplus is not None or not are_truth_words(classes.labels):
        return None
    return next(filter(is_positive_word, classes.labels), None)


def _word(label: object) -> str | None:
    return label.strip().lower() if isinstance(label, str) else None


def check_pos_label(pos_label: object) -> None:
    """Check that one value was given as the positive label."""
    if isinstance(pos_label, list | tuple | set | dict | np.ndarray):
        raise LabelError(f"must be one value but is {pos_label!r}", parameter="pos_label")


def positive_by_convention(values: Any, xp: Any) -> Any:
    """Tell which labels are true, or 1 among 0/1 or -1/+1; None where labels are others."""
    if xp.isdtype(values.dtype, "bool"):
        return values
    positive = values == 1
    if bool(xp.all(positive | (values == 0))) or bool(xp.all(positive | (values == -1))):
        return positive
    return None


class Classes:
    """The classes of a label column, found batch by batch.

    Parameters
    ----------
    name
        What errors call the labels.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self.labels: list[Any] = []
        """The first two labels, as plain values."""
        self._first_two: list[Any] = []
        self.surplus: tuple[str, int, int | None] | None = None
        """What is wrong with labels beyond two, how many there are, and where the first one is."""

    def add(self, labels: Column) -> None:
        """Take note of the classes in a batch."""
        other = np.ones(labels.values.size, np.bool_)
        for known in self._first_two:
            other &= ~labels.equal(known)
        while other.any():
            first = int(np.argmax(other))
            if len(self._first_two) == 2:
                what = surplus_labels(self.labels, labels.label(first))
                what, count, position = self.surplus or (what, 0, labels.rows.of(first))
                self.surplus = what, count + int(np.count_nonzero(other)), position
                break
            self._first_two.append(labels.label(first))
            self.labels.append(plain(self._first_two[-1]))
            other &= ~labels.equal(self._first_two[-1])

    def recount(self, labels: Column, times: NDArray[np.int64]) -> None:
        """Take over how often each label occurs, where only the first rows were looked at."""
        self.add(labels._replace(rows=RowNumbers(None)))
        if self.surplus is not None:
            known = sum(int(times[labels.equal(label)].sum()) for label in self._first_two)
            what, _, position = self.surplus
            self.surplus = what, int(times.sum()) - known, position

    def check(self, pos_label: object, *, advice: Advice | None = None) -> object:
        """Return the positive label; labels that do not name two classes are refused.

        Without a given one, the labels must be 0/1, -1/+1 or texts that say it, such as yes and no.
        None is a label that no row has. The advice is about more than two classes.
        """
        check_pos_label(pos_label)
        labels = self.labels
        if self.surplus is not None:
            raise LabelError(offence(self._name, *self.surplus), advice)
        if pos_label is None:
            if any(set(labels) <= two for two in CONVENTIONS):
                return 1
            if are_truth_words(labels):
                return next(filter(is_positive_word, labels), None)
            raise LabelError(
                f"{self._name} has the labels {_listed(labels)}",
                Advice("say which one is positive with {pos_label}"),
            )
        if len(labels) == 2 and not equal_to(np.array([*labels, None], object), pos_label).any():
            raise LabelError(
                f"{pos_label!r} is not among the labels of {self._name}, {_listed(labels)}",
                parameter="pos_label",
            )
        return pos_label


def surplus_labels(classes: list[object], third: object) -> str:
    """Say what is wrong with labels of more than two classes."""
    return (
        f"labels besides {_listed(classes)}, such as {plain(third)!r}, where two classes are needed"
    )


def _listed(values: list[object]) -> str:
    return " and ".join(repr(plain(value)) for value in values)
