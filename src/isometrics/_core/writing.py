"""Files that are written completely or not at all, and folders for intermediate ones."""

from __future__ import annotations

import os
import re
import secrets
import shutil
import sys
import tempfile
from contextlib import contextmanager, suppress
from errno import EACCES
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any
from weakref import finalize

from isometrics.errors import Advice, FileError, ParameterError, system_reason

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager


# Windows has no fcntl.
fcntl: Any = import_module("fcntl") if find_spec("fcntl") else None

_UNFINISHED: set[Path] = set()
"""Files and folders that must be removed before the process ends."""

_LONGEST_PREFIX = 100
_TEMPORARY_NAME = re.compile(r"(\..*\.)?isometrics-[0-9a-f]{16}", re.DOTALL)
_REMOVAL_ATTEMPTS = 10
_MAX_LINKS = 40
"""The number of links that Linux follows before it reports a loop."""


def as_path(path: object) -> Path:
    """Convert to a path; refuse what can name no file."""
    try:
        converted = Path(path)  # type: ignore[arg-type]
        encoded = os.fsencode(converted)
    except TypeError:
        raise ParameterError(
            f"must name a file but is {path!r}; give a text or a Path", parameter="path"
        ) from None
    except UnicodeEncodeError:
        encoded = b"\0"
    if b"\0" in encoded:
        raise ParameterError(
            f"must name a file but is {path!r}, which no file can be called; choose another name",
            parameter="path",
        )
    return converted


@contextmanager
def whole_file(path: str | os.PathLike[str], *, binary: bool = False) -> Iterator[IO[Any]]:
    """Open a temporary file that replaces `path` when the block ends without an error.

    Whatever happens inside the block, there is never an incomplete file under `path`, and no
    temporary file remains. Links are followed. The permissions and the owner of an existing file
    are preserved; where this process is not allowed to set the owner, the existing file is
    overwritten in place. If `path` is not a regular file but a pipe, a device or a stream of this
    process (``/dev/stdout``), it is written to directly.
    """
    requested = as_path(path)
    target = Path(os.path.realpath(requested))
    with _file_errors(requested), _open_target(requested, target, binary) as file:
        yield file


def _open_target(requested: Path, target: Path, binary: bool) -> AbstractContextManager[IO[Any]]:
    if (descriptor := _own_descriptor(requested)) is not None:
        with suppress(AttributeError, OSError):
            sys.stdout.flush()  # text printed before must come first
        return _open(os.dup(descriptor), binary)
    if target.is_dir():
        raise FileError(
            f"cannot write {str(requested)!r}: it is a directory; name a file inside it"
        )
    if target.exists() and not target.is_file():
        return _open(target, binary)
    return _replacing(target, binary)


def _own_descriptor(path: Path) -> int | None:
    """Return the file descriptor of this process that a path such as /dev/stdout stands for.

    If the stream is redirected to a regular file, opening it by its path would empty that file,
    and replacing it would hide what others write to it.
    """
    own = re.compile(rf"(?:/dev|/proc/{os.getpid()}(?:/task/\d+)?)/fd/(\d+)")
    for _ in range(_MAX_LINKS):
        path = Path(os.path.realpath(path.parent), path.name)
        if match := own.fullmatch(str(path)):
            return int(match[1])
        if not path.is_symlink():
            break
        path = path.parent / path.readlink()
    return None


@contextmanager
def _replacing(target: Path, binary: bool) -> Iterator[IO[Any]]:
    """Open a temporary file that replaces a regular file, or creates it."""
    existing = target.stat() if target.exists() else None
    if existing is not None and not os.access(target, os.W_OK):
        raise PermissionError(EACCES, os.strerror(EACCES))
    mode = 0o666 if existing is None else existing.st_mode & 0o777

    def create(path: Path) -> None:
        # The umask applies to the mode.
        path.touch(mode | 0o600, exist_ok=False)

    prefix = f".{target.name[:_LONGEST_PREFIX]}."
    with _temporary(target.parent, prefix, create) as temporary:
        with _open(temporary, binary) as file:
            yield file
        if existing is None or _copy_ownership(temporary, target, existing):
            temporary.replace(target)
        else:
            shutil.copyfile(temporary, target)


