"""The running example of Flach & Kull (2015): counts that carry every label of their Figure 3.

The authors print the calibrated scores of all segments of their hull, in both spaces, but not the
table. No table of fewer than 47 positives has both kinds of scores. This is one of those of 50,
found by a search over the counts of each segment. The labels say nothing of the negatives behind
the last positive; their number is ours.
"""

from __future__ import annotations

from functools import cache

import numpy as np

from isometrics.points import OperatingPoints

POSITIVES, NEGATIVES = 50, 450

SEGMENTS = ((1, 0), (6, 2), (10, 25), (25, 115), (1, 18), (4, 80), (2, 70), (1, 70), (0, 70))
"""Positives and negatives in each segment of the hull, from the highest scores on."""

FOR_ACCURACY = ("1", "0.75", "0.29", "0.18", "0.053", "0.048", "0.028", "0.014", "0")
"""The labels of the ROC hull in Figure 3 (left), read from the figure's text."""

FOR_F = ("0.99", "0.76", "0.49", "0.075", "0.067", "0.034", "0.016", "0")
"""The labels of the PRG hull in Figure 3 (right), from the second segment on."""


@cache
def running_example() -> OperatingPoints:
    """Return a ranking whose hull has these segments."""
    rng = np.random.default_rng(2015)
    labels = np.concatenate([_below_its_chord(rng, *segment) for segment in SEGMENTS])
    return OperatingPoints.from_scores(labels, -np.arange(labels.size))


def _below_its_chord(
    rng: np.random.Generator, positives: int, negatives: int
) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """Return shuffled labels whose curve stays below the line from its beginning to its end.

    A shuffled row of labels is turned so that it begins where its curve is highest above the
    chord (the cycle lemma).
    """
    labels = rng.permutation(np.repeat([1, 0], [positives, negatives]))
    # Integers, so that equal heights are equal.
    above = np.cumsum(labels * negatives - (1 - labels) * positives)
    return np.roll(labels, -1 - int(np.argmax(above)))
