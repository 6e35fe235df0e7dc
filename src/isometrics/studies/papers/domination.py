"""Theorem 3.2 of Davis & Goadrich (2006), tried on many pairs of rankings."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from isometrics.points import OperatingPoints

if TYPE_CHECKING:
    from collections.abc import Iterator

    from isometrics.aliases import Floats

PAIRS = 300
POSITIVES, NEGATIVES = 5, 8
_SLACK = 1e-12
_BESIDE = 1e-6
"""Nearer than any crossing: those of so few counts lie at fractions of small numbers."""


class Tally(NamedTuple):
    """How many pairs there were in which one dominates, and how many contradict the claim."""

    dominating: int
    against: int


@cache
def claim(space: str, other: str) -> Tally:
    """Count pairs of rankings where the first dominates in one space and not in the other.

    Each space is asked by itself: both curves are read at equal false positive rates (ROC) or at
    equal recalls (PR).
    """
    pairs = [pair for pair in _pairs() if dominates(space, *pair)]
    return Tally(len(pairs), sum(not dominates(other, *pair) for pair in pairs))


def dominates(space: str, one: OperatingPoints, two: OperatingPoints) -> bool:
    """Tell whether the first curve lies nowhere below the second, as drawn in a space.

    Between neighbouring counts one kind of count is linear in the other, so it is enough to look
    at every count and just beside it, on both sides of a jump.
    """
    total = NEGATIVES if space == "roc" else POSITIVES
    counts = np.arange(total + 1)
    places: Floats = np.concatenate([counts, counts[:-1] + _BESIDE, counts[1:] - _BESIDE]) / total
    if space == "pr":
        places = places[places > 0]  # without a true positive there may be no precision
    heights = [getattr(points, space).interpolate(places) for points in (one, two)]
    return bool((heights[0] >= heights[1] - _SLACK).all())


def _pairs() -> Iterator[tuple[OperatingPoints, OperatingPoints]]:
    """Yield pairs of rankings with ties; in half of them the second is a worse copy."""
    rng = np.random.default_rng(32)
    labels = np.arange(POSITIVES + NEGATIVES) < POSITIVES
    for number in range(PAIRS):
        scores = rng.integers(0, 10, labels.size) + 3 * labels
        if number % 2:
            others = rng.integers(0, 10, labels.size) + 2 * labels
        else:
            others = scores - labels * rng.integers(0, 4, labels.size)
        yield (
            OperatingPoints.from_scores(labels, scores),
            OperatingPoints.from_scores(labels, others),
        )
