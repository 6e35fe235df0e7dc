"""Files with bytes that lead pyarrow astray are refused before they are followed."""

import struct

import pyarrow as pa
import pytest

from isometrics.analysis import read_predictions
from isometrics.errors import FileError


def test_offsets_that_lead_out_of_the_file(tmp_path):
    path = tmp_path / "damaged.arrow"
    table = pa.table({"label": ["no", "yes"] * 20, "score": [k / 40 for k in range(40)]})
    with pa.ipc.new_file(path, table.schema) as writer:
        writer.write_table(table)
    data = path.read_bytes()
    offsets = struct.pack("<4i", 0, 2, 5, 7)
    assert data.count(offsets) == 1
    path.write_bytes(data.replace(offsets, struct.pack("<4i", 0, 2**28, 5, 7)))
    with pytest.raises(FileError, match="offset"):
        read_predictions(path, pos_label="yes")
