"""Rows counted in a cluster, bin by bin: the hull is exact, and brackets are as narrow as asked."""

import warnings
from dataclasses import replace
from decimal import Decimal

import numpy as np
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import isometrics as iso
from isometrics._table.table import Kind
from isometrics.errors import (
    FileError,
    LabelError,
    MissingValueError,
    OneClassError,
    ParameterError,
    ScoreError,
    ToleranceWarning,
    WeightError,
)
from isometrics.sources import cluster_passes, tables
from isometrics.sources.batches import peek
from isometrics.sources.cluster_passes import (
    FINEST,
    PassLimits,
    ScoreRanges,
    cut_ranges,
    steps_to,
    widest_bounds,
)
from isometrics.sources.column_roles import layout_of
from isometrics.sources.files import FrameSource
from isometrics.sources.spark_and_dask import ClusterFrame, frame_source
from isometrics.testing.strategies import binary_samples

from .test_binned_rows import check
from .test_sorted_rows import check_same, sites

INF = float("inf")
MISSING = "missing values (NaN or null)"


def cluster(columns, limits=None):
    """Return columns as a cluster sees them; polars answers the same questions in no time."""
    import narwhals.stable.v2 as nw

    return ClusterFrame(nw.from_native(pl.DataFrame(columns).lazy()), limits=limits)


def read(columns, tolerance=None, limits=None, **options):
    roles = {name: options.pop(name) for name in (
        "label", "scores", "model", "weight", "group", "pos_label") if name in options}  # fmt: skip
    source = cluster(columns, limits)
    layout = layout_of(peek(source), **({"label": "label"} | roles))
    return tables.read_tables(source, layout, tolerance=tolerance, **options)


@settings(max_examples=60)
@given(
    binary_samples(min_size=2, max_size=80, dtypes=("float32", "float64", "int8", "uint64")),
    st.sampled_from([0.5, 0.1, 0.01, 1e-6]),
    st.sampled_from([8, 20, 64, 10**6]),
    st.sampled_from([2, 5, 16]),
)
def test_any_sample(sample, tolerance, room, pieces):
    labels, scores = sample
    full = iso.OperatingPoints.from_scores(labels, scores)
    result = read({"label": labels, "score": scores}, tolerance, PassLimits(room, pieces))
    points = result.points["score"]
    check(points, full, tolerance)
    if room >= labels.size:
        assert points.table == full.table


def curved(size, seed, prevalence=0.3):
    random = np.random.default_rng(seed)
    labels = random.random(size) < prevalence
    labels[:2] = True, False
    return labels, random.normal(size=size) + labels


@pytest.mark.parametrize("tolerance", [0.2, 0.02, 0.002])
@pytest.mark.parametrize("prevalence", [0.3, 0.01])
def test_a_long_sample(tolerance, prevalence):
    labels, scores = curved(4000, 7, prevalence)
    result = read({"label": labels, "score": scores}, tolerance, PassLimits(400, 64))
    points = result.points["score"]
    assert points.table.partial
    check(points, iso.OperatingPoints.from_scores(labels, scores), tolerance)
    assert "counted in the cluster" in result.note


def test_no_pass_collects_more_than_it_may():
    labels, scores = curved(3000, 3)
    result = read({"label": labels, "score": scores}, 1e-4, PassLimits(200, 50))
    collected = [each.collected for each in result.passes if each.purpose == "scores"]
    assert len(collected) > 3
    assert max(collected) <= 200
    check(result.points["score"], iso.OperatingPoints.from_scores(labels, scores), 1e-4)
    purposes = [each.purpose for each in result.passes]
    assert purposes == ["first rows", "totals", *["scores"] * len(collected)]
    assert f"counted in the cluster in {1 + len(collected)} passes" in result.note


