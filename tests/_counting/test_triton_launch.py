"""Code for graphics cards, run in Triton's interpreter, against plain array operations."""

from __future__ import annotations

import math

import numpy as np
import pytest

from isometrics._core.sample import Sample
from isometrics._counting import (
    array_api,
    triton_launch,
)
from isometrics._counting.array_api import sums_of

torch = pytest.importorskip("torch")
triton = pytest.importorskip("triton", "3.7")  # the interpreter of others fails with NumPy 2.4

from isometrics._counting import triton_code  # noqa: E402

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
@pytest.mark.parametrize("most", [99, 2])
def test_keys_and_sums_are_those_of_array_operations(case, dtype, most):
    """A span is one tile, or several."""
    scores = SCORES[case]
    if dtype.startswith("int"):
        scores = np.clip(scores, -1e9, 1e9) * 8 // 10
    with np.errstate(over="ignore"):
        scores = torch.tensor(scores.astype(dtype))
    labels = torch.tensor(LABELS[: scores.shape[0]])
    ranking = array_api.sorted_keys_of(Sample(labels, {"": scores}))
    spans = triton_launch.spans_of(scores.shape[0], 8, most, 1)
    survey = triton_launch.survey(scores, labels, spans)
    assert survey.positives == int(labels.sum())
    assert survey.is_valid
    if survey.packing is None:
        assert ranking is None
        return
    keys = triton_launch.pack(scores, labels, survey.packing, tile=16)
    assert survey.packing == ranking.packing
    assert torch.equal(torch.sort(keys).values, ranking.keys)
    totals = ranking.positives, ranking.size - ranking.positives
    exact = sums_of(ranking)
    for number in (2, 7):
        pairs, terms, crossing = triton_launch.sums(
            ranking.keys, *totals, array_api.baseline_of(*totals), number=number, spans=spans
        )
        assert (pairs, tuple(crossing)) == (exact.pairs, tuple(exact.crossing))
        assert terms == pytest.approx(exact[2 : 2 + number], rel=1e-13, abs=1e-13)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("sign", [1, -1])
def test_nan_is_found_by_a_survey(dtype, sign):
    for value, has_nan in ((math.nan, True), (INF, False)):
        scores = torch.tensor([0.5, sign * value, 0.25], dtype=dtype)
        scores = torch.copysign(scores, torch.tensor([1.0, sign, 1.0], dtype=dtype))
        survey = triton_launch.survey(scores, torch.tensor([True, False, True]))
        assert survey.is_valid == (not has_nan)


