"""The bootstrap: against resampled rows, across threads and kernels, and its faces."""

import warnings

import numpy as np
import pytest

import isometrics as iso
from isometrics._counting import native
from isometrics.errors import (
    MissingValueError,
    NotAnswerableError,
    ParameterError,
    UndefinedWarning,
)
from isometrics.measures import f_at, optimal_f, optimal_threshold, precision_at, registered
from isometrics.uncertainty.intervals import METHODS, interval_of

NAMED = {each.name: each for each in registered()}


RNG = np.random.default_rng(11)
LABELS = np.arange(400) < 120
SCORES = {"A": RNG.normal(1.4 * LABELS).round(2), "B": RNG.normal(1.0 * LABELS).round(1)}
GROUPS = np.arange(400) % 57
WEIGHTS = RNG.uniform(0.2, 3, 400)
POINTS = iso.OperatingPoints.from_scores(LABELS, SCORES["A"])
FEW = {"n_resamples": 200, "random_state": 3}


@pytest.mark.slow
def test_standard_errors_are_those_of_resampled_rows():
    """4000 replicates of rows drawn with replacement and sorted again, within 5 errors."""
    random = np.random.default_rng(4)
    rows = random.integers(0, 400, (4000, 400))
    areas = []
    for chosen in rows:
        points = iso.OperatingPoints.from_scores(LABELS[chosen], SCORES["A"][chosen])
        areas.append((points.roc.area(), points.pr.area(), points.prg.area()))
    result = iso.bootstrap(POINTS, n_resamples=4000, random_state=5)
    brute = np.array(areas)
    errors = brute.std(axis=0, ddof=1)
    np.testing.assert_allclose(result.standard_errors[0], errors, rtol=5 / np.sqrt(4000))
    gap = np.abs(result.replicates[0].mean(axis=1) - brute.mean(axis=0))
    assert (gap < 5 * errors * np.sqrt(2 / 4000)).all()


def test_threads_do_not_matter():
    one, *others = (
        iso.bootstrap(POINTS, n_jobs=jobs, n_resamples=130, random_state=1) for jobs in (1, 2, -1)
    )
    for other in others:
        np.testing.assert_array_equal(one.replicates, other.replicates)
        np.testing.assert_array_equal(one.lower, other.lower)
    told = []
    iso.bootstrap(POINTS, n_resamples=70, progress=lambda done, total: told.append((done, total)))
    assert told == [(32, 70), (64, 70), (70, 70)]


@pytest.mark.usefixtures("compiled_loops")
def test_replicates_are_the_same_without_compiled_loops(monkeypatch):
    several = ((POINTS,), (LABELS, SCORES))
    compiled = [iso.bootstrap(*given, **FEW).replicates for given in several]
    monkeypatch.setattr(native, "available", lambda: False)
    plain = [iso.bootstrap(*given, **FEW).replicates for given in several]
    for one, other in zip(compiled, plain, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-12)


def test_random_states():
    first = iso.bootstrap(POINTS, n_resamples=50, random_state=7)
    for same in (7, np.int64(7), np.random.SeedSequence(7)):
        again = iso.bootstrap(POINTS, n_resamples=50, random_state=same)
        np.testing.assert_array_equal(first.replicates, again.replicates)
    generator = np.random.default_rng(7)
    one, two = (iso.bootstrap(POINTS, n_resamples=50, random_state=generator) for _ in "12")
    assert (one.replicates != two.replicates).any()
    legacy = [
        iso.bootstrap(POINTS, n_resamples=50, random_state=np.random.RandomState(3)) for _ in "12"
    ]
    np.testing.assert_array_equal(legacy[0].replicates, legacy[1].replicates)
    fresh = [iso.bootstrap(POINTS, n_resamples=50) for _ in "12"]
    assert (fresh[0].replicates != fresh[1].replicates).any()
    for wrong in (1.5, "7", True):
        with pytest.raises(ParameterError, match="random_state must be None, a whole number"):
            iso.bootstrap(POINTS, random_state=wrong)
    with pytest.raises(ParameterError, match="random_state must be a whole number, 0 or more, but"):
        iso.bootstrap(POINTS, random_state=-1)


@pytest.mark.parametrize("stratified", [False, True])
def test_stratified_replicates_keep_the_prevalence(stratified):
    def prevalence(points):
        return points.prevalence

    with warnings.catch_warnings():
        # A prevalence that is kept has no interval.
        warnings.simplefilter("ignore", UndefinedWarning)
        result = iso.bootstrap(POINTS, measures=prevalence, stratified=stratified, **FEW)
    varies = result.replicates[0, 0].std() > 1e-3
    assert varies != stratified
    assert result.replicates[0, 0].mean() == pytest.approx(0.3, abs=0.01)
    assert result.measures == ("prevalence",)