@pytest.mark.parametrize(
    "scores",
    [
        [1e308, -1e308, 0.5, 1e-300, -1e-300, 0.25],
        [5e-324, 1e-323, 1.5e-323, 0.0, -5e-324, -0.0],
        [2.0**-k for k in range(0, 1074, 100)],
        [2**62, -(2**62), 2**62 - 1, -(2**63), 2**63 - 1, 0],
        [INF, -INF, 0.5, INF, 0.25, 1e300],
        [0.5] * 6,
        [INF, INF, -INF, -INF],
    ],
)
def test_scores_at_the_ends_of_their_type(scores):
    labels = np.resize([1, 0, 0, 1, 1], len(scores))
    given = np.array(scores)
    full = iso.OperatingPoints.from_scores(labels, given)
    for room in (4, 10**6):
        points = read({"label": labels, "score": given}, 1e-6, PassLimits(room, 2)).points["score"]
        check(points, full, 1e-6)
        np.testing.assert_array_equal(points.tp, full.tp)
        np.testing.assert_array_equal(points.thresholds, full.thresholds)


@pytest.mark.parametrize("whole", [True, False])
def test_weights(whole):
    labels, scores = curved(500, 5)
    random = np.random.default_rng(2)
    weights = random.integers(0, 4, 500) if whole else random.random(500) * (scores > -1) / 1e6
    full = iso.OperatingPoints.from_scores(labels, scores, sample_weight=weights)
    columns = {"label": labels, "score": scores, "weight": weights}
    points = read(columns).points["score"]
    assert points.table.kind is Kind.SCORES
    assert points.tp.dtype == full.tp.dtype
    np.testing.assert_allclose(points.tp, full.tp, rtol=1e-12)
    np.testing.assert_allclose(points.fp, full.fp, rtol=1e-12)
    points = read(columns, 0.01, PassLimits(64, 16)).points["score"]
    assert points.table.partial
    for name, bracket in iso.area_brackets(points).items():
        exact = iso.area_brackets(full)[name]
        assert bracket.lo - 1e-12 <= exact.lo <= bracket.hi + 1e-12
    assert iso.best_threshold(points).threshold == iso.best_threshold(full).threshold


def test_whole_weights_beyond_what_floats_hold_are_summed_as_floats():
    columns = {"label": [1, 0, 1], "score": [0.5, 0.2, 0.1], "weight": [2**62, 2**61, 1]}
    points = read(columns).points["score"]
    assert points.tp.tolist() == [0, 2.0**62, 2.0**62, 2.0**62]


def test_groups_models_and_their_groups():
    random = np.random.default_rng(11)
    size = 600
    labels = random.random(size) < 0.4
    columns = {
        "label": labels,
        "score": random.normal(size=size) + labels,
        "model": np.resize(["b", "a"], size),
        "site": np.resize([3, 1, 2], size),
    }
    columns["label"] = np.where(columns["site"] == 2, False, labels)
    expected = iso.read_predictions(pl.DataFrame(columns), group="site")
    for room in (10**6, 64):
        result = read(columns, 0.05, PassLimits(room, 16), group="site", model="model")
        assert list(result.points) == ["a", "b"]
        assert list(result.groups) == ["1", "3"]
        assert result.skipped == {"2": "only negatives"}
        for model, full in expected.models.items():
            check(result.points[model], full, 0.05)
        for group in ("1", "3"):
            for model, full in expected.groups[group].items():
                check(result.groups[group][model], full, 0.05)
    result = read({name: columns[name] for name in ("label", "score", "site")}, group="site")
    assert result.groups["3"]["score"].table.kind is Kind.SCORES


