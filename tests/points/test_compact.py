"""What a compact table keeps: true rows, dense ones, its hull, its areas; what it refuses."""

import math
import warnings
from itertools import pairwise

import matplotlib.pyplot as plt
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import isometrics as iso
from isometrics import plot
from isometrics._core.results import bracketed
from isometrics._counting.confusion import Totals
from isometrics._counting.hull import vertices
from isometrics.decisions.lift import lift
from isometrics.errors import NotAnswerableError, ParameterError, UndefinedWarning
from isometrics.measures import area_brackets
from isometrics.points.compact import Compacting
from isometrics.spaces.indices import Index
from isometrics.testing.strategies import binary_samples

from ..tables import areas_of, of_sample

INDICES = ["kulczynski", "f-measure", "folke", "jaccard", "f-gain", "cost"]
BETAS = [0, 0.1, 0.5, 1, 2, 10, math.inf]
samples = binary_samples().map(lambda sample: (*sample, None)) | binary_samples(weights="integer")


def compacted(points, cuts=(), fineness=1):
    """Feed a table to `Compacting` in sections, the lowest thresholds first."""
    full = points.table
    ends = sorted({0, full.size - 1, *(cut % full.size for cut in cuts)})
    compacting = Compacting(Totals(full.positives, full.negatives), fineness=fineness)
    for start, end in reversed(list(pairwise(ends))):
        rows = slice(start, end + 1)
        compacting.add(full.thresholds[rows][1:], full.tp[rows], full.fp[rows])
    return iso.OperatingPoints(compacting.table())


@pytest.fixture(scope="module")
def long():
    """Return a table of 4000 rows with a bend, ties at its end included."""
    random = np.random.default_rng(8)
    scores = np.round(random.normal(size=4000), 3)
    labels = random.random(4000) < 1 / (1 + np.exp(-scores))
    return iso.OperatingPoints.from_scores(labels, scores)


@pytest.fixture(scope="module")
def short(long):
    """Return the same table with some of its rows, as a reader would compact it."""
    some = compacted(long, [500, 700, 2100], fineness=20)
    assert len(some) < len(long) / 2
    return some


@given(samples, st.lists(st.integers(0, 100), max_size=5), st.integers(1, 3))
def test_kept_rows_hull_areas_and_gaps(sample, cuts, fineness):
    full = of_sample(sample)
    some = compacted(full, cuts, fineness)
    table = some.table
    assert table.partial
    rows = np.array(
        [
            np.flatnonzero((full.tp == tp) & (full.fp == fp) & (full.thresholds == threshold))[0]
            for threshold, tp, fp in zip(some.thresholds, some.tp, some.fp, strict=True)
        ]
    )
    np.testing.assert_array_equal(table.gaps.between, np.diff(rows) > 1)
    assert rows[1] == 1
    assert some.hull().table == full.hull().table
    right = areas_of(full)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UndefinedWarning)
        for name, (lo, hi) in area_brackets(some).items():
            assert lo == hi or math.isnan(lo)
            np.testing.assert_allclose(lo, right[name], rtol=1e-12, atol=1e-12)
    for beta in BETAS:
        assert decided(iso.best_threshold(some, beta=beta)) == decided(
            iso.best_threshold(full, beta=beta)
        )


def decided(decision):
    return decision.threshold, decision.tp, decision.fp


@pytest.mark.parametrize("scale", [1, 1e-6, 1e6])
@pytest.mark.parametrize("fineness", [5, 40])
def test_kept_rows_are_dense(scale, fineness):
    """Also where weights are small: a gap is at most one step of either grid wide."""
    random = np.random.default_rng(5)
    labels, scores = random.random(3000) < 0.1, random.random(3000)
    weights = random.random(3000) * scale
    full = iso.OperatingPoints.from_scores(labels, scores, sample_weight=weights)
    some = compacted(full, [40, 900], fineness)
    assert len(some) < 2500
    gaps = np.flatnonzero(some.table.gaps.between)
    assert gaps.size
    both = some.positives + some.negatives
    for counts, total in (
        (some.tp, some.positives), (some.fp, some.negatives), (some.tp + some.fp, both)
    ):  # fmt: skip
        before, after = counts[gaps], counts[gaps + 1]
        assert (after <= before * math.exp(1 / fineness) * (1 + 1e-9)).all()
        assert (after - before <= total / (2 * fineness) * (1 + 1e-9)).all()


