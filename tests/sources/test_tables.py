"""One table for each model and group, whichever way the columns say which is which."""

import numpy as np
import pyarrow as pa
import pytest

import isometrics as iso
from isometrics._core.arrays import column
from isometrics._core.sample import Groups, Sample
from isometrics.errors import (
    MissingValueError,
    OneClassError,
    ParameterError,
)
from isometrics.points.models import count_groups
from isometrics.sources import binned_rows
from isometrics.sources.column_roles import Layout
from isometrics.sources.files import FrameSource
from isometrics.sources.tables import read_tables

from .test_binned_rows import Coarse, check, curved


def points(labels, scores, weights=None):
    return iso.OperatingPoints.from_scores(labels, scores, sample_weight=weights)


def batched(columns, rows=7):
    """Return a table that is read in batches of a few rows."""
    table = pa.table(columns)
    return pa.Table.from_batches(table.to_batches(max_chunksize=rows), table.schema)


def test_a_category_without_rows_is_no_model():
    """Nor is one in a batch where other models have all rows."""
    names = pa.DictionaryArray.from_arrays(np.arange(40) // 20, ["a", "b", "never"])
    labels, scores = np.arange(40) % 2, np.arange(40) % 5
    table = batched({"label": labels, "score": scores, "model": names})
    result = iso.read_predictions(table, scores="score").models
    assert result == {name: points(labels[rows], scores[rows]) for name, rows in
                     (("a", slice(20)), ("b", slice(20, None)))}  # fmt: skip


def test_a_small_model_beside_a_large_one(monkeypatch):
    """The large one needs several passes; the small one is counted in the first."""
    Coarse(monkeypatch, first=100, cell_bits=6, most=64)
    big, small = curved(1500, 1), curved(60, 2)
    labels, scores = (np.concatenate(pair) for pair in zip(big, small, strict=True))
    models = np.repeat(["big", "small"], [1500, 60])
    order = np.random.default_rng(3).permutation(1560)
    columns = {"label": labels[order], "score": scores[order], "model": models[order]}
    told = []
    result = iso.read_predictions(
        batched(columns, 150),
        scores="score",
        tolerance=0.01,
        progress=lambda *rows: told.append(rows),
    )
    assert told.count((1560, 1560)) >= 2
    assert result.models["small"] == points(*small)
    check(result.models["big"], points(*big), 0.01)


def test_weights_and_groups_are_counted_exactly(monkeypatch):
    monkeypatch.setattr(binned_rows, "FIRST_ROWS", 10)
    labels, scores = curved(200, 4)
    for extra in ({"weight": np.arange(200) % 3}, {"group": np.arange(200) % 2}):
        table = pa.table({"label": labels, "score": scores} | extra)
        result = iso.read_predictions(table, tolerance=0.1).models["score"]
        assert result == points(labels, scores, extra.get("weight"))


@pytest.mark.parametrize("tolerance", [0, 1, -1, "x", True])
def test_tolerances_that_are_refused(tolerance):
    table = pa.table({"label": [1, 0], "score": [0.5, 0.2]})
    with pytest.raises(ParameterError, match=r"^tolerance must be strictly between 0 and 1"):
        iso.read_predictions(table, tolerance=tolerance)


def test_a_class_without_rows_leaves_the_others():
    table = pa.table(
        {"label": [0, 1, 2, 0, 1, 2], "w": [1, 1, 0, 1, 1, 0], "p_0": [0.1, 0.2, 0.3, 0.4, 0.5,
         0.6], "p_1": [0.6, 0.5, 0.4, 0.3, 0.2, 0.1], "p_2": [0.0] * 6}
    )  # fmt: skip
    result = iso.read_predictions(table, weight="w")
    assert list(result.models) == ["0", "1"]
    assert result.skipped == {"2": "no row has this class"}
    one = Layout("label", {"9": "p_0"}, multiclass=True, classes={"9": 9})
    with pytest.raises(OneClassError):
        read_tables(FrameSource(table), one)


def test_groups_of_one_class_for_some_models():
    one_group = Groups.of_column(column(["g", "g"], "group"))
    samples = [
        Sample(np.array(labels, bool), {model: np.array([0.5, 0.25])}, groups=one_group)
        for model, labels in (("a", [1, 1]), ("b", [0, 0]), ("c", [0, 1]), ("d", [1, 1]))
    ]
    groups, skipped = count_groups(samples)
    assert list(groups["g"]) == ["c"]
    assert skipped == {"g": "only positives for a and d; only negatives for b"}


def test_weights_of_groups_beyond_words():
    labels, scores, weights = [1, 0, 1, 0], [0.5, 0.2, 0.1, 0.3], [2**62] * 4
    table = pa.table({"label": labels, "score": scores, "w": weights, "g": ["x"] * 4})
    result = iso.read_predictions(table, weight="w", group="g").groups["x"]["score"]
    assert result == points(labels, scores, weights)


@pytest.mark.parametrize("role", ["group", "model"])
def test_null_names_are_missing(role):
    names = pa.array([*["a"] * 9, None])
    table = batched({"label": [1, 0] * 5, "score": np.arange(10.0), "name": names})
    with pytest.raises(MissingValueError, match=r"name has missing .* 1 in all, .* 9$"):
        iso.read_predictions(table, label="label", scores="score", **{role: "name"})


def test_progress():
    table = batched({"label": [1, 0] * 4, "score": np.arange(8.0)}, 3)
    told = []
    iso.read_predictions(table, progress=lambda *rows: told.append(rows))
    assert told == [(3, 8), (6, 8), (8, 8)]
