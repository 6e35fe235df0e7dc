"""One figure, table or theorem of a paper, and a number beside the one that is printed there."""

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
    """A number computed here, beside what the paper prints.

    Parameters
    ----------
    name
        What it is.
    ours
        The number computed here; a text where the paper makes a statement.
    printed
        What the paper prints, digit for digit; None where it prints nothing.
    reason
        Why the two differ, where they do.
    within
        The largest difference that counts as none, by default half a unit of the last digit that
        is printed.
    source
        Where the paper's number comes from.
    fitted
        Whether what stands in for the authors' data was searched for so that it has this number;
        then it proves nothing that the two agree.

    Examples
    --------
    >>> from isometrics.studies.papers import Number
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
        """Ours less the paper's, where both are numbers."""
        if self.printed is None or isinstance(self.ours, str):
            return None
        return self.ours - float(self.printed)

    @property
    def agrees(self) -> bool | None:
        """Whether the two are the same to the digits printed; None where nothing is printed."""
        if self.printed is None:
            return None
        if self.difference is None:
            return self.ours == self.printed
        decimals = len(self.printed.partition(".")[2])
        slack = 0.5 * 10.0**-decimals + _ROUNDING if self.within is None else self.within
        return abs(self.difference) <= slack

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
        What the paper calls it, such as ``"Fig. 2"``.
    title
        A line about it.
    shows
        What the picture shows, for those who cannot see it; where there is none, what is checked
        instead.
    numbers
        Computes the numbers.
    draw
        Draws the picture; None where the paper has nothing to draw.
    stand_in
        What stands in for data that the authors did not publish.
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
        """The name of its pictures, without an ending."""
        return re.sub(r"[^a-z0-9]+", "-", self.id.lower()).strip("-")
