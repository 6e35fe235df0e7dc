"""Labels, scores and weights validated, on the host or on their device: here and nowhere else."""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from isometrics._core.arrays import Column, column, is_null, is_remote, namespace_of, plain
from isometrics._core.parameters import parse_number
from isometrics.errors import (
    Advice,
    EmptyInputError,
    LabelError,
    OneClassError,
    PointsError,
    ScoreError,
    WeightError,
)

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from isometrics._core.arrays import Counts, Total


LARGEST_COUNT = 2**53
"""Up to here floats hold every integer, so sums of counts are exact in either type."""

LEAST_TOTAL, MOST_TOTAL = 1e-30, 1e30
"""Products of several counts between these stay far from the ends of the floats."""


class Sample(NamedTuple):
    """Rows that count: each array has one entry for each row of non-zero weight."""

    labels: NDArray[np.bool_]
    scores: NDArray[Any]
    weights: Counts | None


def parse_sample(
    y_true: ArrayLike,
    y_score: ArrayLike,
    sample_weight: ArrayLike | None = None,
    pos_label: object = None,
) -> Sample:
    """Check labels, scores and weights, and leave out the rows of zero weight."""
    (labels, scores), weights = present_rows(
        column(y_true, "y_true"), column(y_score, "y_score"), sample_weight=sample_weight
    )
    return Sample(positive_rows(labels, pos_label), scores.numbers(ScoreError), weights)


def present_rows(
    first: Column, *others: Column, sample_weight: ArrayLike | None, batch: bool = False
) -> tuple[list[Column], Counts | None]:
    """Check that columns belong together, and leave out the rows of zero weight.

    Integer weights stay integers, so that counts built from them stay exact. A `batch` of a
    longer sample may be empty.
    """
    columns = [first, *others]
    for other in others:
        other.same_length(first)
    if first.size == 0 and not batch:
        raise EmptyInputError(f"{first.name} is empty; at least one row is needed")
    if sample_weight is None:
        return columns, None
    weights = _parse_weights(sample_weight, first)
    rows = np.flatnonzero(weights)
    if rows.size == weights.size:
        return columns, weights
    if rows.size == 0 and not batch:
        raise WeightError("sample_weight is zero for every row; at least one weight must be > 0")
    return [each.take(rows) for each in columns], weights[rows]


def _parse_weights(sample_weight: ArrayLike, beside: Column) -> Counts:
    given = column(sample_weight, "sample_weight")
    given.same_length(beside)
    numbers = given.numbers(WeightError)
    given.refuse(numbers < 0, WeightError, "negative values")
    with np.errstate(over="ignore", under="ignore"):
        weights = numbers.astype(np.float64)
        total = float(weights.sum())
    given.refuse(np.isinf(weights), WeightError, "infinite values")
    if math.isinf(total):
        raise WeightError("sample_weight adds up to infinity; divide it by its maximum")
    if numbers.dtype.kind in "bui" and total <= LARGEST_COUNT:
        return numbers.astype(np.int64)
    return weights


def positive_rows(labels: Column, pos_label: object) -> NDArray[np.bool_]:
    """Tell the positive rows; labels that name more than two classes are refused."""
    values = labels.present()
    if pos_label is None:
        if values.dtype == np.bool_:
            return values
        if values.dtype.kind in "iufO":
            positive = _equal(values, 1)
            if (positive | _equal(values, 0)).all() or (positive | _equal(values, -1)).all():
                return positive
        raise unclear_labels(labels.name, _classes(labels))
    refuse_several(pos_label)
    positive, classes = _equal(values, pos_label), _classes(labels)
    if len(classes) == 2 and not positive.any():
        raise LabelError(absent_label(labels.name, classes, pos_label))
    return positive


def refuse_several(pos_label: object) -> None:
    """Check that one value was given as the positive label."""
    if isinstance(pos_label, list | tuple | set | dict | np.ndarray):
        raise LabelError(f"pos_label must be one value but is {pos_label!r}")


def unclear_labels(name: str, classes: list[object]) -> LabelError:
    """Return the error about labels that do not tell which of them is positive."""
    return LabelError(
        f"{name} has the labels {_listed(classes)}",
        Advice("say which one is positive with {pos_label}"),
    )


def absent_label(name: str, classes: list[object], pos_label: object) -> str:
    """Return the sentence about a positive label that does not occur."""
    return f"pos_label {pos_label!r} is not among the labels of {name}, {_listed(classes)}"


