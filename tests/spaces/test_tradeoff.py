"""Tradeoff space: envelopes against brute force, the nesting of indices, areas, baselines."""

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy import stats
from scipy.integrate import quad

import isometrics as iso
from isometrics._counting.confusion import Confusion
from isometrics.errors import NotAnswerableError, ParameterError
from isometrics.spaces.indices import INDICES
from isometrics.spaces.tradeoff import baselines, front
from isometrics.testing import binary_samples, count_tables, point_clouds

from ..tables import of_counts

FOUR = ("kulczynski", "f-measure", "folke", "jaccard")
GRID = np.linspace(0, 1, 2001)
SMALL = np.linspace(0, 1, 201)
POINTS = iso.OperatingPoints.from_scores([1, 0, 1, 1, 0, 0, 1, 0], range(8, 0, -1))


def brute_force(points, name, lam):
    """The highest value of any point, the always-positive rule included."""
    index = INDICES[name]
    tp, fp = np.append(points.tp, points.positives), np.append(points.fp, points.negatives)
    rows = Confusion(tp, fp, points.positives, points.negatives)
    if name == "cost":
        rows = rows._replace(tp=np.append(tp, 0), fp=np.append(fp, 0))
    else:
        rows = rows.take(tp > 0)
    return index.of_rows(rows.column(), lam).max(axis=0)


def random_sets(seed, lattice):
    rng = np.random.default_rng(seed)
    top = 8 if lattice else 1000
    positives, negatives = (int(total) for total in rng.integers(1, top, 2))
    size = int(rng.integers(1, 25))
    tp, fp = rng.integers(0, positives + 1, size), rng.integers(0, negatives + 1, size)
    return of_counts((tp, fp, positives, negatives), labels=range(size))


# the envelope ----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", INDICES)
@pytest.mark.parametrize("lattice", [False, True], ids=["random", "lattice"])
def test_envelope_is_the_highest_curve(name, lattice):
    """150 sets of each kind, on 2,001 weights."""
    for seed in range(150):
        points = random_sets(seed, lattice)
        best, exact = points.tradeoff(name)(GRID), brute_force(points, name, GRID)
        assert np.abs(best - exact).max() <= 1e-12 * max(1, np.abs(exact).max())


@pytest.mark.parametrize("name", INDICES)
@given(binary_samples(max_size=40, weights="float"))
@example(([1, 0, 1, 0, 1, 0, 1], range(7, 0, -1), 0.1 * np.array([3, 2, 1, 3, 1, 3, 2])))
@settings(max_examples=30)
def test_envelope_of_weighted_scores(name, sample):
    """Of three rows whose curves meet in one point, rounding leaves the middle one no length."""
    labels, scores, weights = sample
    points = iso.OperatingPoints.from_scores(labels, scores, sample_weight=weights)
    exact, curve = brute_force(points, name, SMALL), points.tradeoff(name)
    np.testing.assert_allclose(curve(SMALL), exact, rtol=1e-11, atol=1e-11)
    assert (curve.intervals.lambda_lo < curve.intervals.lambda_hi).all()


@pytest.mark.parametrize("name", INDICES)
@given(point_clouds())
@settings(max_examples=40)
def test_intervals_tile_the_axis_and_meet_in_value(name, cloud):
    found = of_counts(cloud).tradeoff(name).intervals
    assert found.lambda_lo[0] == 0
    assert found.lambda_hi[-1] == 1
    assert (found.lambda_lo[1:] == found.lambda_hi[:-1]).all()
    assert (found.lambda_lo < found.lambda_hi).all()
    assert (np.diff(found.tp) > 0).all()
    # A border is a float: near 0 and 1 a steep curve moves visibly within its last bit.
    border = found.lambda_lo[1:]
    rows = found.table.counts
    rows = rows._replace(
        tp=np.stack([rows.tp[:-1], rows.tp[1:]]), fp=np.stack([rows.fp[:-1], rows.fp[1:]])
    )
    beside = [INDICES[name].of_rows(rows, np.nextafter(border, end)) for end in (0.0, 1.0)]
    moves = np.abs(beside[1] - beside[0]).max(axis=0)
    scale = max(1.0, np.abs(found.value_lo).max())
    assert (np.abs(found.value_lo[1:] - found.value_hi[:-1]) <= 1e-9 * scale + moves).all()


