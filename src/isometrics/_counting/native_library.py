"""Where the library in C lies, and a number that tells its sources apart.

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
    """Return the number of the sources, which a library carries; None where there are none.

    A wheel has the library alone.
    """
    sources = sorted(folder.glob("*.[ch]"))
    if not sources:
        return None
    number = 0
    for source in sources:
        number = zlib.crc32(source.name.encode() + b"\0" + source.read_bytes(), number)
    return number
