"""Bins cover all keys in order, and their counts are exact at every border."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from isometrics._counting import bins as bins_module
from isometrics._counting.bins import FEWEST_BINS, MOST_BINS, BinCounts, bins_for, plan_bins
from isometrics._counting.keys import Order, order_of
from isometrics._counting.tally import Tally

WORDS = {"uint32": 2**32 - 1, "uint64": 2**64 - 1}


@st.composite
def planned(draw):
    """Draw the keys that a plan is made on, and those that are then counted."""
    word = draw(st.sampled_from(list(WORDS)))
    most = WORDS[word]
    near = draw(st.integers(0, most))
    key = (
        st.integers(0, most)
        | st.sampled_from([0, 1, most - 1, most])
        | st.integers(max(near - 100, 0), min(near + 100, most))
    )
    keys = st.lists(key, min_size=1, max_size=30)
    first = [np.array(draw(keys), word) for _ in range(2)]
    return first, np.array(draw(keys), word), draw(st.integers(4, 300))


def counted(positives, negatives):
    keys = np.concatenate([positives, negatives])
    return Tally.from_rows(order_of_word(keys), keys, np.arange(keys.size) < positives.size)


def order_of_word(keys):
    """Return an order whose keys are of this type."""
    return Order(np.dtype(np.float32 if keys.dtype == np.uint32 else np.float64))


@given(planned())
def test_every_key_lies_between_the_edges_of_its_bin(drawn):
    (positives, negatives), others, most = drawn
    plan = plan_bins(counted(positives, negatives), most)
    assert plan.size <= most
    planned_keys = np.concatenate([positives, negatives])
    keys = np.sort(np.concatenate([planned_keys, others]))
    bins = plan.bins(keys)
    assert (np.diff(bins) >= 0).all()
    assert ((bins >= 0) & (bins < plan.size)).all()
    assert plan.lowest <= planned_keys.min()
    assert planned_keys.max() <= plan.highest
    every = np.arange(plan.size)
    edges, ends = (end.astype(object) for end in plan.ends(every))
    sizes = ends - edges + 1
    assert all(size.bit_count() == 1 for size in sizes)
    # Bins are aligned and follow each other without gaps.
    assert (edges % sizes == 0).all()
    assert edges[0] == plan.lowest
    assert (edges[1:] == edges[:-1] + sizes[:-1]).all()
    assert edges[-1] + sizes[-1] - 1 == plan.highest <= WORDS[plan.word.name]
    for key, place in zip(keys.tolist(), bins.tolist(), strict=True):
        # What lies outside of the plan is in its first or last bin.
        assert edges[place] <= key or (place == 0 and key < plan.lowest)
        assert key < edges[place] + sizes[place] or key > plan.highest
    inside = np.clip(keys.astype(object), plan.lowest, plan.highest)
    assert plan.cells(keys, 3).tolist() == [(key - plan.lowest) >> 3 for key in inside]
    assert plan.nbytes > 0


@given(planned(), st.randoms())
def test_an_interval_stays_in_one_bin(drawn, random):
    (positives, negatives), _, most = drawn
    seen = counted(positives, negatives)
    first = [0, *(place for place in range(1, seen.size) if random.random() < 0.6)]
    seen = seen.join(np.array(first)).align()
    if seen.levels.max() < seen.order.bits:
        plan = plan_bins(seen, most)
        np.testing.assert_array_equal(plan.bins(seen.lo), plan.bins(seen.hi))
        assert plan.size <= most


@given(planned())
def test_bins_without_rows(drawn):
    (positives, negatives), _, most = drawn
    seen = counted(positives, negatives)
    plan = plan_bins(seen, most)
    empty = plan.bins_without(seen)
    assert empty.size == plan.size
    assert not empty[plan.bins(seen.lo)].any()
    # Parts are empty as a whole; where all parts have rows no bin is left out.
    parts = plan.cut.whole(np.arange(plan.size))
    filled = set(parts[plan.bins(seen.lo)].tolist())
    np.testing.assert_array_equal(empty, [part not in filled for part in parts.tolist()])


def test_bins_go_where_both_classes_are():
    random = np.random.default_rng(1)
    negatives, positives = random.random(20_000), 0.75 + random.random(200) / 8
    order = order_of(np.dtype(np.float64))
    plan = plan_bins(counted(order.keys(positives), order.keys(negatives)), 4096)
    edges = order.scores(plan.ends(np.arange(plan.size))[0])
    assert plan.size > 2048
    dense = np.count_nonzero((edges >= 0.75) & (edges < 0.875))
    assert dense > 3 * np.count_nonzero((edges >= 0.5) & (edges < 0.625))


@pytest.mark.parametrize("dtype", ["float32", "float64", "int64", "uint64"])
def test_scores_from_end_to_end_of_their_type(dtype):
    info = np.finfo(dtype) if dtype.startswith("f") else np.iinfo(dtype)
    ends = [float("-inf"), float("inf")] if dtype.startswith("f") else []
    scores = np.array([info.min, *ends, 0, 1, info.max], dtype)
    keys = order_of(scores.dtype).keys(scores)
    for first in (keys, keys[:1], keys[-1:], keys[3:5]):
        plan = plan_bins(counted(first, first))
        found = plan.bins(np.sort(keys))
        assert (np.diff(found) >= 0).all()
        assert found[-1] < plan.size


@pytest.mark.parametrize(
    ("tolerance", "bins"),
    [(0.5, FEWEST_BINS), (1e-3, FEWEST_BINS), (1e-4, 160_000), (1e-9, MOST_BINS),
     (1e-300, MOST_BINS)],
)  # fmt: skip
def test_a_small_tolerance_has_many_bins(tolerance, bins):
    assert bins_for(tolerance) == bins


@given(planned(), st.integers(1, 5), st.integers(1, 40))
def test_counts_of_bins_are_exact(drawn, chunk, buffer):
    (positives, negatives), others, most = drawn
    plan = plan_bins(counted(positives, negatives), most)
    keys = np.concatenate([positives, negatives, others])
    labels = np.arange(keys.size) % 3 > 0
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(bins_module, "_BUFFER", buffer)
        counts = BinCounts(order_of_word(keys), plan)
        counts.append(keys[:0], labels[:0])  # batches may be empty
        for start in range(0, keys.size, chunk):
            counts.append(keys[start : start + chunk], labels[start : start + chunk])
    tally = counts.tally()
    assert (tally.lo[0], tally.hi[-1]) == (keys.min(), keys.max())
    bins = plan.bins(keys)
    assert plan.bins(tally.lo).tolist() == sorted(set(bins.tolist()))
    for place, number in enumerate(plan.bins(tally.lo)):
        assert tally.positives[place] == np.count_nonzero(labels & (bins == number))
        assert tally.negatives[place] == np.count_nonzero(~labels & (bins == number))
        inside = (tally.lo[place] <= keys) & (keys <= tally.hi[place])
        np.testing.assert_array_equal(inside, bins == number)


def test_counting_twice_adds_nothing():
    keys = np.arange(4, dtype=np.uint64)
    counts = BinCounts(order_of_word(keys), plan_bins(counted(keys, keys)))
    counts.append(keys, keys < 1)
    for _ in range(2):
        assert counts.tally().totals == (1, 3)
