"""A source that the package does not know, in 30 lines.

The source needs columns in batches; checks of values, sentences of errors and tables come from the
package.
"""

import numpy as np
import pyarrow as pa
import pytest

import isometrics as iso

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


# ---------------------------------------------------------------------- its conformance


def records(table):
    return Records(table.to_pylist(), table.schema)


@pytest.mark.parametrize("case", CASES)
def test_the_source_agrees_with_arrow(case):
    given, options, _ = CASES[case]
    assert_same(outcome(records(given), options), outcome(given, options))


def test_the_source_is_read_as_any_other():
    labels, scores = np.arange(50) % 3 == 0, np.arange(50) * 7 % 31 / 8
    table = pa.table({"label": labels, "a": scores, "b": -scores, "site": np.arange(50) % 2})
    options = {"label": "label", "scores": ["a", "b"], "group": "site"}
    source = records(table)
    result, expected = (iso.read_predictions(each, **options) for each in (source, table))
    assert result.models == expected.models
    assert result.groups == expected.groups
    assert source.rows == 0, "it is closed in the end"
