"""The tree of errors: all are ValueErrors, and none stands beside the tree."""

import pytest

import isometrics
from isometrics import errors, read_predictions
from isometrics.cli import main

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


@pytest.mark.parametrize(
    "given",
    [
        "postgresql://annabel:hunter2@host/db?table=t",
        "postgresql://annabel:hun@ter2@host/db?table=t",
        "postgresql:/annabel:hunter2@host/db?table=t",
        "mysql://annabel:hunter2@host/db?table=t",
        "s3://hunter2@bucket/key",
        "postgresql://host/db?table=t&password=hunter2",
        "sqlite://host/x.db?password=hunter2&table=t",
        "spark://annabel:hunter2@host:7077?table=a&table=b",
        "duckdb://annabel:hunter2@host/file.db?table=t",
    ],
)
@pytest.mark.parametrize("command", [False, True])
def test_no_message_shows_a_password(capsys, given, command):
    if command:
        assert main(["summary", given]) == 2
        said = capsys.readouterr().err
    else:
        with pytest.raises(errors.FileError) as caught:
            read_predictions(given)
        said = str(caught.value)
    assert given.partition(":")[0] in said
    for secret in ("hunter2", "ter2", "annabel"):
        assert secret not in said


def test_errors_keep_what_is_no_text():
    assert errors.FileError("a", 1).args == ("a", 1)
