"""JSON files of isometrics: read whole or refused in one sentence, numbers to the last bit."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

from isometrics._core.writing import as_path, whole_file
from isometrics.errors import FileError, system_reason

if TYPE_CHECKING:
    import os
    from collections.abc import Callable

    Parsed = TypeVar("Parsed")

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
