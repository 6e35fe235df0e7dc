"""Laws that every way from rows to areas obeys, each with the areas it does not hold for and why.

A check takes a system (a way from rows to a table, and areas of it) and a case; it fails by
AssertionError. Each law also carries a planted wrong system that it must catch.
"""

import math
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest
from hypothesis import strategies as st

from isometrics import OperatingPoints, UndefinedWarning
from isometrics._core.rows import parse_sample
from isometrics._counting import native
from isometrics._counting import numpy_kernel as plain
from isometrics._table.table import Kind, Table
from isometrics.testing import binary_samples

from .areas import AREAS

Area = Callable[[Any], Any]
Sample = tuple[np.ndarray, ...]
Bounds = dict[str, tuple[float, float]]
Draw = Callable[[str | None], st.SearchStrategy[Sample]]
"""Draws samples without weights (None), with "integer" or "float" ones, or with the "richest"."""


def from_scores(labels, scores, weights=None) -> OperatingPoints:
    return OperatingPoints.from_scores(labels, scores, sample_weight=weights)


@contextmanager
def interpreted() -> Iterator[None]:
    """Leave all work to NumPy, also where the compiled loops are there and pay."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(native, "available", lambda: False)
        yield


def validated(labels, scores, weights=None) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
    """Return the rows of one model as the kernels take them."""
    sample = parse_sample(labels, {"": scores}, sample_weight=weights)
    return sample.labels, sample.only_scores, sample.weights


def counted_by_numpy(labels, scores, weights=None) -> OperatingPoints:
    """Call NumPy's kernel, whatever the number of rows."""
    thresholds, tp, fp = plain.count(*validated(labels, scores, weights))
    return OperatingPoints(Table(thresholds, tp, fp, tp[-1].item(), fp[-1].item(), Kind.SCORES))


@dataclass(frozen=True)
class System:
    """What a law is about: a way from rows to points, and areas of these.

    An area is a number, or two with the exact one between them.
    """

    areas: Mapping[str, Area] = field(default_factory=lambda: {"roc.area": AREAS["roc.area"]})
    points: Callable[..., Any] = from_scores
    whole: bool = True
    """Whether points have all rows, so that those of the same data are equal."""
    table: Callable[[Any], OperatingPoints] = lambda points: points
    """Makes a table of points that are none."""

    @property
    def rounding(self) -> float:
        """How far areas of the same data are apart; without all rows, sums depend on the way."""
        return 0.0 if self.whole else 1e-12

    def values(self, points: Any) -> Bounds:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UndefinedWarning)
            return {name: _bounds(area(points)) for name, area in self.areas.items()}

    def of(self, *sample: np.ndarray) -> Bounds:
        return self.values(self.points(*sample))


def _bounds(value: Any) -> tuple[float, float]:
    return tuple(value) if isinstance(value, tuple) else (float(value), float(value))


@dataclass(frozen=True)
class Law:
    """One law: how to draw a case, how to check it, where it does not hold, what it catches."""

    check: Callable[[System, Any], None]
    cases: Callable[[Draw], st.SearchStrategy[Any]]
    planted: System
    exempt: dict[str, str] = field(default_factory=dict)
    weights: str | None = None
    """The weights without which there is no case."""
    of_rows: bool = False
    """Whether it is about rows alone, whatever the area."""


def assert_same(one: Bounds, other: Bounds, tolerance: float = 1e-12) -> None:
    """Areas are equal; where only bounds are known, one number may lie within both."""
    assert one.keys() == other.keys()
    for name, (lo, hi) in one.items():
        lower, higher = other[name]
        if math.isnan(lo) and math.isnan(lower):
            continue
        room = tolerance * max(1.0, abs(lower))
        assert lo <= higher + room, (name, one[name], other[name])
        assert lower <= hi + room, (name, one[name], other[name])


def shuffled(sample: Sample, seed: int) -> Sample:
    order = np.random.default_rng(seed).permutation(sample[0].size)
    return tuple(column[order] for column in sample)


def permutation(system: System, case: tuple[Sample, int]) -> None:
    """The order of the rows does not matter."""
    sample, seed = case
    assert_same(system.of(*sample), system.of(*shuffled(sample, seed)))


