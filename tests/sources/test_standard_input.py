"""What arrives on standard input has no name, and is known by how it begins."""

import gzip

import pyarrow as pa
import pytest

import isometrics as iso

CSV = b"label,score\n1,0.9\n0,0.8\n1,0.7\n0,0.1\n"
LINES = b"".join(
    b'{"label": %d, "score": %s}\n' % row
    for row in ((1, b"0.9"), (0, b"0.8"), (1, b"0.7"), (0, b"0.1"))
)


@pytest.mark.parametrize(
    "content", [CSV, LINES, gzip.compress(CSV)], ids=["CSV", "JSON lines", "compressed"]
)
def test_text_is_recognised(content, standard_input):
    standard_input(content)
    analysis = iso.read_predictions("-")
    assert analysis.models["score"].roc.area() == 0.75
    assert analysis.description.startswith("standard input: label")


def test_compressed_by_zstd(standard_input, tmp_path):
    path = tmp_path / "x.zst"
    with pa.CompressedOutputStream(str(path), "zstd") as stream:
        stream.write(CSV)
    standard_input(path.read_bytes())
    assert iso.read_predictions("-").models["score"].roc.area() == 0.75
