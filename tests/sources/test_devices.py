"""Streams of arrays on a device are counted there, with bounds that hold."""

import copy
import pickle

import numpy as np
import pytest

import isometrics as iso
from isometrics._core.sample import Sample
from isometrics._counting import triton_launch
from isometrics.errors import LabelError, MissingValueError, OneClassError, WeightError
from isometrics.measures import registered
from isometrics.sources import devices
from isometrics.sources import streams as stream
from isometrics.sources.devices import DeviceBins

torch = pytest.importorskip("torch")


ALL = tuple(measure.name for measure in registered())


def batches(number, rows=600, spread=1.0, dtype=torch.float32):
    rng = np.random.default_rng(7)
    for _ in range(number):
        labels = rng.random(rows) < 0.3
        yield torch.tensor(labels), torch.tensor(rng.normal(labels) * spread).to(dtype)


def on_device(labels, scores):
    return Sample(labels, {"": scores})


@pytest.fixture(params=["array operations", "compiled"])
def way(request, monkeypatch):
    """Take tensors of the processor for some of a device, and count them either way."""
    monkeypatch.setattr(
        stream,
        "parse_device_sample",
        lambda y_true, y_score, _, **__: on_device(
            torch.as_tensor(y_true) == 1, torch.as_tensor(y_score)
        ),
    )
    if request.param == "compiled":
        pytest.importorskip("triton", "3.7")
        monkeypatch.setattr(triton_launch, "can_run_on", lambda _: True)
        count = triton_launch.count
        monkeypatch.setattr(triton_launch, "count", lambda *args: count(*args, tile=64, room=99))
    return request.param


@pytest.mark.usefixtures("way")
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_bounds_hold_and_are_narrow(dtype, monkeypatch):
    """The laws of kernels compare the counts of each row."""
    monkeypatch.setattr(devices, "PLANNED_ON", 100)
    accumulator, seen = iso.Accumulator(20_000), []
    for labels, scores in batches(3, dtype=dtype):
        accumulator.update(labels, scores)
        seen.append((labels.numpy(), scores.numpy()))
    exact = iso.OperatingPoints.from_scores(*map(np.concatenate, zip(*seen, strict=True)))
    assert (accumulator.positives, accumulator.negatives) == (exact.positives, exact.negatives)
    right = iso.area_brackets(exact)
    for name, (lo, hi) in iso.area_brackets(accumulator.points()).items():
        assert lo <= right[name].lo <= hi
    assert 0 < accumulator.brackets()["AUROC"].width < 0.01
    assert not accumulator.exact
    assert repr(accumulator).startswith("Accumulator: 1,800 rows")


@pytest.mark.usefixtures("way")
def test_a_stream_of_neighbouring_scores_has_values():
    """Bins are ranges of scores, so narrow here that each has one."""
    accumulator, seen = iso.Accumulator(60_000), []
    for labels, scores in batches(2, dtype=torch.float64):
        near = 1 + scores.round().clamp(0, 3) * 2**-52
        accumulator.update(labels, near)
        seen.append((labels.numpy(), near.numpy()))
    assert accumulator.exact
    points = iso.OperatingPoints.from_scores(*map(np.concatenate, zip(*seen, strict=True)))
    found, right = accumulator.brackets(ALL), iso.area_brackets(points, ALL)
    for name in ALL:
        assert tuple(found[name]) == pytest.approx(tuple(right[name]), rel=1e-13)
        assert found[name].width == 0


@pytest.mark.usefixtures("way")
def test_bins_of_the_host_between_those_of_a_device_are_merged_there():
    """Weights are counted on the host, and so is what another accumulator has seen."""
    labels, scores = next(batches(1))
    accumulator = iso.Accumulator(20_000).update(labels, scores)
    accumulator.merge(iso.Accumulator(20_000).update(labels, scores + 0.5))
    exact = iso.OperatingPoints.from_scores(
        np.concatenate([labels, labels]), np.concatenate([scores, scores + 0.5])
    )
    for name, (lo, hi) in iso.area_brackets(accumulator.points()).items():
        assert lo <= iso.area_brackets(exact)[name].lo <= hi


