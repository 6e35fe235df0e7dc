"""Predictions of XGBoost and LightGBM beside labels."""

import pytest

from isometrics import formats
from isometrics.errors import FileError, LabelError, LengthError, ParameterError


@pytest.fixture
def files(tmp_path):
    def write(predictions, labels):
        (tmp_path / "pred.txt").write_text(predictions)
        (tmp_path / "labels.txt").write_text(labels)
        return tmp_path / "pred.txt", tmp_path / "labels.txt"

    return write


@pytest.mark.parametrize("labels", ["1\n0\n1\n", "1 1:2 3:.5\n0 2:1 # why\n1\n", "1.0\n0\n1\n"])
def test_one_number_on_each_line(files, labels):
    path, label_path = files("0.9\n0.4\n1e-3\n", labels)
    predictions = formats.read(path, labels=label_path)
    assert predictions.columns["label"].tolist() == [1, 0, 1]
    assert predictions.columns["label"].dtype.kind == "i"
    assert predictions.columns["score"].tolist() == [0.9, 0.4, 0.001]
    assert predictions.points()["score"].tp.tolist() == [0, 1, 1, 2]


@pytest.mark.parametrize(
    ("labels", "kind", "pos_label"),
    [("yes\nno\nyes\n", "O", "yes"), ("0.5\n1\n0.5", "f", 0.5), ("1e300\n1\n1e300", "f", 1e300)],
)
def test_labels_of_any_kind(files, labels, kind, pos_label):
    path, label_path = files("0.9\n0.4\n0.1\n", labels)
    predictions = formats.read(path, labels=label_path, pos_label=pos_label)
    assert predictions.columns["label"].dtype.kind == kind
    assert predictions.points()["score"].positives == 2


@pytest.mark.parametrize("separator", ["\t", " ", ","])
def test_a_number_for_each_class(files, separator):
    path, label_path = files(
        "0.7\t0.2\t0.1\n0.3\t0.4\t0.3\n0.1\t0.1\t0.8\n".replace("\t", separator), "0\n1.0\n2\n"
    )
    predictions = formats.read(path, "boosting", labels=label_path)
    assert predictions.multiclass
    assert predictions.classes == {"0": 0, "1": 1, "2": 2}
    assert predictions.columns["confidence.1"].tolist() == [0.2, 0.4, 0.1]
    assert [points.roc.area() for points in predictions.points().values()] == [1, 1, 1]
    chosen = formats.read(path, "boosting", labels=label_path, pos_label=2)
    assert chosen.classes == {"2": 2}


def test_two_columns_have_the_positive_class_last(files):
    path, label_path = files("0.7\t0.3\n0.4\t0.6\n", "0\n1\n")
    predictions = formats.read(path, "boosting", labels=label_path)
    assert (predictions.scores, predictions.pos_label) == ({"confidence.1": "confidence.1"}, 1)


@pytest.mark.parametrize(
    ("predictions", "labels", "message"),
    [
        ("0.9\nx\n", "1\n0\n", r"pred.txt line 2: 'x' is no number; a prediction file has"),
        ("0.9\n1 2\n", "1\n0\n", "pred.txt line 2: there are 2 numbers, and 1 on the first line"),
        ("0.9\n,\n", "1\n0\n", "pred.txt line 2: there are 0 numbers"),
        (",\n", "1\n0\n", "pred.txt line 1: ',' is no number"),
        ("", "1\n0\n", "pred.txt has no rows"),
        ("1\n0\n", "1\n2:0.5 3:1\n", "labels.txt line 2: '2:0.5 3:1' does not begin with a label"),
        ("1\n0\n", "1\n# 0\n", "labels.txt line 2: '# 0' does not begin with a label"),
        ("1\n0\n", "1\n0 5 3:1\n", "labels.txt line 2: '5' is neither a label nor a feature"),
        ("1 2\n0 1\n", "1\n2\n", "labels.txt line 2: '2' is none of the classes 0 to 1"),
        ("1 2\n0 1\n", "1\n0.5\n", "labels.txt line 2: '0.5' is none of the classes"),
        ("1 2\n0 1\n", "1\na\n", "labels.txt line 2: 'a' is no number; a label file has"),
    ],
)
def test_files_are_refused_by_their_line(files, predictions, labels, message):
    path, label_path = files(predictions, labels)
    with pytest.raises(FileError, match=message):
        formats.read(path, "boosting", labels=label_path)


@pytest.mark.parametrize("predictions", ["1\n0\n", "1 2\n3 4\n"])
def test_files_must_be_equally_long(files, predictions):
    path, label_path = files(predictions, "1\n0\n1\n")
    with pytest.raises(LengthError, match=r"pred.txt has 2 predictions but .* has 3 labels"):
        formats.read(path, "boosting", labels=label_path)


def test_labels_are_needed(files):
    path, _ = files("1\n0\n", "")
    with pytest.raises(ParameterError, match="pass labels= with the file of labels"):
        formats.read(path, "boosting")


def test_labels_by_name_need_a_positive_one(files):
    path, label_path = files("1\n0\n", "a\nb\n")
    with pytest.raises(LabelError, match="say which one is positive with pos_label="):
        formats.read(path, "boosting", labels=label_path).points()
