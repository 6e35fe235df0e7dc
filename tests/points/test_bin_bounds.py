"""Bounds found where the counts of bins are: those of the host, around the exact values."""

from __future__ import annotations

import math
import warnings
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import isometrics as iso
from isometrics._core.arrays import namespace_of
from isometrics._counting import bin_bounds
from isometrics._counting.bin_bounds import Bins, BinWays
from isometrics._counting.keys import order_of
from isometrics._counting.tally import Tally
from isometrics._table.building import table_of_tally
from isometrics._table.table import Gaps
from isometrics.errors import UndefinedWarning
from isometrics.measures import bound_within, registered
from isometrics.points.bin_bounds import BinBounds
from isometrics.points.bounds import GapBounds
from isometrics.testing.reference import Curve

ORDER = order_of(np.dtype(np.float64))
MEASURES = {each.name: each for each in registered()}


def _torch(values):
    return pytest.importorskip("torch").tensor(values)


def _jax(values):
    jax = pytest.importorskip("jax")
    jax.config.update("jax_enable_x64", True)
    return jax.numpy.asarray(values)


def _strict(values):
    return pytest.importorskip("array_api_strict").asarray(values)


LIBRARIES = {"torch": _torch, "strict": _strict}


def bounds_there(to_array, positives, negatives, several):
    """Return bounds from bins, the lowest first."""
    counts = np.stack([negatives, positives], 1).ravel()
    bins = Bins(to_array(counts), to_array(several.astype(np.int8)))
    totals = int(positives.sum()), int(negatives.sum())
    ways = BinWays(namespace_of(bins.counts), bins, *totals)
    gaps = BinBounds(ways, lambda: table_of_bins(positives, negatives, several))
    assert ways.is_exact == (not (several & (positives + negatives > 0)).any())
    return {name: bound_within(gaps, measure) for name, measure in MEASURES.items()}


def table_of_bins(positives, negatives, several):
    rows = np.flatnonzero(positives + negatives)
    keys = ORDER.keys(np.arange(several.size, dtype=np.float64))
    hi = keys + several
    tally = Tally(ORDER, keys[rows], hi[rows], positives[rows], negatives[rows])
    table = table_of_tally(tally, counted="the bins", has_hull=False)
    # Where all intervals are exact, gaps without rows: their bounds are asked for all the same.
    return replace(table, gaps=table.gaps or Gaps(tally.gaps[::-1], {}, has_hull=False))


def bounds_here(positives, negatives, several):
    gaps = GapBounds(table_of_bins(positives, negatives, several), iso.spaces.pr.INTERPOLATIONS)
    return {name: bound_within(gaps, measure) for name, measure in MEASURES.items()}


def same(there, here):
    for name in MEASURES:
        # A short range of Δ enlarges what is rounded, and the bounds are as far apart.
        share = 0.5 if name == "expected F1 gain" else 0.0
        for mine, theirs in zip(there[name], here[name], strict=True):
            doubt = max(3e-13 * max(1, abs(theirs)), share * here[name].width)
            assert mine == theirs or abs(mine - theirs) <= doubt, name


@st.composite
def counted_bins(draw):
    """Draw few or many rows in each bin, some of them empty; both classes are there."""
    most = draw(st.sampled_from([1, 3, 50, 10**6, 2**40]))
    count = st.integers(0, most) | st.just(0)
    rows = st.lists(st.tuples(count, count, st.booleans()), min_size=1, max_size=40)
    positives, negatives, several = (np.array(column) for column in zip(*draw(rows), strict=True))
    positives[draw(st.integers(0, several.size - 1))] += 1
    negatives[draw(st.integers(0, several.size - 1))] += 1
    return positives, negatives, several


@pytest.mark.parametrize("library", LIBRARIES)
@given(bins=counted_bins())
def test_bounds_are_those_of_the_host(library, bins):
    same(bounds_there(LIBRARIES[library], *bins), bounds_here(*bins))


@pytest.mark.slow
def test_bounds_of_jax_are_those_of_the_host():
    """It compiles for every new length, so it gets one."""
    rng = np.random.default_rng(5)
    bins = (*rng.integers(0, 9, (2, 30)), rng.random(30) < 0.5)
    same(bounds_there(_jax, *bins), bounds_here(*bins))


