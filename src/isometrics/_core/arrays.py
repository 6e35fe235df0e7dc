"""Conversion of columns of any library and arrays of any device to NumPy; types of arrays."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Any, NamedTuple, Self, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from isometrics.errors import DimensionError, LengthError, MissingValueError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from isometrics.errors import InputError


Counts: TypeAlias = NDArray[Any]
"""int64 where every count is a whole number of rows, else float64."""


Floats: TypeAlias = NDArray[np.float64]


Total: TypeAlias = int | float


def prepend_zero(counts: NDArray[Any]) -> NDArray[Any]:
    """Return cumulative counts, preceded by 0, the count of the empty rule."""
    return np.concatenate([np.zeros(1, counts.dtype), counts])


def is_array(values: object) -> bool:
    """Return whether an object is an array of torch, CuPy, JAX or the like, but not of NumPy."""
    if isinstance(values, np.ndarray | np.generic) or not hasattr(values, "__dlpack__"):
        return False
    from array_api_compat import is_array_api_obj

    return bool(is_array_api_obj(values))


def is_remote(values: object) -> bool:
    """Return whether an object is an array in the memory of a device other than the processor."""
    if not is_array(values):
        return False
    from array_api_compat import device

    return "cpu" not in str(device(values)).lower()


_NAMESPACES: dict[type, Any] = {}


def namespace_of(array: Any) -> Any:
    """Return the array API namespace of an array's library."""
    # A stream asks several times for each batch; the answer depends on the type alone.
    if type(array) not in _NAMESPACES:
        from array_api_compat import array_namespace

        _NAMESPACES[type(array)] = array_namespace(array)
    return _NAMESPACES[type(array)]


def to_host(array: Any) -> np.ndarray[Any, np.dtype[Any]]:
    """Convert an array to NumPy, without a copy where the memory is shared."""
    if type(array).__module__.startswith("torch"):
        array = array.detach().cpu()
        # NumPy has no bfloat16; float32 represents all its values.
        return np.asarray(array.float() if "bfloat16" in str(array.dtype) else array)
    if hasattr(array, "get"):  # CuPy does not convert implicitly
        return np.asarray(array.get())
    if is_remote(array):
        from array_api_compat import to_device

        devices = namespace_of(array).__array_namespace_info__().devices()
        array = to_device(array, next(each for each in devices if "cpu" in str(each).lower()))
    host = np.asarray(array)
    return host.astype(np.float32) if "bfloat16" in str(host.dtype) else host


MISSING = "missing values (NaN or null)"
"""What errors call them, in front of their number."""


ALL_DROPPED = "every row misses a value, so that none is left"


def is_null(value: Any) -> bool:
    """Return whether a value is None, NaN, which is not equal to itself, or pandas.NA."""
    if value is None:
        return True
    try:
        return not bool(value == value)  # noqa: PLR0124
    except (TypeError, ArithmeticError):
        # pandas.NA and a signalling NaN of `decimal` cannot be compared.
        return True


_NUMBER_TYPES = (int, float, np.integer, np.floating, np.bool_, Decimal)


class RowNumbers(NamedTuple):
    """Where the values of a column stand in what the user gave."""

    start: int | None = 0
    """The position of the first value of a batch; None where rows have no known position."""
    kept: NDArray[np.intp] | None = None
    """The rows that remain of the batch, where some were left out."""

    def of(self, row: int) -> int | None:
        """Return the position of a value."""
        if self.start is None:
            return None
        return self.start + int(row if self.kept is None else self.kept[row])

    def take(self, rows: NDArray[np.intp]) -> RowNumbers:
        """Return where some of the values stand."""
        return self._replace(kept=rows if self.kept is None else self.kept[rows])


