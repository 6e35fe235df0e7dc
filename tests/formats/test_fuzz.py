"""Files that are damaged in any way are read or refused; nothing else happens."""

import gzip
import io

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from isometrics import IsometricsError, formats

ARFF = b"""@relation r
@attribute repeat numeric
@attribute 'fold' numeric
@attribute row_id numeric
@attribute prediction {'a',"b"}
@attribute correct {'a',"b"}
@attribute 'confidence.a' numeric
@attribute confidence.b numeric
@data
0,0,1,"a",'a',0.5,0.5
0,1,2,b,b,0.25,0.75
0,1,3,'a',b,1,0
"""
WEKA = b"""inst#,actual,predicted,error,distribution,
1,1:a,1:a,,*0.75,0.25
2,2:b,1:a,+,*0.5,0.5
3,2:b,2:b,,0.1,*0.9
"""


def archived(**arrays):
    buffer = io.BytesIO()
    np.savez_compressed(buffer, **arrays)
    return buffer.getvalue()


TOTALS = {"positives": 4, "negatives": 6}
FILES = {
    "list": (b"0.9 1\n0.8\t0\n0.7,1\n-1e-3 0\n", {}),
    "PR": (b"0.25\t1.0\n0.5\t0.5\n1\t0.4\n", TOTALS),
    "ROC": (b"0 0\n0.5\t0.25\n1,1\n", TOTALS),
    ".pr": (b"0.25\t1.0\n0.5\t0.5\n1.0\t0.4\n", TOTALS),
    ".roc": (b"0\t0\n0.0\t0.25\n1.0\t1.0\n", TOTALS),
    ".spr": (b"0.01\t1.0\n0.5\t0.5\n1.0\t0.4\n", TOTALS),
    "openml": (ARFF, {"pos_label": "a"}),
    "weka": (WEKA, {"pos_label": "b"}),
    "npz": (archived(y=np.array(["a", "b"]), proba=np.eye(2)), {"pos_label": "a"}),
}
HOSTILE = [
    b"\0",
    b"\xff\xfe",
    b"1e999",
    b"9" * 400,
    b"-",
    b"nan",
    b"'",
    b'"',
    b"\\",
    b"{",
    b"%",
    b"\r",
]


@st.composite
def damaged(draw, content):
    """Change bytes, cut, drop and repeat lines, or put something strange anywhere."""
    data = bytearray(content)
    for _ in range(draw(st.integers(1, 3))):
        at = draw(st.integers(0, len(data)))
        kind = draw(st.sampled_from(["flip", "cut", "insert", "drop", "repeat", "gzip"]))
        lines = bytes(data).split(b"\n")
        line = draw(st.integers(0, len(lines) - 1))
        if kind == "flip" and at < len(data):
            data[at] ^= draw(st.integers(1, 255))
        elif kind == "cut":
            del data[at:]
        elif kind == "insert":
            data[at:at] = draw(st.sampled_from(HOSTILE) | st.binary(max_size=5))
        elif kind == "drop":
            data = bytearray(b"\n".join(lines[:line] + lines[line + 1 :]))
        elif kind == "repeat":
            data = bytearray(b"\n".join(lines[: line + 1] + lines[line:]))
        elif kind == "gzip":
            data = bytearray(gzip.compress(bytes(data), mtime=0))
    return bytes(data)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("fuzz")


def refusal(read):
    """Return why a file is refused, or nothing where it is read and counted."""
    try:
        table = read()
        if isinstance(table, formats.Predictions):
            table.points()
    except IsometricsError as error:
        return str(error)
    return ""


def test_every_format_is_damaged():
    assert set(FILES) == set(formats.FORMATS)


@pytest.mark.parametrize("name", FILES)
def test_the_whole_file_is_read(folder, name):
    (folder / "whole").write_bytes(FILES[name][0])
    assert len(formats.read(folder / "whole", name, **FILES[name][1])) > 1


@pytest.mark.parametrize("name", FILES)
@given(data=st.data())
def test_a_damaged_file_is_read_or_refused(folder, name, data):
    content = data.draw(damaged(FILES[name][0]))
    path = folder / f"damaged{name}"
    path.write_bytes(content)
    formats.sniff(path)
    message = refusal(lambda: formats.read(path, name, **FILES[name][1]))
    assert "\n" not in message
