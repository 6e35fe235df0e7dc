"""Laws that areas obey, each with the areas it does not hold for and why.

A check takes a system (a constructor of tables and an area) and a case; it fails by
AssertionError. Each law also carries a planted wrong system that it must catch.
"""

import math
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from hypothesis import strategies as st

from isometrics import OperatingPoints, UndefinedWarning
from isometrics.testing import binary_samples

Area = Callable[[OperatingPoints], float]
Sample = tuple[np.ndarray, ...]


def from_scores(labels, scores, weights=None) -> OperatingPoints:
    return OperatingPoints.from_scores(labels, scores, sample_weight=weights)


@dataclass(frozen=True)
class System:
    """What a law is about: an area, and the constructor of the tables it is taken of."""

    area: Area = lambda points: points.roc.area()
    points: Callable[..., OperatingPoints] = from_scores

    def value(self, points: OperatingPoints) -> float:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UndefinedWarning)
            return self.area(points)

    def of(self, *sample: np.ndarray) -> float:
        return self.value(self.points(*sample))


@dataclass(frozen=True)
class Law:
    """One law: how to draw a case, how to check it, where it does not hold, what it catches."""

    check: Callable[[System, Any], None]
    cases: st.SearchStrategy[Any]
    planted: System
    exempt: dict[str, str] = field(default_factory=dict)


def assert_same(one: float, other: float, tolerance: float = 1e-12) -> None:
    both_undefined = math.isnan(one) and math.isnan(other)
    assert both_undefined or abs(one - other) <= tolerance * max(1.0, abs(other)), (one, other)


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
    assert weighted == repeated
    assert_same(system.value(weighted), system.value(repeated), 0.0)


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
    for transformed in (ranks, ranks.astype(np.float32) * 3 - 7, np.exp2(ranks.astype(float))):
        assert_same(system.of(labels, scores), system.of(labels, transformed), 0.0)


def merge(system: System, samples: tuple[Sample, Sample, Sample]) -> None:
    """Adding tables is concatenating data: commutative and associative."""
    one, two, three = (system.points(*sample) for sample in samples)
    together = system.points(
        np.concatenate([labels for labels, _ in samples]),
        np.concatenate([scores.astype(np.longdouble) for _, scores in samples]),
    )
    assert (one + two) + three == one + (two + three) == three + two + one == together
    assert_same(system.value(one + two + three), system.value(together), 0.0)


def hull_dominates(system: System, sample: Sample) -> None:
    """What coin tosses between thresholds achieve is at least what thresholds achieve."""
    points = system.points(*sample)
    hull, raw = system.value(points.hull()), system.value(points)
    assert math.isnan(raw) or hull >= raw - 1e-12 * max(1.0, abs(raw)), (hull, raw)


def label_flip(system: System, sample: Sample) -> None:
    """Calling the other class positive and turning the scores round changes nothing."""
    labels, scores = sample
    assert_same(system.of(labels, ranked(scores)), system.of(~labels, -ranked(scores)))


def perfect_is_one(system: System, sample: Sample) -> None:
    """A ranking without mistakes has area 1, ties within a class or not."""
    labels = sample[0]
    for scores in (labels.astype(float), labels + np.arange(labels.size) / labels.size / 2):
        assert_same(system.of(labels, scores), 1.0)


def roc_round_trip(system: System, sample: Sample) -> None:
    """ROC space holds the same points: back and forth loses nothing."""
    points = system.points(*sample)
    totals = {"positives": points.positives, "negatives": points.negatives}
    again = OperatingPoints.from_roc(points.roc.x, points.roc.y, **totals)
    assert_same(system.value(points), system.value(again), 0.0)


def ranked(scores: np.ndarray) -> np.ndarray:
    return np.unique(scores, return_inverse=True)[1]


def breaks_ties_by_row(labels, scores, weights=None) -> OperatingPoints:
    order = np.lexsort((np.arange(scores.size), scores))
    return from_scores(labels[order], np.arange(scores.size), weights[order])


def ignores_weights(labels, scores, *_) -> OperatingPoints:
    return from_scores(labels, scores)


def adds_a_row(labels, scores, *_) -> OperatingPoints:
    return from_scores(np.append(labels, True), np.append(scores, scores.max()))


samples = binary_samples()
weighted = binary_samples(weights="float")
CLASS = "swaps the classes: it is about the positive one only"

LAWS: dict[str, Law] = {
    "row permutation": Law(
        permutation,
        st.tuples(weighted, st.integers(0, 999)),
        System(points=breaks_ties_by_row),
    ),
    "integer weight is repetition": Law(
        repetition, binary_samples(weights="integer"), System(points=ignores_weights)
    ),
    "zero weight is removal": Law(removal, weighted, System(points=ignores_weights)),
    "weight scaling": Law(
        scaling,
        st.tuples(weighted, st.sampled_from([0.125, 1 / 3, 3.0, 1e3, 1e-3])),
        System(lambda points: float(points.positives)),
        {"pr.area integer-steps": "its steps have the size of one row"},
    ),
    "monotone transform": Law(
        monotone, samples, System(lambda points: float(np.max(points.thresholds[1:])))
    ),
    "merge is concatenation": Law(
        merge, st.tuples(samples, samples, samples), System(points=adds_a_row)
    ),
    "hull dominates": Law(
        hull_dominates,
        samples,
        System(lambda points: -points.roc.area()),
        {
            "pr.area average-precision": "steps between far vertices are pessimistic",
            "pr.area max-precision": "steps between far vertices are pessimistic",
            "prg.expected_f_gain": "a better curve is averaged over more of Δ",
            "prg.expected_reciprocal_f": "a loss: smaller is better",
        },
    ),
    "label flip": Law(
        label_flip,
        samples,
        System(lambda points: points.pr.area()),
        dict.fromkeys(
            (
                "pr.area davis-goadrich",
                "pr.area average-precision",
                "pr.area linear",
                "pr.area integer-steps",
                "pr.area max-precision",
                "pr.standardised_area",
                "pr.minimum_area",
                "pr.normalised_area",
                "prg.area",
                "prg.standardised_area",
                "prg.y0",
                "prg.expected_f_gain",
                "prg.expected_reciprocal_f",
            ),
            CLASS,
        )
        | {"roc.standardised_area": "the flip exchanges the axes, and with them the range"},
    ),
    "perfect is one": Law(
        perfect_is_one,
        samples,
        System(lambda points: points.prevalence),
        {
            "roc.expected_accuracy": "the expected rate is perfect at one threshold only",
            "pr.minimum_area": "the area of the worst ranking",
            "prg.expected_f_gain": "the threshold is drawn at random",
            "prg.expected_reciprocal_f": "the threshold is drawn at random",
        },
    ),
    "ROC round trip": Law(
        roc_round_trip, samples, System(lambda points: float(np.isnan(points.thresholds).sum()))
    ),
}