@pytest.mark.parametrize("dtype", ["float16", "float32", "int8", "int64", "uint8"])
@pytest.mark.parametrize(
    ("labels", "is_valid"),
    [
        ([1, 0, 1, 0, 1], True),
        ([1, -1, 1, -1, -1], True),
        ([1, 1, 1, 1, 1], True),
        ([1, 0, -1, 0, 1], False),
        ([1, 0, 2, 0, 1], False),
        ([1, 0, math.nan, 0, 1], False),
        ([1, 0, 0.5, 0, 1], False),
    ],
)
def test_labels_are_checked_by_a_survey(dtype, labels, is_valid, monkeypatch):
    if not dtype.startswith("float") and any(label != label // 1 for label in labels):
        return
    if dtype == "uint8" and -1 in labels:
        return
    labels = torch.tensor(labels, dtype=getattr(torch, dtype))
    scores = torch.tensor([0.1, 0.2, 0.3, 0.4, 0.5])
    spans = triton_launch.spans_of(5, tile=2, fewest_tiles=1)
    survey = triton_launch.survey(scores, labels, spans)
    assert survey.is_valid == is_valid
    assert survey.positives == int((labels == 1).sum())
    sample = Sample(labels, {"": scores})
    expected = array_api.sorted_keys_of(sample)
    monkeypatch.setattr(triton_launch, "can_run_on", lambda _: True)
    monkeypatch.setattr(triton_launch, "sort_in_place", lambda _: False)
    ranking = array_api.sorted_keys_of(sample)
    assert (ranking is None) == (expected is None) == (not is_valid)
    if is_valid:
        assert torch.equal(ranking.keys, expected.keys)


@pytest.mark.parametrize(("tile", "most"), [(4, 99), (4, 2), (16, 99), (64, 1)])
@pytest.mark.parametrize("case", SCORES)
def test_hulls_are_those_of_array_operations(case, tile, most):
    scores = torch.tensor(SCORES[case])
    labels = torch.tensor(LABELS[: scores.shape[0]])
    ranking = array_api.sorted_keys_of(Sample(labels, {"": scores}))
    if ranking is None:
        return
    exact = array_api.hull_in_chunks(ranking)
    spans = triton_launch.spans_of(ranking.size, tile, most, 1)
    found = triton_launch.hull_rows(ranking, spans=spans)
    for one, other in zip(found, exact, strict=True):
        np.testing.assert_array_equal(one, other)


def test_tiles_far_below_the_hull_are_not_looked_at():
    """All negatives come first, so that nothing but both ends is on the hull."""
    scores = torch.arange(128.0, 0, -1, dtype=torch.float64)
    labels = torch.arange(128) >= 64
    ranking = array_api.sorted_keys_of(Sample(labels, {"": scores}))
    spans = triton_launch.spans_of(ranking.size, 4, fewest_tiles=1)
    found = triton_launch.hull_rows(ranking, spans=spans, room=0)
    assert (found.tp.tolist(), found.fp.tolist()) == ([0, 64], [0, 64])


def test_too_many_rows_above_the_hull_of_a_few_take_the_slower_way(monkeypatch):
    """Here all points of a circle are vertices, and only some of them are known at first."""
    steps = [(rise, run) for rise in range(1, 9) for run in range(1, 9) if math.gcd(rise, run) == 1]
    steps.sort(key=lambda step: step[1] / step[0])
    labels = [label for rise, run in steps for label in [True] * rise + [False] * run]
    scores = [-k for k, (rise, run) in enumerate(steps) for _ in range(rise + run)]
    scores = torch.tensor(scores, dtype=torch.float64)
    sample = Sample(torch.tensor(labels), {"": scores})
    ranking = array_api.sorted_keys_of(sample)
    exact = array_api.hull_in_chunks(ranking)
    assert exact.tp.size == len(steps) + 1
    spans = triton_launch.spans_of(ranking.size, 128, fewest_tiles=1)
    assert triton_launch.hull_rows(ranking, spans=spans, room=8) is None
    monkeypatch.setattr(triton_launch, "can_run_on", lambda _: True)
    find = triton_launch.hull_rows
    for room in (8, 400):
        monkeypatch.setattr(
            triton_launch, "hull_rows", lambda *args, room=room: find(*args, spans=spans, room=room)
        )
        for one, other in zip(array_api.hull_rows(ranking), exact, strict=True):
            np.testing.assert_array_equal(one, other)


def test_triton_is_given_no_floats(monkeypatch):
    """It rounds them to 32 bits, which hold counts only up to 2**24."""
    given = []

    class Noted:
        def __init__(self, kernel):
            self._kernel = kernel

        def __getitem__(self, grid):
            def run(*args, **kwargs):
                given.extend([*args, *kwargs.values()])
                return self._kernel[grid](*args, **kwargs)

            return run

    kernels = (
        "survey_spans", "pack_tiles", "count_spans", "add_spans", "find_highest", "find_above",
    )  # fmt: skip
    for name in kernels:
        monkeypatch.setattr(triton_code, name, Noted(getattr(triton_code, name)))
    scores, labels = torch.tensor([0.9, 0.1, 0.8, 0.8]), torch.tensor([True, False, True, False])
    monkeypatch.setattr(triton_launch, "can_run_on", lambda _: True)
    monkeypatch.setattr(triton_launch, "sort_in_place", lambda _: False)
    ranking = array_api.sorted_keys_of(Sample(labels, {"": scores}))
    sums_of(ranking)
    array_api.hull_rows(ranking)
    assert len(given) > 20
    assert not any(isinstance(each, float) for each in given)


def test_only_torch_on_cuda_takes_this_way():
    class Tensor:
        is_cuda = True

    Tensor.__module__ = "torch"
    assert triton_launch.can_run_on(Tensor())
    assert not triton_launch.can_run_on(torch.ones(2))
    assert not triton_launch.can_run_on(np.ones(2))
