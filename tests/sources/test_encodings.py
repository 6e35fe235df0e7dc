"""Text in UTF-16 is refused, packed or not, and so are long lines and ones that end differently."""

import gzip
from contextlib import closing

import pyarrow as pa
import pytest

import isometrics as iso
from isometrics.errors import FileError
from isometrics.sources.files import open_source
from isometrics.sources.text_files import LONGEST

ROWS = [f"{row % 2},{row / 64}" for row in range(60)]
TEXT = "\n".join(["label,score", *ROWS, ""])
PACKED = {
    "": bytes,
    ".gz": gzip.compress,
    ".zst": lambda text: pa.compress(text, codec="zstd", asbytes=True),
}


def read(path):
    with closing(open_source(path)) as source:
        source.settle(source.schema.names, source.schema.names)
        return pa.Table.from_batches(source.batches(source.schema.names), source.schema)


@pytest.mark.parametrize("suffix", PACKED)
@pytest.mark.parametrize("name", ["a.csv", "a.jsonl"])
@pytest.mark.parametrize(
    ("mark", "encoding"),
    [("\ufeff", "utf-16-le"), ("\ufeff", "utf-16-be"), ("", "utf-16-le"), ("", "utf-16-be")],
)
def test_utf_16_is_refused_in_one_sentence(tmp_path, name, suffix, *, mark, encoding):
    text = TEXT if name == "a.csv" else '{"label": 1, "score": 0.5}\n' * 9
    path = tmp_path / f"{name}{suffix}"
    path.write_bytes(PACKED[suffix](text.encode()))
    assert read(path).schema.names == ["label", "score"]
    path.write_bytes(PACKED[suffix](f"{mark}{text}".encode(encoding)))
    with pytest.raises(FileError) as error:
        iso.read_predictions(path)
    assert str(error.value) == f"cannot read '{path}': it is text in UTF-16; save it as UTF-8"


def ended(ends, lines=(*["label,score"], *ROWS)):
    return "".join(f"{line}{ends(number)}" for number, line in enumerate(lines)).encode()


MIXED = {
    "in turns": lambda number: "\r\n" if number % 2 else "\n",
    "the header": lambda number: "\n" if number else "\r\n",
    "one": lambda number: "\n" if number == 30 else "\r\n",
    "the last": lambda number: "\r\n" if number == 60 else "\n",
    **{
        f"a return on line {place + 1}, {ends!r}": lambda number, place=place, ends=ends: (
            "\r" if number == place else ends
        )
        for place in (0, 30, 59)
        for ends in ("\n", "\r\n")
    },
}


@pytest.mark.parametrize("suffix", PACKED)
@pytest.mark.parametrize("ends", MIXED.values(), ids=MIXED)
def test_lines_that_end_in_several_ways_are_refused(tmp_path, ends, suffix):
    path = tmp_path / f"mixed.csv{suffix}"
    path.write_bytes(PACKED[suffix](ended(ends)))
    with pytest.raises(FileError, match=r"some lines end in another way than others, of \\r\\n, "):
        iso.read_predictions(path)


def test_line_breaks_within_quotes_may_be_others(tmp_path):
    path = tmp_path / "a.csv"
    path.write_bytes(b'label,score,text\r\n1,0.5,"a\nb"\r\n0,0.25,"\r"\r\n')
    assert read(path)["text"].to_pylist() == ["a\nb", "\r"]


def test_returns_alone_end_lines(tmp_path):
    (tmp_path / "unix.csv").write_text(TEXT)
    (tmp_path / "old.csv").write_text(TEXT.replace("\n", "\r"), newline="")
    assert read(tmp_path / "old.csv").equals(read(tmp_path / "unix.csv"))


@pytest.mark.parametrize("end", [b"\n", b"\r"])
@pytest.mark.parametrize("joined", [True, False])
def test_other_ends_of_lines_deep_in_a_long_file(tmp_path, end, joined):
    """Of all lines of a file that was joined, or of one: behind the first megabytes, too."""
    half = ended(lambda _: "\r\n", ROWS) * (6 * LONGEST // 600)
    path = tmp_path / "long.csv"
    rest = half.replace(b"\r\n", end) if joined else b"1,0.5" + end + half
    path.write_bytes(b"label,score\r\n" + half + rest)
    with pytest.raises(FileError, match=r"some lines end in another way than others") as refused:
        iso.read_predictions(path)
    assert "\n" not in str(refused.value)


def test_of_several_files_each_has_one_kind_of_lines(tmp_path):
    (tmp_path / "a.csv").write_bytes(ended(MIXED["one"]))
    (tmp_path / "b.csv").write_text(TEXT)
    with pytest.raises(FileError, match="some lines end in another way than others"):
        iso.read_predictions(tmp_path)


HEADER, ROW = b"label,score\n", b"1,0.5\n"


@pytest.mark.slow
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
