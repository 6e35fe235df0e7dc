"""Which label is positive: one decision, for arrays, batches of a source, streams and devices."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from isometrics._core.arrays import SEVERAL_CLASSES, offence, plain
from isometrics._core.missing import is_null
from isometrics.errors import Advice, LabelError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from numpy.typing import NDArray

    from isometrics._core.arrays import Column

_CONVENTIONS = ({0, 1}, {-1, 1})
_SEVERAL = Advice("for one of the classes pass y_true == label; {}", SEVERAL_CLASSES)
_WORDS = (
    *({"true", "false"}, {"t", "f"}, {"yes", "no"}, {"y", "n"}, {"1", "0"}, {"1", "-1"}),
    *({"positive", "negative"}, {"pos", "neg"}),
)
"""Pairs of texts that say by themselves which one is positive, in small letters."""
_POSITIVE_WORDS = {"true", "t", "yes", "y", "1", "positive", "pos"}


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

    def take(self, rows: NDArray[np.intp]) -> Positions:
        """Return where some rows of the batch stand."""
        return self._replace(kept=rows if self.kept is None else self.kept[rows])


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
    classes.add(values, Positions(0, labels.rows))
    return equal_to(values, classes.check(pos_label, advice=advice))


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
    classes.add(values, Positions(0))
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

    @property
    def surplus(self) -> tuple[str, int, int | None] | None:
        """What is wrong with labels beyond two, how many there are, and where the first one is."""
        if not self._surplus:
            return None
        what = surplus_labels(self.labels, self._label_of(self._third))
        return what, self._surplus, self._first_surplus

    def check(
        self, pos_label: object, *, conventional: bool = False, advice: Advice | None = None
    ) -> object:
        """Return the positive label; labels that do not name two classes are refused.

        Without a given one, the labels may be texts that say it, such as yes and no; 0/1 and
        -1/+1 are accepted where labels may be `conventional`. None is a label that no row has. The
        advice is about more than two classes.
        """
        check_pos_label(pos_label)
        labels = self.labels
        if self.surplus is not None:
            raise LabelError(offence(self._name, *self.surplus), advice)
        if pos_label is None:
            if conventional and any(set(labels) <= two for two in _CONVENTIONS):
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
