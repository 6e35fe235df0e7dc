"""A label column that is seen batch by batch: its classes, and which rows are positive."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from isometrics._core.arrays import offence, plain
from isometrics._core.sample import absent_label, refuse_several, surplus_labels, unclear_labels
from isometrics.errors import LabelError
from isometrics.sources.arrow import NUMERIC, Values, codes, kind_of, numbers

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray


class Positions(NamedTuple):
    """Where the rows of a batch stand in the whole sample."""

    start: int | None
    """The position of the first row; None where rows have no known place."""
    kept: NDArray[np.intp] | None = None
    """The rows that remain of the batch, where some were left out."""

    def of(self, row: np.intp) -> int | None:
        """Return the position of a row of the batch."""
        if self.start is None:
            return None
        return self.start + int(row if self.kept is None else self.kept[row])


_CONVENTIONS = ({0, 1}, {-1, 1})


class Labels:
    """The classes of a label column over all batches, under the rules of `isometrics._core.sample`.

    Parameters
    ----------
    name
        The column.
    dtype
        Its Arrow type.
    """

    def __init__(self, name: str, dtype: pa.DataType) -> None:
        self._name = name
        self._kind = kind_of(dtype)
        self._codes: dict[object, int] = {}
        self._classes: list[Any] = []
        self._third: object = None
        self._surplus = 0
        self._first_surplus: int | None = None
        if self._kind == "other":
            raise LabelError(
                f"{name} holds {dtype} values; labels must be truth values, numbers or text"
            )

    def read(self, column: pa.Array) -> Values:
        """Return the labels of a batch: numbers as they are, texts as codes."""
        if self._kind in NUMERIC:
            return numbers(column)
        found, distinct = codes(column)
        known = [self._codes.setdefault(value, len(self._codes)) for value in distinct]
        missing = found < 0
        return Values(np.array([*known, -1])[found], missing if missing.any() else None)

    def equal(self, values: NDArray[Any], label: object) -> NDArray[np.bool_]:
        """Tell which labels that were read are the given one."""
        if self._kind == "boolean" and label in (0, 1):
            return values if label else ~values
        wanted = label if self._kind in NUMERIC else self._codes.get(label, -1)
        return np.broadcast_to(np.asarray(values == wanted, np.bool_), values.shape)

    def remember(self, values: NDArray[Any], rows: Positions) -> None:
        """Take note of the classes in a batch, whose rows have these positions."""
        if self._kind == "boolean" and len(self._classes) == 2:
            return
        new = np.ones(values.size, np.bool_)
        for known in self._classes:
            new &= values != known
        while new.any():
            first = int(np.argmax(new))
            if len(self._classes) == 2:
                if not self._surplus:
                    self._third, self._first_surplus = plain(values[first]), rows.of(np.intp(first))
                self._surplus += int(np.count_nonzero(new))
                break
            self._classes.append(plain(values[first]))
            new &= values != values[first]

    @property
    def classes(self) -> list[Any]:
        """The first two labels that were found."""
        return [self._label(value) for value in self._classes]

    def recount(self, values: NDArray[Any], times: NDArray[np.int64]) -> None:
        """Take over how often each label occurs, where only the first rows were looked at."""
        self.remember(values, Positions(None))
        surplus = ~np.isin(values, np.asarray(self._classes))
        self._surplus = int(times[surplus].sum())

    def check(self, pos_label: object) -> None:
        """Refuse labels that do not name two classes, or not the positive one."""
        refuse_several(pos_label)
        classes = self.classes
        conventional = self._kind in NUMERIC and any(set(classes) <= two for two in _CONVENTIONS)
        if pos_label is None and conventional and not self._surplus:
            return
        if self._surplus:
            what = surplus_labels(classes, self._label(self._third))
            raise LabelError(offence(self._name, what, self._surplus, self._first_surplus))
        if pos_label is None:
            raise unclear_labels(self._name, classes)
        if len(classes) == 2 and pos_label not in classes:
            raise LabelError(absent_label(self._name, classes, pos_label))

    def _label(self, value: Any) -> object:
        return value if self._kind in NUMERIC else list(self._codes)[value]
