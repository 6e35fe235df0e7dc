"""The samples of peers.py, in files that its processes load."""

from dataclasses import dataclass
from pathlib import Path
from typing import Self

import numpy as np

FILES = ("labels.npy", "scores.npy")


@dataclass(frozen=True, slots=True)
class Sample:
    """Labels and scores in memory, and a folder for what a tool writes."""

    labels: np.ndarray
    scores: np.ndarray
    folder: Path

    @classmethod
    def load(cls, folder: Path) -> Self:
        """Read what `write_sample` wrote."""
        labels, scores = (np.load(folder / name) for name in FILES)
        return cls(labels, scores, folder)


def write_sample(folder: Path, rows: int) -> None:
    """Write scores of two normal distributions one apart, through the logistic function.

    Half of the rows are positive; there is at least one of each class.
    """
    rng = np.random.default_rng(1)
    labels = rng.random(rows) < 0.5
    labels[:2] = True, False
    scores = rng.normal(size=rows)
    scores += labels
    np.negative(scores, out=scores)
    np.exp(scores, out=scores)
    scores += 1
    np.reciprocal(scores, out=scores)
    np.save(folder / FILES[0], labels)
    np.save(folder / FILES[1], scores)
