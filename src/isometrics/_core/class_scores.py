"""Arrays with a column for each class, and which column is that of the positive class."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import numpy as np

from isometrics._core.arrays import Column, column, is_array, plain, to_host
from isometrics._core.labels import positive_rows
from isometrics._core.results import several
from isometrics.errors import DimensionError, LabelError, ParameterError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Classes = Sequence[object] | None


class Matrix(NamedTuple):
    """Columns of equal length."""

    columns: list[Any]
    names: list[object] | None
    """The names of the columns; None for those of an array, which have none."""


def parse_matrix(values: object, argument: str) -> Matrix | None:
    """Return the columns of an array of two dimensions or a data frame; None of anything else."""
    if isinstance(values, Mapping):
        return Matrix(list(values.values()), list(values))
    array = _array_of(values, argument)
    if array is not None:
        return Matrix(list(array.T), None) if array.ndim == 2 else None
    if isinstance(values, list | tuple) or is_array(values):
        return None
    named = columns_of_frame(values, argument)
    return Matrix(list(named.values()), list(named)) if named else None


def single_column(values: Any, argument: str) -> Any:
    """Return the column of an array or a frame that has one, else the values as they are."""
    matrix = None if isinstance(values, Mapping) else parse_matrix(values, argument)
    return values if matrix is None or len(matrix.columns) != 1 else matrix.columns[0]


def _array_of(values: Any, argument: str) -> NDArray[Any] | None:
    """Return an array of any library, nested lists or a sparse matrix as NumPy's."""
    if isinstance(values, np.ndarray):
        return values
    if isinstance(values, list | tuple):
        # A list of numbers is a column, and most are long.
        if not values or np.ndim(values[0]) == 0 or isinstance(values[0], str | bytes):
            return None
        try:
            return np.asarray(values)
        except ValueError:
            raise DimensionError(
                f"{argument} has rows of different lengths; pass an array with a column for each "
                "class"
            ) from None
    if is_array(values):
        # One column may stay on its device.
        return to_host(values) if values.ndim > 1 else None
    return np.asarray(values.toarray()) if hasattr(values, "toarray") else None


def columns_of_frame(given: object, argument: str) -> dict[Any, Any]:
    """Return the columns of a data frame by name; of anything else, none."""
    import narwhals.stable.v2 as nw

    try:
        frame = nw.from_native(cast("Any", given), eager_only=True, pass_through=True)
        if not isinstance(frame, nw.DataFrame):
            return {}
        return {name: frame.get_column(name).to_native() for name in frame.columns}
    except nw.exceptions.DuplicateError:
        raise ParameterError(
            f"{argument} is a data frame with two columns of one name; rename one of them"
        ) from None


def parse_classes(classes: object) -> list[object] | None:
    """Return the classes of columns in their order; None where they are not given."""
    if classes is None:
        return None
    if isinstance(classes, str | bytes | Mapping | set | frozenset):
        raise ParameterError(f"must be a list of labels but is {classes!r}", parameter="classes")
    values = list(map(plain, column(classes, "classes").present()))
    if len(values) < 2:
        raise ParameterError(f"must have two labels or more but is {values!r}", parameter="classes")
    names = list(map(class_name, values))
    for name in names:
        if names.count(name) > 1:
            raise ParameterError(
                f"must have labels that differ as texts but has {name} twice", parameter="classes"
            )
    return values


def class_name(value: object) -> str:
    """Return the text of a label, as it stands in the names of columns."""
    whole = isinstance(value, float) and value.is_integer()
    return str(int(value)) if whole else str(value)  # type: ignore[call-overload]


def sorted_classes(labels: Column) -> list[object]:
    """Return the different labels in their order, which is that of ``predict_proba``."""
    try:
        return list(map(plain, np.unique(labels.present())))
    except TypeError:
        raise LabelError(
            f"{labels.name} has labels of several types, which have no order; name the classes of "
            "the columns with classes="
        ) from None


def check_classes(labels: Column, classes: list[object]) -> None:
    """Refuse labels that are not among the classes."""
    values = labels.present()
    unknown = np.ones(values.size, np.bool_)
    for label in classes:
        unknown &= np.asarray(values != label, np.bool_)
    if unknown.any():
        example = plain(values[np.argmax(unknown)])
        labels.refuse(
            unknown, LabelError, f"labels that are not among the classes, such as {example!r}"
        )


def listed(classes: Sequence[object]) -> str:
    """Return classes for a sentence."""
    return several([repr(label) for label in classes]) if classes else "none"


def is_named_after(matrix: Matrix, classes: list[object]) -> bool:
    """Tell whether each class has one column, which has its name."""
    names = matrix.names
    return names is not None and len(names) == len(classes) and all(c in names for c in classes)


def positive_column(
    matrix: Matrix, labels: Column, *, pos_label: object, classes: list[object] | None
) -> Any:
    """Return the scores of the positive class, one of two columns.

    Columns are in the order of `classes`, by default the sorted labels, unless they have the names
    of these.
    """
    positive = positive_rows(labels, pos_label)
    if classes is None:
        classes = sorted_classes(labels)
    else:
        check_classes(labels, classes)
    if not positive.any() or len(classes) < 2:
        return matrix.columns[-1]  # whoever counts these rows refuses them: they have one class
    if matrix.names is not None and is_named_after(matrix, classes):
        classes = matrix.names
    return matrix.columns[classes.index(plain(labels.values[np.argmax(positive)]))]
