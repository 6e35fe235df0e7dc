"""Code for graphics cards, run in Triton's interpreter, against plain array operations."""

from __future__ import annotations

import numpy as np
import pytest

from isometrics.device_inputs import DeviceSample
from isometrics.devices import namespace_of
from isometrics.kernels import array_api, triton_sums
from isometrics.kernels.device_sums import sums_of

torch = pytest.importorskip("torch")
pytest.importorskip("triton")

INF = float("inf")
LABELS = np.array([True, False, True, False, False, True, True, False, True, True] * 4)
SCORES = {
    "ties across tiles": np.repeat([0.75, 0.5, 0.25, 0.125], 10),
    "no ties": np.random.default_rng(1).permutation(40) / 64,
    "both signs": np.random.default_rng(2).normal(size=40) * 30,
    "infinities and zeros": np.tile([INF, -INF, 0.0, -0.0, 1.0, -1.0, 2.0, 5.0], 5),
    "no free bit": np.tile([5e-324, -5e-324, 1e308, -1e308, 0.0], 8),
    "few, in one tile": np.array([0.5, 0.25, 0.5]),
}


@pytest.mark.parametrize("dtype", ["float32", "float64", "int32", "int64"])
@pytest.mark.parametrize("case", SCORES)
def test_keys_and_sums_are_those_of_array_operations(case, dtype):
    scores = SCORES[case]
    if dtype.startswith("int"):
        scores = np.clip(scores, -1e9, 1e9) * 8 // 10
    with np.errstate(over="ignore"):
        scores = torch.tensor(scores.astype(dtype))
    labels = torch.tensor(LABELS[: scores.shape[0]])
    xp = namespace_of(scores)
    ranking = array_api.ranking_of(DeviceSample(xp, labels, scores))
    packed = triton_sums.packed(scores, labels, tile=16)
    if packed is None:
        assert isinstance(ranking, array_api.GatheredRanking)
        return
    keys, packing = packed
    assert packing == ranking.packing
    assert torch.equal(torch.sort(keys).values, ranking.keys)
    positives = int(labels.sum())
    totals = positives, labels.shape[0] - positives
    baseline = -(-(positives**2) // labels.shape[0])
    exact = sums_of(ranking, *totals)
    for number in (2, 7):
        pairs, terms, crossing = triton_sums.sums(
            ranking.keys, *totals, baseline, number=number, launch={"TILE": 16, "num_warps": 1}
        )
        assert (pairs, tuple(crossing)) == (exact.pairs, tuple(exact.crossing))
        assert terms == pytest.approx(exact[2 : 2 + number], rel=1e-13, abs=1e-13)


def test_tensors_on_cuda_take_this_way(monkeypatch):
    scores, labels = torch.tensor([0.9, 0.1, 0.8, 0.8]), torch.tensor([True, False, True, False])
    xp = namespace_of(scores)
    sample = DeviceSample(xp, labels, scores)
    expected = sums_of(array_api.ranking_of(sample), 2, 2)
    asked = []

    def on_cuda(array):
        asked.append(array)
        return True

    monkeypatch.setattr(triton_sums, "can_run_on", on_cuda)
    monkeypatch.setattr(array_api, "sort_keys", lambda xp, keys: xp.sort(keys))
    sums = sums_of(array_api.ranking_of(sample), 2, 2)
    assert sums[:2] == expected[:2]
    assert sums[2:] == pytest.approx(expected[2:], rel=1e-13)
    assert len(asked) == 2
    assert array_api.positives_of(sample) == 2
    # Where no bit is free, the rows are gathered.
    full = torch.tensor([5e-324, -5e-324, 1e308, -1e308], dtype=torch.float64)
    ranking = array_api.ranking_of(DeviceSample(xp, labels, full))
    assert isinstance(ranking, array_api.GatheredRanking)


def test_positives_are_counted():
    assert triton_sums.positives(torch.tensor(LABELS), tile=16) == int(LABELS.sum())


def test_where_triton_runs(monkeypatch):
    class Tensor:
        is_cuda = True
        device = "cuda"

    Tensor.__module__ = "torch"
    assert triton_sums.can_run_on(Tensor())
    waited = []
    monkeypatch.setattr(torch.cuda, "synchronize", waited.append)
    triton_sums.wait_for(Tensor())
    assert waited == ["cuda"]


def test_only_torch_on_cuda_takes_this_way():
    assert not triton_sums.can_run_on(torch.ones(2))
    assert not triton_sums.can_run_on(np.ones(2))
