"""A decision: what it says, which scores it flags, and the fingerprint of its data."""

import hashlib
import math
import re
import struct
import sys
from dataclasses import fields, replace
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import isometrics as iso
from isometrics._core.arrays import plain
from isometrics.decisions.decision import fingerprint_of
from isometrics.errors import DimensionError, MissingValueError, NotAnswerableError, ScoreError
from isometrics.testing.strategies import binary_samples

LABELS = [1, 0, 1, 1, 0, 0, 1, 0]
SCORES = [0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2]
SMALL = iso.OperatingPoints.from_scores(LABELS, SCORES)


def test_sets_have_labels():
    sets = iso.OperatingPoints.from_counts(
        [1, 3, 2], [0, 1, 3], positives=4, negatives=4, labels=["a", "b<i>", "c"]
    )
    decision = iso.best_threshold(sets)
    assert decision.label == "b<i>"
    assert math.isnan(float(decision))
    assert repr(decision).startswith("Decision: row 'b<i>', best for F (β 1): 0.75\n")
    assert "b&lt;i&gt;" in decision._repr_html_()
    assert iso.best_threshold(sets, min_recall=1).label == "(everything)"
    sets = iso.OperatingPoints.from_counts(
        [1, 3], [0, 1], positives=4, negatives=4, labels=["a", "b"]
    )
    with pytest.raises(NotAnswerableError, match="this decision has no threshold"):
        iso.best_threshold(sets).predict([0.5])


def test_a_decision_without_a_label():
    decision = iso.best_threshold(SMALL)
    named = {field.name: getattr(decision, field.name) for field in fields(decision)}
    del named["label"]
    assert iso.Decision(**named) == decision == iso.best_threshold(SMALL, beta=1)
    assert type(decision.tp) is int
    assert repr(iso.Decision(**named)).startswith("Decision: threshold 0.6, ")
    points = iso.OperatingPoints.from_scores([1, 0], [0.123456789, 0.0987654321])
    assert repr(iso.best_threshold(points)).startswith("Decision: threshold 0.123, ")
    moved = SMALL.at_prevalence(0.1)
    decision = iso.best_threshold(moved, beta=2)
    assert decision.prevalence == pytest.approx(0.1)
    share = (decision.tp + decision.fp) / (moved.positives + moved.negatives)
    assert decision.flagged_share == pytest.approx(share)


DTYPES = ["f2", "f4", "f8", "g", "i1", "u1", "i4", "i8", "u8", "?"]
thresholds = (
    st.floats(allow_nan=False)
    | st.floats(allow_nan=False, width=16)
    | st.floats(allow_nan=False, width=32)
    | st.integers(-(2**64), 2**64)
    | st.sampled_from(
        [0.5, 127.5, 2.0**63, -(2.0**63), 2**63 - 1, 2**53 + 1, 5e-324, -0.0, 65520.0]
    )
)


def deciding(threshold):
    return replace(iso.best_threshold(SMALL), threshold=threshold)


def exact(number):
    return number if number in (math.inf, -math.inf) else Fraction(*number.as_integer_ratio())


@st.composite
def scores_near(draw):
    threshold = draw(thresholds)
    dtype = np.dtype(draw(st.sampled_from(DTYPES)))
    if dtype.kind == "f":
        with np.errstate(over="ignore", under="ignore"):
            at = dtype.type(threshold)
            below, above = (np.nextafter(at, dtype.type(end)) for end in (-np.inf, np.inf))
        values = [at, below, above, dtype.type(np.inf), dtype.type(-np.inf), dtype.type(0)]
        return threshold, np.array(values, dtype)
    low, high = (0, 1) if dtype.kind == "b" else (np.iinfo(dtype).min, np.iinfo(dtype).max)
    near = 0 if math.isinf(threshold) else round(exact(threshold))
    values = [min(max(near + step, low), high) for step in (-1, 0, 1)]
    return threshold, np.array([*values, low, high, 0, 1], dtype)


@given(scores_near())
@example((1e300, np.array([1.0, math.inf], "f2")))
@example((1e-300, np.array([0.0, 1.0], "f4")))
@example((1e300, np.array([True, False])))
@example((0.1, np.array([0.1], "f4")))
@example((0.7, np.array([0.7], "f4")))
@example((2**53 + 1, np.array([2**53, 2**53 + 1, 2**53 + 2], "i8")))
def test_scores_are_compared_with_the_threshold_exactly(drawn):
    threshold, scores = drawn
    # Also where NumPy is told to raise an error for numbers that it rounds.
    with np.errstate(all="raise"):
        found = deciding(threshold).predict(scores)
    assert found.dtype == np.bool_
    bound = exact(threshold)
    # The threshold of infinity is that of flagging nothing.
    reached = [threshold < math.inf and exact(plain(score)) >= bound for score in scores]
    assert found.tolist() == reached


