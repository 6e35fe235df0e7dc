"""Every error and warning the package raises, in one voice.

A message says what was given, what is accepted and what to do. All errors are `ValueError`s, so
code written for scikit-learn's conventions keeps working. An error keeps the parts of its message,
so that nobody needs to take the text apart to say it in other words.
"""

from __future__ import annotations

import re
import shlex
import string
import sys
import warnings
from importlib.util import find_spec
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from collections.abc import Callable

_FORMATTER = string.Formatter()

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


def _in_python(parameter: str) -> str:
    return f"{parameter}="


BETWEEN = "\x1f"
"""Separates the values of a parameter that takes several."""


class Advice:
    """What to do about an error, in words that each reader's names of parameters fit into.

    Parameters
    ----------
    template
        The end of a sentence. ``{}`` stands for a value, ``{pos_label}`` for the parameter of that
        name, ``{decimal:,}`` for a parameter with a text as its value, ``{drop_missing:True}`` for
        one that is switched on, ``{model:False}`` for a column that is not there.
    values
        The values, in their order.

    Examples
    --------
    >>> advice = Advice("raise {memory_limit} to {}, or choose some with {scores}", "2GB")
    >>> print(advice)
    raise memory_limit= to 2GB, or choose some with scores=
    >>> print(Advice("pass {decimal:,} or {drop_missing:True}"))
    pass decimal=',' or drop_missing=True
    >>> Advice("pass {decimal:,} or {drop_missing:True}").phrase("--{}".format)
    'pass --decimal , or --drop_missing'
    """

    def __init__(self, template: str, *values: object) -> None:
        self.template = template
        self.values = values

    def __str__(self) -> str:
        """Return the words for those who call a function."""
        return self.phrase(_in_python)

    def phrase(self, name_of: Callable[[str], str]) -> str:
        """Return the words, with each parameter under the name that a function gives it."""
        values = iter(self.values)
        said = []
        for text, field, value, _ in _FORMATTER.parse(self.template):
            said.append(text)
            if field:
                said.append(_with_value(name_of(field), value or ""))
            elif field is not None:
                said.append(str(next(values)))
        return "".join(said)


def _with_value(name: str, value: str) -> str:
    """Return the name of a parameter with the value that it is to have, if any."""
    in_python = name.endswith("=")
    if value == "True":
        return f"{name}True" if in_python else name
    if value == "False":
        return f"{name}False" if in_python else f"{name} ''"
    if not value:
        return name
    if not in_python:
        return " ".join([name, *map(shlex.quote, value.split(BETWEEN))])
    return f"{name}{value.split(BETWEEN) if BETWEEN in value else value!r}"


class IsometricsError(ValueError):
    """Base class of all errors of this package.

    Parameters
    ----------
    problem
        What was given, and what is wrong with it.
    advice
        What to do about it.
    parameter
        The parameter that cannot be used as it was given, if it is one. The message begins with
        its name, and the problem is said of it.

    Examples
    --------
    >>> error = IsometricsError("must be a number above 0 but is -1", parameter="half_width")
    >>> print(error)
    half_width must be a number above 0 but is -1
    >>> error.phrase(lambda parameter: f"the field {parameter!r}")
    "the field 'half_width' must be a number above 0 but is -1"
    """

    where = ""
    """The part of something that it is about, which the message begins with."""

    def __init__(
        self, problem: str, advice: Advice | None = None, *, parameter: str | None = None
    ) -> None:
        self.problem = redacted(problem)
        self.advice = advice
        self.parameter = parameter
        super().__init__(self.phrase())

    def phrase(self, name_of: Callable[[str], str] | None = None) -> str:
        """Return the message, with the parameters it names under the names of a function."""
        where = self.where and f"{self.where}: "
        subject = "" if self.parameter is None else f"{(name_of or str)(self.parameter)} "
        advice = "" if self.advice is None else f"; {self.advice.phrase(name_of or _in_python)}"
        return redacted(f"{where}{subject}{self.problem}{advice}")

    def within(self, where: str) -> Self:
        """Return the same error of a part of something, which the message begins with."""
        # Not copy.copy: some packages give exceptions another way to be copied.
        error = type(self).__new__(type(self))
        error.__dict__.update(self.__dict__)
        error.where = redacted(f"{where}: {self.where}" if self.where else where)
        error.args = (error.phrase(),)
        return error


class MissingPackageError(IsometricsError, ImportError):
    """A package that is not installed, and that only some functions need.

    Parameters
    ----------
    problem
        What needs which package.
    install
        What to install.
    """

    def __init__(self, problem: str, install: str | None = None) -> None:
        how = "" if install is None else f": pip install {shlex.quote(install)}"
        super().__init__(f"{problem}{how}")


def require(purpose: str, *packages: str, extra: str = "cli") -> None:
    """Refuse what needs packages of an extra, where one of them is not installed."""
    if missing := [name for name in packages if find_spec(name) is None]:
        raise MissingPackageError(f"{purpose} needs {', '.join(missing)}", f"isometrics[{extra}]")


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

    file: object = None
    """What the message is about, where it was made by `unreadable` or `about`."""
    reason = ""
    """What is wrong with it."""
    _form = ""

    @classmethod
    def unreadable(
        cls, file: object, reason: str, advice: Advice | None = None, *, purpose: str = ""
    ) -> Self:
        """Return an error that says why a file cannot be read, at all or for a purpose."""
        return cls._of(f"cannot read {{!r}}{purpose}: {{}}", file, reason, advice)

    @classmethod
    def about(cls, file: object, what: str) -> Self:
        """Return an error about the content of a file."""
        return cls._of("{} {}", file, what, None)

    @classmethod
    def _of(cls, form: str, file: object, reason: str, advice: Advice | None) -> Self:
        error = cls(form.format(str(file), reason), advice)
        error.file, error.reason, error._form = file, reason, form
        return error

    def renamed(self, name: str) -> Self:
        """Return the same error under another name of the file, if it is about one."""
        return self._of(self._form, name, self.reason, self.advice) if self._form else self


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


class LeftOutWarning(UserWarning):
    """Columns that may have been meant as scores are not used; the message says why."""


class UndefinedWarning(UserWarning):
    """A value is NaN because it is not defined; the message gives the reason."""


def system_reason(error: Exception) -> str:
    """Return why the operating system, or a library, refused something, as the end of a sentence.

    Examples
    --------
    >>> system_reason(FileNotFoundError(2, "No such file or directory", "a.csv"))
    'no such file or directory'
    """
    return (getattr(error, "strerror", None) or str(error)).lower()


def warn(message: str, category: type[Warning]) -> None:
    """Warn, and name the first line outside isometrics from which it was called.

    ``warnings.warn`` counts frames, and how many lie between differs from call to call.
    """
    level = 2
    while sys._getframe(level - 1).f_globals.get("__name__", "").startswith("isometrics."):
        level += 1
    warnings.warn(message, category, stacklevel=level)
