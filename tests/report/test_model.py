"""The data of the page: plain, complete and exact, also when it is packed."""

import json

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import isometrics as iso
from isometrics import OperatingPoints
from isometrics.measures import area_brackets
from isometrics.report.model import (
    BINS,
    VERSION,
    as_json,
    bytes_of,
    histogram_of,
    packed,
    report_model,
    text_of,
    unpacked,
)
from isometrics.testing.strategies import binary_samples, point_clouds
from isometrics.uncertainty.bands import Band

from .drawn import sample_points

SMALL = OperatingPoints.from_scores([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1])


def only_model(points):
    (data,) = report_model({"m": points})["models"]
    return data


def is_plain(value):
    """Tell whether JSON gives back what it was given."""
    return json.loads(json.dumps(value, allow_nan=False)) == value


@given(binary_samples(weights="integer", dtypes=("float32", "float64", "int8")))
def test_small_tables_keep_every_row(sample):
    labels, scores, weights = sample
    points = OperatingPoints.from_scores(labels, scores, sample_weight=weights)
    data = only_model(points)
    assert is_plain(data)
    assert data["whole"] is True
    assert (data["positives"], data["negatives"]) == (points.positives, points.negatives)
    for name in ("thresholds", "tp", "fp"):
        assert unpacked(data[name]).tolist() == getattr(points, name).tolist()
    assert data["rows"] == len(points)


@given(point_clouds())
def test_sets_keep_their_order_and_their_names(cloud):
    tp, fp, positives, negatives = cloud
    points = OperatingPoints.from_counts(
        tp, fp, positives=positives, negatives=negatives, labels=list(range(len(tp)))
    )
    data = only_model(points)
    assert data["kind"] == "sets"
    assert unpacked(data["tp"]).tolist() == tp
    assert data["labels"] == [str(place) for place in range(len(tp))]
    assert data["histogram"] is None


@settings(max_examples=10)
@given(st.integers(0, 10**6), st.sampled_from([0.005, 0.3, 0.9]), st.booleans())
def test_thinned_tables_keep_the_hull_and_every_best_threshold(seed, prevalence, ties):
    rng = np.random.default_rng(seed)
    points = sample_points(rng, 6000, prevalence=prevalence, ties=ties)
    data = only_model(points)
    kept = OperatingPoints.from_counts(
        unpacked(data["tp"]),
        unpacked(data["fp"]),
        positives=data["positives"],
        negatives=data["negatives"],
        thresholds=unpacked(data["thresholds"]),
    )
    assert kept.hull() == points.hull()
    for beta in (0.0, 0.3, 1.0, 4.0):
        assert iso.best_threshold(kept, beta=beta) == iso.best_threshold(points, beta=beta)
    assert data["rows"] == len(points)


def test_areas_are_those_of_all_rows():
    points = sample_points(np.random.default_rng(5), 9000)
    data = only_model(points)
    assert len(unpacked(data["tp"])) < 3000
    assert (data["complete"], only_model(SMALL)["complete"]) == (False, True)
    for name, bracket in area_brackets(points).items():
        assert data["areas"][name] == [bracket.lo, bracket.hi]
    sets = OperatingPoints.from_counts([1, 2], [3, 0], positives=4, negatives=4, labels=["a", "b"])
    assert only_model(sets)["areas"] == {}
    late = OperatingPoints.from_scores([0, 0, 1, 1], [4, 3, 2, 1])
    assert only_model(late)["areas"]["expected F1 gain"] == [None, None]


def test_weighted_counts_are_floats_and_thresholds_that_a_browser_would_round_are_told():
    weighted = OperatingPoints.from_scores([1, 0, 1], [3, 2, 1], sample_weight=[0.1, 0.2, 0.3])
    assert unpacked(only_model(weighted)["tp"]).tolist() == weighted.tp.tolist()
    totals = OperatingPoints.from_counts([1], [1], positives=2.5, negatives=2)
    curve = OperatingPoints.from_counts([1], [0], positives=2, negatives=2)
    beyond = OperatingPoints.from_scores([1, 0], [2**53 + 1, 2**60])
    tables = (weighted, totals, curve, beyond, SMALL)
    assert [only_model(each)["whole"] for each in tables] == [False, False, True, True, True]
    assert [only_model(each)["rounded"] for each in tables] == [False, False, False, True, False]


def test_the_document_and_bands():
    data = report_model({"a": SMALL, "b": SMALL}, title="Title", description="from here")
    assert (data["version"], data["title"], data["description"]) == (VERSION, "Title", "from here")
    assert [model["name"] for model in data["models"]] == ["a", "b"]
    assert is_plain(data)
    assert report_model({})["models"] == []
    assert report_model({})["title"] == report_model({"a": SMALL})["title"]
    roc = band("roc", x=[0, 0.5, 1], lower=[0, 0.4, np.nan], upper=[0.1, 0.6, 1], level=0.9)
    tradeoff = band("tradeoff", "a", kind="simultaneous", index="jaccard")
    (result, other) = report_model({"a": SMALL}, bands=[roc, tradeoff])["models"][0]["bands"]
    assert (result["space"], result["kind"], result["level"]) == ("roc", "pointwise", 0.9)
    assert unpacked(result["x"]).tolist() == [0, 0.5]
    assert unpacked(result["hi"]).tolist() == [0.1, 0.6]
    assert (other["space"], other["index"], other["kind"]) == (
        "tradeoff",
        "jaccard",
        "simultaneous",
    )


