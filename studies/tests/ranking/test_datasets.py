"""Folders become tasks; what is left out is listed with its reason."""

import numpy as np
import pytest

from isometrics.errors import FileError, InputError
from isometrics_studies.ranking.datasets import (
    Column,
    DataSet,
    RawTable,
    built_in_tasks,
    data_set_of,
    data_sets_in,
    usable,
)

GOOD = "".join(f"{row},{row % 7},{'p' if row % 3 == 0 else 'n'}\n" for row in range(30))


def found_in(folder, folds=5):
    tasks, unusable = usable(data_sets_in([folder]), folds=folds)
    return {task.name: task for task in tasks}, {each.name: each.reason for each in unusable}


def test_nothing_is_dropped_without_a_word(tmp_path):
    folder = tmp_path / "sets"
    folder.mkdir()
    (folder / "good.csv").write_text(GOOD)
    (folder / "again.csv").write_text("".join(reversed(GOOD.splitlines(keepends=True))))
    (folder / "few.csv").write_text(GOOD.replace("p", "n", 7))
    (folder / "one.csv").write_text("1,a\n2,a\n")
    (folder / "broken.csv").write_text("1,2\n1\n")
    (folder / "notes.txt").write_text("no data set")
    tasks, unusable = found_in(folder)
    assert list(tasks) == ["sets/again.csv"]
    assert unusable == {
        "sets/broken.csv": "broken.csv has rows of different lengths; a CSV file has rows of "
        "equal length",
        "sets/few.csv": "has 3 rows of its rarer class, fewer than 5 folds",
        "sets/good.csv": "has the same rows as sets/again.csv",
        "sets/one.csv": "sets/one.csv has a target of 1 different values; two are needed",
    }


@pytest.mark.parametrize("name", ["missing", "empty"])
def test_a_folder_without_data_sets_is_an_error(tmp_path, name):
    (tmp_path / "empty").mkdir()
    with pytest.raises(FileError, match="no folder" if name == "missing" else "has no data sets"):
        found_in(tmp_path / name)


def table(*features, target):
    return RawTable([Column(*feature) for feature in features], Column(*target))


def test_values_are_numbers_and_codes():
    data = data_set_of(
        "made",
        table(
            ("length", ["1", None, "2.5", "0"], True),
            ("colour", ["red", "blue", None, "red"], False),
            target=("class", ["a", "b", "b", "b"], False),
        ),
    )
    assert data.values == pytest.approx(
        np.array([[1, 1], [np.nan, 0], [2.5, np.nan], [0, 1]]), nan_ok=True
    )
    assert data.nominal.tolist() == [False, True]
    assert data.positive.tolist() == [True, False, False, False]
    assert (data.positives, data.rule, data.notes) == (1, "two classes", ())


def test_a_numeric_target_is_split_and_rows_without_one_are_noted():
    cells = ["1", None, "2", "9"]
    data = data_set_of(
        "made", table(("a", ["1", "2", "3", "4"], True), target=("size", cells, True))
    )
    assert data.positive.tolist() == [False, False, True]
    assert data.values[:, 0].tolist() == [1, 3, 4]
    assert data.rule == "split at the mean"
    assert data.notes == ("1 rows without a target",)


def test_columns_that_tell_nothing_are_noted():
    data = data_set_of(
        "made",
        table(
            ("name", ["x", "y", "z"], False),
            ("constant", ["1", "1", None], True),
            ("empty", [None, None, None], False),
            ("number", ["1", "2", "3"], True),
            target=("class", ["a", "b", "b"], False),
        ),
    )
    assert data.values.shape == (3, 1)
    assert data.notes == (
        "column 'name', which names each row",
        "column 'constant', which does not vary",
        "column 'empty', which does not vary",
    )


@pytest.mark.parametrize(
    ("feature", "said"),
    [
        (("a", ["1", "1"], True), "has no column to learn from"),
        (("a", ["1", "two"], True), "values in the numeric column 'a' that are no numbers"),
    ],
)
def test_what_cannot_be_learnt_from_is_told(feature, said):
    with pytest.raises(InputError, match=said):
        data_set_of("made", table(feature, target=("class", ["a", "b"], False)))


def test_fingerprints_know_rows_and_their_order():
    values, positive = np.array([[1.0], [2.0], [3.0]]), np.array([True, False, False])
    nominal = np.array([False])
    first = DataSet("a", values, nominal, positive, "")
    turned = DataSet("b", values[::-1], nominal, positive[::-1], "")
    second = DataSet("c", values, nominal, positive[::-1], "")
    assert first.content() == turned.content() != second.content()
    assert len({first.digest(), turned.digest(), second.digest()}) == 3


def test_some_tasks_need_no_files():
    tasks = built_in_tasks()
    assert [(task.positive.size, task.positives) for task in tasks] == [
        (569, 212),
        (150, 50),
        (178, 71),
        (300, 30),
        (300, 90),
    ]
    assert len(usable(tasks, folds=10)[0]) == 5
    again = built_in_tasks()
    assert [task.digest() for task in tasks] == [task.digest() for task in again]
