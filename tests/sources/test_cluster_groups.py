"""Groups of a cluster are counted together: exactly where one pass can collect their rows."""

import numpy as np
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import isometrics as iso
from isometrics.sources.cluster_passes import PassLimits
from isometrics.sources.spark_and_dask import frame_source

from .test_binned_rows import check
from .test_cluster_passes import cluster


def sites(size, groups, seed=0, *, weights=None):
    rng = np.random.default_rng(seed)
    labels = rng.random(size) < 0.4
    labels[:2] = [0, 1]
    site = rng.integers(0, groups, size)
    columns = {"label": labels, "a": rng.normal(labels), "b": rng.random(size).round(1)}
    if weights == "whole":
        columns["weight"] = rng.integers(1, 4, size)
    return columns | {"site": [f"ß{number}" for number in site]}


OPTIONS = {"label": "label", "scores": ["a", "b"], "group": "site"}


def check_same(result, expected):
    assert list(result.groups) == list(expected.groups)
    assert result.skipped == expected.skipped
    for group, models in expected.groups.items():
        assert list(result.groups[group]) == list(models)
        for name, points in models.items():
            table = result.groups[group][name].table
            assert table.complete
            for column in ("thresholds", "tp", "fp"):
                np.testing.assert_array_equal(getattr(table, column), getattr(points.table, column))


@pytest.mark.slow
@settings(max_examples=40)
@given(
    st.integers(20, 120),
    st.integers(1, 15),
    st.sampled_from([None, "whole"]),
    st.integers(0, 10**6),
    st.booleans(),
)
def test_the_same_tables_as_in_memory(size, groups, weights, seed, named):
    """To the bit for counts."""
    columns = sites(size, groups, seed, weights=weights)
    options = OPTIONS
    if named:
        columns["model"] = np.random.default_rng(seed).choice(["x", "y"], size)
        columns["model"][:4], columns["label"][:4] = ["x", "x", "y", "y"], [0, 1, 0, 1]
        options = {"label": "label", "scores": "a", "model": "model", "group": "site"}
        del columns["b"]
    weight = {"weight": "weight"} if weights else {}
    expected = iso.read_predictions(pl.DataFrame(columns), **options, **weight, keep_rows=False)
    result = iso.read_predictions(cluster(columns), **options, **weight)
    check_same(result, expected)


@pytest.mark.parametrize("tolerance", [0.01, None])
def test_groups_of_more_rows_than_a_pass_collects_have_bounds(tolerance):
    columns = sites(3000, 3)
    source = cluster(columns, PassLimits(800, 100, 60))
    result = iso.read_predictions(source, **OPTIONS, tolerance=tolerance)
    expected = iso.read_predictions(pl.DataFrame(columns), **OPTIONS)
    if tolerance is not None:
        assert any(models["a"].table.partial for models in result.groups.values())
    assert max(each.collected for each in result.passes if each.purpose == "scores") <= 800
    for group, models in result.groups.items():
        check(models["a"], expected.groups[group]["a"], tolerance or 1e-6)


@pytest.mark.slow
@pytest.mark.xdist_group("spark")
@pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas")
@pytest.mark.parametrize("engine", ["spark", "dask"])
def test_engines(engine, request):
    columns = sites(4000, 60)
    if engine == "spark":
        frame = request.getfixturevalue("spark").createDataFrame(pa.table(columns))
    else:
        dd = pytest.importorskip("dask.dataframe")
        frame = dd.from_pandas(pl.DataFrame(columns).to_pandas(), npartitions=3)
    result = iso.read_predictions(frame_source(frame), **OPTIONS)
    check_same(result, iso.read_predictions(pa.table(columns), **OPTIONS))
