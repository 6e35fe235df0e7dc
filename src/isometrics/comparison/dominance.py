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
_SAMPLE_SIZE = 512
_MAX_INT64_PRODUCT = 2**62


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Dominance(ResultTable):
    """The relation of two curves, with one row for each crossing.

    Attributes
    ----------
    names
        The names of the two models.
    leader
        The name of the model whose curve is nowhere below and somewhere above; None if the curves
        are equal or cross.
    verdict
        ``"… dominates"``, ``"equal"`` or ``"cross"``.
    space
        ``"roc"``, ``"pr"`` or ``"prg"``.
    same_totals
        Whether both have the same totals of positives and negatives. If not, their rates were
        compared.
    recall, false_positive_rate
        The points at which the curves cross.
    ahead
        The model that leads beyond each crossing, as recall grows.
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
    """Return whether one curve dominates another, and where they cross.

    Parameters
    ----------
    one, other
        The operating points of two models.
    space
        ``"roc"``; ``"pr"``, which has the same result for one sample; or ``"prg"``, where only
        recall gains from 0 on are compared.
    hull
        Compare the convex hulls, which random choices between thresholds achieve.
    names
        The names of the two models.

    Notes
    -----
    Between neighbouring break points both curves are straight, so they are compared there, on
    both sides of a jump. For integer counts this is exact, whatever their size. Sums of weights
    depend on the order of the rows, so curves closer than 1e-12 are equal then. The position of a
    crossing is exact up to rounding. Where curves coincide between two leads, the crossing is
    where the first lead ends.

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
    first, second = (_curve_or_hull(points, hull) for points in (one, other))
    pair = pair_of(first, second, space)
    recall, fpr, first_leads = crossings(pair)
    ahead = tuple(names[0] if is_first else names[1] for is_first in first_leads.tolist())
    lead_somewhere = leads(pair)
    leader = {(True, False): names[0], (False, True): names[1]}.get(lead_somewhere)
    without_leader = "cross" if all(lead_somewhere) else "equal"
    return Dominance(
        names,
        leader,
        without_leader if leader is None else f"{leader} dominates",
        space,
        pair.same_totals,
        recall,
        fpr,
        ahead,
    )


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class DominanceMatrix(ResultTable):
    """The relations of the curves of several models.

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
        """Return the relation of one model to another."""
        for name in (one, other):
            check_choice(name, "model", self.names)
        return self.relations[self.names.index(one)][self.names.index(other)]

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
    curves = [_curve_or_hull(points, hull) for points in named.values()]
    relations = [["equal"] * len(curves) for _ in curves]
    words = {
        (True, False): ("dominates", "is dominated"),
        (False, True): ("is dominated", "dominates"),
        (False, False): ("equal", "equal"),
        (True, True): ("cross", "cross"),
    }
    for (row, first), (column, second) in combinations(enumerate(curves), 2):
        relation, inverse = words[leads(pair_of(first, second, space))]
        relations[row][column], relations[column][row] = relation, inverse
    return DominanceMatrix(tuple(named), tuple(map(tuple, relations)), space, hull)


def _curve_or_hull(points: OperatingPoints, hull: bool) -> Curve:
    return curve_of(hull_of(points.table) if hull else points.table)


class Curve(NamedTuple):
    """A table, and its path without the rows inside segments parallel to an axis."""

    table: Table
    path: Path


def curve_of(table: Table) -> Curve:
    """Return a curve with only its corners, which determine it."""
    x, y = path_of(table)
    distinct = np.append(True, (np.diff(x) != 0) | (np.diff(y) != 0))
    x, y = x[distinct], y[distinct]
    constant = [np.diff(axis) == 0 for axis in (x, y)]
    inside = (constant[0][1:] & constant[0][:-1]) | (constant[1][1:] & constant[1][:-1])
    corners = np.concatenate([[True], ~inside, [True]])
    return Curve(table, Path(x[corners], y[corners]))


class Pair(NamedTuple):
    """Two paths, x = tp and y = fp, under the same totals, and the tolerance of equality."""

    first: Path
    second: Path
    positives: float
    negatives: float
    tolerance: float
    lowest_tp: Fraction
    same_totals: bool


def pair_of(first: Curve, second: Curve, space: str) -> Pair:
    """Scale two curves to common totals: a common multiple of their counts, or rates."""
    tables, paths = (first.table, second.table), (first.path, second.path)
    if space != "roc" and not same_prevalence(*tables):
        raise ParameterError(
            f"in {SPACES[space]} space curves can be compared at one prevalence only, but theirs "
            f"are {tables[0].prevalence:.6g} and {tables[1].prevalence:.6g}; use at_prevalence() "
            "or 'roc'"
        )
    totals = [(table.positives, table.negatives) for table in tables]
    same_totals = totals[0] == totals[1]
    # Recall gain is 0 at a recall of π.
    lowest_tp = Fraction(tables[0].prevalence) if space == "prg" else Fraction(0)
    if all(map(is_whole, tables)):
        positives, negatives = (math.lcm(*map(int, pair)) for pair in zip(*totals, strict=True))
        if space == "prg":
            lowest_tp = positives * Fraction(int(totals[0][0]), int(totals[0][0] + totals[0][1]))
        dtype = np.dtype(np.int64 if positives * negatives < _MAX_INT64_PRODUCT else object)
        scaled_first, scaled_second = (
            Path(
                path.x.astype(dtype, copy=False) * (positives // int(own_positives)),
                path.y.astype(dtype, copy=False) * (negatives // int(own_negatives)),
            )
            for path, (own_positives, own_negatives) in zip(paths, totals, strict=True)
        )
        return Pair(scaled_first, scaled_second, positives, negatives, 0, lowest_tp, same_totals)
    scaled_first, scaled_second = (
        Path(path.x / own_positives, path.y / own_negatives)
        for path, (own_positives, own_negatives) in zip(paths, totals, strict=True)
    )
    return Pair(scaled_first, scaled_second, 1, 1, ROUNDING, lowest_tp, same_totals)


def _improved(path: Path, tolerance: float) -> Path:
    """Shift a path by the tolerance to more true and fewer false positives."""
    return Path(path.x + tolerance, path.y - tolerance) if tolerance else path


def _break_points(pair: Pair, stride: int = 1) -> NDArray[Any]:
    """Return the true positives at which one of the curves has a corner, unsorted."""
    corners = [path.x[::stride] for path in pair[:2]]
    if pair.tolerance:
        corners += [(x + pair.tolerance).clip(max=1.0) for x in corners]
    tp = np.concatenate(corners)
    return tp[tp >= (float(pair.lowest_tp) if pair.tolerance else math.ceil(pair.lowest_tp))]


def _lead(pair: Pair, tp: NDArray[Any], side: Side) -> Floats:
    """Return the lead of the first curve: how many more false positives the second one has.

    It is the limit from one side of each number of true positives. The sign is exact for integer
    counts: one of the two values is a count, the other a fraction, and their products are below
    the product of the totals.
    """
    numerators, denominators = zip(*(_fraction(path, tp, side) for path in pair[:2]), strict=True)
    difference = numerators[1] * denominators[0] - numerators[0] * denominators[1]
    lead: Floats = (difference / (denominators[0] * denominators[1])).astype(np.float64)
    if not pair.tolerance:
        return lead
    improved = [_improved(path, pair.tolerance) for path in pair[:2]]
    first_leads = _value(pair.first, tp, side) < _value(improved[1], tp, side)
    second_leads = _value(pair.second, tp, side) < _value(improved[0], tp, side)
    return np.where(first_leads | second_leads, lead, 0.0)


def _fraction(path: Path, tp: NDArray[Any], side: Side) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return numerator and denominator of the fewest (left) or most (right) false positives."""
    end = np.searchsorted(path.x, tp, side)
    start, end = np.maximum(end - 1, 0), np.minimum(end, path.x.size - 1)
    corner = end if side == "left" else start
    rise = path.x[end] - path.x[start]
    at_corner = (path.x[corner] == tp) | (rise == 0)
    inside = path.y[start] * rise + (path.y[end] - path.y[start]) * (tp - path.x[start])
    return np.where(at_corner, path.y[corner], inside), np.where(at_corner, 1, rise)


