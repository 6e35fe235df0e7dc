"""Counts, totals, rates and thresholds: checked where a table is made of them."""

from __future__ import annotations

import math
import sys
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from isometrics._core.arrays import column, plain
from isometrics._core.parameters import parse_number
from isometrics.errors import OneClassError, PointsError, ScoreError

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from isometrics._core.arrays import Counts, Total


LARGEST_COUNT = 2**53
"""Up to here floats hold every integer, so sums of counts are exact in either type."""


LEAST_TOTAL, MOST_TOTAL = 1e-30, 1e30
"""Products of several counts between these stay far from the ends of the floats."""


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
    absent = np.zeros(given.values.size, np.bool_)
    if missing and given.null is not None:
        absent |= given.null
    if missing and given.values.dtype.kind == "f":
        absent |= np.isnan(given.values)
    known = np.flatnonzero(~absent)
    numbers = given.take(known).numbers(PointsError)
    dtype = numbers.dtype if numbers.dtype.kind == "f" else np.dtype(np.float64)
    rates = np.full(given.values.size, np.nan, dtype)
    rates[known] = numbers
    given.refuse((rates < 0) | (rates > 1), PointsError, "values outside [0, 1]")
    return rates


def parse_thresholds(values: ArrayLike, name: str = "thresholds") -> NDArray[Any]:
    """Return thresholds in a type that holds each of them exactly."""
    if np.ndim(values) == 0:
        number = parse_number(values)
        if number is None:
            raise PointsError(f"must be a number, or several, but is {values!r}", parameter=name)
        # In its own type where that is NumPy's.
        values = np.atleast_1d(values if isinstance(values, np.generic | np.ndarray) else number)
    given = column(values, name)
    if given.values.dtype.kind == "O":
        plain_numbers = [
            parse_number(value) if isinstance(value, Fraction | Decimal) else value
            for value in given.values
        ]
        given = given._replace(values=np.array(plain_numbers, object))
    return as_thresholds(given.numbers(PointsError))


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
