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
    """Draw some batches of both classes, in any floating types, with ties."""
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


# ---------------------------------------------------------------------- values


@given(batches(), st.sampled_from(INTERPOLATIONS), st.sampled_from([None, "100kB"]))
def test_areas_are_those_of_the_score_functions(found, interpolation, max_bytes):
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


@given(batches(), st.sampled_from([None, "100kB"]))
def test_the_curve_is_that_of_the_function(found, max_bytes):
    scores, target = joined(found)
    computed = updated(PrecisionRecallGainCurve(max_bytes=max_bytes), found).compute()
    expected = iso.precision_recall_gain_curve(target, scores)
    for ours, theirs in zip(computed, expected, strict=True):
        assert ours.dtype == torch.float64
        np.testing.assert_array_equal(ours.numpy(), theirs)


def test_several_labels_have_a_metric_each():
    scores, target = sample(300)
    scores, target = (torch.stack([each, each.flip(0)], 1) for each in (scores, target))
    target[:100, 1] = -1
    metric = BinaryAUPRG(ignore_index=-1)
    several = torchmetrics.MultioutputWrapper(metric, num_outputs=2, remove_nans=False)
    several.update(scores, target)
    expected = [iso.auprg_score(target[k:, j], scores[k:, j]) for k, j in ((0, 0), (100, 1))]
    assert several.compute().tolist() == close(expected)


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


def test_average_precision_is_that_of_torchmetrics():
    scores, target = sample()
    probabilities = torch.sigmoid(scores)
    theirs = torchmetrics.classification.BinaryAveragePrecision()
    theirs.update(probabilities, target)
    ours = BinaryAUPR("average-precision")
    ours.update(probabilities, target)
    assert ours.compute().item() == pytest.approx(theirs.compute().item(), abs=1e-5)


def test_scores_are_compared_as_they_are():
    ours = BinaryAUPR("average-precision")
    theirs = torchmetrics.classification.BinaryAveragePrecision()
    for metric in (ours, theirs):
        metric.update(torch.tensor([0.2, 0.9]), torch.tensor([0, 0]))
        metric.update(torch.tensor([1.5, -3.0]), torch.tensor([1, 0]))
    assert ours.compute() == 1
    # A sigmoid of the second batch alone moves its positive below the 0.9 of the first.
    assert theirs.compute() == 0.5
    # Single precision ties the probabilities of sure logits.
    ours.reset()
    ours.update(torch.tensor([40.0, 50.0, 60.0]), torch.tensor([0, 1, 1]))
    assert ours.compute() == 1


@MODES
def test_extra_dimensions_are_flattened(max_bytes):
    scores, target = sample(60)
    expected = iso.auprg_score(target, scores)
    metric = BinaryAUPRG(max_bytes=max_bytes)
    metric.update(scores.reshape(3, 4, 5), target.reshape(3, 4, 5))
    assert metric.compute().item() == expected


@MODES
@pytest.mark.parametrize("ignored", [-1, 7])
def test_ignored_labels_are_left_out(max_bytes, ignored):
    scores, target = sample(200)
    left_out = torch.arange(200) % 3 == 0
    # Scores of what is ignored may be missing.
    given_scores = torch.where(left_out, math.nan, scores)
    metric = BinaryAUPRG(max_bytes=max_bytes, ignore_index=ignored)
    metric.update(given_scores, torch.where(left_out, ignored, target))
    assert metric.compute().item() == iso.auprg_score(target[~left_out], scores[~left_out])


@MODES
def test_batches_may_be_overwritten_afterwards(max_bytes):
    scores, target = sample(100)
    metric = BinaryAUPR(max_bytes=max_bytes)
    expected = iso.aupr_score(target, scores)
    metric.update(scores, target)
    scores.zero_()
    target.zero_()
    assert metric.compute().item() == close(expected)


# ---------------------------------------------------------------------- undefined


