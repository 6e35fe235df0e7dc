"""Two classes from many: the rarer side is positive."""

from collections import Counter

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from isometrics_studies.ranking.datasets import (
    MAJORITY,
    MEAN,
    NATIVE,
    binarise_classes,
    binarise_numbers,
)

CLASSES = st.lists(st.sampled_from("abcd"), min_size=2, max_size=30)
NUMBERS = st.lists(st.integers(-50, 50), min_size=2, max_size=30)


@given(CLASSES)
def test_the_largest_class_stands_against_the_rest(classes):
    positive, rule = binarise_classes(classes)
    counts = Counter(classes)
    largest = min(counts, key=lambda name: (-counts[name], name))
    sides = {
        name: {bool(p) for c, p in zip(classes, positive, strict=True) if c == name}
        for name in counts
    }
    assert all(len(side) == 1 for side in sides.values())
    rest = {side for name, side_of in sides.items() if name != largest for side in side_of}
    assert rest <= {not next(iter(sides[largest]))}
    assert rule == (NATIVE if len(counts) <= 2 else MAJORITY)
    assert 2 * positive.sum() <= len(classes)


def test_of_equal_sides_the_largest_class_is_negative():
    assert binarise_classes(["a", "a", "b", "c"]).positive.tolist() == [False, False, True, True]
    assert binarise_classes(["b", "a"]).positive.tolist() == [True, False]


@given(NUMBERS)
def test_numbers_are_split_at_their_mean(numbers):
    positive, rule = binarise_numbers(numbers)
    below = np.array([number * len(numbers) < sum(numbers) for number in numbers])
    assert rule == MEAN
    assert (positive == below).all() or (positive == ~below).all()
    assert 2 * positive.sum() <= len(numbers) or below.sum() == 0
    if 2 * below.sum() == len(numbers):
        assert (positive == ~below).all()