@pytest.mark.parametrize("most", [4, 2**40])
def test_bounds_of_many_bins_are_those_of_the_host(most):
    """Most of them do not come near the hull; with large counts products are rounded."""
    rng = np.random.default_rng(9)
    size = 40 * bin_bounds.SPACING
    better = np.linspace(0, 1, size)
    positives = (rng.random(size) * most * better).astype(np.int64)
    negatives = (rng.random(size) * most * (1 - better)).astype(np.int64)
    bins = (positives, negatives, rng.random(size) < 0.9)
    same(bounds_there(np.asarray, *bins), bounds_here(*bins))


@st.composite
def ranked_rows(draw):
    scores = draw(st.lists(st.integers(0, 63), min_size=2, max_size=60))
    labels = draw(st.lists(st.booleans(), min_size=len(scores), max_size=len(scores)))
    labels[:2] = [True, False]
    return np.array(labels), np.array(scores)


def binned(labels, scores, width, exact_from):
    """Count rows in bins of some scores, but one by one from a score on."""
    whole = scores // width * width
    place = np.where(scores >= exact_from, scores, whole)
    several = np.arange(64) < exact_from
    counts = (np.bincount(place[chosen], minlength=64) for chosen in (labels, ~labels))
    return (*counts, several if width > 1 else np.zeros(64, bool))


def exact_values(labels, scores):
    """Return all measures in fractions, or to 50 digits; that over λ is the host's."""
    curve = Curve.of_scores(labels, scores)
    points = iso.OperatingPoints.from_scores(labels, scores)
    return {
        "AUROC": curve.roc_area(),
        "AUPR": curve.pr_area("davis-goadrich"),
        "average precision": curve.pr_area("average-precision"),
        "AUPR, linear": curve.pr_area("linear"),
        "AUPR, integer steps": curve.pr_area("integer-steps"),
        "AUPR, max precision": curve.pr_area("max-precision"),
        "AUPR, normalised": curve.normalised_pr_area(),
        "AUPRG": curve.prg_area(),
        "expected F1 gain": curve.expected_f_gain(),
        "expected accuracy": curve.expected_accuracy(),
        "tradeoff area": points.tradeoff().area(),
        "achievable AUPR": curve.hull().pr_area("davis-goadrich"),
    }


@given(rows=ranked_rows(), exact_from=st.sampled_from([64, 48, 32]))
def test_exact_values_lie_in_bounds_and_finer_bounds_in_coarser(rows, exact_from):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UndefinedWarning)
        exact = exact_values(*rows)
    assert exact.keys() == MEASURES.keys()
    outer = None
    for width in (16, 8, 4, 2, 1):
        bounds = bounds_there(np.asarray, *binned(*rows, width, exact_from))
        for name, value in exact.items():
            lo, hi = bounds[name]
            assert value is None or lo <= value <= hi, name
            if outer is not None:
                # Both are rounded, as sums of different terms.
                slack = 1e-14 * max(1, abs(lo))
                assert outer[name].lo - slack <= lo <= hi <= outer[name].hi + slack, name
        outer = bounds
    for name, value in exact.items():
        # The expectation is derived from AUPRG and y₀, whose rounding a short range enlarges.
        if name != "expected F1 gain":
            assert math.isclose(bounds[name].lo, value, rel_tol=1e-11, abs_tol=1e-11)


@pytest.mark.parametrize("wrong", ["worst", "best"])
def test_a_wrong_corner_is_found(monkeypatch, wrong):
    """The laws above can fail: with one way in place of the other they do."""
    rows = np.array([True, True, False, False, True, False]), np.arange(6, 0, -1)
    if wrong == "best":
        rows = ~rows[0], rows[1]
    bins = binned(*rows, 16, 64)
    other = {"worst": "_best", "best": "_worst"}[wrong]
    start = BinWays.__init__

    def exchanged(self, *args):
        start(self, *args)
        setattr(self, f"_{wrong}", getattr(self, other))

    monkeypatch.setattr(BinWays, "__init__", exchanged)
    bounds = bounds_there(np.asarray, *bins)
    exact = exact_values(*rows)
    assert any(not lo <= exact[name] <= hi for name, (lo, hi) in bounds.items())
