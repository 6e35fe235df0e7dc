"""Counted intervals against rows counted one by one, in exact fractions."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import isometrics as iso
from isometrics._counting.bins import reduce
from isometrics._counting.keys import order_of
from isometrics._counting.tally import Tally
from isometrics._table.building import table_of_tally
from isometrics.measures import area_brackets

ORDER = order_of(np.dtype(np.float64))
WORD = ORDER.word
ZERO = int(ORDER.keys(np.zeros(1))[0])
"""The key of 0.0; keys around it are those of the smallest floats."""

near = st.integers(ZERO, ZERO + 40)
# No score has the key below that of 0.0, which would be -0.0.
anywhere = st.integers(ZERO - 2**60, ZERO - 2) | st.integers(ZERO, ZERO + 2**60)
weights_of = {
    "none": st.just(1),
    "integers": st.integers(1, 5),
    "floats": st.floats(1e-3, 1e3),
}


@st.composite
def rows(draw, weights=("none", "integers", "floats"), min_size=0, max_size=40, keys=None):
    """Draw rows as lists of keys, labels and weights."""
    weight = weights_of[draw(st.sampled_from(weights))]
    key = draw(st.sampled_from([near, near | anywhere])) if keys is None else keys
    row = st.tuples(key, st.booleans(), weight)
    return draw(st.lists(row, min_size=min_size, max_size=max_size))


def both_classes(**options):
    return rows(min_size=2, **options).filter(lambda drawn: len({row[1] for row in drawn}) == 2)


def exact(drawn):
    """Return the tally of rows, score by score."""
    keys, labels, weights = zip(*drawn, strict=True) if drawn else ((), (), ())
    kind = np.float64 if any(isinstance(weight, float) for weight in weights) else np.int64
    return Tally.from_rows(
        ORDER, np.array(keys, WORD), np.array(labels, bool), np.array(weights, kind)
    )


def joined(drawn, random):
    """Return the tally of rows with some neighbouring intervals joined."""
    tally = exact(drawn)
    if tally.size == 0:
        return tally
    first = [0, *(place for place in range(1, tally.size) if random.random() < 0.4)]
    return tally.join(np.array(first))


def counted(drawn, lo, hi):
    """Count the rows of an interval one by one, in fractions."""
    sums = [Fraction(0), Fraction(0)]
    for key, label, weight in drawn:
        if lo <= key <= hi:
            sums[not label] += Fraction(weight)
    return sums


def check(tally, drawn):
    """Compare every interval with its rows; no row lies between intervals."""
    lo, hi = tally.lo.tolist(), tally.hi.tolist()
    assert all(one <= other for one, other in zip(lo, hi, strict=True))
    assert all(one < other for one, other in zip(hi, lo[1:], strict=False))
    inside = [counted(drawn, *ends) for ends in zip(lo, hi, strict=True)]
    for place, sums in enumerate((tally.positives, tally.negatives)):
        assert sums.tolist() == pytest.approx([float(both[place]) for both in inside], rel=1e-12)
    # The keys of all rows lie in some interval.
    assert all(any(a <= key <= b for a, b in zip(lo, hi, strict=True)) for key, _, _ in drawn)
    assert all(sum(both) > 0 for both in inside)


def points_of(tally, **options):
    return iso.OperatingPoints(table_of_tally(tally, counted="y", **options))


# ---------------------------------------------------------------------- counting and merging


@given(rows())
def test_rows_are_counted_score_by_score(drawn):
    tally = exact(drawn)
    check(tally, drawn)
    assert tally.exact
    assert not tally.gaps.any()
    assert tally.lo.tolist() == sorted({key for key, _, _ in drawn})
    assert tally.totals == pytest.approx(tuple(map(float, counted(drawn, 0, 2**64))))


def test_rows_without_weights():
    tally = Tally.from_rows(ORDER, np.array([5, 3, 5], WORD), np.array([True, False, False]))
    assert (tally.lo.tolist(), tally.positives.tolist()) == ([3, 5], [0, 1])
    assert tally.negatives.tolist() == [1, 1]
    empty = Tally.empty(ORDER)
    check(empty, [])
    assert empty.size == empty.positives.size == empty.negatives.size == 0
    assert empty.totals == (0, 0)
    together = empty.merge(tally, empty)
    np.testing.assert_array_equal(together.lo, tally.lo, strict=True)
    np.testing.assert_array_equal(together.positives, tally.positives, strict=True)


@given(st.lists(rows(weights=("integers",), max_size=15), min_size=1, max_size=4), st.randoms())
def test_merging_is_counting_all_rows_together(drawn, random):
    parts = [joined(one, random) for one in drawn]
    together = parts[0].merge(*parts[1:])
    everything = [row for one in drawn for row in one]
    check(together, everything)
    # An end of an interval is lost only where an interval of another part lies across it.
    for part in parts:
        for lo in part.lo.tolist():
            across = any(
                start < lo <= end
                for other in parts
                for start, end in zip(other.lo.tolist(), other.hi.tolist(), strict=True)
            )
            assert (lo in together.lo.tolist()) or across
    if all(part.exact for part in parts):
        assert together.exact
        np.testing.assert_array_equal(together.lo, exact(everything).lo)


@given(st.lists(rows(weights=("integers",), max_size=15), min_size=1, max_size=4), st.randoms())
def test_aligned_tallies_stay_aligned_when_merged(drawn, random):
    parts = [joined(one, random).align() for one in drawn]
    for part, own in zip(parts, drawn, strict=True):
        check(part, own)
    together = parts[0].merge(*parts[1:])
    check(together, [row for one in drawn for row in one])
    for tally in (*parts, together):
        for lo, hi, level in zip(
            tally.lo.tolist(), tally.hi.tolist(), tally.levels.tolist(), strict=True
        ):
            assert hi - lo + 1 == 2**level
            assert lo % 2**level == 0
        blocks = Tally.from_blocks(ORDER, tally.lo, tally.levels, tally.positives, tally.negatives)
        np.testing.assert_array_equal(blocks.hi, tally.hi)
        assert blocks.exact == tally.exact
        assert not tally.exact or blocks.hi is blocks.lo


# ---------------------------------------------------------------------- joining and refining


@given(rows(), st.randoms())
def test_joined_intervals_keep_their_lower_ends(drawn, random):
    tally = joined(drawn, random)
    check(tally, drawn)
    assert set(tally.lo.tolist()) <= set(exact(drawn).lo.tolist())
    several = [len({key for key, _, _ in drawn if a <= key <= b}) > 1 for a, b in
               zip(tally.lo.tolist(), tally.hi.tolist(), strict=True)]  # fmt: skip
    assert tally.open.tolist() == several


@given(rows(min_size=1), st.randoms())
def test_refining_nests(drawn, random):
    """Rows of some intervals, counted anew in shorter ones, take their place."""
    coarse = joined(drawn, random)
    chosen = np.array([random.random() < 0.5 for _ in range(coarse.size)])
    inside = [
        row for row in drawn
        if chosen[np.searchsorted(coarse.lo, np.array(row[0], WORD), "right") - 1]
    ]  # fmt: skip
    finer = exact(inside)
    assert coarse.is_refined_by(finer, chosen)
    refined = coarse.refine(finer)
    check(refined, drawn)
    # Every interval of the refined tally lies inside of one before, and those chosen are exact.
    around = np.searchsorted(coarse.lo, refined.lo, "right") - 1
    assert (refined.hi <= coarse.hi[around]).all()
    assert not refined.open[chosen[around]].any()
    assert set(coarse.lo.tolist()) <= set(refined.lo.tolist())
    np.testing.assert_array_equal(refined.refine(finer).lo, refined.lo)


@given(both_classes(weights=("integers", "floats")), st.randoms(), st.data())
def test_rows_that_have_changed_are_noticed(drawn, random, data):
    coarse = joined(drawn, random)
    chosen = np.ones(coarse.size, np.bool_)
    assert coarse.is_refined_by(exact(drawn), chosen)
    assert coarse.is_refined_by(exact(drawn))
    one = data.draw(st.integers(0, len(drawn) - 1))
    key, label, weight = drawn[one]
    others = [*drawn[:one], *drawn[one + 1 :]]
    assert not coarse.is_refined_by(exact(others), chosen)
    assert not coarse.is_refined_by(exact([*others, (key, not label, weight)]), chosen)
    assert not coarse.is_refined_by(exact([*drawn, drawn[one]]), chosen)
    assert not coarse.is_refined_by(exact([*drawn, (2**64 - 1, label, weight)]), chosen)
    assert not coarse.is_refined_by(exact([*drawn, (0, label, weight)]), chosen)
    assert not coarse.is_refined_by(exact(drawn), ~chosen)


@given(rows(min_size=10, max_size=80), st.randoms(), st.integers(4, 30))
def test_reducing_keeps_the_counts_of_all_ends_that_are_left(drawn, random, most):
    tally = joined(drawn, random)
    fewer = reduce(tally, most)
    check(fewer, drawn)
    assert fewer.size <= most
    if tally.size <= most:
        assert fewer is tally
    assert fewer.totals == pytest.approx(tally.totals)
    # An interval of a single score stays one unless it is joined to others.
    for lo, hi in zip(fewer.lo.tolist(), fewer.hi.tolist(), strict=True):
        keys = {key for key, _, _ in drawn if lo <= key <= hi}
        assert lo == hi or len(keys) > 1 or tally.size > fewer.size or not tally.exact


def test_reducing_by_hand():
    drawn = [(ZERO + 16 * place, place % 2 == 0, 1) for place in range(12)]
    tally = exact(drawn)
    fewer = reduce(tally, 4)
    check(fewer, drawn)
    assert fewer.size <= 4
    # Blocks around intervals that reach across half of all keys hold everything.
    across = [(ZERO - 9, True, 1), (ZERO + 9, False, 1), *drawn]
    wide = exact(across).join(np.array([0, *range(3, 14)]))
    assert wide.size > 4
    whole = reduce(wide, 4)
    assert (whole.lo.tolist(), whole.hi.tolist()) == ([0], [2**64 - 1])
    assert whole.totals == tally.merge(exact(across[:2])).totals


# ---------------------------------------------------------------------- what it tells


@given(both_classes(), st.randoms())
def test_a_table_has_exact_counts_at_all_its_rows(drawn, random):
    tally = joined(drawn, random)
    table = table_of_tally(tally, counted="y")
    assert table.complete is tally.exact
    assert table.thresholds[0] == np.inf
    np.testing.assert_array_equal(ORDER.keys(table.thresholds[1:]), tally.lo[::-1])
    for row, key in enumerate(ORDER.keys(table.thresholds[1:]).tolist()):
        sums = counted(drawn, key, 2**64)
        assert table.tp[row + 1] == pytest.approx(float(sums[0]), rel=1e-12)
        assert table.fp[row + 1] == pytest.approx(float(sums[1]), rel=1e-12)
    assert (table.tp[-1], table.fp[-1]) == (table.positives, table.negatives)
    if not tally.exact:
        np.testing.assert_array_equal(table.gaps.between, tally.gaps[::-1])


def test_the_table_of_bins():
    """The lowest bin begins below the lowest score; vertices may lie inside."""
    tally = exact([(ZERO + 8, True, 1), (ZERO + 9, False, 2), (ZERO + 20, True, 1)])
    tally = tally.join(np.array([0, 2])).align()
    table = table_of_tally(tally, counted="y", lowest=ZERO + 7, has_hull=False)
    assert not table.has_hull
    assert ORDER.keys(table.thresholds[1:]).tolist() == [ZERO + 20, ZERO + 7]
    with pytest.raises(iso.OneClassError, match=r"^labels has only positives"):
        table_of_tally(exact([(5, True, 1)]), counted="labels")


@given(both_classes(weights=("none", "integers")), st.randoms())
def test_uncertainty_bounds_the_width_of_areas(drawn, random):
    tally = joined(drawn, random)
    uncertainty = tally.uncertainty()
    assert uncertainty.shape == (3, tally.size)
    assert (uncertainty >= 0).all()
    assert (uncertainty[:, ~tally.open] == 0).all()
    brackets = area_brackets(points_of(tally), ["AUROC", "AUPR", "AUPRG"])
    for name, each in zip(("AUROC", "AUPR", "AUPRG"), uncertainty, strict=True):
        # Positives that are all tied are not in doubt where the widths are added up.
        assert brackets[name].width <= each.sum() + 1e-9, name


@given(both_classes(), st.randoms())
def test_no_vertex_is_lost(drawn, random):
    """Rows of intervals that need not be looked into are no vertices of the hull."""
    tally = joined(drawn, random)
    needed = tally.may_hold_vertices()
    looked_into = tally.refine(
        exact([row for row in drawn
               if needed[np.searchsorted(tally.lo, np.array(row[0], WORD), "right") - 1]])
    ) if needed.any() else tally  # fmt: skip
    assume(all(isinstance(weight, int) for _, _, weight in drawn))
    found, full = points_of(looked_into).hull(), points_of(exact(drawn)).hull()
    np.testing.assert_array_equal(found.thresholds, full.thresholds)
    np.testing.assert_array_equal(found.tp, full.tp)
    np.testing.assert_array_equal(found.fp, full.fp)


@given(both_classes(weights=("none", "integers")), st.randoms(), st.floats(1e-6, 0.5))
def test_what_is_not_chosen_leaves_less_than_the_tolerance(drawn, random, tolerance):
    tally = joined(drawn, random)
    chosen = tally.to_refine(tolerance)
    assert not (chosen.all_rows & chosen.vertices).any()
    assert not (chosen.intervals & ~tally.open).any()
    assert (chosen.intervals | ~tally.may_hold_vertices()).all()
    left = np.where(chosen.all_rows, 0.0, tally.uncertainty())
    assert left.sum(axis=1).max() <= tolerance
    without = np.array([random.random() < 0.5 for _ in range(tally.size)])
    fewer = tally.to_refine(tolerance, without_vertices=without)
    np.testing.assert_array_equal(fewer.all_rows, chosen.all_rows)
    np.testing.assert_array_equal(fewer.vertices, chosen.vertices & ~without)
    some = tally.to_refine(tolerance, room=3)
    assert (chosen.intervals | ~some.intervals).all()
    inside = (tally.positives + tally.negatives)[some.intervals]
    assert inside.sum() <= 3 or inside.size == 1
    assert some.intervals.any() == chosen.intervals.any()


@given(both_classes(), st.integers(1, 39))
def test_sections_continue_each_other(drawn, cut):
    tally = exact(drawn)
    cut = min(cut, tally.size)
    low, high = tally.take(slice(cut)), tally.take(slice(cut, None))
    tp, fp = tally.curve()
    above = (tp[tally.size - cut].item(), fp[tally.size - cut].item())
    top = high.curve()
    rest = low.curve(above, tally.totals)
    for place, whole in enumerate((tp, fp)):
        np.testing.assert_allclose(np.append(top[place], rest[place][1:]), whole, rtol=1e-12)
        assert rest[place][0] == whole[tally.size - cut]


@given(both_classes(weights=("floats",)))
def test_rounded_sums_end_at_the_totals(drawn):
    """Weights added up in another order differ in their last bits; counts never fall."""
    tally = exact(drawn)
    for towards in (0.0, np.inf):
        totals = tuple(float(np.nextafter(total, towards)) for total in tally.totals)
        for sums, total in zip(tally.curve(through=totals), totals, strict=True):
            assert sums[-1] == total
            assert (np.diff(sums) >= 0).all()


@given(both_classes(weights=("floats",)), st.randoms(), st.integers(-40, 40))
def test_the_unit_of_weights_does_not_matter(drawn, random, power):
    tally = joined(drawn, random)
    scaled = replace(
        tally, positives=tally.positives * 2.0**power, negatives=tally.negatives * 2.0**power
    )
    np.testing.assert_allclose(scaled.uncertainty(), tally.uncertainty(), rtol=1e-9)
    np.testing.assert_array_equal(scaled.may_hold_vertices(), tally.may_hold_vertices())


def test_an_interval_of_one_row_has_one_order():
    keys = np.array([8, 16, 32], WORD)
    ones = np.array([1, 1, 0])
    tally = Tally(ORDER, keys, keys + np.array([7, 7, 0], WORD), ones, np.array([0, 1, 5]))
    assert tally.open.tolist() == [True, True, False]
    assert tally.gaps.tolist() == [False, True, False]
    # A sum of weights does not tell how many rows there are.
    assert replace(tally, positives=ones * 0.5).gaps.tolist() == [True, True, False]


def test_the_highest_scores_come_first_among_equals():
    """Of many equally uncertain intervals, the room decides how many are chosen."""
    size = 2000
    lo = ZERO + 10 * np.arange(size, dtype=WORD)
    ones = np.ones(size, np.int64)
    tally = Tally(ORDER, lo, lo + WORD.type(5), ones, 1000 * ones)
    without = np.ones(size, np.bool_)
    uncertainty = tally.uncertainty().max(axis=0)
    for room in (1001, 20 * 1001, 1000 * 1001):
        chosen = np.flatnonzero(tally.to_refine(1e-9, room=room, without_vertices=without).all_rows)
        assert chosen.size == room // 1001
        others = np.delete(np.arange(size), chosen)
        assert uncertainty[chosen].min() >= uncertainty[others].max()
        equal = others[uncertainty[others] == uncertainty[chosen].min()]
        assert equal.size == 0 or equal.max() < chosen.min()
