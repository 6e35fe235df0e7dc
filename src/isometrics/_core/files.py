"""Files and folders that are written completely or not at all; JSON to the last bit of a number."""

from __future__ import annotations

import json
import math
import os
import secrets
import shutil
import sys
import tempfile
from contextlib import contextmanager, suppress
from errno import EACCES
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, NoReturn, TypeVar
from weakref import finalize

from isometrics.errors import Advice, FileError, ParameterError, system_reason

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Parsed = TypeVar("Parsed")


STANDARD_OUTPUT = "-"
_STREAM_PREFIXES = ("/dev/std", "/dev/fd/", "/proc/")
"""How the names of open files of a process begin, which may be redirected to regular files."""
_LONGEST_PREFIX = 100


def as_path(path: object) -> Path:
    """Convert to a path; refuse what can name no file."""
    try:
        return Path(path)  # type: ignore[arg-type]
    except TypeError:
        raise ParameterError(
            f"must name a file but is {path!r}; give a text or a Path", parameter="path"
        ) from None


def is_standard_output(path: str | os.PathLike[str]) -> bool:
    """Tell whether a path is ``-``, or a name or device of this process's standard output."""
    if os.fspath(path) == STANDARD_OUTPUT:
        return True
    with suppress(OSError, ValueError):
        return _is_stream(path) and os.path.samestat(os.stat(path), os.fstat(1))  # noqa: PTH116
    return False


def _is_stream(path: str | os.PathLike[str]) -> bool:
    """Tell whether a path is that of a pipe, a device or a stream, which cannot be replaced."""
    named, target = os.fspath(path), Path(path)
    if named == STANDARD_OUTPUT or named.startswith(_STREAM_PREFIXES):
        return True
    return target.exists() and not target.is_file() and not target.is_dir()


@contextmanager
def whole_file(path: str | os.PathLike[str], *, binary: bool = False) -> Iterator[IO[Any]]:
    """Open a temporary file that becomes `path` when the block ends without an error.

    Whatever happens inside the block, there is never an incomplete file under `path`, and no
    temporary file remains. Links are followed, and the permissions of an existing file are kept.
    Pipes, devices and streams, of which ``-`` is standard output, are sent the complete file.
    """
    requested = as_path(path)
    with _file_errors(requested):
        target, stream = Path(os.path.realpath(requested)), _is_stream(path)
        mode = 0o600 if stream else _mode_of(requested, target)
        temporary = _beside(Path(tempfile.gettempdir(), "stream")) if stream else _beside(target)
        try:
            # Bytes of file names that are not valid text are written as escapes.
            text: Any = {"mode": "x", "encoding": "utf-8", "errors": "backslashreplace"}
            options: Any = {"mode": "xb"} if binary else text
            with open(
                temporary, **options, opener=lambda name, flags: os.open(name, flags, mode)
            ) as file:
                yield file
            if stream:
                _send(temporary, path)
            else:
                if target.exists():
                    # The umask has applied to the mode.
                    temporary.chmod(mode)
                temporary.replace(target)
        finally:
            temporary.unlink(missing_ok=True)


def _mode_of(requested: Path, target: Path) -> int:
    """Return the permissions of a file to be written; refuse what may not be written."""
    if target.is_dir():
        raise FileError(
            f"cannot write {str(requested)!r}: it is a directory; name a file inside it"
        )
    if not target.exists():
        return 0o666
    if not os.access(target, os.W_OK):
        raise PermissionError(EACCES, os.strerror(EACCES))
    return target.stat().st_mode & 0o777


def _beside(target: Path) -> Path:
    """Return a free name in the same folder."""
    return target.with_name(f".{target.name[:_LONGEST_PREFIX]}.isometrics-{secrets.token_hex(6)}")


def _send(whole: Path, path: str | os.PathLike[str]) -> None:
    """Copy a file to a stream."""
    if not is_standard_output(path):
        # A stream may be redirected to a regular file, which must not be emptied.
        with whole.open("rb") as content, Path(path).open("ab") as stream:
            shutil.copyfileobj(content, stream)
        return
    sys.stdout.flush()  # text printed before must come first
    stdout: IO[Any] = getattr(sys.stdout, "buffer", sys.stdout)
    # The stream of a notebook takes text alone.
    how: Any = {"encoding": "utf-8"} if stdout is sys.stdout else {"mode": "rb"}
    with whole.open(**how) as content:
        shutil.copyfileobj(content, stdout)
    stdout.flush()


