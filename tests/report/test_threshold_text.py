"""The page prints the thresholds that Python prints."""

import numpy as np
import pytest

from isometrics._core.threshold_text import threshold_text

from .test_same_numbers import plain

SPECIAL = [
    (0.41315287, 0.4087),
    (0.99999999998, 0.9999),
    (1357.25, 20.0),
    (-1357.25, -2e4),
    (-9.9961, -20.0),
    (123456789012345678.0, 3.0),
    (5e-324, 0.0),
    (-0.0, -1.0),
    (1e22, np.nan),
    (np.inf, 0.5),
    (-np.inf, -np.inf),
    (np.nan, np.nan),
    (0.3333333333333333,),
    (0.5000001, 0.4, 0.5),
    (65520.5, 65504.0),
    (-65520.5, -np.inf),
]


def neighbours(rng, kind):
    """Draw a threshold of a type and a lower score, often the next one of that type."""
    kind = np.dtype(kind)
    words = rng.integers(0, 256, 2 * kind.itemsize, np.uint8).view(kind)
    plain_scores = (rng.random(2) ** rng.integers(1, 30)).astype(kind)
    some = words if rng.random() < 0.5 else plain_scores
    with np.errstate(all="ignore"):
        threshold = some[0] + kind.type(0)
        close = threshold - abs(threshold) * kind.type(10 ** -rng.uniform(1, 16))
        below = (np.nextafter(threshold, kind.type(-np.inf)), close, some[1])[rng.integers(3)]
    return [float(threshold), float(below)]


@pytest.fixture(scope="module")
def cases(drawn_seed):
    rng = np.random.default_rng(drawn_seed)
    drawn = [neighbours(rng, kind) for kind in ("f2", "f4", "f8") for _ in range(3000)]
    several = [
        sorted(np.float32(rng.random(3)).astype(float) if row % 2 else rng.random(3))[::-1]
        for row in range(500)
    ]
    mixed = [[rng.random() / 100 + 0.9, *np.float32(rng.random(2)).tolist()] for _ in range(500)]
    whole = [[float(rng.integers(-(2**62), 2**62) >> rng.integers(62)), -1e19] for _ in range(500)]
    return [*SPECIAL, *drawn, *several, *mixed, *whole]


def test_the_page_prints_the_same_thresholds(cases, ask):
    texts = ask("texts", [[plain(float(number)) for number in case] for case in cases])
    for case, text in zip(cases, texts, strict=True):
        assert text == threshold_text(*case), case
