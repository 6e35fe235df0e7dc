"""The compiled sums and hull against those of NumPy."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import isometrics as iso
from isometrics._counting import hull, native, segments
from isometrics._counting.hull import vertices
from isometrics._table import path
from isometrics.testing.strategies import binary_samples

pytestmark = pytest.mark.usefixtures("compiled_loops")

RANGES = [(0.0, 1.0), (0.0, 0.37), (0.21, 1.0), (0.3, 0.31)]
SINGLE = ("davis-goadrich", "average-precision", "linear")


@pytest.fixture
def numpy_only(monkeypatch):
    """Return how to compute without the loops."""

    def compute(work):
        with monkeypatch.context() as patch:
            patch.setattr(native, "available", lambda: False)
            return work()

    return compute


def areas(points):
    found = [points.roc.area(*ends) for ends in RANGES]
    found += [points.prg.area(*ends) for ends in RANGES]
    found += [points.pr.normalised_area(*ends) for ends in RANGES]
    for ends in RANGES:
        found += [points.pr.area(name, *ends) for name in SINGLE]
        found += points.pr.areas(*ends).values()
    return np.array(found)


def sample_points(sample):
    labels, scores, *weights = sample
    return iso.OperatingPoints.from_scores(
        labels, scores, sample_weight=weights[0] if weights else None
    )


@pytest.mark.parametrize("weights", [None, "integer", "float"])
def test_areas_and_hull_are_those_of_numpy(numpy_only, weights):
    @given(binary_samples(weights=weights))
    @settings(max_examples=25)
    def check(sample):
        points = sample_points(sample)
        np.testing.assert_array_equal(areas(points), numpy_only(lambda: areas(points)))
        assert points.hull().table == numpy_only(points.hull).table

    check()


@pytest.mark.parametrize("prevalence", [0.5, 0.01, 0.0003])
def test_long_tables(monkeypatch, numpy_only, prevalence):
    monkeypatch.setattr(path, "threads_for", lambda _: 2)
    generator = np.random.default_rng(4)
    labels = generator.random(40_000) < prevalence
    scores = (generator.standard_normal(labels.size) + labels).round(4)
    points = iso.OperatingPoints.from_scores(labels, scores)
    np.testing.assert_array_equal(areas(points), numpy_only(lambda: areas(points)))
    assert points.hull().table == numpy_only(points.hull).table
    moved = points.at_prevalence(0.2)
    np.testing.assert_array_equal(areas(moved), numpy_only(lambda: areas(moved)))
    assert moved.hull().table == numpy_only(moved.hull).table


def test_short_steps_far_from_the_start(numpy_only):
    """There the logarithm is a short series."""
    tp, fp = np.array([0, 5000, 5001, 5003, 5004]), np.array([0, 3000, 3001, 3001, 3004])
    points = iso.OperatingPoints.from_counts(tp, fp, positives=5004, negatives=3004)
    np.testing.assert_array_equal(areas(points), numpy_only(lambda: areas(points)))


def test_totals_too_small_for_a_reciprocal(numpy_only):
    """The first rules flag less than the smallest weight that divides without overflow."""
    tp, fp = np.array([0, 0, 1e-305, 2e-305, 1.0, 3.0]), np.array([0, 1e-306, 1e-306, 1e-9, 1, 2])
    points = iso.OperatingPoints.from_counts(tp, fp, positives=3.0, negatives=2.0)

    def some_areas():
        return [points.pr.area(), points.pr.normalised_area(), points.roc.area()]

    assert some_areas() == numpy_only(some_areas)


def test_a_last_row_that_repeats_is_no_vertex():
    assert hull.compiled_vertices(np.array([0, 1, 1]), np.array([0, 0, 0])).tolist() == [0, 1]
    assert hull.compiled_vertices(np.array([0, 0]), np.array([0, 0])).tolist() == [0]


@pytest.mark.parametrize("repeats", [1, 40])
def test_the_hull_of_any_nested_counts(repeats):
    """Equal neighbours, level and steep ways included; shorter and longer than the spacing."""

    @given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=30))
    def check(steps):
        steps = steps * repeats
        order = np.argsort(np.arange(len(steps)) * 7 % len(steps), kind="stable")
        x, y = np.cumsum(np.array([(0, 0), *(steps[row] for row in order)]), axis=0).T
        found = hull.compiled_vertices(x, y)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(native, "available", lambda: False)
            np.testing.assert_array_equal(found, vertices(x, y))

    check()


def test_counts_beyond_31_bits_are_left_to_exact_integers():
    x = np.array([0, 1, 2**31])
    assert hull.compiled_vertices(x, np.array([0, 1, 2])) is None
    assert hull.compiled_vertices(np.array([0, 1, 2]), x) is None
    assert hull.compiled_vertices(np.array([0.0, 1.0]), np.array([0.0, 1.0])) is None


def test_a_path_of_no_segment_has_no_sums():
    assert path.sums_along(segments.BELOW, np.arange(9), np.arange(9), 8, 8) is None
    assert path.sums_along(segments.BELOW, np.arange(9), np.arange(9), 8, 7) is None


@pytest.mark.parametrize("dtype", [np.int64, np.float64])
def test_loops_add_up_as_numpy(numpy_only, dtype):
    """Rows far from the empty rule, rows that repeat, and runs of one class longer than a lane."""
    generator = np.random.default_rng(7)
    rise, run = generator.integers(0, 3, (2, 600))
    rise[100:300], run[400:] = 0, 0
    tp, fp = (np.append(0, 10_000 + np.cumsum(steps)).astype(dtype) for steps in (rise, run))
    points = iso.OperatingPoints.from_counts(
        tp, fp, positives=tp[-1].item(), negatives=fp[-1].item()
    )
    np.testing.assert_array_equal(areas(points), numpy_only(lambda: areas(points)))


@pytest.mark.parametrize("weight", [1, 10**3, 10**6, 10**10])
def test_whole_sums_beyond_floats_are_added_up_as_numpy(numpy_only, weight):
    """Runs of one class are one rectangle only where no sum of their rows is rounded."""
    generator = np.random.default_rng(weight)
    labels = np.repeat([True, False, True, False], 400)
    weights = generator.integers(1, weight + 1, (20, labels.size))
    for each in weights:
        points = sample_points((labels, -np.arange(labels.size), each))
        assert points.roc.area() == numpy_only(points.roc.area)
