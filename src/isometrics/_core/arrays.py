"""Columns of any library and arrays of any device made into arrays; names of array types."""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction
from itertools import compress
from typing import TYPE_CHECKING, Any, NamedTuple, Self, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from isometrics.errors import DimensionError, LengthError, MissingValueError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from isometrics.errors import InputError


Counts: TypeAlias = NDArray[Any]
"""int64 where every count is a whole number of rows, else float64."""

Floats: TypeAlias = NDArray[np.float64]

Total: TypeAlias = int | float


def prepend_zero(counts: NDArray[Any]) -> NDArray[Any]:
    """Return cumulative counts behind that of the empty rule."""
    return np.concatenate([np.zeros(1, counts.dtype), counts])


def is_array(given: object) -> bool:
    """Tell whether something is an array of torch, CuPy, JAX or the like, but not NumPy's own."""
    if isinstance(given, np.ndarray | np.generic) or not hasattr(given, "__dlpack__"):
        return False
    from array_api_compat import is_array_api_obj

    return bool(is_array_api_obj(given))


def is_remote(given: object) -> bool:
    """Tell whether an array lies in the memory of a device rather than that of the processor."""
    if not is_array(given):
        return False
    from array_api_compat import device

    return "cpu" not in str(device(given)).lower()


def namespace_of(array: Any) -> Any:
    """Return the array API of the library that an array belongs to."""
    from array_api_compat import array_namespace

    return array_namespace(array)


def to_host(array: Any) -> np.ndarray[Any, np.dtype[Any]]:
    """Return an array as one of NumPy, without a copy where the memory is shared."""
    if type(array).__module__.startswith("torch"):
        array = array.detach().cpu()
        # NumPy has no bfloat16; float32 holds every value of it.
        return np.asarray(array.float() if "bfloat16" in str(array.dtype) else array)
    if hasattr(array, "get"):  # CuPy refuses to move anything unasked
        return np.asarray(array.get())
    if is_remote(array):
        from array_api_compat import to_device

        array = to_device(array, _host_of(array))
    host = np.asarray(array)
    return host.astype(np.float32) if "bfloat16" in str(host.dtype) else host


def _host_of(array: Any) -> Any:
    """Return the processor as the library of an array names it."""
    devices = namespace_of(array).__array_namespace_info__().devices()
    return next(each for each in devices if "cpu" in str(each).lower())


_NUMBERS = (int, float, np.integer, np.floating, np.bool_, Decimal)
_MOST_PLACES = 400
"""No double has a digit so far behind the point, or before it."""

_MOST_DIGITS = 19
"""No integer of 64 bits has a higher power of ten."""

UNHOLDABLE = "decimals that do not fit into 64 bits (cast them to fewer digits)"


class Column(NamedTuple):
    """Values under their argument's name; what is wrong with them is said in one voice."""

    name: str
    values: NDArray[Any]
    null: NDArray[np.bool_] | None = None
    """Which values are null, where some are."""
    rows: NDArray[np.intp] | None = None
    """The values' positions in what the user gave, where some were left out."""

    @property
    def size(self) -> int:
        """The number of values."""
        return self.values.size

    def take(self, rows: NDArray[np.intp]) -> Self:
        """Keep some rows; errors go on naming the positions the user knows."""
        null = None if self.null is None else self.null[rows]
        return self._replace(values=self.values[rows], null=null, rows=rows)

    def present(self) -> NDArray[Any]:
        """Return the values; NaN and null are refused."""
        missing = self.null
        absent = None
        if self.values.dtype.kind == "f" and self.size and np.isnan(self.values.min()):
            absent = np.isnan(self.values)
        elif self.values.dtype.kind in "mM":
            absent = np.isnat(self.values)
        if absent is not None:
            missing = absent if missing is None else absent | missing
        if missing is not None:
            self.refuse(missing, MissingValueError, "missing values (NaN or null)")
        return self.values

    def numbers(self, error: type[InputError]) -> NDArray[Any]:
        """Return the values as real numbers of one type, which holds each of them exactly."""
        values = self.present()
        if values.dtype.kind == "O":
            strange = np.array([not isinstance(value, _NUMBERS) for value in values], np.bool_)
            self._refuse_strange(strange, error)
            values = _from_python(self._without_decimals(values.tolist(), error))
        if values.dtype.kind == "O":
            most = 2**63 - 1 if min(values) < 0 else 2**64 - 1
            self._refuse_strange((values < -(2**63)) | (values > most), error)
        self._refuse_strange(np.full(values.size, values.dtype.kind not in "fiub"), error)
        return values

    def _without_decimals(self, values: list[Any], error: type[InputError]) -> list[Any]:
        """Return decimals without a fraction as integers, others as doubles, or refuse them.

        They fit where a double, rounded to as many places as any of them has, is the same decimal
        again; so different ones stay different.
        """
        finite = [isinstance(value, Decimal) and value.is_finite() for value in values]
        exponents = [value.as_tuple().exponent for value in compress(values, finite)]
        places = max((-exponent for exponent in exponents), default=0)
        whole = places <= 0 and all(finite)
        most = _MOST_DIGITS if whole else _MOST_PLACES
        scale = 10 ** min(max(places, 0), _MOST_PLACES)

        def fits(value: Decimal) -> bool:
            if max(places, value.adjusted()) > most or math.isinf(float(value)):
                return False
            return whole or round(Fraction(float(value)) * scale) == Fraction(value) * scale

        pairs = zip(values, finite, strict=True)
        lost = [is_finite and not fits(value) for value, is_finite in pairs]
        self.refuse(np.array(lost, np.bool_), error, UNHOLDABLE)
        as_number = int if whole else float
        return [as_number(value) if isinstance(value, Decimal) else value for value in values]

    def _refuse_strange(self, strange: NDArray[np.bool_], error: type[InputError]) -> None:
        if strange.any():
            example = plain(self.values[np.argmax(strange)])
            self.refuse(
                strange, error, f"values that are not real numbers of 64 bits, such as {example!r}"
            )

    def refuse(self, offending: NDArray[np.bool_], error: type[InputError], what: str) -> None:
        """Raise with the count and the first position of the offending values, if any."""
        if offending.any():
            first = int(np.argmax(offending))
            position = first if self.rows is None else int(self.rows[first])
            count = int(offending.sum())
            raise error(offence(self.name, what, count, position))

    def same_length(self, other: Column) -> None:
        """Check that another argument has equally many values."""
        if self.size != other.size:
            raise LengthError(
                f"{self.name} has {self.size} values but {other.name} has {other.size}"
            )


