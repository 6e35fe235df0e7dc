"""DeLong's variance against the U-statistic over all pairs (DeLong et al. 1988), in O(n²)."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import isometrics as iso
from isometrics.errors import (
    LengthError,
    NotAnswerableError,
    OneClassError,
    ParameterError,
    UndefinedWarning,
)

RNG = np.random.default_rng(9)
LABELS = np.arange(120) < 40
SCORES = {name: RNG.normal(shift * LABELS) for name, shift in (("A", 1.5), ("B", 1.0), ("C", 0.2))}


def by_pairs(labels, scores):
    matrices = [
        (s[labels][:, None] > s[~labels]) + (s[labels][:, None] == s[~labels]) / 2 for s in scores
    ]
    areas = np.array([matrix.mean() for matrix in matrices])
    of_positives = np.array([matrix.mean(axis=1) for matrix in matrices])
    of_negatives = np.array([matrix.mean(axis=0) for matrix in matrices])
    covariance = np.atleast_2d(np.cov(of_positives)) / labels.sum()
    return areas, covariance + np.atleast_2d(np.cov(of_negatives)) / (~labels).sum()


@given(
    st.integers(2, 25),
    st.integers(2, 25),
    st.integers(1, 3),
    st.integers(0, 2),
    st.integers(0, 2**32),
)
@settings(max_examples=80)
def test_covariances_are_those_of_all_pairs(positives, negatives, models, digits, seed):
    random = np.random.default_rng(seed)
    labels = random.permutation(np.arange(positives + negatives) < positives)
    scores = {str(k): random.normal(1.0 * labels).round(digits) for k in range(models)}
    areas, covariance = by_pairs(labels, list(scores.values()))
    if (np.diag(covariance) < 1e-12).any():
        return
    found = iso.delong(labels, scores)
    np.testing.assert_allclose(found.estimates, areas, rtol=0, atol=1e-12)
    np.testing.assert_allclose(found.covariance, covariance, rtol=1e-10, atol=1e-14)
    alone = iso.delong(iso.OperatingPoints.from_scores(labels, scores["0"]))
    assert alone.covariance[0, 0] == pytest.approx(covariance[0, 0], rel=1e-10)
    assert alone.estimates[0] == pytest.approx(areas[0], abs=1e-12)


def test_intervals_are_symmetric_in_log_odds():
    result = iso.delong(LABELS, SCORES["A"])
    half = stats.norm.ppf(0.975) * result.standard_errors[0]
    area = result.estimates[0]
    ends = np.log(area / (1 - area)) + np.array([-1, 1]) * half / (area * (1 - area))
    assert [result.lower[0], result.upper[0]] == pytest.approx(1 / (1 + np.exp(-ends)))
    assert 0 < result.lower[0] < result.upper[0] < 1


def test_differences():
    result = iso.delong(LABELS, SCORES)
    gaps = result.differences()
    assert list(zip(gaps.first, gaps.second, strict=True)) == [("A", "B"), ("A", "C"), ("B", "C")]
    areas, covariance = by_pairs(LABELS, list(SCORES.values()))
    contrast = np.array([1, 0, -1])
    z = areas @ contrast / np.sqrt(contrast @ covariance @ contrast)
    assert gaps.z[1] == pytest.approx(z, rel=1e-10)
    assert gaps.p[1] == pytest.approx(2 * stats.norm.sf(z), rel=1e-10)
    half = stats.norm.ppf(0.975) * gaps.standard_error
    np.testing.assert_allclose(gaps.upper - gaps.difference, half)
    np.testing.assert_allclose(gaps.difference - gaps.lower, half)
    assert (gaps.p_adjusted >= gaps.p).all()
    assert np.isnan(gaps.better).all()
    assert gaps.sentence().startswith("A is better than B by AUROC: 0.")
    halves = (slice(0, 80), slice(30, None))
    one, two = (iso.delong(LABELS[rows], SCORES["B"][rows]) for rows in halves)
    gaps = one.against(two, names=("this year", "last year"))
    back = two.against(one, names=("last year", "this year"))
    assert gaps.first == back.first
    assert "p_adjusted" not in repr(gaps)
    variance = one.covariance[0, 0] + two.covariance[0, 0]
    assert gaps.standard_error[0] == pytest.approx(np.sqrt(variance))
    assert gaps.difference[0] == back.difference[0] == abs(one.estimates[0] - two.estimates[0])
    with pytest.raises(ParameterError, match=r"against\(\) compares two single models, but one re"):
        one.against(iso.delong(LABELS, SCORES))


def test_a_variance_of_0_has_a_reason():
    with pytest.warns(UndefinedWarning, match="AUROC of perfect is undefined .NaN.: its variance"):
        result = iso.delong(LABELS, {"perfect": LABELS * 1.0, "A": SCORES["A"]})
    assert np.isnan(result.lower[0])
    assert np.isfinite(result.lower[1])
    with pytest.warns(
        UndefinedWarning, match="variance is undefined .NaN.: there is only one posi"
    ):
        alone = iso.delong([1, 0, 0, 0], [3, 4, 2, 1])
    assert np.isnan([alone.lower[0], alone.standard_errors[0]]).all()
    assert alone.estimates[0] == pytest.approx(2 / 3)
    with pytest.warns(UndefinedWarning, match="the difference of A and twin has no standard error"):
        twins = iso.delong(LABELS, {"A": SCORES["A"], "twin": SCORES["A"] * 2}).differences()
    assert np.isnan([twins.z[0], twins.p[0]]).all()
    with pytest.warns(UndefinedWarning, match="interval of AUROC is undefined"):
        iso.delong(LABELS, LABELS * 1.0)


def test_faces_and_refusals():
    result = iso.delong(LABELS, SCORES["A"])
    assert (result.positives, result.negatives) == (40, 80)
    assert repr(result).startswith(
        "DeLong: AUROC with 95% intervals, 40 positives, 80 negatives\n   AUROC"
    )
    points = iso.OperatingPoints.from_scores(LABELS, SCORES["A"])
    with pytest.raises(NotAnswerableError, match="differences need two models or more"):
        result.differences()
    with pytest.raises(ParameterError, match="operating points do not keep their rows, so y_score"):
        iso.delong(points, SCORES["A"])
    with pytest.raises(ParameterError, match="labels need scores: pass y_score="):
        iso.delong(LABELS)
    with pytest.raises(NotAnswerableError, match="not whole rows, so their spread is not known"):
        iso.delong(points.at_prevalence(0.1))
    for labels, only in ((np.ones(3), "positives"), (np.zeros(3), "negatives")):
        with pytest.raises(OneClassError, match=f"y_true has only {only}; both classes are"):
            iso.delong(labels, [1, 2, 3])
    with pytest.raises(LengthError, match=r"y_score\['A'\] has 2 values but y_true has 3"):
        iso.delong([1, 0, 1], {"A": [1, 2]})
