"""A label column that is seen batch by batch: its classes, and which rows are positive."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from isometrics._core.arrays import plain
from isometrics._core.labels import Classes, equal_to, is_positive_word
from isometrics.errors import LabelError
from isometrics.sources.arrow import NUMERIC, Values, codes, kind_of, numbers

if TYPE_CHECKING:
    import pyarrow as pa
    from numpy.typing import NDArray

    from isometrics._core.labels import Positions


class Labels:
    """The classes of a label column over all batches, under the rules of `isometrics._core.labels`.

    Parameters
    ----------
    name
        The column.
    dtype
        Its Arrow type.
    """

    def __init__(self, name: str, dtype: pa.DataType) -> None:
        self._kind = kind_of(dtype)
        self._codes: dict[object, int] = {}
        self._classes = Classes(name, self._label_of)
        if self._kind == "other":
            raise LabelError(
                f"{name} holds {dtype} values; labels must be truth values, numbers or text"
            )

    def read(self, column: pa.Array) -> Values:
        """Return the labels of a batch: numbers as they are, texts as codes."""
        if self._kind in NUMERIC:
            return numbers(column)
        row_codes, values = codes(column)
        own_codes = [self._codes.setdefault(value, len(self._codes)) for value in values]
        missing = row_codes < 0
        return Values(np.array([*own_codes, -1])[row_codes], missing if missing.any() else None)

    def equal(self, values: NDArray[Any], label: object) -> NDArray[np.bool_]:
        """Tell which labels that were read are the given one."""
        if self._kind == "boolean" and label in (0, 1):
            return values if label else ~values
        return equal_to(values, label if self._kind in NUMERIC else self._codes.get(label, -1))

    def positive(self, values: NDArray[Any], pos_label: object) -> NDArray[np.bool_]:
        """Tell which labels that were read are positive; without a given one, by convention."""
        if pos_label is not None or self._kind in NUMERIC:
            return self.equal(values, 1 if pos_label is None else pos_label)
        is_positive = np.array([*map(is_positive_word, self._codes), False], np.bool_)
        return np.take(is_positive, values)

    def remember(self, values: NDArray[Any], rows: Positions) -> None:
        """Take note of the classes in a batch, whose rows have these positions."""
        if self._kind != "boolean" or len(self._classes.values) < 2:
            self._classes.add(values, rows)

    @property
    def classes(self) -> list[Any]:
        """The first two labels that were found."""
        return self._classes.labels

    def recount(self, values: NDArray[Any], times: NDArray[np.int64]) -> None:
        """Take over how often each label occurs, where only the first rows were looked at."""
        self._classes.recount(values, times)

    @property
    def surplus(self) -> tuple[str, int, int | None] | None:
        """What is wrong with labels beyond two, how many there are, and where the first one is."""
        return self._classes.surplus

    def check(self, pos_label: object) -> object:
        """Return the positive label; labels that do not name two classes are refused."""
        return self._classes.check(pos_label, conventional=self._kind in NUMERIC)

    def _label_of(self, value: Any) -> object:
        return plain(value) if self._kind in NUMERIC else list(self._codes)[value]
