"""The six indices with closed forms: their conditions, crossings and areas."""

import pickle
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st
from scipy.integrate import quad

import isometrics as iso
from isometrics._counting.confusion import Confusion
from isometrics.errors import ParameterError
from isometrics.spaces.indices import INDICES, index_named, share

from .plain_indices import FOUR, PLAIN

RATES = st.floats(0.001, 1)
WEIGHTS = st.floats(0, 1)
PREVALENCE = 0.3


def formula(name, precision, recall, lam):
    arguments = (PREVALENCE,) if index_named(name).needs_prevalence else ()
    return PLAIN[name](precision, recall, lam, *arguments)


@pytest.mark.parametrize("name", INDICES)
@given(precision=RATES, recall=RATES, lam=WEIGHTS)
def test_the_value_is_the_printed_formula(name, precision, recall, lam):
    value = INDICES[name].value(precision, recall, lam, PREVALENCE)
    expected = formula(name, precision, recall, lam)
    assert value == pytest.approx(expected, rel=1e-12, abs=1e-11)


@pytest.mark.parametrize("name", FOUR)
def test_zero_without_overlap_and_one_for_the_target_itself(name):
    lam = np.linspace(0, 1, 11)
    rows = Confusion(np.array([0]), np.array([3]), 5, 10)
    assert (INDICES[name].of_rows(rows, lam) == 0).all()
    np.testing.assert_allclose(INDICES[name].value(1, 1, lam), 1, rtol=1e-15)


def test_f_gain_is_undefined_without_a_predicted_positive():
    rows = Confusion(np.array([0, 0]), np.array([0, 2]), 5, 10)
    gains = INDICES["f-gain"].of_rows(rows, np.array(0.0))
    assert np.isnan(gains[0])
    assert gains[1] == -np.inf


@pytest.mark.parametrize("name", INDICES)
@given(
    st.lists(st.tuples(st.integers(1, 50), st.integers(0, 80)), min_size=2, max_size=2, unique=True)
)
def test_curves_meet_where_they_are_equal_and_only_there(name, points):
    index = INDICES[name]
    one, other = (Confusion(np.array([tp]), np.array([fp]), 50, 80) for tp, fp in points)
    met = index.crossing(one, other, np.zeros(1), np.ones(1)).item()
    ends = [(index.of_rows(one, lam) - index.of_rows(other, lam)).item() for lam in (0.0, 1.0)]
    if np.isnan(met):
        assert ends[0] * ends[1] > 0
    else:
        same = index.of_rows(one, met), index.of_rows(other, met)
        assert same[0] == pytest.approx(same[1], rel=1e-12, abs=1e-11)
        assert ends[0] * ends[1] <= 1e-15
        assert np.isnan(index.crossing(one, other, min(met + 1e-9, 1.1), 2.0)).all()


@pytest.mark.parametrize("name", INDICES)
def test_equal_points_do_not_meet(name):
    rows = Confusion(np.array([2]), np.array([3]), 5, 10)
    assert np.isnan(INDICES[name].crossing(rows, rows, 0.0, 1.0)).all()


@pytest.mark.parametrize(
    ("name", "area"),
    [("f-measure", 0.6443343), ("folke", 0.6595955), ("jaccard", 0.5471721), ("kulczynski", 0.675)],
)
def test_area_of_one_curve(name, area):
    """p = 0.85 and r = 0.5, the example of Hanczar & Nadif's Fig. 3, in 30 digits by mpmath."""
    rows = Confusion.of_rates(np.array([0.85]), np.array([0.5]), 0.3)
    found = INDICES[name].areas(rows, np.zeros(1), np.ones(1))
    assert found.item() == pytest.approx(area, abs=5e-8)


@pytest.mark.parametrize("name", INDICES)
@given(
    tp=st.integers(1, 1000),
    fp=st.integers(0, 2000),
    ends=st.tuples(WEIGHTS, WEIGHTS).map(sorted),
)
def test_area_of_a_piece_is_its_integral(name, tp, fp, ends):
    index = INDICES[name]
    rows = Confusion(np.array([tp]), np.array([fp]), 1000, 2000)
    area = index.areas(rows, *(np.array([end]) for end in ends)).item()
    expected = quad(
        lambda lam: index.of_rows(rows, lam).item(), *ends, points=[np.clip(0.5, *ends)], epsabs=0
    )
    assert area == pytest.approx(expected[0], rel=1e-10, abs=1e-13)