def surplus_labels(classes: list[object], third: object) -> str:
    """Say what is wrong with labels of more than two classes."""
    return (
        f"labels besides {_listed(classes)}, such as {plain(third)!r}, where two classes are needed"
    )


def _classes(labels: Column) -> list[object]:
    """Return the one or two classes present; more are refused."""
    values = labels.values
    different = ~_equal(values, values[0])
    if not different.any():
        return [values[0]]
    classes = [values[0], values[np.argmax(different)]]
    surplus = different & ~_equal(values, classes[1])
    if surplus.any():
        labels.refuse(surplus, LabelError, surplus_labels(classes, values[np.argmax(surplus)]))
    return classes


def _equal(values: NDArray[Any], value: object) -> NDArray[np.bool_]:
    if is_null(value):
        # pandas.NA equals nothing, and will not even say so.
        return np.zeros(values.shape, np.bool_)
    return np.broadcast_to(np.asarray(values == value, dtype=np.bool_), values.shape)


def _listed(values: list[object]) -> str:
    return " and ".join(repr(plain(value)) for value in values)


def check_totals(
    positives: Total, negatives: Total, *, counted: str = "the sample"
) -> tuple[Total, Total]:
    """Check the totals of a table: numbers > 0 whose products floats can hold."""
    totals: list[Total] = []
    for name, value in (("positives", positives), ("negatives", negatives)):
        number = parse_number(value)
        if number is None:
            raise PointsError(f"{name} must be a number but is {value!r}")
        if not 0 <= number <= LARGEST_COUNT and (number < 0 or isinstance(number, int)):
            raise PointsError(f"{name} must lie between 0 and 2**53 but is {value!r}")
        if not math.isfinite(number):
            raise PointsError(f"{name} must be finite but is {value!r}")
        totals.append(number)
    if 0 in totals:
        only = "negatives" if totals[0] == 0 else "positives"
        raise OneClassError(f"{counted} has only {only}; both classes are needed")
    for name, total in zip(("positives", "negatives"), totals, strict=True):
        if not LEAST_TOTAL <= total <= MOST_TOTAL:
            raise PointsError(
                f"{name}, as a count or as a sum of weights, must lie between {LEAST_TOTAL:g} and "
                f"{MOST_TOTAL:g} but is {total:g}; multiply all weights or counts by one factor"
            )
    return totals[0], totals[1]


def parse_counts(values: ArrayLike, name: str) -> Counts:
    """Return counts: int64 for values of an integer type, else float64."""
    given = column(values, name)
    numbers = given.numbers(PointsError)
    if numbers.size == 0:
        return numbers.astype(np.int64)
    if numbers.dtype.kind == "f":
        given.refuse(np.isinf(numbers), PointsError, "infinite values")
        return numbers.astype(np.float64)
    given.refuse(numbers > LARGEST_COUNT, PointsError, "values beyond 2**53")
    return numbers.astype(np.int64)


def parse_rates(values: ArrayLike, name: str, *, missing: bool = False) -> NDArray[Any]:
    """Return floats of [0, 1] in the precision given; NaN stays where `missing` allows it."""
    given = column(values, name)
    absent = np.zeros(given.size, np.bool_)
    if missing and given.null is not None:
        absent |= given.null
    if missing and given.values.dtype.kind == "f":
        absent |= np.isnan(given.values)
    known = np.flatnonzero(~absent)
    numbers = given.take(known).numbers(PointsError)
    dtype = numbers.dtype if numbers.dtype.kind == "f" else np.dtype(np.float64)
    rates = np.full(given.size, np.nan, dtype)
    rates[known] = numbers
    given.refuse((rates < 0) | (rates > 1), PointsError, "values outside [0, 1]")
    return rates


def parse_thresholds(values: ArrayLike, name: str = "thresholds") -> NDArray[Any]:
    """Return thresholds in a type that holds each of them exactly."""
    given = column(_as_list(values, name) if np.ndim(values) == 0 else values, name)
    if given.values.dtype.kind == "O":
        plain_numbers = [
            parse_number(value) if isinstance(value, Fraction | Decimal) else value
            for value in given.values
        ]
        given = given._replace(values=np.array(plain_numbers, object))
    return as_thresholds(given.numbers(PointsError))