def vertices(points, name):
    found = points.tradeoff(name).intervals
    return list(zip(found.tp.tolist(), found.fp.tolist(), strict=True))


@given(point_clouds(max_count=10**4))
def test_the_envelopes_are_nested(cloud):
    """Kulczynski ⊆ Folke ⊆ F = Jaccard = F gain ⊆ Pareto front."""
    points = of_counts(cloud)
    kulczynski, f, folke, jaccard = (set(vertices(points, name)) for name in FOUR)
    assert kulczynski <= folke <= f
    assert f == jaccard == set(vertices(points, "f-gain"))
    everything = (points.positives, points.negatives)
    others = [*zip(points.tp.tolist(), points.fp.tolist(), strict=True), everything]
    for tp, fp in f:
        assert not any(t >= tp and p <= fp and (t, p) != (tp, fp) for t, p in others)


@given(point_clouds())
def test_the_f_envelope_is_the_hull_with_the_intervals_of_d(cloud):
    points = of_counts(cloud)
    found, best = points.tradeoff().intervals, iso.optimal_thresholds(points)
    kept = best.beta_squared_lo < best.beta_squared_hi
    assert found.tp.tolist() == best.tp[kept].tolist()
    assert found.fp.tolist() == best.fp[kept].tolist()
    for lam, squared in (
        (found.lambda_lo, best.beta_squared_lo[kept]),
        (found.lambda_hi, best.beta_squared_hi[kept]),
    ):
        np.testing.assert_allclose(lam, 1 - 1 / (1 + squared), rtol=1e-13, atol=1e-15)


@given(binary_samples(max_size=40))
def test_cost_is_dual_to_the_roc_hull(sample):
    points = iso.OperatingPoints.from_scores(*sample)
    hull = {*zip(points.hull().tp.tolist(), points.hull().fp.tolist(), strict=True)}
    assert set(vertices(points, "cost")) <= hull
    curve = points.tradeoff("cost")
    assert (curve(SMALL) >= np.maximum(SMALL, 1 - SMALL) - 1e-15).all()


def test_the_empty_rule_is_a_row_of_the_cost_only():
    points = iso.OperatingPoints.from_scores([0, 1, 0, 1], [4, 3, 2, 1])
    assert math.inf in points.tradeoff("cost").intervals.thresholds
    for name in (*FOUR, "f-gain"):
        assert math.inf not in points.tradeoff(name).intervals.thresholds


def test_tables_of_every_kind():
    curve = of_counts(([1, 3, 4], [0, 1, 3], 4, 4))
    sets = of_counts(([4, 1, 3], [3, 0, 1], 4, 4), labels=["c", "a", "b"])
    assert sets.tradeoff("folke").intervals.labels == ("a", "b", "c")
    for points in (curve, sets, POINTS.hull(), POINTS.at([8, 5, 2])):
        for name in INDICES:
            expected = POINTS.tradeoff(name)(SMALL)
            np.testing.assert_allclose(points.tradeoff(name)(SMALL), expected, rtol=1e-15)


# reading it ------------------------------------------------------------------------------------


def test_calls_return_what_they_were_asked():
    t = POINTS.tradeoff()
    assert isinstance(t(0.5), float)
    assert t([0, 0.5, 1]).tolist() == [1, 0.75, 1]
    assert t(np.zeros((2, 3))).shape == (2, 3)
    for lam in (-0.1, 1.5, [0, 2], "much", math.nan):
        with pytest.raises(ParameterError, match="lam must be a weight of recall between 0 and 1"):
            t(lam)


def test_best_rows():
    t = POINTS.tradeoff()
    assert t.best(0.3).thresholds.tolist() == [5]
    assert t.best(5 / 9).thresholds.tolist() == [5, 2]
    with pytest.raises(ParameterError, match="lam must be between 0 and 1 but is 2"):
        t.best(2)


def test_a_tradeoff_prints():
    t = POINTS.tradeoff("jaccard")
    assert repr(t).startswith("Tradeoff (jaccard): 3 rows are best for some λ, area 0.716202\n")
    assert t._repr_html_().startswith("<table><caption>Tradeoff (jaccard)")
    assert t.to_frame("pandas")["lambda_hi"].tolist() == [0.0625, 0.6, 1]
    assert repr(t.intervals).startswith("TradeoffIntervals: 3 rows are best for some λ\nthreshold")
    assert repr(t.best(0)).startswith("TradeoffIntervals: 1 row is")