@pytest.mark.usefixtures("way")
def test_looking_at_an_accumulator_moves_nothing():
    """Counts stay on the device, whatever is asked, and so do their bounds."""
    looks = (repr, len, bool, copy.copy, pickle.dumps, lambda stream: stream.exact,
             lambda stream: stream.state(), lambda stream: stream.points(),
             lambda stream: stream.brackets(), lambda stream: iso.Accumulator(20_000) + stream,
             lambda stream: sum([stream]))  # fmt: skip
    accumulator, alone = iso.Accumulator(20_000), iso.Accumulator(20_000)
    for labels, scores in batches(2):
        accumulator.update(labels, scores)
        alone.update(labels, scores)
        for look in looks:
            look(accumulator)
            assert accumulator._counts.empty, "rows were moved to the host"
    assert accumulator.points() == alone.points()
    for name in ALL:
        assert accumulator.brackets(ALL)[name] == alone.brackets(ALL)[name]


@pytest.mark.usefixtures("way")
@pytest.mark.parametrize("max_bytes", [1000, 4000])
def test_copies_of_full_accumulators_are_equal(max_bytes):
    """There are bins on the device and, of rows beyond the plan, on the host."""
    accumulator = iso.Accumulator(max_bytes)
    for spread in (1e-3, 1e3, 1e6):
        accumulator.update(*next(batches(1, spread=spread)))
    twin = pickle.loads(pickle.dumps(accumulator))
    assert twin.points() == accumulator.points()
    assert twin.points().thresholds.size <= max_bytes // stream.BYTES_OF_A_BIN * 5 // 4 + 1


@pytest.mark.usefixtures("way")
def test_labels_of_devices_are_the_same_in_all_batches():
    labels, scores = next(batches(1))
    signs, ones = torch.where(labels, 1, -1), torch.ones_like(labels, dtype=torch.int64)
    for first, second, said in (
        (labels, signs, "besides 1 and False, such as -1"),
        (signs, labels.to(torch.int64), "besides 1 and -1, such as 0"),
        (signs.numpy(), labels.to(torch.int64), "besides 1 and -1, such as 0"),
    ):
        accumulator = iso.Accumulator(20_000).update(ones, scores).update(first, scores)
        with pytest.raises(LabelError, match=said):
            accumulator.update(second, scores)
        with pytest.raises(LabelError, match=said):
            accumulator.merge(iso.Accumulator(20_000).update(second, scores))
        assert len(accumulator) == 1200


@pytest.mark.usefixtures("way")
def test_rows_of_devices_beyond_2_53_are_refused():
    labels, scores = next(batches(1))
    accumulator = iso.Accumulator(20_000).update([1], [0.5], sample_weight=[2**53 - 600])
    accumulator.update(labels, scores)
    with pytest.raises(WeightError, match=r"add up to more than 2\*\*53"):
        accumulator.update(labels, scores)
    assert len(accumulator) == 601


@pytest.mark.usefixtures("way")
def test_bounds_before_both_classes_are_there_are_refused():
    labels, scores = next(batches(1))
    accumulator = iso.Accumulator(20_000).update(labels[labels], scores[labels])
    with pytest.raises(OneClassError):
        accumulator.brackets()
    lo, hi = accumulator.update(labels, scores).brackets("AUROC")["AUROC"]
    assert lo < hi


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
    for name, result in accumulator.state().items():
        np.testing.assert_array_equal(result, before[1][name])


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
    accumulator.reset()
    assert len(accumulator) == 0


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
    first, second = of_torch.tally(), of_jax.tally()
    for column in ("lo", "hi", "positives", "negatives"):
        np.testing.assert_array_equal(getattr(first, column), getattr(second, column))


def test_integers_are_counted_on_the_host():
    strict = pytest.importorskip("array_api_strict")
    device = strict.Device("device1")
    labels = strict.asarray([1, 0, 1, 0], device=device)
    accumulator = iso.Accumulator()
    accumulator.update(labels, strict.asarray([4, 3, 2, 1], device=device))
    accumulator.update(labels, strict.asarray([0.4, 0.3, 0.2, 0.1], device=device))
    assert len(accumulator) == 8
    assert accumulator.exact


def test_labels_of_the_host_beside_scores_of_a_device():
    """Labels that can be read only once are, too."""
    strict = pytest.importorskip("array_api_strict")
    scores = strict.asarray([4, 3, 2, 1], device=strict.Device("device1"))
    accumulator = iso.Accumulator(pos_label="yes")
    accumulator.update(iter(["yes", "no", "yes", "no"]), scores)
    assert (accumulator.positives, accumulator.negatives) == (2, 2)
    with pytest.raises(LabelError, match="such as 'maybe'"):
        accumulator.update(["yes", "maybe", "yes", "maybe"], scores)