def test_another_prevalence_is_that_of_the_moved_table():
    result = iso.bootstrap(POINTS, prevalence=0.02, measures=["AUPR", "AUPRG", f_at(1.0)], **FEW)
    moved = POINTS.at_prevalence(0.02)
    expected = [moved.pr.area(), moved.prg.area(), moved.at([1.0]).f()[0]]
    np.testing.assert_allclose(result.estimates[0], expected, rtol=1e-12)
    assert (result.lower[0] < expected).all()
    assert (result.upper[0] > expected).all()
    weighted = iso.OperatingPoints.from_scores(LABELS, SCORES["A"], sample_weight=WEIGHTS)
    for points in (weighted, POINTS.at_prevalence(0.1)):
        with pytest.raises(NotAnswerableError, match="the counts of these operating points are no"):
            iso.bootstrap(points)
    with pytest.raises(NotAnswerableError, match="a hull cannot be resampled"):
        iso.bootstrap(POINTS.hull())


def test_all_named_measures_and_those_of_thresholds():
    measures = [*NAMED, f_at(0.8, beta=2), precision_at(0.5), optimal_f(), optimal_threshold()]
    result = iso.bootstrap(POINTS, measures=measures, n_resamples=60, random_state=1)
    best = iso.best_threshold(POINTS)
    named = dict(zip(result.measures, result.estimates[0], strict=True))
    assert named["best F (β 1)"] == best.f
    assert named["best threshold (β 1)"] == best.threshold
    assert named["F (β 2) at 0.8"] == POINTS.at([0.8]).f(2)[0]
    assert named["tradeoff area"] == POINTS.tradeoff().area()
    assert np.isfinite(result.replicates).all()
    inside = (result.lower < result.estimates) & (result.estimates < result.upper)
    assert inside.mean() > 0.8


def test_paired_replicates_are_drawn_once_for_all_models():
    twins = iso.bootstrap(LABELS, {"A": SCORES["A"], "B": 2 * SCORES["A"] + 1}, **FEW)
    np.testing.assert_allclose(twins.replicates[0], twins.replicates[1], rtol=1e-12)
    with pytest.warns(UndefinedWarning, match="the difference of A and B is undefined"):
        gaps = twins.differences("AUROC")
    assert gaps.better[0] == 0.5
    assert np.isnan(gaps.z[0])


def test_differences_of_rows():
    result = iso.bootstrap(LABELS, SCORES, n_resamples=2000, random_state=2)
    gaps = result.differences("AUROC")
    delong = iso.delong(LABELS, SCORES).differences()
    assert gaps.difference[0] == pytest.approx(delong.difference[0], rel=1e-12)
    assert gaps.standard_error[0] == pytest.approx(delong.standard_error[0], rel=0.1)
    assert gaps.z[0] == pytest.approx(delong.z[0], rel=0.1)
    assert gaps.first == ("A",)
    assert gaps.better[0] == pytest.approx(1 - gaps.p[0] / 2, abs=0.01)
    turned = iso.bootstrap(LABELS, SCORES, measures=optimal_threshold(), **FEW).differences()
    assert np.isnan(turned.better[0])
    for n_resamples in (2, 50):
        result = iso.bootstrap(
            LABELS, SCORES, measures="AUROC", method="percentile", n_resamples=n_resamples
        )
        replicates = result.replicates[0, 0] - result.replicates[1, 0]
        differences = result.differences()
        assert differences.first == ("A",)
        assert differences.standard_error[0] == pytest.approx(replicates.std(ddof=1))


def test_groups_are_drawn_whole():
    """Copies of every row in one group: as wide as one row each, not as ten."""
    copies = np.repeat(np.arange(400), 10)
    one = iso.bootstrap(LABELS, SCORES["A"], random_state=1)
    many = iso.bootstrap(LABELS[copies], SCORES["A"][copies], clusters=copies, random_state=1)
    naive = iso.bootstrap(LABELS[copies], SCORES["A"][copies], random_state=1)
    np.testing.assert_allclose(many.estimates, one.estimates, rtol=1e-12)
    np.testing.assert_allclose(many.standard_errors, one.standard_errors, rtol=0.1)
    np.testing.assert_allclose(naive.standard_errors * np.sqrt(10), one.standard_errors, rtol=0.1)
    assert "replicates of 400 clusters" in repr(many)
    assert many.shapes[0, 0, 0] == pytest.approx(one.shapes[0, 0, 0], rel=1e-9)
    pure = np.where(LABELS, GROUPS, 100 + GROUPS)
    result = iso.bootstrap(LABELS, SCORES, clusters=pure, stratified=True, **FEW)
    assert "of 114 clusters, positives and negatives apart" in repr(result)
    with pytest.raises(ParameterError, match="57 of 57 clusters have both; leave stratified=True"):
        iso.bootstrap(LABELS, SCORES, clusters=GROUPS, stratified=True)
    with pytest.raises(MissingValueError, match="clusters has missing values"):
        iso.bootstrap(LABELS, SCORES["A"], clusters=[None, *GROUPS[1:]])


