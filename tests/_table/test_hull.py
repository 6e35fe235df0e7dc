"""The hull: exact vertices, and the laws that make it the one hull of all spaces."""

import pickle

import numpy as np
import pytest
from hypothesis import given

from isometrics import OperatingPoints, best_threshold, optimal_thresholds
from isometrics._counting import hull as hulls
from isometrics._counting.hull import SPACING
from isometrics._table import path as table_path
from isometrics.spaces.drawing import rows_to_explore
from isometrics.testing import Curve, binary_samples, count_tables, point_clouds

from ..tables import of_counts

pytestmark = pytest.mark.usefixtures("either_kernel")


def vertices(points):
    return list(zip(points.tp.tolist(), points.fp.tolist(), strict=True))


@given(count_tables())
def test_vertices_are_exact(table):
    """Counts up to 1e12: products beyond 64 bits, collinear points dropped exactly."""
    assert vertices(of_counts(table).hull()) == list(Curve.of(*table).hull().points)


@pytest.mark.parametrize("below", [0, SPACING**3])
def test_a_vertex_that_floats_cannot_tell(below):
    """Slopes 321/2**27 and 2**26/28059810762433: cross products 2**53 + 1 and 2**53."""
    tp, fp = np.cumsum([[321, 2**26], [2**27, (2**53 + 1) // 321]], axis=1)
    expected = [(0, 0), *zip(tp, fp, strict=True)]
    totals = (int(tp[-1]), int(fp[-1]))
    table = (np.append(np.zeros(below, int), tp), np.append(np.arange(below) + 1, fp), *totals)
    assert vertices(of_counts(table).hull()) == expected


@given(point_clouds())
def test_vertices_of_unordered_points_are_exact(cloud):
    points = of_counts(cloud, labels=[f"set {row}" for row in range(len(cloud[0]))])
    hull = points.hull()
    assert vertices(hull) == list(Curve.hull_of_points(*cloud).points)
    for label, vertex in zip(hull.labels[1:-1], vertices(hull)[1:-1], strict=True):
        assert vertex == vertices(points)[int(label.split()[1])]


@given(count_tables(), point_clouds())
def test_few_rows_tell_which_others_can_be_vertices(table, cloud):
    """With so short ways between the spaced rows, most tables have some."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(hulls, "SPACING", 2)
        assert vertices(of_counts(table).hull()) == list(Curve.of(*table).hull().points)
        of_cloud = of_counts(cloud, labels=["set"] * len(cloud[0]))
        assert vertices(of_cloud.hull()) == list(Curve.hull_of_points(*cloud).points)


def test_edges_too_steep_for_floats_hide_no_rows():
    """The slope from row 0 to row 4, two of the spaced ones, is infinite."""
    x = np.array([0, 0, 5e-324, 5e-324, 1e-323, 1e-323, 1])
    y = np.array([0, 1, 2, 9e299, 1e300, 1e300, 1e300])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(hulls, "SPACING", 2)
        np.testing.assert_array_equal(hulls.vertices(x, y), [0, 1, 3, 4, 6])


@given(binary_samples())
def test_vertices_are_rows_with_their_thresholds(sample):
    points = OperatingPoints.from_scores(*sample)
    rows = set(
        zip(
            points.thresholds.tolist(), *map(list, zip(*vertices(points), strict=True)), strict=True
        )
    )
    hull = points.hull()
    assert all(
        (threshold, *vertex) in rows
        for threshold, vertex in zip(hull.thresholds.tolist(), vertices(hull), strict=True)
    )
    assert hull.thresholds[0] == np.inf


@pytest.mark.parametrize(
    "shape",
    [
        lambda x: x,  # all collinear
        lambda x: x**2,  # below the diagonal: only the ends
        lambda x: 1 - (1 - x) ** 2,  # every row may be a vertex
        lambda x: x + 0.2 * np.sin(8 * x) * (1 - x),
    ],
)
@pytest.mark.parametrize("total", [10**6, 10**12])
def test_long_curves(shape, total):
    """Longer than a block: the same vertices as the exact chain over all rows."""
    x = np.linspace(0, 1, SPACING**3 + 7)
    fp = np.rint(x * total).astype(np.int64)
    tp = np.maximum.accumulate(np.clip(np.rint(shape(x) * total), 0, total)).astype(np.int64)
    points = of_counts((tp, fp, total, total))
    assert vertices(points.hull()) == exact_chain(points)


def test_slow_erosion_is_finished_exactly():
    """A chain that loses one row at a time by thinning is handed to the exact pass."""
    size = 400
    tp = np.cumsum(np.arange(size, 0, -1))
    tp[-1] += 10**6
    fp = np.arange(1, size + 1)
    points = of_counts((tp, fp, int(tp[-1]), size))
    assert vertices(points.hull()) == exact_chain(points)


def exact_chain(points):
    chain = []
    for x, y in zip(points.fp.tolist(), points.tp.tolist(), strict=True):
        while len(chain) > 1 and (y - chain[-1][1]) * (chain[-1][0] - chain[-2][0]) >= (
            chain[-1][1] - chain[-2][1]
        ) * (x - chain[-1][0]):
            chain.pop()
        if not chain or chain[-1] != (x, y):
            chain.append((x, y))
    return [(y, x) for x, y in chain]


def test_tuning_thresholds_judged_on_test_data():
    """Davis & Goadrich 2006, section 3, worked by hand."""
    tuning = OperatingPoints.from_scores([1, 1, 0, 1, 0, 0], [0.9, 0.8, 0.7, 0.6, 0.5, 0.4])
    assert tuning.hull().thresholds.tolist() == [np.inf, 0.8, 0.6, 0.4]
    test = OperatingPoints.from_scores([1, 0, 1, 0], [0.85, 0.7, 0.65, 0.3])
    judged = test.at(tuning.hull().thresholds)
    assert vertices(judged) == [(0, 0), (1, 0), (2, 1), (2, 1)]
    assert judged.pr.area() == pytest.approx(
        test.pr.area(lo=0, hi=0.5) + test.at([0.8, 0.6]).pr.area(lo=0.5)
    )


def test_one_hull_is_computed_for_a_table(monkeypatch):
    """Hull, tradeoffs, best thresholds, compaction and drawing share it."""
    generator = np.random.default_rng(5)
    labels = generator.random(3000) < 0.3
    points = OperatingPoints.from_scores(labels, generator.normal(size=3000) + labels)
    calls = []
    compute = table_path.vertices

    def counted(x, y):
        calls.append(x.size)
        return compute(x, y)

    monkeypatch.setattr(table_path, "vertices", counted)
    hull = points.hull()
    assert points.hull().table == hull.table == hull.hull().table
    points.tradeoff().area()
    best_threshold(points, cost=0.3)
    optimal_thresholds(points)
    points.compact(1000)
    rows_to_explore(points.table)
    assert calls == [3001]
    twin = pickle.loads(pickle.dumps(points))
    assert twin == points
    assert twin.hull() == hull
