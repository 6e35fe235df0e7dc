"""The compiled kernel against the plain one: the same rows, to the bit."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from isometrics._counting import compiled_kernel as fast
from isometrics._counting import native
from isometrics._counting import numpy_kernel as plain
from isometrics._counting.keys import encoding_of
from isometrics._counting.native import threads_for
from isometrics.errors import InputError
from isometrics.testing.strategies import binary_samples

from ..laws.samples import SHAPES
from .test_numpy_kernel import DTYPES, LARGEST, TINY
from .test_numpy_kernel import EXTREMES as OF_NUMPY

pytestmark = pytest.mark.usefixtures("compiled_loops", "loops_for_few")
FEWEST = native.FEWEST


@pytest.fixture(scope="module")
def loops_for_few():
    """Use the loops whatever the number of rows."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(native, "FEWEST", 1)
        yield


SMALL = {"each": 4, "slots": 16}
"""Buckets of four keys, and a hash table for four scores: short samples cross all borders."""


def check_same(one, other):
    for mine, theirs in zip(one, other, strict=True):
        assert mine.dtype == theirs.dtype
        np.testing.assert_array_equal(mine, theirs)
    assert not np.signbit(one.thresholds[one.thresholds == 0]).any()


def check_kernels(labels, scores, weights=None, **options):
    for corners in (False, True):
        expected = plain.count(labels, scores, weights, corners=corners)
        for threads in (1, 2):
            chosen = {"corners": corners, "threads": threads, **options}
            check_same(fast.count(labels, scores, weights, **chosen), expected)
            found = fast.count(labels, scores, weights, thresholds=False, **chosen)
            for mine, theirs in zip(found[1:], expected[1:], strict=True):
                np.testing.assert_array_equal(mine, theirs)
    for mine, theirs in zip(
        fast.corner_counts(labels, scores, weights),
        plain.corner_counts(labels, scores, weights),
        strict=True,
    ):
        np.testing.assert_array_equal(mine, theirs)
    encoding = encoding_of(scores)
    for threads in (1, 2):
        assert fast.encoding_of(scores, threads) == encoding
    if encoding is not None:
        expected = plain.sorted_keys(labels, scores, encoding)
        each = options.get("each", fast.ROWS_OF_A_BUCKET)
        for threads in (1, 2):
            found = fast.sorted_keys(labels, scores, encoding, threads=threads, each=each)
            np.testing.assert_array_equal(found, expected)


@given(st.booleans().flatmap(lambda ties: binary_samples(ties=ties, dtypes=DTYPES)))
@settings(max_examples=min(60, settings.default.max_examples))
def test_rows_are_those_of_the_plain_kernel(sample):
    check_kernels(*sample)
    check_kernels(*sample, **SMALL)


@given(st.sampled_from(["integer", "float"]).flatmap(
    lambda weights: binary_samples(weights=weights, dtypes=DTYPES)
))  # fmt: skip
@settings(max_examples=min(60, settings.default.max_examples))
def test_weights_are_added_up_as_by_the_plain_kernel(sample):
    labels, scores, weights = sample
    present = weights > 0
    check_kernels(labels[present], scores[present], weights[present], **SMALL)


EXTREMES = OF_NUMPY | {
    "all of float64, and the smallest": [LARGEST, -LARGEST, 1.0, -1.0, 2.0, TINY],
    "infinities, squeezed": [np.inf, -np.inf, 1.0, -1.0, -0.0, 5.0],
    "negative only": [-1.0, -2.0, -0.0, -np.inf],
    "big-endian": np.array([3.0, -7.5, 0.25], ">f8"),
    "long doubles": np.array([3.0, -7.5, 0.25], np.longdouble),
    "one value": [0.25],
}


@pytest.mark.parametrize("scores", EXTREMES.values(), ids=EXTREMES.keys())
@pytest.mark.parametrize("weighted", [False, True])
def test_extreme_scores(scores, weighted):
    scores = np.tile(np.asarray(scores), 7)
    labels = np.arange(scores.size) % 3 == 0
    weights = np.arange(1, scores.size + 1) if weighted else None
    check_kernels(labels, scores, weights)
    check_kernels(labels, scores, weights, **SMALL)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize(("share", "ends"), [(1e-4, True), (1e-4, False), (1e-3, False)])
