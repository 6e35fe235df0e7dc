"""Files that appear whole or not at all."""

from __future__ import annotations

import os
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from isometrics.errors import FileError

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def whole_file(path: str | os.PathLike[str], *, binary: bool = False) -> Iterator[IO[Any]]:
    """Open a file beside `path` that takes its place when the block ends without an error.

    Whatever happens inside the block, a half-written file is never seen under `path`, and none is
    left beside it.
    """
    target = Path(path)
    if target.is_dir():
        raise FileError(f"cannot write {str(target)!r}: it is a directory; name a file inside it")
    try:
        handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name[:100]}.")
    except OSError as error:
        raise FileError(_sentence(target, error)) from error
    temporary = Path(name)
    try:
        with os.fdopen(
            handle, "wb" if binary else "w", encoding=None if binary else "utf-8"
        ) as file:
            yield file
        temporary.chmod(0o666 & ~_umask())
        temporary.replace(target)
    except OSError as error:
        raise FileError(_sentence(target, error)) from error
    finally:
        temporary.unlink(missing_ok=True)


def _umask() -> int:
    """Return the permissions this process withholds; asking for them means setting them."""
    mask = os.umask(0o077)
    os.umask(mask)
    return mask


def _sentence(target: Path, error: OSError) -> str:
    reason = (error.strerror or str(error)).lower()
    return f"cannot write {str(target)!r}: {reason}; choose a folder that exists and has room"