def _copy_ownership(temporary: Path, target: Path, existing: os.stat_result) -> bool:
    """Copy the owner and permissions of a file; return False if that is not allowed."""
    created = temporary.stat()
    if (created.st_uid, created.st_gid) != (existing.st_uid, existing.st_gid):
        try:
            os.chown(temporary, existing.st_uid, existing.st_gid)
        except OSError:
            return False
    # Access control lists are extended attributes; without them the mode has another meaning.
    for name in getattr(os, "listxattr", _no_attributes)(target):
        with suppress(OSError):
            os.setxattr(temporary, name, os.getxattr(target, name))
    temporary.chmod(existing.st_mode & 0o7777)
    return True


def _no_attributes(_: Path) -> tuple[str, ...]:
    return ()


def _open(target: Path | int, binary: bool) -> IO[Any]:
    # Bytes of file names that are not valid text are written as escapes.
    text: Any = {"mode": "w", "encoding": "utf-8", "errors": "backslashreplace"}
    options: Any = {"mode": "wb"} if binary else text
    file: IO[Any] = open(target, **options)  # noqa: PTH123, SIM115
    return file


@contextmanager
def _file_errors(requested: Path) -> Iterator[None]:
    """Convert errors of the operating system to FileError."""
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        raise FileError(
            f"cannot write {str(requested)!r}: {system_reason(error)}; choose a folder that exists "
            "and has room"
        ) from error


# ---------------------------------------------------------------------- temporary files


class ScratchFolder:
    """A folder for intermediate files, which `remove_unfinished` removes too."""

    def __init__(self) -> None:
        scratch = _temporary(Path(tempfile.gettempdir()), "", lambda path: path.mkdir(0o700))
        self.name = str(scratch.__enter__())
        self._remove = finalize(self, scratch.__exit__, None, None, None)

    def cleanup(self) -> None:
        """Remove the folder with its contents."""
        self._remove()

    def __enter__(self) -> str:
        """Return the path of the folder."""
        return self.name

    def __exit__(self, *_: object) -> None:
        """Remove the folder with its contents."""
        self.cleanup()


@contextmanager
def scratch_errors(folder: str, what: str) -> Iterator[None]:
    """Say what could not be written into a scratch folder, and what to do about it."""
    try:
        yield
    except OSError as error:
        raise FileError(
            f"cannot write {what} to {folder!r}: {system_reason(error)}",
            Advice("set TMPDIR to a folder with room, or raise {memory_limit}"),
        ) from error


@contextmanager
def _temporary(folder: Path, prefix: str, create: Callable[[Path], None]) -> Iterator[Path]:
    """Create a file or a folder that is removed after the block, if it still exists.

    It is locked as long as this process runs. Files of processes that were killed have similar
    names but no lock, and are removed first.
    """
    remove_abandoned(folder)
    path, lock = _create_locked(folder, prefix, create)
    try:
        yield path
    finally:
        _remove(path)
        _UNFINISHED.discard(path)
        _unlock(lock)


def _create_locked(
    folder: Path, prefix: str, create: Callable[[Path], None]
) -> tuple[Path, int | None]:
    while True:
        path = folder / f"{prefix}isometrics-{secrets.token_hex(8)}"
        # A signal may arrive at any time, so the path is registered before it exists.
        _UNFINISHED.add(path)
        try:
            create(path)
        except OSError:
            _UNFINISHED.discard(path)
            raise
        lock = _lock(path, wait=True)
        if path.exists():
            return path, lock
        # Another process removed it as abandoned before it was locked.
        _UNFINISHED.discard(path)
        _unlock(lock)


def _lock(path: Path, *, wait: bool) -> int | None:
    """Lock a file or a folder until the process ends, however it ends; None if that fails."""
    if fcntl is None:
        return None
    descriptor = None
    try:
        # Do not follow links, and do not wait for pipes.
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
        The folder to search; by default that of scratch folders.
    """
    if fcntl is None:
        return
    with suppress(OSError):
        folder = Path(tempfile.gettempdir()) if folder is None else folder
        for path in list(folder.iterdir()):
            if not _TEMPORARY_NAME.fullmatch(path.name):
                continue
            own = path.lstat().st_uid == os.geteuid()
            if own and (lock := _lock(path, wait=False)) is not None:
                _remove(path)
                _unlock(lock)


def remove_unfinished() -> None:
    """Remove unfinished files, in a process that ends without leaving its blocks."""
    for path in tuple(_UNFINISHED):
        _remove(path)


def _remove(path: Path) -> None:
    if path.is_dir():
        # Another thread may still write into the folder while it is emptied.
        for _ in range(_REMOVAL_ATTEMPTS):
            shutil.rmtree(path, ignore_errors=True)
            if not path.exists():
                break
    else:
        with suppress(OSError):
            path.unlink(missing_ok=True)
