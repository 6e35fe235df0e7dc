"""The tree of errors: all are ValueErrors, and none stands beside the tree."""

import pytest

import isometrics
from isometrics import errors

ERRORS = [
    getattr(errors, name) for name in errors.__all__ if issubclass(getattr(errors, name), Exception)
]


def test_every_class_of_the_module_is_listed():
    defined = {
        name
        for name, value in vars(errors).items()
        if isinstance(value, type) and value.__module__ == errors.__name__
    }
    assert defined == set(errors.__all__)


@pytest.mark.parametrize("error", [e for e in ERRORS if not issubclass(e, Warning)])
def test_errors_are_value_errors_of_one_tree(error):
    assert issubclass(error, errors.IsometricsError)
    assert issubclass(error, ValueError)


@pytest.mark.parametrize("error", ERRORS)
def test_every_class_says_what_it_means(error):
    assert error.__doc__ not in (None, error.__base__.__doc__)


def test_errors_a_user_catches_are_at_the_top():
    for name in ("InputError", "IsometricsError", "OneClassError", "UndefinedWarning"):
        assert getattr(isometrics, name) is getattr(errors, name)
    assert issubclass(errors.OneClassError, errors.InputError)
    assert issubclass(errors.UndefinedWarning, UserWarning)
