"""Where the library in C lies, and numbers that tell it and its sources from others.

Nothing but the standard library is needed: `hatch_build.py` runs this before anything is installed.
"""

from __future__ import annotations

import sys
import zlib
from pathlib import Path

FOLDER = Path(__file__).with_name("native")
NAMES = {"win32": "loops.dll", "darwin": "loops.dylib"}
LIBRARY = FOLDER / NAMES.get(sys.platform, "loops.so")


def checksum(folder: Path = FOLDER) -> int | None:
    """Return the number of the sources; None where there are none, as in a wheel."""
    sources = sorted(folder.glob("*.[ch]"))
    if not sources:
        return None
    number = 0
    for source in sources:
        number = zlib.crc32(source.name.encode() + b"\0" + source.read_bytes(), number)
    return number


def stamp_of(library: Path = LIBRARY) -> Path:
    """Return the file beside a library that has its number and that of its sources."""
    return library.with_suffix(".crc32")


def stamp(library: Path) -> None:
    """Write down the numbers of a library that was just built."""
    numbers = zlib.crc32(library.read_bytes()), checksum(library.parent)
    stamp_of(library).write_text("{} {}\n".format(*numbers))


def is_intact(library: Path) -> bool:
    """Tell whether a library is the one that was built, and of the sources beside it.

    One that was cut off would end the process while it is loaded.
    """
    try:
        numbers = stamp_of(library).read_text().split()
        sources = checksum(library.parent)
        found = zlib.crc32(library.read_bytes()), numbers[-1] if sources is None else sources
    except (OSError, IndexError, UnicodeDecodeError):
        return False
    return numbers == list(map(str, found))
