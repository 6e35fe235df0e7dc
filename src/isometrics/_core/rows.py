"""The door for rows: labels, scores, weights and groups are validated here, once.

Policy for input with one class only: constructors raise `OneClassError`; the functions of
`isometrics.score_functions` take ``undefined="raise" | "nan"``.
"""

from __future__ import annotations

import math
from collections import Counter
from typing import TYPE_CHECKING, Any

import numpy as np

from isometrics._core.arrays import (
    SEVERAL_CLASSES,
    Column,
    column,
    is_remote,
    namespace_of,
)
from isometrics._core.counts import LARGEST_COUNT
from isometrics._core.labels import positive_by_convention, positive_rows
from isometrics._core.sample import UNNAMED, Groups, Sample
from isometrics.errors import EmptyInputError, ScoreError, WeightError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import ArrayLike, NDArray

    from isometrics._core.arrays import Counts
    from isometrics.errors import InputError

    Given = ArrayLike | Column
    Report = Callable[[Column, NDArray[np.bool_], type[InputError], str], None]


def parse_sample(
    y_true: Given,
    scores: Mapping[str, Any],
    *,
    argument: str = "y_score",
    sample_weight: Given | None = None,
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


def present_rows(
    first: Column, *others: Column, sample_weight: Given | None, batch: bool = False
) -> tuple[list[Column], Counts | None]:
    """Check that columns belong together, and leave out the rows of zero weight.

    Integer weights stay integers, so that counts built from them stay exact. A `batch` of a
    longer sample may be empty.
    """
    columns = [first, *others]
    for other in others:
        other.same_length(first)
    if first.values.size == 0 and not batch:
        raise EmptyInputError(f"{first.name} is empty; at least one row is needed")
    if sample_weight is None:
        return columns, None
    given = column(sample_weight, "sample_weight")
    given.same_length(first)
    weights = weights_of(given._replace(values=given.numbers(WeightError)))
    with np.errstate(over="ignore", under="ignore"):
        total = float(weights.sum(dtype=np.float64))
    if math.isinf(total):
        raise WeightError(f"{given.name} adds up to infinity; divide it by its maximum")
    weights = weights if total <= LARGEST_COUNT else weights.astype(np.float64)
    rows = np.flatnonzero(weights)
    if rows.size == weights.size:
        return columns, weights
    if rows.size == 0 and not batch:
        raise WeightError("sample_weight is zero for every row; at least one weight must be > 0")
    return [each.take(rows) for each in columns], weights[rows]


NEGATIVE, INFINITE, BEYOND = "negative values", "infinite values", "values of 2**63 or more"
LARGEST_WEIGHT = np.iinfo(np.int64).max


def weights_of(given: Column, report: Report = Column.refuse) -> Counts:
    """Return weights as int64 where they are whole, else as float64.

    Those that cannot be used are refused, or reported to whoever counts them over all batches.
    """
    numbers = given.values
    whole = numbers.dtype.kind in "bui"
    if numbers.dtype.kind == "u":
        report(given, numbers > LARGEST_WEIGHT, WeightError, BEYOND)
    report(given, numbers < 0, WeightError, NEGATIVE)
    with np.errstate(over="ignore", under="ignore"):
        weights: Counts = numbers.astype(np.int64 if whole else np.float64)
    if not whole:
        report(given, np.isinf(weights), WeightError, INFINITE)
    return weights


class Dropped:
    """Rows that were left out because they miss a value in a column that is used."""

    def __init__(self) -> None:
        self.rows = 0
        self.columns: Counter[str] = Counter()
        """How many of them miss a value in each column; some in several."""

    def complete_rows(
        self, columns: Mapping[str, Column], weight: Column | None
    ) -> NDArray[np.intp] | None:
        """Return the rows that miss no value, and count the others; None if there are none.

        A row of weight 0 is absent, and may miss any other value.
        """
        missing = {
            name: mask for name, each in columns.items() if (mask := each.missing()) is not None
        }
        if not missing:
            return None
        if weight is not None and weight.categories is None and weight.values.dtype.kind in "fiub":
            unweighted = (weight.values == 0) & ~missing.get(weight.name, np.zeros(1, np.bool_))
            missing = {name: mask & ~unweighted for name, mask in missing.items()}
        incomplete = np.logical_or.reduce(list(missing.values()))
        self.rows += int(np.count_nonzero(incomplete))
        self.columns.update({name: int(np.count_nonzero(mask)) for name, mask in missing.items()})
        return np.flatnonzero(~incomplete)

    def describe(self) -> str:
        """Say how many rows were left out, and by which columns.

        Examples
        --------
        >>> dropped = Dropped()
        >>> dropped.rows = 3
        >>> dropped.columns.update({"score": 2, "y": 2})
        >>> dropped.describe()
        '3 rows with missing values are left out, for all models (score: 2, y: 2)'
        """
        if not self.rows:
            return "no row has a missing value"
        by_column = ", ".join(f"{name}: {count:,}" for name, count in self.columns.items() if count)
        what = "row with missing values is" if self.rows == 1 else "rows with missing values are"
        return f"{self.rows:,} {what} left out, for all models ({by_column})"


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
    if given.values.size != y_score.shape[0]:
        return None
    return xp.asarray(positive_rows(given, pos_label), device=y_score.device)
