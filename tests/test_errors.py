"""The tree of errors: all are ValueErrors, and none stands beside the tree."""

import copy
import pickle
from pathlib import Path

import pytest

import isometrics
from isometrics import errors, read_predictions
from isometrics.cli import main

ERRORS = [
    value
    for value in vars(errors).values()
    if isinstance(value, type)
    and issubclass(value, Exception)
    and value.__module__ == errors.__name__
]


@pytest.mark.parametrize("error", ERRORS)
def test_classes_are_of_one_tree_say_what_they_mean_and_are_pickled(error):
    if not issubclass(error, Warning):
        assert issubclass(error, errors.IsometricsError)
        assert issubclass(error, ValueError)
    assert error.__doc__ not in (None, error.__base__.__doc__)
    restored = pickle.loads(pickle.dumps(error("a sentence")))
    assert type(restored) is error
    assert str(restored) == "a sentence"


def test_the_api_page_lists_every_class():
    page = (Path(__file__).parents[1] / "docs" / "api.md").read_text(encoding="utf-8")
    for error in ERRORS:
        assert f"::: isometrics.errors.{error.__name__}\n" in page


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


ADVICE = errors.Advice("say which with {pos_label}, for example {}", "'{label}'")
COPIES = [copy.copy, lambda error: pickle.loads(pickle.dumps(error))]


def test_who_tells_an_error_names_the_parameters():
    error = errors.LabelError("y has the labels '{}' and 'b'", ADVICE)
    said = "y has the labels '{{}}' and 'b'; say which with {}, for example '{{label}}'".format
    assert str(error) == said("pos_label=")
    assert error.phrase(lambda parameter: f"<{parameter}>") == said("<pos_label>")
    within = error.within("fold 3")
    assert type(within) is errors.LabelError
    assert within.phrase(str) == f"fold 3: {said('pos_label')}"
    assert errors.FileError("gone").phrase(str) == "gone"


@pytest.mark.parametrize("again", COPIES)
def test_errors_keep_their_parts(again):
    error = again(errors.FileError.unreadable("a.csv", "it is empty").within("fold 1"))
    assert str(error) == "fold 1: cannot read 'a.csv': it is empty"
    assert error.args == (str(error),)
    assert (error.where, error.problem) == ("fold 1", "cannot read 'a.csv': it is empty")
    assert (error.file, error.reason) == ("a.csv", "it is empty")
    advised = again(errors.LabelError("what", ADVICE))
    assert advised.phrase(str) == "what; say which with pos_label, for example '{label}'"


@pytest.mark.parametrize("again", COPIES)
def test_an_error_about_a_parameter_keeps_its_name(again):
    error = again(errors.ParameterError("must be above 0 but is -1", ADVICE, parameter="beta"))
    assert (error.parameter, error.problem) == ("beta", "must be above 0 but is -1")
    assert str(error).startswith("beta must be above 0 but is -1; say which with pos_label=")
    within = error.within("fold 3").within("study")
    assert within.phrase(lambda name: f"<{name}>").startswith(
        "study: fold 3: <beta> must be above 0 but is -1; say which with <pos_label>"
    )
    assert (error.where, within.where) == ("", "study: fold 3")


def test_a_file_has_another_name_for_those_who_do_not_know_its_path():
    advice = errors.Advice("pass {header}")
    unreadable = errors.FileError.unreadable(Path("a") / "b.csv", "it has two", advice)
    renamed = unreadable.renamed("standard input")
    assert str(renamed) == "cannot read 'standard input': it has two; pass header="
    assert renamed.phrase("--{}".format).endswith("; pass --header")
    about = errors.FileError.about(Path("a") / "b.csv", "line 3: no number")
    assert str(about.renamed(about.file.name)) == "b.csv line 3: no number"
    other = errors.FileError("the predictions changed")
    assert other.renamed("standard input") is other


def test_a_missing_package_is_an_import_error_too():
    error = errors.MissingPackageError("x needs y", "isometrics[y]")
    assert isinstance(error, ImportError)
    assert str(error) == str(copy.copy(error)) == "x needs y: pip install 'isometrics[y]'"


def test_the_system_says_why():
    assert errors.system_reason(OSError(28, "No space left")) == "no space left"
    assert errors.system_reason(UnicodeError("Odd")) == "odd"
