"""Bands around curves: quantiles at each place, and whole curves inside."""

import statistics
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import ndtr

import isometrics as iso
from isometrics.errors import NotAnswerableError, ParameterError
from isometrics.measures import Measure
from isometrics.uncertainty.bands import _envelope
from isometrics.uncertainty.resampling import Grain

RNG = np.random.default_rng(21)
LABELS = np.arange(300) < 90
SCORES = {"A": RNG.normal(1.5 * LABELS).round(1), "B": RNG.normal(1.0 * LABELS).round(1)}
POINTS = iso.OperatingPoints.from_scores(LABELS, SCORES["A"])
FEW = {"n_resamples": 120, "random_state": 2}


@pytest.mark.parametrize("stratified", [False, True])
@pytest.mark.parametrize("space", ["roc", "pr", "prg"])
def test_replicates_are_the_curves_of_reweighted_tables(space, stratified):
    """The same seed draws the same replicates for a curve's height and for the whole curve."""
    place = 0.4

    def height(points):
        return float(getattr(points, space).interpolate(place))

    measure = Measure("height", height, Grain.RUNS)
    drawn = {"n_resamples": 120, "stratified": stratified}
    seed = np.random.SeedSequence(5).spawn(2)[0]
    curves = iso.bootstrap_curves(POINTS, space=space, x=[0.2, place], random_state=seed, **drawn)
    single = iso.bootstrap(POINTS, measures=measure, random_state=5, **drawn)
    np.testing.assert_allclose(curves.replicates[0, :, 1], single.replicates[0, 0], rtol=1e-12)
    assert curves.estimates[0, 1] == pytest.approx(height(POINTS), rel=1e-12)


def harmonic(tp, fp, positives, _, lam):
    return 1 / (lam * positives / tp + (1 - lam) * (tp + fp) / tp)


INDICES = {
    "f-measure": harmonic,
    "f-gain": lambda tp, fp, positives, negatives, lam: (
        1 - positives / negatives * (lam * (positives - tp) + (1 - lam) * fp) / tp
    ),
    "cost": lambda tp, fp, positives, negatives, lam: (
        lam * tp / positives + (1 - lam) * (1 - fp / negatives)
    ),
    "own": lambda *given: 7 - 5 / harmonic(*given),
}
NOTHING = -1e3
"""What stands for the value of a rule without true positives, where an index has none."""
SMALL = iso.OperatingPoints.from_scores([1, 1, 0, 0, 1, 0, 0], [7, 6, 5, 4, 3, 2, 1])


@pytest.mark.filterwarnings("ignore::isometrics.errors.UndefinedWarning")
@pytest.mark.parametrize("name", INDICES)
@pytest.mark.parametrize(
    ("points", "options"), [(POINTS, {}), (POINTS, {"stratified": True}), (SMALL, {})]
)
def test_replicates_of_tradeoff_curves_from_the_definition(name, points, options):
    """Every rule is tried in every replicate, and the optimism taken from what the best one has."""
    lam, value = 0.41, INDICES[name]
    own = iso.Index("own", lambda p, r, lam: 7 - 5 * (lam / r + (1 - lam) / p))
    to_scale = {"own": lambda x: x}.get(name, lambda x: np.log(x / (1 - x)))
    from_scale = {"own": lambda x: x}.get(name, lambda x: 1 / (1 + np.exp(-x)))

    def reached(of, threshold):
        row = np.flatnonzero(of.thresholds >= threshold)[-1]
        counts = Fraction(int(of.tp[row])), int(of.fp[row]), int(of.positives), int(of.negatives)
        has_value = counts[0] > 0 or name == "cost"
        return float(value(*counts, Fraction(lam))) if has_value else NOTHING

    def best(of):
        """Among rules of equal counts, take the one of the highest threshold."""
        return max(of.thresholds, key=lambda threshold: (reached(of, threshold), threshold))

    rule = best(points)
    found = {
        "best": lambda of: reached(of, best(of)),
        "in sample": lambda of: reached(points, best(of)),
        "kept": lambda of: reached(of, rule),
    }
    measures = [Measure(which, function, Grain.RUNS) for which, function in found.items()]
    drawn = {"n_resamples": 61, **options}
    seed = np.random.SeedSequence(5).spawn(2)[0]
    each = iso.bootstrap(points, measures=measures, random_state=5, **drawn).replicates[0]
    each = np.where(each == NOTHING, -1e300, each)
    each = to_scale(np.clip(each, 1e-12, 1 - 1e-12) if name != "own" else each)
    optimism = statistics.median_low(each[0][~np.isnan(each[0])] - each[1][~np.isnan(each[0])])
    curves = iso.bootstrap_curves(
        points,
        space="tradeoff",
        index=own if name == "own" else name,
        x=[0.2, lam],
        random_state=seed,
        **drawn,
    )
    np.testing.assert_allclose(
        curves.replicates[0, :, 1], from_scale(each[2] - optimism), rtol=1e-9, atol=1e-11
    )
    assert curves.estimates[0, 1] == pytest.approx(reached(points, rule), rel=1e-12)