@pytest.mark.parametrize(
    "asked",
    [{"beta": beta} for beta in BETAS]
    + [{"cost": cost} for cost in (0.1, 0.5, 0.93)]
    + [{"objective": "accuracy"}, {"objective": "youden"}, {"lam": 0.3}]
    + [{"index": "cost", "lam": 0.4}, {"index": "kulczynski", "lam": 0.0}]
    + [{"index": "jaccard", "lam": 0.8}],
    ids=str,
)
def test_best_threshold(long, short, asked):
    found, expected = (iso.best_threshold(points, **asked) for points in (short, long))
    assert decided(found) == decided(expected)
    assert found.value == expected.value


def tradeoff(points, index):
    curve = points.tradeoff(index)
    part = curve.area(0.2, 0.7, density="triangular")
    return [curve.area(), part, curve.intervals, curve.useful_range()]


def calibrated(points, calibrator):
    fitted = calibrator.from_points(points)
    return [fitted.segments_.highest_score, *fitted.transform(np.linspace(-4, 4, 101))]


ANSWERED = {
    "best for all β": iso.optimal_thresholds,
    "calibrated accuracy": lambda points: calibrated(points, iso.AccuracyCalibrator),
    "calibrated F": lambda points: calibrated(points, iso.FCalibrator),
    **{index: lambda points, index=index: tradeoff(points, index) for index in INDICES},
}


@pytest.mark.parametrize("question", ANSWERED)
def test_what_follows_from_the_hull_is_answered(long, short, question):
    assert ANSWERED[question](short) == ANSWERED[question](long)


def test_compare(long, short):
    random = np.random.default_rng(2)
    labels = np.arange(4000) < long.positives
    other = iso.OperatingPoints.from_scores(labels, random.normal(size=4000) + labels)
    found = iso.compare({"a": short, "b": compacted(other, fineness=20)})
    expected = iso.compare({"a": long, "b": other})
    assert found.sentence() == expected.sentence()
    np.testing.assert_array_equal(found.winners.lambda_lo, expected.winners.lambda_lo)
    np.testing.assert_allclose(found.areas.values, expected.areas.values, rtol=1e-12)
    assert repr(found.dominance) == repr(expected.hull_dominance)
    assert repr(found.hull_dominance) == repr(expected.hull_dominance)


def test_areas_of_the_spaces_are_those_of_the_full_table(long, short):
    assert short.pr.areas() == pytest.approx(long.pr.areas(), abs=1e-12)
    assert areas_of(short) == pytest.approx(areas_of(long), abs=1e-12)
    assert short.prg.y0 == long.prg.y0
    for beta in (0.5, 3):
        expected = pytest.approx(long.prg.expected_f_gain(beta), abs=1e-12)
        assert short.prg.expected_f_gain(beta) == expected


REFUSED = {
    "precision": lambda points: iso.best_threshold(points, min_precision=0.6),
    "recall": lambda points: iso.best_threshold(points, min_recall=0.5),
    "budget": lambda points: iso.best_threshold(points, budget=777),
    "constraints": lambda points: points.tradeoff().with_constraints(min_recall=0.5),
    "own index": lambda points: points.tradeoff(
        Index("mine", lambda precision, recall, lam: (1 - lam) * precision + lam * recall)
    ),
    "part in ROC space": lambda points: points.roc.area(0.1, 0.5),
    "part in PR space": lambda points: points.pr.area(lo=0.1),
    "part in PRG space": lambda points: points.prg.area(hi=0.5),
    "part above": lambda points: points.pr.normalised_area(hi=0.5),
    "ROC curve": lambda points: points.roc.interpolate(0.5),
    "PR curve": lambda points: points.pr.interpolate(0.5),
    "PRG curve": lambda points: points.prg.interpolate(0.5),
    "merging": lambda points: points + points,
    "threshold": lambda points: points.at([0.12345]),
    "ranking": lambda points: lift(points, 0.1),
}


