"""What the library in C is asked for, and what is said where it cannot be."""

import _ctypes
import shutil
import subprocess
import sys
import zlib
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import isometrics as iso
from isometrics._counting import native
from isometrics._counting.native import checksum
from isometrics.errors import ParameterError

load = native.library.__wrapped__


def not_aligned(array):
    """Return the same numbers at an odd address."""
    return np.frombuffer(b"." + array.tobytes(), array.dtype, offset=1)


def test_a_library_that_is_not_there_or_none_is_left_out(tmp_path):
    """Nor one that nobody stamped, and a stamped file that is none."""
    library = tmp_path / "loops.so"
    assert load(library) is None
    library.write_text("of another machine")
    assert load(library) is None
    library.with_suffix(".crc32").write_text(f"{zlib.crc32(library.read_bytes())} 1")
    assert load(library) is None
    assert load(Path(_ctypes.__file__)) is None


@pytest.mark.usefixtures("compiled_loops")
@pytest.mark.parametrize("kept", [0, 4096, 0.5, -1])
def test_a_library_that_was_cut_off_is_left_out(tmp_path, kept):
    """To load it would kill Python, so it is done in a process of its own."""
    folder = shutil.copytree(native.LIBRARY.parent, tmp_path / "native")
    library = folder / native.LIBRARY.name
    content = library.read_bytes()
    library.write_bytes(content[: int(kept * len(content)) if 0 < kept < 1 else kept])
    program = f"""
from pathlib import Path
from isometrics._counting import native
print(native.library(Path({str(library)!r})))
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)
    assert done.stdout == b"None\n"


@pytest.mark.usefixtures("compiled_loops")
def test_a_library_of_other_sources_is_left_out(tmp_path, monkeypatch):
    folder = shutil.copytree(native.LIBRARY.parent, tmp_path / "native")
    library = folder / native.LIBRARY.name
    assert load(library) is not None
    stamp = library.with_suffix(".crc32")
    right = stamp.read_text()
    for text in ("", "1", "\xff", "0 0"):
        stamp.write_text(text, encoding="latin-1")
        assert load(library) is None
    stamp.write_text(right)
    with (folder / "loops.h").open("a") as source:
        source.write("\n")
    assert load(library) is None
    for source in folder.glob("*.[ch]"):
        source.unlink()
    assert load(library) is not None  # as in a wheel
    monkeypatch.setattr(native, "sys", SimpleNamespace(maxsize=2**31 - 1))
    assert load(library) is None


def test_sources_are_told_apart_by_what_they_say_and_by_their_names(tmp_path):
    assert checksum(tmp_path) is None
    seen = set()
    for name, text in (("a.c", "x"), ("a.c", "y"), ("b.h", "y"), ("b.h", "")):
        (tmp_path / name).write_text(text)
        seen.add(checksum(tmp_path))
    assert len(seen) == 4


def test_a_loop_says_that_the_library_is_missing(monkeypatch):
    monkeypatch.setattr(native, "library", lambda: None)
    with pytest.raises(ParameterError, match="the compiled loops are missing, damaged or"):
        native.Loop("hull")()


@pytest.mark.usefixtures("compiled_loops")
@pytest.mark.parametrize(
    ("counts", "said"),
    [
        (np.arange(4.0), "int64"),
        (np.arange(8)[::2], "contiguous"),
        (not_aligned(np.arange(4)), "aligned"),
        ([0, 1, 2, 3], "int64"),
        (None, "int64"),
    ],
)
def test_an_array_of_another_kind_never_reaches_a_loop(counts, said):
    room = np.empty(4, np.int64)
    with pytest.raises(Exception, match=said):
        native.hull(np.arange(4), counts, 4, room, room.copy())


@pytest.mark.usefixtures("compiled_loops")
def test_rows_may_lie_apart_but_are_contiguous_themselves():
    weights = np.ones((2, 6))
    others = (weights.astype(np.float32), weights[:, ::2], weights[0])
    for positive in (None, *others, not_aligned(weights).reshape(2, 6)):
        with pytest.raises(Exception, match="rows of"):
            native.fill_areas(positive, 6, weights, 6, 2, 3, None, None, None, 0.0, 1, None)


@pytest.mark.usefixtures("compiled_loops")
@pytest.mark.parametrize("size", [50, 40_000])
def test_samples_at_odd_addresses_are_counted(size):
    generator = np.random.default_rng(size)
    scores = generator.normal(size=size)
    labels = generator.random(size) < 0.3
    expected = iso.area_scores(labels, scores)
    assert iso.area_scores(labels, not_aligned(scores)) == expected
    # Any byte other than 0 is true.
    bytes_ = np.where(labels, 255, 0).astype(np.uint8).view(np.bool_)
    assert iso.area_scores(bytes_, scores) == expected


@pytest.mark.usefixtures("compiled_loops")
@pytest.mark.parametrize("weighted", [False, True])
def test_any_byte_other_than_0_is_a_positive_of_rules(weighted):
    generator = np.random.default_rng(9)
    labels = generator.random(300) < 0.3
    models = {"score": generator.normal(labels)}
    weights = generator.random(300) + 0.5 if weighted else None
    bytes_ = np.where(labels, 255, 0).astype(np.uint8).view(np.bool_)
    one, other = (
        iso.analyse(given, models, sample_weight=weights).verdict(n_resamples=20, kernel="compiled")
        for given in (labels, bytes_)
    )
    assert one.to_dict() == other.to_dict()