@contextmanager
def _file_errors(requested: Path) -> Iterator[None]:
    """Convert errors of the operating system to FileError."""
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        shown, advice = repr(str(requested)), "choose a folder that exists and has room"
        if is_standard_output(requested):
            shown, advice = "to standard output", "see that it has room, and the folder TMPDIR"
        raise FileError(f"cannot write {shown}: {system_reason(error)}; {advice}") from error


# ---------------------------------------------------------------------- intermediate files


class ScratchFolder:
    """A folder for intermediate files, which goes with its block, its object or the process."""

    def __init__(self) -> None:
        self.name = tempfile.mkdtemp(prefix="isometrics-")
        self.close = finalize(self, shutil.rmtree, self.name, ignore_errors=True)
        """Remove the folder with its contents."""

    def __enter__(self) -> str:
        """Return the path of the folder."""
        return self.name

    def __exit__(self, *_: object) -> None:
        """Remove the folder with its contents."""
        self.close()


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


# ---------------------------------------------------------------------- JSON

LARGEST_WHOLE = 2**53
"""Up to here every reader of JSON holds whole numbers exactly."""
_INFINITIES = {"Infinity": math.inf, "-Infinity": -math.inf}


def write_json(data: object, path: str | os.PathLike[str]) -> None:
    """Write JSON data to a file; floats are written so that they are read back exactly."""
    with whole_file(path) as file:
        file.write(f"{json_text(data)}\n")


def json_text(data: object) -> str:
    """Return JSON data as the text of a file."""
    text = json.dumps(data, ensure_ascii=False, allow_nan=False, indent=2)
    # Names of files that are no text have halves of characters, which JSON writes as escapes.
    return text.encode(errors="backslashreplace").decode()


def read_json(
    path: str | os.PathLike[str],
    parse: Callable[[object], Parsed],
    *,
    kind: str,
    max_bytes: int,
) -> Parsed:
    """Return what `parse` makes of the JSON data of a file; errors say that it is no `kind`.

    `parse` raises FileError where the data deviate from the format.
    """
    name = repr(str(path))
    requested = as_path(path)
    try:
        with requested.open("rb") as file:
            text = file.read(max_bytes + 1)
    except OSError as error:
        raise FileError.unreadable(path, system_reason(error)) from error
    if len(text) > max_bytes:
        raise FileError(f"{name} is no {kind}: it has more than {max_bytes:,} bytes")
    try:
        return parse(json.loads(text, object_pairs_hook=_object, parse_constant=_refuse_constant))
    except FileError as error:
        raise error.within(f"{name} is no {kind}") from None
    except (ValueError, RecursionError) as error:
        raise FileError(f"{name} is no {kind}: it is no JSON ({error})") from None


def json_number(value: float) -> float | str:
    """Return a number as JSON has it; infinities, which it does not have, are texts."""
    return value if math.isfinite(value) else f"{'-' * (value < 0)}Infinity"


def number_or_null(value: float) -> float | str | None:
    """Return a number as JSON has it; NaN is null, and infinities are texts."""
    return None if math.isnan(value) else json_number(value)


def finite_or_null(value: float) -> float | None:
    """Return a number as JSON has it; NaN and infinities, which it does not have, are null."""
    return float(value) if math.isfinite(value) else None


def parse_real(value: object, where: str) -> float:
    """Return a number of JSON data as a float, if that holds it exactly."""
    if isinstance(value, str) and value in _INFINITIES:
        return _INFINITIES[value]
    if isinstance(value, float) and math.isfinite(value):
        return value
    # An integer beyond 2**53 would be rounded.
    if type(value) is int and abs(value) <= LARGEST_WHOLE:
        return float(value)
    raise FileError(f"{where} should be a number but is {value!r:.60}")


def is_count(value: Any) -> bool:
    """Tell whether a number of JSON data is one of rows: whole, or a sum of weights."""
    if type(value) is int:
        return 0 <= value <= LARGEST_WHOLE
    return type(value) is float and 0 <= value < math.inf


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return a JSON object as a dict; refuse one in which a name occurs twice."""
    fields = dict(pairs)
    if len(fields) < len(pairs):
        raise FileError("a name occurs twice in one object")
    return fields


def _refuse_constant(name: str) -> NoReturn:
    raise FileError(f"{name} is no number of JSON")
