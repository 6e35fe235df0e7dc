"""Files and folders that appear whole or not at all."""

from __future__ import annotations

import os
import shutil
import tempfile
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from isometrics.errors import FileError

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator


_UNFINISHED: set[Path] = set()
"""Files and folders that must not outlive the process."""


@contextmanager
def whole_file(path: str | os.PathLike[str], *, binary: bool = False) -> Iterator[IO[Any]]:
    """Open a file beside `path` that takes its place when the block ends without an error.

    Whatever happens inside the block, a half-written file is never seen under `path`, and none is
    left beside it. A link is followed. What is no file, such as a pipe, is written to as it is.
    """
    given, target = Path(path), Path(os.path.realpath(path))
    if target.is_dir():
        raise FileError(f"cannot write {str(given)!r}: it is a directory; name a file inside it")
    device = target.exists() and not target.is_file()
    with _sentences(given), _opened(target, binary) if device else _beside(target, binary) as file:
        yield file


@contextmanager
def _beside(target: Path, binary: bool) -> Iterator[IO[Any]]:
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name[:100]}.")
    temporary = Path(name)
    register_unfinished(temporary)
    try:
        with _opened(handle, binary) as file:
            yield file
        temporary.chmod(0o666 & ~_umask())
        temporary.replace(target)
    finally:
        temporary.unlink(missing_ok=True)
        discard_unfinished(temporary)


@contextmanager
def whole_folder(path: str | os.PathLike[str], *, names: Collection[str]) -> Iterator[Path]:
    """Make a folder beside `path` that takes its place when the block ends without an error.

    A folder that is already there is replaced as a whole, but only if all in it goes by these
    names: a folder of other things is never touched. A link is followed.
    """
    given, target = Path(path), Path(os.path.realpath(path))
    _refuse_others(given, target, names)
    with _sentences(given):
        target.parent.mkdir(parents=True, exist_ok=True)
        temporary = Path(tempfile.mkdtemp(dir=target.parent, prefix=f".{target.name[:100]}."))
    register_unfinished(temporary)
    try:
        with _sentences(given):
            yield temporary
            temporary.chmod(0o777 & ~_umask())
            # What came into the old folder in the meantime is not ours to remove.
            _refuse_others(given, target, names)
            _exchange(temporary, target)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)
        discard_unfinished(temporary)


def _refuse_others(given: Path, target: Path, names: Collection[str]) -> None:
    if not target.exists():
        return
    if not target.is_dir():
        raise FileError(f"cannot make the folder {str(given)!r}: there is a file of that name")
    others = sorted(entry.name for entry in target.iterdir() if entry.name not in names)
    if others:
        raise FileError(
            f"cannot write into the folder {str(given)!r}: it holds other things, such as "
            f"{others[0]!r}; choose a new or an empty one"
        )


def _exchange(new: Path, target: Path) -> None:
    """Put a folder in the place of another one, which goes back if that fails."""
    if not target.exists():
        new.rename(target)
        return
    aside = new.with_name(f"{new.name}.old")
    target.rename(aside)
    try:
        new.rename(target)
    except OSError:
        aside.rename(target)
        raise
    shutil.rmtree(aside, ignore_errors=True)


def _opened(target: Path | int, binary: bool) -> IO[Any]:
    # A name from the file system may hold what is no text; it is written as an escape.
    text: Any = {"mode": "w", "encoding": "utf-8", "errors": "backslashreplace"}
    how: Any = {"mode": "wb"} if binary else text
    file: IO[Any] = os.fdopen(target, **how) if isinstance(target, int) else target.open(**how)
    return file


@contextmanager
def _sentences(given: Path) -> Iterator[None]:
    """Say in one sentence what the system has against writing."""
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise FileError(
            f"cannot write {str(given)!r}: {reason}; choose a folder that exists and has room"
        ) from error


class ScratchFolder(tempfile.TemporaryDirectory[str]):
    """A folder for intermediate files that `remove_unfinished` removes, too."""

    def __init__(self) -> None:
        super().__init__(prefix="isometrics-")
        register_unfinished(Path(self.name))

    def cleanup(self) -> None:
        """Remove the folder with all that is in it."""
        super().cleanup()
        discard_unfinished(Path(self.name))


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
