"""Bounds of areas hold for the table that rows were left out of, whichever these are."""

import math
import warnings
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import isometrics as iso
from isometrics._counting.confusion import Totals
from isometrics._table.table import Gaps, Kind, KnownArea, Table
from isometrics.errors import ParameterError, UndefinedWarning
from isometrics.measures import area_brackets, measure_named, registered
from isometrics.points.bounds import Bracket
from isometrics.points.compact import Compacting
from isometrics.testing.strategies import count_tables

from ..tables import AREAS, areas_of, of_counts, of_sample, samples

choices = st.lists(st.booleans(), min_size=40, max_size=40)


tables = samples.map(of_sample) | count_tables(max_count=10**6).map(of_counts)


def compact(points, kept, known=None):
    """Keep some rows, both ends among them, and tell where others are missing."""
    full = points.table
    mask = np.resize(kept, full.size)
    mask[[0, -1]] = True
    rows = np.flatnonzero(mask)
    return iso.OperatingPoints(
        Table(
            full.thresholds[rows],
            full.tp[rows],
            full.fp[rows],
            full.positives,
            full.negatives,
            Kind.SCORES,
            gaps=Gaps(np.diff(rows) > 1, known or {}),
        )
    )


def misses(points, some):
    """Return the names of the areas that lie outside their brackets."""
    found = area_brackets(some)
    return [
        name
        for name, value in areas_of(points).items()
        if not math.isnan(value) and not found[name].lo <= value <= found[name].hi
    ]


@given(tables, choices)
def test_every_bracket_holds_the_exact_area(points, kept):
    some = compact(points, kept)
    assert area_brackets(some).keys() == AREAS.keys()
    assert misses(points, some) == []


@pytest.mark.parametrize("measure", registered(), ids=str)
def test_every_measure_has_finite_bounds_where_a_row_is_missing(measure):
    points = iso.OperatingPoints.from_scores([1, 1, 0, 1, 0, 0], [6, 5, 4, 3, 2, 1])
    some = compact(points, [True, True, True, False, True, True, True])
    ((lo, hi),) = area_brackets(some, [measure.name]).values()
    assert -math.inf < lo <= measure.of(points) <= hi < math.inf


@given(tables, choices)
def test_areas_of_the_hull_lie_between_bounds(points, kept):
    """Where vertices may be missing, and where they are not."""
    some = compact(points, kept)
    open_hull = replace(some.table, gaps=replace(some.table.gaps, has_hull=False))
    for name in ("tradeoff area", "achievable AUPR"):
        ((lo, hi),) = area_brackets(iso.OperatingPoints(open_hull), [name]).values()
        measure = measure_named(name)
        assert lo <= measure.of(points) <= hi
        whole = compact(points, [True])
        assert area_brackets(whole, [name])[name] == Bracket(*[measure.of(whole)] * 2)


@given(tables)
def test_without_gaps_the_bounds_meet(points):
    some = compact(points, [True])
    assert not some.table.gaps.between.any()
    assert misses(points, some) == []
    for name, (lo, hi) in area_brackets(some).items():
        # The expectation is derived from AUPRG and y₀, whose rounding a short range of Δ enlarges.
        if name != "expected F1 gain":
            assert hi - lo <= 1e-12 * max(1, abs(lo)), name


@given(tables)
def test_a_table_of_all_rows_has_equal_bounds(points):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UndefinedWarning)
        found = area_brackets(points)
    for name, value in areas_of(points).items():
        assert found[name].lo == found[name].hi or math.isnan(value)
        np.testing.assert_allclose(found[name].lo, value, rtol=1e-12, atol=1e-12)


def test_more_rows_never_widen_a_bracket():
    random = np.random.default_rng(3)
    points = iso.OperatingPoints.from_scores(random.random(300) < 0.3, random.random(300))
    kept = np.zeros(len(points), bool)
    widths = []
    for more in np.array_split(random.permutation(len(points)), 6):
        kept[more] = True
        widths.append([bracket.width for bracket in area_brackets(compact(points, kept)).values()])
    steps = np.diff(np.nan_to_num(widths, posinf=1e9), axis=0)
    assert (steps <= 1e-12).all()
    assert (np.array(widths[-1]) < 1e-12).all()


def test_a_gap_that_may_leave_nothing_to_average_over():
    """Perhaps all negatives rank above all positives, and no gain is to be expected."""
    points = iso.OperatingPoints.from_counts([1], [1], positives=2, negatives=6)
    found = area_brackets(compact(points, [False]))
    assert found["expected F1 gain"] == Bracket(-math.inf, 1.0)


@given(tables, choices, st.floats(0.01, 0.99))
def test_another_prevalence_keeps_auroc_and_brackets_the_rest(points, kept, prevalence):
    some = compact(points, kept, {KnownArea.ROC: points.roc.area()})
    moved, there = some.at_prevalence(prevalence), points.at_prevalence(prevalence)
    assert moved.table.partial
    np.testing.assert_array_equal(moved.table.gaps.between, some.table.gaps.between)
    assert set(moved.table.known) == {KnownArea.ROC}
    assert moved.roc.area() == points.roc.area()
    found = area_brackets(moved)
    # The area of rates is the same at every prevalence but for its last bits.
    assert abs(found["AUROC"].lo - there.roc.area()) < 1e-12
    others = set(misses(there, moved)) - {"AUROC", "expected accuracy"}
    assert others == set()


@given(tables, choices, st.sets(st.sampled_from(list(AREAS)), min_size=1))
def test_some_areas_are_bounded_as_all_are(points, kept, names):
    some = compact(points, kept)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UndefinedWarning)
        every, found = area_brackets(some), area_brackets(some, names)
    assert list(found) == list(names)
    np.testing.assert_array_equal(list(found.values()), [every[name] for name in names])


def test_an_area_may_be_named_alone_and_must_be_known():
    points = iso.OperatingPoints.from_scores([1, 0, 1, 0], [4, 3, 2, 1])
    assert area_brackets(points, "AUROC") == {"AUROC": Bracket(0.75, 0.75)}
    with pytest.raises(ParameterError, match="areas must be names among 'AUROC'"):
        area_brackets(points, ["AUC"])
    with pytest.raises(ParameterError, match=r"^points must be OperatingPoints but is list; make"):
        area_brackets([1, 0, 1])


@given(tables, choices, st.sets(st.sampled_from(list(KnownArea))))
def test_areas_are_exact_where_what_they_need_is_known(points, kept, names):
    """As on a device, where some measures are added up and others are not."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UndefinedWarning)
        known = Compacting(Totals(points.positives, points.negatives), fineness=0)
        known.add(points.table.thresholds[1:], points.table.tp, points.table.fp)
        measured = known.table().known
        some = compact(points, kept, {name: measured[name] for name in names})
        found = area_brackets(some)
        for name, area in AREAS.items():
            if names >= {KnownArea[need] for need in measure_named(name).needs}:
                np.testing.assert_allclose(found[name], area(points), rtol=1e-12, atol=1e-13)
                assert found[name].lo == found[name].hi or math.isnan(found[name].lo)
