"""Metrics of torchmetrics equal the score functions, batch by batch and over two processes."""

import importlib
import io
import json
import math
import os
import pickle
import subprocess
import sys
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import isometrics as iso
from isometrics._core.sample import Sample
from isometrics.errors import (
    DimensionError,
    LabelError,
    MissingValueError,
    ParameterError,
    ScoreError,
    UndefinedWarning,
    WeightError,
)

torch = pytest.importorskip("torch")
torchmetrics = pytest.importorskip("torchmetrics")

from isometrics.integrations.torchmetrics import (  # noqa: E402
    BinaryAUPR,
    BinaryAUPRG,
    PrecisionRecallGainCurve,
    widest_type,
)

INTERPOLATIONS = ("davis-goadrich", "average-precision", "linear", "integer-steps", "max-precision")
close = partial(pytest.approx, rel=1e-12)
"""Rows on a device, and tables on the host, add up their areas in orders of their own."""

DTYPES = (torch.float16, torch.bfloat16, torch.float32, torch.float64)
WORKER = Path(__file__).parent / "gloo_worker.py"
MODES = pytest.mark.parametrize("max_bytes", [None, "1MB"])


@st.composite
def batches(draw):
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    result = []
    for size in draw(st.lists(st.integers(0, 30), min_size=1, max_size=5)):
        scores = torch.from_numpy(rng.normal(size=size))
        if draw(st.booleans()):
            scores = scores.round(decimals=draw(st.integers(0, 1)))
        target = torch.from_numpy((rng.random(size) < 0.4).astype(np.int64))
        result.append((scores.to(draw(st.sampled_from(DTYPES))), target))
    ends = torch.tensor([0.25, 0.5], dtype=torch.float64), torch.tensor([1, 0])
    return [*result, ends]


def joined(given_batches):
    scores, target = zip(*given_batches, strict=True)
    return torch.cat([each.double() for each in scores]).numpy(), torch.cat(target).numpy()


def updated(metric, given_batches):
    for batch in given_batches:
        metric.update(*batch)
    return metric


def sample(size=2000, seed=0):
    maker = torch.Generator().manual_seed(seed)
    target = (torch.rand(size, generator=maker) < 0.2).long()
    return torch.randn(size, generator=maker) + target, target


@given(batches(), st.sampled_from(INTERPOLATIONS), st.sampled_from([None, "100kB"]))
def test_areas_and_curves_are_those_of_the_functions(found, interpolation, max_bytes):
    scores, target = joined(found)
    aupr = updated(BinaryAUPR(interpolation, max_bytes=max_bytes), found)
    auprg = updated(BinaryAUPRG(max_bytes=max_bytes), found)
    for metric, expected in (
        (aupr, iso.aupr_score(target, scores, interpolation=interpolation)),
        (auprg, iso.auprg_score(target, scores)),
    ):
        value = metric.compute()
        assert (value.dtype, value.shape) == (torch.float64, ())
        assert value.item() == pytest.approx(expected, rel=1e-13, abs=1e-13)
        lo, hi = metric.brackets()
        assert lo == value == hi
    computed = updated(PrecisionRecallGainCurve(max_bytes=max_bytes), found).compute()
    curve = iso.precision_recall_gain_curve(target, scores)
    for ours, theirs in zip(computed, curve, strict=True):
        assert ours.dtype == torch.float64
        np.testing.assert_array_equal(ours.numpy(), theirs)


@given(st.integers(0, 2**32), st.sampled_from(INTERPOLATIONS), st.integers(1, 5))
def test_brackets_of_a_small_stream_hold_the_area(seed, interpolation, parts):
    scores, target = sample(1000, seed=seed)
    result = list(zip(scores.chunk(parts), target.chunk(parts), strict=True))
    for metric, expected in (
        (
            BinaryAUPR(interpolation, max_bytes="4kB"),
            iso.aupr_score(target, scores, interpolation=interpolation),
        ),
        (BinaryAUPRG(max_bytes="4kB"), iso.auprg_score(target, scores)),
    ):
        updated(metric, result)
        (lo, hi), value = metric.brackets(), metric.compute()
        assert lo < expected < hi
        assert abs(value - expected) <= (hi - lo) / 2
        assert value == (lo + hi) / 2