def _as_list(value: object, name: str) -> object:
    """Return one number as an array, in its own type where that is NumPy's."""
    number = parse_number(value)
    if number is None:
        raise PointsError(f"{name} must be a number, or several, but is {value!r}")
    return np.atleast_1d(value) if isinstance(value, np.generic | np.ndarray) else [number]


def as_thresholds(scores: NDArray[Any]) -> NDArray[Any]:
    """Widen distinct scores to a floating type that can also hold the +inf of the empty rule."""
    if scores.dtype.kind == "f" and scores.dtype.itemsize > 8:
        return scores.copy()
    widened = scores.astype(np.float64)
    small = scores.dtype.itemsize < 8 or scores.dtype.kind == "f"
    if small or ((scores >= -LARGEST_COUNT) & (scores <= LARGEST_COUNT)).all():
        return widened
    # Integers beyond 2**53 need a mantissa of 64 bits, which long doubles have on most machines.
    if np.finfo(np.longdouble).nmant < 63:
        raise ScoreError("integers beyond 2**53 do not fit into this machine's floats")
    return scores.astype(np.longdouble)


def refuse_other_than_probabilities(thresholds: NDArray[Any], purpose: str) -> None:
    """Refuse a table whose scores are no probabilities.

    Items that were never scored lie at -inf, which is no score.
    """
    scores = thresholds[1:]
    scores = scores[:-1] if scores[-1] == -np.inf else scores
    # A threshold that is not known is NaN, and fails this too.
    strange = ~((scores >= 0) & (scores <= 1))
    if strange.any():
        raise ScoreError(
            f"{purpose} needs probabilities between 0 and 1 as scores, but the table has the "
            f"threshold {plain(scores[np.argmax(strange)])!r}"
        )


MOST_ROWS = 2**32
"""Up to here products of two counts fit into 64 bits."""


class DeviceSample(NamedTuple):
    """Labels and scores of one device, as many of both."""

    xp: Any
    labels: Any
    """Booleans."""
    scores: Any
    """Floats or integers of 32 or 64 bits."""

    @property
    def size(self) -> int:
        """The number of rows."""
        return int(self.scores.shape[0])

    @property
    def has_nan(self) -> bool:
        """Whether a score is NaN; the least of all is NaN then."""
        xp, _, scores = self
        return bool(xp.isdtype(scores.dtype, "real floating") and xp.isnan(xp.min(scores)))


def parse_device_sample(
    y_true: Any, y_score: Any, pos_label: object, *, nan_found_later: bool = False
) -> DeviceSample | None:
    """Return labels and scores where they are, or None if the host has to look at them."""
    if not is_remote(y_score) or y_score.ndim != 1 or not 0 < y_score.shape[0] < MOST_ROWS:
        return None
    xp = namespace_of(y_score)
    if "float64" not in xp.__array_namespace_info__().dtypes(device=y_score.device):
        return None
    scores = _widened(xp, y_score)
    labels = None if scores is None else _labels(xp, y_true, y_score, pos_label)
    if labels is None:
        return None
    sample = DeviceSample(xp, labels, scores)
    return sample if nan_found_later or not sample.has_nan else None


def _widened(xp: Any, scores: Any) -> Any:
    """Return scores in a type of 32 or 64 bits that holds each of them; None if none does."""
    if xp.isdtype(scores.dtype, "complex floating") or scores.dtype == xp.uint64:
        return None
    if xp.isdtype(scores.dtype, "real floating"):
        wide = scores.dtype in (xp.float32, xp.float64)
        return scores if wide else xp.astype(scores, xp.float32)
    if scores.dtype in (xp.int32, xp.int64):
        return scores
    return xp.astype(scores, xp.int64 if scores.dtype == xp.uint32 else xp.int32)


def _labels(xp: Any, y_true: Any, y_score: Any, pos_label: object) -> Any:
    if is_remote(y_true):
        if y_true.shape != y_score.shape:
            return None
        if pos_label is None and y_true.device == y_score.device:
            if xp.isdtype(y_true.dtype, "bool"):
                return y_true
            positive = y_true == 1
            if bool(xp.all(positive | (y_true == 0))) or bool(xp.all(positive | (y_true == -1))):
                return positive
    given = column(y_true, "y_true")
    if given.size != y_score.shape[0]:
        return None
    return xp.asarray(positive_rows(given, pos_label), device=y_score.device)
