"""Samples on a device: the strict reference library has devices that NumPy cannot read."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

import isometrics as iso
from isometrics._core.arrays import is_array, is_remote, to_host
from isometrics._core.rows import _has_float64, parse_device_sample
from isometrics.errors import LabelError, LengthError, MissingValueError, OneClassError
from isometrics.spaces.pr import INTERPOLATIONS

strict = pytest.importorskip("array_api_strict")
DEVICE = strict.Device("device1")
LABELS = [1, 0, 1, 1, 0, 0]
SCORES = [0.9, 0.8, 0.7, 0.7, 0.2, 0.1]


def remote(values, dtype=None, device=DEVICE):
    return strict.asarray(values, dtype=dtype, device=device)


def test_arrays_of_a_device_are_told_from_others():
    assert is_remote(remote(SCORES))
    assert is_array(strict.asarray(SCORES))
    assert not is_remote(strict.asarray(SCORES))
    for given in (SCORES, np.array(SCORES), np.float64(1), 1.0, "text"):
        assert not is_array(given)
        assert not is_remote(given)
    arrow = pytest.importorskip("pyarrow")
    assert not is_array(arrow.array(SCORES))


def test_arrays_come_to_the_host_unchanged():
    assert to_host(remote(SCORES)).tolist() == SCORES
    assert to_host(strict.asarray(SCORES)).tolist() == SCORES
    torch = pytest.importorskip("torch")
    learned = torch.tensor([0.5, 0.25], requires_grad=True)
    assert to_host(learned).tolist() == [0.5, 0.25]
    half = to_host(learned.detach().to(torch.bfloat16))
    assert (half.dtype, half.tolist()) == (np.float32, [0.5, 0.25])
    jax = pytest.importorskip("jax")
    half = to_host(jax.numpy.asarray([0.5, 0.25], dtype="bfloat16"))
    assert (half.dtype, half.tolist()) == (np.float32, [0.5, 0.25])


def test_cupy_is_asked_to_move_its_arrays():
    class OfCuPy:
        def get(self):
            return np.array([1.0, 2.0])

    assert to_host(OfCuPy()).tolist() == [1.0, 2.0]


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        ([True, False, True, True, False, False], LABELS),
        (LABELS, LABELS),
        ([1.0, 0.0, 1.0, 1.0, 0.0, 0.0], LABELS),
        ([1, -1, 1, 1, -1, -1], LABELS),
    ],
)
def test_labels_are_read_on_the_device(labels, expected):
    sample = parse_device_sample(remote(labels), remote(SCORES), None)
    assert sample.labels.device == DEVICE
    assert to_host(sample.labels).tolist() == [bool(label) for label in expected]
    assert sample.size == 6


def test_labels_elsewhere_are_moved_to_the_scores():
    for labels in (LABELS, np.array(LABELS), remote(LABELS, device=strict.Device("device2"))):
        sample = parse_device_sample(labels, remote(SCORES), None)
        assert sample.labels.device == DEVICE
        assert to_host(sample.labels).tolist() == [True, False, True, True, False, False]
    sample = parse_device_sample(list("ybyybb"), remote(SCORES), "y")
    assert to_host(sample.labels).tolist() == [True, False, True, True, False, False]
    sample = parse_device_sample(remote(LABELS), remote(SCORES), 0)
    assert to_host(sample.labels).tolist() == [False, True, False, False, True, True]


@pytest.mark.parametrize(
    ("given", "widened"),
    [
        ("float32", "float32"),
        ("float64", "float64"),
        ("int8", "int32"),
        ("int32", "int32"),
        ("int64", "int64"),
        ("uint16", "int32"),
        ("uint32", "int64"),
        ("bool", "int32"),
    ],
)
def test_scores_are_widened_exactly(given, widened):
    scores = remote([1, 0, 1, 1, 0, 0], dtype=getattr(strict, given))
    sample = parse_device_sample(remote(LABELS), scores, None)
    assert sample.only_scores.dtype == getattr(strict, widened)
    assert to_host(sample.only_scores).tolist() == [1, 0, 1, 1, 0, 0]


@pytest.mark.parametrize(
    ("labels", "scores"),
    [
        (LABELS, np.array(SCORES)),
        (remote(LABELS), remote([SCORES])),
        (remote([], dtype=strict.int64), remote([], dtype=strict.float64)),
        (remote(LABELS[:5]), remote(SCORES)),
        (LABELS[:5], remote(SCORES)),
        (remote(LABELS), remote([1, 2, 3, 4, 5, 6], dtype=strict.uint64)),
        (remote(LABELS), remote([1, 2, 3, 4, 5, 6], dtype=strict.complex128)),
        (
            remote(LABELS, device=strict.Device("no_float64")),
            remote(SCORES, strict.float32, strict.Device("no_float64")),
        ),
    ],
    ids=["host", "two dimensions", "empty", "short", "short on host", "uint64", "complex",
         "no float64"],
)  # fmt: skip
def test_what_cannot_be_read_there_is_left_to_the_host(labels, scores):
    assert parse_device_sample(labels, scores, None) is None


def test_cuda_has_floats_of_64_bits():
    """Nothing is asked of the device."""
    assert _has_float64(None, SimpleNamespace(is_cuda=True))


def test_the_host_says_what_is_wrong():
    nan = remote([0.1, 0.2, np.nan, 0.4, 0.5, 0.6])
    for labels, scores, error, message in (
        (LABELS[:5], remote(SCORES), LengthError, "y_score has 6 values but y_true has 5"),
        (LABELS, nan, MissingValueError, "y_score has missing values"),
        ([1, 2, 1, 1, 2, 2], remote(SCORES), LabelError, "say which one is positive"),
        ([0, 1, 2, 1, 0, 1], remote(SCORES), LabelError, "labels besides 0 and 1"),
        ([1] * 6, remote(SCORES), OneClassError, "y_true has only positives"),
    ):
        with pytest.raises(error, match=message):
            iso.auroc_score(remote(labels), scores)
        for rows in ("all", "hull"):
            with pytest.raises(error, match=message):
                iso.OperatingPoints.from_scores(remote(labels), scores, rows=rows)
    assert np.isnan(iso.auroc_score(remote([1] * 6), remote(SCORES), undefined="nan"))


@pytest.mark.parametrize("rows", ["all", "corners", "hull"])
def test_tables_are_those_of_the_host(rows):
    there = iso.OperatingPoints.from_scores(remote(LABELS), remote(SCORES), rows=rows)
    here = iso.OperatingPoints.from_scores(LABELS, SCORES, rows=rows)
    assert there.hull() == here.hull()
    assert rows == "hull" or there.table == here.table
    for area in ("roc", "pr", "prg"):
        assert getattr(there, area).area() == pytest.approx(getattr(here, area).area(), rel=1e-14)


def test_scores_are_those_of_the_host():
    there, here = (remote(LABELS), remote(SCORES)), (LABELS, SCORES)
    for score in (iso.auroc_score, iso.auprg_score, iso.tradeoff_score):
        assert score(*there) == pytest.approx(score(*here), rel=1e-14)
    for name in INTERPOLATIONS:
        one, other = (iso.aupr_score(*each, interpolation=name) for each in (there, here))
        assert one == pytest.approx(other, rel=1e-14)
    weighted = {"sample_weight": [1, 2, 1, 1, 3, 1]}
    assert iso.auroc_score(*there, **weighted) == iso.auroc_score(*here, **weighted)
    areas = iso.auroc_score(*here), iso.aupr_score(*here), iso.auprg_score(*here)
    assert iso.area_scores(*there) == pytest.approx(areas, rel=1e-14)
    assert iso.area_scores(*here) == areas
    with pytest.raises(OneClassError, match="y_true has only positives"):
        iso.area_scores([1, 1], [0.5, 0.4])
    assert all(map(np.isnan, iso.area_scores([1, 1], [0.5, 0.4], undefined="nan")))
