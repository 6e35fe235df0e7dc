"""Rows that are kept are those of the source, in its order."""

import numpy as np
import pyarrow as pa
import pytest

import isometrics as iso
from isometrics.engines import sources
from isometrics.errors import ParameterError

LABELS = [1, 0, 1, 0, 0, 1, 1, 0]
GROUPS = ["b", "a", "b", "a", "b", "b", "a", "b"]


def frame(**columns):
    scores = {"one": np.arange(8.0), "other": np.arange(8.0)[::-1]}
    return pa.table({"label": LABELS, **scores, **columns})


@pytest.fixture(autouse=True)
def small_batches(monkeypatch):
    """Let rows arrive in several batches."""
    monkeypatch.setattr(sources, "BATCH_ROWS", 3)


def test_rows_are_kept_in_their_order():
    rows = iso.read_predictions(frame(), keep_rows=True).rows
    np.testing.assert_array_equal(rows.labels, np.array(LABELS, bool))
    np.testing.assert_array_equal(rows.scores["one"], np.arange(8.0))
    np.testing.assert_array_equal(rows.scores["other"], np.arange(8.0)[::-1])
    assert rows.weights is None
    assert rows.groups == {}


def test_rows_of_zero_weight_are_absent():
    weights = [1.0, 0.0, 2.0, 1.0, 0.0, 1.0, 3.0, 1.0]
    rows = iso.read_predictions(frame(weight=weights), keep_rows=True).rows
    kept = np.flatnonzero(weights)
    np.testing.assert_array_equal(rows.scores["one"], kept)
    np.testing.assert_array_equal(rows.weights, np.array(weights)[kept])


def test_groups_know_their_rows():
    analysis = iso.read_predictions(frame(group=GROUPS), keep_rows=True)
    assert list(analysis.rows.groups) == ["a", "b"]
    for name, rows in analysis.rows.groups.items():
        assert [GROUPS[row] for row in rows] == [name] * len(rows)
    assert sorted(np.concatenate(list(analysis.rows.groups.values()))) == list(range(8))


def test_the_same_rows_as_those_of_arrays():
    """Resampling a file is resampling its arrays."""
    analysis = iso.read_predictions(frame(), keep_rows=True)
    arrays = iso.analyse(LABELS, {"one": np.arange(8.0), "other": np.arange(8.0)[::-1]})
    found = analysis.bootstrap("AUROC", n_resamples=50)
    np.testing.assert_array_equal(
        found.replicates, arrays.bootstrap("AUROC", n_resamples=50).replicates
    )


def test_rows_are_not_kept_unless_asked_for():
    assert iso.read_predictions(frame()).rows is None


@pytest.mark.parametrize(
    "table",
    [
        pa.table({"label": LABELS, "score": np.arange(8.0), "model": ["a", "b"] * 4}),
        pa.table({"label": list("xyzxyzxy")} | {name: np.arange(8.0) for name in "xyz"}),
    ],
)
def test_rows_that_are_not_shared_by_all_models(table):
    with pytest.raises(ParameterError, match="each model needs a column of its own"):
        iso.read_predictions(table, label="label", keep_rows=True)


@pytest.mark.usefixtures("any_memory_limit")
def test_rows_that_do_not_fit_are_refused():
    with pytest.raises(ParameterError, match="the rows do not fit into the memory limit"):
        iso.read_predictions(frame(), keep_rows=True, memory_limit=100)
