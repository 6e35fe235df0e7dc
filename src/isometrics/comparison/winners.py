"""The winners: which of several models is best for which weight of recall."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import reduce
from itertools import compress
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import numpy as np

from isometrics._core.arrays import plain
from isometrics._core.parameters import check_level
from isometrics._core.results import ResultTable
from isometrics._core.threshold_text import ThresholdTexts
from isometrics._table.hull import EVERYTHING, NOTHING
from isometrics._table.table import Kind, Table
from isometrics.points.models import ROUNDING, is_whole
from isometrics.spaces.indices import ClosedIndex, Rows
from isometrics.spaces.ranges import grid_with, ranges_of, with_closest
from isometrics.spaces.tradeoff import tradeoff_of_rows

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from isometrics._core.arrays import Floats
    from isometrics.spaces import Tradeoff, TradeoffIntervals
    from isometrics.spaces.indices import WeightedIndex

    Names = tuple[str, ...]


_MAX_EXACT_COUNT = 2**53
_SAME_END = 1e-9
"""A change of winners this close to the end of a piece is that end, up to bisection."""

_PROBES = np.array([0.25, 0.5, 0.75])
"""Positions inside an interval at which values are compared, where counts cannot reveal ties."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Winners(ResultTable):
    """One row for each range of λ in which the same models are best.

    Attributes
    ----------
    lambda_lo, lambda_hi
        The ends of the ranges. Neighbours share an end, and the ranges together cover 0 to 1.
    names
        The best model, or all that tie. ``"(everything)"`` is the trivial set of all elements,
        where no model is better than it; for the cost, ``"(nothing)"`` is the empty set.
    threshold_lo, threshold_hi
        The threshold of the winner at both ends, of the first one in a tie; NaN where its table
        has none.
    label_lo, label_hi
        The names of the winner's rows, in a family of sets, else None.
    value_lo, value_hi
        The best value of the index at both ends.
    """

    lambda_lo: Floats
    lambda_hi: Floats
    names: tuple[Names, ...]
    threshold_lo: Floats
    threshold_hi: Floats
    label_lo: tuple[object, ...]
    label_hi: tuple[object, ...]
    value_lo: Floats
    value_hi: Floats
    _below_lo: Floats | None = field(default=None, compare=False)
    _below_hi: Floats | None = field(default=None, compare=False)
    """The next lower scores of the thresholds, as in `threshold_text`."""
    _index: str = field(default="f-measure", compare=False)

    @property
    def beta_lo(self) -> Floats:
        """The lower ends as the β of F for which the same rows are best.

        λ = β²/(1+β²) for the F-measure and the F gain; Jaccard has another scale. Other indices
        have no β, and NaN here.
        """
        return _betas(self.lambda_lo, self._index)

    @property
    def beta_hi(self) -> Floats:
        """The upper ends as β."""
        return _betas(self.lambda_hi, self._index)

    def at(self, lam: float) -> Names:
        """Return the best models at a weight of recall; those of both ranges where two meet."""
        weight = check_level(lam, "lam")
        rows = np.flatnonzero((self.lambda_lo <= weight) & (weight <= self.lambda_hi))
        return tuple(dict.fromkeys(name for row in rows.tolist() for name in self.names[row]))

    def __len__(self) -> int:
        """Return the number of ranges."""
        return len(self.names)

    def _title(self) -> str:
        return f"Winners: {len(self)} range{'s' if len(self) > 1 else ''} of λ"

    def _joined(self) -> list[str]:
        return [" = ".join(names) for names in self.names]

    def _columns(self) -> dict[str, Any]:
        columns: dict[str, Any] = {
            "lambda_lo": self.lambda_lo,
            "lambda_hi": self.lambda_hi,
            "beta_lo": self.beta_lo,
            "beta_hi": self.beta_hi,
            "winner": self._joined(),
            "threshold_lo": self.threshold_lo,
            "threshold_hi": self.threshold_hi,
        }
        if any(label is not None for label in self.label_lo + self.label_hi):
            columns |= {"label_lo": list(self.label_lo), "label_hi": list(self.label_hi)}
        return columns | {"value_lo": self.value_lo, "value_hi": self.value_hi}

    def _shown(self) -> dict[str, Any]:
        return self._columns() | {
            "threshold_lo": ThresholdTexts(self.threshold_lo, self._below_lo),
            "threshold_hi": ThresholdTexts(self.threshold_hi, self._below_hi),
        }


def _betas(lam: Floats, index: str) -> Floats:
    with np.errstate(divide="ignore"):
        if index in ("f-measure", "f-gain"):
            return np.sqrt(lam / (1 - lam))
        if index == "jaccard":
            return np.sqrt(np.where(lam <= 0.5, 2 * lam, 1 / (2 * (1 - lam))))
    return np.full(lam.shape, np.nan)


