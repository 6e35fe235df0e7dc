"""Aligned intervals of keys: counts of rows, and of several samples together."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from isometrics.sources.dyadic import DyadicCounts, joined, nothing, of_rows

WORD = np.dtype(np.uint64)
keys_of_any_size = st.integers(1, 40) | st.integers(1, 2**64 - 1)
rows = st.lists(st.tuples(keys_of_any_size, st.booleans(), st.integers(1, 5)), max_size=30)


def arrays(drawn):
    keys, labels, weights = zip(*drawn, strict=True) if drawn else ((), (), ())
    return np.array(keys, WORD), np.array(labels, bool), np.array(weights, np.int64)


def coarser(counts, levels):
    """Let intervals grow by some levels each, and join those that then overlap."""
    more = np.minimum(counts.levels + np.resize(levels, counts.size), 63).astype(np.uint8)
    starts = counts.starts >> more.astype(WORD) << more.astype(WORD)
    parts = [
        DyadicCounts(starts[row : row + 1], more[row : row + 1], *(c[row : row + 1] for c in rest))
        for rest in [counts[2:]]
        for row in range(counts.size)
    ]
    return joined(nothing(WORD), *parts)


def by_hand(drawn):
    found = {}
    for key, label, weight in drawn:
        positives, negatives = found.get(key, (0, 0))
        found[key] = (positives + weight * label, negatives + weight * (not label))
    return dict(sorted(found.items()))


def check(counts):
    """Intervals are aligned, in order and apart."""
    sizes = 1 << counts.levels.astype(object)
    starts = counts.starts.astype(object)
    assert all(start % size == 0 for start, size in zip(starts, sizes, strict=True))
    assert (counts.ends.astype(object) == starts + sizes - 1).all()
    assert (counts.starts[1:] > counts.ends[:-1]).all()


@given(rows)
def test_rows_are_counted_key_by_key(drawn):
    keys, labels, weights = arrays(drawn)
    counts = of_rows(keys, labels, weights)
    expected = by_hand(drawn)
    assert counts.exact
    assert counts.starts.tolist() == list(expected)
    assert list(zip(counts.positives.tolist(), counts.negatives.tolist(), strict=True)) == list(
        expected.values()
    )
    assert counts.nbytes == counts.size * (8 + 1 + 8 + 8)
    ones = of_rows(keys, labels)
    assert ones.positives.sum() == labels.sum()
    assert (ones.positives + ones.negatives).sum() == keys.size


@given(
    rows, rows, st.lists(st.integers(0, 64), min_size=1), st.lists(st.integers(0, 64), min_size=1)
)
def test_samples_together(one, other, some, more):
    parts = [coarser(of_rows(*arrays(one)), some), coarser(of_rows(*arrays(other)), more)]
    for part in parts:
        check(part)
    both = joined(*parts)
    check(both)
    everything = by_hand(one + other)
    starts, ends = both.starts.astype(object), both.ends.astype(object)
    for row in range(both.size):
        inside = [v for key, v in everything.items() if starts[row] <= key <= ends[row]]
        assert both.positives[row] == sum(positives for positives, _ in inside)
        assert both.negatives[row] == sum(negatives for _, negatives in inside)
    # No interval is larger than it must be: each is one of those that were given.
    given_intervals = {
        (start, level)
        for part in parts
        for start, level in zip(part.starts.tolist(), part.levels.tolist(), strict=True)
    }
    assert set(zip(both.starts.tolist(), both.levels.tolist(), strict=True)) <= given_intervals
    assert int(both.positives.sum() + both.negatives.sum()) == sum(row[2] for row in one + other)


def test_nothing():
    none = nothing(WORD)
    assert none.size == 0
    assert none.exact
    assert joined(none, none).size == 0
