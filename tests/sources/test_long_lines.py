"""Lines too long to be rows are refused at once; other text passes."""

import gzip
from contextlib import closing

import pytest

from isometrics.errors import FileError
from isometrics.sources.opening import open_source
from isometrics.sources.text_files import LONGEST, refuse_long_lines

ROWS = b"label,score\n" + b"1,0.5\n" * 10


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("before", [b"", ROWS, ROWS * 50_000])
def test_a_line_without_end(tmp_path, before, packed):
    path = tmp_path / "long.csv"
    content = before + b"9" * (2 * LONGEST)
    path.write_bytes(gzip.compress(content, 1) if packed else content)
    with pytest.raises(FileError, match=r"long\.csv': it has a line of more than 2,097,152 bytes"):
        refuse_long_lines(path)


def test_a_source_refuses_such_files(tmp_path):
    path = tmp_path / "long.csv"
    path.write_bytes(b"9" * (2 * LONGEST))
    with pytest.raises(FileError, match="it has a line of more than"):
        open_source(path)


def test_an_array_of_json_may_stand_on_one_line(tmp_path):
    path = tmp_path / "array.json"
    row = '{"label": 1, "score": 0.25}, {"label": 0, "score": 0.125}'
    path.write_text(f"[{', '.join([row] * 60_000)}]")
    with closing(open_source(path)) as source:
        assert source.schema.names == ["label", "score"]


def test_a_file_that_is_gone(tmp_path):
    with pytest.raises(FileError, match="no such file"):
        refuse_long_lines(tmp_path / "gone.csv")


@pytest.mark.parametrize("end", [b"\n", b"\r", b"\r\n"])
def test_long_files_of_short_lines(tmp_path, end):
    path = tmp_path / "short.csv"
    path.write_bytes((b"1,0.5" + end) * 1_000_000)
    refuse_long_lines(path)


def test_lines_that_just_fit(tmp_path):
    path = tmp_path / "fits.csv"
    path.write_bytes((b"9" * (LONGEST - 1) + b"\n") * 3)
    refuse_long_lines(path)


def test_a_broken_archive_is_left_to_its_reader(tmp_path):
    path = tmp_path / "broken.csv.gz"
    path.write_bytes(gzip.compress(ROWS * 100)[:-20])
    refuse_long_lines(path)
