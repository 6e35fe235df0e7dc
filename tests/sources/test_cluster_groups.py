"""Groups of a cluster that one pass cannot collect are counted in blocks, exactly."""

from contextlib import nullcontext

import numpy as np
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import isometrics as iso
from isometrics._core.lazy_mapping import LazyMapping
from isometrics.errors import ToleranceWarning
from isometrics.sources.cluster_passes import PassLimits
from isometrics.sources.clusters import ClusterFrame, frame_source

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
    """To the bit for counts; no pass collects more rows than it may."""
    columns = sites(size, groups, seed, weights=weights)
    options = OPTIONS
    if named:
        columns["model"] = np.random.default_rng(seed).choice(["x", "y"], size)
        columns["model"][:4], columns["label"][:4] = ["x", "x", "y", "y"], [0, 1, 0, 1]
        options = {"label": "label", "scores": "a", "model": "model", "group": "site"}
        del columns["b"]
    weight = {"weight": "weight"} if weights else {}
    expected = iso.read_predictions(pl.DataFrame(columns), **options, **weight, keep_rows=False)
    sizes = np.unique(columns["site"], return_counts=True)[1]
    # Labels, models and groups together are counted in one pass, and must fit into it.
    most = max(int(sizes.max()), 4 * sizes.size)
    source = cluster(columns, PassLimits(most, 16, 200))
    result = iso.read_predictions(source, **options, **weight)
    check_same(result, expected)
    assert max(each.collected for each in result.passes if each.purpose == "scores") <= most
    if size > most:
        assert isinstance(result.groups, LazyMapping)
        assert f"{len(sizes)} groups were counted in " in result.description


def test_a_group_that_no_pass_can_collect_has_bounds():
    columns = sites(3000, 4)
    columns["site"] = ["large" if row % 2 else site for row, site in enumerate(columns["site"])]
    source = cluster(columns, PassLimits(800, 100, 60))
    result = iso.read_predictions(source, **OPTIONS)
    assert isinstance(result.groups, LazyMapping)
    expected = iso.read_predictions(pl.DataFrame(columns), **OPTIONS)
    for group, models in result.groups.items():
        check(models["a"], expected.groups[group]["a"], 1e-6)
        assert models["a"].table.complete or group == "large"


@pytest.mark.parametrize(
    ("limits", "tolerance"), [(PassLimits(400, 100, 60), 0.01), (PassLimits(400, 100, 2), None)]
)
def test_as_many_passes_as_bounds_need(limits, tolerance):
    """A tolerance, and rows that would take too many passes, are counted all at once."""
    columns = sites(3000, 3)
    source = cluster(columns, limits)
    with nullcontext() if tolerance else pytest.warns(ToleranceWarning):
        result = iso.read_predictions(source, **OPTIONS, tolerance=tolerance)
    assert isinstance(result.groups, dict)
    assert any(models["a"].table.partial for models in result.groups.values())


def test_progress_tells_the_share_of_blocks():
    told = []
    source = cluster(sites(600, 20), PassLimits(100, 50, 60))
    iso.read_predictions(source, **OPTIONS, progress=lambda *each: told.append(each))
    first = next(index for index, (done, _) in enumerate(told) if done < 600)
    shares = told[first:]
    assert shares[-1] == (600, 600)
    assert shares == sorted(shares)
    assert len(set(shares)) > 6


@pytest.mark.slow
@pytest.mark.xdist_group("spark")
@pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas")
def test_spark(spark):
    columns = sites(4000, 60)
    frame = frame_source(spark.createDataFrame(pa.table(columns)))
    frame.limits = PassLimits(900, 100, 60)
    assert isinstance(frame, ClusterFrame)
    result = iso.read_predictions(frame, **OPTIONS)
    assert isinstance(result.groups, LazyMapping)
    check_same(result, iso.read_predictions(pa.table(columns), **OPTIONS))
    assert max(each.collected for each in result.passes if each.purpose == "scores") <= 900


@pytest.mark.slow
def test_dask():
    dd = pytest.importorskip("dask.dataframe")
    columns = sites(4000, 60)
    frame = frame_source(dd.from_pandas(pl.DataFrame(columns).to_pandas(), npartitions=3))
    frame.limits = PassLimits(900, 100, 60)
    result = iso.read_predictions(frame, **OPTIONS)
    assert isinstance(result.groups, LazyMapping)
    check_same(result, iso.read_predictions(pa.table(columns), **OPTIONS))