def repetition(system: System, sample: Sample) -> None:
    """An integer weight stands for so many equal rows."""
    labels, scores, weights = sample
    weighted = system.points(labels, scores, weights)
    repeated = system.points(np.repeat(labels, weights), np.repeat(scores, weights))
    if system.whole:
        assert weighted == repeated
    assert_same(system.values(weighted), system.values(repeated), system.rounding)


def removal(system: System, sample: Sample) -> None:
    """A row of zero weight is no row."""
    kept = sample[2] > 0
    assert_same(system.of(*sample), system.of(*(column[kept] for column in sample)), 0.0)


def scaling(system: System, case: tuple[Sample, float]) -> None:
    """Only the proportions of the weights matter."""
    (labels, scores, weights), factor = case
    assert_same(
        system.of(labels, scores, weights), system.of(labels, scores, weights * factor), 1e-11
    )


def monotone(system: System, sample: Sample) -> None:
    """Only the order of the scores matters."""
    labels, scores = sample
    ranks = ranked(scores)
    found = system.of(labels, scores)
    for transformed in (ranks, ranks.astype(np.float32) * 3 - 7, np.exp2(ranks / 64)):
        assert_same(found, system.of(labels, transformed), system.rounding)


def merge(system: System, samples: tuple[Sample, Sample, Sample]) -> None:
    """Adding tables is concatenating data: commutative and associative."""
    one, two, three = (system.points(*sample) for sample in samples)
    together = system.points(
        np.concatenate([labels for labels, _ in samples]), joined([scores for _, scores in samples])
    )
    if system.whole:
        assert (one + two) + three == one + (two + three) == three + two + one == together
    assert_same(system.values(one + two + three), system.values(together), 0.0)


def hull_dominates(system: System, sample: Sample) -> None:
    """What coin tosses between thresholds achieve is at least what thresholds achieve."""
    points = system.points(*sample)
    hulls = system.values(points.hull())
    for name, (raw, _) in system.values(points).items():
        hull = hulls[name][1]
        assert math.isnan(raw) or hull >= raw - 1e-12 * max(1.0, abs(raw)), (name, hull, raw)


def label_flip(system: System, sample: Sample) -> None:
    """Calling the other class positive and turning the scores round changes nothing."""
    labels, scores = sample
    assert_same(system.of(labels, ranked(scores)), system.of(~labels, -ranked(scores)))


def perfect_is_one(system: System, sample: Sample) -> None:
    """A ranking without mistakes has area 1, ties within a class or not."""
    labels = sample[0]
    for scores in (labels.astype(float), labels + np.arange(labels.size) / labels.size / 2):
        assert_same(system.of(labels, scores), dict.fromkeys(system.areas, (1.0, 1.0)))


def roc_round_trip(system: System, sample: Sample) -> None:
    """ROC space holds the same points: back and forth loses nothing."""
    points = system.points(*sample)
    totals = {"positives": points.positives, "negatives": points.negatives}
    again = OperatingPoints.from_roc(points.roc.x, points.roc.y, **totals)
    assert_same(system.values(points), system.values(again), 0.0)


def counts_by_definition(system: System, sample: Sample) -> None:
    """The counts of a row are the positives and the negatives that score its threshold or more."""
    labels, scores, *given = sample
    weights = given[0] if given else np.ones(labels.size, np.int64)
    points = system.table(system.points(*sample))
    assert points.thresholds[0] == np.inf
    assert points.tp[0] == points.fp[0] == 0
    assert (points.thresholds[2:] < points.thresholds[1:-1]).all()
    chosen = np.unique(np.linspace(1, points.thresholds.size - 1, 40).astype(int))
    for row in (*chosen, 1, 2, 3):
        above = scores >= points.thresholds[min(row, points.thresholds.size - 1)]
        for found, right in (
            (points.tp, weights[above & labels].sum()),
            (points.fp, weights[above & ~labels].sum()),
        ):
            counted = found[min(row, points.thresholds.size - 1)]
            assert abs(counted - right) <= (1e-12 * right if weights.dtype.kind == "f" else 0)
    present = scores[weights > 0]
    assert points.thresholds[-1] == present.min()
    if system.whole:
        assert points.thresholds.size == np.unique(present).size + 1


def agreement(system: System, sample: Sample) -> None:
    """Rows and areas are those that NumPy alone finds."""
    points = system.points(*sample)
    exact = System({name: AREAS[name] for name in system.areas})
    with interpreted():
        right = counted_by_numpy(*sample)
        areas = exact.values(right)
    assert_same(system.values(points), areas)
    if system.whole and right.tp.dtype.kind == "i":
        assert points == right


