"""Sets in a universe: every way to give them counts as Python's own sets do."""

import re

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from isometrics import Bicluster, OperatingPoints
from isometrics._table.table import Kind
from isometrics.errors import (
    EmptyInputError,
    LengthError,
    MembershipError,
    MissingValueError,
    OneClassError,
)

from_sets = OperatingPoints.from_sets


def mask(elements, universe):
    found = np.zeros(universe, np.bool_)
    found[list(elements)] = True
    return found


FORMS = {
    "set": lambda elements, _: set(elements),
    "frozenset": lambda elements, _: frozenset(elements),
    "list": lambda elements, _: list(elements),
    "tuple": lambda elements, _: tuple(elements),
    "reversed list": lambda elements, _: sorted(elements, reverse=True),
    "array": lambda elements, _: np.array(sorted(elements), np.int32),
    "unsigned": lambda elements, _: np.array(sorted(elements), np.uint64),
    "keys": lambda elements, _: dict.fromkeys(elements).keys(),
    "mask": mask,
    "list of booleans": lambda elements, universe: mask(elements, universe).tolist(),
    "series": lambda elements, _: pl.Series(sorted(elements), dtype=pl.Int64),
}
NAMED = {
    "set": lambda elements: {f"d{one}" for one in elements},
    "list": lambda elements: [f"d{one}" for one in elements],
    "array": lambda elements: np.array([f"d{one}" for one in elements], dtype=object),
    "text array": lambda elements: np.array([f"d{one}" for one in elements], dtype=str),
}


@st.composite
def families(draw, sets=4):
    # Large universes with few elements keep sorted positions, small ones bits.
    universe = draw(st.sampled_from([2, 3, 63, 64, 65, 200, 3000]))
    elements = st.sets(st.integers(0, universe - 1), max_size=min(universe, 70))
    target = draw(elements.filter(lambda found: 0 < len(found) < universe))
    found = draw(st.lists(elements, min_size=1, max_size=sets))
    return target, found, universe


def naive(target, found):
    return [len(target & one) for one in found], [len(one - target) for one in found]


def refused(error, message, target, found, **keywords):
    with pytest.raises(error, match=f"^{re.escape(message)}") as caught:
        from_sets(target, found, **keywords)
    assert type(caught.value) is error


@given(families(), st.lists(st.sampled_from(sorted(FORMS)), min_size=5, max_size=5))
def test_counts_are_those_of_python_sets(family, forms):
    target, found, universe = family
    given_target, *given_found = (
        FORMS[form](elements, universe)
        for form, elements in zip(forms, [target, *found], strict=False)
    )
    points = from_sets(given_target, given_found, universe_size=universe)
    assert (points.tp.tolist(), points.fp.tolist()) == naive(target, found)
    assert (points.positives, points.negatives) == (len(target), universe - len(target))
    assert points.tp.dtype == points.fp.dtype == np.int64
    assert type(points.positives) is type(points.negatives) is int
    assert points.table.kind is Kind.SETS


@given(families(), st.lists(st.sampled_from(sorted(NAMED)), min_size=5, max_size=5))
def test_names_count_as_python_sets(family, forms):
    target, found, universe = family
    target_given, *found_given = (
        NAMED[form](elements) for form, elements in zip(forms, [target, *found], strict=False)
    )
    points = from_sets(target_given, found_given, universe_size=universe)
    assert (points.tp.tolist(), points.fp.tolist()) == naive(target, found)


def test_a_huge_universe_costs_nothing():
    points = from_sets([5, 10**15], {"a": [10**15, 7], "b": []}, universe_size=2**53)
    assert points.tp.tolist() == [1, 0]
    assert points.fp.tolist() == [1, 0]
    assert points.negatives == 2**53 - 2


def test_mixed_elements_are_names():
    points = from_sets({1, "a", (2, 3)}, [[1, "a"], [1], {(2, 3)}, []], universe_size=5)
    assert points.tp.tolist() == [2, 1, 1, 0]
    assert from_sets([(0, 1), (2, 2)], [[(2, 2)]], universe_size=9).tp.tolist() == [1]
    # Ragged tuples are names as well, and so are fractions and numbers beyond 64 bits.
    assert from_sets({1.0, 1.5}, [{1.5, 2}, {1}], universe_size=9).tp.tolist() == [1, 1]
    assert from_sets({2**70, 1}, [{2**70, 2}], universe_size=9).tp.tolist() == [1]
    assert from_sets({True, "a"}, [{True}], universe_size=9).tp.tolist() == [1]
    assert from_sets([(0,), (2, 2)], [{(2, 2), (0, 1, 2)}], universe_size=9).tp.tolist() == [1]


