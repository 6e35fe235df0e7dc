"""Weights and counts over the whole range of floats: right to 1e-12, or one sentence."""

import re
import warnings
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import isometrics as iso
from isometrics import OperatingPoints
from isometrics.errors import ParameterError, PointsError, UndefinedWarning, WeightError
from isometrics.testing import Curve

LABELS = [True, False, True, True, False, False, True, False]
OUT_OF_RANGE = "must lie between 1e-30 and 1e\\+30 but is"


def close(got, exact):
    """1e-12, relative above 1 and absolute below."""
    return abs(got - exact) <= 1e-12 * max(1.0, abs(exact))


def check(points, curve):
    """Areas, the hull, and what is best at some weights of recall, against exact fractions."""
    assert close(points.roc.area(), float(curve.roc_area()))
    for name in ("davis-goadrich", "average-precision", "linear", "max-precision"):
        assert close(points.pr.area(name), float(curve.pr_area(name))), name
    assert close(points.pr.normalised_area(), float(curve.normalised_pr_area()))
    check_gains(points, Curve.of(points.tp, points.fp, points.positives, points.negatives))
    assert 0 <= points.pr.area("integer-steps") <= 1
    for beta in (0.0, 0.5, 1.0, 2.0):
        best = max(value for value in curve.f(beta) if value is not None)
        assert close(iso.best_threshold(points, beta=beta).value, float(best))
        if beta > 0:
            lam = beta**2 / (1 + beta**2)
            assert close(points.tradeoff("f-measure")(lam), float(best))
    # Sums of weights are rounded, so what lies on a line in fractions may be a vertex, or none.
    assert close(points.hull().roc.area(), float(curve.hull().roc_area()))


def check_gains(points, curve):
    """Areas of gains, for the sums as they are rounded.

    Gains are 1 - P/N·fn/tp, so the rounding of P by its last digit counts P/N times.
    """
    assert close(points.prg.area(), float(curve.prg_area()))
    assert close(points.prg.y0, float(curve.y0()))


@st.composite
def weights(draw):
    """Weights of one size, or of very different ones."""
    lowest = draw(st.integers(-1074, 1020))
    band = draw(st.sampled_from([0, 3, 60, 300, 2000]))
    exponents = st.integers(lowest, min(lowest + band, 1020))
    mantissas = st.floats(1, 2, exclude_max=True)
    return [
        np.ldexp(draw(mantissas), draw(exponents)).item() or 2.0**-1074 for _ in range(len(LABELS))
    ]


@given(weights())
@example([1e-200 * weight for weight in (1, 2, 3, 1, 2, 3, 1, 2)])
@example([1e154 * weight for weight in (1, 2, 3, 1, 2, 3, 1, 2)])
@example([1e-320, 1e-310, 1.0, 1e-320, 1e-300, 1.0, 1e-200, 2.0])
@example([2.0**62] * 8)
@settings(max_examples=100)
def test_weights_of_any_size(given_weights):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", UndefinedWarning)
        try:
            points = OperatingPoints.from_scores(
                LABELS, range(8, 0, -1), sample_weight=given_weights
            )
        except (PointsError, WeightError):
            totals = [
                sum(
                    Fraction(w)
                    for w, label in zip(given_weights, LABELS, strict=True)
                    if label is c
                )
                for c in (True, False)
            ]
            assert min(totals) < 1.01e-30 or max(totals) > 0.99e30
            return
        check(points, Curve.of_scores(LABELS, range(8, 0, -1), given_weights))
        few = OperatingPoints.from_scores(
            LABELS, range(8, 0, -1), sample_weight=given_weights, rows="hull"
        )
        assert few.pr.areas() == pytest.approx(points.pr.areas(), rel=1e-12)
        assert few.hull() == points.hull()


@given(weights())
@settings(max_examples=60)
def test_counts_of_any_size(steps):
    """Float counts of a table: sums of the same steps."""
    tp = np.cumsum([step * label for step, label in zip(steps, LABELS, strict=True)])
    fp = np.cumsum([step * (not label) for step, label in zip(steps, LABELS, strict=True)])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", UndefinedWarning)
        try:
            points = OperatingPoints.from_counts(tp, fp, positives=tp[-1], negatives=fp[-1])
        except PointsError:
            assert not 1e-30 <= min(tp[-1], fp[-1]) <= max(tp[-1], fp[-1]) <= 1e30
            return
        check(points, Curve.of(tp, fp, tp[-1], fp[-1]))