def joined(columns: list[np.ndarray]) -> np.ndarray:
    """Concatenate scores in a type that holds all of them."""
    common = np.result_type(*columns)
    wide = [column.astype(np.longdouble) for column in columns]
    fits = all(
        (column.astype(common) == each).all() for column, each in zip(columns, wide, strict=True)
    )
    return np.concatenate([column.astype(common) for column in columns] if fits else wide)


def ranked(scores: np.ndarray) -> np.ndarray:
    return np.unique(scores, return_inverse=True)[1]


def breaks_ties_by_row(labels, scores, weights=None) -> OperatingPoints:
    order = np.lexsort((np.arange(scores.size), scores))
    return from_scores(labels[order], np.arange(scores.size), weights[order])


def ignores_weights(labels, scores, *_) -> OperatingPoints:
    return from_scores(labels, scores)


def adds_a_row(labels, scores, *_) -> OperatingPoints:
    return from_scores(np.append(labels, True), np.append(scores, scores.max()))


def above_the_threshold(labels, scores, weights=None) -> OperatingPoints:
    return from_scores(labels, scores + 1, weights)


def small(weights: str | None) -> st.SearchStrategy[Sample]:
    """Draw few rows, value by value, so that counterexamples are simple."""
    return binary_samples(weights="float" if weights == "richest" else weights)


CLASS = "swaps the classes: it is about the positive one only"

LAWS: dict[str, Law] = {
    "row permutation": Law(
        permutation,
        lambda draw: st.tuples(draw("richest"), st.integers(0, 999)),
        System(points=breaks_ties_by_row),
    ),
    "integer weight is repetition": Law(
        repetition,
        lambda draw: draw("integer"),
        System(points=ignores_weights),
        weights="integer",
    ),
    "zero weight is removal": Law(
        removal, lambda draw: draw("float"), System(points=ignores_weights), weights="float"
    ),
    "weight scaling": Law(
        scaling,
        lambda draw: st.tuples(draw("float"), st.sampled_from([0.125, 1 / 3, 3.0, 1e3, 1e-3])),
        System({"positives": lambda points: float(points.positives)}),
        {"pr.area integer-steps": "its steps have the size of one row"},
        weights="float",
    ),
    "monotone transform": Law(
        monotone,
        lambda draw: draw(None),
        System({"largest": lambda points: float(np.max(points.thresholds[1:]))}),
    ),
    "merge is concatenation": Law(
        merge,
        lambda draw: st.tuples(draw(None), draw(None), draw(None)),
        System(points=adds_a_row),
    ),
    "hull dominates": Law(
        hull_dominates,
        lambda draw: draw(None),
        System({"less": lambda points: -points.roc.area()}),
        {
            "pr.area average-precision": "steps between far vertices are pessimistic",
            "pr.area max-precision": "steps between far vertices are pessimistic",
            "prg.expected_f_gain": "a better curve is averaged over more of Δ",
            "prg.expected_reciprocal_f": "a loss: smaller is better",
        },
    ),
    "label flip": Law(
        label_flip,
        lambda draw: draw(None),
        System({"pr.area davis-goadrich": lambda points: points.pr.area()}),
        {name: CLASS for name in AREAS if not name.startswith("roc")}
        | {"roc.standardised_area": "the flip exchanges the axes, and with them the range"},
    ),
    "perfect is one": Law(
        perfect_is_one,
        lambda draw: draw(None),
        System({"prevalence": lambda points: points.prevalence}),
        {
            "roc.expected_accuracy": "the expected rate is perfect at one threshold only",
            "prg.expected_f_gain": "the threshold is drawn at random",
            "prg.expected_reciprocal_f": "the threshold is drawn at random",
        },
    ),
    "ROC round trip": Law(
        roc_round_trip,
        lambda draw: draw(None),
        System({"unknown": lambda points: float(np.isnan(points.thresholds).sum())}),
    ),
    "counts by definition": Law(
        counts_by_definition,
        lambda draw: draw("richest"),
        System(points=above_the_threshold),
        of_rows=True,
    ),
    "agreement with NumPy": Law(
        agreement, lambda draw: draw("richest"), System(points=ignores_weights), of_rows=True
    ),
}