class Column(NamedTuple):
    """Values with the name of their argument, which error messages mention."""

    name: str
    values: NDArray[Any]
    null: NDArray[np.bool_] | None = None
    """Which values are null; None if there are none."""
    rows: RowNumbers = RowNumbers()
    categories: list[Any] | None = None
    """What values stand for, where they are codes; that of null is -1."""

    def take(self, rows: NDArray[np.intp]) -> Self:
        """Return the values of some rows; errors still mention positions in the user's column."""
        null = None if self.null is None else self.null[rows]
        return self._replace(values=self.values[rows], null=null, rows=self.rows.take(rows))

    def missing(self) -> NDArray[np.bool_] | None:
        """Tell which values are NaN, no time or null; None if there are none."""
        values, missing = self.values, self.null
        # The least of values is NaN if any is.
        if values.dtype.kind == "f" and np.isnan(values.min(initial=np.inf)):
            missing = np.isnan(values) if missing is None else np.isnan(values) | missing
        elif values.dtype.kind in "mM":
            missing = np.isnat(values) if missing is None else np.isnat(values) | missing
        return None if missing is None or not missing.any() else missing

    def present(self) -> NDArray[Any]:
        """Return the values; NaN and null are refused."""
        if (missing := self.missing()) is not None:
            self.refuse(missing, MissingValueError, MISSING)
        return self.values

    def label(self, row: int) -> Any:
        """Return the value of a row, or what it stands for."""
        value = self.values[row]
        return value if self.categories is None else self.categories[value]

    def equal(self, label: object) -> NDArray[np.bool_]:
        """Tell which values are the given one, or stand for it."""
        if self.categories is None:
            return equal_to(self.values, label)
        # The last place is that of -1.
        return np.take(equal_to(np.array([*self.categories, None], object), label), self.values)

    def numbers(self, error: type[InputError]) -> NDArray[Any]:
        """Return the values as real numbers of one type that represents each of them exactly."""
        values = self.present()
        if values.dtype.kind == "O":
            is_other = np.array([not isinstance(v, _NUMBER_TYPES) for v in values], np.bool_)
            self._refuse_other_than_numbers(is_other, error)
            decimals = [value for value in values if isinstance(value, Decimal)]
            # Where all are whole they become integers, else the nearest doubles.
            whole = all(abs(each) < 2**64 and each == each.to_integral_value() for each in decimals)
            convert = int if whole else float
            values = _from_python([convert(v) if isinstance(v, Decimal) else v for v in values])
        if values.dtype.kind == "O":
            largest = 2**63 - 1 if min(values) < 0 else 2**64 - 1
            self._refuse_other_than_numbers((values < -(2**63)) | (values > largest), error)
        if values.dtype.kind not in "fiub":
            self._refuse_other_than_numbers(np.ones(values.size, np.bool_), error)
        return values

    def _refuse_other_than_numbers(
        self, is_other: NDArray[np.bool_], error: type[InputError]
    ) -> None:
        if is_other.any():
            example = plain(self.values[np.argmax(is_other)])
            self.refuse(
                is_other, error, f"values that are not real numbers of 64 bits, such as {example!r}"
            )

    def refuse(self, offending: NDArray[np.bool_], error: type[InputError], what: str) -> None:
        """Raise with the count and the first position of the offending values, if any."""
        if offending.any():
            position = self.rows.of(int(np.argmax(offending)))
            raise error(offence(self.name, what, int(offending.sum()), position))

    def same_length(self, other: Column) -> None:
        """Check that another column has as many values."""
        size, needed = self.values.size, other.values.size
        if size != needed:
            raise LengthError(f"{self.name} has {size} values but {other.name} has {needed}")


def equal_to(values: NDArray[Any], label: object) -> NDArray[np.bool_]:
    """Tell which values are the given label."""
    if is_null(label):
        # pandas.NA equals nothing, and will not even say so.
        return np.zeros(values.shape, np.bool_)
    return np.broadcast_to(np.asarray(values == label, dtype=np.bool_), values.shape)


def offence(name: str, what: str, count: int, position: int | None) -> str:
    """Return the sentence about values that cannot be used; the position may be unknown."""
    where = "" if position is None else f", the first at position {position}"
    return f"{name} has {what}: {count} in all{where}"


SEVERAL_CLASSES = "isometrics.analyse takes one classifier's scores of all classes"
"""What to do with arrays of several columns where one is needed."""


