"""The lead of one curve over another: how many false positives fewer it needs for a recall."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from isometrics.errors import ParameterError
from isometrics.models import ROUNDING, is_whole, same_prevalence
from isometrics.path import Path, path_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from isometrics.aliases import Floats
    from isometrics.table import Table

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
