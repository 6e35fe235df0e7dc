"""A file appears whole or not at all."""

import os
import stat

import pytest

from isometrics.errors import FileError
from isometrics.writing import whole_file


def names(folder):
    return [path.name for path in folder.iterdir()]


@pytest.mark.parametrize(("binary", "content"), [(False, "naïve\n"), (True, b"\x00\xff")])
def test_what_was_written_takes_the_place_of_the_file(tmp_path, binary, content):
    path = tmp_path / "a b.txt"
    path.write_text("old")
    with whole_file(path, binary=binary) as file:
        file.write(content)
        assert path.read_text() == "old"
    assert path.read_bytes() == (content if binary else content.encode())
    assert names(tmp_path) == ["a b.txt"]


@pytest.mark.parametrize("error", [RuntimeError, KeyboardInterrupt])
def test_an_interrupted_file_is_never_seen(tmp_path, error):
    path = tmp_path / "out.txt"
    with pytest.raises(error), whole_file(path) as file:  # noqa: PT012
        file.write("half")
        raise error
    assert names(tmp_path) == []


def test_an_error_of_the_disk_is_one_sentence(tmp_path):
    path = tmp_path / "out.txt"
    with pytest.raises(FileError, match="no space left on device"), whole_file(path):
        raise OSError(28, "No space left on device")
    assert names(tmp_path) == []


def test_a_folder_that_is_not_there(tmp_path):
    with (
        pytest.raises(FileError, match=r"cannot write .*nowhere.*no such file"),
        whole_file(tmp_path / "nowhere" / "out.txt"),
    ):
        pytest.fail("there is nothing to write to")


def test_a_directory_is_no_file(tmp_path):
    with pytest.raises(FileError, match="it is a directory"), whole_file(tmp_path):
        pytest.fail("there is nothing to write to")


def test_permissions_follow_the_umask(tmp_path):
    before = os.umask(0o027)
    try:
        with whole_file(tmp_path / "out.txt") as file:
            file.write("x")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "out.txt").stat().st_mode) == 0o640
