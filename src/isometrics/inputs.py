"""Labels, scores and weights become clean arrays here, and nowhere else.

Policy for input with one class only: constructors raise `OneClassError`; the functions of
`isometrics.metrics` take ``undefined="raise" | "nan"``.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias, cast

import numpy as np

from isometrics.errors import (
    DimensionError,
    EmptyInputError,
    LabelError,
    LengthError,
    MissingValueError,
    OneClassError,
    PointsError,
    ScoreError,
    WeightError,
)

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    Counts: TypeAlias = NDArray[np.int64] | NDArray[np.float64]
    Total: TypeAlias = int | float


class Sample(NamedTuple):
    """Rows that count: both arrays have one entry for each row of non-zero weight."""

    labels: NDArray[np.bool_]
    scores: NDArray[Any]
    weights: Counts | None


def clean_sample(
    y_true: ArrayLike,
    y_score: ArrayLike,
    sample_weight: ArrayLike | None = None,
    pos_label: object = None,
) -> Sample:
    """Check labels, scores and weights, and leave out the rows of zero weight."""
    labels = column(y_true, "y_true")
    scores = column(y_score, "y_score")
    _same_length("y_score", scores, "y_true", labels)
    weights, rows = clean_weights(sample_weight, labels, "y_true")
    if rows is not None:
        labels, scores = labels[rows], scores[rows]
    return Sample(
        positive_rows(labels, pos_label, "y_true", rows), _real(scores, rows), weights
    )


def clean_weights(
    sample_weight: ArrayLike | None, beside: NDArray[Any], beside_name: str
) -> tuple[Counts | None, NDArray[np.intp] | None]:
    """Return the non-zero weights and, where some are zero, the positions of the others.

    Integer weights stay integers, so that counts built from them stay exact.
    """
    if beside.size == 0:
        raise EmptyInputError(f"{beside_name} is empty; at least one row is needed")
    if sample_weight is None:
        return None, None
    given = column(sample_weight, "sample_weight")
    _same_length("sample_weight", given, beside_name, beside)
    given = _numeric(given, "sample_weight", WeightError)
    _refuse(np.isnan(given) if given.dtype.kind == "f" else None, "sample_weight", MissingValueError,
            "missing values (NaN or null)")
    _refuse(given < 0, "sample_weight", WeightError, "negative values")
    if given.dtype.kind == "f":
        _refuse(np.isinf(given), "sample_weight", WeightError, "infinite values")
    exact = given.dtype.kind in "bui" and float(given.sum(dtype=np.float64)) < 2**62
    weights = cast("Counts", given.astype(np.int64 if exact else np.float64))
    present = weights != 0
    if present.all():
        return weights, None
    rows = np.flatnonzero(present)
    if rows.size == 0:
        raise WeightError("sample_weight is zero for every row; at least one weight must be > 0")
    return cast("Counts", weights[rows]), rows


def column(values: object, name: str) -> NDArray[Any]:
    """Return a one-dimensional array of any list, NumPy, pandas, polars or pyarrow column."""
    if isinstance(values, np.ma.MaskedArray):
        _refuse(np.ma.getmaskarray(values).ravel(), name, MissingValueError, "masked values")
        values = np.ma.getdata(values)
    if not isinstance(values, np.ndarray | list | tuple):
        values = _from_frame_library(values, name)
    try:
        array = np.asarray(values)
        if array.dtype.kind in "USTV" and not isinstance(values, np.ndarray):
            # NumPy would turn the 1 of ["a", 1] into the text "1".
            array = np.asarray(values, dtype=object)
    except ValueError:
        raise DimensionError(f"{name} has rows of different lengths; pass one value a row") from None
    if array.ndim != 1:
        advice = (
            "pass a list or array of values"
            if array.ndim == 0
            else f"pass one column, for example {name}[:, 1]"
        )
        raise DimensionError(f"{name} must be one-dimensional but has shape {array.shape}; {advice}")
    if array.dtype.kind in "OT":
        _refuse(_missing(array), name, MissingValueError, "missing values (NaN or null)")
    return array


def _from_frame_library(values: object, name: str) -> object:
    """Unwrap a column of a data-frame library; its nulls are refused, its values kept."""
    import narwhals.stable.v2 as nw  # noqa: PLC0415 - only for users of data frames

    if type(values).__module__.startswith("pyarrow") and hasattr(values, "type"):
        import pyarrow as pa  # noqa: PLC0415

        if isinstance(values, pa.Array):
            values = pa.chunked_array([values])
    series = nw.from_native(cast("Any", values), series_only=True, pass_through=True)
    if isinstance(series, nw.Series):
        if series.null_count():
            _refuse(series.is_null().to_numpy(), name, MissingValueError, "missing values (NaN or null)")
        return series.to_numpy()
    if hasattr(values, "__array__"):
        return np.asarray(values)
    if hasattr(values, "__iter__") and not isinstance(values, str | bytes | dict):
        return list(values)
    raise DimensionError(
        f"{name} is a {type(values).__name__}; pass a list, an array or a data-frame column"
    )


def positive_rows(
    labels: NDArray[Any],
    pos_label: object,
    name: str,
    rows: NDArray[np.intp] | None = None,
) -> NDArray[np.bool_]:
    """Tell the positive rows; `rows` are the labels' positions in what the user gave."""
    if labels.dtype.kind == "f":
        _refuse(np.isnan(labels), name, MissingValueError, "missing values (NaN or null)", rows)
    if labels.dtype == np.bool_ and pos_label in (None, True):
        return labels
    if pos_label is None:
        if labels.dtype.kind in "biufO":
            positive = _equal(labels, 1)
            if (positive | _equal(labels, 0)).all() or (positive | _equal(labels, -1)).all():
                return positive
        classes = _first_classes(labels, name, rows)
        raise LabelError(
            f"{name} has the labels {_listed(classes)}; say which one is positive with pos_label="
        )
    positive = _equal(labels, pos_label)
    others = labels[~positive]
    if others.size == 0 or (positive.any() and _equal(others, others[0]).all()):
        return positive
    classes = _first_classes(labels, name, rows)
    raise LabelError(
        f"pos_label {pos_label!r} is not among the labels of {name}, {_listed(classes)}"
    )