def test_a_small_stream_has_true_points_of_the_curve():
    scores, target = sample(1000)
    metric = PrecisionRecallGainCurve(max_bytes="4kB")
    metric.update(scores, target)
    precision_gain, recall_gain, thresholds = (each.numpy() for each in metric.compute())
    assert 10 < len(thresholds) < 200
    at = iso.OperatingPoints.from_scores(target, scores).at(thresholds)
    np.testing.assert_array_equal(precision_gain, at.precision_gain)
    np.testing.assert_array_equal(recall_gain, at.recall_gain)


def test_scores_are_compared_as_they_are():
    ours = BinaryAUPR("average-precision")
    theirs = torchmetrics.classification.BinaryAveragePrecision()
    for metric in (ours, theirs):
        metric.update(torch.tensor([0.2, 0.9]), torch.tensor([0, 0]))
        metric.update(torch.tensor([1.5, -3.0]), torch.tensor([1, 0]))
    # A sigmoid of the second batch alone moves its positive below the 0.9 of the first.
    assert (ours.compute(), theirs.compute()) == (1, 0.5)
    scores, target = sample()
    for metric in (ours, theirs):
        metric.reset()
        metric.update(torch.sigmoid(scores), target)
    assert ours.compute().item() == pytest.approx(theirs.compute().item(), abs=1e-5)
    # Single precision ties the probabilities of sure logits.
    ours.reset()
    ours.update(torch.tensor([40.0, 50.0, 60.0]), torch.tensor([0, 1, 1]))
    assert ours.compute() == 1


@MODES
def test_any_shape_ignored_labels_and_batches_overwritten_afterwards(max_bytes):
    scores, target = sample(60)
    left_out = torch.arange(60) % 3 == 0
    expected = iso.auprg_score(target[~left_out], scores[~left_out])
    for ignored in (-1, 7):
        # Scores of what is ignored may be missing.
        batch = [torch.where(left_out, math.nan, scores), torch.where(left_out, ignored, target)]
        batch = [each.reshape(3, 4, 5) for each in batch]
        metric = BinaryAUPRG(max_bytes=max_bytes, ignore_index=ignored)
        metric.update(*batch)
        for each in batch:
            each.zero_()
        assert metric.compute().item() == expected


@MODES
@pytest.mark.parametrize(
    ("labels", "seen"), [([1, 1], "only positives"), ([0, 0], "only negatives"), ([], "no rows")]
)
def test_one_class_is_nan_with_a_warning(max_bytes, labels, seen):
    batch = torch.tensor([0.1, 0.2][: len(labels)]), torch.tensor(labels)
    metric, points = BinaryAUPRG(max_bytes=max_bytes), PrecisionRecallGainCurve(max_bytes=max_bytes)
    for each in (metric, points):
        each.update(*batch)
    with pytest.warns(UndefinedWarning, match=f"BinaryAUPRG is not defined: there are {seen}"):
        assert math.isnan(metric.compute())
    with pytest.warns(UndefinedWarning, match="PrecisionRecallGainCurve is not defined"):
        assert [each.numel() for each in points.compute()] == [0, 0, 0]


