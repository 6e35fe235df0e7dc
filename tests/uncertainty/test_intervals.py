"""Intervals by their definitions: Efron (1987), Davison & Hinkley (1997), Hesterberg (2015)."""

import numpy as np
import pytest
from scipy import stats

from isometrics.errors import UndefinedWarning
from isometrics.uncertainty.intervals import METHODS, interval_of, p_of_no_difference, two_sided_p

REPLICATES = np.random.default_rng(0).gamma(4.0, size=999)
ESTIMATE = 4.1


def interval(method, replicates=REPLICATES, estimate=ESTIMATE, **options):
    return interval_of(replicates, estimate, method=method, level=0.9, **options)


def test_intervals_by_hand():
    low, high = np.quantile(REPLICATES, [0.05, 0.95])
    assert interval("percentile") == pytest.approx((low, high), rel=1e-12)


@pytest.mark.parametrize("acceleration", [0.0, 0.08, -0.05])
@pytest.mark.parametrize(("method", "freedom"), [("bca", 5.0), ("bca-t", 5.0), ("bca-t", np.inf)])
def test_bca_by_its_formula(method, freedom, acceleration):
    bias = stats.norm.ppf((REPLICATES < ESTIMATE).mean())
    widened = method == "bca-t" and np.isfinite(freedom)
    reach = stats.t(freedom).ppf(0.95) if widened else stats.norm.ppf(0.95)
    ends = np.array([bias - reach, bias + reach])
    shares = stats.norm.cdf(bias + ends / (1 - acceleration * ends))
    expected = np.quantile(REPLICATES, shares)
    found = interval(method, acceleration=acceleration, freedom=freedom)
    assert found == pytest.approx(tuple(expected), rel=1e-12)


def test_bca_is_scipys():
    """scipy.stats.bootstrap 1.17, with its own replicates and acceleration."""
    data = np.random.default_rng(3).exponential(size=40)
    options = {"n_resamples": 1999, "method": "bca", "random_state": 1, "confidence_level": 0.9}
    theirs = stats.bootstrap((data,), np.mean, **options)
    left = (data.sum() - data) / 39
    centred = left.mean() - left
    acceleration = (centred**3).sum() / (6 * (centred**2).sum() ** 1.5)
    found = interval(
        "bca", theirs.bootstrap_distribution, float(data.mean()), acceleration=acceleration
    )
    assert found == pytest.approx(tuple(theirs.confidence_interval), rel=1e-3)


@pytest.mark.parametrize("method", METHODS)
def test_undefined_replicates_are_left_out(method):
    some = np.append(REPLICATES, [np.nan] * 5)
    assert interval(method, some) == interval(method)


@pytest.mark.parametrize(
    ("method", "replicates", "options", "reason"),
    [
        ("percentile", np.full(9, 1.0), {}, "all replicates are equal"),
        ("bca", np.array([np.nan, 2.0]), {}, "fewer than two replicates are defined"),
        ("bca", REPLICATES, {"estimate": np.nan}, "fewer than two replicates are defined"),
        ("bca", np.arange(5, 9.0), {}, "all replicates lie on one side of it; use another method"),
        ("bca", REPLICATES, {"acceleration": 2.0}, "all replicates lie on one side of it"),
        ("bca-t", np.arange(-9.0, 1), {}, "all replicates lie on one side of it"),
    ],
)
def test_what_replicates_do_not_tell(method, replicates, options, reason):
    said = f"the confidence interval of AUROC is undefined .NaN.: {reason}"
    with pytest.warns(UndefinedWarning, match=said):
        found = interval(method, replicates, name="AUROC", **options)
    assert np.isnan(found).all()


def test_p_values():
    for z in (-3.0, 0.0, 1.96):
        assert two_sided_p(z) == pytest.approx(2 * stats.norm.sf(abs(z)), rel=1e-12)
    some = np.arange(1.0, 10)
    for replicates, estimate in ((some[:1], 1.0), (np.ones(9), 1.0), (some, np.nan), (some, 20.0)):
        assert np.isnan(p_of_no_difference(replicates, estimate, method="bca"))
    assert p_of_no_difference(some, 5.0, method="percentile") == pytest.approx(2 / 10)
    assert p_of_no_difference(some, 5.0, method="bca") == pytest.approx(0.2, rel=0.2)
    # Beyond the pole of the acceleration.
    assert p_of_no_difference(some, 5.0, method="bca", acceleration=2.0) == 1 / 10


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("shift", [-1.5, -1.0, 0.2, 1.5])
@pytest.mark.parametrize("freedom", [np.inf, 4.0])
def test_the_interval_of_1_minus_p_just_reaches_0(method, shift, freedom):
    replicates = np.random.default_rng(5).gamma(4.0, 0.5, 3000) - 2 + shift
    made = {"method": method, "acceleration": 0.05, "freedom": freedom}
    p = p_of_no_difference(replicates, shift, **made)
    assert 0 < p <= 1
    for level, holds in ((1 - p / 1.05, True), (1 - min(1.05 * p, 1 - 1e-9), False)):
        low, high = interval_of(replicates, shift, level=level, **made)
        assert (low <= 0 <= high) == holds
