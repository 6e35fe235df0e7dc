"""Rows that are kept are those of the source, in its order."""

import re

import numpy as np
import pyarrow as pa
import pytest

import isometrics as iso
from isometrics._core.sample import GroupNames, Groups, Sample
from isometrics.errors import NotAnswerableError, ParameterError
from isometrics.sources.column_roles import Layout
from isometrics.sources.held_rows import HeldRows

from .test_tables import batched

LABELS = [1, 0, 1, 0, 0, 1, 1, 0]
GROUPS = ["b", "a", "b", "a", "b", "b", "a", "b"]


def frame(**columns):
    scores = {"one": np.arange(8.0), "other": np.arange(8.0)[::-1]}
    return batched({"label": LABELS, **scores, **columns}, 3)


def test_rows_are_kept_in_their_order():
    rows = iso.read_predictions(frame(), keep_rows=True).rows
    np.testing.assert_array_equal(rows.labels, np.array(LABELS, bool))
    np.testing.assert_array_equal(rows.scores["one"], np.arange(8.0))
    np.testing.assert_array_equal(rows.scores["other"], np.arange(8.0)[::-1])
    assert rows.weights is None
    assert rows.groups is None


def test_rows_of_zero_weight_are_absent():
    weights = [1.0, 0.0, 2.0, 1.0, 0.0, 1.0, 3.0, 1.0]
    rows = iso.read_predictions(frame(weight=weights), keep_rows=True).rows
    kept = np.flatnonzero(weights)
    np.testing.assert_array_equal(rows.scores["one"], kept)
    np.testing.assert_array_equal(rows.weights, np.array(weights)[kept])


def test_groups_know_their_rows():
    analysis = iso.read_predictions(frame(group=GROUPS), keep_rows=True)
    assert list(analysis.rows.groups.names) == ["a", "b"]
    for name, rows in analysis.rows.groups.row_index().items():
        assert [GROUPS[row] for row in rows] == [name] * len(rows)
    assert sorted(np.concatenate(list(analysis.rows.groups.row_index().values()))) == list(range(8))


def test_rows_are_kept_up_to_a_number_of_them():
    assert iso.read_predictions(frame(), keep_rows=8).rows.size == 8
    for columns in ({}, {"group": GROUPS}):
        many = iso.read_predictions(frame(**columns), keep_rows=7)
        assert many.rows is None
        assert many.without_rows == "there are more than keep_rows= allows"
    assert iso.read_predictions(frame(model=GROUPS).drop_columns("other"), keep_rows=8).rows is None


def test_rows_that_intervals_may_need_are_kept_by_themselves():
    result = iso.read_predictions(frame()).summary(confidence_level=0.9, n_resamples=50)
    expected = iso.read_predictions(frame(), keep_rows=True).summary(
        confidence_level=0.9, n_resamples=50
    )
    assert result.to_frame("pyarrow").equals(expected.to_frame("pyarrow"))
    one = frame().drop_columns("other")
    alone = iso.read_predictions(one)
    assert alone.rows is None
    np.testing.assert_array_equal(
        alone.bootstrap("AUROC", n_resamples=50).replicates,
        iso.analyse(LABELS, np.arange(8.0)).bootstrap("AUROC", n_resamples=50).replicates,
    )
    weighted = iso.read_predictions(one.append_column("weight", pa.array([1, 2] * 4)))
    np.testing.assert_array_equal(
        weighted.bootstrap("AUROC", n_resamples=50).replicates,
        iso.analyse(LABELS, np.arange(8.0), sample_weight=[1, 2] * 4)
        .bootstrap("AUROC", n_resamples=50)
        .replicates,
    )


def test_whole_groups_of_one_model_are_drawn():
    one = frame(group=GROUPS).drop_columns("other")
    result = iso.read_predictions(one, group="group").bootstrap("AUROC", clusters=True)
    assert "2 clusters" in repr(result)


