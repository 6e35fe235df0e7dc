"""What results have in common: read-only values, equality, printed and HTML tables, data frames."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import fields
from decimal import Decimal
from fractions import Fraction
from html import escape
from importlib.util import find_spec
from textwrap import wrap
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar, cast

import numpy as np

from isometrics._core.parameters import check_choice
from isometrics.errors import ParameterError

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    from numpy.typing import NDArray

    Columns = Mapping[str, Sequence[object] | np.ndarray[tuple[int], np.dtype[np.generic]]]


Scalar = TypeVar("Scalar", bound=np.generic)


class Value:
    """Base of frozen dataclasses that are compared, copied and pickled by what they hold.

    Notes
    -----
    Arrays are read-only. Two values are equal when they are of one class and all their fields
    are equal; NaN equals NaN. Fields with ``compare=False`` only serve the printout. Values have
    no hash, because their arrays have none.
    """

    __slots__ = ()
    __match_args__: ClassVar[tuple[str, ...]] = ()
    """The names of the fields, as dataclasses have them."""

    def __post_init__(self) -> None:
        """Make the arrays read-only."""
        for name in self.__match_args__:
            content = getattr(self, name)
            if isinstance(content, np.ndarray | dict):
                object.__setattr__(self, name, _locked(content))

    def __eq__(self, other: object) -> bool:
        """Compare with a value of the same class, field by field."""
        if type(self) is not type(other):
            return NotImplemented
        compared: list[str] = [each.name for each in fields(self) if each.init and each.compare]  # type: ignore[arg-type]
        return all(same(getattr(self, name), getattr(other, name)) for name in compared)

    __hash__ = None  # type: ignore[assignment]

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        """Copy and pickle through the constructor, which makes the arrays read-only again."""
        return type(self), tuple(getattr(self, name) for name in self.__match_args__)


def read_only(array: NDArray[Scalar]) -> NDArray[Scalar]:
    """Lock an array and return it without a way to unlock it; nothing is copied.

    An array that owns its memory can be made writable again by its flag. One that stands on a
    read-only buffer cannot.
    """
    if isinstance(array.base, memoryview) and array.base.readonly:
        return array
    array.setflags(write=False)
    try:
        buffer = memoryview(cast("Any", array))
    except ValueError:  # dates and times have no buffer; a view of the locked array is locked too
        return array.view()
    return np.asarray(buffer.toreadonly())


def _locked(content: Any) -> Any:
    """Return a field of a result with its arrays read-only: itself, or those of a dictionary."""
    if isinstance(content, np.ndarray):
        return read_only(content)
    if isinstance(content, dict):
        return {key: _locked(value) for key, value in content.items()}
    return content


def same(one: object, other: object) -> bool:
    """Return whether two fields of results are equal; NaN equals NaN, also inside arrays."""
    if one is other:
        return True
    if isinstance(one, np.ndarray) and isinstance(other, np.ndarray):
        return _same_arrays(one, other)
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if isinstance(one, tuple | list) and type(one) is type(other):
        return len(one) == len(other) and all(map(same, one, other))
    equal = one == other
    # A label may be anything, also something whose comparison is no truth value.
    return (isinstance(equal, bool | np.bool_) and bool(equal)) or (_is_nan(one) and _is_nan(other))


def _same_arrays(one: NDArray[Any], other: NDArray[Any]) -> bool:
    if one.shape != other.shape:
        return False
    if "O" in (one.dtype.kind, other.dtype.kind):
        return all(map(same, one.ravel().tolist(), other.ravel().tolist()))
    may_be_nan = all(array.dtype.kind in "fc" for array in (one, other))
    return np.array_equal(one, other, equal_nan=may_be_nan)


def _is_nan(number: object) -> bool:
    return isinstance(number, float | np.floating) and bool(np.isnan(number))


class ResultTable(Value, ABC):
    """Base of frozen dataclasses of arrays that read as a table."""

    __slots__ = ()

    _left: ClassVar[tuple[str, ...]] = ()
    """The columns that the printout aligns at the left."""
    _most_rows: ClassVar[int] = 10
    """The largest number of rows that are printed."""

    @abstractmethod
    def _title(self) -> str:
        """Return the line above the printout."""

    @abstractmethod
    def _columns(self) -> dict[str, Any]:
        """Return all columns, for the data frame."""

    def _named(self, *names: str) -> dict[str, Any]:
        """Return columns that have the names of attributes."""
        values = {name: getattr(self, name) for name in names}
        return {name: list(v) if isinstance(v, tuple) else v for name, v in values.items()}

    def _shown(self) -> dict[str, Any]:
        """Return the columns of the printout: all, unless a result has too many."""
        return self._columns()

    def _notes(self, shown: Mapping[str, Any]) -> Sequence[str]:  # noqa: ARG002
        """Return the lines below the printout of these columns."""
        return ()

    def to_frame(self, library: str | None = None) -> Any:
        """Return the table as a data frame of pandas, polars or pyarrow.

        Parameters
        ----------
        library
            ``"pandas"``, ``"polars"`` or ``"pyarrow"``; by default the first one installed.
        """
        return to_frame(self._columns(), library)

    def __repr__(self) -> str:
        """Return a readable table."""
        columns = self._shown()
        notes = self._notes(columns)
        return text_table(
            self._title(), columns, left=self._left, notes=notes, most=self._most_rows
        )

    def _repr_html_(self) -> str:
        """Return the table for notebooks."""
        columns = self._shown()
        notes = self._notes(columns)
        return html_table(self._title(), columns, notes=notes, most=self._most_rows)


WIDTH = 100
"""How many letters wide a printout should be at most."""

_SHOWN = 10
_NAMED = 10


def text_table(
    title: str,
    columns: Columns,
    *,
    left: Collection[str] = (),
    notes: Sequence[str] = (),
    most: int = _SHOWN,
) -> str:
    """Return a title and an aligned table; long tables show their first and last rows.

    Parameters
    ----------
    title
        The line above the table.
    columns
        The columns by name.
    left
        The columns that begin at the left; numbers end at the right.
    notes
        Sentences below the table.
    most
        The largest number of rows shown.
    """
    names, rows = list(map(_cell, columns)), _shown_rows(columns, most)
    widths = [max(map(len, cells)) for cells in zip(names, *rows, strict=True)]
    sides = [str.ljust if name in left else str.rjust for name in columns]
    lines = [
        "  ".join(side(cell, width) for side, cell, width in zip(sides, row, widths, strict=True))
        for row in [names, *rows]
    ]
    wrapped = [line for note in notes for line in wrap(note, WIDTH, subsequent_indent="  ")]
    return "\n".join([title, *lines, *wrapped])


def html_table(
    title: str, columns: Columns, *, notes: Sequence[str] = (), most: int = _SHOWN
) -> str:
    """Return the same table as HTML."""

    def row(cells: Sequence[str], tag: str) -> str:
        return "<tr>" + "".join(f"<{tag}>{escape(cell)}</{tag}>" for cell in cells) + "</tr>"

    body = "".join(row(cells, "td") for cells in _shown_rows(columns, most))
    table = (
        f"<table><caption>{escape(title)}</caption><thead>{row(list(columns), 'th')}</thead>"
        f"<tbody>{body}</tbody></table>"
    )
    return table + "".join(f"<p>{escape(note)}</p>" for note in notes)


def table_width(columns: Columns) -> int:
    """Return how many letters wide a text table is."""
    widest = [
        max(len(_cell(value)) for value in [name, *values]) for name, values in columns.items()
    ]
    return sum(widest) + 2 * (len(widest) - 1)


def _shown_rows(columns: Columns, most: int) -> list[list[str]]:
    size = len(next(iter(columns.values())))
    half = most // 2
    chosen = range(size) if size <= most else [*range(half), *range(size - half, size)]
    rows = [[_cell(values[row]) for values in columns.values()] for row in chosen]
    if size > most:
        rows.insert(half, ["…"] * len(columns))
    return rows


def number(value: object) -> str:
    """Return integers whole and other numbers to six digits."""
    return f"{float(value):.6g}" if isinstance(value, float | np.floating) else str(value)


def percent(share: float) -> str:
    """Return a share in percent, with as many digits as it takes not to claim certainty."""
    for digits in range(7):
        shown = f"{100 * share:.{digits}f}"
        if float(shown) not in (0.0, 100.0) or share in (0.0, 1.0):
            return f"{shown}%"
    return f"{number(100 * share)}%"


def bracketed(lo: float, hi: float) -> str:
    """Return a number that is known to lie between two others, such as ``0.9123 ± 0.0002``.

    What is printed contains both; where six digits do not tell them apart, it is one number.
    """
    if number(lo) == number(hi):
        return number(lo)
    if not math.isfinite(hi - lo):
        return f"{number(lo)} to {number(hi)}"
    digits = max(-Decimal(hi - lo).adjusted(), 0)
    low, high = (Fraction(end) * 10**digits for end in (lo, hi))
    middle = round((low + high) / 2)
    margin = math.ceil(max(high - middle, middle - low))
    return f"{Decimal(middle).scaleb(-digits):f} ± {Decimal(margin).scaleb(-digits):f}"


_MOST_DECIMALS = 10


def distinct_decimals(
    values: Sequence[float], decimals: int, beside: Sequence[float] = (0.0, 1.0)
) -> list[str]:
    """Return numbers with at least so many decimals, and as many as tell different ones apart.

    They are told apart from those `beside`, too.

    Examples
    --------
    >>> distinct_decimals([0.8124, 0.8119, 0.8131], 3)
    ['0.8124', '0.8119', '0.8131']
    """
    finite = [value for value in (*values, *beside) if math.isfinite(value)]

    def n_different(digits: int) -> int:
        return len({float(f"{value:.{digits}f}") for value in finite})

    # What differs by rounding alone is the same number.
    while n_different(decimals) < n_different(_MOST_DECIMALS):
        decimals += 1
    return [f"{value:.{decimals}f}" for value in values]


def join_names(names: Sequence[str], last: str = "and", most: int = _NAMED) -> str:
    """Return names in a row, the last one behind a word; of very many, the first ones."""
    return join_texts([_cell(name) or repr(name) for name in names], last, most)


def join_texts(shown: list[str], last: str = "and", most: int = _NAMED) -> str:
    """Return texts in a row as `join_names` does, each as it is."""
    if len(shown) > most:
        shown = [*shown[: most - 1], f"{len(shown) - most + 1} more"]
    *first, final = shown
    return f"{', '.join(first)} {last} {final}" if first else final


def _cell(value: object) -> str:
    # A line break in a user's label would break the table.
    return " ".join(number(value).split())


LIBRARIES = ("pandas", "polars", "pyarrow")


def to_frame(columns: dict[str, Any], library: str | None = None) -> Any:
    """Return the columns as a frame of `library`, by default the first one installed."""
    import narwhals.stable.v2 as nw

    installed = [name for name in LIBRARIES if find_spec(name)]
    chosen = (
        next(iter(installed), None)
        if library is None
        else check_choice(library, "library", LIBRARIES)
    )
    if chosen not in installed:
        needed = chosen or "pandas, polars or pyarrow"
        raise ParameterError(
            f"to_frame needs {needed}, which is not installed: pip install {chosen or 'pandas'}"
        )
    for name, values in columns.items():
        if isinstance(values, np.ndarray) and values.dtype.itemsize > 8 and chosen != "pandas":
            raise ParameterError(f"{chosen} cannot hold {name}s beyond float64; use pandas")
        # What is not known has no type.
        known = [each for each in values if each is not None] if isinstance(values, list) else []
        if len(set(map(type, known))) > 1:
            columns = columns | {name: list(map(str, values))}
    return nw.from_dict(columns, backend=cast("Any", chosen)).to_native()