def test_curves_of_all_points():
    t = POINTS.tradeoff()
    curves = t.curves(SMALL)
    assert curves.shape == (8, 201)
    np.testing.assert_allclose(curves.max(axis=0), t(SMALL), rtol=1e-15)
    np.testing.assert_array_equal(t.curves(0.5, most=3)[:, 0], curves[[0, 4, 7], 100])
    leading = iso.OperatingPoints.from_scores([0, 1], [2, 1]).tradeoff()
    assert leading.curves(SMALL).shape == (1, 201)


# areas -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", INDICES)
@pytest.mark.parametrize("seed", range(4))
def test_areas_are_integrals(name, seed):
    t = random_sets(seed, lattice=False).tradeoff(name)
    for lo, hi in ((0, 1), (0.1, 0.35), (0.4, 0.9)):
        breaks = [*t.intervals.lambda_lo[1:], 0.5]
        cuts = [lo, *(cut for cut in sorted(breaks) if lo < cut < hi), hi]
        pieces = pairwise(cuts)
        exact = math.fsum(quad(t, *ends, epsabs=1e-13, epsrel=1e-13)[0] for ends in pieces)
        assert t.area(lo, hi) == pytest.approx(exact, rel=1e-10, abs=1e-10)
    parts = t.area(0, 0.3) + t.area(0.3, 0.62) + t.area(0.62, 1)
    assert t.area() == pytest.approx(parts, rel=1e-13)


DENSITIES = {
    "beta": (("beta", 2, 3), stats.beta(2, 3).pdf),
    "beta with infinite ends": (("beta", 0.5, 0.7), stats.beta(0.5, 0.7).pdf),
    "triangular": ("triangular", stats.triang(0.5).pdf),
    "skew": (("triangular", 0.2), stats.triang(0.2).pdf),
    "falling": (("triangular", 0), stats.triang(0).pdf),
    "rising": (("triangular", 1.0), stats.triang(1).pdf),
    "a distribution with infinite ends": (stats.beta(0.5, 0.7), stats.beta(0.5, 0.7).pdf),
    "a distribution": (stats.beta(4, 2), stats.beta(4, 2).pdf),
    "a triangular distribution": (stats.triang(0.3, 0.1, 0.6), stats.triang(0.3, 0.1, 0.6).pdf),
    "a part": (stats.uniform(0.2, 0.3), stats.uniform(0.2, 0.3).pdf),
    "a narrow peak": (stats.norm(0.37654, 1e-5), None),
}


@pytest.mark.parametrize("name", INDICES)
@pytest.mark.parametrize("density", DENSITIES)
def test_means_under_a_density(name, density):
    t = POINTS.tradeoff(name)
    given_density, pdf = DENSITIES[density]
    found = t.area(density=given_density)
    if pdf is None:
        assert found == pytest.approx(t(0.37654), abs=1e-5)
        return
    # Substituted, so that infinite ends are finite: λ = sin²(x).
    cuts = np.sort([0, *t.intervals.lambda_lo, 0.1, 0.2, 0.28, 0.5, 0.7, 1])
    angles = np.arcsin(np.sqrt(cuts))

    def mean(function):
        return math.fsum(
            quad(
                lambda x: function(np.sin(x) ** 2) * pdf(np.sin(x) ** 2) * np.sin(2 * x),
                start,
                end,
                epsabs=1e-13,
                epsrel=1e-12,
                limit=200,
            )[0]
            for start, end in pairwise(angles)
            if start < end
        )

    assert found == pytest.approx(mean(t) / mean(lambda _: 1.0), rel=1e-10)


def test_a_density_is_renormalised_on_the_range():
    t = POINTS.tradeoff("kulczynski")
    assert t.area(0.2, 0.6, density=("beta", 1, 1)) == pytest.approx(
        t.area(0.2, 0.6) / 0.4, rel=1e-13
    )
    same = [t.area(0.2, 0.6, density=each) for each in (("beta", 2, 4), stats.beta(2, 4))]
    assert same[0] == pytest.approx(same[1], rel=1e-11)


