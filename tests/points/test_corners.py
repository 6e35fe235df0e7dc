"""Tables of corners: what they answer is what the full table answers, and the rest is refused."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import isometrics as iso
from isometrics.errors import NotAnswerableError, ParameterError
from isometrics.measures import area_brackets

from ..tables import areas_of, samples


def both(sample, **options):
    labels, scores, weights = sample
    return (
        iso.OperatingPoints.from_scores(labels, scores, sample_weight=weights, rows=rows, **options)
        for rows in ("all", "corners")
    )


def measures(points):
    found = [*areas_of(points).values(), *points.pr.areas(0.2, 0.7).values()]
    found += [points.roc.area(0.1, 0.6), points.prg.area(-1.0, 0.6), points.prg.y0]
    for index in ("f-measure", "jaccard", "kulczynski", "folke", "f-gain", "cost"):
        found.append(points.tradeoff(index).area())
    for space in (points.roc, points.pr, points.prg):
        found += space.interpolate(np.linspace(0, 1, 9)).tolist()
    return found


@given(samples)
def test_curve_hull_and_areas_are_those_of_the_full_table(sample):
    full, corners = both(sample)
    np.testing.assert_allclose(measures(corners), measures(full), rtol=1e-11, atol=1e-13)
    assert corners.hull().table == full.hull().table


@given(samples)
def test_rows_are_those_of_the_full_table_where_true_positives_rise(sample):
    full, corners = both(sample)
    table = corners.table
    assert table.partial
    assert table.has_whole_curve
    rises = np.flatnonzero(np.diff(full.tp)) + 1
    rows = np.unique(np.concatenate([[0], rises - 1, rises, [len(full) - 1]]))
    for name in ("thresholds", "tp", "fp"):
        np.testing.assert_array_equal(getattr(corners, name), getattr(full, name)[rows])
    missing = np.diff(rows) > 1
    assert (table.gaps.between | ~missing).all()


@given(
    samples.filter(lambda sample: sample[2] is None),
    st.integers(0, 3),
    st.integers(0, 3),
    st.booleans(),
)
def test_items_never_scored(sample, positives, negatives, lowest):
    labels, scores, _ = sample
    scores = scores.astype(np.float64)
    if lowest:
        scores[scores == scores.min()] = -np.inf
    totals = {
        "positives": int(labels.sum()) + positives,
        "negatives": int((~labels).sum()) + negatives,
    }
    full, corners = both((labels, scores, None), **totals)
    np.testing.assert_allclose(measures(corners), measures(full), rtol=1e-11, atol=1e-13)
    assert corners.hull().table == full.hull().table


def test_brackets_of_corners_meet():
    points = iso.OperatingPoints.from_scores(
        [1, 0, 0, 0, 1, 0, 0], [9, 8, 7, 6, 5, 4, 3], rows="corners"
    )
    for bracket in area_brackets(points).values():
        assert bracket.width < 1e-13


def test_an_index_of_ones_own_is_answered():
    sample = ([1, 0, 0, 0, 1, 0, 0], [9, 8, 7, 6, 5, 4, 3], None)
    index = iso.Index("own", lambda precision, recall, lam: (1 - lam) * precision + lam * recall**2)
    full, corners = both(sample)
    assert corners.tradeoff(index).area() == pytest.approx(full.tradeoff(index).area(), rel=1e-12)


def test_what_depends_on_the_rows_left_out_is_refused():
    points = iso.OperatingPoints.from_scores(
        [1, 0, 0, 0, 1, 0, 0], [9, 8, 7, 6, 5, 4, 3], rows="corners"
    )
    assert points.thresholds.tolist() == [np.inf, 9, 6, 5, 3]
    assert points.at([6, 5]).fp.tolist() == [3, 3]
    with pytest.raises(NotAnswerableError, match="cannot tell the counts at threshold 7"):
        points.at(7)
    with pytest.raises(NotAnswerableError, match="cannot be merged"):
        points + points
    with pytest.raises(ParameterError, match="rows must be one of 'all', 'corners'"):
        iso.OperatingPoints.from_scores([1, 0], [1, 0], rows="some")
