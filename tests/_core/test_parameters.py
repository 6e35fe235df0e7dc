"""Parameters: what is accepted comes back as a float; all else is refused by name and value."""

import math
import re

import numpy as np
import pytest

from isometrics._core.parameters import (
    check_beta,
    check_budget,
    check_choice,
    check_cost,
    check_level,
    check_prevalence,
    check_range,
    parse_betas,
    parse_positions,
    parse_values,
)
from isometrics.errors import ParameterError

NOT_NUMBERS = [math.nan, True, "1", None, [1], 1j, np.array([0.5]), np.bool_(True)]


@pytest.mark.parametrize(
    ("clean", "value"),
    [
        (check_beta, 0),
        (check_beta, np.float32(0.5)),
        (check_beta, 1e300),
        (check_beta, math.inf),
        (check_budget, 0),
        (check_budget, np.int64(50)),
        (check_budget, math.inf),
        (check_cost, 0),
        (check_cost, np.int64(1)),
        (check_cost, 0.3),
        (check_prevalence, 5e-324),
        (check_prevalence, np.nextafter(1, 0)),
    ],
)
def test_accepted_numbers_come_back_as_floats(clean, value):
    result = clean(value)
    assert type(result) is float
    assert result == value


@pytest.mark.parametrize(
    ("clean", "name", "accepted", "values"),
    [
        (check_beta, "beta", "a number ≥ 0", [-1, -1e-300, -math.inf]),
        (check_cost, "cost", "between 0 and 1", [-0.1, 1.1, math.inf]),
        (check_prevalence, "prevalence", "strictly between 0 and 1", [0, 1, 1.0, -0.5, 2]),
    ],
)
def test_refused_numbers_are_named(clean, name, accepted, values):
    for value in [*values, *NOT_NUMBERS]:
        with pytest.raises(ParameterError) as caught:
            clean(value)
        assert str(caught.value) == f"{name} must be {accepted} but is {value!r}"


@pytest.mark.parametrize(
    ("lo", "hi", "lowest"), [(0, 1, 0.0), (0.25, np.float32(0.5), 0.0), (-3, 0.5, -math.inf)]
)
def test_ranges(lo, hi, lowest):
    result = check_range(lo, hi, axis="recall gain", lowest=lowest)
    assert result == (lo, hi)
    assert [type(end) for end in result] == [float, float]


@pytest.mark.parametrize(
    ("lo", "hi", "lowest", "message"),
    [
        (-0.1, 1, 0.0, "lo must be a recall between 0 and 1 but is -0.1"),
        (0, 1.5, 0.0, "hi must be a recall between 0 and 1 but is 1.5"),
        (math.nan, 1, 0.0, "lo must be a recall between 0 and 1 but is nan"),
        (-math.inf, 1, -math.inf, "lo must be a recall between -inf and 1 but is -inf"),
        (0.5, 0.5, 0.0, "lo must be below hi but lo is 0.5 and hi is 0.5"),
        (0.6, 0.5, 0.0, "lo must be below hi but lo is 0.6 and hi is 0.5"),
    ],
)
def test_refused_ranges(lo, hi, lowest, message):
    with pytest.raises(ParameterError, match=f"^{re.escape(message)}$"):
        check_range(lo, hi, axis="recall", lowest=lowest)


def test_positions_keep_their_shape():
    for given in (0.5, [0, 0.5, 1], [[0.0], [1.0]], []):
        result = parse_positions(given, axis="recall")
        np.testing.assert_array_equal(result, given)
        assert result.dtype == np.float64
        assert result.shape == np.shape(given)
    assert parse_positions(-7, axis="recall gain", lowest=-math.inf) == -7


@pytest.mark.parametrize("given", [-0.1, 1.1, [0.5, math.nan], [0.2, math.inf]])
def test_positions_off_the_axis(given):
    with pytest.raises(ParameterError, match="x must be a recall between 0 and 1"):
        parse_positions(given, axis="recall")


@pytest.mark.parametrize("given", ["abc", [[1], [1, 2]], None])
def test_positions_that_are_not_numbers(given):
    with pytest.raises(ParameterError, match="x must be a recall between 0 and 1"):
        parse_positions(given, axis="recall")


def test_choices():
    assert check_choice("b", "option", ("a", "b")) == "b"
    message = "option must be one of 'a', 'b' but is 'c'"
    with pytest.raises(ParameterError, match=f"^{message}$"):
        check_choice("c", "option", ("a", "b"))


@pytest.mark.parametrize("given", [None, ["a"], np.array(["a", "b"])])
def test_choices_of_another_type(given):
    with pytest.raises(ParameterError, match=r"^option must be one of 'a', 'b' but is "):
        check_choice(given, "option", ("a", "b"))


def test_levels_budgets_and_several_betas():
    assert check_level(np.float32(0.5), "min_recall") == 0.5
    assert parse_betas(iter([1, np.inf])) == (1.0, math.inf)
    for refused, message in (
        (lambda: check_level(1.1, "min_recall"), "min_recall must be between 0 and 1 but is 1.1"),
        (lambda: check_budget(-1), "budget must be a number ≥ 0 but is -1"),
        (lambda: parse_betas([]), "betas is empty; give at least one β"),
        (lambda: parse_betas([1, "2"]), "beta must be a number ≥ 0 but is '2'"),
    ):
        with pytest.raises(ParameterError, match=f"^{re.escape(message)}$"):
            refused()


def test_values_keep_their_shape():
    assert parse_values([[1], [2]], "k", lambda k: k > 0, "above 0").shape == (2, 1)
    for given in (0, [1, math.nan], "abc", None):
        with pytest.raises(ParameterError, match=r"^k must be above 0$"):
            parse_values(given, "k", lambda k: k > 0, "above 0")


def test_an_integer_that_no_double_holds_is_refused():
    for clean, value in ((check_beta, 10**400), (check_prevalence, -(10**400))):
        with pytest.raises(ParameterError, match="must be"):
            clean(value)