def test_rows_of_an_array_are_masks():
    masks = np.array([[True, False, False], [True, True, False]])
    assert from_sets([0], masks, universe_size=3).fp.tolist() == [0, 1]


def test_labels():
    assert from_sets([0], [[0], [1]], universe_size=3).labels == (0, 1)
    assert from_sets([0], {"a": [0], 0.5: [1]}, universe_size=3).labels == ("a", 0.5)
    for labels in (["x", 0.5], ("x", 0.5), pd.Series(["x", 0.5])):
        points = from_sets([0], [[0], [1]], universe_size=3, labels=labels)
        assert points.labels == ("x", 0.5)
    options = {"universe_size": 3, "labels": ["x"]}
    refused(LengthError, "labels has 1 values but found has 2", [0], [[0], [1]], **options)
    message = "found is a dict whose keys are labels; leave out labels="
    refused(MembershipError, message, [0], {"a": [0]}, **options)


@pytest.mark.parametrize(
    ("error", "message", "target", "found", "universe"),
    [
        (MembershipError, "found['a'] has elements outside the universe of 5: 2 in all, such as 5",
         [0], {"a": [1, 5, 9]}, 5),
        (MembershipError, "target has elements outside the universe of 5: 1 in all, such as -1; ",
         [-1], [[1]], 5),
        (OneClassError, "target is empty; a target needs at least one element", [], [[1]], 5),
        (OneClassError, "target is empty; a target needs at least one element", set(), [[1]], 5),
        (OneClassError, "target is the whole universe of 2 elements; a target must leave some out",
         [0, 1], [[1]], 2),
        (MembershipError, "found[1] has the element 3 more than once", [0], [[1], [3, 1, 3]], 5),
        (MembershipError, "found[0] has the element 3 more than once", [0], [[3, 1, 3]], 5000),
        (MembershipError, "found[0] has the element 'a' more than once", {"b"}, [["a", "a"]], 5),
        (MembershipError, "found[0] has the element 3 more than once", {"b"}, [[3, 3]], 5000),
        (LengthError, "found[0] is a mask of 2 elements but the universe has 5",
         [0], [[True, False]], 5),
        (MembershipError, "the sets have 3 different elements but universe_size is 2",
         {"a"}, [["b"], ["c"]], 2),
        (MembershipError, "found[0] is a mask but other sets name their elements; give all in the "
         "same way", {"a"}, [[True, False]], 2),
        (MembershipError, "found[0] is 1, which is no set; pass a set, positions or a boolean mask",
         [0], [1, 2], 5),
        (MembershipError, "target is 'd1', which is no set", "d1", [["d1"]], 5),
        (MembershipError, "found[0] has the values 0.5, …; positions are integers",
         [0], [np.array([0.5])], 5),
        (MembershipError, "target has elements that cannot be members of a set, such as lists; ",
         [[0], [1]], [[1]], 5),
        (MembershipError, "found must be a list or a dict of sets but is a set", [0], {1}, 5),
        (MembershipError, "found must be a list or a dict of sets but is a ndarray",
         [0], np.array(1), 5),
        (EmptyInputError, "found is empty; at least one set is needed", [0], [], 5),
        (MembershipError, "universe_size must be a whole number between 1 and 2**53 but is 0",
         [0], [[0]], 0),
        (MembershipError, "universe_size must be a whole number between 1 and 2**53 but is True",
         [0], [[0]], True),
        (MembershipError, "universe_size must be a whole number between 1 and 2**53 but is 2.0",
         [0], [[0]], 2.0),
        (MissingValueError, "found[0] has missing values (NaN or null): 1 in all",
         [0], [pl.Series(["a", None])], 5),
    ],
)  # fmt: skip
def test_refusals(error, message, target, found, universe):
    refused(error, message, target, found, universe_size=universe)


def test_empty_arrays_are_empty_sets():
    found = [np.array([]), np.array([], np.int64), [], set(), pl.Series([], dtype=pl.String)]
    points = from_sets([0], found[:4], universe_size=3)
    assert points.tp.tolist() == points.fp.tolist() == [0] * 4
    assert from_sets({"a"}, found, universe_size=3).fp.tolist() == [0] * 5


SHAPE = (7, 5)


def cells(rows, columns):
    return {(row, column) for row in rows for column in columns}


