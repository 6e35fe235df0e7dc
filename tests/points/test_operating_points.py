"""OperatingPoints: constructors, value semantics, merging, thresholds, prevalence.

The columns of the spaces are checked in `tests/spaces` and `tests/laws`.
"""

from itertools import pairwise

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from isometrics import OperatingPoints
from isometrics._core.counts import HIGHEST_SCORE
from isometrics._table.table import Kind
from isometrics.errors import (
    LengthError,
    MissingValueError,
    NotAnswerableError,
    OneClassError,
    PointsError,
    ScoreError,
)
from isometrics.testing.strategies import binary_samples, count_tables, point_clouds

from ..tables import refusal

from_scores, from_counts = OperatingPoints.from_scores, OperatingPoints.from_counts

LABELS = [1, 0, 1, 0]
SCORES = [0.9, 0.8, 0.7, 0.1]
POINTS = from_scores(LABELS, SCORES)
TOTALS = {"positives": 2, "negatives": 2}

HULL = POINTS.hull()
CURVE = OperatingPoints.from_roc([0, 0.5, 1], [0.5, 0.5, 1], **TOTALS)
SELECTION = POINTS.at([0.75, 0.1])
SETS = from_counts([2, 1], [0, 1], **TOTALS, labels=["a", "b"])
PARTIAL = {"hull": HULL, "curve": CURVE, "selection": SELECTION, "sets": SETS}
EVERY = PARTIAL | {
    "scores": POINTS,
    "weighted": from_scores(LABELS, SCORES, sample_weight=[0.5, 1, 2, 3]),
    "big integers": from_scores([1, 0], [2**60 + 1, 2**60]),
    "unscored": from_scores(LABELS, SCORES, positives=5),
    "another prevalence": POINTS.at_prevalence(0.2),
    "merged": POINTS + POINTS,
}


def rows(points):
    return list(
        zip(points.thresholds.tolist(), points.tp.tolist(), points.fp.tolist(), strict=True)
    )


# from_scores ---------------------------------------------------------------------------------


def test_from_scores_by_hand():
    assert rows(POINTS) == [(np.inf, 0, 0), (0.9, 1, 0), (0.8, 1, 1), (0.7, 2, 1), (0.1, 2, 2)]
    assert (POINTS.positives, POINTS.negatives, POINTS.prevalence) == (2, 2, 0.5)
    assert POINTS.fn.tolist() == [2, 1, 1, 0, 0]
    assert POINTS.tn.tolist() == [2, 2, 1, 1, 0]
    assert POINTS.labels is None
    assert len(POINTS) == 5
    assert POINTS.tp.dtype == POINTS.fp.dtype == POINTS.fn.dtype == POINTS.tn.dtype == np.int64
    assert type(POINTS.positives) is type(POINTS.negatives) is int


@pytest.mark.parametrize(
    ("totals", "last"),
    [
        ({"positives": 5, "negatives": 9}, (5, 9)),
        ({"positives": 5}, (5, 2)),
        ({"negatives": np.int64(9)}, (2, 9)),
        ({"positives": 2.5}, (2.5, 2)),
    ],
)
def test_items_never_scored_lie_below_every_threshold(totals, last):
    points = from_scores(LABELS, SCORES, **totals)
    assert rows(points) == [*rows(POINTS), (-np.inf, *last)]
    assert (points.positives, points.negatives) == last
    assert points.at(-1e300).tp == 2


def test_items_never_scored_join_scores_of_minus_infinity():
    points = from_scores(LABELS, [1, 2, -np.inf, -np.inf], positives=5, negatives=9)
    assert rows(points) == [(np.inf, 0, 0), (2, 0, 1), (1, 1, 1), (-np.inf, 5, 9)]


@pytest.mark.parametrize("totals", [{}, {"positives": 2}, {"positives": 2.0, "negatives": 2}])
def test_totals_of_the_sample_add_no_row(totals):
    assert from_scores(LABELS, SCORES, **totals) == POINTS


def test_totals_may_supply_the_missing_class():
    assert rows(from_scores([0, 0], [2, 1], positives=3)) == [
        *((np.inf, 0, 0), (2, 0, 1), (1, 0, 2)),
        (-np.inf, 3, 2),
    ]