def test_categories_without_rows_are_no_groups():
    codes = pa.DictionaryArray.from_arrays([0, 2, 0, 2, 0, 0, 2, 0], ["b", "unused", "a", "none"])
    rows = iso.read_predictions(frame(group=codes), group="group").rows
    assert {name: places.tolist() for name, places in rows.groups.row_index().items()} == {
        "b": [0, 2, 4, 5, 7],
        "a": [1, 3, 6],
    }


@pytest.mark.usefixtures("any_memory_limit")
@pytest.mark.parametrize(
    ("table", "options", "why"),
    [
        (
            frame(),
            {"memory_limit": 100},
            "they do not fit into the memory limit beside the tables; raise ",
        ),
        (frame(), {"keep_rows": False}, "keep_rows=False was given"),
        (frame(group=GROUPS), {"keep_rows": False}, "keep_rows=False was given"),
        (
            pa.table({"label": LABELS, "score": np.arange(8.0), "model": ["a", "b", "b", "a"] * 2}),
            {},
            "each model has rows of its own",
        ),
    ],
)
def test_without_rows_the_reason_is_said(table, options, why):
    analysis = iso.read_predictions(table, label="label", **options)
    assert analysis.rows is None
    with pytest.raises(NotAnswerableError) as caught:
        analysis.bootstrap("AUROC", clusters="group" in table.column_names)
    assert f"which this analysis does not have: {why}" in str(caught.value)


def test_rows_that_are_not_shared_by_all_models():
    table = pa.table({"label": LABELS, "score": np.arange(8.0), "model": ["a", "b"] * 4})
    with pytest.raises(ParameterError, match="each model needs a column of its own"):
        iso.read_predictions(table, label="label", keep_rows=True)


@pytest.mark.usefixtures("any_memory_limit")
@pytest.mark.parametrize("options", [{"drop_missing": True}, {"weight": "w"}])
def test_a_refusal_while_reading_names_the_limit_for_all_rows(options):
    """Rows may be left out here, so they are read until they do not fit."""
    table = frame(w=[1.5] * 8)
    options = {"label": "label", "scores": ["one", "other"], "keep_rows": True} | options
    with pytest.raises(ParameterError) as caught:
        iso.read_predictions(table, memory_limit=100, **options)
    limit = re.match(r"8 rows do not fit .*; raise memory_limit= to (\d+MB), or", str(caught.value))
    assert iso.read_predictions(table, memory_limit=limit[1], **options).rows is not None


def test_rows_that_turn_out_not_to_fit_are_refused_with_the_limit_that_would_do():
    sample = Sample(np.array([1, 1, 0, 0], bool), {"m": np.arange(4.0)})
    held = HeldRows(Layout("y", {"m": "m"}), 10, keep_rows=True, counted=False)
    with pytest.raises(ParameterError, match=r"^the rows do not fit .*; raise memory_limit= above"):
        held.append([sample])


def test_groups_hold_rows_that_are_too_many_to_keep():
    names = GroupNames("g")
    groups = Groups(names.encode("ab" * 2), names).take(np.arange(1000) % 4)
    sample = Sample(np.arange(1000) % 4 < 2, {"m": np.arange(1000.0)}, groups=groups)
    held = HeldRows(Layout("y", {"m": "m"}, group="g"), 220_000, counted=True)
    held.append([sample])
    held.append([sample])
    tables, rows, reason, note = held.finish(["m"])
    assert note == ""
    assert list(tables.groups) == ["a", "b"]
    assert tables.groups["a"]["m"].positives == 500
    assert rows == {}
    assert reason.startswith("they do not fit into the memory limit")


def test_rows_that_intervals_do_not_need_are_not_kept():
    one = frame().drop_columns("other")
    assert iso.read_predictions(one, keep_rows="needed").rows is None
    assert iso.read_predictions(one, keep_rows=True).rows.size == 8
    assert iso.read_predictions(frame(), keep_rows="needed").rows.size == 8