@MODES
@pytest.mark.parametrize(("labels", "seen"), [([1, 1], "positives"), ([0, 0], "negatives")])
def test_one_class_is_nan_with_a_warning(max_bytes, labels, seen):
    batch = torch.tensor([0.1, 0.2]), torch.tensor(labels)
    metric = BinaryAUPRG(max_bytes=max_bytes)
    metric.update(*batch)
    with pytest.warns(UndefinedWarning, match=f"BinaryAUPRG is not defined: there are only {seen}"):
        assert math.isnan(metric.compute())
    points = PrecisionRecallGainCurve(max_bytes=max_bytes)
    points.update(*batch)
    with pytest.warns(UndefinedWarning, match="PrecisionRecallGainCurve is not defined"):
        assert [each.numel() for each in points.compute()] == [0, 0, 0]


@MODES
def test_no_rows_are_nan_with_a_warning(max_bytes):
    metric = BinaryAUPR(max_bytes=max_bytes)
    with (
        pytest.warns(UndefinedWarning, match="there are no rows"),
        pytest.warns(UserWarning, match="before the ``update`` method"),
    ):
        assert math.isnan(metric.compute())
    metric.update(torch.empty(0), torch.empty(0))
    with pytest.warns(UndefinedWarning, match="there are no rows"):
        assert math.isnan(metric.compute())


# ---------------------------------------------------------------------- torchmetrics


@MODES
def test_forward_returns_the_value_of_the_batch(max_bytes):
    scores, target = sample(300)
    metric = BinaryAUPRG(max_bytes=max_bytes)
    for part in (slice(0, 200), slice(200, 300)):
        value = metric(scores[part], target[part])
        assert value.item() == close(iso.auprg_score(target[part], scores[part]))
    assert metric.update_count == 2
    assert metric.compute().item() == close(iso.auprg_score(target, scores))


@MODES
def test_reset_forgets_everything(max_bytes):
    scores, target = sample(300)
    metric = BinaryAUPRG(max_bytes=max_bytes)
    metric.update(scores, target)
    metric.reset()
    assert not metric.update_called
    metric.update(scores[:50], target[:50])
    assert metric.compute().item() == close(iso.auprg_score(target[:50], scores[:50]))


@MODES
def test_copies_go_on_by_themselves(max_bytes):
    scores, target = sample(300)
    metric = BinaryAUPR(max_bytes=max_bytes)
    metric.update(scores[:100], target[:100])
    for copy in (metric.clone(), pickle.loads(pickle.dumps(metric))):
        copy.update(scores[100:], target[100:])
        whole = BinaryAUPR()
        whole.update(scores, target)
        assert copy.compute().item() == close(whole.compute().item())
    alone = BinaryAUPR()
    alone.update(scores[:100], target[:100])
    assert metric.compute().item() == close(alone.compute().item())


@MODES
def test_a_stored_state_is_loaded_again(max_bytes):
    scores, target = sample(300)
    metric = BinaryAUPRG(max_bytes=max_bytes)
    metric.update(scores[:100], target[:100])
    assert metric.state_dict() == {}
    metric.persistent(True)
    file = io.BytesIO()
    torch.save(metric.state_dict(), file)
    file.seek(0)
    again = BinaryAUPRG(max_bytes=max_bytes)
    again.load_state_dict(torch.load(file, weights_only=True))
    again.update(scores[100:], target[100:])
    assert again.compute().item() == close(iso.auprg_score(target, scores))


@MODES
def test_states_are_merged(max_bytes):
    scores, target = sample(300)
    first, second = BinaryAUPRG(max_bytes=max_bytes), BinaryAUPRG(max_bytes=max_bytes)
    first.update(scores[:100].double(), target[:100])
    second.update(scores[100:], target[100:])
    first.merge_state(second)
    assert first.compute().item() == close(iso.auprg_score(target, scores))


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


@MODES
def test_models_can_hold_metrics(max_bytes):
    model = torch.nn.Module()
    model.first, model.second = BinaryAUPRG(max_bytes=max_bytes), BinaryAUPRG(max_bytes=max_bytes)
    before = hash(model.first)
    model.first.update(*sample(100))
    assert hash(model.first) == before
    assert [name for name, _ in model.named_children()] == ["first", "second"]
    assert list(model.parameters()) == []