def test_weights_travel_with_their_rows():
    whole = iso.bootstrap(LABELS, SCORES["A"], sample_weight=np.full(400, 0.5), **FEW)
    halves = iso.bootstrap(LABELS, SCORES, sample_weight=np.full(400, 2), **FEW)
    np.testing.assert_allclose(whole.replicates[0], halves.replicates[0], rtol=1e-12)
    weighted = iso.bootstrap(LABELS, SCORES["A"], sample_weight=WEIGHTS, **FEW)
    table = iso.OperatingPoints.from_scores(LABELS, SCORES["A"], sample_weight=WEIGHTS)
    np.testing.assert_allclose(weighted.estimates[0, 2], table.prg.area(), rtol=1e-12)
    assert weighted.standard_errors[0, 0] > whole.standard_errors[0, 0]


def test_methods_and_levels_use_the_same_replicates():
    result = iso.bootstrap(POINTS, **FEW)
    wide, narrow = result.with_intervals(confidence_level=0.99), result.with_intervals("percentile")
    assert (wide.lower < result.lower).all()
    assert (wide.upper > result.upper).all()
    assert (wide.method, narrow.method) == ("bca-t", "percentile")
    assert (result.with_intervals("bca").lower >= result.lower).all()
    with pytest.raises(ParameterError, match="method must be one of 'bca-t', 'bca', 'percentile'"):
        result.with_intervals("exact")
    three = iso.bootstrap(LABELS, SCORES, measures=["AUROC", "AUPR", f_at(1)], **FEW)
    two = iso.bootstrap(LABELS, SCORES, measures=[f_at(1), "AUROC"], **FEW)
    assert three._select(["F (β 1) at 1", "AUROC"]) == two


@pytest.mark.parametrize("method", METHODS)
def test_ends_follow_from_replicates_by_each_method(method):
    result = iso.bootstrap(POINTS, method=method, confidence_level=0.9, **FEW)
    assert result == iso.bootstrap(POINTS, **FEW).with_intervals(method, 0.9)
    for column, measure in enumerate(result.measures):
        acceleration, freedom = result.shapes[0, column]
        assert result.interval(measure) == interval_of(
            result.replicates[0, column],
            result.estimates[0, column],
            method=method,
            level=0.9,
            acceleration=acceleration,
            freedom=freedom,
        )


def test_replicates_without_a_class_are_announced_and_left_out():
    few = iso.OperatingPoints.from_scores([1, 1, 0, 0, 0, 0, 0], [6, 3, 5, 4, 2, 1, 0])
    with pytest.warns(UndefinedWarning) as caught:
        result = iso.bootstrap(few, n_resamples=500, random_state=0)
    share = result.undefined[0, 0]
    assert str(caught[0].message) == (
        f"{500 * share:.0f} of 500 replicates have no AUROC and are left out of its interval; "
        "with few rows of one class stratified=True keeps both classes"
    )
    assert share == pytest.approx((5 / 7) ** 7, abs=0.05)
    assert "undefined" in repr(result)
    assert np.isfinite([*result.interval("AUROC")]).all()
    with pytest.warns(UndefinedWarning, match="have no best F"):
        iso.bootstrap(few, measures=optimal_f(), n_resamples=100, random_state=0)
    stratified = iso.bootstrap(few, n_resamples=500, random_state=0, stratified=True)
    assert not stratified.undefined.any()
    perfect = iso.OperatingPoints.from_scores(LABELS, LABELS * 1.0)
    with pytest.warns(UndefinedWarning, match="AUROC is undefined .NaN.: all replicates are equal"):
        result = iso.bootstrap(perfect, measures="AUROC", **FEW)
    assert result.estimates[0, 0] == 1
    assert np.isnan(result.lower[0, 0])


