"""Many short tables at once have the numbers of each by itself."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import isometrics as iso
from isometrics.measures import Shown, baselines_of, measures_of, measures_together, registered
from isometrics.spaces.short_tables import ShortTables, fit_together, is_short
from isometrics.testing import binary_samples

SAMPLES = st.lists(
    binary_samples(weights="integer") | binary_samples(dtypes=["float64", "int64"]), min_size=1
)


def points_of(labels, scores, weights=None):
    return iso.OperatingPoints.from_scores(labels, scores, sample_weight=weights)


def together(points):
    return ShortTables.of_tables([each.table for each in points])


@given(SAMPLES)
def test_measures_are_those_of_each_table(samples):
    points = [points_of(*sample) for sample in samples]
    assert all(is_short(each.table) for each in points)
    values, baselines = measures_together(points, together(points))
    for each, *found in zip(points, values, baselines, strict=True):
        alone = [bracket.lo for bracket in measures_of(each).values()]
        wanted = alone, list(baselines_of(each).values())
        for numbers, known in zip(found, wanted, strict=True):
            np.testing.assert_allclose(numbers, known, rtol=1e-12, atol=1e-12)


@given(SAMPLES, st.sampled_from([0.5, 1.0, 2.0, math.inf]) | st.floats(0.01, 100))
def test_best_rows_are_those_of_each_table(samples, beta):
    points = [points_of(*sample) for sample in samples]
    tables = together(points)
    edges = tables.best_edges(beta)
    rows = tables.hulls.ends[edges] - tables.starts
    for each, edge, row in zip(points, edges, rows, strict=True):
        best = iso.optimal_thresholds(each).at(beta)
        assert each.thresholds[row] == best.thresholds[0]
        assert tables.hulls.beta_squared[edge] == best.beta_squared_lo[0]


def test_of_rows_that_tie_at_a_border_the_first_is_best():
    # Both rows with true positives have F₁ = 2/3, and their border is β² = 1.
    points = iso.OperatingPoints.from_scores([1, 0, 1, 0, 0], [4, 3, 2, 2, 1])
    tables = together([points] * 3)
    assert tables.hulls.beta_squared[tables.hulls.ends == 3].tolist() == [1.0]
    for beta, row in ((1.0, 1), (math.nextafter(1, 2), 3)):
        found = tables.hulls.ends[tables.best_edges(beta)] - tables.starts
        assert found.tolist() == [row] * 3


def test_a_registered_measure_is_asked_of_each_table():
    best = iso.measures.register(
        iso.measures.Measure(
            "best accuracy", lambda pts: float(pts.accuracy().max()), shown=Shown.SUMMARY
        )
    )
    try:
        points = [iso.OperatingPoints.from_scores([1, 0, 1], scores) for scores in ([3, 2, 1],) * 2]
        values, baselines = measures_together(points, together(points))
        column = registered(Shown.SUMMARY).index(best)
        assert values[:, column].tolist() == [best.of(points[0])] * 2
        assert baselines[:, column].tolist() == [baselines_of(points[0])["best accuracy"]] * 2
    finally:
        iso.measures.unregister(best)


@pytest.mark.parametrize(
    "other",
    [
        lambda pts: pts.at_prevalence(0.3),
        lambda pts: pts.hull(),
        lambda pts: pts.compact(7),
        lambda _: iso.OperatingPoints.from_scores([1, 0], [2, 1], sample_weight=[0.5, 1.0]),
        lambda _: iso.OperatingPoints.from_scores([1, 0], [2, 1], sample_weight=[2**26, 2**26]),
        lambda _: iso.OperatingPoints.from_scores([1, 0], [2, 1], positives=2, negatives=2**30),
        lambda _: iso.OperatingPoints.from_scores(np.arange(4096) < 9, np.arange(4096)),
    ],
)
def test_other_tables_stand_alone(other):
    points = iso.OperatingPoints.from_scores(np.arange(4095) < 9, np.arange(4095))
    assert is_short(points.table)
    assert not is_short(other(points).table)


def test_counts_that_the_hulls_could_not_hold_do_not_stand_together():
    heavy = points_of([1, 0, 1, 0, 0, 1], [6, 5, 4, 3, 2, 1], [2**23] * 6)
    most = [n for n in range(1, 10) if fit_together(n, 7 * n, n * 6 * 2**23)]
    assert most == [1, 2, 3, 4]
    edges = together([heavy] * 4).hulls
    assert edges.ends.tolist() == [7 * table + row for table in range(4) for row in (1, 3, 6)]
    assert not fit_together(2, 2**18 + 1, 2**18)
