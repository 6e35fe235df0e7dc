"""Isolines: every point has the value, and lies in the unit square; lines end at its borders."""

import numpy as np
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from isometrics.errors import ParameterError
from isometrics.spaces import SPACES
from isometrics.spaces.drawing import (
    accuracy_isoline,
    f_gain_isoline,
    f_isoline,
    grid,
)

spaces = st.sampled_from(list(SPACES))
values = st.floats(0.01, 1)
gains = st.floats(-20, 1)
prevalences = st.floats(0.01, 0.99)
betas = st.sampled_from([0.0, 0.5, 1.0, 2.0, np.inf]) | st.floats(0.05, 20)
costs = st.sampled_from([0.0, 0.5, 1.0]) | st.floats(0.01, 0.99)


def rates(space, x, y, prevalence):
    """True and false positive rates of points of a space, by definition."""
    odds = prevalence / (1 - prevalence)
    with np.errstate(divide="ignore", invalid="ignore"):
        if space == "pr":
            return x, odds * x * (1 - y) / y
        if space == "prg":
            recall = odds / (odds + 1 - x)
            return recall, (1 - y) * recall
    return y, x


def f_of(space, x, y, prevalence, beta):
    tpr, fpr = rates(space, x, y, prevalence)
    weight = 1.0 if np.isinf(beta) else beta**2 / (1 + beta**2)
    tp, fp, fn = prevalence * tpr, (1 - prevalence) * fpr, prevalence * (1 - tpr)
    return tp / (tp + weight * fn + (1 - weight) * fp)


def on_border(x, y):
    return {0.0, 1.0} & {float(x), float(y)}


@given(values, spaces, prevalences, betas)
def test_every_point_has_the_f_score(value, space, prevalence, beta):
    x, y = f_isoline(value, space, prevalence, beta=beta, size=50)
    assert ((x >= 0) & (x <= 1) & (y >= 0) & (y <= 1)).all()
    assert (np.diff(x) >= 0).all()
    placed = (y > 0) & (x > 0)  # in the corner (0, 0) of ROC and PR space F is any
    found = f_of(space, x[placed], y[placed], prevalence, beta)
    assert np.allclose(found, value, rtol=0, atol=1e-12)
    for end in (0, -1) if x.size else ():
        assert on_border(x[end], y[end])


@given(gains, prevalences, betas)
def test_every_point_has_the_f_gain(value, prevalence, beta):
    x, y = f_gain_isoline(value, "prg", prevalence, beta=beta)
    weight = 1.0 if np.isinf(beta) else beta**2 / (1 + beta**2)
    assert np.allclose((1 - weight) * y + weight * x, value, rtol=0, atol=4e-16)
    if value >= 0:
        assert x.size == 2


@given(gains, spaces, prevalences, betas)
def test_an_f_gain_and_its_f_score_have_one_line(value, space, prevalence, beta):
    score = prevalence / (1 - (1 - prevalence) * value)
    by_gain = f_gain_isoline(value, space, prevalence, beta=beta, size=20)
    by_score = f_isoline(min(score, 1.0), space, prevalence, beta=beta, size=20)
    # A line through a corner may be found on either side of it.
    assume(by_gain[0].size == by_score[0].size)
    assert np.allclose(by_gain, by_score, rtol=0, atol=1e-9)


@given(st.floats(0, 2), spaces, prevalences, costs)
def test_every_point_has_the_accuracy(value, space, prevalence, cost):
    x, y = accuracy_isoline(value, space, prevalence, cost=cost, size=50)
    assert ((x >= 0) & (x <= 1) & (y >= 0) & (y <= 1)).all()
    # Beside the corner (0, 0) of PR space a tiny step spans all false positive rates.
    placed = (x > 1e-3) & (y > 1e-3) if space == "pr" else np.full(x.shape, True)
    tpr, fpr = rates(space, x[placed], y[placed], prevalence)
    right = 2 * (1 - cost) * prevalence * tpr + 2 * cost * (1 - prevalence) * (1 - fpr)
    error = abs(right - value)
    assert (error <= 1e-12 * (1 + fpr * (1 / y[placed] if space == "pr" else 1))).all()
    for end in (0, -1) if x.size else ():
        assert on_border(x[end], y[end])


@pytest.mark.parametrize("size", [2, 3, 10, 11, 200])
def test_a_curve_has_as_many_points_as_asked_for(size):
    assert f_isoline(0.5, "pr", 0.2, size=size)[0].size == size
    assert accuracy_isoline(0.5, "pr", 0.2, size=size)[0].size == size


