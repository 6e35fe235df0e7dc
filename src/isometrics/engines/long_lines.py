"""Text whose lines are too long to be rows: refused before DuckDB tries every way to split it."""

from __future__ import annotations

import gzip
import zlib
from contextlib import suppress
from typing import TYPE_CHECKING, BinaryIO, cast

from isometrics.engines.sources import reading
from isometrics.errors import FileError

if TYPE_CHECKING:
    from pathlib import Path

LONGEST = 2**21
"""The longest line that DuckDB takes."""

_LOOKED_AT = 4 * LONGEST
_GZIP = b"\x1f\x8b"
_ZSTD = b"\x28\xb5\x2f\xfd"


def refuse_long_lines(path: Path) -> None:
    """Refuse a file that has a line without end among its first megabytes.

    Finding out how such a line is separated and quoted would take DuckDB minutes.
    """
    with reading(str(path)):
        start = start_of(path)
    at = 0
    while at + LONGEST < len(start):
        end = max(start.rfind(mark, at, at + LONGEST) for mark in (b"\n", b"\r"))
        if end < 0:
            raise FileError(
                f"cannot read {str(path)!r}: it has a line of more than {LONGEST:,} bytes, so it "
                "is no table of predictions"
            )
        at = end + 1


def start_of(path: Path) -> bytes:
    """Return the first megabytes of a file, decompressed; nothing if the archive is broken."""
    file = opened(path)
    # What is wrong with an archive is said by who reads all of it.
    with suppress(EOFError, OSError, zlib.error), file:
        return file.read(_LOOKED_AT)
    return b""


def opened(path: Path) -> BinaryIO:
    """Open a file of bytes; one that is compressed by gzip or Zstandard is decompressed."""
    with path.open("rb") as file:
        first = file.read(len(_ZSTD))
    if first.startswith(_GZIP):
        return cast("BinaryIO", gzip.open(path))
    if first == _ZSTD:
        import pyarrow as pa

        return cast("BinaryIO", pa.CompressedInputStream(str(path), "zstd"))
    return path.open("rb")