def test_totals_refused():
    for totals, message in (
        ({"positives": 1}, "positives is 1 but y_true alone has 2"),
        ({"negatives": 1.5}, "negatives is 1.5 but y_true alone has 2"),
        ({"positives": "5"}, "positives must be"),
    ):
        refusal(PointsError, message, from_scores, LABELS, SCORES, **totals)


def test_weighted_totals_may_differ_by_rounding():
    """0.1 + 0.2 + 0.3 is 0.6 or 0.6000000000000001, depending on the order."""
    weights = [0.1, 0.2, 0.3, 0.4]
    points = from_scores([1, 1, 1, 0], SCORES, sample_weight=weights, positives=0.6)
    assert points.thresholds[-1] == 0.1
    assert points.positives == points.tp[-1] == pytest.approx(0.6)


# from_counts ---------------------------------------------------------------------------------


@given(binary_samples())
def test_counts_of_a_table_give_the_table(sample):
    points = from_scores(*sample)
    totals = {"positives": points.positives, "negatives": points.negatives}
    assert from_counts(points.tp, points.fp, thresholds=points.thresholds, **totals) == points
    inner = slice(1, None)
    again = from_counts(
        points.tp[inner], points.fp[inner], thresholds=points.thresholds[inner], **totals
    )
    assert again == points


@given(count_tables(), st.randoms())
def test_nested_counts_are_a_curve_in_any_order(table, random):
    tp, fp, positives, negatives = table
    points = from_counts(tp, fp, positives=positives, negatives=negatives)
    assert points.table.kind is Kind.CURVE
    assert (points.tp[0], points.fp[0]) == (0, 0)
    assert (points.tp[-1], points.fp[-1]) == (positives, negatives)
    assert (np.diff(points.tp) >= 0).all()
    assert (np.diff(points.fp) >= 0).all()
    assert {*zip(points.tp, points.fp, strict=True)} == {
        *zip(tp, fp, strict=True),
        *((0, 0), (positives, negatives)),
    }
    assert np.isnan(points.thresholds[1:-1]).all()
    assert (points.thresholds[0], points.thresholds[-1]) == (np.inf, -np.inf)
    order = random.sample(range(len(tp)), len(tp))
    shuffled = ([column[row] for row in order] for column in (tp, fp))
    assert from_counts(*shuffled, positives=positives, negatives=negatives) == points


@given(point_clouds())
def test_points_that_are_not_nested_are_sets(cloud):
    tp, fp, positives, negatives = cloud
    pairs = sorted(zip(tp, fp, strict=True))
    nested = all(one[1] <= other[1] for one, other in pairwise(pairs))
    points = from_counts(tp, fp, positives=positives, negatives=negatives)
    assert (points.table.kind is Kind.CURVE) is nested
    if not nested:
        assert points.labels == tuple(range(len(tp)))
        assert points.tp.tolist() == tp
        assert points.fp.tolist() == fp


def test_labels_make_sets():
    """Rows, order and duplicates stay; nothing is completed."""
    points = from_counts([1, 2, 1], [0, 1, 0], **TOTALS, labels=["x", ("a", 1), 0.5])
    assert points.table.kind is Kind.SETS
    assert points.labels == ("x", ("a", 1), 0.5)
    assert points.tp.tolist() == [1, 2, 1]
    assert np.isnan(points.thresholds).all()
    for column in (np.array(["a", "b"]), pa.array(["a", "b"])):
        assert from_counts([1, 2], [0, 1], **TOTALS, labels=column).labels == ("a", "b")


def test_thresholds_are_completed():
    points = from_counts([1, 2], [0, 1], **TOTALS, thresholds=[0.5, 0.2])
    assert points.table.kind is Kind.SCORES
    assert rows(points) == [(np.inf, 0, 0), (0.5, 1, 0), (0.2, 2, 1), (-np.inf, 2, 2)]
    assert rows(from_counts([], [], **TOTALS, thresholds=[])) == [(np.inf, 0, 0), (-np.inf, 2, 2)]


