"""Dominance: which of two curves lies above the other, by how much, and where they cross."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from isometrics._core.parameters import check_choice
from isometrics._core.results import ResultTable
from isometrics._table.hull import hull_of
from isometrics._table.path import Path, path_of
from isometrics.errors import ParameterError
from isometrics.points.models import ROUNDING, is_whole, parse_models, same_prevalence

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from isometrics._core.arrays import Floats
    from isometrics._table.table import Table
    from isometrics.points import OperatingPoints

    Side = Literal["left", "right"]


SPACES = {"roc": "ROC", "pr": "PR", "prg": "PRG"}
SIDES: tuple[Side, Side] = ("left", "right")
_SAMPLE = 512
_LONG = 2**62


class Curve(NamedTuple):
    """A table, and its path without the rows inside straight runs along an axis."""

    table: Table
    path: Path


def curve_of(table: Table) -> Curve:
    """Return the corners of a curve, which say all about it; between ties most rows are none."""
    x, y = path_of(table)
    moves = np.append(True, (np.diff(x) != 0) | (np.diff(y) != 0))
    x, y = x[moves], y[moves]
    still = [np.diff(axis) == 0 for axis in (x, y)]
    inside = (still[0][1:] & still[0][:-1]) | (still[1][1:] & still[1][:-1])
    kept = np.concatenate([[True], ~inside, [True]])
    return Curve(table, Path(x[kept], y[kept]))


class Pair(NamedTuple):
    """Two paths, x = tp and y = fp, under the same totals, and how close counts as equal."""

    one: Path
    other: Path
    positives: float
    negatives: float
    slack: float
    lowest: Fraction
    same_totals: bool


def pair_of(first: Curve, second: Curve, space: str) -> Pair:
    """Bring two curves to one scale: a common multiple of their totals, or rates."""
    (one, path_1), (other, path_2) = first, second
    if space != "roc" and not same_prevalence(one, other):
        raise ParameterError(
            f"in {SPACES[space]} space curves can be compared at one prevalence only, but theirs "
            f"are {one.prevalence:.6g} and {other.prevalence:.6g}; use at_prevalence() or 'roc'"
        )
    paths = path_1, path_2
    totals = [(table.positives, table.negatives) for table in (one, other)]
    same_totals = totals[0] == totals[1]
    # Recall gain is 0 at a recall of π.
    lowest = Fraction(one.prevalence) if space == "prg" else Fraction(0)
    if is_whole(one) and is_whole(other):
        positives, negatives = (math.lcm(*map(int, pair)) for pair in zip(*totals, strict=True))
        if space == "prg":
            lowest = positives * Fraction(int(one.positives), int(one.positives + one.negatives))
        kind = np.dtype(np.int64 if positives * negatives < _LONG else object)
        scaled_1, scaled_2 = (
            Path(
                path.x.astype(kind, copy=False) * (positives // int(total)),
                path.y.astype(kind, copy=False) * (negatives // int(rest)),
            )
            for path, (total, rest) in zip(paths, totals, strict=True)
        )
        return Pair(scaled_1, scaled_2, positives, negatives, 0, lowest, same_totals)
    scaled_1, scaled_2 = (
        Path(path.x / total, path.y / rest)
        for path, (total, rest) in zip(paths, totals, strict=True)
    )
    return Pair(scaled_1, scaled_2, 1, 1, ROUNDING, lowest, same_totals)


def _improved(path: Path, slack: float) -> Path:
    """Move a path by the slack to more true and fewer false positives."""
    return Path(path.x + slack, path.y - slack) if slack else path


def _breaks(pair: Pair, stride: int = 1) -> NDArray[Any]:
    """Return the true positives at which one of the curves bends, in any order."""
    bends = [path.x[::stride] for path in pair[:2]]
    if pair.slack:
        bends += [(bend + pair.slack).clip(max=1.0) for bend in bends]
    at = np.concatenate(bends)
    return at[at >= (float(pair.lowest) if pair.slack else math.ceil(pair.lowest))]


def _lead(pair: Pair, at: NDArray[Any], side: Side) -> Floats:
    """Return how many false positives more the other curve has, beside each of some recalls.

    The sign is exact for whole counts: one of the two values is a count, the other a fraction,
    and their products stay below the product of the totals.
    """
    tops, bottoms = zip(*(_fraction(path, at, side) for path in pair[:2]), strict=True)
    difference = tops[1] * bottoms[0] - tops[0] * bottoms[1]
    lead: Floats = (difference / (bottoms[0] * bottoms[1])).astype(np.float64)
    if not pair.slack:
        return lead
    better = [_improved(path, pair.slack) for path in pair[:2]]
    ahead = _value(pair.one, at, side) < _value(better[1], at, side)
    behind = _value(pair.other, at, side) < _value(better[0], at, side)
    return np.where(ahead | behind, lead, 0.0)


def _fraction(path: Path, at: NDArray[Any], side: Side) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return numerator and denominator of the fewest (left) or most (right) false positives."""
    end = np.searchsorted(path.x, at, side)
    start, end = np.maximum(end - 1, 0), np.minimum(end, path.x.size - 1)
    on = end if side == "left" else start
    rise = path.x[end] - path.x[start]
    hit = (path.x[on] == at) | (rise == 0)
    inside = path.y[start] * rise + (path.y[end] - path.y[start]) * (at - path.x[start])
    return np.where(hit, path.y[on], inside), np.where(hit, 1, rise)