def winners_of(curves: Mapping[str, Tradeoff]) -> Winners:
    """Return the winners by the upper envelope of the models' optimal tradeoff curves.

    Only the rows on a model's own curve can be on the envelope of all models, so that is the
    curve of a small table.

    Notes
    -----
    For the built-in indices the ends of the ranges are exact. The function of an `Index` can only
    be evaluated: all ranges of at least 1/1024 are located, and shorter ones where a model's gap
    to the best has its minimum near a weight of the grid. Their ends are located by bisection,
    where the values begin to differ by more than 1e-12.
    """
    scale = _common_scale([curve.intervals.table for curve in curves.values()])
    envelope = _joint_envelope(curves, scale)
    index = next(iter(curves.values())).index
    closed = isinstance(index, ClosedIndex)
    if not closed:
        names, starts = _winners_by_search(curves, envelope, scale)
    elif scale.integer_counts:
        names, starts = _winners_by_counts(curves, envelope, scale)
    else:
        names, starts = _winners_by_values(curves, envelope, scale)
    changes = [row for row in range(len(names)) if row == 0 or names[row] != names[row - 1]]
    lo = starts[changes]
    hi = np.append(lo[1:], 1.0)
    winners = [names[row] for row in changes]
    rules = [
        _rules(curves, names[0], *ends)
        for names, *ends in zip(winners, lo.tolist(), hi.tolist(), strict=True)
    ]
    first, last = zip(*rules, strict=True)
    return Winners(
        lo,
        hi,
        tuple(winners),
        np.array([rule.threshold for rule in first]),
        np.array([rule.threshold for rule in last]),
        tuple(rule.label for rule in first),
        tuple(rule.label for rule in last),
        np.array([rule.value for rule in first]),
        np.array([rule.value for rule in last]),
        np.array([rule.below for rule in first]),
        np.array([rule.below for rule in last]),
        index.name if closed else "",
    )


# ---------------------------------------------------------------------- the curve of all models