@pytest.mark.parametrize(
    ("thresholds", "tp", "fp", "expected"),
    [
        ([np.inf, 0.5], [0, 2], [0, 2], [(np.inf, 0, 0), (0.5, 2, 2)]),
        ([np.inf, 0.5], [1, 2], [0, 2], [(np.inf, 0, 0), (HIGHEST_SCORE, 1, 0), (0.5, 2, 2)]),
        ([1, -np.inf], [1, 1], [1, 1], [(np.inf, 0, 0), (1, 1, 1), (-np.inf, 2, 2)]),
    ],
)
def test_infinite_thresholds(thresholds, tp, fp, expected):
    assert rows(from_counts(tp, fp, **TOTALS, thresholds=thresholds)) == expected


def refused_counts():
    one, two = [1, 2], [0, 1]
    falls = "thresholds must be strictly decreasing but is not at position 1"
    for thresholds in ([1, 1], [1, 2], [np.inf, np.inf]):
        yield one, two, {"thresholds": thresholds}, PointsError, falls
    message = "tp must be never falling but is not at position 1"
    yield [2, 1], two, {"thresholds": [2, 1]}, PointsError, message
    message = "fp must be never falling but is not at position 2"
    yield [1, 2, 2], [0, 2, 1], {"thresholds": [3, 2, 1]}, PointsError, message
    message = "thresholds has 1 values but tp has 2"
    yield one, two, {"thresholds": [1]}, LengthError, message
    message = "thresholds has missing values (NaN or null): 1 in all, the first at position 1"
    yield one, two, {"thresholds": [1, np.nan]}, MissingValueError, message
    message = "pass either thresholds= or labels=, not both"
    yield one, two, {"thresholds": [2, 1], "labels": "ab"}, PointsError, message
    yield one, two, {"labels": ["a"]}, LengthError, "labels has 1 values but tp has 2"
    yield one, [0], {}, LengthError, "fp has 1 values but tp has 2"
    message = "tp must lie between 0 and positives (2) but is {} at position 1"
    yield [1, 3, 4], [0, 1, 1], {}, PointsError, message.format(3)
    yield [1, 2.5], two, {}, PointsError, message.format(2.5)
    message = "fp must lie between 0 and negatives (2) but is -1 at position 1"
    yield one, [0, -1], {}, PointsError, message
    message = "tp has infinite values: 1 in all, the first at position 1"
    yield [1, np.inf], two, {}, PointsError, message
    message = "tp has missing values (NaN or null): 1 in all, the first at position 0"
    yield [np.nan, 1], two, {}, MissingValueError, message
    # The wrap-around of uint64 must not be shown, let alone believed.
    message = "tp has values beyond 2**53: 1 in all, the first at position 0"
    yield np.array([2**63 + 5], np.uint64), [0], {}, PointsError, message
    message = "tp has values that are not real numbers of 64 bits, such as 'x': 1 in all"
    yield ["x"], [0], {}, PointsError, message


@pytest.mark.parametrize(("tp", "fp", "options", "error", "message"), [*refused_counts()])
def test_counts_refused(tp, fp, options, error, message):
    refusal(error, message, from_counts, tp, fp, **TOTALS, **options)


def test_counts_need_totals():
    with pytest.raises(TypeError, match="'positives' and 'negatives'"):
        from_counts([1], [0])
    message = "the table has only positives; both classes are needed"
    refusal(OneClassError, message, from_counts, [1], [0], positives=2, negatives=0)


def test_fractional_counts_stay():
    points = from_counts([0.5], [1], positives=2, negatives=2)
    assert points.tp.tolist() == [0, 0.5, 2]
    assert points.tp.dtype == np.float64
    assert points.fp.dtype == np.int64


@pytest.mark.parametrize("dtype", [np.int64, np.float64, np.longdouble])
def test_arguments_stay_the_users(dtype):
    tp, fp = np.array([0, 1]).astype(np.int64), np.array([0.0, 1.0])
    thresholds = np.array([3, 2], dtype)
    kept = from_counts(tp, fp, **TOTALS, labels=["a", "b"])
    scored = from_counts(tp, fp, **TOTALS, thresholds=thresholds)
    selected = POINTS.at(thresholds)
    for array in (tp, fp, thresholds):
        assert array.flags.writeable
        array[:] = 0
    assert kept.tp.tolist() == [0, 1]
    assert scored.thresholds.tolist() == [np.inf, 3, 2, -np.inf]
    assert selected.thresholds.tolist() == [3, 2]