def _value(path: Path, at: NDArray[Any], side: Side) -> Floats:
    top, bottom = _fraction(path, at, side)
    return np.asarray((top / bottom).astype(np.float64))


def leads(pair: Pair) -> tuple[bool, bool]:
    """Tell whether the first, and whether the second curve is ahead somewhere.

    Most pairs cross, and a few hundred rows show it.
    """
    first, second = _lead_at_baseline(pair)
    rows = max(pair.one.x.size, pair.other.x.size)
    for stride in sorted({max(rows // _SAMPLE, 1), 1}, reverse=True):
        at = _breaks(pair, stride)
        for side in SIDES:
            lead = _lead(pair, at, side)
            first, second = first or bool((lead > 0).any()), second or bool((lead < 0).any())
        if first and second:
            break
    return first, second


def _lead_at_baseline(pair: Pair) -> tuple[bool, bool]:
    """Compare at the lowest recall, which need not be a break point."""
    lead = float(_lead(pair, _baseline(pair), "left")[0])
    return lead > 0, lead < 0


def _baseline(pair: Pair) -> NDArray[Any]:
    return np.array([pair.lowest if not pair.slack else float(pair.lowest)])


def crossings(pair: Pair) -> tuple[Floats, Floats, NDArray[np.bool_]]:
    """Return recall and false positive rate of the crossings, and whether one leads beyond."""
    inner = np.unique(_breaks(pair))
    x = np.concatenate([_baseline(pair), np.repeat(inner, 2)]).astype(np.float64)
    left, right = (_lead(pair, inner, side) for side in SIDES)
    begin = _lead(pair, _baseline(pair), "left")
    lead = np.concatenate([begin, np.stack([left, right], axis=1).ravel()])
    ahead = np.flatnonzero(lead)
    turns = np.flatnonzero(np.diff(np.sign(lead[ahead])))
    before, after = ahead[turns], ahead[turns + 1]
    # Where the curves touch in between, the lead ends at the first place without one.
    touching = np.where(after == before + 1, abs(lead[after]), 0.0)
    share = abs(lead[before]) / (abs(lead[before]) + touching)
    place = x[before] + share * (x[before + 1] - x[before])
    start = _values_at(pair, before, inner)
    end = _values_at(pair, before + 1, inner)
    # A jump is crossed where both curves have arrived: at the later start.
    jump = x[before + 1] == x[before]
    fp = np.where(jump, start.max(axis=0), start[0] + share * (end[0] - start[0]))
    return place / pair.positives, fp / pair.negatives, lead[after] > 0


def _values_at(pair: Pair, places: NDArray[np.intp], inner: NDArray[Any]) -> Floats:
    """Return the false positives of both curves at places: the baseline, then both sides of x."""
    values = np.empty((2, places.size))
    for curve, path in enumerate(pair[:2]):
        values[curve] = _value(path, _baseline(pair), "left")[0]
        for offset, side in enumerate(SIDES):
            here = (places > 0) & ((places - 1) % 2 == offset)
            values[curve, here] = _value(path, inner[(places[here] - 1) // 2], side)
    return values


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
        return self._named("recall", "false_positive_rate", "ahead")


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
    check_choice(space, "space", tuple(SPACES))
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
            check_choice(name, "model", self.names)
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
    check_choice(space, "space", tuple(SPACES))
    named = parse_models(models)
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