def test_predict_takes_what_tables_are_made_of():
    decision = deciding(0.6)
    expected = [True, False, True]
    scores = [0.6, 0.59, 0.9]
    for given_scores in (
        scores,
        tuple(scores),
        np.array(scores),
        np.array(scores)[::1][::-1][::-1],
        pd.Series(scores, index=[7, 8, 9]),
        pl.Series(scores),
        pa.chunked_array([scores]),
        [Decimal("0.6"), Decimal("0.59"), Decimal("0.9")],
        (score for score in scores),
    ):
        found = decision.predict(given_scores)
        assert (type(found), found.tolist()) == (np.ndarray, expected)
    assert decision.predict([]).tolist() == []
    assert decision.predict([True, False]).tolist() == [True, False]


@pytest.mark.slow
def test_predict_takes_tensors():
    torch = pytest.importorskip("torch")
    scores = torch.tensor([0.6, 0.1], dtype=torch.float64, requires_grad=True)
    assert deciding(0.6).predict(scores).tolist() == [True, False]


@pytest.mark.parametrize(
    ("scores", "error", "message"),
    [
        (
            [0.5, math.nan, None],
            MissingValueError,
            "scores has missing values (NaN or null): 2 in all, the first at position 1",
        ),
        (["a"], ScoreError, "scores has values that are not real numbers of 64 bits, such as 'a'"),
        (0.5, DimensionError, "scores is a float"),
        ([[0.1, 0.9]], DimensionError, "scores must be one-dimensional but has shape (1, 2)"),
    ],
)
def test_scores_that_cannot_be_compared(scores, error, message):
    with pytest.raises(error, match=re.escape(message)):
        deciding(0.6).predict(scores)


@given(binary_samples(), st.sampled_from([{}, {"cost": 0.3}, {"min_recall": 0.5}]))
def test_a_decision_flags_the_rows_that_it_counted(sample, objective):
    labels, scores = sample
    decision = iso.best_threshold(iso.OperatingPoints.from_scores(labels, scores), **objective)
    flagged = decision.predict(scores)
    positive = np.asarray(labels).astype(bool)
    assert (flagged & positive).sum() == decision.tp
    assert (flagged & ~positive).sum() == decision.fp
    assert decision.flagged_share == pytest.approx(flagged.mean())
    assert decision.prevalence == positive.mean()


def fingerprint(labels, scores, **options):
    return fingerprint_of(iso.OperatingPoints.from_scores(labels, scores, **options).table)


def slow_fingerprint(labels, scores):
    """The same from the rows, without a table."""
    distinct = sorted({exact(plain(score)) for score in scores}, reverse=True)
    parts = [distinct] + [
        [
            sum(bool(label) == kind and exact(plain(score)) >= bound for label, score in rows)
            for bound in distinct
        ]
        for kind in (True, False)
        for rows in [list(zip(labels, scores, strict=True))]
    ]
    hashed = hashlib.sha256()
    for part in parts:
        # A score of +inf counts as the highest float.
        finite = [min(float(number), sys.float_info.max) + 0.0 for number in part]
        hashed.update(b"".join(struct.pack("<d", number) for number in finite))
    rest = [0 if math.isinf(score) else score - exact(float(score)) for score in distinct]
    if any(rest):
        hashed.update(b"".join(struct.pack("<d", float(number)) for number in rest))
    return hashed.hexdigest()


@given(binary_samples(), st.randoms())
def test_a_fingerprint_is_that_of_the_rows_in_any_order(sample, random):
    labels, scores = sample
    found = fingerprint(labels, scores)
    assert found == slow_fingerprint(labels, scores)
    order = list(range(len(labels)))
    random.shuffle(order)
    assert fingerprint([labels[row] for row in order], [scores[row] for row in order]) == found
    changed = list(labels)
    changed[0] = 1 - changed[0]
    if 0 < sum(changed) < len(changed):
        assert fingerprint(changed, scores) != found


def test_fingerprints_by_hand():
    labels = [1, 0, 1]
    scores = np.array([2**53 + 3, 2**53 + 1, 5])
    assert fingerprint(labels, scores) == slow_fingerprint(labels, scores)
    assert fingerprint(labels, scores) != fingerprint(labels, scores - [1, 1, 0])
    long_doubles = np.array([1.5, 0.5, np.inf], np.longdouble)
    assert fingerprint(labels, long_doubles) == fingerprint(labels, long_doubles.astype(float))
    labels, scores = [1, 0, 1, 0], [3, 2, 1, 0]
    for dtype in ("f2", "f4", "i1", "u8", "g"):
        assert fingerprint(labels, np.array(scores, dtype)) == fingerprint(labels, scores)
    assert fingerprint(labels, [3, 2, 1, -0.0]) == fingerprint(labels, scores)
    assert fingerprint(labels, scores, sample_weight=[1, 1, 1, 2]) != fingerprint(labels, scores)
    assert fingerprint_of(SMALL.hull().table) is None
    assert fingerprint(LABELS, SCORES, rows="corners") is None
