"""Thresholds as they are printed: the fewest digits that flag the same rows."""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from decimal import Decimal
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from isometrics._core.arrays import plain
from isometrics._core.counts import LARGEST_COUNT

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

_LEAST_DIGITS = 3
"""Fewer digits would move a threshold far on new data."""

_NARROW_TYPES = (np.float16, np.float32)
_LARGEST_WIDE = 2**64
"""Whole numbers of long doubles up to here are printed with all their digits."""

_SMALLEST_PLAIN, _LARGEST_PLAIN = -4, 15
"""The powers of ten between which a number is written without an exponent."""


def threshold_text(threshold: Any, *below: Any) -> str:
    """Return the shortest decimal that flags the same rows as a threshold.

    Parameters
    ----------
    threshold
        The threshold: the lowest score that is flagged.
    below
        The next lower score, which is not flagged, of each data set whose counts stand beside the
        threshold: -inf where there is none, NaN or None where it is not known. The threshold is
        then given to its last digit.

    Notes
    -----
    The decimal p has ``below < p <= threshold`` when it is read as float64, and when it is read as
    float32 or float16, wherever scores of these types lie below. A decimal has three digits or
    more if the threshold does, and all digits before the decimal point.

    Examples
    --------
    >>> threshold_text(0.41315287, 0.4087), threshold_text(0.99999999998, 0.9999)
    ('0.413', '0.99999')
    """
    # `web/src/format.ts` is the same function for the page.
    # Integers that float64 cannot represent are long doubles in a table.
    is_wide = any(isinstance(each, int | np.longdouble) for each in (threshold, *below))
    number: Any = np.longdouble if is_wide else float
    value = number(threshold)
    if not np.isfinite(value):
        return f"{float(value):g}"
    lower = [number(score) for score in below if score is not None]
    known = 0 < len(lower) == len(below) and all(score < value for score in lower)
    if value == np.rint(value) and abs(value) < (_LARGEST_WIDE if is_wide else LARGEST_COUNT):
        # The largest number of float64 up to an integer, if it flags the same rows.
        rounded = float(int(value))
        if rounded > value:
            rounded = math.nextafter(rounded, -math.inf)
        readable = known and all(score < rounded for score in lower)
        return str(int(rounded if readable else value))
    exact = Decimal(str(value))
    sign, parts, power_of_ten = exact.as_tuple()
    digits, exponent = int("-" * sign + "".join(map(str, parts))), int(power_of_ten)
    # Of long doubles beyond the range of float64, nothing shorter could be read as that.
    if known and (not is_wide or sys.float_info.min <= abs(value) <= sys.float_info.max):
        power = len(str(abs(digits))) - 1 + exponent
        least = _LEAST_DIGITS if power > _LARGEST_PLAIN else max(_LEAST_DIGITS, power + 1)
        for dropped in range(len(str(abs(digits))) - least, 0, -1):
            # Division rounds down, also below zero.
            text = _written(digits // 10**dropped, exponent + dropped)
            if _flags_the_same(text, value, lower):
                return text
    return _written(digits, exponent)


def _flags_the_same(text: str, value: Any, lower: list[Any]) -> bool:
    """Return whether a shorter number lies between the scores, in whatever type it is read."""
    with np.errstate(all="ignore"):
        shown = {float(text), type(value)(text)}
        if not all(score < each <= value for each in shown for score in lower):
            return False
        # Compared with a number of Python, NumPy would round that to the narrow type.
        return all(
            score < float(kind(float(text)))
            for kind in _NARROW_TYPES
            for score in lower
            # A threshold of other data may itself be rounded to a score of this type.
            if float(kind(score)) == score < float(kind(value))
        )


def _written(digits: int, exponent: int) -> str:
    """Return digits·10**exponent without trailing zeros; very large and small with an exponent."""
    sign, text = "-" * (digits < 0), str(abs(digits))
    stripped = text.rstrip("0")
    exponent += len(text) - len(stripped)
    power = len(stripped) - 1 + exponent
    if not _SMALLEST_PLAIN <= power <= _LARGEST_PLAIN:
        fraction = f".{stripped[1:]}" * (len(stripped) > 1)
        return f"{sign}{stripped[0]}{fraction}e{power:+d}"
    if exponent >= 0:
        return f"{sign}{stripped}{'0' * exponent}"
    padded = stripped.rjust(1 - exponent, "0")
    return f"{sign}{padded[:exponent]}.{padded[exponent:]}"


class ThresholdTexts(Sequence[str]):
    """A column of thresholds as they are printed; only those that are looked at are computed.

    Where numbers are asked for, with `tolist`, they are exact.

    Parameters
    ----------
    thresholds
        The thresholds.
    below
        For each data set, the next lower score of each threshold, as in `threshold_text`; None
        where they are not known.
    """

    def __init__(self, thresholds: Any, *below: NDArray[Any] | Sequence[Any] | None) -> None:
        known = [scores for scores in below if scores is not None]
        self._columns = (thresholds, *(known if len(known) == len(below) else ()))

    @classmethod
    def joined(cls, columns: Sequence[ThresholdTexts]) -> ThresholdTexts:
        """Return columns below each other."""
        width = max(len(column._columns) for column in columns)
        rows = [row for column in columns for row in zip(*column._columns, strict=True)]
        # None: the next lower score is not known.
        return cls(*zip(*(row + (None,) * (width - len(row)) for row in rows), strict=True))

    def __len__(self) -> int:
        """Return the number of thresholds."""
        return len(self._columns[0])

    @overload
    def __getitem__(self, row: int) -> str: ...
    @overload
    def __getitem__(self, row: slice) -> ThresholdTexts: ...
    def __getitem__(self, row: int | slice) -> str | ThresholdTexts:
        """Return the text of a row, or the column of some rows."""
        chosen = [column[row] for column in self._columns]
        return ThresholdTexts(*chosen) if isinstance(row, slice) else threshold_text(*chosen)

    def __iter__(self) -> Iterator[str]:
        """Yield the texts."""
        return map(threshold_text, *self._columns)

    def tolist(self) -> list[object]:
        """Return the thresholds themselves, as numbers of Python."""
        return [plain(threshold) for threshold in self._columns[0]]
