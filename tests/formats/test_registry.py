"""Formats by name: reading, writing, and telling them apart."""

import gzip
import pickle
import subprocess
import sys

import numpy as np
import pytest

from isometrics import formats
from isometrics.errors import FileError, ParameterError

PREDICTIONS = formats.Predictions(
    {"label": np.array([1, 0, 1]), "score": np.array([0.9, 0.5, 0.1])}, "label", {"score": "score"}
)
POINTS = PREDICTIONS.points()["score"]


def test_every_format_is_described():
    for entry in formats.FORMATS.values():
        assert len(entry.description) > 20
    assert formats.FORMATS["npz"].options == ("label", "scores", "pos_label")


@pytest.mark.parametrize(
    ("name", "content", "expected"),
    [
        ("a.arff", "@relation x", "openml"),
        ("a.ARFF", "", "openml"),
        ("a.npz", "", "npz"),
        ("a.list", "1 1", "list"),
        ("a.txt", "0.5 1\n0.4 0", "list"),
        ("a", "0.5,1\n0.4\t0", "list"),
        ("a.txt.pr", "0.5\t1.0", ".pr"),
        ("a.roc", "0\t0\n0.5\t1.0", ".roc"),
        ("a.spr", "0.01 1", ".spr"),
        ("a.pr", "0.5\t1.0\t3", None),
        ("a.pr", "recall precision", None),
        ("a.csv", "inst#,actual,predicted,error,prediction\n", "weka"),
        ("a.txt", "\n=== Predictions ===\n\ninst#\tactual\tpredicted\terror\tprediction", "weka"),
        ("a.txt", "0.5\n-3e2\n", None),
        # Plain tables, and what nobody can know.
        ("a.csv", "label,score\n1,0.5\n", None),
        ("a.csv", "inst#,actual,predicted,error,mine\n", None),
        ("a.csv", "0.5,1\n0.4,0\n", None),
        ("a.tsv", "0.5\t1\n", None),
        ("a.csv", "0.5\n", None),
        ("a.txt", "label score\n1 0.5\n", None),
        ("a.txt", "1 0.5\n0 0.4\n", None),
        ("a.txt", "1 0\n0 1\n", None),
        ("a.txt", "0.1 0.2 0.7\n", None),
        ("a.txt", "0.1\n0.2 0.7\n", None),
        ("a.txt", "", None),
        *((name, "PAR1\0\0\1", None) for name in ("a.parquet", "a.txt", "a")),
        ("a.json", "[1]", None),
    ],
)
@pytest.mark.parametrize("zipped", [False, True])
def test_formats_are_told_by_name_and_first_lines(tmp_path, name, content, expected, zipped):
    path = tmp_path / (name + ".gz" * zipped)
    path.write_bytes(gzip.compress(content.encode()) if zipped else content.encode())
    assert formats.sniff(path) == expected


@pytest.mark.parametrize("name", ["nowhere.npz", ".", "a\0b", "*.csv"])
def test_where_no_file_is_there_is_no_format(tmp_path, name):
    assert formats.sniff(tmp_path / name) is None


@pytest.mark.parametrize(
    ("call", "said"),
    [
        *((lambda path, name=name: formats.read(path, name),
           "format must be one of 'list', 'PR', 'ROC'") for name in ("csv", "pr", 3)),
        (lambda path: formats.read(path, "list", pos_label=1),
         "pos_label is not an option of list; it takes none"),
        (lambda path: formats.read(path, "PR", label="y"),
         "label is not an option of PR; it takes pos"),
        *((lambda path, name=name: formats.write(PREDICTIONS, path, name),
           "format must be one of 'list', 'PR'") for name in ("openml", "weka", "npz", "x")),
        *((lambda path, name=name: formats.write(PREDICTIONS, path, name),
           f"{name} is written from .* but got") for name in ("PR", "ROC", ".pr", ".roc", ".spr")),
        (lambda path: formats.write(POINTS, path, "list"), "list is written from .* but got"),
        (lambda _: formats.sniff(None), "path must name a file but is None"),
        (lambda _: formats.read(None), "path must name a file but is None"),
        (lambda _: formats.write(POINTS, None, "PR"), "path must name a file but is None"),
    ],
)  # fmt: skip
def test_what_is_asked_for_is_checked(tmp_path, call, said):
    with pytest.raises(ParameterError, match=said):
        call(tmp_path / "x")
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "a.csv").write_text("label,score\n1,0.5\n")
    with pytest.raises(FileError, match=r"a.csv has no format that can be told .* format=, one of"):
        formats.read(tmp_path / "a.csv")


def test_predictions_are_a_value():
    again = pickle.loads(pickle.dumps(PREDICTIONS))
    assert again.scores == PREDICTIONS.scores
    assert again.columns["score"].tolist() == PREDICTIONS.columns["score"].tolist()
    with pytest.raises(ValueError, match="read-only"):
        PREDICTIONS.columns["score"][0] = 1
    assert len(PREDICTIONS) == 3


def test_predictions_print_and_convert():
    columns = {"y": np.array(["a", "<b>"], object), "s": np.array([1, 2]), "g": np.array([0, 1])}
    predictions = formats.Predictions(columns, "y", {"m": "s"}, group="g", pos_label="a")
    assert repr(predictions).startswith(
        "Predictions: 2 rows, labels in 'y', scores in 's', groups in 'g'\n"
    )
    assert "&lt;b&gt;" in predictions._repr_html_()
    for library in ("pandas", "polars", "pyarrow"):
        pytest.importorskip(library)
        frame = predictions.to_frame(library)
        assert list(frame["y"].to_pylist() if library == "pyarrow" else frame["y"]) == ["a", "<b>"]


def test_formats_are_loaded_when_they_are_asked_for():
    program = "import sys, isometrics; assert 'isometrics.formats' not in sys.modules; "
    program += "import isometrics.formats; assert 'narwhals' not in sys.modules"
    subprocess.run([sys.executable, "-c", program], check=True)