@MODES
def test_forward_reset_copies_and_stored_states(max_bytes):
    scores, target = sample(300)
    first, rest = ((scores[part], target[part]) for part in (slice(100), slice(100, None)))

    def check(metric, *batches):
        found = torch.cat([each[0] for each in batches]), torch.cat([each[1] for each in batches])
        assert metric.compute().item() == close(iso.auprg_score(*reversed(found)))

    metric = BinaryAUPRG(max_bytes=max_bytes)
    for batch in (rest, first):
        # The value of the batch.
        assert metric(*batch).item() == close(iso.auprg_score(*reversed(batch)))
    check(metric, first, rest)
    metric.reset()
    assert not metric.update_called
    metric.update(*first)
    assert metric.state_dict() == {}
    metric.persistent(True)
    file = io.BytesIO()
    torch.save(metric.state_dict(), file)
    file.seek(0)
    stored = BinaryAUPRG(max_bytes=max_bytes)
    stored.load_state_dict(torch.load(file, weights_only=True))
    for copy in (metric.clone(), pickle.loads(pickle.dumps(metric)), stored):
        copy.update(*rest)
        check(copy, first, rest)
    merged, other = metric.clone(), BinaryAUPRG(max_bytes=max_bytes)
    other.update(rest[0].double(), rest[1])
    merged.merge_state(other)
    check(merged, first, rest)
    check(metric, first)
    # A model that holds metrics hashes them at every step.
    before = hash(metric)
    metric.update(*first)
    assert hash(metric) == before


@MODES
def test_collections_update_all_their_metrics(max_bytes):
    scores, target = sample(600)
    options = {"max_bytes": max_bytes}
    collection = torchmetrics.MetricCollection(
        {
            "aupr": BinaryAUPR(**options),
            "linear": BinaryAUPR("linear", **options),
            "auprg": BinaryAUPRG(**options),
        }
    )
    for start in (300, 0):
        collection.reset()
        rows = slice(start, 600)
        for part in zip(scores[rows].split(100), target[rows].split(100), strict=True):
            collection.update(*part)
        result = collection.compute()
        assert result["auprg"].item() == close(iso.auprg_score(target[rows], scores[rows]))
        assert result["aupr"].item() == iso.aupr_score(target[rows], scores[rows])
        linear = iso.aupr_score(target[rows], scores[rows], interpolation="linear")
        assert result["linear"].item() == linear
    # Rows are kept once for all; accumulators are not shared.
    assert len(collection.compute_groups) == (1 if max_bytes is None else 3)


@MODES
def test_other_devices_types_and_the_processor(max_bytes):
    scores, target = sample(300)
    expected = iso.auprg_score(target, scores)
    metric = BinaryAUPRG(max_bytes=max_bytes, compute_on_cpu=True)
    metric.update(scores, target)
    metric.to("cpu").half().set_dtype(torch.float64)
    assert metric.compute().item() == expected
    metric.to("meta")
    assert metric.device.type == "meta"
    rows = metric.scores if max_bytes is None else metric.streams
    assert rows[0].device.type == "meta"
    assert widest_type(torch.device("mps")) == torch.float32


def run_two_processes(folder):
    variables = os.environ | {"PYTHONPATH": str(Path(iso.__file__).parents[1])}
    if sys.platform == "linux":
        variables["GLOO_SOCKET_IFNAME"] = "lo"
    command = [sys.executable, "-W", "ignore", str(WORKER)]
    processes = [
        subprocess.Popen([*command, str(rank), str(folder)], env=variables) for rank in (0, 1)
    ]
    try:
        codes = [process.wait(timeout=300) for process in processes]
    finally:
        for process in processes:
            process.kill()
    assert codes == [0, 0]
    results = [(folder / f"{rank}.json").read_text(encoding="utf-8") for rank in (0, 1)]
    assert results[0] == results[1]
    return json.loads(results[0])


def test_two_processes_on_gloo_see_all_rows(tmp_path):
    specification = importlib.util.spec_from_file_location("gloo_worker", WORKER)
    worker = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(worker)
    result = run_two_processes(tmp_path)
    assert len(result) == 2
    for part, results in enumerate(result):
        places = [(rank, earlier) for earlier in range(part + 1) for rank in (0, 1)]
        scores, target = joined([worker.rows(*place) for place in places])
        first = target, scores
        expected = {
            "aupr": iso.aupr_score(*first),
            "linear": iso.aupr_score(*first, interpolation="linear"),
            "auprg": iso.auprg_score(*first),
            "small stream, aupr": iso.aupr_score(*first, interpolation="average-precision"),
        }
        expected |= dict.fromkeys(("large stream", "small stream"), expected["auprg"])
        some, labels = joined([worker.rows(*place) for place in places if place != (1, 0)])
        late = iso.auprg_score(labels, some)
        expected |= dict.fromkeys(("late", "late stream"), late)
        check_values(results["single"], expected)

        for ours, theirs in zip(
            results["curve"], iso.precision_recall_gain_curve(*first), strict=True
        ):
            np.testing.assert_array_equal(ours, theirs)


