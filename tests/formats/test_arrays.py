"""Arrays in .npz files."""

import numpy as np
import pytest

from isometrics import formats
from isometrics.errors import FileError, LabelError, ParameterError


@pytest.fixture
def archive(tmp_path):
    def write(**arrays):
        path = tmp_path / "oof.npz"
        np.savez_compressed(path, **arrays)
        return path

    return write


@pytest.mark.parametrize("label", ["y_true", "y", "labels"])
@pytest.mark.parametrize("scores", ["y_score", "y_pred", "proba"])
def test_labels_and_scores_by_their_usual_names(archive, label, scores):
    path = archive(**{label: np.array([1, 0, 1]), scores: np.array([0.9, 0.5, 0.1])})
    predictions = formats.read(path)
    assert (predictions.label, predictions.scores) == ("label", {"score": "score"})
    assert predictions.points()["score"].tp.tolist() == [0, 1, 1, 2]


def test_other_names_are_said(archive):
    path = archive(y=np.array([1, 0]), good=np.array([0, 1]), a=np.array([0.9, 0.1]))
    predictions = formats.read(path, label="good", scores="a")
    assert predictions.columns["label"].tolist() == [0, 1]
    with pytest.raises(ParameterError, match=r"arrays 'y' and 'good' and 'a'; say .* scores="):
        formats.read(path)
    with pytest.raises(ParameterError, match="has the arrays 'y' and 'good' and 'a'; say"):
        formats.read(path, scores="b")


@pytest.mark.parametrize(
    ("labels", "pos_label", "positive"),
    [
        ([0, 1, 1], None, "confidence.1"),
        ([-1.0, 1.0, 1.0], None, "confidence.1"),
        ([False, True, True], None, "confidence.True"),
        (["a", "b", "b"], "b", "confidence.b"),
        ([0, 1, 1], 0, "confidence.0"),
        ([1.5, 2.0, 2.0], 2, "confidence.2"),
    ],
)
def test_probabilities_of_two_classes(archive, labels, pos_label, positive):
    proba = np.array([[0.8, 0.2], [0.4, 0.6], [0.1, 0.9]])
    predictions = formats.read(archive(y=np.array(labels), proba=proba), pos_label=pos_label)
    assert predictions.scores == {positive: positive}
    column = 0 if positive == "confidence.0" else 1
    assert predictions.columns[positive].tolist() == proba[:, column].tolist()
    assert predictions.points()[positive].roc.area() == 1


def test_cross_val_predict_of_several_classes(archive):
    proba = np.array([[0.5, 0.3, 0.2], [0.2, 0.5, 0.3], [0.1, 0.2, 0.7]])
    path = archive(y=np.array(["u", "v", "w"]), proba=np.asfortranarray(proba))
    predictions = formats.read(path)
    assert predictions.classes == {"u": "u", "v": "v", "w": "w"}
    assert predictions.columns["confidence.v"].tolist() == [0.3, 0.5, 0.2]
    ordered = archive(
        y=np.array(["u", "v", "w"]), proba=proba[:, ::-1], classes=np.array(["w", "v", "u"])
    )
    again = formats.read(ordered)
    assert again.columns["confidence.u"].tolist() == [0.5, 0.2, 0.1]


def test_groups_and_a_single_column(archive):
    path = archive(y=np.array([1, 0]), proba=np.array([[0.9], [0.1]]), fold=np.array([0, 1]))
    predictions = formats.read(path)
    assert (predictions.group, predictions.columns["group"].tolist()) == ("group", [0, 1])
    assert predictions.columns["score"].tolist() == [0.9, 0.1]


def test_numbers_of_the_other_byte_order(archive):
    path = archive(y=np.array([1, 0], ">i4"), proba=np.array([0.9, 0.1], ">f8"))
    predictions = formats.read(path)
    assert predictions.columns["score"].dtype.isnative
    assert predictions.points()["score"].tp.tolist() == [0, 1, 1]


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ({"y": [1, 0], "proba": [0.5]}, r"has 2 labels but an array of shape \(1,\); an archive"),
        ({"y": [], "proba": []}, "has no rows"),
        ({"y": [[1, 0]], "proba": [0.5]}, r"has labels of shape \(1, 2\)"),
        ({"y": [1, 0], "proba": ["a", "b"]}, "and object scores"),
        ({"y": [1, 0], "proba": 0.5}, r"and float64 scores \(\)"),
        ({"y": [1, 0], "proba": np.zeros((2, 3))}, "has scores of 3 classes but labels of others"),
        (
            {"y": [1, 0], "proba": np.zeros((2, 2)), "classes": [1, 2]},
            "has scores of 2 classes but labels of others",
        ),
        ({"y": [1, 0], "proba": [0.5, 1], "groups": [1]}, "has 2 labels but an array"),
    ],
)
def test_arrays_that_do_not_fit(archive, arrays, message):
    with pytest.raises(FileError, match=message):
        formats.read(archive(**{name: np.array(values) for name, values in arrays.items()}))


def test_nothing_is_unpickled(tmp_path):
    class Trap:
        def __reduce__(self):
            return pytest.fail, ("unpickled",)

    path = tmp_path / "x.npz"
    np.savez(path, y=np.array([1, 0]), proba=np.array([Trap(), Trap()]))
    with pytest.raises(FileError, match=r"cannot read .*object arrays cannot be loaded"):
        formats.read(path)


def test_what_is_no_archive(tmp_path, archive):
    whole = archive(y=np.array([1, 0]), proba=np.array([0.9, 0.1])).read_bytes()
    damaged = whole[:60] + bytes([whole[60] ^ 255]) + whole[61:]
    for content in (b"", b"PK\x03\x04", b"nothing", damaged):
        (tmp_path / "x.npz").write_bytes(content)
        with pytest.raises(FileError, match=r"cannot read .*: "):
            formats.read(tmp_path / "x.npz")
    with pytest.raises(FileError, match=r"cannot read .*: no such file or directory"):
        formats.read(tmp_path / "absent.npz", "npz")


@pytest.mark.parametrize(
    ("arrays", "error", "message"),
    [
        ({"y": [1, 0], "y_pred": [0, 1], "y_score": [0.9, 0.1]}, ParameterError,
         "has the arrays 'y_pred' and 'y_score'; say which"),
        ({}, ParameterError, "has the arrays nothing; say which one with label="),
        ({"y": ["a", "b"], "proba": np.eye(2)}, LabelError,
         "has the classes 'a', 'b'; say which one is positive"),
    ],
)  # fmt: skip
def test_archives_that_do_not_say_what_is_what(archive, arrays, error, message):
    with pytest.raises(error, match=message):
        formats.read(archive(**{name: np.array(values) for name, values in arrays.items()}))
