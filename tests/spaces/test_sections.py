"""A curve seen in sections has the areas of the whole curve, however it is cut."""

import math
import warnings
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

import isometrics as iso
from isometrics._table.path import Path, path_of
from isometrics._table.table import Stored
from isometrics.errors import UndefinedWarning
from isometrics.points.compact import SectionSums
from isometrics.spaces.pr import widest_gap
from isometrics.testing.strategies import binary_samples, count_tables

samples = (
    binary_samples().map(lambda sample: (*sample, None))
    | binary_samples(weights="integer")
    | binary_samples(weights="float")
)


def measures(points):
    """Compute every measure from the whole table."""
    prg = points.prg
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UndefinedWarning)
        # From 1 - gain the losses would lose the digits that the odds shift out.
        misses, false_alarms = prg._expected_losses()
    return points.pr.areas() | {
        Stored.ROC: points.roc.area(),
        Stored.ABOVE: (1 - points.pr.normalised_area()) * widest_gap(points.table.totals),
        Stored.PRG: prg.area(),
        Stored.Y0: prg.y0,
        Stored.MISSES: misses,
        Stored.FALSE_ALARMS: false_alarms,
    }


def known(points, cuts):
    """Add the sections between cuts, the last one first, as readers do."""
    tp, fp = path_of(points.table)
    rows = sorted({0, tp.size - 1, *(cut % tp.size for cut in cuts)})
    sums = SectionSums(points.table)
    for start, end in reversed(list(pairwise(rows))):
        sums.add(Path(tp[start : end + 1], fp[start : end + 1]))
    return sums.known()


def assert_close(found, expected):
    assert found.keys() == expected.keys() == set(Stored)
    for name, value in expected.items():
        if math.isnan(value):
            assert math.isnan(found[name])
        else:
            assert abs(found[name] - value) <= 1e-12 * max(1, abs(value)), name


@given(samples, st.lists(st.integers(0, 100), max_size=8))
def test_sections_of_a_sample(sample, cuts):
    y_true, y_score, weights = sample
    points = iso.OperatingPoints.from_scores(y_true, y_score, sample_weight=weights)
    assert_close(known(points, cuts), measures(points))


@given(count_tables(max_count=10**6), st.lists(st.integers(0, 100), max_size=8))
def test_sections_of_counts(table, cuts):
    tp, fp, positives, negatives = table
    points = iso.OperatingPoints.from_counts(tp, fp, positives=positives, negatives=negatives)
    assert_close(known(points, cuts), measures(points))


@given(st.lists(st.integers(0, 100), max_size=5))
def test_nothing_to_average_over_is_nan(cuts):
    """All negatives rank above every positive."""
    points = iso.OperatingPoints.from_counts([0, 0, 1, 3], [1, 5, 5, 5], positives=3, negatives=5)
    found = known(points, cuts)
    assert math.isnan(found[Stored.MISSES])
    assert math.isnan(found[Stored.FALSE_ALARMS])
    with pytest.warns(UndefinedWarning, match="undefined"):
        assert math.isnan(points.prg.expected_f_gain())


def test_a_cut_at_the_baseline_itself():
    """At 4 of 8 the recall is π = ½, which both sections have as an end."""
    points = iso.OperatingPoints.from_counts([4, 4, 8], [1, 3, 5], positives=8, negatives=8)
    rows = path_of(points.table).x.tolist()
    assert rows == [0, 4, 4, 8, 8]
    for cuts in ([1], [2], [1, 2], [1, 2, 3]):
        assert_close(known(points, cuts), measures(points))
