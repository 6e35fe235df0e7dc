"""`to_frame`: the same columns in every library, and advice where none is installed."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from isometrics import OperatingPoints
from isometrics._core import results as frames
from isometrics.errors import ParameterError

POINTS = OperatingPoints.from_scores([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1])
TOTALS = {"positives": 2, "negatives": 2}
FRAMES = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "pyarrow": pa.Table}
COLUMNS = [
    *("tp", "fp", "fn", "tn", "false_positive_rate", "precision", "recall"),
    *("precision_gain", "recall_gain"),
]


def names(frame):
    return frame.column_names if isinstance(frame, pa.Table) else list(frame.columns)


def cells(frame, name):
    return np.array(frame[name].to_pylist() if isinstance(frame, pa.Table) else frame[name])


@pytest.mark.parametrize("library", FRAMES)
def test_columns_are_the_attributes(library):
    frame = POINTS.to_frame(library)
    assert type(frame) is FRAMES[library]
    assert names(frame) == ["threshold", *COLUMNS]
    np.testing.assert_array_equal(cells(frame, "threshold"), POINTS.thresholds)
    for name in COLUMNS:
        np.testing.assert_array_equal(cells(frame, name).astype(float), getattr(POINTS, name))
    assert cells(frame, "tp").dtype == np.int64


@pytest.mark.parametrize("library", FRAMES)
def test_sets_have_labels_for_thresholds(library):
    """Parameter values of sets need not share a type; a frame library may want one."""
    for labels in (["a", "b"], ["a", 3]):
        sets = OperatingPoints.from_counts([2, 1], [0, 1], **TOTALS, labels=labels)
        frame = sets.to_frame(library)
        assert names(frame) == ["label", *COLUMNS]
        assert list(map(str, cells(frame, "label"))) == list(map(str, labels))


def test_thresholds_beyond_double_precision():
    """Integers beyond 2**53 have long double thresholds, which polars and Arrow do not know."""
    points = OperatingPoints.from_scores([1, 0], np.array([2**60 + 1, 2**60]))
    thresholds = points.to_frame("pandas")["threshold"]
    assert [int(t) for t in thresholds[1:]] == [2**60 + 1, 2**60]
    for library in ("polars", "pyarrow"):
        message = f"{library} cannot hold thresholds beyond float64; use pandas"
        with pytest.raises(ParameterError, match=f"^{message}$"):
            points.to_frame(library)


def test_the_first_library_installed_is_the_default(monkeypatch):
    for skipped, chosen in enumerate(FRAMES):
        installed = list(FRAMES)[skipped:]
        monkeypatch.setattr(
            frames, "find_spec", lambda name, there=installed: name in there or None
        )
        assert type(POINTS.to_frame()) is FRAMES[chosen]


def test_a_library_that_is_not_installed_or_known(monkeypatch):
    def refused(library, message):
        with pytest.raises(ParameterError, match=f"^{message}$"):
            POINTS.to_frame(library)

    refused("excel", "library must be one of 'pandas', 'polars', 'pyarrow' but is 'excel'")
    monkeypatch.setattr(frames, "find_spec", lambda name: None)  # noqa: ARG005
    for library in FRAMES:
        said = f"to_frame needs {library}, which is not installed: pip install {library}"
        refused(library, said)
    needed = "pandas, polars or pyarrow"
    refused(None, f"to_frame needs {needed}, which is not installed: pip install pandas")


@pytest.mark.parametrize("library", FRAMES)
def test_what_is_not_known_stays_unknown(library):
    """As text, False would be true."""
    frame = frames.to_frame({"better": [False, None], "model": ["a", None]}, library)
    better, model = cells(frame, "better"), cells(frame, "model")
    assert not better[0]
    assert model[0] == "a"
    assert pd.isna(better[1])
    assert pd.isna(model[1])
