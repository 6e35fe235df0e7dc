"""Lines of text: bounded, in UTF-8, and errors that name them."""

import gzip

import pytest

from isometrics.errors import FileError
from isometrics.formats.text import LONGEST_LINE, TextFile, is_number, shown

ZIPPED = gzip.compress(b"a\n" * 1000, mtime=0)


@pytest.fixture
def written(tmp_path):
    def write(content):
        path = tmp_path / "file.txt"
        path.write_bytes(content)
        return TextFile(path, "a file has lines")

    return write


def test_blank_lines_are_left_out_and_counted(written):
    file = written(b"\xef\xbb\xbfa\r\n\n \t\nb\t\n\xc2\xa0\n\xc3\xa9")
    assert list(file.lines()) == [(1, "a"), (4, "b\t"), (6, "é")]


def test_a_line_of_nul_bytes_is_blank(written):
    assert list(written(b"a\n\0\n\0\0").lines()) == [(1, "a")]


def test_gzip_is_told_by_its_content(written):
    assert list(written(gzip.compress(b"a\nb\n")).lines()) == [(1, "a"), (2, "b")]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"a\nb\0c\n", r"line 2: the line has a NUL byte.*; a file has lines$"),
        (b"a\n\xff\n", r"line 2: the line is not encoded in UTF-8"),
        ("a\n".encode("utf-16"), r"line 1: the line has a NUL byte"),
        (b"a\n" + b"b" * (LONGEST_LINE + 1), rf"line 2: the line is longer than {LONGEST_LINE} b"),
        (ZIPPED[:-9], r"cannot read .*file\.txt': compressed file ended"),
        (b"\x1f\x8b\x07" + ZIPPED[3:], r"cannot read .*file\.txt': unknown compression method"),
        (ZIPPED[:10] + b"\xff" * 20 + ZIPPED[30:], r"cannot read .*: error -3 while decompress"),
    ],
)
def test_what_is_no_text_is_refused(written, content, message):
    with pytest.raises(FileError, match=message):
        list(written(content).lines())


def test_a_line_of_the_longest_size_is_read(written):
    text = "b" * (LONGEST_LINE - 1)
    assert list(written(text.encode() + b"\n").lines()) == [(1, text)]


@pytest.mark.parametrize("name", ["nowhere.txt", "a\0b", "."])
def test_a_file_that_cannot_be_opened(tmp_path, name):
    with pytest.raises(FileError, match="cannot read"):
        list(TextFile(tmp_path / name, "").lines())


def test_numbers_are_what_python_reads_and_nothing_else():
    file = TextFile("x", "a file has numbers")
    for text in ("1", "-1.5e-3", "+.5", "5.", "1E3", "inf", "-Infinity"):
        assert file.number(text, 1) == float(text)
        assert is_number(text)
    for text in ("", "nan", "1_0", "0x1", "１", "1 2", "e5", "+-1", "1.0f", "*1"):
        with pytest.raises(FileError, match=r"x line 7: .* is no number; a file has numbers"):
            file.number(text, 7)
        assert not is_number(text)


def test_long_text_is_cut():
    assert shown("a" * 1000) == repr("a" * 40 + "…")
