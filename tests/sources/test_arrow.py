"""Dates beyond the calendar of Python do not stop anybody."""

import datetime

import pyarrow as pa
import pyarrow.parquet as pq

from isometrics.analysis import read_predictions
from isometrics.sources.arrow import as_list

FAR = pa.array([2**31 - 1, 1, None], pa.int32()).cast(pa.date32())


def test_dates_are_texts():
    assert as_list(FAR)[1:] == ["1970-01-02", None]
    assert "2147483647" in as_list(FAR)[0]


def test_other_values_are_themselves():
    assert as_list(pa.array([1.5, None])) == [1.5, None]
    assert as_list(pa.array([[1], None])) == [[1], None]
    near = pa.array([[datetime.date(2020, 1, 1)]])
    assert as_list(near) == [[datetime.date(2020, 1, 1)]]


def test_dates_in_lists():
    lists = pa.ListArray.from_arrays(pa.array([0, 1, 3], pa.int32()), FAR)
    assert as_list(lists) == ["(not a value of Python)"] * 2


def test_a_file_with_such_dates_is_read(tmp_path):
    path = tmp_path / "dates.parquet"
    rows = {"day": FAR, "label": [1, 0, 1], "score": [0.9, 0.5, 0.1]}
    pq.write_table(pa.table(rows), path)
    assert read_predictions(path).models["score"].positives == 2