def test_models_in_columns_and_classes():
    columns = {
        "label": ["cat", "dog", "bird", "cat", "dog"],
        "p_cat": [0.9, 0.1, 0.2, 0.6, 0.1],
        "p_dog": [0.1, 0.8, 0.3, 0.2, 0.1],
        "p_bird": [0.0, 0.1, 0.5, 0.2, 0.8],
        "p_cow": [0.0, 0.1, 0.5, 0.2, 0.8],
    }
    some = {name: columns[name] for name in ("label", "p_cat", "p_dog", "p_bird")}
    expected = iso.read_predictions(pl.DataFrame(some))
    result = read(some)
    assert list(result.points) == list(expected.models)
    for name, points in result.points.items():
        assert points.table == expected.models[name].table
    absent = {"label": ["cat", "dog"] * 3, "dog": [0.5] * 6, "cow": [0.1] * 6, "cat": [0.5] * 6}
    layout = layout_of(peek(cluster(some)), label="label")
    assert layout.multiclass
    source = cluster(absent)
    classes = {"dog": "dog", "cow": "cow", "cat": "cat"}
    layout = replace(layout, scores={name: name for name in classes}, classes=classes)
    result = tables.read_tables(source, layout)
    assert list(result.points) == ["dog", "cat"]
    assert result.skipped == {"cow": "no row has this class"}


def told(columns, **options):
    with pytest.raises(iso.IsometricsError) as error:
        read(columns, **options)
    return type(error.value), str(error.value)


def late(value, column, size=3000):
    """Return columns with a value that no look at the first rows can find."""
    columns = {
        "label": np.resize([0, 1], size).tolist(),
        "score": np.linspace(0, 1, size).tolist(),
        "weight": [1.5] * size,
        "group": ["a"] * size,
    }
    columns[column][-1] = value
    return columns


