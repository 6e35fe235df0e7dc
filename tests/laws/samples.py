"""Samples of any length, drawn by a seed: hypothesis draws the numbers, NumPy the rows."""

import os
from collections.abc import Callable

import numpy as np
from hypothesis import strategies as st

LONGEST = 40_000
SEED = int(os.environ["ISOMETRICS_SEED"])
"""New in every run, whose end prints it."""

Scores = Callable[[np.random.Generator, np.ndarray], np.ndarray]

SHAPES: dict[str, Scores] = {
    "distinct": lambda rng, labels: rng.normal(labels),
    "probabilities": lambda rng, labels: 1 / (1 + np.exp(-3 * rng.normal(labels))),
    "float32": lambda rng, labels: rng.normal(labels).astype(np.float32),
    "rounded": lambda rng, labels: rng.normal(labels).round(2),
    "few values": lambda rng, labels: rng.integers(0, 9, labels.size) / 8,
    "one value": lambda rng, labels: np.full(labels.size, rng.normal()),
    "long ties": lambda rng, labels: np.where(
        rng.random(labels.size) < 0.4, 0.5, rng.normal(labels)
    ),
    "sorted": lambda rng, labels: np.sort(rng.normal(labels)),
    "integers": lambda rng, labels: rng.integers(-(2**40), 2**40, labels.size),
    "outliers": lambda rng, labels: (
        rng.integers(0, 2**10, labels.size) << rng.choice([0, 0, 0, 9, 20, 41], labels.size)
    ),
    "specials": lambda rng, labels: rng.choice(
        [np.inf, -np.inf, 0.0, -0.0, 5e-324, -1e300, 1e308, *rng.normal(size=5)], labels.size
    ),
}
TIED = ("rounded", "few values", "one value")

WEIGHTS: dict[str, Callable[[np.random.Generator, int], np.ndarray]] = {
    "integer": lambda rng, size: rng.integers(0, 4, size),
    "float": lambda rng, size: np.where(
        rng.random(size) < 0.1, 0.0, rng.random(size) * 2.0 ** rng.integers(-10, 10, size)
    ),
}


def sample_of(
    seed: int, rows: int, shape: str, prevalence: float, weights: str | None
) -> tuple[np.ndarray, ...]:
    """Return labels, scores and perhaps weights; both classes have some weight."""
    rng = np.random.default_rng([SEED, seed])
    labels = rng.random(rows) < prevalence
    one, other = rng.choice(rows, 2, replace=False)
    labels[one], labels[other] = True, False
    scores = SHAPES[shape](rng, labels)
    if weights is None:
        return labels, scores
    given = WEIGHTS[weights](rng, rows)
    given[[one, other]] += 1
    return labels, scores, given


@st.composite
def lengths(draw: st.DrawFn, longest: int) -> int:
    """Draw numbers of rows of every magnitude, from 2 on.

    Hypothesis tries what it takes for simple first, which are long samples here.
    """
    bits = longest.bit_length() - draw(st.integers(0, longest.bit_length() - 2))
    return min(draw(st.integers(2 ** (bits - 1), 2**bits)), longest)


def drawn(
    weights: str | None,
    *,
    rows: st.SearchStrategy[int] | None = None,
    longest: int = LONGEST,
    shapes: tuple[str, ...] = tuple(SHAPES),
    prevalences: tuple[float, ...] = (0.5, 0.1, 0.01, 0.9),
) -> st.SearchStrategy[tuple[np.ndarray, ...]]:
    return st.builds(
        sample_of,
        seed=st.integers(0, 2**32 - 1),
        rows=lengths(longest) if rows is None else rows,
        shape=st.sampled_from(shapes),
        prevalence=st.sampled_from(prevalences),
        weights=st.just(weights),
    )