def band(space, model="", *, x=(), lower=(), upper=(), kind="pointwise", level=0.95, index=""):
    return Band(space, model, kind, level, *map(np.array, (x, lower, lower, upper)), index)


@given(st.text())
def test_no_text_can_leave_its_element(text):
    written = as_json({"name": text})
    assert not {"<", ">", "&"} & set(written)
    assert written.isascii()
    assert json.loads(written) == {"name": text}


ONE = {"a": SMALL}
TWO = {"a": SMALL, "b": SMALL}
CURVE = OperatingPoints.from_counts([1, 2], [0, 3], positives=3, negatives=4)
SETS = OperatingPoints.from_sets({1, 2}, {"a": {1}, "b": {3}}, universe_size=6)


@pytest.mark.parametrize(
    ("models", "options", "said"),
    [
        ([SMALL], {}, "models must be a mapping of names to OperatingPoints but is list"),
        ({"a": 1}, {}, "models['a'] must be OperatingPoints but is int"),
        (TWO, {"title": 1}, "title must be a text but is 1"),
        (TWO, {"description": b"x"}, "description must be a text but is b'x'"),
        (TWO, {"bands": [band("roc", "c")]}, "the model of a band must be one of 'a', 'b' but is"),
        (TWO, {"bands": [band("roc")]}, "the model of a band must be one of 'a', 'b' but is ''"),
        (TWO, {"thresholds_from": ONE}, "tuning data has the models a but the page has a and b"),
        (ONE, {"thresholds_from": {"a": CURVE}}, "has no threshold for every row; build"),
        (ONE, {"thresholds_from": {"a": SETS}}, "has no threshold for every row; build"),
        ({"a": CURVE}, {"thresholds_from": ONE}, "cannot tell the counts at threshold"),
    ],
)
def test_refusals(models, options, said):
    with pytest.raises(iso.IsometricsError) as caught:
        report_model(models, **options)
    assert said in str(caught.value)


@given(binary_samples(weights="integer", dtypes=("float64", "int64")))
def test_every_item_is_in_one_place(sample):
    labels, scores, weights = sample
    points = OperatingPoints.from_scores(labels, scores, sample_weight=weights)
    result = histogram_of(points.table)
    assert unpacked(result["positives"]).size == unpacked(result["negatives"]).size == BINS
    assert (
        unpacked(result["positives"]).sum() + result["below"][0] + result["above"][0]
        == points.positives
    )
    assert (
        unpacked(result["negatives"]).sum() + result["below"][1] + result["above"][1]
        == points.negatives
    )
    finite = np.asarray(scores, np.float64)[(weights > 0) & np.isfinite(scores)]
    if finite.size:
        assert (result["lo"], result["hi"]) == (finite.min(), finite.max())


def test_histograms_by_hand():
    scores = np.linspace(0, 1, 401)
    labels = np.arange(401) % 2 == 0
    result = histogram_of(OperatingPoints.from_scores(labels, scores).table)
    assert (unpacked(result["positives"]) + unpacked(result["negatives"]))[
        1:-1
    ].tolist() == pytest.approx([10] * 38, abs=1)
    points = OperatingPoints.from_scores([1, 0, 1], [np.inf, 0.5, 0.25], positives=5, negatives=9)
    result = histogram_of(points.table)
    assert result["above"] == [1, 0]
    assert result["below"] == [3, 8]
    wide = histogram_of(OperatingPoints.from_scores([1, 0], [1.7e308, -1.7e308]).table)
    assert unpacked(wide["positives"])[-1] == unpacked(wide["negatives"])[0] == 1
    infinite = histogram_of(OperatingPoints.from_scores([1, 0], [np.inf, -np.inf]).table)
    assert (infinite["lo"], infinite["hi"]) == (0, 0)
    assert unpacked(infinite["positives"]).sum() == unpacked(infinite["negatives"]).sum() == 0
    curve = OperatingPoints.from_counts([1], [0], positives=2, negatives=2)
    assert histogram_of(curve.table) is None


integers = arrays(np.int64, st.integers(0, 30), elements=st.integers(-(2**63), 2**63 - 1))
floats = arrays(np.float64, st.integers(0, 30), elements=st.floats(allow_nan=True))
small = arrays(np.int64, st.integers(0, 30), elements=st.integers(-3, 3))


@given(integers | floats | small)
@example(np.array([-(2**63)] * 3 + [0, 2**63 - 1]))
@example(np.array([-(2**63), 0, -(2**63)] * 20))
def test_packing_is_exact(values):
    text = packed(values)
    result = unpacked(text)
    assert result.dtype == values.dtype
    assert result.tobytes() == values.tobytes()


def test_what_is_packed_is_named_and_short():
    assert list(packed(np.array([1, 2]))) == ["whole"]
    assert list(packed(np.array([1.0]))) == ["real"]
    counts = np.cumsum(np.arange(3000) % 3)
    assert len(packed(counts)["whole"]) < 3000 * 4 / 8 * 5 / 4
    # 52 bits of chance, less what the order tells, plus what the code adds.
    scores = np.sort(np.random.default_rng(1).random(2000))
    assert len(packed(scores)["real"]) < 2000 * 47 / 8 * 5 / 4


@given(st.binary(max_size=40))
def test_text_needs_no_escapes(octets):
    text = text_of(octets)
    assert bytes_of(text) == octets
    assert not set(text) & set("\"'\\&<>$` \n")
    assert len(text) == -(-len(octets) * 5 // 4)