@pytest.mark.parametrize(
    ("columns", "error", "sentence"),
    [
        (late(None, "label"), MissingValueError, f"label has {MISSING}: 1 in all"),
        (late(None, "score"), MissingValueError, f"score has {MISSING}: 1 in all"),
        (late(None, "weight"), MissingValueError, f"weight has {MISSING}: 1 in all"),
        (late(None, "group"), MissingValueError, f"group has {MISSING}: 1 in all"),
        (late(-1.0, "weight"), WeightError, "weight has negative values: 1 in all"),
        (late(INF, "weight"), WeightError, "weight has infinite values: 1 in all"),
        (late(7, "label"), LabelError, "label has labels besides 0 and 1, such as 7, where two "
         "classes are needed: 1 in all"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_counted_where_no_position_is_known(columns, error, sentence):
    assert told(columns, weight="weight", group="group") == (error, sentence)


PAIR = {"label": [0, 1], "score": [0.5, 0.2]}
TEXTS = {"label": [0, 1] * 1000, "score": ["0.5"] * 2000}


@pytest.mark.parametrize(
    ("columns", "options", "error", "said"),
    [
        ({name: values[:9] for name, values in TEXTS.items()}, {"scores": "score"}, ScoreError,
         "score has numbers that are written as text, such as '0.5': 9 in all, the first at "
         "position 0"),
        (TEXTS, {"scores": "score"}, ScoreError,
         "score holds large_string values where numbers are needed; cast it in the cluster"),
        ({"label": [0, 1] * 1000, "score": [0.5] * 2000, "weight": ["1"] * 2000},
         {"weight": "weight"}, WeightError, "weight holds large_string values where numbers"),
        (PAIR | {"weight": np.array([1, 2**63], np.uint64)}, {"weight": "weight"}, WeightError,
         "weight has values of 2**63 or more: 1"),
        ({"label": [0, 1] * 200, "score": [0.5] * 400, "group": np.repeat(range(200), 2)},
         {"group": "group", "limits": PassLimits(100, 16)}, ParameterError,
         "'label' and 'group' have more than 100 combinations of values; labels, models and"),
        (PAIR | {"label": [0, 0]}, {}, OneClassError, "label has only negatives; both classes"),
        ({"label": [0, 0, 1], "score": [0.1, 0.2, 0.3], "model": ["a", "a", "b"]},
         {"model": "model"}, OneClassError, "label has only negatives; both classes are needed"),
        (PAIR, {"keep_rows": True}, ParameterError, "the rows of a cluster stay there; to comp"),
    ],
)  # fmt: skip
def test_what_a_cluster_does_not_count(columns, options, error, said):
    kind, found = told(columns, **options)
    assert kind is error
    assert found.startswith(said)


def test_rows_are_not_read_one_by_one():
    source = cluster(PAIR)
    with pytest.raises(FileError, match="they stay in the cluster"):
        next(source.batches(["score"]))
    assert source.rows is None
    source.close()


@pytest.mark.parametrize("digits", [(15, 2), (38, 18), (18, 0), (30, 0)])
def test_decimals_are_the_nearest_numbers_of_64_bits(digits):
    scores = pa.array([Decimal(each) for each in (1, 2, 3, 4)], pa.decimal128(*digits))
    result = read(pa.table({"label": [0, 1, 0, 1], "score": scores}), scores="score")
    assert result.points["score"].thresholds.tolist() == [INF, 4, 3, 2, 1]


def test_progress_is_told():
    seen = []
    read(
        {"label": [0, 1] * 5, "score": np.arange(10.0)},
        progress=lambda done, total: seen.append((done, total)),
    )
    assert seen == [(10, 10)] * len(seen)
    assert len(seen) >= 2


def test_predictions_that_change(monkeypatch):
    labels, scores = curved(300, 1)
    counted = cluster_passes.Passes._counted

    def changed(self, steps):
        import narwhals.stable.v2 as nw

        return counted(self, steps).with_columns(tp=nw.col("tp") + 1)

    monkeypatch.setattr(cluster_passes.Passes, "_counted", changed)
    with pytest.raises(FileError, match="changed while they were read"):
        read({"label": labels, "score": scores})


def test_a_tolerance_that_takes_too_many_passes():
    labels, scores = curved(2000, 1)
    limits = PassLimits(60, 8, 2)
    with pytest.warns(ToleranceWarning, match="after 2 passes"):
        points = read({"label": labels, "score": scores}, 1e-4, limits).points["score"]
    exact = iso.OperatingPoints.from_scores(labels, scores).roc.area()
    bracket = iso.area_brackets(points)["AUROC"]
    assert bracket.width > 1e-4
    assert bracket.lo <= exact <= bracket.hi
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        read({"label": labels, "score": scores}, 0.9, limits)


def test_brackets_that_are_still_too_wide_are_refined_further(monkeypatch):
    labels, scores = curved(2000, 4)
    asked = []

    def doubled(points):
        asked.append(points)
        return 8 * widest_bounds(points)

    monkeypatch.setattr(cluster_passes, "widest_bounds", doubled)
    points = read({"label": labels, "score": scores}, 0.02, PassLimits(400, 64)).points["score"]
    assert len(asked) > 1
    assert widest_bounds(points) <= 0.02 / 8


def test_names_and_kinds_of_frames():
    dd = pytest.importorskip("dask.dataframe")
    import pandas as pd

    for local in (pl.DataFrame({"a": [1]}), pl.LazyFrame({"a": [1]})):
        assert isinstance(frame_source(local), FrameSource)
    frame = dd.from_pandas(pd.DataFrame({1: [1, 0], 2: [0.5, 0.2]}), npartitions=1)
    with pytest.raises(ParameterError, match="column names must be texts"):
        iso.read_predictions(frame)


def test_dask_frames_stay_where_they_are():
    dd = pytest.importorskip("dask.dataframe")
    import pandas as pd

    labels, scores = curved(2000, 9)
    index = np.random.default_rng(1).permutation(labels.size)
    pandas = pd.DataFrame({"y": labels, "a.b": scores}, index=index)
    frame = dd.from_pandas(pandas, npartitions=3)
    analysis = iso.read_predictions(frame)
    full = iso.OperatingPoints.from_scores(labels, scores)
    assert analysis.models["a.b"].table == full.table
    assert "counted in the cluster" in analysis.description


# ---------------------------------------------------------------------- groups


OPTIONS = {"label": "label", "scores": ["a", "b"], "group": "site"}


def grouped(size, groups, seed=0):
    """Return rows of groups whose names are not in the order of letters."""
    columns = sites(size, groups, seed)
    columns["label"][:2] = [0, 1]
    columns["b"] = columns["b"].round(1)
    return columns | {"site": [f"ß{number}" for number in columns.pop("group")]}


@pytest.mark.slow
@settings(max_examples=40)
@given(
    st.integers(20, 120),
    st.integers(1, 15),
    st.booleans(),
    st.integers(0, 10**6),
    st.booleans(),
)
def test_the_same_tables_of_groups_as_in_memory(size, groups, weighted, seed, named):
    """To the bit for counts."""
    columns, options, random = grouped(size, groups, seed), OPTIONS, np.random.default_rng(seed)
    if weighted:
        columns["weight"] = random.integers(1, 4, size)
        options = options | {"weight": "weight"}
    if named:
        columns["model"] = random.choice(["x", "y"], size)
        columns["model"][:4], columns["label"][:4] = ["x", "x", "y", "y"], [0, 1, 0, 1]
        options = options | {"scores": "a", "model": "model"}
    expected = iso.read_predictions(pl.DataFrame(columns), **options, keep_rows=False)
    check_same(iso.read_predictions(cluster(columns), **options), expected)


@pytest.mark.parametrize("tolerance", [0.01, None])
def test_groups_of_more_rows_than_a_pass_collects_have_bounds(tolerance):
    columns = grouped(3000, 3)
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
def test_groups_of_engines(engine, request):
    columns = grouped(4000, 60)
    if engine == "spark":
        frame = request.getfixturevalue("spark").createDataFrame(pa.table(columns))
    else:
        dd = pytest.importorskip("dask.dataframe")
        frame = dd.from_pandas(pl.DataFrame(columns).to_pandas(), npartitions=3)
    result = iso.read_predictions(frame_source(frame), **OPTIONS)
    check_same(result, iso.read_predictions(pa.table(columns), **OPTIONS))


# ---------------------------------------------------------------------- cuts


def one_range(lo, hi, range_id=0, rows=2):
    one = np.ones(1, np.int64)
    lows, highs = np.array([lo]), np.array([hi])
    return ScoreRanges(0 * one, range_id * one, -one, lows, highs, one, one, rows * one)


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=2, unique=True),
       st.sampled_from([2, 3, 1 << 16, FINEST]))  # fmt: skip
def test_pieces_are_ranges_in_the_order_of_scores(scores, pieces):
    ordered = np.sort(np.array(scores)) + 0.0
    cuts = cut_ranges(one_range(ordered[0], ordered[-1]), np.array([pieces]), 5)
    result = np.floor((ordered * cuts.factor - cuts.shift) * cuts.scale).astype(np.int64)
    assert result[0] == 0
    assert (np.diff(result) >= 0).all()
    if ordered[0] < ordered[-1]:
        assert 1 <= result[-1] < pieces


def test_the_way_of_rows_leads_through_all_cuts():
    first = cut_ranges(one_range(0.0, 1.0), np.array([4]), 1)
    second = cut_ranges(
        one_range(0.0, 0.2, range_id=1)._replace(parent_id=np.array([0])), np.array([4]), 5
    )
    last = cut_ranges(
        ScoreRanges(*(np.concatenate(both) for both in zip(
            one_range(0.0, 0.02, range_id=5)._replace(parent_id=np.array([1])),
            one_range(0.8, 0.9, range_id=4)._replace(parent_id=np.array([0])), strict=True))),
        np.array([2, 2]), 9,
    )  # fmt: skip
    steps = steps_to(last, [first, second])
    assert [cuts.range_id.tolist() for cuts in steps] == [[0], [1, 4], [5, 4]]
    assert steps[1].first.tolist() == [5, 4]
    assert steps[1].scale.tolist() == [second.scale[0], 0.0]
