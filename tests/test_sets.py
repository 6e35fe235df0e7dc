"""Many targets and many found sets: overlaps, best matches, matches one to one, rankings."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import isometrics as iso
from isometrics.errors import MembershipError, OneClassError, ParameterError
from isometrics.sets import Bicluster, Matches, overlap_matrix, ranked
from isometrics.spaces.indices import index_named

INDICES = ["kulczynski", "f-measure", "folke", "jaccard", "f-gain", "cost"]


@st.composite
def two_families(draw):
    universe = draw(st.sampled_from([6, 40, 5000]))
    elements = st.sets(st.integers(0, universe - 1), min_size=1, max_size=5)
    families = st.lists(elements, min_size=1, max_size=4)
    return draw(families), draw(families), universe


@given(two_families())
def test_overlaps_are_those_of_python_sets(drawn):
    targets, found, universe = drawn
    expected = [[len(one & other) for other in found] for one in targets]
    matrix = overlap_matrix(targets, found, universe_size=universe)
    assert matrix.tolist() == expected
    assert matrix.dtype == np.int64
    named = [[[str(each) for each in one] for one in family] for family in (targets, found)]
    assert overlap_matrix(*named, universe_size=universe).tolist() == expected


def test_overlaps_of_sparse_and_dense_sets_and_biclusters():
    few, many = [3, 700], np.arange(1000) < 500
    found = [few, many, [999]]
    assert overlap_matrix([few, many], found, universe_size=1000).tolist() == [
        [2, 1, 0],
        [1, 500, 0],
    ]
    block, other = Bicluster([0, 1], [0, 1], (50, 40)), ([1, 9], [0, 1, 2])
    assert overlap_matrix([block, other], [other, block], universe_size=(50, 40)).tolist() == [
        [2, 4],
        [6, 2],
    ]


def values_of(targets, found, universe, index, lam):
    """Return the index of every pair through the table of each target; None without overlap."""
    rows = []
    for target in targets:
        points = iso.OperatingPoints.from_sets(target, found, universe_size=universe)
        values = [
            float(
                index_named(index).value(
                    points.precision[row], points.recall[row], lam, points.prevalence
                )
            )
            if points.tp[row]
            else None
            for row in range(len(points))
        ]
        rows.append(values)
    return rows


@given(two_families(), st.sampled_from(INDICES), st.sampled_from([0.0, 0.3, 0.5, 1.0]))
def test_best_matches_have_the_highest_value(drawn, index, lam):
    targets, found, universe = drawn
    matches = iso.best_matches(targets, found, universe_size=universe, index=index, lam=lam)
    for row, values in enumerate(values_of(targets, found, universe, index, lam)):
        known = [value for value in values if value is not None]
        if not known:
            assert matches.found[row] is None
            assert matches.rows[row] == -1
            assert matches.value[row] == matches.recall[row] == matches.tp[row] == 0
            assert np.isnan(matches.precision[row])
            continue
        place = matches.rows[row]
        assert matches.value[row] == pytest.approx(max(known), rel=1e-12, abs=1e-12)
        assert matches.found[row] == place
        assert matches.tp[row] == len(targets[row] & found[place])
        assert matches.fp[row] == len(found[place] - targets[row])
        assert matches.recall[row] == matches.tp[row] / len(targets[row])


@given(two_families(), st.sampled_from(INDICES))
def test_no_other_matching_one_to_one_has_a_higher_sum(drawn, index):
    targets, found, universe = drawn
    matches = iso.match_one_to_one(targets, found, universe_size=universe, index=index)
    used = matches.rows[matches.rows >= 0].tolist()
    assert len(used) == len(set(used))
    values = [
        [0.0 if value is None else max(value, 0.0) for value in row]
        for row in values_of(targets, found, universe, index, 0.5)
    ]
    places = [*range(len(found)), *[None] * len(targets)]
    best = max(
        sum(values[row][place] for row, place in enumerate(chosen) if place is not None)
        for chosen in set(permutations(places, len(targets)))
    )
    assert matches.value.sum() == pytest.approx(best, rel=1e-12, abs=1e-12)


CLASSES = {"cats": {0, 1, 2, 3}, "dogs": {2, 3, 4, 5, 6}}


def test_one_set_may_serve_two_targets_unless_one_to_one():
    found = {"pets": range(7), "odd": [3]}
    best = iso.best_matches(CLASSES, found, universe_size=9)
    assert best.targets == ("cats", "dogs")
    assert best.found == ("pets", "pets")
    # F1: cats-pets 8/11, dogs-pets 10/12, cats-odd 2/5, dogs-odd 2/6; 8/11 + 2/6 < 2/5 + 10/12.
    paired = iso.match_one_to_one(CLASSES, found, universe_size=9)
    assert paired.found == ("odd", "pets")
    assert paired.value.tolist() == pytest.approx([2 / 5, 10 / 12])


def test_an_index_of_your_own():
    index = iso.Index("product", lambda p, r, lam: p * r + 0 * lam)
    matches = iso.best_matches(CLASSES, [[0, 1, 2, 3, 4]], universe_size=9, index=index)
    assert matches.value.tolist() == pytest.approx([4 / 5, 9 / 25])
    assert matches.index == "product"


def test_the_printout_and_the_frame():
    matches = iso.match_one_to_one(CLASSES, {"A": [0, 1]}, universe_size=9)
    assert str(matches).splitlines()[0] == "Matches: 1 of 2 targets, f-measure at λ = 0.5"
    assert isinstance(matches, Matches)
    frame = matches.to_frame("pandas")
    assert list(frame.columns) == ["target", "found", "tp", "fp", "precision", "recall", "value"]
    assert not matches.rows.flags.writeable


def test_refusals():
    with pytest.raises(OneClassError, match=r"^targets\['b'\] is empty"):
        iso.best_matches({"a": [1], "b": []}, [[1]], universe_size=5)
    with pytest.raises(ParameterError, match=r"^lam must be between 0 and 1"):
        iso.best_matches([[1]], [[1]], universe_size=5, lam=2)
    with pytest.raises(ParameterError, match=r"^index must be one of"):
        iso.best_matches([[1]], [[1]], universe_size=5, index="f")
    with pytest.raises(MembershipError, match=r"^targets must be a list or a dict of sets"):
        iso.best_matches({1}, [[1]], universe_size=5)


@given(st.permutations(range(8)), st.sets(st.integers(0, 7), min_size=1), st.integers(0, 8))
def test_a_ranking_counts_as_its_prefixes(order, relevant, depth):
    points = ranked(relevant, order[:depth], universe_size=9)
    for row in range(1, depth + 1):
        assert points.thresholds[row] == -row
        prefix = set(order[:row])
        assert points.tp[row] == len(prefix & relevant)
        assert points.fp[row] == len(prefix - relevant)
    assert (points.positives, points.negatives) == (len(relevant), 9 - len(relevant))


def test_rankings_of_named_documents_merge():
    one = ranked({"a", "b"}, ["a", "c"], universe_size=10)
    other = ranked({"x"}, ["y", "x"], universe_size=10)
    assert (one + other).tp.tolist() == [0, 1, 2, 3]
    with pytest.raises(MembershipError, match=r"^found\[0\] has the element 'a' more than once"):
        ranked({"a"}, ["a", "a"], universe_size=10)
