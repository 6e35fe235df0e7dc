"""Leaving out the rows of arrays and data frames that miss a value in any column."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from isometrics._core.arrays import column, is_array, to_host
from isometrics._core.class_rows import parse_outputs
from isometrics._core.class_scores import class_name, parse_matrix
from isometrics._core.missing import ALL_DROPPED, Dropped, missing_rows
from isometrics.errors import MissingValueError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from isometrics._core.arrays import Column


class CompleteRows(NamedTuple):
    """The rows that miss nothing, in the form in which they were given."""

    y_true: Any
    scores: Any
    sample_weight: Any
    groups: Any
    dropped: Dropped


def complete_rows(
    y_true: Any,
    scores: Any,
    argument: str,
    *,
    sample_weight: Any = None,
    groups: Any = None,
    groups_argument: str = "groups",
) -> CompleteRows:
    """Leave out the rows that miss a value in any column, for all models and classes.

    A row of weight 0 is absent, whatever it misses. Errors and the report call the scores by the
    name of their `argument`, unless they have names, and the groups by that of theirs.
    """
    names = ("y_true", argument, "sample_weight", groups_argument)
    given = list(map(_readable_again, (y_true, scores, sample_weight, groups)))
    columns = [
        each
        for values, name in zip(given, names, strict=True)
        if values is not None
        for each in _columns(values, name)
    ]
    dropped = Dropped()
    if not columns:
        # Whoever reads them says what is wrong.
        return CompleteRows._make([*given, dropped])
    for each in columns[1:]:
        each.same_length(columns[0])
    present = _present(columns, columns[0].size)
    incomplete = np.zeros(columns[0].size, np.bool_)
    for each in columns:
        missing = missing_rows(each.values, each.null)
        if missing is not None:
            missing = missing & present
            incomplete |= missing
            dropped.columns[each.name] += int(np.count_nonzero(missing))
    dropped.rows = int(np.count_nonzero(incomplete))
    if dropped.rows == 0:
        return CompleteRows._make([*given, dropped])
    if incomplete.all():
        raise MissingValueError(ALL_DROPPED)
    return CompleteRows._make([*(_taken(values, ~incomplete) for values in given), dropped])


def _readable_again(values: Any) -> Any:
    """Return what can be read only once, such as a generator, as a list."""
    if isinstance(values, Mapping):
        return {key: _readable_again(each) for key, each in values.items()}
    return list(values) if hasattr(values, "__next__") else values


def _columns(values: Any, name: str) -> list[Column]:
    """Return all columns of what was given; those with names have them."""
    if isinstance(values, Mapping):
        return [each for key in values for each in _columns(values[key], class_name(key))]
    outputs = parse_outputs(values, name)
    if outputs is not None:
        return [
            each for j, output in enumerate(outputs) for each in _columns(output, f"{name}[{j}]")
        ]
    matrix = parse_matrix(values, name)
    if matrix is None:
        return [column(values, name)]
    titles = [f"{name}[:, {j}]" for j in range(len(matrix.columns))]
    if matrix.names is not None:
        titles = list(map(class_name, matrix.names))
    return [column(each, title) for each, title in zip(matrix.columns, titles, strict=True)]


def _present(columns: list[Column], size: int) -> NDArray[np.bool_]:
    """Tell which rows have a weight other than 0, or one that is missing."""
    weights = next((each for each in columns if each.name == "sample_weight"), None)
    if weights is None or weights.values.dtype.kind not in "fiub":
        return np.ones(size, np.bool_)
    missing = missing_rows(weights.values, weights.null)
    present = np.asarray(weights.values != 0)
    return present if missing is None else present | missing


def _taken(values: Any, kept: NDArray[np.bool_]) -> Any:
    """Return some rows of what was given, in the same form."""
    import narwhals.stable.v2 as nw

    if values is None:
        return None
    if isinstance(values, Mapping):
        return {key: _taken(each, kept) for key, each in values.items()}
    outputs = parse_outputs(values, "")
    if outputs is not None:
        return [_taken(each, kept) for each in outputs]
    if isinstance(values, list | tuple):
        return [value for value, is_kept in zip(values, kept.tolist(), strict=True) if is_kept]
    if is_array(values):
        values = to_host(values)
    elif hasattr(values, "toarray"):
        values = values.toarray()
    elif type(values).__module__.startswith("pyarrow"):
        import pyarrow as pa

        values = pa.chunked_array([values]) if isinstance(values, pa.Array) else values
    frame = nw.from_native(values, allow_series=True, eager_only=True, pass_through=True)
    if isinstance(frame, nw.DataFrame | nw.Series):
        return frame.filter(kept.tolist()).to_native()
    return np.asanyarray(values)[kept]