def _first_classes(
    labels: NDArray[Any], name: str, rows: NDArray[np.intp] | None
) -> list[object]:
    """Return the one or two classes present; more than two are refused."""
    first = labels[0]
    rest = np.flatnonzero(~_equal(labels, first))
    if rest.size == 0:
        return [first]
    second = labels[rest[0]]
    surplus = ~(_equal(labels, first) | _equal(labels, second))
    if surplus.any():
        third = labels[np.argmax(surplus)]
        _refuse(
            surplus,
            name,
            LabelError,
            f"labels besides {_listed([first, second])} (the next is {_plain(third)!r}); "
            "two classes are needed",
            rows,
        )
    return [first, second]


def _equal(values: NDArray[Any], value: object) -> NDArray[np.bool_]:
    return np.broadcast_to(np.asarray(values == value, dtype=np.bool_), values.shape)


def _real(scores: NDArray[Any], rows: NDArray[np.intp] | None) -> NDArray[Any]:
    scores = _numeric(scores, "y_score", ScoreError)
    if scores.dtype.kind == "f" and np.isnan(scores.min()):
        _refuse(np.isnan(scores), "y_score", MissingValueError, "missing values (NaN or null)", rows)
    return scores


def _numeric(values: NDArray[Any], name: str, error: type[ValueError]) -> NDArray[Any]:
    if values.dtype.kind == "O":
        narrowed = np.asarray(values.tolist())
        if not any(isinstance(value, str) for value in values.tolist()):
            values = narrowed
    if values.dtype.kind not in "fiub":
        example = _plain(values[0])
        raise error(
            f"{name} must hold real numbers but holds {type(example).__name__} values such as "
            f"{example!r}; convert them to floats or integers"
        )
    return values


def _missing(values: NDArray[Any]) -> NDArray[np.bool_]:
    return np.fromiter(
        (value is None or not _is_itself(value) for value in values), np.bool_, values.size
    )


