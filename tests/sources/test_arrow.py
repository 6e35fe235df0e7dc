"""Dates beyond the calendar of Python do not stop anybody."""

import pyarrow as pa
import pyarrow.parquet as pq

from isometrics.analysis import read_predictions

FAR = pa.array([2**31 - 1, 1, None], pa.int32()).cast(pa.date32())


def test_a_file_with_such_dates_is_read(tmp_path):
    path = tmp_path / "dates.parquet"
    rows = {"day": FAR, "label": [1, 0, 1], "score": [0.9, 0.5, 0.1]}
    pq.write_table(pa.table(rows), path)
    assert read_predictions(path).models["score"].positives == 2