@pytest.mark.parametrize("name", FOUR)
@pytest.mark.parametrize("difference", [0, 1, 3, 10**5])
def test_area_is_accurate_where_precision_and_recall_are_almost_equal(name, difference):
    tp, fn = 10**15, 10**15
    rows = Confusion(np.array([tp]), np.array([fn + difference]), tp + fn, 10**16)
    found = INDICES[name].areas(rows, np.array([0.2]), np.array([0.3])).item()
    with mpmath.workdps(40):
        p = mpmath.mpf(tp) / (tp + fn + difference)
        r = mpmath.mpf(1) / 2
        exact = {
            "kulczynski": lambda lam: lam * r + (1 - lam) * p,
            "f-measure": lambda lam: 1 / (lam / r + (1 - lam) / p),
            "folke": lambda lam: r**lam * p ** (1 - lam),
            "jaccard": lambda lam: 1 / (1 / p + 2 * lam * (1 / r - 1)),
        }[name]
        area = mpmath.quad(exact, [mpmath.mpf(0.2), mpmath.mpf(0.3)])
        assert found == pytest.approx(float(area), rel=2e-15)


@pytest.mark.parametrize("part", range(-2, 3))
@pytest.mark.parametrize("rest", range(-2, 3))
def test_a_share_of_parts_of_one_sign(part, rest):
    found = share(np.array([part]), np.array([rest]))
    if part * rest < 0 or part == rest == 0:
        assert np.isnan(found).all()
    else:
        assert found.tolist() == [float(Fraction(part, part + rest))]


@pytest.mark.parametrize("name", INDICES)
@pytest.mark.parametrize("lam", [0.2, 0.5, 0.8])
def test_an_isoline_has_one_value(name, lam):
    index = INDICES[name]
    recall, precision = index.isoline(0.6, lam, prevalence=PREVALENCE)
    assert recall.size > 40
    assert (np.diff(recall) >= 0).all()
    values = index.value(precision, recall, lam, PREVALENCE)
    np.testing.assert_allclose(values, 0.6, rtol=1e-9)
    if name != "cost":
        assert (np.diff(precision) <= 1e-15).all()


def test_an_isoline_ends_on_the_borders():
    recall, precision = INDICES["kulczynski"].isoline(0.5, 0.5, size=4)
    np.testing.assert_allclose(recall, [0, 0.5, 0.5, 1], atol=1e-15)
    np.testing.assert_allclose(precision, [1, 0.5, 0.5, 0], atol=1e-15)


@pytest.mark.parametrize("name", INDICES)
@pytest.mark.parametrize("lam", [0.2, 0.5, 0.8])
def test_the_isoline_of_the_highest_value_is_a_corner(name, lam):
    """Rounding must not lose it."""
    recall, precision = INDICES[name].isoline(1, lam, prevalence=PREVALENCE)
    assert recall.size > 0
    np.testing.assert_allclose([recall, precision], 1, rtol=1e-9)


def test_what_is_refused():
    jaccard = INDICES["jaccard"]
    for call, message in (
        (lambda: INDICES["cost"].value(0.5, 0.5, 0.5), "index 'cost' needs prevalence="),
        (lambda: jaccard.value(1.2, 0.5, 0.5), "precision must be numbers between 0 and 1"),
        (lambda: jaccard.value(0.5, [0.1, -1], 0.5), "recall must be numbers between 0 and 1"),
        (lambda: jaccard.value(0.5, 0.5, 1.5), "lam must be .* between 0 and 1 but is 1.5"),
        (lambda: jaccard.value(0.5, 0.5, np.nan), "lam must be a weight of recall between 0 and 1"),
        (lambda: jaccard.isoline(0.5, 2), "lam must be between 0 and 1 but is 2$"),
        (lambda: jaccard.isoline(np.nan, 0.5), "value must be a number but is nan$"),
        (lambda: jaccard.isoline(0.5, 0.5, size=1), "size must be a whole number, 2 or more, but"),
        (lambda: index_named("f1"), "index must be one of 'kulczynski'.* but is 'f1'"),
    ):
        with pytest.raises(ParameterError, match=f"^{message}"):
            call()