# Values --------------------------------------------------------------------------------------


def test_equality():
    tables = list(EVERY.values())
    for one, points in enumerate(tables):
        assert [points == other for other in tables] == [one == two for two in range(len(tables))]
        assert points != 5
    assert from_scores(LABELS, [4, 3, 2, 1]) != from_scores(LABELS, [5, 3, 2, 1])
    assert from_scores(LABELS, np.array([4, 3, 2, 1], np.int8)) == from_scores(
        LABELS, [4.0, 3.0, 2.0, 1.0]
    )


# Merging -------------------------------------------------------------------------------------


def pooled(samples):
    return [np.concatenate(columns) for columns in zip(*samples, strict=True)]


mixed = binary_samples(dtypes=["float16", "float32", "float64", "int8", "int32"])


@given(binary_samples(dtypes=["int64", "uint64"]), binary_samples(dtypes=["int64"]))
def test_merging_big_integers(one, other):
    labels, scores = (a.tolist() + b.tolist() for a, b in zip(one, other, strict=True))
    tables = [from_scores(*one), from_scores(*other)]
    merged = sum(tables)
    assert merged == sum(tables[::-1])
    distinct = sorted(set(scores), reverse=True)
    assert [int(t) for t in merged.thresholds[1:]] == distinct
    for row, threshold in enumerate(distinct, start=1):
        above = [label for label, score in zip(labels, scores, strict=True) if score >= threshold]
        assert (merged.tp[row], merged.fp[row]) == (sum(above), len(above) - sum(above))


@given(mixed, mixed, st.integers(0, 9), st.integers(0, 9))
def test_merging_tables_with_items_never_scored(one, other, positives, negatives):
    """Items never scored are items of score -inf."""
    labels, scores = one
    totals = {
        "positives": int(labels.sum()) + positives,
        "negatives": int((~labels).sum()) + negatives,
    }
    unscored = (
        np.arange(positives + negatives) < positives,
        np.full(positives + negatives, -np.inf),
    )
    merged = from_scores(labels, scores, **totals) + from_scores(*other)
    assert merged == from_scores(*pooled([one, unscored, other]))


@pytest.mark.parametrize("points", PARTIAL.values(), ids=PARTIAL.keys())
def test_only_full_tables_merge(points):
    message = f"{points.table.kind} cannot be merged: "
    refusal(NotAnswerableError, message, lambda: points + POINTS)
    refusal(NotAnswerableError, message, lambda: POINTS + points)


def test_only_tables_merge():
    for other in (1, None, [0], 0.5):
        with pytest.raises(TypeError, match="OperatingPoints"):
            POINTS + other
        with pytest.raises(TypeError, match="OperatingPoints"):
            other + POINTS


# Thresholds ----------------------------------------------------------------------------------


@given(binary_samples(dtypes=["float32", "float64", "int8"]), st.data())
def test_at_counts_scores_at_or_above(sample, data):
    labels, scores = sample
    known = st.sampled_from(scores.tolist())
    numbers = known | st.floats(allow_nan=False) | st.sampled_from([np.inf, -np.inf, 0.0, -0.0])
    thresholds = data.draw(st.lists(numbers, max_size=8))
    selected = from_scores(labels, scores).at(thresholds)
    np.testing.assert_array_equal(selected.thresholds, thresholds)
    wanted = np.array(thresholds, float)[:, None]
    above = (scores.astype(float) >= wanted) & (wanted < np.inf)
    np.testing.assert_array_equal(selected.tp, (above & labels).sum(axis=1))
    np.testing.assert_array_equal(selected.fp, (above & ~labels).sum(axis=1))
    assert (selected.positives, selected.negatives) == (labels.sum(), (~labels).sum())


@pytest.mark.parametrize("threshold", [0.75, np.float32(0.75), np.array(0.75)])
def test_at_one_threshold(threshold):
    assert rows(POINTS.at(threshold)) == [(0.75, 1, 1)]


def test_at_of_float32_scores_takes_float32_thresholds():
    scores = np.array(SCORES, np.float32)
    selected = from_scores(LABELS, scores).at(scores)
    assert selected.tp.tolist() == [1, 1, 2, 2]


