"""Dominance: which of two curves lies above the other everywhere, and where they cross.

For one sample a curve dominates in ROC space exactly when it dominates in PR space (Davis &
Goadrich 2006, Th. 3.2): both say that it reaches every recall with at most as many false
positives. So there is one comparison, of false positives over true positives. PRG space shows the
part of it from a recall of π on.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any

from isometrics.comparison.lead import SPACES, Curve, crossings, curve_of, leads, pair_of
from isometrics.hull import hull_of
from isometrics.models import clean_models
from isometrics.parameters import clean_choice
from isometrics.results import ResultTable

if TYPE_CHECKING:
    from collections.abc import Mapping

    from isometrics.aliases import Floats
    from isometrics.points import OperatingPoints


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Dominance(ResultTable):
    """How two curves lie to each other, with one row for each crossing.

    Attributes
    ----------
    names
        The names of the two models.
    leader
        The name of the one whose curve lies nowhere below and somewhere above; None if the curves
        are equal or cross.
    verdict
        ``"… dominates"``, ``"equal"`` or ``"cross"``.
    space
        ``"roc"``, ``"pr"`` or ``"prg"``.
    same_totals
        Whether both were counted on as many positives and negatives. If not, their rates were
        compared.
    recall, false_positive_rate
        Where the curves cross.
    ahead
        Which model is ahead beyond each crossing, as recall grows.
    """

    names: tuple[str, str]
    leader: str | None
    verdict: str
    space: str
    same_totals: bool
    recall: Floats
    false_positive_rate: Floats
    ahead: tuple[str, ...]

    def __len__(self) -> int:
        """Return the number of crossings."""
        return self.recall.size

    def _title(self) -> str:
        first, second = self.names
        times = "once" if len(self) == 1 else f"{len(self)} times"
        what = {"equal": f"{first} and {second} are equal"}.get(
            self.verdict, f"{first} and {second} cross {times}"
        )
        if self.leader is not None:
            what = f"{self.leader} dominates {second if self.leader == first else first}"
        totals = "" if self.same_totals else "; their totals differ, so rates are compared"
        return f"Dominance: {what} in {SPACES[self.space]} space{totals}"

    def _columns(self) -> dict[str, Any]:
        return {
            "recall": self.recall,
            "false_positive_rate": self.false_positive_rate,
            "ahead": list(self.ahead),
        }


def dominance(
    one: OperatingPoints,
    other: OperatingPoints,
    *,
    space: str = "roc",
    hull: bool = False,
    names: tuple[str, str] = ("A", "B"),
) -> Dominance:
    """Tell whether one curve dominates another, and where they cross.

    Parameters
    ----------
    one, other
        The operating points of two models.
    space
        ``"roc"``; ``"pr"``, which has the same answer for one sample; or ``"prg"``, which only
        looks at recall gains from 0 on.
    hull
        Compare the convex hulls: what can be achieved with coin tosses between thresholds.
    names
        What to call the two models.

    Notes
    -----
    Between neighbouring break points both curves are straight, so they are compared there, on
    both sides of a jump. On whole counts this is exact, whatever their size. Sums of weights
    depend on the order of the rows; curves closer than 1e-12 count as equal there. The position
    of a crossing is exact up to rounding. Where curves coincide between two leads, the crossing
    is where the first lead ends.

    Examples
    --------
    The curves of Davis & Goadrich (2006), Fig. 7: the one with the larger area in ROC space does
    not dominate.

    >>> import isometrics as iso
    >>> from isometrics.comparison.dominance import dominance
    >>> totals = {"positives": 20, "negatives": 2000}
    >>> one = iso.OperatingPoints.from_counts([9, 13, 20], [0, 84, 2000], **totals)
    >>> two = iso.OperatingPoints.from_counts([20], [500], **totals)
    >>> dominance(one, two, names=("curve I", "curve II"))
    Dominance: curve I and curve II cross once in ROC space
      recall  false_positive_rate     ahead
    0.698449             0.174612  curve II
    """
    clean_choice(space, "space", tuple(SPACES))
    first, second = (_curve(points, hull) for points in (one, other))
    pair = pair_of(first, second, space)
    recall, rate, first_ahead = crossings(pair)
    ahead = tuple(names[0] if lead else names[1] for lead in first_ahead.tolist())
    somewhere = leads(pair)
    leader = {(True, False): names[0], (False, True): names[1]}.get(somewhere)
    unsettled = "cross" if all(somewhere) else "equal"
    return Dominance(
        names,
        leader,
        unsettled if leader is None else f"{leader} dominates",
        space,
        pair.same_totals,
        recall,
        rate,
        ahead,
    )


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class DominanceMatrix(ResultTable):
    """How the curves of several models lie to each other.

    Attributes
    ----------
    names
        The models.
    relations
        For the model of each row against that of each column: ``"dominates"``,
        ``"is dominated"``, ``"equal"`` or ``"cross"``.
    space
        ``"roc"``, ``"pr"`` or ``"prg"``.
    hull
        Whether hulls were compared.
    """

    names: tuple[str, ...]
    relations: tuple[tuple[str, ...], ...]
    space: str
    hull: bool

    def of(self, one: str, other: str) -> str:
        """Return how one model lies to another."""
        for name in (one, other):
            clean_choice(name, "model", self.names)
        return self.relations[self.names.index(one)][self.names.index(other)]

    def undominated(self) -> tuple[str, ...]:
        """Return the models that no other one dominates."""
        return tuple(
            name
            for name, row in zip(self.names, self.relations, strict=True)
            if "is dominated" not in row
        )

    def _title(self) -> str:
        what = "hulls" if self.hull else "curves"
        return f"DominanceMatrix: {what} of {len(self.names)} models in {SPACES[self.space]} space"

    def _columns(self) -> dict[str, Any]:
        key = "model"
        while key in self.names:
            key = f"{key} "
        columns = zip(*self.relations, strict=True)
        return {key: list(self.names)} | dict(zip(self.names, map(list, columns), strict=True))


def dominance_matrix(
    models: Mapping[str, OperatingPoints], *, space: str = "roc", hull: bool = False
) -> DominanceMatrix:
    """Compare the curves of all pairs of models.

    Parameters
    ----------
    models
        Two models or more, by name.
    space, hull
        As for `dominance`.

    Examples
    --------
    >>> import isometrics as iso
    >>> from isometrics.comparison.dominance import dominance_matrix
    >>> good = iso.OperatingPoints.from_scores([1, 1, 0, 0], [4, 3, 2, 1])
    >>> bad = iso.OperatingPoints.from_scores([1, 1, 0, 0], [1, 3, 4, 2])
    >>> dominance_matrix({"good": good, "bad": bad})
    DominanceMatrix: curves of 2 models in ROC space
    model          good        bad
     good         equal  dominates
      bad  is dominated      equal
    """
    clean_choice(space, "space", tuple(SPACES))
    named = clean_models(models)
    curves = [_curve(points, hull) for points in named.values()]
    relations = [["equal"] * len(curves) for _ in curves]
    words = {
        (True, False): ("dominates", "is dominated"),
        (False, True): ("is dominated", "dominates"),
        (False, False): ("equal", "equal"),
        (True, True): ("cross", "cross"),
    }
    for (row, one), (column, other) in combinations(enumerate(curves), 2):
        here, there = words[leads(pair_of(one, other, space))]
        relations[row][column], relations[column][row] = here, there
    return DominanceMatrix(tuple(named), tuple(map(tuple, relations)), space, hull)


def _curve(points: OperatingPoints, hull: bool) -> Curve:
    return curve_of(hull_of(points.table) if hull else points.table)
