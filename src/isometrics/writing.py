"""Files that appear whole or not at all."""

from __future__ import annotations

import os
import shutil
import tempfile
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from isometrics.errors import FileError

if TYPE_CHECKING:
    from collections.abc import Iterator


_UNFINISHED: set[Path] = set()
"""Files and folders that must not outlive the process."""


@contextmanager
def whole_file(path: str | os.PathLike[str], *, binary: bool = False) -> Iterator[IO[Any]]:
    """Open a file beside `path` that takes its place when the block ends without an error.

    Whatever happens inside the block, a half-written file is never seen under `path`, and none is
    left beside it. A link is followed. What is no file, such as a pipe, is written to as it is.
    """
    target = Path(os.path.realpath(path))
    if target.is_dir():
        raise FileError(f"cannot write {str(target)!r}: it is a directory; name a file inside it")
    if target.exists() and not target.is_file():
        with _to_device(target, binary) as device:
            yield device
        return
    try:
        handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name[:100]}.")
    except OSError as error:
        raise FileError(_sentence(target, error)) from error
    temporary = Path(name)
    register_unfinished(temporary)
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
        discard_unfinished(temporary)


@contextmanager
def _to_device(target: Path, binary: bool) -> Iterator[IO[Any]]:
    try:
        with target.open("wb" if binary else "w", encoding=None if binary else "utf-8") as file:
            yield file
    except OSError as error:
        raise FileError(_sentence(target, error)) from error


def register_unfinished(path: Path) -> None:
    """Take note of a file or folder that `remove_unfinished` should remove."""
    _UNFINISHED.add(path)


def discard_unfinished(path: Path) -> None:
    """Forget about a file or folder that has been removed or is complete."""
    _UNFINISHED.discard(path)


def remove_unfinished() -> None:
    """Remove what is half-written, in a process that ends without leaving its blocks."""
    for path in tuple(_UNFINISHED):
        if path.is_dir():
            shutil.rmtree(path, ignore_errors=True)
        else:
            with suppress(OSError):
                path.unlink(missing_ok=True)


def _umask() -> int:
    """Return the permissions this process withholds; asking for them means setting them."""
    mask = os.umask(0o077)
    os.umask(mask)
    return mask


def _sentence(target: Path, error: OSError) -> str:
    reason = (error.strerror or str(error)).lower()
    return f"cannot write {str(target)!r}: {reason}; choose a folder that exists and has room"
