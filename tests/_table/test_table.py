"""The table is a value: locked, compared and copied by what it holds."""

import copy
import dataclasses
import pickle

import numpy as np
import pytest

from isometrics._table.table import Kind, Table


def make(**changes):
    columns = {
        "thresholds": np.array([np.inf, 0.5, np.nan]),
        "tp": np.array([0, 1, 2]),
        "fp": np.array([0, 1, 4]),
        "positives": 2,
        "negatives": 4,
        "kind": Kind.CURVE,
        "labels": ("a", "b", "c"),
    }
    return Table(**(columns | changes))


def test_derived_numbers():
    table = make()
    assert table.size == 3
    assert table.prevalence == pytest.approx(1 / 3)
    assert table.odds == 0.5


COPIES = {
    "itself": lambda table: table,
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
    "pickle": lambda table: pickle.loads(pickle.dumps(table)),
    "oldest pickle": lambda table: pickle.loads(pickle.dumps(table, protocol=2)),
}


@pytest.mark.parametrize("copied", COPIES.values(), ids=COPIES.keys())
def test_arrays_are_read_only_in_every_copy(copied):
    table = copied(make())
    assert table == make()
    for array in (table.thresholds, table.tp, table.fp):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1


def test_a_deep_copy_shares_nothing():
    table = make()
    other = copy.deepcopy(table)
    for name in ("thresholds", "tp", "fp"):
        assert not np.shares_memory(getattr(table, name), getattr(other, name))


def test_fields_are_frozen():
    with pytest.raises(dataclasses.FrozenInstanceError, match="positives"):
        make().positives = 3


@pytest.mark.parametrize(
    "change",
    [
        {"thresholds": np.array([np.inf, 0.25, np.nan])},
        {"thresholds": np.array([np.inf, np.nan, np.nan])},
        {"tp": np.array([0, 2, 2])},
        {"fp": np.array([0, 2, 4])},
        {"positives": 3},
        {"negatives": 5},
        {"kind": Kind.SETS},
        {"labels": None},
        {"labels": ("a", "b", "d")},
    ],
)
def test_equality_looks_at_every_field(change):
    assert make(**change) == make(**change)
    assert make(**change) != make()


def test_equality_is_by_value():
    assert make() == make(tp=np.array([0.0, 1.0, 2.0]), positives=2.0)
    assert make() != "table"
    assert make().__eq__(1) is NotImplemented


def test_labels_that_are_arrays_compare():
    """A parameter value may be anything, an array included."""
    one = make(labels=(np.array([1, 2]), "b", "c"))
    other = make(labels=(np.array([1, 2]), "b", "c"))
    assert isinstance(one == other, bool)


def test_unhashable():
    with pytest.raises(TypeError, match="unhashable type: 'Table'"):
        hash(make())


def test_take_keeps_order_and_duplicates():
    taken = make().take(np.array([2, 0, 2]), Kind.SELECTION)
    assert taken.tp.tolist() == [2, 0, 2]
    assert taken.fp.tolist() == [4, 0, 4]
    assert taken.labels == ("c", "a", "c")
    assert taken.kind is Kind.SELECTION
    assert (taken.positives, taken.negatives) == (2, 4)
    np.testing.assert_array_equal(taken.thresholds, [np.nan, np.inf, np.nan])
    assert not taken.tp.flags.writeable
    assert make(labels=None).take(np.array([1]), Kind.SELECTION).labels is None