def check_values(found, expected):
    assert found.keys() == expected.keys()
    for name, (value, lo, hi) in found.items():
        if "small" in name:
            assert lo < expected[name] < hi, name
            assert value == (lo + hi) / 2
        else:
            assert value == pytest.approx(expected[name], rel=1e-12, abs=1e-12), name
            assert lo == value == hi


def on_this_device(positive, scores, pos_label, *, check_labels):
    assert (pos_label, check_labels) == (None, False)
    return Sample(positive, {"": scores})


def test_rows_are_counted_where_the_scores_are(monkeypatch):
    scores, target = sample(500)
    cases = [
        (BinaryAUPR(each), iso.aupr_score(target, scores, interpolation=each))
        for each in INTERPOLATIONS
    ]
    cases.append((BinaryAUPRG(), iso.auprg_score(target, scores)))
    expected = iso.precision_recall_gain_curve(target, scores)
    monkeypatch.setattr("isometrics.score_functions.parse_device_sample", on_this_device)
    for metric, area in cases:
        metric.update(scores, target)
        assert metric.compute().item() == close(area)
    monkeypatch.setattr("isometrics.points.operating_points.parse_device_sample", on_this_device)
    metric = PrecisionRecallGainCurve()
    metric.update(scores, target)
    for ours, theirs in zip(metric.compute(), expected, strict=True):
        np.testing.assert_array_equal(ours.numpy(), theirs)


def test_wrong_options_are_refused():
    for make, said in (
        (lambda: BinaryAUPR("trapezoid"), "interpolation must be one of"),
        (lambda: BinaryAUPR(ignore_index=0.5), "ignore_index must be a whole number"),
        (lambda: BinaryAUPR(ignore_index=True), "ignore_index must be a whole number"),
        (lambda: BinaryAUPRG(max_bytes=10), "max_bytes must be at least 1000"),
        (lambda: BinaryAUPRG(max_bytes="much"), "max_bytes must be a number of bytes"),
    ):
        with pytest.raises(ParameterError, match=said):
            make()


@pytest.mark.parametrize(
    ("preds", "target", "error", "said"),
    [
        (torch.rand(2), torch.ones(3), DimensionError, r"shape \(2,\) but target has shape \(3,\)"),
        (torch.arange(2), torch.arange(2), ScoreError, "preds must hold floats .* torch.int64"),
        (torch.rand(3), torch.tensor([0, 2, 3]), LabelError, "2 in all, the first at position 1"),
        (
            torch.tensor([0.5, math.nan]),
            torch.tensor([0, 1]),
            MissingValueError,
            "preds has missing values .* the first at position 1",
        ),
    ],
)
@MODES
def test_batches_with_errors_change_nothing(max_bytes, preds, target, error, said):
    metric = BinaryAUPRG(max_bytes=max_bytes)
    scores, labels = sample(50)
    metric.update(scores, labels)
    with pytest.raises(error, match=said):
        metric.update(preds, target)
    assert metric.compute().item() == close(iso.auprg_score(labels, scores))


def test_states_of_too_many_rows_are_not_merged():
    """Counts beyond 2**53 would not be exact."""
    metric = BinaryAUPR(max_bytes="1MB")
    metric.update(*sample(20))
    (state,) = metric.streams
    many = state.clone()
    positives = many[2:].reshape(4, -1)[2]
    positives *= 2**52 // positives.sum()
    with pytest.raises(WeightError, match=r"add up to more than 2\*\*53"):
        metric.load_state_dict({"streams": [many, many]})
    assert metric.streams[0].equal(state)