def test_bands_of_tradeoff_curves_lie_around_the_best_value_of_the_population():
    """Positives score N(1, 1) and negatives N(0, 1): the best values of samples are too high."""
    rng = np.random.default_rng(6)
    thresholds = np.linspace(-3, 4, 7001)
    tp, fp = 0.3 * ndtr(1 - thresholds), 0.7 * ndtr(-thresholds)
    truth = (tp / (tp + 0.5 * (0.3 - tp + fp))).max()
    centres, estimates = [], []
    for _ in range(50):
        labels = rng.random(200) < 0.3
        curves = iso.bootstrap_curves(
            labels, rng.normal(labels), space="tradeoff", x=0.5, n_resamples=30, random_state=rng
        )
        centres.append(np.median(curves.replicates))
        estimates.append(curves.estimates[0, 0])
    error = np.std(centres) / np.sqrt(50)
    assert abs(np.mean(centres) - truth) < 3 * error
    assert np.mean(estimates) - truth > 2 * error


def test_kept_rules_without_true_positives_are_worth_nothing():
    """Of 3 positives one ranks first; it is drawn in about two of three replicates."""
    few = iso.OperatingPoints.from_scores([1, 0, 0, 0, 1, 0, 1, 0], range(8, 0, -1))
    for index in ("kulczynski", "f-gain"):
        curves = iso.bootstrap_curves(
            few, space="tradeoff", index=index, x=0.01, n_resamples=200, random_state=0
        )
        defined = curves.replicates[~np.isnan(curves.replicates)]
        assert 0.2 < np.mean(defined < 1e-6) < 0.5


@pytest.mark.parametrize("space", ["roc", "pr", "prg", "tradeoff"])
def test_bands_by_hand(space):
    curves = iso.bootstrap_curves(LABELS, SCORES, space=space, **FEW)
    band = curves.band("B", confidence_level=0.9)
    told = curves.rows[1] >= 5
    assert 30 < told.sum() < 100
    assert np.isnan([band.lower[~told], band.upper[~told]]).all()
    expected = np.quantile(curves.replicates[1][:, told], [0.05, 0.95], axis=0)
    np.testing.assert_allclose([band.lower[told], band.upper[told]], expected)
    wide = curves.band("B", kind="simultaneous", confidence_level=0.9)
    assert (wide.lower[told] <= band.lower[told] + 1e-12).all()
    assert (wide.upper[told] >= band.upper[told] - 1e-12).all()
    some = curves.replicates[1][:, told]
    inside = (some >= wide.lower[told]) & (some <= wide.upper[told])
    assert inside.all(axis=1).mean() >= 0.9
    assert (wide.lower[told] <= wide.estimate[told] + 1e-12).all()
    assert wide.x.size == (100 if space == "pr" else 101)
    assert repr(wide).startswith(f"Band: simultaneous, 90%, {space} curve of B\n")
    assert wide.index == ("f-measure" if space == "tradeoff" else "")


@given(
    st.integers(2, 40).flatmap(
        lambda rows: st.lists(
            st.lists(st.integers(0, 5), min_size=3, max_size=3), min_size=rows, max_size=rows
        )
    ),
    st.sampled_from([0.5, 0.8, 0.95]),
)
def test_the_envelope_is_the_narrowest_whose_like_hold_enough_curves(curves, level):
    """Each curve is judged by the order statistics of the others."""
    values = np.array(curves, float)
    lower, upper = _envelope(values, level)
    size = len(values)

    def holds(k):
        inside = 0
        for row, curve in enumerate(values):
            others = np.sort(np.delete(values, row, axis=0), axis=0)
            inside += ((others[k - 1] <= curve) & (curve <= others[-k])).all()
        return inside >= np.ceil(level * size)

    k = max((k for k in range(1, size) if holds(k)), default=1)
    ordered = np.sort(values, axis=0)
    np.testing.assert_array_equal(lower, ordered[k - 1])
    np.testing.assert_array_equal(upper, ordered[size - k])


