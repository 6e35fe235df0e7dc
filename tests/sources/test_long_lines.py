"""Lines too long to be rows are refused at once; other text passes."""

import gzip
from contextlib import closing

import pytest

import isometrics as iso
from isometrics.errors import FileError
from isometrics.sources.files import open_source
from isometrics.sources.text_files import LONGEST

HEADER, ROW = b"label,score\n", b"1,0.5\n"


@pytest.mark.parametrize("after", [b"", b"\n"])
@pytest.mark.parametrize("before", [b"", HEADER + ROW * 10, HEADER + ROW * 500_000])
def test_a_line_that_is_no_row_at_the_end(tmp_path, before, after):
    path = tmp_path / "long.csv"
    path.write_bytes(before + b"9" * (3 * LONGEST) + after)
    with pytest.raises(FileError, match=r"long\.csv'"):
        iso.read_predictions(path)


def test_a_packed_file_of_one_line(tmp_path):
    path = tmp_path / "long.csv"
    path.write_bytes(gzip.compress(b"9" * (3 * LONGEST), 1))
    with pytest.raises(FileError, match=r"long\.csv'"):
        iso.read_predictions(path)


def test_an_array_of_json_may_stand_on_one_line(tmp_path):
    path = tmp_path / "array.json"
    row = '{"label": 1, "score": 0.25}, {"label": 0, "score": 0.125}'
    path.write_text(f"[{', '.join([row] * 60_000)}]")
    with closing(open_source(path)) as source:
        assert source.schema.names == ["label", "score"]