def offence(name: str, what: str, count: int, position: int | None) -> str:
    """Return the sentence about values that cannot be used; a position may not be known."""
    where = "" if position is None else f", the first at position {position}"
    return f"{name} has {what}: {count} in all{where}"


def column(given: object, name: str) -> Column:
    """Read a list, an array of any library, or a pandas, polars or pyarrow column."""
    null = None
    if isinstance(given, np.ma.MaskedArray):
        null, values = np.ma.getmaskarray(given), np.ma.getdata(given)
    elif isinstance(given, np.ndarray):
        values = given
    elif isinstance(given, list | tuple):
        values = _from_python(given, name)
    elif is_array(given):
        values = to_host(given)
    else:
        values, null = _from_frame_library(given, name)
    if values.ndim != 1:
        advice = f"one column, for example {name}[:, 1]" if values.ndim else "a list or an array"
        raise DimensionError(
            f"{name} must be one-dimensional but has shape {values.shape}; pass {advice}"
        )
    if values.dtype.kind in "OT":
        if any(isinstance(value, np.ndarray | list) for value in values):
            raise DimensionError(f"{name} has rows that hold several values; pass one value a row")
        nulls = np.fromiter(map(is_null, values), np.bool_, values.size)
        null = nulls if null is None else nulls | null
    if values.dtype.kind in "fiu":
        values = values.astype(values.dtype.newbyteorder("="), copy=False)
    return Column(name, values, null)


def _from_python(values: Sequence[Any], name: str = "") -> NDArray[Any]:
    try:
        array = np.asarray(values)
    except ValueError:
        raise DimensionError(
            f"{name} has rows of different lengths; pass one value a row"
        ) from None
    if array.dtype.kind in "US":
        # NumPy would turn the 1 of ["a", 1] into the text "1".
        return np.asarray(values, dtype=object)
    if array.dtype.kind == "f" and any(isinstance(v, int) and abs(v) > 2**53 for v in values):
        # NumPy would round these; 64 bits or a long double hold them.
        if not all(isinstance(value, int) for value in values):
            return np.array(values, dtype=np.longdouble)
        try:
            return np.array(values, dtype=np.uint64)
        except OverflowError:
            return np.array(values, dtype=object)
    return array


def _from_frame_library(given: object, name: str) -> tuple[NDArray[Any], NDArray[np.bool_] | None]:
    import narwhals.stable.v2 as nw

    if type(given).__module__.startswith("pyarrow"):
        import pyarrow as pa

        given = pa.chunked_array([given]) if isinstance(given, pa.Array) else given
    series = nw.from_native(cast("Any", given), series_only=True, pass_through=True)
    if isinstance(series, nw.Series):
        null = series.is_null().to_numpy() if series.null_count() else None
        if null is not None and series.dtype.is_numeric():
            # Without a filler the nulls would turn integers into floats, and round them.
            series = series.fill_null(0)
        if getattr(series.dtype, "time_zone", None) is not None:
            # NumPy's times have no zone.
            return np.array([*series.to_list(), None], object)[:-1], null
        return series.to_numpy(), null
    if hasattr(given, "toarray"):  # a sparse array of scipy
        return np.asarray(given.toarray()), None
    if hasattr(given, "__array__"):
        return np.asarray(given), None
    if hasattr(given, "__iter__") and not isinstance(given, str | bytes | dict | set | frozenset):
        return _from_python(list(given), name), None
    raise DimensionError(
        f"{name} is a {type(given).__name__}; pass a list, an array or a data-frame column"
    )


def is_null(value: Any) -> bool:
    """None is null; NaN differs from itself; pandas.NA refuses to say."""
    if value is None:
        return True
    try:
        return not bool(value == value)  # noqa: PLR0124
    except (TypeError, ArithmeticError):
        # A signalling NaN of `decimal` refuses too.
        return True


def plain(value: object) -> object:
    """Return a NumPy scalar as the Python value it prints like; none is rounded."""
    if isinstance(value, np.longdouble):
        # Its item() is itself. Integers of 64 bits become thresholds of this type.
        number = float(value)
        if number == value or np.isnan(value):
            return number
        return int(value) if value == np.rint(value) else value
    return value.item() if isinstance(value, np.generic) else value
