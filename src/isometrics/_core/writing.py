"""Files and folders that appear whole or not at all."""

from __future__ import annotations

import os
import re
import secrets
import shutil
import sys
import tempfile
from contextlib import contextmanager, suppress
from errno import EACCES, EPERM
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any
from weakref import finalize

from isometrics.errors import FileError, system_reason

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator
    from contextlib import AbstractContextManager


# Windows has other locks.
fcntl: Any = import_module("fcntl") if find_spec("fcntl") else None

_UNFINISHED: set[Path] = set()
"""Files and folders that must not outlive the process."""

_TEMPORARY = re.compile(r"(\..*\.)?isometrics-[0-9a-f]{16}", re.DOTALL)
_ATTEMPTS = 10
_LINKS = 40
"""How many links Linux follows before it takes them for a circle."""


@contextmanager
def whole_file(path: str | os.PathLike[str], *, binary: bool = False) -> Iterator[IO[Any]]:
    """Open a file beside `path` that takes its place when the block ends without an error.

    Whatever happens inside the block, a half-written file is never seen under `path`, and none is
    left beside it. A link is followed. A file that was there before passes its permissions and its
    owner on; where this process may not give files away, the old file is overwritten in place
    instead. What is not a regular file, such as a pipe, a device or a stream of this process
    (``/dev/stdout``), is written to as it is.
    """
    given, target = Path(path), Path(os.path.realpath(path))
    with _sentences(given), _writable(given, target, binary) as file:
        yield file


def _writable(given: Path, target: Path, binary: bool) -> AbstractContextManager[IO[Any]]:
    if (descriptor := _own_descriptor(given)) is not None:
        with suppress(AttributeError, OSError):
            sys.stdout.flush()  # what was printed before comes first
        return _opened(os.dup(descriptor), binary)
    if target.is_dir():
        raise FileError(f"cannot write {str(given)!r}: it is a directory; name a file inside it")
    if target.exists() and not target.is_file():
        return _opened(target, binary)
    return _beside(target, binary)


def _own_descriptor(path: Path) -> int | None:
    """Return the number of the open file of this process that a path such as /dev/stdout names.

    Opening it by its path would empty a regular file behind it, and replacing that file would
    hide what others write to it.
    """
    own = re.compile(rf"(?:/dev|/proc/{os.getpid()}(?:/task/\d+)?)/fd/(\d+)")
    for _ in range(_LINKS):
        path = Path(os.path.realpath(path.parent), path.name)
        if found := own.fullmatch(str(path)):
            return int(found[1])
        if not path.is_symlink():
            break
        path = path.parent / path.readlink()
    return None


@contextmanager
def _beside(target: Path, binary: bool) -> Iterator[IO[Any]]:
    before = target.stat() if target.exists() else None
    if before is not None and not os.access(target, os.W_OK):
        raise PermissionError(EACCES, os.strerror(EACCES))
    mode = 0o666 if before is None else before.st_mode & 0o777

    def create(path: Path) -> None:
        # The system withholds what the umask says.
        path.touch(mode | 0o600, exist_ok=False)

    with _temporary(target.parent, f".{target.name[:100]}.", create) as temporary:
        with _opened(temporary, binary) as file:
            yield file
        if before is None or _takes_after(temporary, target, before):
            temporary.replace(target)
        else:
            shutil.copyfile(temporary, target)


def _takes_after(temporary: Path, target: Path, before: os.stat_result) -> bool:
    """Give a file or folder the owner and permissions of another; tell whether that is allowed."""
    now = temporary.stat()
    if (now.st_uid, now.st_gid) != (before.st_uid, before.st_gid):
        try:
            os.chown(temporary, before.st_uid, before.st_gid)
        except OSError:
            return False
    # Access control lists are extended attributes; without them the mode would mean another thing.
    for name in getattr(os, "listxattr", _no_attributes)(target):
        with suppress(OSError):
            os.setxattr(temporary, name, os.getxattr(target, name))
    temporary.chmod(before.st_mode & 0o7777)
    return True