def test_faces():
    result = iso.bootstrap(POINTS, **FEW)
    assert repr(result).splitlines()[0] == (
        "Bootstrap: 95% intervals (bca-t) from 200 replicates of 400 rows"
    )
    assert len(result) == 3
    paired = iso.bootstrap(LABELS, SCORES, **FEW)
    assert paired.to_frame("pandas")["model"].tolist() == ["A"] * 3 + ["B"] * 3
    assert "of 400 rows\n" in repr(paired)
    low, high = paired.interval("AUPR", "B")
    assert paired.sentence("AUPR", "B") == (
        f"AUPR of B is {paired.estimates[1, 1]:.3f}, 95% interval {low:.3f} to {high:.3f}."
    )
    assert result.explanation().startswith("Had the 400 rows been drawn many times")
    alone = iso.bootstrap(POINTS, measures="AUPR", **FEW)
    assert alone.sentence().startswith("AUPR is 0.")
    with pytest.raises(ParameterError, match="measure must be one of 'AUROC', 'AUPR', 'AUPRG' but"):
        result.interval()
    with pytest.raises(ParameterError, match="model must be one of 'A', 'B' but is None"):
        paired.interval("AUPR")
    with pytest.raises(ParameterError, match=r"^model must be one of 'A', 'B' but is 'C'"):
        paired.sentence("AUPR", "C")
    with pytest.raises(NotAnswerableError, match="differences need two models or more"):
        alone.differences()
    result = iso.bootstrap(POINTS, measures=["AUROC", "AUPR"], n_resamples=50, random_state=0)
    assert result.interval("auroc") == result.interval("AUROC") != result.interval("aupr")


@pytest.mark.parametrize(
    ("given", "options", "said"),
    [
        ((POINTS, SCORES["A"]), {}, "y_score= cannot be used with them; pass labels and scores"),
        ((POINTS,), {"clusters": GROUPS}, "clusters= cannot be used with them"),
        ((POINTS,), {"sample_weight": WEIGHTS}, "sample_weight= cannot be used with them"),
        ((LABELS,), {}, "labels need scores: pass y_score=, or operating points alone"),
        ((LABELS, {}), {}, "y_score is empty; give the scores of one model or more"),
        ((LABELS, {1: SCORES["A"]}), {}, "the name of a model must be a text but is 1"),
        ((POINTS,), {"n_resamples": 1}, "n_resamples must be a whole number, 2 or more, but is 1"),
        ((POINTS,), {"confidence_level": 95}, "confidence_level must be strictly between 0 and 1"),
        ((POINTS,), {"prevalence": 1.0}, "prevalence must be strictly between 0 and 1 but is 1.0"),
        ((POINTS,), {"n_jobs": 0}, "n_jobs must be a number of threads, -1 for all or None"),
        ((POINTS,), {"method": "exact"}, "method must be one of "),
        ((POINTS,), {"measures": "AUC"}, "measures must be names among 'AUROC', 'AUPR', "),
        ((POINTS,), {"measures": [3]}, "functions of operating points; or measures such as f_at"),
        ((POINTS,), {"measures": []}, "measures is empty; give at least one"),
    ],
)
def test_what_is_refused(given, options, said):
    with pytest.raises(ParameterError) as caught:
        iso.bootstrap(*given, **options)
    assert said in str(caught.value)


def test_so_many_rows_have_so_wide_an_interval():
    def drawn(size, seed):
        labels = np.arange(size) < 0.3 * size
        scores = np.random.default_rng(seed).normal(1.0 * labels)
        return iso.bootstrap(labels, scores, measures="AUROC", random_state=0)

    pilot = drawn(4000, 0)
    half_width = np.diff(pilot.interval())[0] / 2
    assert pilot.rows_needed(half_width) == pytest.approx(4000, abs=1)
    needed = pilot.rows_needed(2 * half_width)
    assert needed == pytest.approx(1000, abs=1)
    assert np.diff(drawn(needed, 1).interval())[0] == pytest.approx(4 * half_width, rel=0.1)
    with pytest.raises(ParameterError, match="half_width must be a finite number above 0"):
        pilot.rows_needed(0)
    with pytest.warns(UndefinedWarning, match="is undefined"):
        perfect = iso.bootstrap(LABELS, LABELS * 1.0, measures="AUROC", **FEW)
    with pytest.raises(NotAnswerableError, match="its interval is undefined"):
        perfect.rows_needed(0.1)


def test_the_positive_label_can_be_any_of_both():
    # By convention "yes" would be the positive one.
    named = np.where(LABELS, "no", "yes")
    given = {"measures": "AUROC", **FEW}
    found = iso.bootstrap(named, SCORES["A"], pos_label="no", **given)
    assert found.interval() == iso.bootstrap(LABELS, SCORES["A"], **given).interval()
