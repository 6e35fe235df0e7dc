"""Hypothesis strategies for samples, tables of counts and clouds of operating points.

They lean towards the cases on which implementations differ: ties, signed zeros, infinite scores,
leading negatives, vertical drops, collinear points and extreme prevalences.
"""

from __future__ import annotations

from collections.abc import Sequence
from sys import float_info
from typing import Any, Literal, TypeAlias

import numpy as np

try:
    from hypothesis import strategies as st
except ImportError as error:
    raise ImportError(
        "isometrics.testing.strategies needs hypothesis: pip install 'isometrics[testing]'"
    ) from error

__all__ = ["binary_samples", "count_tables", "point_clouds"]

Table: TypeAlias = tuple[list[int], list[int], int, int]
"""(tp, fp, positives, negatives)."""

_WIDTHS: dict[str, Literal[16, 32, 64]] = {"float16": 16, "float32": 32, "float64": 64}


@st.composite
def binary_samples(
    draw: st.DrawFn,
    min_size: int = 2,
    max_size: int = 30,
    *,
    weights: Literal["integer", "float"] | None = None,
    ties: bool = True,
    dtypes: Sequence[str] = ("float16", "float32", "float64", "int8", "int64"),
) -> tuple[np.ndarray[Any, Any], ...]:
    """Draw labels and scores, and weights if asked for.

    Parameters
    ----------
    min_size, max_size : int
        Number of items, at least 2.
    weights : {None, "integer", "float"}
        Kind of the third array. Some weights are zero, but not all of a class.
    ties : bool
        Draw scores from a small pool, often of one or two values. Otherwise all scores differ.
    dtypes : sequence of str
        Types of the scores: float16, float32, float64 or any NumPy integer type. Floating-point
        scores include both zeros and now and then an infinity, never NaN.

    Returns
    -------
    strategy of (y_true, y_score) or (y_true, y_score, sample_weight)
        ``y_true`` is boolean with both classes present.

    Examples
    --------
    >>> from hypothesis import given
    >>> @given(binary_samples(weights="integer"))
    ... def test_both_classes_have_weight(sample):
    ...     y_true, y_score, sample_weight = sample
    ...     assert sample_weight[y_true].sum() > 0 < sample_weight[~y_true].sum()
    >>> test_both_classes_have_weight()
    """
    positive_weight: st.SearchStrategy[float] = (
        st.floats(2.0**-10, 2.0**10) if weights == "float" else st.integers(1, 5)
    )
    weight = positive_weight if weights is None else st.just(0) | positive_weight
    anyone = st.tuples(st.booleans(), weight)
    # One item of each class must have weight; the shuffle keeps them from always coming first.
    items = [(True, draw(positive_weight)), (False, draw(positive_weight))]
    items += draw(st.lists(anyone, min_size=max(min_size - 2, 0), max_size=max_size - 2))
    items = draw(st.permutations(items))

    dtype = draw(st.sampled_from(list(dtypes)))
    if ties:
        pool = draw(st.lists(_scores(dtype), min_size=1, max_size=max(2, len(items) // 2)))
        scores = draw(st.lists(st.sampled_from(pool), min_size=len(items), max_size=len(items)))
    else:
        size = len(items)
        scores = draw(st.lists(_scores(dtype), min_size=size, max_size=size, unique=True))

    y_true = np.array([label for label, _ in items], dtype=bool)
    y_score = np.array(scores, dtype=dtype)
    if weights is None:
        return y_true, y_score
    kind = np.float64 if weights == "float" else np.int64
    return y_true, y_score, np.array([weight for _, weight in items], dtype=kind)


@st.composite
def count_tables(draw: st.DrawFn, max_points: int = 12, max_count: int = 10**12) -> Table:
    """Draw the counts of nested operating points, ascending.

    Parameters
    ----------
    max_points : int
        Most rows, at least 2. The two trivial rules are there in some tables, not in all.
    max_count : int
        Most positives and most negatives. Both are drawn log-uniformly and independently, so that
        prevalence comes near 0 and near 1.

    Returns
    -------
    strategy of (tp, fp, positives, negatives)
        Two lists of equal length and two totals, at least 1. Leading negatives, vertical drops,
        repeated rows, all-tied, perfect and worst rankings are frequent.

    Examples
    --------
    >>> from hypothesis import given
    >>> @given(count_tables())
    ... def test_nested(table):
    ...     tp, fp, positives, negatives = table
    ...     assert sorted(tp) == tp and sorted(fp) == fp
    >>> test_nested()
    """
    positives, negatives = draw(_magnitudes(max_count)), draw(_magnitudes(max_count))
    shape = draw(st.sampled_from(["any", "any", "any", "any", "tied", "perfect", "worst"]))
    if shape == "tied":
        return [positives], [negatives], positives, negatives
    if shape == "perfect":
        return [0, positives], [0, 0], positives, negatives
    if shape == "worst":
        return [0, positives], [negatives, negatives], positives, negatives
    # Columns sorted one by one are nested; a small pool for each makes its values recur.
    size = draw(st.integers(1, max_points))
    tp, fp = (
        sorted(draw(st.lists(st.sampled_from(pool), min_size=size, max_size=size)))
        for pool in (
            [0, total, *draw(st.lists(_counts(total), min_size=1, max_size=size))]
            for total in (positives, negatives)
        )
    )
    return tp, fp, positives, negatives


@st.composite
def point_clouds(draw: st.DrawFn, max_points: int = 12, max_count: int = 10**12) -> Table:
    """Draw operating points that need not be nested, such as clusters or retrieved sets.

    Parameters
    ----------
    max_points : int
        Most points, at least 1.
    max_count : int
        Most positives and most negatives, at least 6.

    Returns
    -------
    strategy of (tp, fp, positives, negatives)
        In no order, repeats possible. Some clouds lie on a lattice of a few counts, some on a
        line, some one count beside a line that floating point cannot tell from it.

    Examples
    --------
    >>> from hypothesis import given
    >>> @given(point_clouds())
    ... def test_within_totals(cloud):
    ...     tp, fp, positives, negatives = cloud
    ...     assert max(tp) <= positives and max(fp) <= negatives
    >>> test_within_totals()
    """
    shape = draw(st.sampled_from(["any", "lattice", "line"]))
    if shape == "line":
        steps = draw(st.integers(1, 6))
        rise, run = (draw(_magnitudes(max_count // steps)) for _ in "xy")
        positives, negatives = rise * steps, run * steps
        on_line = st.integers(0, steps).map(lambda step: (step * rise, step * run))
        offset = st.sampled_from([0, 0, 0, 1, -1])
        beside = st.tuples(on_line, offset, offset).map(
            lambda drawn: (
                min(max(drawn[0][0] + drawn[1], 0), positives),
                min(max(drawn[0][1] + drawn[2], 0), negatives),
            )
        )
        point = on_line | beside
    else:
        totals = st.integers(1, 6) if shape == "lattice" else _magnitudes(max_count)
        positives, negatives = draw(totals), draw(totals)
        point = st.tuples(_counts(positives), _counts(negatives))
    points = draw(st.lists(point, min_size=1, max_size=max_points))
    return [tp for tp, _ in points], [fp for _, fp in points], positives, negatives


def _scores(dtype: str) -> st.SearchStrategy[float]:
    if dtype in _WIDTHS:
        # Named first, since shrinking and small pools favour them.
        special = st.sampled_from([0.0, -0.0, 0.5, 1.0, float("inf"), float("-inf")])
        drawn = st.floats(width=_WIDTHS[dtype], allow_nan=False)
        # Tables refuse the highest float beside +inf.
        return special | drawn.filter(lambda score: score != float_info.max)
    limits = np.iinfo(dtype)
    return st.integers(max(int(limits.min), -3), 3) | st.integers(int(limits.min), int(limits.max))


def _magnitudes(most: int) -> st.SearchStrategy[int]:
    """Integers from 1 to most, uniform in the number of bits."""
    return st.integers(0, most.bit_length() - 1).flatmap(
        lambda bits: st.integers(2**bits, min(2 ** (bits + 1) - 1, most))
    )


def _counts(total: int) -> st.SearchStrategy[int]:
    """Integers from 0 to total, of every magnitude and with the ends favoured."""
    return st.sampled_from([0, total]) | _magnitudes(total) | st.integers(0, total)