def test_at_big_integers():
    points = from_scores([1, 0], [2**60 + 1, 2**60])
    assert points.at([2**60 + 1, 2**60, 2**60 + 2]).tp.tolist() == [1, 1, 0]
    assert points.at([2**60 + 1, 2**60, 2**60 + 2]).fp.tolist() == [0, 1, 0]
    assert points.hull().at([2**60]).fp.tolist() == [1]


def test_thresholds_refused():
    missing = "thresholds has missing values (NaN or null): {} in all, the first at position {}"
    for points in (POINTS, HULL):
        refusal(MissingValueError, missing.format(1, 0), points.at, np.nan)
        refusal(MissingValueError, missing.format(2, 1), points.at, [0.5, None, np.nan])
        for wrong in (["a"], 1j):
            refusal(PointsError, "thresholds ", points.at, wrong)


def test_a_hull_answers_for_its_own_thresholds():
    listed = HULL.thresholds[[2, 0, 2]]
    assert rows(HULL.at(listed)) == [(0.7, 2, 1), (np.inf, 0, 0), (0.7, 2, 1)]
    message = "a hull cannot tell the counts at threshold 0.8"
    refusal(NotAnswerableError, message, HULL.at, [0.7, 0.8, 0.3])
    assert rows(from_scores([1, 0], [0.0, -1.0]).hull().at(-0.0)) == [(0, 1, 0)]


def test_other_tables_answer_for_what_they_list():
    assert rows(SELECTION.at([0.1, 0.75])) == [(0.1, 2, 2), (0.75, 1, 1)]
    assert rows(CURVE.at([-np.inf, np.inf])) == [(-np.inf, 2, 2), (np.inf, 0, 0)]
    for points in (SELECTION, CURVE, SETS):
        message = f"{points.table.kind} cannot tell the counts at threshold 0.5"
        refusal(NotAnswerableError, message, points.at, 0.5)


def test_a_score_of_infinity_is_below_the_threshold_of_the_empty_rule():
    points = from_scores([1, 0], [np.inf, 1])
    assert rows(points) == [(np.inf, 0, 0), (HIGHEST_SCORE, 1, 0), (1, 1, 1)]
    for each in (points, points.hull(), points + points, points.compact(3)):
        assert rows(each.at(np.inf)) == [(np.inf, 0, 0)]
        assert each.at(HIGHEST_SCORE).tp[0] == each.positives


def test_a_score_of_infinity_beside_the_highest_float_is_refused():
    """No threshold lies between them."""
    message = (
        "scores of +inf and of 1.7976931348623157e+308, the highest float64, or more cannot be "
        "told apart; give ranks instead of scores, or clip them"
    )
    refusal(ScoreError, message, from_scores, [1, 0], [np.inf, HIGHEST_SCORE])
    assert rows(from_scores([1, 0], [HIGHEST_SCORE, 1]))[1] == (HIGHEST_SCORE, 1, 0)


def test_tables_without_rows():
    for points in (from_counts([], [], **TOTALS, labels=[]), POINTS.at([])):
        assert len(points) == 0
        assert points.precision.size == points.recall_gain.size == 0
        assert len(points.to_frame()) == 0
        assert rows(points.at([])) == []
        refusal(NotAnswerableError, f"{points.table.kind} cannot tell", points.at, 0.5)


# Prevalence ----------------------------------------------------------------------------------


@given(count_tables(), st.floats(1e-6, 1 - 1e-6))
def test_another_prevalence_keeps_the_rates(table, prevalence):
    tp, fp, positives, negatives = table
    points = from_counts(tp, fp, positives=positives, negatives=negatives)
    other = points.at_prevalence(prevalence)
    assert other.prevalence == pytest.approx(prevalence, rel=1e-12)
    np.testing.assert_array_equal(other.recall, points.recall)
    np.testing.assert_allclose(other.false_positive_rate, points.false_positive_rate, rtol=1e-12)
    assert (other.tp[-1], other.fp[-1]) == (other.positives, other.negatives)
    assert other.table.kind is points.table.kind
    np.testing.assert_array_equal(other.thresholds, points.thresholds)


def test_spaces_share_the_table():
    for space in (POINTS.roc, POINTS.pr, POINTS.prg):
        assert space.table is POINTS.table