def test_points_without_precision_or_recall():
    values = INDICES["f-measure"].value([0, 0.5, 1], [0, 0.5, 1], 0.5)
    assert values.tolist() == [0, 0.5, 1]
    # Where recall has no weight, the F-measure is precision, which the empty rule does not have.
    assert np.isnan(INDICES["f-measure"].value(0, 0, 0))
    for name in ("f-measure", "jaccard", "f-gain", "cost"):
        assert np.isnan(index_named(name).value(0, 0.5, 0.5, prevalence=0.3))


@pytest.mark.parametrize("name", INDICES)
def test_indices_are_equal_by_what_they_compute(name):
    twin = pickle.loads(pickle.dumps(INDICES[name]))
    assert [other for other in INDICES.values() if other == twin] == [INDICES[name]]
    assert hash(twin) == hash(INDICES[name])


def test_look_up():
    assert index_named("folke") is INDICES["folke"] is index_named(INDICES["folke"])
    assert repr(INDICES["folke"]) == "<index 'folke'>"


@given(
    positives=st.integers(1, 2**53),
    share=st.floats(0, 1),
    fp=st.integers(0, 2**53),
    ends=st.tuples(WEIGHTS, WEIGHTS),
)
@example(positives=10**12, share=0.0, fp=0, ends=(0.0, 1.0))
@example(positives=10**15, share=0.0, fp=4, ends=(0.0, 1.0))
def test_areas_of_folke_keep_their_digits(positives, share, fp, ends):
    """recall^λ·precision^(1-λ) integrated: precision·((r/p)^hi - (r/p)^lo)/ln(r/p)."""
    tp = max(1, round(share**8 * positives))
    lo, hi = sorted(ends)
    assume(hi - lo > 1e-3)
    found = INDICES["folke"].areas(
        Confusion(np.array([tp]), np.array([fp]), positives, 2**53), np.array([lo]), np.array([hi])
    )
    with mpmath.workdps(60):
        ratio = mpmath.log(mpmath.mpf(tp + fp) / positives)
        width = mpmath.mpf(hi) - mpmath.mpf(lo)
        start = mpmath.mpf(tp) / (tp + fp) * mpmath.exp(ratio * mpmath.mpf(lo))
        exact = start * (mpmath.expm1(ratio * width) / ratio if ratio else width)
    assert found[0] == pytest.approx(float(exact), rel=1e-13, abs=0)


@pytest.mark.parametrize("lam", [0.0, 0.25, 0.5, 1.0])
@pytest.mark.parametrize("rates", [(0, 0), (0.5, 0), (0, 0.5), (1, 0)])
def test_rates_of_0_have_the_value_of_the_formula(rates, lam):
    precision, recall = rates
    kulczynski = lam * recall + (1 - lam) * precision
    folke = float(recall) ** lam * float(precision) ** (1 - lam)
    assert index_named("kulczynski").value(precision, recall, lam) == kulczynski
    assert index_named("folke").value(precision, recall, lam) == folke
    own = iso.Index("own", lambda p, r, weight: weight * r + (1 - weight) * p)
    assert own.value(precision, recall, lam) == kulczynski


def test_crossing_of_almost_collinear_points_is_rounded_once():
    """Counts near 2**53, whose products have twice as many bits."""
    one = Confusion(np.array([2**52]), np.array([1]), 2**53, 2**53)
    other = Confusion(np.array([2**52 + 1]), np.array([2]), 2**53, 2**53)
    exact = mpmath.mpf(2**53 - (2**52 + 1)) / (2**53 - (2**52 + 1) + 2**53)
    assert INDICES["f-measure"].crossing(one, other, 0.0, 1.0).item() == float(exact)


def test_no_isoline_where_no_point_has_the_value():
    recall, precision = INDICES["folke"].isoline(1.5, 0.5)
    assert recall.size == precision.size == 0
