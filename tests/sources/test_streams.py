"""Streams in constant memory: bounds hold the exact areas, however rows arrive and are merged."""

import copy
import io
import math
import pickle
import warnings
from fractions import Fraction
from functools import reduce
from operator import add

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import isometrics as iso
from isometrics._counting.bins import GrowingTally
from isometrics._counting.keys import order_of
from isometrics.errors import (
    EmptyInputError,
    LabelError,
    LengthError,
    MissingValueError,
    NotAnswerableError,
    OneClassError,
    ParameterError,
    ScoreError,
    UndefinedWarning,
    WeightError,
)
from isometrics.measures import Shown, measures_of, registered
from isometrics.sources import streams as stream
from isometrics.testing.reference import Curve
from isometrics.testing.strategies import binary_samples

from ..tables import AREAS, areas_of

MEASURES = tuple(each.name for each in registered(Shown.SUMMARY))


TYPES = ("float16", "float32", "float64", "int8", "uint32")
samples = binary_samples(max_size=50, dtypes=TYPES) | binary_samples(
    max_size=50, ties=False, dtypes=TYPES
)
batch_sizes = st.integers(1, 30)
few_bins = st.integers(4, 40)


def accumulator(bins):
    """Return an accumulator of so few bins that it would not be allowed."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(stream, "BYTES_OF_A_BIN", 4000 // bins)
        return iso.Accumulator(4000)


def feed(into, labels, scores, size, weights=None):
    for start in range(0, labels.size, size):
        rows = slice(start, start + size)
        into.update(
            labels[rows], scores[rows], sample_weight=None if weights is None else weights[rows]
        )
    return into


def exact_areas(labels, scores, weights=None):
    """Return all areas in exact arithmetic, or to 15 digits more than floats have."""
    curve = Curve.of_scores(labels, scores, weights)
    areas = {
        "AUROC": curve.roc_area(),
        "AUPR": curve.pr_area(),
        "average precision": curve.pr_area("average-precision"),
        "AUPR, linear": curve.pr_area("linear"),
        "AUPR, integer steps": curve.pr_area("integer-steps"),
        "AUPR, max precision": curve.pr_area("max-precision"),
        "AUPR, normalised": curve.normalised_pr_area(),
        "AUPRG": curve.prg_area(),
        "expected F1 gain": curve.expected_f_gain(),
        "expected accuracy": curve.expected_accuracy(),
    }
    assert areas.keys() == AREAS.keys()
    return areas


def quietly(function):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UndefinedWarning)
        return function()


def inside(area, lo, hi):
    if not isinstance(area, Fraction):
        area = Fraction(*map(int, mpmath.libmp.to_rational(area._mpf_)))
    return (lo == -math.inf or Fraction(lo) <= area) and area <= Fraction(hi)


def check(found, labels, scores, weights=None):
    """Rows are those of the full table; every bracket holds the exact area."""
    full = iso.OperatingPoints.from_scores(labels, scores, sample_weight=weights)
    points = found.points()
    assert (len(found), found.positives, found.negatives) == (
        labels.size if weights is None else np.count_nonzero(weights),
        full.positives,
        full.negatives,
    )
    if found.exact:
        assert points.table == full.table
        return
    assert not points.table.has_hull
    assert (np.diff(points.thresholds[1:]) < 0).all()
    there = full.at(points.thresholds[1:])
    np.testing.assert_array_equal(points.tp[1:], there.tp)
    np.testing.assert_array_equal(points.fp[1:], there.fp)
    assert points.thresholds[-1] == full.thresholds[-1]
    # Rows are missing between two neighbours only where that is said.
    place = np.searchsorted(-full.thresholds[1:], -points.thresholds[1:], "right")
    assert (points.table.gaps.between | (np.diff(place, prepend=0) <= 1)).all()
    brackets = found.brackets()
    for name, area in exact_areas(labels, scores, weights).items():
        assert area is None or inside(area, *brackets[name]), name
    lo, hi = brackets["tradeoff area"]
    assert lo <= full.tradeoff().area() <= hi


# ---------------------------------------------------------------------- rows arrive in any way


@given(samples, batch_sizes, few_bins, st.sampled_from([0, 1, -1]))
def test_any_sample_in_any_batches(sample, size, bins, way):
    """Sorted ones too, from below or from above."""
    labels, scores = sample
    order = np.argsort(scores, kind="stable")[::way] if way else np.arange(labels.size)
    check(feed(accumulator(bins), labels[order], scores[order], size), labels, scores)


@given(binary_samples(max_size=60, weights="integer", dtypes=TYPES), batch_sizes, few_bins)
def test_whole_weights(sample, size, bins):
    labels, scores, weights = sample
    check(feed(accumulator(bins), labels, scores, size, weights), labels, scores, weights)


@settings(max_examples=60)
@given(samples, samples, batch_sizes, few_bins, few_bins)
def test_merging_is_like_seeing_all_rows(one, other, size, bins, more):
    both = tuple(map(np.concatenate, zip(one, other, strict=True)))
    first, second = feed(accumulator(bins), *one, size), feed(accumulator(more), *other, size)
    was = second.state()
    first.merge(second)
    check(first, *both)
    for name, array in second.state().items():
        np.testing.assert_array_equal(array, was[name])
    # The merged one goes on.
    feed(first, *one, size)
    check(first, *(np.concatenate([each, again]) for each, again in zip(both, one, strict=True)))


@settings(max_examples=50)
@given(st.lists(samples, min_size=2, max_size=4), few_bins, st.randoms(use_true_random=False))
def test_any_order_of_merges(parts, bins, random):
    everything = tuple(map(np.concatenate, zip(*parts, strict=True)))
    streams = [feed(accumulator(bins), *part, 7) for part in parts]
    random.shuffle(streams)
    check(reduce(add, streams), *everything)
    check(sum(streams), *everything)
    assert sum(map(len, streams)) == everything[0].size  # none of them has changed


def noisy(size, seed, prevalence=0.3):
    random = np.random.default_rng(seed)
    labels = random.random(size) < prevalence
    return labels, 1 / (1 + np.exp(-random.normal(2.0 * labels)))


@pytest.mark.parametrize(
    ("prevalence", "way", "bounds"),
    [
        (0.5, None, 1.5e-4), (0.1, None, 3e-4), (0.01, None, 2.5e-3), (0.001, None, 0.05),
        (0.01, 1, 2.5e-3), (0.01, -1, 2.5e-3),
    ],
)  # fmt: skip
def test_the_width_of_bounds(prevalence, way, bounds):
    """What is said for 16 MB and 1e7 rows, at a twentieth of both: here bins are 20 rows."""
    labels, scores = noisy(400_000, 5, prevalence)
    if way is not None:
        order = np.argsort(scores)[::way]
        labels, scores = labels[order], scores[order]
    result = feed(iso.Accumulator(800_000), labels, scores, 30_000)
    assert not result.exact
    assert result.nbytes <= 800_000
    brackets = result.brackets()
    for name, area in areas_of(iso.OperatingPoints.from_scores(labels, scores)).items():
        assert brackets[name].lo <= area <= brackets[name].hi, name
    assert brackets.width.max() <= bounds


def test_memory_is_bounded():
    random = np.random.default_rng(2)
    for max_bytes in (1000, 10_000, 200_000):
        result = iso.Accumulator(max_bytes)
        for batch in range(60):
            scores = random.normal(size=500) * 10.0 ** random.integers(-300, 300)
            result.update(random.random(500) < 0.5, scores)
            assert result.nbytes <= max_bytes, batch


# ---------------------------------------------------------------------- special scores


def test_infinite_scores_and_zeros():
    inf = math.inf
    labels = np.tile([True, False, False], 30)
    scores = np.tile([inf, -inf, 0.0, -0.0, 5e-324, 1e308, -1e308, 1.0, -1.0], 10)
    noise = np.random.default_rng(1).normal(size=200)
    labels = np.concatenate([labels, noise > 0.3])
    scores = np.concatenate([scores, noise])
    for bins in (4, 8, 30, 1000):
        result = feed(accumulator(bins), labels, scores, 17)
        check(result, labels, scores)
        assert result.exact == (bins == 1000)


def test_a_frequent_score_among_others_is_no_doubt():
    """Half of all rows have one score; they are tied, not unknown."""
    random = np.random.default_rng(1)
    labels = random.random(20_000) < 0.4
    scores = np.maximum(random.normal(size=20_000) + labels, 0.5)
    result = feed(iso.Accumulator(100_000), labels, scores, 1000)
    assert not result.exact
    assert result.brackets()["AUROC"].width < 1e-3
    assert 0.5 in result.points().thresholds


def test_types_are_compared_as_float64():
    result = iso.Accumulator()
    result.update([1, 0], np.array([0.1, 0.5], np.float32))
    result.update([True, False], [3, 2**53])
    result.update(np.array([-1, 1]) > 0, np.array([1, 0], np.float16))
    result.update([1.0], [0.1])
    assert result.points().thresholds.tolist() == [
        math.inf, 2**53, 3, 1, 0.5, float(np.float32(0.1)), 0.1, 0,
    ]  # fmt: skip


# ---------------------------------------------------------------------- what is refused


def test_scores_that_float64_does_not_hold():
    result = iso.Accumulator()
    with pytest.raises(ScoreError, match=r"^y_score has whole numbers beyond 2\*\*53.*position 1$"):
        result.update([1, 0], [1, 2**53 + 1])
    with pytest.raises(ScoreError, match="whole numbers beyond"):
        result.update([1, 0], np.array([1, 2**64 - 1], np.uint64))
    if np.finfo(np.longdouble).nmant > 52:
        exact, lost = np.array([0.5, 0.25], np.longdouble), np.array([1, 3], np.longdouble) / 7
        result.update([1, 0], exact)
        with pytest.raises(ScoreError, match=r"^y_score has long doubles that do not fit"):
            result.update([1, 0], lost)
        assert len(result) == 2


@pytest.mark.parametrize(
    ("labels", "scores", "error"),
    [
        ([1, 0], [0.1], LengthError),
        ([1, None], [0.1, 0.2], MissingValueError),
        ([1, 0], [0.1, math.nan], MissingValueError),
        ([1, 2], [0.1, 0.2], LabelError),
        ([], [0.1], LengthError),
        ([1], ["a"], ScoreError),
    ],
)
def test_a_bad_batch_changes_nothing(labels, scores, error):
    result = iso.Accumulator()
    result.update([1, 0], [0.9, 0.1])
    before = result.points()
    with pytest.raises(error):
        result.update(labels, scores)
    assert result.points() == before
    assert len(result) == 2


def test_labels_are_the_same_in_all_batches():
    result = iso.Accumulator()
    result.update([1, 0], [0.9, 0.1])
    with pytest.raises(LabelError, match=r"^the stream has labels besides 1 and 0, such as -1"):
        result.update([1, -1], [0.9, 0.1])
    result.update([True, False], [0.9, 0.1])
    named = iso.Accumulator(pos_label="yes")
    named.update(["yes", "yes"], [0.9, 0.1])
    named.update(["no"], [0.9])
    with pytest.raises(LabelError, match="besides 'yes' and 'no', such as 'maybe'"):
        named.update(["maybe", "yes"], [0.9, 0.1])
    with pytest.raises(LabelError, match="not among the labels"):
        named.update(["no", "maybe"], [0.9, 0.1])
    assert (len(named), named.positives) == (3, 2)
    with pytest.raises(LabelError, match="must be one value"):
        iso.Accumulator(pos_label=["yes"])


def test_weights_of_a_stream():
    result = iso.Accumulator()
    with pytest.raises(WeightError, match="must be whole numbers of an integer type"):
        result.update([1, 0], [0.9, 0.1], sample_weight=[1.0, 0.5])
    result.update([1, 0], [0.9, 0.1], sample_weight=[0, 0])
    assert len(result) == 0
    result.update([1, 0], [0.9, 0.1], sample_weight=[2**51, 1])
    with pytest.raises(WeightError, match=r"add up to more than 2\*\*53"):
        result.update([1, 0, 0], [0.9, 0.1, 0.2], sample_weight=[2**52, 2**51, 2**51])
    assert result.positives == 2**51


def test_empty_and_one_class_streams():
    result = iso.Accumulator()
    assert bool(result)
    assert result.exact
    with pytest.raises(EmptyInputError, match=r"^the stream has no rows yet; call update"):
        result.points()
    assert result.update([], []) is result
    assert repr(result).startswith("Accumulator: 0 rows, 0 positives, 0 negatives; exact, 0 ")
    result.update([0, 0], [0.5, 0.1])
    for ask in (result.points, result.brackets):
        with pytest.raises(OneClassError, match=r"^the stream has only negatives"):
            ask()
    binned = feed(accumulator(4), np.ones(90, bool), np.linspace(0, 1, 90), 10)
    assert "AUROC" not in repr(binned)
    with pytest.raises(OneClassError, match="only positives"):
        binned.brackets()
    binned.reset()
    assert len(binned) == 0
    binned.update([-1, 1], [0.1, 0.5])  # other labels than before


def test_merges_that_are_refused():
    result = iso.Accumulator()
    result.update([1, 0], [0.9, 0.1])
    with pytest.raises(ParameterError, match=r"^merge.. takes another Accumulator"):
        result.merge(result.points())
    with pytest.raises(ParameterError, match="different positive labels cannot be merged: None"):
        result.merge(iso.Accumulator(pos_label="a"))
    other = iso.Accumulator()
    other.update([1, -1], [0.9, 0.1])
    with pytest.raises(LabelError, match="besides 1 and 0, such as -1"):
        result.merge(other)
    result.merge(iso.Accumulator())
    assert len(result) == 2
    with pytest.raises(TypeError):
        result + 1
    with pytest.raises(TypeError):
        1 + result


# ---------------------------------------------------------------------- what a table of bins does


@pytest.fixture(scope="module")
def binned():
    labels, scores = noisy(5000, 3)
    return feed(iso.Accumulator(20_000), labels, scores, 500), labels, scores


def test_the_best_threshold_is_that_of_the_borders(binned):
    result, labels, scores = binned
    points = result.points()
    best = iso.best_threshold(points)
    full = iso.OperatingPoints.from_scores(labels, scores)
    assert full.at([best.threshold]).tp[0] == best.tp
    assert best.f <= iso.best_threshold(full).f
    assert best.f == points.f()[1:].max()


def test_what_lies_inside_bins_is_refused(binned):
    points = binned[0].points()
    for ask in (points.roc.area, lambda: iso.best_threshold(points, min_recall=0.5)):
        with pytest.raises(NotAnswerableError, match=r"^a table with rows at the borders of bins"):
            ask()
    assert "rows of a longer table" in repr(points)


def test_a_summary_has_bounds_of_all_measures(binned):
    result = binned[0]
    measures = measures_of(result.points())
    brackets = result.brackets()
    assert tuple(measures) == MEASURES == brackets.names
    assert all(measures[name] == brackets[name] for name in MEASURES)
    assert measures["tradeoff area"].width > 1e-9


def test_printouts(binned):
    found = binned[0]
    said = repr(found)
    assert said.startswith("Accumulator: 5,000 rows, ")
    assert f"; {found._counts.tally().size:,} bins, " in said
    width = float(said.rpartition(" ")[2])
    assert width == pytest.approx(found.brackets()["AUROC"].width, rel=1e-4)
    brackets = found.brackets()
    assert repr(brackets).startswith("AreaBrackets: 11 areas, bounds at most ")
    assert len(brackets) == len(brackets.to_frame("pandas")) == 11
    with pytest.raises(ParameterError, match=r"^the name of an area must be one of 'AUROC'"):
        brackets["auc"]


# ---------------------------------------------------------------------- other processes


@given(samples, few_bins, st.booleans())
def test_a_state_is_all_that_was_seen(sample, bins, more):
    result = feed(accumulator(bins), *sample, 8)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(stream, "BYTES_OF_A_BIN", 4000 // bins)
        twin = iso.Accumulator.from_state(result.state())
        if more:
            twin.merge(result)
            check(twin, *(np.concatenate([part, part]) for part in sample))
            return
    assert twin.points() == result.points()
    assert len(twin) == len(result)
    feed(twin, *sample, 8)
    check(twin, *(np.concatenate([part, part]) for part in sample))


@pytest.mark.parametrize("pos_label", ["yes", 3, True, 2.5])
def test_a_state_in_a_file(pos_label):
    result = iso.Accumulator(pos_label=pos_label)
    other = "no" if pos_label == "yes" else 7
    result.update([pos_label, other], [0.9, 0.1])
    file = io.BytesIO()
    np.savez(file, **result.state())
    file.seek(0)
    with np.load(file, allow_pickle=False) as arrays:
        twin = iso.Accumulator.from_state(arrays)
    twin.update([other], [0.3])
    assert twin.points().tp.tolist() == [0, 1, 1, 1]
    with pytest.raises(LabelError):
        twin.update([pos_label, "third" if other == "no" else 8], [0.1, 0.2])


def test_copies_are_independent(binned):
    result = binned[0]
    for twin in (copy.copy(result), copy.deepcopy(result), pickle.loads(pickle.dumps(result))):
        assert twin.points() == result.points()
        twin.update([1], [0.5])
        assert len(twin) == len(result) + 1
    empty = pickle.loads(pickle.dumps(iso.Accumulator()))
    assert len(empty) == 0


def damaged(**changes):
    result = iso.Accumulator()
    result.update([1, 0, 1], [0.9, 0.5, 0.1])
    return {name: part for name, part in (result.state() | changes).items() if part is not None}


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"starts": None}, "'starts' is missing"),
        ({"max_bytes": None}, "'max_bytes' is missing"),
        ({"rows": np.arange(3)}, "'rows' is not one whole number"),
        ({"rows": "many"}, "'rows' is not one whole number"),
        ({"rows": -5}, "'rows' is not one whole number"),
        ({"rows": True}, "'rows' is not one whole number"),
        ({"rows": 3.0}, "'rows' is not one whole number"),
        ({"rows": 2}, "'rows' is 2, which its counts contradict"),
        ({"rows": 4}, "'rows' is 4, which its counts contradict"),
        ({"max_bytes": "16MB"}, "'max_bytes' is not one whole number"),
        ({"max_bytes": -16_000_000}, "'max_bytes' is not one whole number"),
        ({"pos_label": np.arange(2)}, "'pos_label' is not one truth value, number or text"),
        ({"pos_label": math.nan}, "'pos_label' is not one truth value, number or text"),
        ({"pos_label": object()}, "'pos_label' is not one truth value, number or text"),
        ({"negative_label": 1}, "1 is the label of both classes"),
        ({"pos_label": "a", "negative_label": "a"}, "'a' is the label of both classes"),
        ({"starts": [[1], [2, 3]]}, "'starts' is not an array"),
        ({"levels": np.zeros(3)}, "'levels' is not an array of uint8"),
        ({"positives": np.zeros(2, np.int64)}, "'positives' is not an array"),
        ({name: np.zeros((1, 1), dtype) for name, dtype in
          (("starts", "u8"), ("levels", "u1"), ("positives", "i8"), ("negatives", "i8"))},
         "not one-dimensional"),
        ({"lowest": np.array(0.5)}, "'lowest' is not one whole number"),
        ({"lowest": -5}, "'lowest' is not one whole number"),
        ({"starts": np.zeros(0, "u8"), "levels": np.zeros(0, "u1"), "rows": 0,
          "positives": np.zeros(0, "i8"), "negatives": np.zeros(0, "i8")},
         "a lowest key but no intervals"),
        ({"levels": np.full(3, 64, np.uint8)}, "larger than all keys"),
        ({"levels": np.full(3, 50, np.uint8)}, "multiples of their sizes"),
        ({"starts": np.full(3, 2**62, np.uint64)}, "overlap"),
        ({"positives": np.full(3, -1)}, "counts are not positive"),
        ({"positives": np.zeros(3, np.int64)}, "counts are not positive"),
        ({"negatives": np.array([0, 2**53, 0])}, r"more than 2\*\*53"),
        ({"negatives": np.full(3, 2**63 - 1)}, r"more than 2\*\*53"),
        ({"lowest": np.array(5, np.uint64)}, "those of no score"),
        ({"starts": np.array([1, 2, 3], np.uint64), "lowest": np.array(1)}, "those of no score"),
    ],
)  # fmt: skip
def test_states_that_are_refused(changes, said):
    with pytest.raises(ParameterError, match=said) as refused:
        iso.Accumulator.from_state(damaged(**changes))
    assert "accumulator" in str(refused.value)


def test_states_and_budgets_that_no_accumulator_has():
    for state in (None, 5, "state", [("rows", 3)]):
        with pytest.raises(ParameterError, match=r"^this is not the state of an acc.*: it is a"):
            iso.Accumulator.from_state(state)
    for size, said in ((2**63 - 1, "at most"), (23 * 10**16, "at most"), (999, "at least 1000")):
        for make in (iso.Accumulator, lambda b: iso.Accumulator.from_state(damaged(max_bytes=b))):
            with pytest.raises(ParameterError, match=f"^max_bytes must be {said}.* but is {size}"):
                make(size)
    for size in (0, "a lot", True, None, -5):
        with pytest.raises(ParameterError, match=r"^max_bytes must be"):
            iso.Accumulator(size)
    with pytest.raises(ParameterError, match="cannot be stored as an array"):
        iso.Accumulator(pos_label=tuple).state()


HOSTILE = st.one_of(
    st.none(),
    st.integers(-(2**70), 2**70),
    st.sampled_from([0, 1, 3, 4, 1000, 2**53, 2**63 - 1, 2**63, 2**64 - 1]),
    st.floats(),
    st.booleans(),
    st.text(max_size=3),
    st.just([[1], [2, 3]]),
    st.builds(
        lambda values, dtype: np.array(values, np.uint64).astype(dtype),
        st.lists(st.integers(0, 2**64 - 1) | st.integers(0, 64), max_size=4),
        st.sampled_from(["u8", "i8", "u1", "f8", "U3", "O", "M8[s]"]),
    ),
)


@settings(max_examples=300)
@given(
    st.dictionaries(
        st.sampled_from(
            ["starts", "levels", "positives", "negatives", "rows", "lowest", "max_bytes",
             "pos_label", "negative_label"]
        ), HOSTILE, min_size=1, max_size=4,
    )
)  # fmt: skip
def test_a_hostile_state_is_refused_or_usable(changes):
    """Nothing but one sentence comes of it, or an accumulator that counts on."""
    try:
        result = iso.Accumulator.from_state(damaged(**changes))
    except ParameterError:
        return
    assert len(repr(result)) < 300
    total = result.positives + result.negatives
    result.merge(result)
    assert result.positives + result.negatives == 2 * total
    assert result.points().positives == result.positives


def test_a_merge_beyond_2_53_is_refused_and_changes_nothing():
    """As an update would be: beyond, counts are no longer exact."""
    half = iso.Accumulator().update([1, 0], [0.9, 0.1], sample_weight=[2**52, 2**51])
    before = half.points()
    for merge in (lambda: half.merge(half), lambda: half + half, lambda: sum([half, half])):
        with pytest.raises(WeightError, match=r"add up to more than 2\*\*53"):
            merge()
    assert (len(half), half.positives, half.negatives) == (2, 2**52, 2**51)
    assert half.points() == before
    # Up to there it goes on.
    half.merge(iso.Accumulator().update([0], [0.5], sample_weight=[2**51]))
    assert half.positives + half.negatives == 2**53


# ---------------------------------------------------------------------- the counts alone


def test_rows_where_nothing_was_planned_wait():
    """A region that had no rows at first is planned when it has."""
    order = order_of(np.dtype(np.float64))
    word = order.word
    counts = GrowingTally(order, 4096)
    rng = np.random.default_rng(1)
    for region in (2**30, 2**31, 2**36, 2**26):
        keys = rng.integers(region, region + 2**20, 8000).astype(word)
        counts.append(keys, rng.random(8000) < 0.5, np.ones(8000, np.int64))
        seen = counts.tally()
        inside = (seen.lo >= region) & (seen.hi < region + 2**20)
        assert np.count_nonzero(inside) >= 10  # one, if it had been taken as it came
        assert seen.size <= 4096 + 1024
