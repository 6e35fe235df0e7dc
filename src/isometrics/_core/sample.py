"""A sample: labels, the scores of each model, weights and groups, validated once where they enter.

Policy for input with one class only: constructors raise `OneClassError`; the functions of
`isometrics.score_functions` take ``undefined="raise" | "nan"``.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from isometrics._core.arrays import (
    SEVERAL_CLASSES,
    Column,
    column,
    is_remote,
    namespace_of,
    plain,
)
from isometrics._core.class_scores import (
    Matrix,
    columns_of_frame,
    is_named_after,
    parse_classes,
    parse_matrix,
    positive_column,
)
from isometrics._core.groups import Groups
from isometrics._core.labels import positive_by_convention, positive_rows
from isometrics._core.parameters import parse_number
from isometrics.errors import (
    EmptyInputError,
    OneClassError,
    ParameterError,
    PointsError,
    ScoreError,
    WeightError,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray

    from isometrics._core.arrays import Counts, Total


LARGEST_COUNT = 2**53
"""Up to here floats hold every integer, so sums of counts are exact in either type."""

LEAST_TOTAL, MOST_TOTAL = 1e-30, 1e30
"""Products of several counts between these stay far from the ends of the floats."""

UNNAMED = ""
"""The name of a model that was given without one."""


class Sample(NamedTuple):
    """Validated rows: each array has one entry for each row of non-zero weight.

    A batch of a longer source is a sample too. Arrays may be those of a device; such a sample has
    one model, and neither weights nor groups.
    """

    labels: NDArray[np.bool_]
    """Whether each row is positive."""
    scores: dict[str, NDArray[Any]]
    """The scores of each model, by name."""
    weights: Counts | None = None
    groups: Groups | None = None

    @property
    def size(self) -> int:
        """The number of rows."""
        return int(self.labels.shape[0])

    @property
    def nbytes(self) -> int:
        """The memory that the arrays take."""
        arrays = [self.labels, *self.scores.values()]
        arrays += [] if self.weights is None else [self.weights]
        arrays += [] if self.groups is None else [self.groups.codes]
        return sum(array.nbytes for array in arrays)

    @property
    def only_scores(self) -> NDArray[Any]:
        """The scores of the only model."""
        (scores,) = self.scores.values()
        return scores

    def of_model(self, name: str) -> Sample:
        """Return the rows with the scores of one model."""
        return self._replace(scores={name: self.scores[name]})

    def take(self, rows: NDArray[np.intp]) -> Sample:
        """Return some rows."""
        return Sample(
            self.labels[rows],
            {name: scores[rows] for name, scores in self.scores.items()},
            None if self.weights is None else self.weights[rows],
            None if self.groups is None else self.groups.take(rows),
        )

    def split_by_group(self) -> dict[str, Sample]:
        """Return the rows of each group, the groups sorted by value; none without groups."""
        if self.groups is None:
            return {}
        alone = self._replace(groups=None)
        return {name: alone.take(rows) for name, rows in self.groups.row_index().items()}

    @classmethod
    def joined(cls, batches: Sequence[Sample]) -> Sample:
        """Return all rows of the batches of one source, in their order."""
        weights = [batch.weights for batch in batches if batch.weights is not None]
        groups = [batch.groups for batch in batches if batch.groups is not None]
        return cls(
            np.concatenate([batch.labels for batch in batches]),
            {
                name: np.concatenate([batch.scores[name] for batch in batches])
                for name in batches[0].scores
            },
            countable(np.concatenate(weights)) if weights else None,
            Groups.joined(groups).in_order() if groups else None,
        )


def parse_sample(
    y_true: ArrayLike,
    scores: Mapping[str, Any],
    *,
    argument: str = "y_score",
    sample_weight: ArrayLike | None = None,
    groups: Column | None = None,
    pos_label: object = None,
) -> Sample:
    """Validate labels, the scores of each model, weights and groups.

    Rows of zero weight are left out. Errors call the scores by the name of their `argument`.
    """
    columns = [
        column(values, f"{argument}[{name!r}]" if name else argument, SEVERAL_CLASSES)
        for name, values in scores.items()
    ]
    (labels, *columns), weights = present_rows(
        column(y_true, "y_true", SEVERAL_CLASSES),
        *columns,
        *([] if groups is None else [groups]),
        sample_weight=sample_weight,
    )
    return Sample(
        positive_rows(labels, pos_label),
        {
            name: values.numbers(ScoreError)
            for name, values in zip(scores, columns[: len(scores)], strict=True)
        },
        weights,
        None if groups is None else Groups.of_column(columns[-1]),
    )


def scores_by_model(
    scores: object,
    argument: str,
    unnamed: str,
    *,
    y_true: Any,
    sample_weight: ArrayLike | None = None,
    pos_label: object = None,
    classes: object = None,
) -> dict[str, Any]:
    """Return the scores of each model, from a mapping, a data frame or a single array.

    Of scores with a column for each of two classes, those of the positive class are taken. A model
    that is given without a name is called `unnamed`.
    """
    given = parse_classes(classes)

    def positive_scores(matrix: Matrix) -> Any:
        (labels,), _ = present_rows(column(y_true, "y_true"), sample_weight=sample_weight)
        return positive_column(matrix, labels, pos_label=pos_label, classes=given)

    if isinstance(scores, Mapping):
        named: dict[Any, Any] = dict(scores)
    elif isinstance(scores, np.ndarray | list | tuple):
        named = {unnamed: scores}
    else:
        frame = columns_of_frame(scores, argument)
        of_classes = Matrix(list(frame.values()), list(frame))
        if _has_columns_of_classes(of_classes, y_true, given):
            return {unnamed: positive_scores(of_classes)}
        named = frame or {unnamed: scores}
    if not named:
        raise ParameterError(
            "is empty; give the scores of one model or more, by name", parameter=argument
        )
    widths = []
    for name, values in named.items():
        if not isinstance(name, str):
            raise ParameterError(f"the name of a model must be a text but is {name!r}")
        matrix = parse_matrix(values, f"{argument}[{name!r}]" if name else argument)
        widths.append(1 if matrix is None else len(matrix.columns))
        if matrix is not None and widths[-1] <= 2:
            named[name] = matrix.columns[0] if widths[-1] == 1 else positive_scores(matrix)
    if given is not None and 2 not in widths:
        raise ParameterError(
            f"names the classes of columns, and {argument} has no column for each class",
            parameter="classes",
        )
    return named


def _has_columns_of_classes(matrix: Matrix, y_true: Any, classes: list[object] | None) -> bool:
    """Tell whether the columns of a data frame are two classes, and not two models.

    Texts are never taken for the names of numbers: models may well be called 0 and 1.
    """
    if len(matrix.columns) != 2:
        return False
    if classes is not None:
        return True
    values = column(y_true, "y_true").values
    if all(isinstance(name, str) for name in matrix.names or ()) and values.dtype.kind in "biuf":
        return False
    return is_named_after(matrix, list(set(values.tolist())))


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
    whole = numbers.dtype.kind in "bui" and total <= LARGEST_COUNT
    return numbers.astype(np.int64) if whole else weights


def countable(weights: Counts) -> Counts:
    """Return whole weights as they are where their sums are exact, else as floats."""
    floats = weights.astype(np.float64)
    return weights if floats.sum() <= LARGEST_COUNT else floats


def check_totals(
    positives: Total, negatives: Total, *, counted: str = "the sample"
) -> tuple[Total, Total]:
    """Check the totals of a table: numbers > 0 whose products floats can hold."""
    totals: list[Total] = []
    for name, value in (("positives", positives), ("negatives", negatives)):
        number = parse_number(value)
        if number is None:
            raise PointsError(f"must be a number but is {value!r}", parameter=name)
        if not 0 <= number <= LARGEST_COUNT and (number < 0 or isinstance(number, int)):
            raise PointsError(f"must lie between 0 and 2**53 but is {value!r}", parameter=name)
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
        raise PointsError(f"must be a number, or several, but is {value!r}", parameter=name)
    return np.atleast_1d(value) if isinstance(value, np.generic | np.ndarray) else [number]


HIGHEST_SCORE = sys.float_info.max
"""What a score of +inf counts as, so that the threshold +inf, which flags nothing, exceeds it."""


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


def parse_device_sample(
    y_true: Any, y_score: Any, pos_label: object, *, check_labels: bool = True
) -> Sample | None:
    """Return labels and scores where they are, or None if the host has to look at them.

    What cannot be used is neither decided nor said here: `parse_sample` finds the words for it,
    over the host. Scores may still be NaN, which is found when they are counted; so are labels
    that are not 0/1 or -1/+1, if they are not checked here.
    """
    if not is_remote(y_score) or y_score.ndim != 1 or not 0 < y_score.shape[0] < MOST_ROWS:
        return None
    xp = namespace_of(y_score)
    if not _has_float64(xp, y_score):
        return None
    scores = _widened(xp, y_score)
    labels = (
        None if scores is None else _device_labels(xp, y_true, y_score, pos_label, check_labels)
    )
    return None if labels is None else Sample(labels, {UNNAMED: scores})


def _has_float64(xp: Any, array: Any) -> bool:
    """Tell whether the device of an array has floats of 64 bits."""
    if getattr(array, "is_cuda", False):
        return True  # torch would try to make an array of every type
    return "float64" in xp.__array_namespace_info__().dtypes(device=array.device)


def has_nan(scores: Any) -> bool:
    """Tell whether a score on a device is NaN; the least of all is NaN then."""
    xp = namespace_of(scores)
    return bool(xp.isdtype(scores.dtype, "real floating") and xp.isnan(xp.min(scores)))


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


def _device_labels(xp: Any, y_true: Any, y_score: Any, pos_label: object, check: bool) -> Any:
    if is_remote(y_true):
        if y_true.shape != y_score.shape:
            return None
        if pos_label is None and y_true.device == y_score.device:
            positive = positive_by_convention(y_true, xp) if check else y_true
            if positive is not None:
                return positive
    given = column(y_true, "y_true")
    if given.size != y_score.shape[0]:
        return None
    return xp.asarray(positive_rows(given, pos_label), device=y_score.device)
