"""A figure, table or theorem of a paper, and a number with the one that the paper prints."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from matplotlib.figure import Figure

_ROUNDING = 1e-9

# Where a paper's number comes from: its tables and text; a statement or a theorem; a formula that
# is printed there, evaluated; a figure; a difference of two printed numbers.
PRINTED = "printed"
CLAIMED = "claimed"
BY_FORMULA = "by its formula"
FROM_FIGURE = "read from the figure"
FROM_ENDS = "from printed ends"


@dataclass(frozen=True, slots=True)
class Number:
    """A number computed here, with the one that the paper prints.

    Parameters
    ----------
    name
        What it is.
    ours
        The number computed here; a text where the paper makes a statement.
    printed
        The text that the paper prints; None if it prints none.
    reason
        Why the two differ, if they do.
    within
        The largest difference that is tolerated, by default half a unit of the last printed digit.
    source
        Where the paper's number comes from.
    fitted
        Whether the data used here were searched for so that they have this number; then the
        agreement proves nothing.

    Examples
    --------
    >>> from isometrics_studies.papers import Number
    >>> area = Number("area", 0.51379, "0.514")
    >>> area.agrees, round(area.difference, 6)
    (True, -0.00021)
    >>> Number("area", 0.5132, "0.514").agrees
    False
    """

    name: str
    ours: float | str
    printed: str | None = None
    reason: str = ""
    within: float | None = None
    source: str = PRINTED
    fitted: bool = False

    @property
    def difference(self) -> float | None:
        """Our number minus the paper's, if both are numbers."""
        if self.printed is None or isinstance(self.ours, str):
            return None
        return self.ours - float(self.printed)

    @property
    def agrees(self) -> bool | None:
        """Whether the two agree to the printed digits; None if the paper prints none."""
        if self.printed is None:
            return None
        if self.difference is None:
            return self.ours == self.printed
        decimals = len(self.printed.partition(".")[2])
        tolerance = 0.5 * 10.0**-decimals + _ROUNDING if self.within is None else self.within
        return abs(self.difference) <= tolerance

    @classmethod
    def claimed(cls, name: str, ours: float, reason: str = "", *, within: float = 0.0) -> Self:
        """Return a number that is 0 if a statement of the paper holds."""
        return cls(name, ours, "0", reason, within, CLAIMED)


@dataclass(frozen=True, slots=True)
class Item:
    """A figure, a table, a theorem, or the numbers in the text of a paper.

    Parameters
    ----------
    paper
        Its short name, such as ``"DG06"``.
    name
        Its name in the paper, such as ``"Fig. 2"``.
    title
        Its title, one line.
    shows
        A description of the picture, as alternative text; without a picture, what is checked.
    numbers
        A function that computes the numbers.
    draw
        A function that draws the picture; None if there is none.
    stand_in
        What is used in place of data that the authors did not publish.
    """

    paper: str
    name: str
    title: str
    shows: str
    numbers: Callable[[], Sequence[Number]]
    draw: Callable[[], Figure] | None = None
    stand_in: str = ""

    @property
    def id(self) -> str:
        """The paper and the name."""
        return f"{self.paper} {self.name}"

    @property
    def file_name(self) -> str:
        """The name of its pictures, without a suffix."""
        return re.sub(r"[^a-z0-9]+", "-", self.id.lower()).strip("-")
