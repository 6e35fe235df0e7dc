"""A source that the package does not know, and a feeder that counts its rows: 60 lines in all.

The source needs columns in batches, and the feeder a tally; checks of values, sentences of errors
and everything behind the table come from the package.
"""

import numpy as np
import pyarrow as pa
import pytest

import isometrics as iso
from isometrics._counting.keys import order_of
from isometrics._counting.tally import Tally
from isometrics._table.building import table_of_tally
from isometrics.sources.batches import Feeder
from isometrics.sources.columns import Layout
from isometrics.sources.opening import open_source
from isometrics.sources.tables import read_tables

from .test_engines import CASES, assert_same, outcome

# ---------------------------------------------------------------------- the source


class Records:
    """A list of dictionaries, as an interface of the web returns them."""

    name = "records"

    def __init__(self, records, schema):
        self._records = records
        self.schema = schema

    @property
    def rows(self):
        return len(self._records)

    def batches(self, columns, *, limit=None):
        schema = pa.schema([self.schema.field(name) for name in columns])
        for start in range(0, self.rows if limit is None else min(limit, self.rows), 4):
            yield pa.RecordBatch.from_pylist(self._records[start : start + 4], schema)

    def close(self):
        self._records = []


class MergedTallies(Feeder):
    """Counts each batch score by score, and merges what was counted before."""

    def __init__(self, dtype, _):
        self._order = order_of(dtype)
        self._tally = Tally.empty(self._order)

    def append(self, labels, scores, weights):
        keys = self._order.keys(scores)
        self._tally = self._tally.merge(Tally.from_rows(self._order, keys, labels, weights))

    def points(self, name, **_):
        return iso.OperatingPoints(table_of_tally(self._tally, counted=name))


# ---------------------------------------------------------------------- its conformance


def records(table):
    return Records(table.to_pylist(), table.schema)


@pytest.mark.parametrize("case", CASES)
def test_the_source_agrees_with_arrow(case):
    given, _, options, _ = CASES[case]
    assert_same(outcome(records(given), options), outcome(given, options))


@pytest.mark.parametrize("case", CASES)
def test_its_feeder_agrees_with_that_of_files(case):
    """Errors of values are the same, because rows are checked before they are counted."""
    given, _, options, _ = CASES[case]
    weight = "weight" if "weight" in given.column_names else None
    layout = Layout("label", {"score": "score"}, weight=weight, **options)
    try:
        source = open_source(records(given))
        result = read_tables(source, layout, feeder=MergedTallies).points["score"]
    except iso.IsometricsError as error:
        result = (type(error), str(error))
    assert_same(result, outcome(given, options))


def test_the_source_is_read_as_any_other():
    labels, scores = np.arange(50) % 3 == 0, np.arange(50) * 7 % 31 / 8
    table = pa.table({"label": labels, "a": scores, "b": -scores, "site": np.arange(50) % 2})
    options = {"label": "label", "scores": ["a", "b"], "group": "site"}
    source = records(table)
    result, expected = (iso.read_predictions(each, **options) for each in (source, table))
    assert result.models == expected.models
    assert result.groups == expected.groups
    assert source.rows == 0, "it is closed in the end"
