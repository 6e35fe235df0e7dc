"""What is drawn stays within half a pixel of the curve, and stays small."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from isometrics import OperatingPoints
from isometrics._counting.hull import vertices
from isometrics.spaces import SPACES
from isometrics.spaces.drawing import (
    MOST_VERTICES,
    SHORT,
    rows_to_draw,
    rows_to_explore,
    trace,
)
from isometrics.testing.strategies import count_tables

ROUNDING = 1e-9


def most_rows(width=800):
    return 4 * (2 * width + 2) + MOST_VERTICES


def distances(points, line):
    """Distance of each point, a row, from a polyline of rows."""
    start, step = line[:-1], np.diff(line, axis=0)
    length = np.maximum((step**2).sum(axis=1), 1e-300)
    nearest = np.empty(len(points))
    for block in np.array_split(np.arange(len(points)), 1 + len(points) * len(line) // 10**6):
        away = points[block, None] - start
        along = np.clip((away * step).sum(axis=2) / length, 0, 1)
        nearest[block] = np.sqrt(((away - along[..., None] * step) ** 2).sum(axis=2).min(axis=1))
    return nearest


def curve(points, space, low, parts=8):
    """Points of the whole curve in sight, as rows: each segment cut in counts."""
    rows = np.linspace(0, len(points) - 1, (len(points) - 1) * parts + 1)
    here = OperatingPoints.from_counts(
        np.interp(rows, np.arange(len(points)), points.tp),
        np.interp(rows, np.arange(len(points)), points.fp),
        positives=points.positives,
        negatives=points.negatives,
    )
    x, y = getattr(here, space).x, getattr(here, space).y
    seen = np.isfinite(y) & (x >= low)
    return np.column_stack([x[seen], y[seen]])


def between(line, parts=4):
    """Points of a polyline, as rows: its corners and some between them."""
    share = np.linspace(0, 1, parts + 1)[1:, None, None]
    return np.vstack([line[:1], (line[:-1] + share * np.diff(line, axis=0)).reshape(-1, 2)])


def sample(rows, prevalence, shift, ties, seed):
    rng = np.random.default_rng(seed)
    labels = rng.random(rows) < prevalence
    labels[:2] = [True, False]
    scores = rng.normal(shift * labels)
    return OperatingPoints.from_scores(labels, np.round(scores, 2) if ties else scores)


samples = st.builds(
    sample,
    st.integers(500, 3000),
    st.sampled_from([0.02, 0.3, 0.9]),
    st.sampled_from([-1.0, 0.0, 1.0, 3.0]),
    st.booleans(),
    st.integers(0, 1000),
)


@pytest.mark.slow
@settings(max_examples=15)
@given(samples, st.sampled_from(list(SPACES)), st.sampled_from([20, 50]))
def test_a_thinned_curve_is_within_half_a_pixel(points, space, width):
    x, y = trace(points.table, space, width=width, height=width)
    # Of PRG space what lies far below the axes is not compared.
    exact = curve(points, space, low=0.0)
    exact = exact[exact[:, 1] > -5]
    drawn = np.column_stack([x, y])
    assert distances(exact, drawn).max() <= 0.5 / width + ROUNDING
    seen = between(drawn)
    seen = seen[(seen[:, 0] >= 0) & (seen[:, 1] > -4)]
    whole = curve(points, space, low=-np.inf, parts=32)
    assert distances(seen, whole[np.isfinite(whole).all(axis=1)]).max() <= 0.55 / width


@given(samples, st.sampled_from(list(SPACES)))
def test_ends_and_vertices_stay_and_the_size_is_bounded(points, space):
    rows = rows_to_draw(points.table, space, width=20)
    assert (np.diff(rows) > 0).all()
    assert rows[0] == 0
    assert rows[-1] == len(points) - 1
    assert np.isin(vertices(points.fp, points.tp), rows).all()
    corners = len(points.hull())
    assert len(rows) <= 4 * 42 + corners <= most_rows(20)


def test_a_straight_line_has_two_rows_in_each_half_pixel():
    limit = most_rows() - MOST_VERTICES
    for rows in (limit, limit + 1):
        counts = np.arange(rows)
        points = OperatingPoints.from_counts(counts, counts, positives=rows - 1, negatives=rows - 1)
        drawn = rows_to_draw(points.table, "roc")
        # The columns are those of x from 0 to 1, and the last row, with x = 1, has its own.
        assert len(drawn) == (rows if rows == limit else 2 * 2 * 800 + 1)


@given(count_tables(max_points=12), st.sampled_from(list(SPACES)))
def test_short_tables_keep_every_row(counts, space):
    tp, fp, positives, negatives = counts
    points = OperatingPoints.from_counts(tp, fp, positives=positives, negatives=negatives)
    assert rows_to_draw(points.table, space).tolist() == list(range(len(points)))
    x, y = trace(points.table, space)
    assert np.isfinite(x).all()
    assert np.isfinite(y).all()
    here = getattr(points, space)
    for row in np.flatnonzero(np.isfinite(here.x) & np.isfinite(here.y)):
        assert ((x == here.x[row]) & (y == here.y[row])).any()


@given(count_tables(max_points=6, max_count=10**4))
@example(([9], [0], 433, 9000))
def test_a_pr_curve_is_bent_to_within_half_a_pixel(counts):
    tp, fp, positives, negatives = counts
    points = OperatingPoints.from_counts(tp, fp, positives=positives, negatives=negatives)
    x, y = trace(points.table, "pr", width=100, height=300)
    pixels = np.array([100, 300])
    drawn = np.column_stack([x, y]) * pixels
    recall = np.linspace(0, 1, 501)[1:]
    exact = np.column_stack([recall, points.pr.interpolate(recall)]) * pixels
    assert distances(exact, drawn).max() <= 0.5 + ROUNDING


def test_a_hull_with_very_many_vertices_is_thinned_too():
    fpr = np.linspace(0, 1, 20_001)
    points = OperatingPoints.from_roc(fpr, 1 - (1 - fpr) ** 2, positives=1.5, negatives=2.5)
    assert len(points.hull()) > MOST_VERTICES
    # To explore a table every vertex is kept.
    assert len(rows_to_explore(points.table)) >= len(points.hull())
    for space in SPACES:
        rows = rows_to_draw(points.table, space)
        assert len(rows) <= most_rows() - MOST_VERTICES
        assert {0, len(points) - 1} <= set(rows.tolist())


def test_a_large_table():
    points = sample(300_000, 0.2, 1.5, False, 1)
    for space in SPACES:
        x, y = trace(points.table, space)
        assert x.size == y.size <= most_rows()
    rows = rows_to_explore(points.table)
    assert len(rows) < SHORT
    assert np.isin(vertices(points.fp, points.tp), rows).all()


def test_a_prg_curve_comes_in_at_the_border():
    tied = OperatingPoints.from_scores([1, 0, 1, 0], [1, 1, 1, 1])
    assert [axis.tolist() for axis in trace(tied.table, "prg")] == [[0, 1], [0, 0]]
    x, y = trace(tied.table, "prg", low=-0.5)
    assert x.tolist() == [-0.5, 1]
    late = OperatingPoints.from_scores([0, 1, 1, 0], [4, 3, 2, 1])
    x, y = trace(late.table, "prg")
    assert (x[0], y[0]) == (0, late.prg.y0)


def test_a_pr_curve_starts_at_recall_0():
    first = OperatingPoints.from_counts([2], [1], positives=4, negatives=4)
    x, y = trace(first.table, "pr")
    assert (x[0], y[0], x[1], y[1]) == (0, 2 / 3, 0.5, 2 / 3)
    late = OperatingPoints.from_counts([0, 2], [1, 1], positives=4, negatives=4)
    x, y = trace(late.table, "pr")
    assert (x[0], y[0]) == (0, 0)
    assert x[1] > 0


longer = st.builds(
    sample,
    st.integers(SHORT + 200, SHORT + 600),
    st.sampled_from([0.02, 0.3, 0.9]),
    st.sampled_from([-1.0, 0.0, 1.0, 3.0]),
    st.just(False),
    st.integers(0, 1000),
)


@settings(max_examples=5)
@given(longer, st.sampled_from([20, 60]))
def test_rows_to_explore_draw_all_spaces_within_half_a_pixel(points, width):
    rows = rows_to_explore(points.table, width=width)
    assert (np.diff(rows) > 0).all()
    assert np.isin(vertices(points.fp, points.tp), rows).all()
    assert {0, len(points) - 1} <= set(rows.tolist())
    kept = OperatingPoints(points.table.take(rows, points.table.kind))
    for space in SPACES:
        exact = curve(points, space, low=0.0, parts=1)
        exact = exact[exact[:, 1] >= 0][::3]
        drawn = curve(kept, space, low=-np.inf, parts=8)
        drawn = drawn[np.isfinite(drawn).all(axis=1)]
        # In PR space the way between two points is cut into eight chords here; a ranking from
        # worst to best has no gain to show.
        assert distances(exact, drawn).max(initial=0) <= 0.51 / width


# After 800 positives, each pair of a negative and a positive returns to the last edge of the hull.
pairs = OperatingPoints.from_scores([1] * 800 + [0, 1] * 1000, range(2800, 0, -1))


@settings(max_examples=10)
@given(longer)
@example(pairs)
def test_the_strictest_rows_of_highest_precision_are_explored(points):
    """Of the positives the first such row; of the negatives the last, which predicts the fewest."""
    rows = rows_to_explore(points.table, width=20)
    counts = list(zip(points.tp.tolist(), points.fp.tolist(), strict=True))
    missed = [(points.positives - tp, points.negatives - fp) for tp, fp in counts]
    first = max(
        range(1, len(counts)), key=lambda row: (Fraction(counts[row][0], sum(counts[row])), -row)
    )
    last = max(
        range(len(counts) - 1), key=lambda row: (Fraction(missed[row][1], sum(missed[row])), row)
    )
    assert {first, last} <= set(rows.tolist())


@settings(max_examples=20)
@given(samples | longer)
def test_there_is_a_row_to_explore_every_two_pixels(points):
    rows = rows_to_explore(points.table, width=100)
    if len(points) <= SHORT:
        assert rows.tolist() == list(range(len(points)))
        return
    rates = points.recall + points.false_positive_rate
    steps = np.diff(rates).max()
    assert np.diff(rates[rows]).max() <= 2 / 100 + steps


def test_rows_that_repeat_have_no_distance():
    tp = np.repeat([0, 5, 5, 9], 1000)
    fp = np.repeat([0, 2, 7, 9], 1000)
    points = OperatingPoints.from_counts(tp, fp, positives=9, negatives=9)
    rows = rows_to_explore(points.table)
    assert {(0, 0), (5, 2), (9, 9)} <= set(
        zip(points.tp[rows].tolist(), points.fp[rows].tolist(), strict=True)
    )