class _Scale(NamedTuple):
    """Common totals to which all tables are scaled, and whether all counts stay integers."""

    positives: Any
    negatives: Any
    integer_counts: bool

    def counts(self, table: Table) -> tuple[NDArray[Any], NDArray[Any]]:
        """Return true and false positives under these totals."""
        if self.integer_counts:
            return (
                table.tp * (self.positives // table.positives),
                table.fp * (self.negatives // table.negatives),
            )
        # Divide first, so that rates of 1 remain exact and the trivial sets do not move.
        return (
            table.tp / table.positives * self.positives,
            table.fp / table.negatives * self.negatives,
        )


def _common_scale(tables: Sequence[Table]) -> _Scale:
    if all(map(is_whole, tables)):
        positives = math.lcm(*(int(table.positives) for table in tables))
        negatives = math.lcm(*(int(table.negatives) for table in tables))
        if max(positives, negatives) < _MAX_EXACT_COUNT:
            return _Scale(positives, negatives, True)
    return _Scale(float(tables[0].positives), float(tables[0].negatives), False)


def _joint_envelope(curves: Mapping[str, Tradeoff], scale: _Scale) -> TradeoffIntervals:
    """Return the optimal curve of the best rows of all models."""
    counts = [scale.counts(curve.intervals.table) for curve in curves.values()]
    tp = np.concatenate([[0], *(tp for tp, _ in counts), [scale.positives]])
    fp = np.concatenate([[0], *(fp for _, fp in counts), [scale.negatives]])
    order = np.lexsort((tp, fp))
    unknown = np.full(tp.size, np.nan)
    rows = Table(unknown, tp[order], fp[order], scale.positives, scale.negatives, Kind.SELECTION)
    return tradeoff_of_rows(rows, next(iter(curves.values())).index).intervals


def _winners_by_counts(
    curves: Mapping[str, Tradeoff], envelope: TradeoffIntervals, scale: _Scale
) -> tuple[list[Names], Floats]:
    """Return the winners of each piece, which are all models that have its row."""
    owners: dict[tuple[int, int], Names] = {}
    for name, curve in curves.items():
        tp, fp = scale.counts(curve.intervals.table)
        for row in zip(tp.tolist(), fp.tolist(), strict=True):
            owners[row] = (*owners.get(row, ()), name)
    owners[0, 0] = (NOTHING,)
    owners[scale.positives, scale.negatives] = (EVERYTHING,)
    rows = zip(envelope.tp.tolist(), envelope.fp.tolist(), strict=True)
    return [owners[row] for row in rows], envelope.lambda_lo


def _winners_by_values(
    curves: Mapping[str, Tradeoff], envelope: TradeoffIntervals, scale: _Scale
) -> tuple[list[Names], Floats]:
    """Return the models with the highest values between neighbouring ends of pieces.

    Sums of weights in another order differ in their last digits, so values are equal up to
    rounding.
    """
    lo = _piece_starts(curves, envelope)
    lo = lo[np.append(True, np.diff(lo) > ROUNDING)]
    width = np.diff(np.append(lo, 1.0))
    lam = lo[:, None] + width[:, None] * _PROBES
    values = {name: np.asarray(curve(lam)) for name, curve in curves.items()}
    best = reduce(np.maximum, values.values())
    level = best - ROUNDING * np.maximum(1, abs(best))
    index = cast("ClosedIndex", next(iter(curves.values())).index)
    trivial = (EVERYTHING, NOTHING) if index.has_empty_rule else (EVERYTHING,)
    trivial_wins = {name: _trivial_value(name, index, scale, lam) >= level for name in trivial}
    names = []
    for row in range(lo.size):
        best_trivial = [name for name, is_best in trivial_wins.items() if is_best[row].all()]
        winners = best_trivial[:1] or [
            name for name in values if (values[name][row] >= level[row]).all()
        ]
        at_middle = [name for name in values if values[name][row, 1] >= level[row, 1]]
        names.append(tuple(winners or at_middle))
    return names, lo


def _winners_by_search(
    curves: Mapping[str, Tradeoff], envelope: TradeoffIntervals, scale: _Scale
) -> tuple[list[Names], Floats]:
    """Return the winners by an index that can only be evaluated.

    Within one piece of each, two such curves may tie along a range, separate and meet again.
    """
    index = next(iter(curves.values())).index
    contenders = (EVERYTHING, *curves)

    def gaps(lam: Floats) -> Floats:
        values = [_trivial_value(EVERYTHING, index, scale, lam)]
        values += [np.asarray(curve(lam)) for curve in curves.values()]
        best = reduce(np.maximum, values)
        return np.stack([(best - value) / np.maximum(1, abs(best)) for value in values], axis=1)

    def is_winner(lam: Floats) -> NDArray[np.bool_]:
        wins = gaps(lam) <= ROUNDING
        # Where the set of everything is as good as the models, it is the only winner.
        wins[:, 1:] &= ~wins[:, :1]
        return wins

    ends = _piece_starts(curves, envelope)
    starts, states = ranges_of(is_winner, with_closest(grid_with(ends), gaps))
    nearest = ends[abs(ends - starts[:, None]).argmin(axis=1)]
    starts = np.where(abs(nearest - starts) <= _SAME_END, nearest, starts)
    names = [tuple(compress(contenders, state)) for state in states.tolist()]
    return names, starts


def _piece_starts(curves: Mapping[str, Tradeoff], envelope: TradeoffIntervals) -> Floats:
    """Return the weights at which pieces of any curve start."""
    starts = [envelope.lambda_lo, *(curve.intervals.lambda_lo for curve in curves.values())]
    return np.unique(np.concatenate(starts))


def _trivial_value(name: str, index: WeightedIndex, scale: _Scale, lam: Floats) -> Floats:
    share = 1.0 if name == EVERYTHING else 0.0
    tp, fp = np.asarray(share * scale.positives), np.asarray(share * scale.negatives)
    return index.of_rows(Rows(tp, fp, scale.positives, scale.negatives), lam)


# ---------------------------------------------------------------------- the winner's rule


class _Rule(NamedTuple):
    threshold: float
    label: object
    value: float
    below: float = math.nan
    """The next lower score."""


def _rules(curves: Mapping[str, Tradeoff], name: str, lo: float, hi: float) -> tuple[_Rule, _Rule]:
    """Return a winner's rule from the lower end on, and the one up to the upper end."""
    if name in (EVERYTHING, NOTHING):
        curve = next(iter(curves.values()))
        scale = _common_scale([curve.rows])
        threshold = -math.inf if name == EVERYTHING else math.inf
        value = (float(_trivial_value(name, curve.index, scale, np.asarray(x))) for x in (lo, hi))
        return _Rule(threshold, None, next(value)), _Rule(threshold, None, next(value))
    curve = curves[name]
    pieces, starts = curve.intervals, curve.intervals.lambda_lo
    rows = np.searchsorted(starts, lo, "right") - 1, np.searchsorted(starts, hi, "left") - 1

    def rule(row: int, lam: float) -> _Rule:
        label = None if pieces.labels is None else plain(pieces.labels[row])
        below = pieces.table.next_lower()[row]
        return _Rule(pieces.thresholds[row], label, curve(lam), below)

    return rule(int(rows[0]), lo), rule(int(rows[1]), hi)