def _is_itself(value: Any) -> bool:
    """NaN differs from itself; pandas.NA refuses to say."""
    try:
        return bool(value == value)  # noqa: PLR0124
    except TypeError:
        return False


def _refuse(
    offending: NDArray[np.bool_] | None,
    name: str,
    error: type[ValueError],
    what: str,
    rows: NDArray[np.intp] | None = None,
) -> None:
    """Raise with the count and the first position of the offending rows, if there are any."""
    if offending is None or not offending.any():
        return
    first = int(np.argmax(offending))
    position = first if rows is None else int(rows[first])
    count = int(offending.sum())
    raise error(f"{name} has {what}: {count} in all, the first at position {position}")


def _same_length(
    name: str, values: NDArray[Any], other_name: str, others: NDArray[Any]
) -> None:
    if values.size != others.size:
        raise LengthError(f"{name} has {values.size} values but {other_name} has {others.size}")


def _plain(value: object) -> object:
    return value.item() if isinstance(value, np.generic) else value


def _listed(values: list[object]) -> str:
    return " and ".join(repr(_plain(value)) for value in values)


def clean_totals(
    positives: Total, negatives: Total, *, counted: str = "the sample"
) -> tuple[Total, Total]:
    """Check the totals of a table; whole numbers of rows come back as integers."""
    totals: list[Total] = []
    for name, value in (("positives", positives), ("negatives", negatives)):
        plain = _plain(value)
        if isinstance(plain, bool) or not isinstance(plain, int | float) or not math.isfinite(plain):
            raise PointsError(f"{name} must be a finite number but is {value!r}")
        if plain < 0:
            raise PointsError(f"{name} must be > 0 but is {value!r}")
        totals.append(plain)
    if totals[0] == 0 or totals[1] == 0:
        only = "negatives" if totals[0] == 0 else "positives"
        raise OneClassError(f"{counted} has only {only}; both classes are needed")
    return totals[0], totals[1]


def clean_counts(values: ArrayLike, name: str) -> Counts:
    """Return counts as int64 where they are whole numbers of an integer type, else float64."""
    array = _numeric(column(values, name), name, PointsError)
    if array.dtype.kind == "f":
        _refuse(~np.isfinite(array), name, PointsError, "values that are not finite")
        return array.astype(np.float64)
    return array.astype(np.int64)


def clean_rates(values: ArrayLike, name: str, *, missing: bool = False) -> NDArray[np.float64]:
    """Return numbers of [0, 1]; NaN stays where `missing` allows it."""
    array = _numeric(column(values, name), name, PointsError).astype(np.float64)
    if not missing:
        _refuse(np.isnan(array), name, MissingValueError, "missing values (NaN or null)")
    _refuse((array < 0) | (array > 1), name, PointsError, "values outside [0, 1]")
    return array


def clean_thresholds(values: ArrayLike, name: str = "thresholds") -> NDArray[Any]:
    """Return thresholds in a type that holds each of them exactly."""
    given = np.atleast_1d(np.asarray(values)) if np.isscalar(values) else column(values, name)
    array = _numeric(given, name, PointsError)
    if array.dtype.kind == "f":
        _refuse(np.isnan(array), name, MissingValueError, "missing values (NaN or null)")
    return as_thresholds(array)


def as_thresholds(scores: NDArray[Any]) -> NDArray[Any]:
    """Widen distinct scores to a floating type that can also hold the +inf of the empty rule."""
    if scores.dtype.kind == "f":
        return scores if scores.dtype.itemsize > np.dtype(np.float64).itemsize else scores.astype(np.float64)
    widened = scores.astype(np.float64)
    if scores.dtype.itemsize < np.dtype(np.float64).itemsize or (np.abs(widened) <= 2.0**53).all():
        return widened
    # Integers beyond 2**53 need the 64-bit mantissa that long doubles have on most machines.
    if np.finfo(np.longdouble).nmant < 63:  # pragma: no cover - depends on the machine
        raise ScoreError("y_score holds integers beyond 2**53, which this machine's floats cannot hold")
    return scores.astype(np.longdouble)