def test_by_hand():
    # Flach & Kull (2015), section 3.1: always positive has F1 = 2π/(1+π), FG1 = ½.
    assert np.allclose(f_isoline(2 * 0.3 / 1.3, "prg", 0.3), ([0, 1], [1, 0]), atol=1e-15)
    assert np.allclose(f_isoline(1.0, "pr", 0.3), 1)
    assert np.allclose(accuracy_isoline(0.7, "roc", 0.3), ([0, 3 / 7], [0, 1]))
    # The accuracy of the empty rule: precision ½ whatever the recall.
    assert np.allclose(accuracy_isoline(0.7, "pr", 0.3), ([0, 1], [0.5, 0.5]))
    # A recall of 0 in ROC and PR space; in PRG space it lies at -∞.
    assert np.array_equal(accuracy_isoline(0.0, "roc", 0.3, cost=0), ([0, 1], [0, 0]))
    assert np.array_equal(accuracy_isoline(0.0, "pr", 0.3, cost=0), ([0, 0], [0, 1]))
    assert accuracy_isoline(0.0, "prg", 0.3, cost=0)[0].size == 0


def test_accuracy_below_the_empty_rule_starts_in_the_corner():
    x, y = accuracy_isoline(0.3, "pr", 0.3)
    assert (x[0], y[0]) == (0, 0)
    assert (np.diff(y) > 0).all()
    assert x[-1] == 1


def test_a_line_that_only_touches_the_corner():
    assert np.array_equal(f_isoline(1, "pr", 0.5, beta=1e-9, size=2), ([1, 1], [1, 1]))
    # Rounding may put an accuracy a last bit above the best there is.
    x, y = accuracy_isoline(1 + 2e-16, "pr", 0.5, cost=1, size=2)
    assert np.array_equal((x, y), ([1, 1], [1, 1]))


@given(spaces, spaces, prevalences, st.integers(2, 12))
@example(one="prg", other="prg", prevalence=0.6, steps=2)
@example(one="prg", other="roc", prevalence=0.05, steps=2)
@example(one="pr", other="prg", prevalence=0.1, steps=10)
def test_a_grid_keeps_its_points(one, other, prevalence, steps):
    x, y = grid(one, other, prevalence, steps=steps)
    assert x.size == y.size <= (steps + 1) ** 2
    assert ((x >= 0) & (x <= 1) & (y >= 0) & (y <= 1)).all()
    tpr, fpr = rates(other, x, y, prevalence)
    keep = (tpr > 0) & np.isfinite(fpr)
    tpr, fpr, odds = tpr[keep], fpr[keep], prevalence / (1 - prevalence)
    back = {
        "roc": (fpr, tpr),
        "pr": (tpr, tpr / (tpr + fpr / odds)),
        "prg": (1 - odds * (1 - tpr) / tpr, 1 - fpr / tpr),
    }[one]
    for axis in back:
        assert np.allclose(axis * steps, np.round(axis * steps), atol=1e-8)


def test_a_grid_of_a_space_in_itself_is_whole():
    for space in SPACES:
        assert grid(space, space, 0.3)[0].size >= 21 * 20
    assert grid("prg", "roc", 0.3)[0].size == 21 * 21


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: f_isoline(0, "pr", 0.5), "value must be above 0 and at most 1 but is 0"),
        (lambda: f_gain_isoline(2, "pr", 0.5), "value must be a number up to 1 but is 2"),
        (lambda: accuracy_isoline(-1, "pr", 0.5), "value must be between 0 and 2 but is -1"),
        (lambda: f_isoline(0.5, "lift", 0.5), "space must be one of 'roc', 'pr', 'prg'"),
        (lambda: f_isoline(0.5, "pr", 1), "prevalence must be strictly between 0 and 1"),
        (lambda: f_isoline(0.5, "pr", 0.5, size=1), "size must be a whole number, 2 or more"),
        (lambda: grid("x", "pr", 0.5), "space_from must be one of"),
        (lambda: grid("pr", "x", 0.5), "space_to must be one of"),
        (lambda: grid("pr", "roc", 0.5, steps=2.5), "steps must be a whole number, 2 or more"),
    ],
)
def test_errors(call, message):
    with pytest.raises(ParameterError, match=message):
        call()


@pytest.mark.parametrize("space", SPACES)
def test_a_value_that_no_point_has_gives_no_line(space):
    x, y = accuracy_isoline(1.9, space, 0.5)
    assert x.size == y.size == 0