def test_a_mean_that_is_hard_to_find_comes_without_a_warning():
    index = iso.Index("peak", lambda p, r, lam: p * r + np.abs(lam - 1 / 3 + 1e-12) ** -0.9)
    mean = POINTS.tradeoff(index).area(density="triangular")
    # With λ = ⅓ ± u¹⁰ nothing is infinite.
    pdf, parts = stats.triang(0.5).pdf, ((-1, 1 / 3), (1, 2 / 3))
    areas = [quad(lambda u, s=s: pdf(1 / 3 + s * u**10), 0, end**0.1)[0] for s, end in parts]
    assert mean == pytest.approx(4 / 7 + 10 * sum(areas), rel=0.1)


def test_what_is_no_density():
    message = "density must be .* but is {}"
    for density, said in (
        ("normal", message.format("'normal'")),
        (("beta", 1), message.format(r"\('beta', 1\)")),
        (("beta", "a", "b"), "density must be .* or a frozen distribution of scipy.stats but is"),
        (("beta", 0, 1), "density must be .* with a > 0 and b > 0, .* but is"),
        (("beta", 2, math.inf), message.format("")),
        (("triangular", 2), "density must be .* with a mode between 0 and 1, .* but is"),
        ((), message.format(r"\(\)")),
        (3, message.format(3)),
        (lambda _: 0.0, message.format("<function")),
        (stats.uniform(2, 1), "density is 0 everywhere from 0 to 1"),
    ):
        with pytest.raises(ParameterError, match=said):
            POINTS.tradeoff().area(density=density)
    with pytest.raises(ParameterError, match="hi must be a weight of recall between 0 and 1"):
        POINTS.tradeoff().area(0, 1.5)


# baselines -------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", INDICES)
@pytest.mark.parametrize("seed", range(12))
def test_useful_range_is_where_the_curve_beats_the_trivial_sets(name, seed):
    points = random_sets(seed, lattice=seed % 2 == 0)
    t = points.tradeoff(name)
    found = t.useful_range()
    positives, negatives = points.positives, points.negatives
    smallest = 0 if name == "cost" else 1
    trivial = Confusion(
        np.array([smallest, positives]), np.array([0, negatives]), positives, negatives
    )
    baseline = INDICES[name].of_rows(trivial.column(), SMALL).max(axis=0)
    lo, hi = found.lambda_lo[:, None], found.lambda_hi[:, None]
    inside = ((lo < SMALL) & (hi > SMALL)).any(axis=0)
    near = (np.abs(np.concatenate([lo, hi, [[2]]]) - SMALL) < 1e-9).any(axis=0)
    above = t(SMALL) > baseline + 1e-12 * np.maximum(1, abs(baseline))
    assert (above == inside)[~near].all()
    assert found.length == pytest.approx(np.sum(found.lambda_hi - found.lambda_lo))


def test_useful_ranges_of_kulczynski_are_exact():
    """The minimal set wins up to λ = ⅓, where its curve meets that of the second row."""
    found = POINTS.tradeoff("kulczynski").useful_range()
    assert found.lambda_lo.tolist() == [1 / 3]
    assert found.lambda_hi.tolist() == [1]
    assert repr(found).startswith("UsefulRange: 1 range of λ, of length 0.666667\n")


def test_nothing_is_useful_about_everything():
    tied = iso.OperatingPoints.from_scores([1, 1, 0, 0, 0], np.ones(5))
    found = tied.tradeoff().useful_range()
    assert len(found) == found.length == 0
    assert repr(found).startswith("UsefulRange: 0 ranges of λ, of length 0")


@pytest.mark.parametrize("name", INDICES)
def test_trivial_sets_have_names(name):
    found = baselines(POINTS.table, INDICES[name])
    assert found.labels == ("empty rule" if name == "cost" else "minimal set", "maximal set")
    assert found.tp.tolist() == [int(name != "cost"), POINTS.positives]
    assert found.fp.tolist() == [0, POINTS.negatives]


def test_the_minimal_set_needs_counted_positives():
    labels, weights = [1, 0, 1, 0], [0.5, 1.5, 1.25, 1.0]
    points = iso.OperatingPoints.from_scores(labels, [4, 3, 2, 1], sample_weight=weights)
    assert points.tradeoff("kulczynski").useful_range().lambda_lo.tolist() == [0]