@pytest.mark.parametrize("question", REFUSED)
def test_what_lies_between_the_rows_is_refused(short, question):
    """Each refusal is one sentence that says what to do."""
    with pytest.raises(NotAnswerableError) as refused:
        REFUSED[question](short)
    said = str(refused.value)
    assert "\n" not in said
    assert said.startswith("a table that keeps only some rows")
    assert any(
        advice in said
        for advice in ("build the full table", "ask the full table", "merge the full tables")
    )


def test_the_printout_says_that_rows_are_missing(long, short):
    assert f"{len(short)} rows of a longer table, " in repr(short)
    assert "of a longer table" not in repr(long)


@pytest.mark.parametrize(("space", "area"), [("roc", "AUROC"), ("pr", "AUPR"), ("prg", "AUPRG")])
def test_a_legend_shows_the_area_or_its_bounds(short, space, area):
    draw = getattr(plot, space)
    figure, axes = plt.subplots()
    draw(short, ax=axes)
    draw(short.at_prevalence(0.2), ax=axes)
    labels = [line.get_label() for line in axes.get_lines() if area in str(line.get_label())]
    plt.close(figure)
    exact = f"({area} {getattr(short, space).area():.3f})"
    assert any(exact in label for label in labels)
    if area != "AUROC":  # which is the same at every prevalence
        bounds = bracketed(*area_brackets(short.at_prevalence(0.2))[area])
        assert any(f"({area} {bounds})" in label for label in labels)


weighted = samples | binary_samples(weights="float")


def same_areas(found, expected):
    right = pytest.approx(areas_of(expected), rel=1e-12, abs=1e-12, nan_ok=True)
    assert areas_of(found) == right


@given(weighted, st.integers(2, 35))
def test_any_table_in_so_many_rows(sample, most):
    full = of_sample(sample)
    needed = len({0, 1, len(full) - 1, np.nanargmax(full.precision), *vertices(full.fp, full.tp)})
    if needed > most:
        with pytest.raises(ParameterError, match=f"^max_points must be at least {needed} for"):
            full.compact(most)
        return
    some = full.compact(most)
    assert len(some) <= most
    if len(full) <= most:
        assert some == full
        return
    rows = [0, *np.searchsorted(-full.thresholds[1:], -some.thresholds[1:]) + 1]
    np.testing.assert_array_equal(some.tp, full.tp[rows])
    np.testing.assert_array_equal(some.fp, full.fp[rows])
    np.testing.assert_array_equal(some.table.gaps.between, np.diff(rows) > 1)
    assert some.hull().table == full.hull().table
    same_areas(some, full)
    for beta in BETAS:
        assert iso.best_threshold(some, beta=beta).tp == iso.best_threshold(full, beta=beta).tp


@pytest.mark.parametrize("most", [300, 1000, 2500])
def test_room_is_used(long, most):
    some = long.compact(most)
    assert most / 2 < len(some) <= most
    # Rows are spread over the whole curve.
    assert np.diff(some.tp).max() < 20 * long.positives / most
    assert np.diff(some.fp).max() < 20 * long.negatives / most


def test_a_curve_and_a_table_of_bins():
    random = np.random.default_rng(4)
    labels = random.random(3000) < 0.4
    scores = random.normal(size=3000) + labels
    stream = iso.Accumulator(20_000)
    stream.update(labels, scores)
    binned = stream.points()
    some = binned.compact(150)
    assert not some.table.has_hull
    assert not binned.table.has_hull
    assert len(some) <= 150
    full = iso.OperatingPoints.from_scores(labels, scores)
    wide, narrow = area_brackets(some), area_brackets(binned)
    for name, area in areas_of(full).items():
        assert wide[name].lo <= narrow[name].lo <= area <= narrow[name].hi <= wide[name].hi
    curve = iso.OperatingPoints.from_counts(
        full.tp, full.fp, positives=full.positives, negatives=full.negatives
    )
    same_areas(curve.compact(200), full)


def test_tables_that_cannot_be_compacted(long):
    with pytest.raises(NotAnswerableError, match="cannot be compacted, because its rows need not"):
        long.at([0.5, 0.1]).compact(2)
    with pytest.raises(ParameterError, match=r"^max_points must be a whole number"):
        long.compact(1)
    with pytest.raises(ParameterError, match=r"^max_points must be at least"):
        long.hull().compact(3)
