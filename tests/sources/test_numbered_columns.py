"""Columns m0 and m1 beside the labels 0 and 1: models or classes, guessed only where it is sure."""

import numpy as np
import pandas as pd
import pytest

import isometrics as iso
from isometrics.errors import ParameterError

LABELS = np.array([1, 0, 1, 0, 1, 0])
A = np.array([0.9, 0.8, 0.7, 0.3, 0.2, 0.1])
B = np.array([0.4, 0.9, 0.8, 0.1, 0.7, 0.2])


def models(**columns):
    return list(iso.read_predictions(pd.DataFrame({"label": LABELS} | columns)).models)


def test_numbered_models_that_may_be_classes_are_not_guessed():
    with pytest.raises(ParameterError) as caught:
        models(m0=A, m1=B)
    assert str(caught.value) == (
        "the columns 'm0' and 'm1' could be two models, or the scores of the labels 0 and 1; name "
        "both with scores= if they are models, and else 'm1' alone"
    )
    frame = pd.DataFrame({"label": LABELS, "m0": A, "m1": B})
    assert list(iso.read_predictions(frame, scores=["m0", "m1"]).models) == ["m0", "m1"]
    assert list(iso.read_predictions(frame, scores="m1").models) == ["m1"]


def test_three_numbered_columns_are_models():
    assert models(m0=A, m1=B, m2=A) == ["m0", "m1", "m2"]


@pytest.mark.parametrize("name", ["p{}", "prob_{}", "{}", "{}_proba", "P(class {})", "score.{}"])
def test_columns_that_are_called_so_are_classes(name):
    assert models(**{name.format(0): A, name.format(1): B}) == [name.format(1)]


def test_labels_of_three_classes_are_as_before():
    frame = pd.DataFrame({"label": [0, 1, 2, 0, 1, 2], "m0": A, "m1": B, "m2": A})
    assert list(iso.read_predictions(frame).models) == ["0", "1", "2"]


def test_the_command_names_its_option(tmp_path, capsys):
    from isometrics.cli import main

    pd.DataFrame({"label": LABELS, "m0": A, "m1": B}).to_csv(tmp_path / "x.csv", index=False)
    assert main(["summary", str(tmp_path / "x.csv")]) == 2
    assert "name both with --scores if they are models, and else 'm1' alone" in (
        capsys.readouterr().err
    )
