"""Every error and warning the package raises, in one voice.

A message says what was given, what is accepted and what to do. All errors are `ValueError`s, so
code written for scikit-learn's conventions keeps working.
"""

from __future__ import annotations

import re
import sys
import warnings
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import FrameType

__all__ = [
    "DimensionError",
    "EmptyInputError",
    "FileError",
    "InputError",
    "IsometricsError",
    "LabelError",
    "LengthError",
    "MembershipError",
    "MissingValueError",
    "NoCurveError",
    "NotAnswerableError",
    "NotFittedError",
    "OneClassError",
    "ParameterError",
    "PointsError",
    "ScoreError",
    "ToleranceWarning",
    "UndefinedWarning",
    "WeightError",
]


_CREDENTIALS = re.compile(r"(?:(?<!duckdb:/)(?<!sqlite:/)|(?!//))(?<=:/)(/*)\S*@")
"""What stands before a host. After three slashes, databases in files have a path, where an @ may be
part of a name."""
_SECRET_OPTION = re.compile(r"(?<=[?&])((?:ssl)?password|passwd|pwd|secret|token)=[^&\s'\"]*")


def redacted(text: str) -> str:
    """Return text without the users, passwords and secret options of the URLs in it.

    Whatever names a source passes here: errors, descriptions and titles.

    Examples
    --------
    >>> redacted("cannot read 'postgresql://ann:secret@host/db?table=t&sslpassword=x'")
    "cannot read 'postgresql://host/db?table=t&sslpassword=…'"
    """
    return _SECRET_OPTION.sub(r"\1=…", _CREDENTIALS.sub(r"\1", text))


class IsometricsError(ValueError):
    """Base class of all errors of this package."""

    def __init__(self, *arguments: object) -> None:
        super().__init__(
            *(redacted(value) if isinstance(value, str) else value for value in arguments)
        )


class InputError(IsometricsError):
    """Labels, scores, weights or counts that cannot be used as they are."""


class EmptyInputError(InputError):
    """An argument without a single row."""


class LengthError(InputError):
    """Arguments that should have equal lengths but do not."""


class DimensionError(InputError):
    """An argument that is not one-dimensional."""


class MissingValueError(InputError):
    """NaN or null where a value is needed."""


class FileError(InputError):
    """A file or a table of a database that cannot be read or written."""


class MembershipError(InputError):
    """A set that does not fit into its universe, or has an element twice."""


class LabelError(InputError):
    """Labels that do not name two classes, or not the positive one."""


class OneClassError(InputError):
    """Only positives or only negatives: precision-recall analysis needs both."""


class ScoreError(InputError):
    """Scores that are not real numbers."""


class WeightError(InputError):
    """Negative, infinite or all-zero sample weights."""


class PointsError(InputError):
    """Operating points that contradict their totals or each other."""


class ParameterError(IsometricsError):
    """A parameter outside its range: β, a cost, a prevalence, a range of an axis."""


class NoCurveError(IsometricsError):
    """A curve was asked of points that are not nested."""


class NotAnswerableError(IsometricsError):
    """The rows at hand cannot answer this exactly."""


class NotFittedError(IsometricsError):
    """A calibrator was used before `fit`."""


class ToleranceWarning(UserWarning):
    """An area is known less closely than was asked for; its bracket is still true."""


class UndefinedWarning(UserWarning):
    """A value is NaN because it is not defined; the message gives the reason."""


_PASSED_THROUGH = frozenset(
    [
        "isometrics",
        "cyclopts",
        "dask",
        "joblib",
        "mlflow",
        "narwhals",
        "numpy",
        "pandas",
        "polars",
        "scipy",
        "sklearn",
        "skore",
        "torch",
        "torchmetrics",
    ]
) | frozenset(sys.stdlib_module_names)
"""Packages that may call isometrics in their turn; whose line it is, they do not know."""


def warn(message: str, category: type[Warning]) -> None:
    """Warn, and name the line of the user's program from which isometrics was called.

    ``warnings.warn`` counts frames, and how many lie between differs from call to call. The line
    named is the first one outside isometrics and the libraries that call it, such as
    scikit-learn; in a thread that only these run in, the first one outside isometrics.
    """
    frames = list(_callers())
    chosen = next(
        (frame for frame in frames if _package(frame) not in _PASSED_THROUGH),
        next((frame for frame in frames if _package(frame) != "isometrics"), frames[0]),
    )
    warnings.warn_explicit(
        message,
        category,
        chosen.f_code.co_filename,
        chosen.f_lineno,
        module=chosen.f_globals.get("__name__"),
        registry=chosen.f_globals.setdefault("__warningregistry__", {}),
    )


def _callers() -> Iterator[FrameType]:
    """Yield the frames of the calls, the innermost first."""
    frame: FrameType | None = sys._getframe(2)
    while frame is not None:
        yield frame
        frame = frame.f_back


def _package(frame: FrameType) -> str:
    return str(frame.f_globals.get("__name__", "")).partition(".")[0]