def column(data: object, name: str, advice: str = "") -> Column:
    """Convert a list, an array of any library, or a pandas, polars or pyarrow column.

    Errors about arrays of several dimensions end with the advice.
    """
    null = None
    if isinstance(data, Column):
        return data
    if isinstance(data, np.ndarray):
        values = data
        # NumPy loads masked arrays, which are of a class of their own, when they are mentioned.
        if type(data) is not np.ndarray and isinstance(data, np.ma.MaskedArray):
            null, values = np.ma.getmaskarray(data), np.ma.getdata(data)
    elif isinstance(data, list | tuple):
        values = _from_python(data, name)
    elif is_array(data):
        values = to_host(data)
    else:
        values, null = _from_frame_library(data, name)
    if values.ndim != 1:
        raise not_one_column(name, values.shape, advice)
    if values.dtype.kind in "OT":
        if any(isinstance(value, np.ndarray | list) for value in values):
            raise DimensionError(f"{name} has rows that hold several values; pass one value a row")
        nulls = np.fromiter(map(is_null, values), np.bool_, values.size)
        null = nulls if null is None else nulls | null
    if values.dtype.kind in "fiu":
        values = values.astype(values.dtype.newbyteorder("="), copy=False)
    return Column(name, values, null)


def not_one_column(name: str, shape: tuple[int, ...], advice: str = "") -> DimensionError:
    """Return the error about an array of several dimensions, or of none."""
    what = "a list or an array"
    if shape:
        what = f"one column, for example {name}[:, 1]" + f"; {advice}" * bool(advice)
    return DimensionError(f"{name} must be one-dimensional but has shape {shape}; pass {what}")


def _from_python(values: Sequence[Any], name: str = "") -> NDArray[Any]:
    try:
        array = np.asarray(values)
    except ValueError:
        raise DimensionError(
            f"{name} has rows of different lengths; pass one value a row"
        ) from None
    if array.dtype.kind in "US":
        # NumPy would convert the 1 of ["a", 1] to the text "1".
        return np.asarray(values, dtype=object)
    if array.dtype.kind == "f" and any(isinstance(v, int) and abs(v) > 2**53 for v in values):
        # NumPy would round these; 64-bit integers or long doubles represent them.
        if not all(isinstance(value, int) for value in values):
            return np.array(values, dtype=np.longdouble)
        try:
            return np.array(values, dtype=np.uint64)
        except OverflowError:
            return np.array(values, dtype=object)
    return array


def _from_frame_library(data: object, name: str) -> tuple[NDArray[Any], NDArray[np.bool_] | None]:
    """Return the values of a data-frame column or another iterable, and which of them are null."""
    import narwhals.stable.v2 as nw

    if type(data).__module__.startswith("pyarrow"):
        import pyarrow as pa

        data = pa.chunked_array([data]) if isinstance(data, pa.Array) else data
    series = nw.from_native(cast("Any", data), series_only=True, pass_through=True)
    if isinstance(series, nw.Series):
        null = series.is_null().to_numpy() if series.null_count() else None
        if null is not None and series.dtype.is_numeric():
            # Unfilled nulls would convert integers to floats, and round them.
            series = series.fill_null(0)
        if getattr(series.dtype, "time_zone", None) is not None:
            # NumPy's times have no zone.
            return np.array([*series.to_list(), None], object)[:-1], null
        return series.to_numpy(), null
    if hasattr(data, "toarray"):  # a sparse array of scipy
        return np.asarray(data.toarray()), None
    if hasattr(data, "__array__"):
        return np.asarray(data), None
    if hasattr(data, "__iter__") and not isinstance(data, str | bytes | dict | set | frozenset):
        return _from_python(list(data), name), None
    raise DimensionError(
        f"{name} is a {type(data).__name__}; pass a list, an array or a data-frame column"
    )


def plain(value: object) -> object:
    """Convert a NumPy scalar to the Python value that prints the same; nothing is rounded."""
    if isinstance(value, np.longdouble):
        # Integer scores of 64 bits become thresholds of this type, whose item() is itself.
        number = float(value)
        # Beyond 2⁵³ a float would be compared with integers as if these were floats, too.
        is_like_others = 2**53 <= abs(number) < 2**64
        if np.isnan(value) or (number == value and not is_like_others):
            return number
        return int(value) if value == np.rint(value) else value
    return value.item() if isinstance(value, np.generic) else value