def _no_attributes(_: Path) -> tuple[str, ...]:
    return ()


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
        with _temporary(target.parent, f".{target.name[:100]}.", Path.mkdir) as temporary:
            yield temporary
            # What came into the old folder in the meantime is not ours to remove.
            _refuse_others(given, target, names)
            if target.exists() and not _takes_after(temporary, target, target.stat()):
                raise PermissionError(EPERM, os.strerror(EPERM))
            _exchange(temporary, target)


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
    _remove(aside)


def _opened(target: Path | int, binary: bool) -> IO[Any]:
    # A name from the file system may hold what is no text; it is written as an escape.
    text: Any = {"mode": "w", "encoding": "utf-8", "errors": "backslashreplace"}
    how: Any = {"mode": "wb"} if binary else text
    file: IO[Any] = open(target, **how)  # noqa: PTH123, SIM115
    return file


@contextmanager
def _sentences(given: Path) -> Iterator[None]:
    """Say in one sentence what the system has against writing."""
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        raise FileError(
            f"cannot write {str(given)!r}: {system_reason(error)}; choose a folder that exists and "
            "has room"
        ) from error


# ---------------------------------------------------------------------- temporary files


class ScratchFolder:
    """A folder for intermediate files that `remove_unfinished` removes, too."""

    def __init__(self) -> None:
        scratch = _temporary(Path(tempfile.gettempdir()), "", lambda path: path.mkdir(0o700))
        self.name = str(scratch.__enter__())
        self._remove = finalize(self, scratch.__exit__, None, None, None)

    def cleanup(self) -> None:
        """Remove the folder with all that is in it."""
        self._remove()

    def __enter__(self) -> str:
        """Return the path of the folder."""
        return self.name

    def __exit__(self, *_: object) -> None:
        """Remove the folder with all that is in it."""
        self.cleanup()


@contextmanager
def _temporary(folder: Path, prefix: str, create: Callable[[Path], None]) -> Iterator[Path]:
    """Create a file or a folder that is removed after the block, if it is still there.

    It is locked as long as this process lives. What another process left behind when it was
    killed looks the same but is locked by nobody, and is removed first.
    """
    remove_abandoned(folder)
    path, lock = _created(folder, prefix, create)
    try:
        yield path
    finally:
        _remove(path)
        _UNFINISHED.discard(path)
        _unlock(lock)


def _created(folder: Path, prefix: str, create: Callable[[Path], None]) -> tuple[Path, int | None]:
    while True:
        path = folder / f"{prefix}isometrics-{secrets.token_hex(8)}"
        # A signal may come at any time, so it is registered before it is there.
        _UNFINISHED.add(path)
        try:
            create(path)
        except OSError:
            _UNFINISHED.discard(path)
            raise
        lock = _lock(path, wait=True)
        if path.exists():
            return path, lock
        # Before it was locked, another process took it for abandoned.
        _UNFINISHED.discard(path)
        _unlock(lock)


def _lock(path: Path, *, wait: bool) -> int | None:
    """Lock a file or a folder until the process ends, however it ends; None if that fails."""
    if fcntl is None:
        return None
    descriptor = None
    try:
        # No link is followed, and no pipe is waited for.
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        fcntl.flock(descriptor, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        _unlock(descriptor)
        return None
    return descriptor


def _unlock(descriptor: int | None) -> None:
    if descriptor is not None:
        os.close(descriptor)


def remove_abandoned(folder: Path | None = None) -> None:
    """Remove this user's temporary files and folders whose processes were killed.

    Parameters
    ----------
    folder
        Where to look; by default where scratch folders are.
    """
    if fcntl is None:
        return
    with suppress(OSError):
        folder = Path(tempfile.gettempdir()) if folder is None else folder
        for path in [each for each in folder.iterdir() if _TEMPORARY.fullmatch(each.name)]:
            own = path.lstat().st_uid == os.geteuid()
            if own and (lock := _lock(path, wait=False)) is not None:
                _remove(path)
                _unlock(lock)


def remove_unfinished() -> None:
    """Remove what is half-written, in a process that ends without leaving its blocks."""
    for path in tuple(_UNFINISHED):
        _remove(path)


def _remove(path: Path) -> None:
    if path.is_dir():
        # While it is emptied, another thread may still write into it.
        for _ in range(_ATTEMPTS):
            shutil.rmtree(path, ignore_errors=True)
            if not path.exists():
                break
    else:
        with suppress(OSError):
            path.unlink(missing_ok=True)