sides = [st.sets(st.integers(0, length - 1)) for length in SHAPE]
blocks = st.tuples(*sides)
BLOCK_FORMS = {
    "bicluster": lambda rows, columns: Bicluster(rows, columns, SHAPE),
    "positions": lambda rows, columns: (sorted(rows), np.array(sorted(columns), np.int64)),
    "masks": lambda rows, columns: (mask(rows, SHAPE[0]), mask(columns, SHAPE[1])),
}


@given(
    st.lists(blocks, min_size=2, max_size=5),
    st.lists(st.sampled_from(sorted(BLOCK_FORMS)), min_size=5, max_size=5),
)
def test_biclusters_count_as_python_sets(drawn, forms):
    target, *found = (cells(*block) for block in drawn)
    given_target, *given_found = (
        BLOCK_FORMS[form](*block) for form, block in zip(forms, drawn, strict=False)
    )
    if len(target) in (0, 35):
        with pytest.raises(OneClassError):
            from_sets(given_target, given_found, universe_size=SHAPE)
        return
    points = from_sets(given_target, given_found, universe_size=SHAPE)
    assert (points.tp.tolist(), points.fp.tolist()) == naive(target, found)
    assert points.positives + points.negatives == 35


@given(blocks, blocks)
def test_bicluster_operations(one, other):
    first, second = Bicluster(*one, SHAPE), Bicluster(*other, SHAPE)
    shared = cells(*one) & cells(*other)
    assert first.size == len(cells(*one))
    assert first.overlap(second) == second.overlap(first) == (first & second).size == len(shared)
    assert (first == second) == (one == other)
    assert len({first, second}) == 1 + (one != other)


def test_a_bicluster_is_a_value():
    rows = np.array([3, 1])
    bicluster = Bicluster(rows, [True, False, True, False, False], SHAPE)
    rows[0] = 0
    assert (bicluster.rows.tolist(), bicluster.columns.tolist()) == ([1, 3], [0, 2])
    assert bicluster != "bicluster"
    with pytest.raises(TypeError):
        bicluster & {1}
    assert repr(bicluster) == "Bicluster: 2 rows × 2 columns of a 7 × 5 matrix"


def test_a_large_bicluster_does_not_list_its_cells():
    side = 10**6
    half = np.arange(side) % 2 == 0
    target = Bicluster(half, half, (side, side))
    points = from_sets(target, [(~half, half), (half, np.arange(10))], universe_size=(side, side))
    assert points.tp.tolist() == [0, 5 * side // 2]
    assert points.fp.tolist() == [side * side // 4, 5 * side // 2]


BLOCK = Bicluster([0], [0], SHAPE)


@pytest.mark.parametrize(
    ("message", "target", "found", "universe"),
    [
        ("target: columns has elements outside the universe of 5: 1 in all, such as 5",
         ([0], [5]), [BLOCK], SHAPE),
        ("found[0]: rows must be positions or a boolean mask, not names",
         BLOCK, [(["a"], [0])], SHAPE),
        *(("found[0] must be a Bicluster or a tuple (rows, columns); for other sets of cells "
           "number these from 0 on, and give universe_size=35", BLOCK, [each], SHAPE)
          for each in (((0, 0), (0, 1), (1, 1)), [(0, 0)], np.ones(SHAPE, bool))),
        ("target belongs to a matrix of shape (5, 7) but universe_size is (7, 5)",
         Bicluster([0], [0], (5, 7)), [BLOCK], SHAPE),
        ("target is a Bicluster; universe_size must be the shape of its matrix, (7, 5)",
         BLOCK, [BLOCK], 35),
        ("universe_size must be two whole numbers, rows and columns, 1 or more, but is (7, 0)",
         BLOCK, [BLOCK], (7, 0)),
        ("universe_size must be two whole numbers, rows and columns, 1 or more, but is (7, 5, 1)",
         BLOCK, [BLOCK], (7, 5, 1)),
    ],
)  # fmt: skip
def test_refusals_of_biclusters(message, target, found, universe):
    refused(MembershipError, message, target, found, universe_size=universe)


def test_a_mask_of_the_wrong_length_names_its_side():
    message = "found[0]: rows is a mask of 2 elements but the universe has 7"
    refused(LengthError, message, BLOCK, [([True, False], [0])], universe_size=SHAPE)
    with pytest.raises(MembershipError, match="one bicluster belongs to a matrix of shape"):
        BLOCK.overlap(Bicluster([0], [0], (5, 7)))