def test_corners_where_positives_are_rare(shape, share, ends):
    """Those with the highest and the lowest score leave no room beside them."""
    generator = np.random.default_rng(3)
    labels = generator.random(70_001) < share
    scores = SHAPES[shape](generator, labels)
    labels[[np.argmin(scores), np.argmax(scores)] if ends else [0, -1]] = True
    check_kernels(labels, scores)


def test_crowded_parts():
    """Many keys in one narrow stretch of a bucket are more than insertion is good for."""
    scores = np.append(np.arange(400) // 3, [2**40])
    labels = np.arange(scores.size) % 2 == 0
    shuffled = np.random.default_rng(1).permutation(scores.size)
    weights = np.arange(1, scores.size + 1) / 7
    check_kernels(labels[shuffled], scores[shuffled], weights, each=1000)
    check_kernels(labels[shuffled], scores[shuffled], each=1000, slots=4)


def test_empty_buckets():
    keys = np.array([5, 2**40, 3, 2**40 + 2, 9, 0], np.uint64)
    fast.sort(keys, each=1)
    assert keys.tolist() == [0, 3, 5, 9, 2**40, 2**40 + 2]


@pytest.mark.parametrize("word", [np.uint32, np.uint64])
@pytest.mark.parametrize("shape", ["uniform", "one value", "outliers", "two far ends"])
@pytest.mark.parametrize("threads", [1, 2])
def test_keys_are_sorted_in_place(word, shape, threads):
    generator = np.random.default_rng(2)
    top = np.iinfo(word).max
    keys = {
        "uniform": generator.integers(0, top, 20_000, word, endpoint=True),
        "one value": np.full(20_000, top, word),
        "outliers": np.append(generator.integers(0, 3_000, 20_000, word), [word(top)]),
        "two far ends": np.append(
            np.arange(5_000, dtype=word), word(top) - np.arange(5_000, dtype=word)
        ),
    }[shape]
    expected = np.sort(keys)
    fast.sort(keys, threads=threads, each=16)
    np.testing.assert_array_equal(keys, expected)


@pytest.mark.parametrize("word", [np.uint32, np.uint64])
@pytest.mark.parametrize("later", [0, 3, 2**32 - 1], ids=["below", "one bucket", "above"])
def test_scores_that_change_while_they_are_counted_are_refused(word, later):
    """Nothing is written beyond the room for the keys, which lies within a longer array."""
    keys = np.arange(2, 4002, dtype=word)
    plan = fast.plan_of(keys, 2, 4001, 20)
    times = iter([keys, np.full_like(keys, later)])
    longer = np.zeros(3 * keys.size, word)
    room = longer[keys.size : 2 * keys.size]
    with pytest.raises(InputError, match="the scores changed while they were counted"):
        fast.spread_over(plan, lambda _: next(times), room, threads=1)
    assert not longer[: keys.size].any()
    assert not longer[2 * keys.size :].any()
    counted = np.full_like(keys, later)
    assert fast.spread_over(plan, lambda _: counted, room, threads=1).starts[-1] == keys.size


def test_the_sort_of_a_run_is_chosen_by_its_length(monkeypatch):
    keys = np.random.default_rng(0).integers(0, 2**63, FEWEST).astype(np.uint64)
    for there in (True, False):
        monkeypatch.setattr(native, "available", lambda there=there: there)
        mine = keys.copy()
        fast.sort(mine)
        np.testing.assert_array_equal(mine, np.sort(keys))


def test_bins_of_rare_positives_need_room_at_both_ends():
    top = 2**32 - 1
    assert fast.bins_of(np.array([0, 5], np.uint32)) is None
    assert fast.bins_of(np.array([top - 5, top], np.uint32)) is None
    bins = fast.bins_of(np.array([1 << 20, (1 << 20) + 9], np.uint32))
    assert bins.group.tolist() == [0, 1, 2, 2, 2, 3, 4]
    assert bins.lowest == (1 << 20) - 2


def test_threads_are_used_for_many_rows_on_two_cores(monkeypatch):
    monkeypatch.setattr("os.cpu_count", lambda: 2)
    assert threads_for(100) == 1
    assert threads_for(10**7) == 2
    monkeypatch.setattr("os.cpu_count", lambda: None)
    assert threads_for(10**7) == 1