# constraints -----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", INDICES)
@pytest.mark.parametrize("seed", range(6))
def test_constraints_keep_the_rows_that_satisfy_them(name, seed):
    points = random_sets(seed, lattice=False)
    tp, fp = np.append(points.tp, points.positives), np.append(points.fp, points.negatives)
    rows = Confusion(tp, fp, points.positives, points.negatives).take(tp > 0)
    level = float(np.median(rows.precision))
    rows = rows.take(rows.precision >= level)
    least = float(np.median(rows.recall))
    rows = rows.take(rows.recall >= least)
    t = points.tradeoff(name).with_constraints(min_precision=level, min_recall=least)
    exact = INDICES[name].of_rows(rows.column(), SMALL).max(axis=0)
    np.testing.assert_allclose(t(SMALL), exact, rtol=1e-12, atol=1e-12)
    assert (t.intervals.precision >= level).all()
    assert (t.intervals.recall >= least).all()


def test_impossible_constraints_say_what_can_be_had():
    late, early = (
        iso.OperatingPoints.from_scores(labels, [4, 3, 2, 1]).tradeoff()
        for labels in ([0, 1, 1, 0], [1, 0, 1, 0])
    )
    both = {"min_precision": 0.7, "min_recall": 0.9}
    message = "no point reaches recall 0.9 with precision ≥ 0.7; the best is 0.5"
    for curve, levels, said in (
        (late, {"min_precision": 0.9}, "no point reaches precision 0.9; the best is 0.666667"),
        (early, both, message),
        (early, {}, "pass min_precision=, min_recall= or both"),
        (early, {"min_recall": 2}, "min_recall must be between 0 and 1 but is 2"),
    ):
        with pytest.raises(ParameterError, match=said):
            curve.with_constraints(**levels)


def test_constraints_add_up():
    t = POINTS.tradeoff().with_constraints(min_precision=0.6).with_constraints(min_recall=0.5)
    assert t.intervals.thresholds.tolist() == [5]
    assert t.rows.size == 3
    assert t.useful_range().length < 1


# functions on top ------------------------------------------------------------------------------


def test_tradeoff_score():
    labels, scores = [1, 0, 1, 1, 0, 0, 1, 0], list(range(8, 0, -1))
    t = POINTS.tradeoff("folke")
    assert iso.tradeoff_score(labels, scores, index="folke") == t.area()
    options = {"lo": 0.2, "hi": 0.5, "density": ("beta", 2, 2)}
    assert iso.tradeoff_score(labels, scores, index="folke", **options) == t.area(**options)
    assert math.isnan(iso.tradeoff_score([1, 1], [1, 2], undefined="nan"))


def test_constraints_need_all_rows():
    labels = np.arange(2000) % 2 == 0
    scores = np.random.default_rng(3).normal(1.0 * labels)
    few = iso.OperatingPoints.from_scores(labels, scores).compact(60)
    with pytest.raises(NotAnswerableError, match="the best rows under constraints"):
        few.tradeoff().with_constraints(min_recall=0.5)


@given(count_tables() | point_clouds(), st.booleans())
def test_the_front_is_what_no_other_row_dominates(counts, with_empty_rule):
    tp, fp, positives, negatives = counts
    table = iso.OperatingPoints.from_counts(tp, fp, positives=positives, negatives=negatives).table
    rows = list(zip(table.fp.tolist(), table.tp.tolist(), strict=True))
    expected = {
        (x, y)
        for x, y in rows
        if (y > 0 or with_empty_rule)
        and not any(a <= x and b >= y and (a, b) != (x, y) for a, b in rows)
    }
    found = [rows[row] for row in front(table, with_empty_rule=with_empty_rule)]
    assert found == sorted(expected)


def test_what_is_best_at_a_weight_comes_with_its_piece():
    tradeoff = iso.OperatingPoints.from_counts([2, 6], [0, 4], positives=8, negatives=12).tradeoff()
    lambda_lo, lambda_hi = tradeoff.intervals.lambda_lo, tradeoff.intervals.lambda_hi
    for row in range(len(lambda_lo)):
        best = tradeoff.best((lambda_lo[row] + lambda_hi[row]) / 2)
        assert best.lambda_lo == lambda_lo[row]
        assert best.lambda_hi == lambda_hi[row]