@given(exponent=st.integers(-300, 300))
def test_prevalences_of_any_size(exponent):
    points = OperatingPoints.from_scores(LABELS, range(8, 0, -1))
    prevalence = 10.0**exponent if exponent < 0 else 1 - 2.0 ** -min(exponent + 1, 53)
    if exponent < -29:
        message = "is too small: 4 positives would stand among 1e+30 negatives or more"
        with pytest.raises(ParameterError, match=re.escape(f"prevalence {prevalence!r} {message}")):
            points.at_prevalence(prevalence)
        return
    moved = points.at_prevalence(prevalence)
    check(moved, Curve.of(moved.tp, moved.fp, moved.positives, moved.negatives))


@pytest.mark.parametrize("size", [5e-324, 1e-309, 1e-305])
def test_integer_steps_of_the_smallest_weights(size):
    """A step so short overflows as a divisor; it adds nothing, and nothing warns."""

    def area(least):
        weights = [least, 9, 3, least, least, 5, 2]
        points = OperatingPoints.from_scores(
            [1, 0, 1, 1, 0, 1, 0], [7, 7, 5, 5, 3, 2, 1], sample_weight=np.array(weights)
        )
        return points.pr.area("integer-steps")

    assert area(size) == area(1e-29)


def test_sums_and_prevalences_beyond_floats_are_refused():
    """Twelve doublings from 2**53 once ran through the end of the integers."""
    points = OperatingPoints.from_counts(
        [2**52], [2**51], positives=2**52, negatives=2**52, thresholds=[1.0]
    )
    doubled = points + points
    assert doubled.positives == 2**53
    with pytest.raises(PointsError, match=r"^positives must lie between 0 and 2\*\*53 but is"):
        sum([doubled, doubled])
    points = OperatingPoints.from_scores([1, 0], [2, 1], sample_weight=[0.9e30, 1.0])
    with pytest.raises(PointsError, match=OUT_OF_RANGE):
        _ = points + points
    few = OperatingPoints.from_scores(LABELS, range(8, 0, -1), sample_weight=[1e-29] * 8)
    message = "is too large: 4e-29 positives would stand among 1e-30 or fewer"
    with pytest.raises(ParameterError, match=f"^prevalence 0.99 {message}$"):
        few.at_prevalence(0.99)


@pytest.mark.parametrize("size", [1e-200, 1e-31, 1e31, 1e154])
@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_weights_of_files(tmp_path, size, suffix):
    import pandas as pd

    frame = pd.DataFrame(
        {"label": np.array(LABELS, int), "score": np.arange(8.0), "weight": [size] * 8}
    )
    file = tmp_path / f"weighted.{suffix}"
    getattr(frame, f"to_{suffix}")(file, index=False)
    with pytest.raises(PointsError, match=OUT_OF_RANGE):
        iso.read_predictions(file, label="label", scores="score", weight="weight")
    with pytest.raises(PointsError, match=OUT_OF_RANGE):
        iso.analyse(frame.label, {"m": frame.score}, sample_weight=frame.weight)


@pytest.mark.parametrize("size", [2**40, 2**53, 2**61])
def test_large_integer_weights_of_files_and_arrays(tmp_path, size):
    import pandas as pd

    frame = pd.DataFrame(
        {"label": np.array(LABELS, int), "score": np.arange(8.0), "weight": [size] * 8}
    )
    file = tmp_path / "weighted.parquet"
    frame.to_parquet(file)
    plain = OperatingPoints.from_scores(frame.label, frame.score)
    points = OperatingPoints.from_scores(frame.label, frame.score, sample_weight=frame.weight)
    read = iso.read_predictions(file, label="label", scores="score", weight="weight")
    assert read.models["score"] == points
    np.testing.assert_allclose(points.tp, plain.tp * float(size), rtol=1e-15)
    areas, expected = points.pr.areas(), plain.pr.areas()
    # So many integer steps follow the curve.
    expected["integer-steps"] = expected["davis-goadrich"]
    assert areas == pytest.approx(expected, rel=1e-11)