# ---------------------------------------------------------------------- several processes


def gathering(other):
    """Return a function that joins a state with that of another process, in the same order."""
    sent = []
    other._sync_dist(lambda tensor, group: sent.append(tensor) or [tensor])  # noqa: ARG005
    waiting = iter(sent)

    def gathered(tensor, group):  # noqa: ARG001
        received = next(waiting)
        assert received.dtype == tensor.dtype or tensor.numel() == 0
        return [tensor, received.to(tensor.dtype)]

    return gathered


@MODES
def test_a_sync_joins_the_rows_and_is_undone(max_bytes):
    scores, target = sample(300)
    mine, other = BinaryAUPRG(max_bytes=max_bytes), BinaryAUPRG(max_bytes=max_bytes)
    mine.update(scores[:100], target[:100])
    other.update(scores[100:], target[100:])
    mine.sync(gathering(other), distributed_available=lambda: True)
    mine._to_sync = False
    assert mine.compute().item() == close(iso.auprg_score(target, scores))
    # Its own rows are back after that, to which others are added.
    mine.update(scores[:50], target[:50])
    both = torch.cat([scores[:100], scores[:50]]), torch.cat([target[:100], target[:50]])
    assert mine.compute().item() == close(iso.auprg_score(*reversed(both)))


def test_scores_travel_in_the_widest_type():
    metric = BinaryAUPRG()
    metric.update(*sample(10))
    sent = []
    metric._sync_dist(lambda tensor, group: sent.append(tensor.dtype) or [tensor])  # noqa: ARG005
    assert sent == [torch.float64, torch.bool]


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


# ---------------------------------------------------------------------- devices


def on_this_device(positive, scores, pos_label, *, check_labels):
    assert (pos_label, check_labels) == (None, False)
    return Sample(positive, {"": scores})


@pytest.mark.parametrize("interpolation", INTERPOLATIONS)
def test_areas_are_added_up_where_the_scores_are(monkeypatch, interpolation):
    scores, target = sample(500)
    cases = (
        (BinaryAUPR(interpolation), iso.aupr_score(target, scores, interpolation=interpolation)),
        (BinaryAUPRG(), iso.auprg_score(target, scores)),
    )
    monkeypatch.setattr("isometrics.score_functions.parse_device_sample", on_this_device)
    for metric, expected in cases:
        metric.update(scores, target)
        assert metric.compute().item() == pytest.approx(expected, rel=1e-12)


def test_curves_are_counted_where_the_scores_are(monkeypatch):
    scores, target = sample(500)
    expected = iso.precision_recall_gain_curve(target, scores)
    monkeypatch.setattr("isometrics.points.operating_points.parse_device_sample", on_this_device)
    metric = PrecisionRecallGainCurve()
    metric.update(scores, target)
    for ours, theirs in zip(metric.compute(), expected, strict=True):
        np.testing.assert_array_equal(ours.numpy(), theirs)


# ---------------------------------------------------------------------- errors


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


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: BinaryAUPR("trapezoid"), "interpolation must be one of"),
        (lambda: BinaryAUPR(ignore_index=0.5), "ignore_index must be a whole number"),
        (lambda: BinaryAUPR(ignore_index=True), "ignore_index must be a whole number"),
        (lambda: BinaryAUPRG(max_bytes=10), "max_bytes must be at least 1000"),
        (lambda: BinaryAUPRG(max_bytes="much"), "max_bytes must be a number of bytes"),
    ],
)
def test_wrong_options_are_refused(make, said):
    with pytest.raises(ParameterError, match=said):
        make()


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


def test_a_missing_package_is_named(monkeypatch):
    for name in [name for name in sys.modules if name.startswith("isometrics.integrations")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "torchmetrics", None)
    with pytest.raises(ImportError) as caught:
        importlib.import_module("isometrics.integrations.torchmetrics")
    assert str(caught.value) == (
        "isometrics.integrations.torchmetrics needs torchmetrics: pip install 'isometrics[torch]'"
    )
