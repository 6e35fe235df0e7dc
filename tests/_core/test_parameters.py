"""Parameters: what is accepted comes back as a float; all else is refused by name and value."""

import math

import numpy as np
import pytest

from isometrics._core.parameters import (
    check_beta,
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

NOT_NUMBERS = [math.nan, True, "1", None, [1], 1j, np.array([0.5]), np.bool_(True), 10**400]


def refusal(message, function, *given, **options):
    with pytest.raises(ParameterError) as caught:
        function(*given, **options)
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("check", "name", "accepted", "values", "refused"),
    [
        (check_beta, "beta", "a number ≥ 0", [0, np.float32(0.5), 1e300, math.inf], [-1, -1e-300]),
        (check_cost, "cost", "between 0 and 1", [0, np.int64(1), 0.3], [-0.1, 1.1, math.inf]),
        (
            check_prevalence,
            "prevalence",
            "strictly between 0 and 1",
            [5e-324, np.nextafter(1, 0)],
            [0, 1, 1.0, -0.5, 2],
        ),
    ],
)
def test_numbers_come_back_as_floats_and_others_are_named(check, name, accepted, values, refused):
    for value in values:
        assert type(check(value)) is float
        assert check(value) == value
    for value in [*refused, *NOT_NUMBERS]:
        refusal(f"{name} must be {accepted} but is {value!r}", check, value)


def test_ranges():
    for ends in ((0, 1, 0.0), (0.25, np.float32(0.5), 0.0), (-3, 0.5, -math.inf)):
        found = check_range(*ends[:2], axis="recall gain", lowest=ends[2])
        assert (found, *map(type, found)) == (ends[:2], float, float)
    for lo, hi, lowest, said in (
        (-0.1, 1, 0.0, "lo must be a recall between 0 and 1 but is -0.1"),
        (0, 1.5, 0.0, "hi must be a recall between 0 and 1 but is 1.5"),
        (math.nan, 1, 0.0, "lo must be a recall between 0 and 1 but is nan"),
        (-math.inf, 1, -math.inf, "lo must be a recall between -inf and 1 but is -inf"),
        (0.5, 0.5, 0.0, "lo must be below hi but lo is 0.5 and hi is 0.5"),
        (0.6, 0.5, 0.0, "lo must be below hi but lo is 0.6 and hi is 0.5"),
    ):
        refusal(said, check_range, lo, hi, axis="recall", lowest=lowest)


def test_positions_and_values_keep_their_shape():
    for given in (0.5, [0, 0.5, 1], [[0.0], [1.0]], []):
        found = parse_positions(given, axis="recall")
        np.testing.assert_array_equal(found, given)
        assert (found.dtype, found.shape) == (np.float64, np.shape(given))
    assert parse_positions(-7, axis="recall gain", lowest=-math.inf) == -7
    assert parse_values([[1], [2]], "k", lambda k: k > 0, "above 0").shape == (2, 1)
    for given in (-0.1, 1.1, [0.5, math.nan], [0.2, math.inf], "abc", [[1], [1, 2]], None):
        refusal("x must be a recall between 0 and 1", parse_positions, given, axis="recall")
    for given in (0, [1, math.nan], "abc", None):
        refusal("k must be above 0", parse_values, given, "k", lambda k: k > 0, "above 0")


def test_choices():
    assert check_choice("b", "option", ("a", "b")) == "b"
    for given in ("c", None, ["a"], np.array(["a", "b"])):
        said = f"option must be one of 'a', 'b' but is {given!r}"
        refusal(said, check_choice, given, "option", ("a", "b"))


def test_levels_and_several_betas():
    assert check_level(np.float32(0.5), "min_recall") == 0.5
    assert parse_betas(iter([1, np.inf])) == (1.0, math.inf)
    refusal("min_recall must be between 0 and 1 but is 1.1", check_level, 1.1, "min_recall")
    refusal("betas is empty; give at least one β", parse_betas, [])
    refusal("beta must be a number ≥ 0 but is '2'", parse_betas, [1, "2"])
