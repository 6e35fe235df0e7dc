"""Which label is positive: one decision, for arrays, batches of a source, streams and devices."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from isometrics._core.arrays import SEVERAL_CLASSES, offence, plain
from isometrics._core.missing import is_null
from isometrics.errors import Advice, LabelError

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from isometrics._core.arrays import Column

_CONVENTIONS = ({0, 1}, {-1, 1})
_SEVERAL = Advice("for one of the classes pass y_true == label; {}", SEVERAL_CLASSES)


class Positions(NamedTuple):
    """Where the rows of a batch stand in the whole sample."""

    start: int | None
    """The position of the first row; None where rows have no known position."""
    kept: NDArray[np.intp] | None = None
    """The rows that remain of the batch, where some were left out."""

    def of(self, row: np.intp) -> int | None:
        """Return the position of a row of the batch."""
        if self.start is None:
            return None
        return self.start + int(row if self.kept is None else self.kept[row])


def positive_rows(
    labels: Column, pos_label: object, *, advice: Advice | None = _SEVERAL
) -> NDArray[np.bool_]:
    """Tell the positive rows; labels that name more than two classes are refused, with advice."""
    values = labels.present()
    if pos_label is None and values.dtype.kind in "biufO":
        positive = positive_by_convention(values, np)
        if positive is not None:
            return np.asarray(positive)
    check_pos_label(pos_label)
    classes = Classes(labels.name)
    classes.add(values, Positions(0, labels.rows))
    classes.check(pos_label, advice=advice)
    return equal_to(values, pos_label)


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


def equal_to(values: NDArray[Any], label: object) -> NDArray[np.bool_]:
    """Tell which values are the given label."""
    if is_null(label):
        # pandas.NA equals nothing, and will not even say so.
        return np.zeros(values.shape, np.bool_)
    return np.broadcast_to(np.asarray(values == label, dtype=np.bool_), values.shape)


class Classes:
    """The classes of a label column, found batch by batch.

    Parameters
    ----------
    name
        What errors call the labels.
    label_of
        The label that a value stands for, where values are codes.
    """

    def __init__(self, name: str, label_of: Callable[[Any], object] = plain) -> None:
        self._name = name
        self._label_of = label_of
        self.values: list[Any] = []
        """The first two labels."""
        self._third: Any = None
        self._surplus = 0
        self._first_surplus: int | None = None

    def add(self, values: NDArray[Any], rows: Positions) -> None:
        """Take note of the classes in a batch, whose rows have these positions."""
        new = np.ones(values.size, np.bool_)
        for known in self.values:
            new &= np.asarray(values != known, np.bool_)
        while new.any():
            first = int(np.argmax(new))
            if len(self.values) == 2:
                if not self._surplus:
                    self._third, self._first_surplus = values[first], rows.of(np.intp(first))
                self._surplus += int(np.count_nonzero(new))
                break
            self.values.append(values[first])
            new &= np.asarray(values != values[first], np.bool_)

    def recount(self, values: NDArray[Any], times: NDArray[np.int64]) -> None:
        """Take over how often each label occurs, where only the first rows were looked at."""
        self.add(values, Positions(None))
        surplus = ~np.isin(values, np.asarray(self.values))
        self._surplus = int(times[surplus].sum())

    @property
    def labels(self) -> list[Any]:
        """The first two labels."""
        return list(map(self._label_of, self.values))

    def check(
        self, pos_label: object, *, conventional: bool = False, advice: Advice | None = None
    ) -> None:
        """Refuse labels that do not name two classes, or not the positive one.

        Without a positive label, 0/1 and -1/+1 are accepted where labels may be `conventional`.
        The advice is about more than two classes.
        """
        check_pos_label(pos_label)
        labels = self.labels
        if self._surplus:
            what = surplus_labels(labels, self._label_of(self._third))
            raise LabelError(offence(self._name, what, self._surplus, self._first_surplus), advice)
        if pos_label is None:
            if conventional and any(set(labels) <= two for two in _CONVENTIONS):
                return
            raise LabelError(
                f"{self._name} has the labels {_listed(labels)}",
                Advice("say which one is positive with {pos_label}"),
            )
        if len(labels) == 2 and not equal_to(np.array([*labels, None], object), pos_label).any():
            raise LabelError(
                f"{pos_label!r} is not among the labels of {self._name}, {_listed(labels)}",
                parameter="pos_label",
            )


def surplus_labels(classes: list[object], third: object) -> str:
    """Say what is wrong with labels of more than two classes."""
    return (
        f"labels besides {_listed(classes)}, such as {plain(third)!r}, where two classes are needed"
    )


def _listed(values: list[object]) -> str:
    return " and ".join(repr(plain(value)) for value in values)