def test_simultaneous_bands_hold_new_curves():
    """Bands of 400 random walks of 20 steps hold as many other walks as they say."""
    rng = np.random.default_rng(3)
    held = []
    for _ in range(20):
        lower, upper = _envelope(rng.normal(size=(400, 20)).cumsum(axis=1), 0.95)
        walks = rng.normal(size=(1000, 20)).cumsum(axis=1)
        held.append(((lower <= walks) & (walks <= upper)).all(axis=1).mean())
    assert 0.945 < np.mean(held) < 0.975


@pytest.mark.parametrize("space", ["roc", "pr", "prg", "tradeoff"])
def test_rows_that_decide_by_hand(space):
    """Of 90 positives and 210 negatives, at the place of the row of threshold 1."""
    at = POINTS.at([1.0])
    places = {
        "roc": at.false_positive_rate,
        "pr": at.recall,
        "prg": at.recall_gain,
        "tradeoff": [0.5],
    }
    curves = iso.bootstrap_curves(POINTS, space=space, x=places[space], n_resamples=2)
    row = iso.best_threshold(POINTS) if space == "tradeoff" else None
    tp, fp = (at.tp[0], at.fp[0]) if row is None else (row.tp, row.fp)
    assert curves.rows[0, 0] == pytest.approx(min(tp, 90 - tp, fp))
    moved = iso.bootstrap_curves(
        POINTS, space="roc", x=at.false_positive_rate, n_resamples=2, prevalence=0.01
    )
    assert moved.rows[0, 0] == pytest.approx(min(at.tp[0], 90 - at.tp[0], at.fp[0]))


def test_the_fewest_rows_decide():
    reversed_ = iso.OperatingPoints.from_scores(LABELS, -SCORES["A"])
    fewest = set()
    for points, threshold in ((POINTS, 1.5), (POINTS, 0.0), (reversed_, 0.0)):
        at = points.at([threshold])
        counts = {"tp": at.tp[0], "fn": at.fn[0], "fp": at.fp[0]}
        curves = iso.bootstrap_curves(points, x=at.false_positive_rate, n_resamples=2)
        assert curves.rows[0, 0] == pytest.approx(min(counts.values()))
        fewest.add(min(counts, key=counts.get))
    assert fewest == {"tp", "fn", "fp"}


def test_threads_clusters_weights_and_prevalence():
    options = {"clusters": np.arange(300) // 3, "sample_weight": np.ones(300), "prevalence": 0.1}
    one = iso.bootstrap_curves(LABELS, SCORES, space="pr", x=[0.5], n_jobs=1, **options, **FEW)
    two = iso.bootstrap_curves(LABELS, SCORES, space="pr", x=[0.5], n_jobs=2, **options, **FEW)
    np.testing.assert_array_equal(one.replicates, two.replicates)
    moved = POINTS.at_prevalence(0.1)
    assert one.estimates[0, 0] == pytest.approx(float(moved.pr.interpolate(0.5)))
    assert list(one.to_frame("pandas").columns) == ["recall", "A", "B"]
    alone = iso.bootstrap_curves(POINTS, n_resamples=2).to_frame("pandas")
    assert list(alone.columns) == ["false_positive_rate", "estimate"]
    assert repr(one).startswith("CurveReplicates: 120 replicates in pr space at 1 x")


def test_replicates_without_a_class_and_refusals():
    few = iso.OperatingPoints.from_scores([1, 1, 0, 0, 0, 0], [6, 3, 5, 4, 2, 1])
    curves = iso.bootstrap_curves(few, **FEW)
    undefined = np.isnan(curves.replicates[0]).any(axis=1)
    assert undefined.any()
    assert np.isnan(curves.band().lower).all()
    broken = replace(curves, replicates=curves.replicates[:, undefined])
    with pytest.raises(NotAnswerableError, match="a band needs two replicates or more"):
        broken.band()
    curves = iso.bootstrap_curves(POINTS, n_resamples=5, x=0.5)
    with pytest.raises(ParameterError, match="kind must be one of 'pointwise', 'simultaneous'"):
        curves.band(kind="narrow")
    with pytest.raises(ParameterError, match="model must be one of"):
        curves.band("A")
    with pytest.raises(ParameterError, match="space must be one of 'roc', 'pr', 'prg', 'tradeoff'"):
        iso.bootstrap_curves(POINTS, space="cost")
    with pytest.raises(ParameterError, match="x must be a recall gain between 0 and 1"):
        iso.bootstrap_curves(POINTS, space="prg", x=[2])
    with pytest.raises(ParameterError, match="lam must be a weight of recall between 0 and 1 but"):
        iso.bootstrap_curves(POINTS, space="tradeoff", x=[2])
