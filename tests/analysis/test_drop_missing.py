"""Rows that miss a value are left out of arrays and frames as they are of files."""

import math

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array

import isometrics as iso
from isometrics._core.results import same
from isometrics.errors import LengthError, MissingValueError

NAN = math.nan
LABELS = [1, 0, None, 1, 0, 1, 0, 0]
A = [0.9, 0.8, 0.7, NAN, 0.5, 0.4, 0.3, 0.2]
B = [0.1, 0.8, 0.2, 0.7, None, 0.6, 0.4, 0.5]
KEPT = [0, 1, 5, 6, 7]
SAID = "3 rows with missing values are left out, for all models (y_true: 1, A: 1, B: 1)"


def rows(values, chosen=KEPT):
    return [values[row] for row in chosen]


@pytest.mark.parametrize(
    "kind",
    [
        lambda a, b: {"A": a, "B": b},
        lambda a, b: {"A": np.array(a, float), "B": iter(b)},
        lambda a, b: pd.DataFrame({"A": a, "B": b}),
        lambda a, b: pl.DataFrame({"A": a, "B": b}, strict=False),
        lambda a, b: pa.table({"A": a, "B": b}),
        lambda a, b: {"A": pa.array(a), "B": pl.Series(b)},
    ],
    ids=["mapping", "arrays", "pandas", "polars", "pyarrow", "columns"],
)
@pytest.mark.parametrize("labels", [list, pd.Series, pl.Series, pa.array])
def test_all_models_keep_the_same_rows(kind, labels):
    found = iso.analyse(labels(LABELS), kind(A, B), drop_missing=True)
    expected = iso.analyse(rows(LABELS), {"A": rows(A), "B": rows(B)})
    assert found.models == expected.models
    assert same(found.rows, expected.rows)
    assert found.description == f"5 rows; {SAID}"


def test_words_weights_and_refusals(tmp_path):
    frame = pd.DataFrame({"y_true": LABELS, "A": A, "B": B})
    frame.to_csv(tmp_path / "x.csv", index=False)
    read = iso.read_predictions(tmp_path / "x.csv", drop_missing=True)
    assert SAID in read.description
    assert read.models == iso.analyse(LABELS, {"A": A, "B": B}, drop_missing=True).models
    # A row of weight 0 is absent, whatever it misses.
    labels, scores = [1, 0, 1, 0, NAN, 1], [5, 4, 3, 2, 1, NAN]
    weights, groups = [1, 2, NAN, 3, 0, 0], ["a", "a", "a", "a", None, "b"]
    found = iso.analyse(labels, scores, sample_weight=weights, groups=groups, drop_missing=True)
    assert found.description == (
        "3 rows with weights; groups: a; 1 row with missing values is left out, for all models "
        "(sample_weight: 1)"
    )
    assert found.models["score"].negatives == 5
    with pytest.raises(MissingValueError, match="every row misses a value, so that none is left"):
        iso.analyse([1, None], [NAN, 0.5], drop_missing=True)
    with pytest.raises(MissingValueError, match="y_true has missing values"):
        iso.analyse([1, 0, None], [1, 2, 3])
    with pytest.raises(LengthError, match="A has 2 values but y_true has 3"):
        iso.analyse([1, 0, None], {"A": [1, 2]}, drop_missing=True)


NAMES = np.array(["cat", "dog", "owl"])


@pytest.mark.parametrize(
    "kind",
    [
        np.asarray,
        np.ndarray.tolist,
        csr_array,
        lambda x: pd.DataFrame(x, columns=NAMES),
        np.ma.masked_invalid,
    ],
    ids=["array", "lists", "sparse", "frame", "masked"],
)
def test_several_classes(kind):
    labels = NAMES[[0, 1, 2] * 4].astype(object)
    scores = np.random.default_rng(3).random((12, 3))
    scores[4, 1] = scores[4, 2] = NAN
    labels[7] = None
    found = iso.analyse(labels, kind(scores), drop_missing=True)
    kept = [row for row in range(12) if row not in (4, 7)]
    assert found.models == iso.analyse(labels[kept], scores[kept]).models
    assert "2 rows with missing values are left out, for all models (y_true: 1, " in (
        found.description
    )
    indicator = (labels[:, None] == NAMES).astype(float)
    outputs = [np.column_stack([1 - each, each]) for each in scores.T]
    for several in (outputs, np.array(outputs)):
        found = iso.analyse(indicator, several, drop_missing=True)
        rest = [row for row in range(12) if row != 4]
        assert list(found.models.values()) == list(
            iso.analyse(indicator[rest], scores[rest]).models.values()
        )
        assert "(scores[:, 1]: 1, scores[:, 2]: 1)" in found.description


@given(st.lists(st.tuples(*[st.sampled_from([0, 1, None, NAN])] * 3), min_size=1, max_size=12))
def test_random_holes(drawn):
    """Against rows chosen one by one."""
    labels, a, b = map(list, zip(*drawn, strict=True))
    kept = [row for row in drawn if not any(v is None or math.isnan(v) for v in row)]
    if not kept:
        with pytest.raises(MissingValueError):
            iso.analyse(labels, {"a": a, "b": b}, drop_missing=True)
        return
    expected = list(map(list, zip(*kept, strict=True)))
    options = {"drop_missing": True}
    try:
        wanted = iso.analyse(expected[0], {"a": expected[1], "b": expected[2]}).models
    except iso.OneClassError:
        with pytest.raises(iso.OneClassError):
            iso.analyse(labels, {"a": a, "b": b}, **options)
        return
    found = iso.analyse(labels, {"a": a, "b": b}, **options)
    assert found.models == wanted
    assert len(drawn) > len(kept) or "no row has a missing value" in found.description
    assert f"{len(drawn) - len(kept)} row" in found.description or len(drawn) == len(kept)


@pytest.mark.parametrize("given", [(None, None), ({}, {}), ([1, 0], {}), ([[]], [[]]), ([], [])])
def test_what_cannot_be_read_is_refused_as_always(given):
    for options in ({}, {"drop_missing": True}):
        with pytest.raises(iso.IsometricsError):
            iso.analyse(*given, **options)