def _value(path: Path, tp: NDArray[Any], side: Side) -> Floats:
    numerator, denominator = _fraction(path, tp, side)
    return np.asarray((numerator / denominator).astype(np.float64))


def leads(pair: Pair) -> tuple[bool, bool]:
    """Return whether the first and whether the second curve leads somewhere.

    Most pairs cross, which a sample of a few hundred rows reveals.
    """
    at_baseline = float(_lead(pair, _baseline(pair), "left")[0])
    first, second = at_baseline > 0, at_baseline < 0
    n_rows = max(pair.first.x.size, pair.second.x.size)
    for stride in sorted({max(n_rows // _SAMPLE_SIZE, 1), 1}, reverse=True):
        tp = _break_points(pair, stride)
        for side in SIDES:
            lead = _lead(pair, tp, side)
            first, second = first or bool((lead > 0).any()), second or bool((lead < 0).any())
        if first and second:
            break
    return first, second


def _baseline(pair: Pair) -> NDArray[Any]:
    """Return the lowest number of true positives, which need not be a break point."""
    return np.array([pair.lowest_tp if not pair.tolerance else float(pair.lowest_tp)])


def crossings(pair: Pair) -> tuple[Floats, Floats, NDArray[np.bool_]]:
    """Return recall and false positive rate of crossings, and whether the first leads beyond.

    Leads are compared at probes: the baseline, then the left and the right side of each break
    point.
    """
    tp = np.unique(_break_points(pair))
    x = np.concatenate([_baseline(pair), np.repeat(tp, 2)]).astype(np.float64)
    left, right = (_lead(pair, tp, side) for side in SIDES)
    at_baseline = _lead(pair, _baseline(pair), "left")
    lead = np.concatenate([at_baseline, np.stack([left, right], axis=1).ravel()])
    nonzero = np.flatnonzero(lead)
    changes = np.flatnonzero(np.diff(np.sign(lead[nonzero])))
    before, after = nonzero[changes], nonzero[changes + 1]
    # Where the curves coincide in between, the lead ends at the first probe without one.
    lead_after = np.where(after == before + 1, abs(lead[after]), 0.0)
    share = abs(lead[before]) / (abs(lead[before]) + lead_after)
    crossing_tp = x[before] + share * (x[before + 1] - x[before])
    start = _values_at_probes(pair, before, tp)
    end = _values_at_probes(pair, before + 1, tp)
    # In a jump the curves cross at the larger of their starts.
    is_jump = x[before + 1] == x[before]
    fp = np.where(is_jump, start.max(axis=0), start[0] + share * (end[0] - start[0]))
    return crossing_tp / pair.positives, fp / pair.negatives, lead[after] > 0


def _values_at_probes(pair: Pair, probes: NDArray[np.intp], tp: NDArray[Any]) -> Floats:
    """Return the false positives of both curves at probes, numbered as in `crossings`."""
    values = np.empty((2, probes.size))
    for curve, path in enumerate(pair[:2]):
        values[curve] = _value(path, _baseline(pair), "left")[0]
        for offset, side in enumerate(SIDES):
            on_side = (probes > 0) & ((probes - 1) % 2 == offset)
            values[curve, on_side] = _value(path, tp[(probes[on_side] - 1) // 2], side)
    return values
