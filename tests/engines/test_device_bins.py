"""Streams of arrays on a device are counted there, with bounds that hold."""

import numpy as np
import pytest

import isometrics as iso
from isometrics.device_inputs import DeviceSample
from isometrics.devices import namespace_of
from isometrics.engines import device_bins, stream
from isometrics.engines.device_bins import DeviceBins
from isometrics.errors import MissingValueError, OneClassError
from isometrics.kernels import triton_bins, triton_sums

torch = pytest.importorskip("torch")


THREE = ("AUROC", "AUPR", "AUPRG")


def batches(number, rows=600, spread=1.0, dtype=torch.float32):
    rng = np.random.default_rng(7)
    for _ in range(number):
        labels = rng.random(rows) < 0.3
        yield torch.tensor(labels), torch.tensor(rng.normal(labels) * spread).to(dtype)


def on_device(labels, scores):
    return DeviceSample(namespace_of(scores), labels, scores)


@pytest.fixture(params=["array operations", "compiled"])
def way(request, monkeypatch):
    """Take tensors of the processor for some of a device, and count them either way."""
    monkeypatch.setattr(
        stream, "clean_device_sample", lambda y_true, y_score, _, **__: on_device(y_true, y_score)
    )
    if request.param == "compiled":
        pytest.importorskip("triton")
        monkeypatch.setattr(triton_sums, "can_run_on", lambda _: True)
        count, bound = triton_bins.count, triton_bins.worst_and_best
        monkeypatch.setattr(triton_bins, "count", lambda *args: count(*args, tile=64, room=99))
        monkeypatch.setattr(triton_bins, "worst_and_best", lambda *args: bound(*args, tile=64))
    return request.param


@pytest.mark.usefixtures("way")
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_bounds_hold_and_counts_are_exact(dtype, monkeypatch):
    monkeypatch.setattr(device_bins, "PLANNED_ON", 100)
    accumulator, seen = iso.Accumulator(20_000), []
    for labels, scores in batches(3, dtype=dtype):
        accumulator.update(labels, scores)
        seen.append((labels.numpy(), scores.numpy()))
    labels, scores = (np.concatenate(part) for part in zip(*seen, strict=True))
    exact = iso.OperatingPoints.from_scores(labels, scores)
    assert len(accumulator) == labels.size
    assert (accumulator.positives, accumulator.negatives) == (exact.positives, exact.negatives)
    points = accumulator.points()
    # Counts at the borders of bins are those of the rows at or above them.
    for threshold, tp, fp in zip(points.thresholds, points.tp, points.fp, strict=True):
        above = scores >= threshold
        assert (np.sum(labels[above]), np.sum(~labels[above])) == (tp, fp)
    assert points.thresholds[-1] == scores.min()
    for name, (lo, hi) in iso.area_brackets(points).items():
        value = iso.area_brackets(exact)[name].lo
        assert lo <= value <= hi
    lo, hi = accumulator.brackets()["AUROC"]
    assert 0 < hi - lo < 0.01
    assert not accumulator.exact
    assert repr(accumulator).startswith("Accumulator: 1,800 rows")


@pytest.mark.parametrize("digits", [1, 2, 9])
def test_bounds_are_found_where_the_counts_are(way, digits):
    """With few digits many bins have a single score, whose rows are tied."""
    accumulator = iso.Accumulator(20_000)
    for labels, scores in batches(3):
        accumulator.update(labels, scores.round(decimals=digits))
        there = accumulator.brackets(THREE)
        assert (accumulator._device_brackets() is not None) == (way == "compiled")
        again = iso.Accumulator.from_state(accumulator.state())
        for name in THREE:
            assert there[name] == pytest.approx(again.brackets([name])[name], abs=1e-13)
        # What went to the host for the state is no longer there alone.
        assert accumulator._device_brackets() is None
        accumulator = iso.Accumulator(20_000).update(labels, scores.round(decimals=digits))


def test_bounds_before_both_classes_are_there_are_refused(way):
    labels, scores = next(batches(1))
    accumulator = iso.Accumulator(20_000).update(labels[labels], scores[labels])
    with pytest.raises(OneClassError):
        accumulator.brackets(THREE)
    lo, hi = accumulator.update(labels, scores).brackets("AUROC")["AUROC"]
    assert lo < hi
    assert way


@pytest.mark.usefixtures("way")
@pytest.mark.parametrize("first", [True, False])
def test_a_batch_with_nan_is_refused_and_leaves_no_trace(first):
    (labels, scores), (more, other) = batches(2)
    broken = other.clone()
    broken[200] = float("nan")
    accumulator = iso.Accumulator(20_000)
    if not first:
        accumulator.update(labels, scores)
    before = repr(accumulator), accumulator.state()
    if not first:
        accumulator = iso.Accumulator(20_000).update(labels, scores)
    with pytest.raises(MissingValueError, match=r"y_score has missing values .* at position 200"):
        accumulator.update(more, broken)
    assert repr(accumulator) == before[0]
    for name, found in accumulator.state().items():
        np.testing.assert_array_equal(found, before[1][name])


@pytest.mark.usefixtures("way")
def test_rows_beyond_the_plan_are_counted_too():
    accumulator = iso.Accumulator(20_000)
    first, second = (next(batches(1, spread=spread)) for spread in (1e-3, 1e3))
    accumulator.update(*first).update(*second)
    labels, scores = (np.concatenate(part) for part in zip(first, second, strict=True))
    exact = iso.OperatingPoints.from_scores(labels, scores)
    assert (accumulator.positives, accumulator.negatives) == (exact.positives, exact.negatives)
    lo, hi = accumulator.brackets()["AUROC"]
    assert lo <= exact.roc.area() <= hi
    assert accumulator.points().tp[-1] == exact.positives


@pytest.mark.usefixtures("way")
def test_accumulators_of_devices_merge_and_travel():
    one, other = (iso.Accumulator(20_000).update(*batch) for batch in batches(2))
    merged = iso.Accumulator.from_state(one.state()).merge(other)
    assert len(merged) == 1200
    assert len(one + other) == 1200
    labels, scores = (np.concatenate(part) for part in zip(*batches(2), strict=True))
    value = iso.auroc_score(labels, scores)
    lo, hi = merged.brackets()["AUROC"]
    assert lo <= value <= hi
    one.reset()
    assert len(one) == 0


def test_jax_arrays_are_counted_alike():
    jax = pytest.importorskip("jax")
    jax.config.update("jax_enable_x64", True)
    labels, scores = next(batches(1))
    of_torch, of_jax = (
        DeviceBins(sample, 300)
        for sample in (
            on_device(labels, scores),
            on_device(jax.numpy.asarray(labels.numpy()), jax.numpy.asarray(scores.numpy())),
        )
    )
    of_torch.append(on_device(labels, scores))
    of_jax.append(on_device(*(jax.numpy.asarray(each.numpy()) for each in (labels, scores))))
    for one, other in zip(of_torch.counts(), of_jax.counts(), strict=True):
        np.testing.assert_array_equal(one, other)


def test_integers_are_counted_on_the_host():
    strict = pytest.importorskip("array_api_strict")
    device = strict.Device("device1")
    labels = strict.asarray([1, 0, 1, 0], device=device)
    accumulator = iso.Accumulator()
    accumulator.update(labels, strict.asarray([4, 3, 2, 1], device=device))
    accumulator.update(labels, strict.asarray([0.4, 0.3, 0.2, 0.1], device=device))
    assert len(accumulator) == 8
    assert accumulator.exact
