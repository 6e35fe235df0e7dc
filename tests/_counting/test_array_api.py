"""Tables built on a device equal those built on the host, for every array library here."""

from __future__ import annotations

import sys
from contextlib import nullcontext
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import isometrics as iso
from isometrics._core.arrays import namespace_of
from isometrics._core.counts import HIGHEST_SCORE
from isometrics._core.sample import Sample
from isometrics._counting import array_api
from isometrics._counting.array_api import gathered, hull_in_chunks, sorted_keys_of, sums_of
from isometrics._counting.confusion import Totals
from isometrics._counting.keys import encoding_of
from isometrics._table.path import path_of
from isometrics._table.table import KnownArea
from isometrics.points.compact import SectionSums, measures_of_sums, table_on_device

INF = float("inf")
DTYPES = ("float32", "float64", "int32", "int64")


def _torch(values):
    return pytest.importorskip("torch").tensor(values)


def _jax(values):
    jax = pytest.importorskip("jax")
    jax.config.update("jax_enable_x64", True)
    return jax.numpy.asarray(values)


def _strict(values):
    strict = pytest.importorskip("array_api_strict")
    return strict.asarray(values, device=strict.Device("device1"))


LIBRARIES = {"torch": _torch, "jax": _jax, "strict": _strict}


def device_sample(to_array, labels, scores):
    scores = to_array(scores)
    return Sample(to_array(labels), {"": scores})


@st.composite
def samples(draw):
    dtype = np.dtype(draw(st.sampled_from(DTYPES)))
    if dtype.kind == "f":
        width = 8 * dtype.itemsize
        few = st.sampled_from([0.0, -0.0, 0.5, -0.5, 1.0, 1.5, -2.5, INF, -INF])
        value = draw(st.sampled_from([few, st.floats(width=width, allow_nan=False)]))
    else:
        info = np.iinfo(dtype)
        bounds = st.integers(int(info.min), int(info.max))
        value = draw(st.sampled_from([st.integers(-3, 3), st.integers(0, 100), bounds]))
    scores = draw(st.lists(value, min_size=2, max_size=40))
    labels = draw(st.lists(st.booleans(), min_size=len(scores), max_size=len(scores)))
    labels[:2] = [True, False]
    return np.array(labels), np.array(scores, dtype)


def on_host(labels, scores):
    return iso.OperatingPoints.from_scores(labels, scores)


@pytest.mark.parametrize("library", ["torch", "strict"])
@given(sample=samples(), chunk=st.sampled_from([1, 2, 7, None]))
def test_rows_areas_and_hull_are_those_of_the_host(library, sample, chunk):
    check_against_host(LIBRARIES[library], sample, chunk)


def spread(scores):
    """Return how many times the smallest magnitude above 0 the largest one is."""
    magnitudes = np.abs(scores[scores != 0].astype(np.float64))
    with np.errstate(over="ignore"):
        return magnitudes.max() / magnitudes.min()


def check_against_host(to_array, sample, chunk):
    exact = on_host(*sample)
    device = device_sample(to_array, *sample)
    ranking = sorted_keys_of(device)
    if ranking is None:
        assert table_on_device(device, "all") is None
        assert to_array is _strict or encoding_of(sample[1]) is None or spread(sample[1]) > 1e300
        return
    scores, tp, fp = gathered(ranking)
    # In a table, a score of +inf counts as the highest float.
    scores = np.minimum(scores.astype(exact.thresholds.dtype), HIGHEST_SCORE)
    np.testing.assert_array_equal(scores, exact.thresholds[1:])
    np.testing.assert_array_equal(tp, exact.tp[1:])
    np.testing.assert_array_equal(fp, exact.fp[1:])

    hull = exact.hull()
    rows = hull_in_chunks(ranking, chunk)
    np.testing.assert_array_equal(rows.tp, hull.tp)
    np.testing.assert_array_equal(rows.fp, hull.fp)
    vertex_scores = np.minimum(ranking.scores(rows.marks).astype(np.float64), HIGHEST_SCORE)
    np.testing.assert_array_equal(vertex_scores, hull.thresholds[1:])
    places = np.flatnonzero(np.isin(exact.tp + 1j * exact.fp, hull.tp + 1j * hull.fp))
    np.testing.assert_array_equal(rows.gaps, np.diff(places) > 1)

    totals = exact.positives, exact.negatives
    sums = sums_of(ranking, chunk=chunk)
    few = sums_of(ranking, everything=False, chunk=chunk)
    assert sums[:4] == few[:4]
    known = measures_of_sums(sums, Totals(*totals))
    sums = SectionSums(exact.table)
    sums.add(path_of(exact.table))
    right = {name: value for name, value in sums.known().items() if name not in LEFT_OUT}
    assert known == pytest.approx(right, rel=1e-12, abs=1e-12, nan_ok=True)


LEFT_OUT = {KnownArea.INTEGER_STEPS, KnownArea.MAX_PRECISION}
"""What devices do not add up."""


@pytest.mark.parametrize(("stream", "waits"), [(7, []), (8, ["torch", "cupy"])])
def test_cupy_sorts_keys_for_torch_where_it_is_installed(monkeypatch, stream, waits):
    """On one stream neither waits for the other."""
    torch = pytest.importorskip("torch")
    # Found while there is no other library that claims to be CuPy.
    namespace = namespace_of(torch.tensor([0]))
    waited = []

    def as_cupy(keys):
        return SimpleNamespace(sort=lambda: keys.copy_(torch.sort(keys).values))

    def stream_of(library, number):
        def synchronize():
            waited.append(library)

        return SimpleNamespace(ptr=number, cuda_stream=number, synchronize=synchronize)

    cuda = SimpleNamespace(Device=nullcontext, get_current_stream=lambda: stream_of("cupy", stream))
    monkeypatch.setattr(torch.cuda, "current_stream", lambda _: stream_of("torch", 7))
    monkeypatch.setattr(array_api.triton_launch, "can_run_on", lambda _: True)
    monkeypatch.setitem(sys.modules, "cupy", SimpleNamespace(asarray=as_cupy, cuda=cuda))
    keys = torch.tensor([3, 1, 2])
    assert array_api.sort_keys(torch, keys) is keys
    assert keys.tolist() == [1, 2, 3]
    assert waited == waits
    monkeypatch.setitem(sys.modules, "cupy", None)
    sorted_keys = array_api.sort_keys(namespace, torch.tensor([3, 1, 2]))
    assert sorted_keys.tolist() == [1, 2, 3]


@pytest.mark.parametrize("library", LIBRARIES)
def test_nan_is_found_when_rows_are_sorted(library):
    labels, scores = np.array([True, False, True]), np.array([0.5, np.nan, 0.25])
    assert sorted_keys_of(device_sample(LIBRARIES[library], labels, scores)) is None
