"""Comparison of models: who is best for which tradeoff, dominance, areas, and a sentence."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import reduce
from itertools import combinations, compress, pairwise
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from isometrics._core.arrays import plain
from isometrics._core.parameters import check_choice, check_level
from isometrics._core.results import ResultTable, distinct_decimals, join_names
from isometrics._core.threshold_text import ThresholdTexts
from isometrics._counting.confusion import Confusion
from isometrics._table.path import EVERYTHING, NOTHING, Path, hull_of, path_of
from isometrics._table.table import Kind, Table
from isometrics.errors import NoCurveError, NotAnswerableError, ParameterError
from isometrics.measures import TRADEOFF_AREA, Shown, registered
from isometrics.points import OperatingPoints
from isometrics.points.models import ROUNDING, is_whole, parse_models, same_prevalence
from isometrics.spaces.indices import ClosedIndex, WeightedIndex, index_named
from isometrics.spaces.tradeoff import grid_with, ranges_of, tradeoff_of_rows, with_closest

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from isometrics._core.arrays import Floats
    from isometrics.spaces import Tradeoff, TradeoffIntervals
    from isometrics.spaces.tradeoff import DensityLike
    from isometrics.uncertainty.intervals import Differences

    Names = tuple[str, ...]
    Side = Literal["left", "right"]


_MAX_EXACT_COUNT = 2**53
_SAME_END = 1e-9
"""A change of winners this close to the end of a piece is that end, up to bisection."""


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

    def _columns(self) -> dict[str, Any]:
        columns = self._named("lambda_lo", "lambda_hi", "beta_lo", "beta_hi")
        columns["winner"] = [" = ".join(names) for names in self.names]
        columns |= self._named("threshold_lo", "threshold_hi")
        if any(label is not None for label in self.label_lo + self.label_hi):
            columns |= {"label_lo": list(self.label_lo), "label_hi": list(self.label_hi)}
        return columns | self._named("value_lo", "value_hi")

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
    counts = [scale.counts(curve.intervals.table) for curve in curves.values()]
    tp = np.concatenate([[0], *(tp for tp, _ in counts), [scale.positives]])
    fp = np.concatenate([[0], *(fp for _, fp in counts), [scale.negatives]])
    order = np.lexsort((tp, fp))
    unknown = np.full(tp.size, np.nan)
    rows = Table(unknown, tp[order], fp[order], scale.positives, scale.negatives, Kind.SELECTION)
    index = next(iter(curves.values())).index
    envelope = tradeoff_of_rows(rows, index).intervals
    closed = isinstance(index, ClosedIndex)
    exact = closed and scale.integer_counts
    winners_by = _winners_by_counts if exact else _winners_by_search
    names, starts = winners_by(curves, envelope, scale)
    changes = [row for row in range(len(names)) if row == 0 or names[row] != names[row - 1]]
    lo = starts[changes]
    hi = np.append(lo[1:], 1.0)
    winners = [names[row] for row in changes]
    rules = [
        _rules(curves, names[0], *ends)
        for names, *ends in zip(winners, lo.tolist(), hi.tolist(), strict=True)
    ]
    first, last = (zip(*ends, strict=True) for ends in zip(*rules, strict=True))
    thresholds, labels, values, below = zip(first, last, strict=True)
    columns: Any = (*map(np.array, thresholds), *labels, *map(np.array, (*values, *below)))
    columns += (index.name if closed else "",)
    return Winners(lo, hi, tuple(winners), *columns)


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


def _winners_by_search(
    curves: Mapping[str, Tradeoff], envelope: TradeoffIntervals, scale: _Scale
) -> tuple[list[Names], Floats]:
    """Return the winners by values, which are equal up to rounding.

    Sums of weights in another order differ in their last digits. Within one piece of each, two
    curves of an index that can only be evaluated may tie along a range, separate and meet again.
    """
    index = next(iter(curves.values())).index
    has_empty_rule = isinstance(index, ClosedIndex) and index.has_empty_rule
    trivial = (EVERYTHING, NOTHING)[: 1 + has_empty_rule]
    contenders = (*trivial, *curves)

    def gaps(lam: Floats) -> Floats:
        values = [_trivial_value(name, index, scale, lam) for name in trivial]
        values += [np.asarray(curve(lam)) for curve in curves.values()]
        best = reduce(np.maximum, values)
        return np.stack([(best - value) / np.maximum(1, abs(best)) for value in values], axis=1)

    def is_winner(lam: Floats) -> NDArray[np.bool_]:
        wins = gaps(lam) <= ROUNDING
        # Where a trivial set is as good as the models, it is the only winner.
        for column in range(len(trivial)):
            wins[:, column + 1 :] &= ~wins[:, column : column + 1]
        return wins

    # The weights at which pieces of any curve start.
    pieces = (envelope, *(curve.intervals for curve in curves.values()))
    ends = np.unique(np.concatenate([each.lambda_lo for each in pieces]))
    starts, states = ranges_of(is_winner, with_closest(grid_with(ends), gaps))
    nearest = ends[abs(ends - starts[:, None]).argmin(axis=1)]
    starts = np.where(abs(nearest - starts) <= _SAME_END, nearest, starts)
    names = [tuple(compress(contenders, state)) for state in states.tolist()]
    return names, starts


def _trivial_value(name: str, index: WeightedIndex, scale: _Scale, lam: Floats) -> Floats:
    share = 1.0 if name == EVERYTHING else 0.0
    tp, fp = np.asarray(share * scale.positives), np.asarray(share * scale.negatives)
    return index.of_rows(Confusion(tp, fp, scale.positives, scale.negatives), lam)


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


_SAMPLE_SIZE = 512
_MAX_INT64_PRODUCT = 2**62


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Areas(ResultTable):
    """One row for each model, one column for each measure.

    Attributes
    ----------
    names
        The models.
    measures
        What the columns are called.
    values
        The values; NaN where points are not nested and so have no curve, and where rows are
        missing so that only `area_brackets` are known.
    """

    names: tuple[str, ...]
    measures: tuple[str, ...]
    values: Floats

    def of(self, measure: str) -> dict[str, float]:
        """Return one measure of all models."""
        check_choice(measure, "measure", self.measures)
        column = self.values[:, self.measures.index(measure)]
        return dict(zip(self.names, column.tolist(), strict=True))

    def _title(self) -> str:
        return f"Areas: {len(self.names)} models by {len(self.measures)} measures"

    def _columns(self) -> dict[str, Any]:
        columns = dict(zip(self.measures, self.values.T, strict=True))
        return {"model": list(self.names)} | columns


def areas_of(models: Mapping[str, OperatingPoints], tradeoff_areas: Iterable[float]) -> Areas:
    """Return the areas of models in all spaces; those in tradeoff space are passed in."""
    measures = [measure for measure in registered(Shown.COMPARED) if measure.higher_is_better]
    values = [
        [
            tradeoff_area if measure is TRADEOFF_AREA else measure.value(points)
            for measure in measures
        ]
        for points, tradeoff_area in zip(models.values(), tradeoff_areas, strict=True)
    ]
    return Areas(tuple(models), tuple(measure.name for measure in measures), np.array(values))


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Comparison(ResultTable):
    """The result of `compare`; it prints as a sentence above the table of winners.

    Attributes
    ----------
    models
        The operating points by name.
    index
        The index that was compared.
    winners
        The best models for each range of λ and of β.
    areas
        The areas of each model in ROC, PR, PRG and tradeoff space.
    certainty
        How certain it is that one model is better than another, if that was requested.
    """

    models: dict[str, OperatingPoints]
    index: WeightedIndex
    winners: Winners
    areas: Areas
    certainty: Differences | None = None

    @property
    def dominance(self) -> DominanceMatrix:
        """Which curves lie above which; computed on each access.

        Hulls are compared instead if some points have no curve, because they are not nested or
        because rows are missing.
        """
        return dominance_matrix(self.models, hull=not all(map(_has_curve, self.models.values())))

    @property
    def hull_dominance(self) -> DominanceMatrix:
        """Which hulls lie above which: what random choices between thresholds can achieve."""
        return dominance_matrix(self.models, hull=True)

    def sentence(self) -> str:
        """Return the winners in one sentence, and their certainty, if known, in a second one."""
        sentence = sentence_of(self.winners, list(self.models), self.index.name)
        return sentence if self.certainty is None else f"{sentence} {self.certainty.sentence()}"

    def _title(self) -> str:
        return self.sentence()

    def _columns(self) -> dict[str, Any]:
        return self.winners._columns()


def compare(
    models: Mapping[str, OperatingPoints],
    index: str | WeightedIndex = "f-measure",
    *,
    density: DensityLike = None,
) -> Comparison:
    """Compare models: the best one for every tradeoff, dominance and areas.

    Parameters
    ----------
    models
        The operating points of two models or more, by name, at one prevalence.
    index
        ``"f-measure"``, ``"kulczynski"``, ``"folke"``, ``"jaccard"``, ``"f-gain"``, ``"cost"``
        or a user-defined `Index`.
    density
        The density of λ for the area in tradeoff space; see `Tradeoff.area`.

    Notes
    -----
    Each model is reduced to its optimal tradeoff curve, and the winners form the upper envelope of
    these curves (Hanczar & Nadif, section 5.2). For the built-in indices the curves of two rows
    cross at most once, at a λ in closed form. Models tie exactly where they have the same best
    row; sums of weights, and values of a user-defined index, count as equal within 1e-12. Where no
    model beats the set of everything, which every model can return, that set is the winner.

    Examples
    --------
    >>> import isometrics as iso
    >>> totals = {"positives": 10, "negatives": 30}
    >>> careful = iso.OperatingPoints.from_counts([4, 6], [0, 8], **totals)
    >>> bold = iso.OperatingPoints.from_counts([4, 10], [4, 12], **totals)
    >>> result = iso.compare({"careful": careful, "bold": bold})
    >>> print(result.sentence())
    By f-measure, careful is better for λ < 0.44, bold above.
    >>> result.winners.at(0.5)
    ('bold',)
    """
    named = parse_models(models)
    first, *others = named
    for name in others:
        if not same_prevalence(named[first].table, named[name].table):
            raise ParameterError(
                f"{first!r} has prevalence {named[first].prevalence:.6g} but {name!r} has "
                f"{named[name].prevalence:.6g}; bring them to one with at_prevalence()"
            )
    chosen = index_named(index)
    curves = {name: points.tradeoff(chosen) for name, points in named.items()}
    return Comparison(
        named,
        chosen,
        winners_of(curves),
        areas_of(named, [curve.area(density=density) for curve in curves.values()]),
    )


def _has_curve(points: OperatingPoints) -> bool:
    try:
        path_of(points.table)
    except (NoCurveError, NotAnswerableError):
        return False
    return True


# ---------------------------------------------------------------------- dominance


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class DominanceMatrix(ResultTable):
    """Which of several curves lie above which others.

    Attributes
    ----------
    names
        The models.
    relations
        For the model of each row against that of each column: ``"dominates"``,
        ``"is dominated"``, ``"equal"`` or ``"cross"``.
    hull
        Whether hulls were compared.
    """

    names: tuple[str, ...]
    relations: tuple[tuple[str, ...], ...]
    hull: bool

    def of(self, one: str, other: str) -> str:
        """Return the relation of one model to another."""
        for name in (one, other):
            check_choice(name, "model", self.names)
        return self.relations[self.names.index(one)][self.names.index(other)]

    def _title(self) -> str:
        return f"DominanceMatrix: {'hulls' if self.hull else 'curves'} of {len(self.names)} models"

    def _columns(self) -> dict[str, Any]:
        key = "model"
        while key in self.names:
            key = f"{key} "
        columns = zip(*self.relations, strict=True)
        return {key: list(self.names)} | dict(zip(self.names, map(list, columns), strict=True))


def dominance_matrix(
    models: Mapping[str, OperatingPoints], *, hull: bool = False
) -> DominanceMatrix:
    """Return for each two models whether the curve of one lies nowhere below that of the other.

    A curve dominates in ROC space where it does in PR space (Davis & Goadrich 2006, Theorem 3.2).

    Parameters
    ----------
    models
        Two models or more, by name. If their totals differ, rates are compared.
    hull
        Compare the convex hulls, which random choices between thresholds achieve.

    Notes
    -----
    Between neighbouring break points both curves are straight, so they are compared there, on
    both sides of a jump. For integer counts this is exact, whatever their size. Sums of weights
    depend on the order of the rows, so curves closer than 1e-12 are equal then.

    Examples
    --------
    >>> import isometrics as iso
    >>> from isometrics.comparison import dominance_matrix
    >>> good = iso.OperatingPoints.from_scores([1, 1, 0, 0], [4, 3, 2, 1])
    >>> bad = iso.OperatingPoints.from_scores([1, 1, 0, 0], [1, 3, 4, 2])
    >>> dominance_matrix({"good": good, "bad": bad})
    DominanceMatrix: curves of 2 models
    model          good        bad
     good         equal  dominates
      bad  is dominated      equal
    """
    named = parse_models(models)
    curves = [
        _corners_of(hull_of(points.table) if hull else points.table) for points in named.values()
    ]
    relations = [["equal"] * len(curves) for _ in curves]
    words = {
        (True, False): ("dominates", "is dominated"),
        (False, True): ("is dominated", "dominates"),
        (False, False): ("equal", "equal"),
        (True, True): ("cross", "cross"),
    }
    for (row, first), (column, second) in combinations(enumerate(curves), 2):
        relation, inverse = words[_leads(_pair_of(first, second))]
        relations[row][column], relations[column][row] = relation, inverse
    return DominanceMatrix(tuple(named), tuple(map(tuple, relations)), hull)


class _Curve(NamedTuple):
    """A table, and its path without the rows inside segments parallel to an axis."""

    table: Table
    path: Path


def _corners_of(table: Table) -> _Curve:
    x, y = path_of(table)
    distinct = np.append(True, (np.diff(x) != 0) | (np.diff(y) != 0))
    x, y = x[distinct], y[distinct]
    constant = [np.diff(axis) == 0 for axis in (x, y)]
    inside = (constant[0][1:] & constant[0][:-1]) | (constant[1][1:] & constant[1][:-1])
    corners = np.concatenate([[True], ~inside, [True]])
    return _Curve(table, Path(x[corners], y[corners]))


class _Pair(NamedTuple):
    """Two paths, x = tp and y = fp, under the same totals, and the tolerance of equality."""

    first: Path
    second: Path
    tolerance: float


def _pair_of(first: _Curve, second: _Curve) -> _Pair:
    """Scale two curves to common totals: a common multiple of their counts, or rates."""
    totals = [(table.positives, table.negatives) for table, _ in (first, second)]
    if not (is_whole(first.table) and is_whole(second.table)):
        one, other = (
            Path(path.x / positives, path.y / negatives)
            for (_, path), (positives, negatives) in zip((first, second), totals, strict=True)
        )
        return _Pair(one, other, ROUNDING)
    common = [math.lcm(*map(int, pair)) for pair in zip(*totals, strict=True)]
    dtype = np.dtype(np.int64 if common[0] * common[1] < _MAX_INT64_PRODUCT else object)
    one, other = (
        Path(
            path.x.astype(dtype, copy=False) * (common[0] // int(positives)),
            path.y.astype(dtype, copy=False) * (common[1] // int(negatives)),
        )
        for (_, path), (positives, negatives) in zip((first, second), totals, strict=True)
    )
    return _Pair(one, other, 0)


def _leads(pair: _Pair) -> tuple[bool, bool]:
    """Return whether the first and whether the second curve leads somewhere.

    Most pairs cross, which a sample of a few hundred rows reveals.
    """
    first = second = False
    sides: tuple[Side, Side] = ("left", "right")
    n_rows = max(pair.first.x.size, pair.second.x.size)
    for stride in sorted({max(n_rows // _SAMPLE_SIZE, 1), 1}, reverse=True):
        tp = np.concatenate([path.x[::stride] for path in pair[:2]])
        if pair.tolerance:
            tp = np.concatenate([tp, (tp + pair.tolerance).clip(max=1.0)])
        for side in sides:
            first = first or _leads_at(pair.first, pair.second, tp, side, pair.tolerance)
            second = second or _leads_at(pair.second, pair.first, tp, side, pair.tolerance)
        if first and second:
            break
    return first, second


def _leads_at(one: Path, other: Path, tp: NDArray[Any], side: Side, tolerance: float) -> bool:
    """Return whether one curve has fewer false positives than the other at some true positives.

    It is asked for the limit from one side. This is exact for integer counts: one of the two values
    is a count, the other a fraction, and their products are below the product of the totals.
    """
    # By the tolerance more true and fewer false positives would make the other one as good.
    improved = Path(other.x + tolerance, other.y - tolerance) if tolerance else other
    (own, own_divisor), (fp, divisor) = (_fraction(path, tp, side) for path in (one, improved))
    return bool((own * divisor < fp * own_divisor).any())


def _fraction(path: Path, tp: NDArray[Any], side: Side) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return numerator and denominator of the fewest (left) or most (right) false positives."""
    end = np.searchsorted(path.x, tp, side)
    start, end = np.maximum(end - 1, 0), np.minimum(end, path.x.size - 1)
    corner = end if side == "left" else start
    rise = path.x[end] - path.x[start]
    at_corner = (path.x[corner] == tp) | (rise == 0)
    inside = path.y[start] * rise + (path.y[end] - path.y[start]) * (tp - path.x[start])
    return np.where(at_corner, path.y[corner], inside), np.where(at_corner, 1, rise)


# ---------------------------------------------------------------------- the sentence


_MAX_LISTED = 3
_TRIVIAL = {EVERYTHING: "calling everything positive", NOTHING: "calling nothing positive"}


def sentence_of(winners: Winners, models: Sequence[str], index: str) -> str:
    """Return a sentence about which models are best for which weights of recall."""
    better = "is better" if len(models) == 2 else "is best"
    ranges = _ranges(winners)
    rivals = [names for names in winners.names if len(names) == 1 and names[0] not in _TRIVIAL]
    if len(winners) == len(rivals) == 2:
        first, last = map(_listed, rivals)
        clauses = [f"{first} {better} {ranges[0]}, {last} above"]
    else:
        ranges_by_names: dict[Names, list[str]] = {}
        for names, range_text in zip(winners.names, ranges, strict=True):
            ranges_by_names.setdefault(names, []).append(range_text)
        model_clauses, previous_verb = [], ""
        for names, range_texts in ranges_by_names.items():
            if names[0] not in _TRIVIAL:
                # A verb is not repeated.
                verb = better if len(names) == 1 else "tie"
                shown = "" if verb == previous_verb == better else f" {verb}"
                model_clauses.append(f"{_listed(names)}{shown} {' and '.join(range_texts)}")
                previous_verb = verb
        either = "either model" if len(models) == 2 else "any model"
        clauses = [", ".join(model_clauses)] if model_clauses else []
        clauses += [
            f"{' and '.join(range_texts)} {_TRIVIAL[names[0]]} is as good as {either}"
            for names, range_texts in ranges_by_names.items()
            if names[0] in _TRIVIAL
        ]
    best = {name for names in winners.names for name in names}
    never = [name for name in models if name not in best]
    if len(models) > 2 and never and not best <= set(_TRIVIAL):
        others = f"the other {len(never)} models"
        listed = _listed(never) if len(never) <= _MAX_LISTED else others
        clauses.append(f"{listed} {'is' if len(never) == 1 else 'are'} never best")
    return f"By {join_names([index])}, {'; '.join(clauses)}."


def _ranges(winners: Winners) -> list[str]:
    """Return the ranges as texts, with as many digits as are needed to distinguish their ends."""
    ends = ["0", *distinct_decimals(winners.lambda_lo[1:].tolist(), 2), "1"]
    texts = []
    for low, high in pairwise(ends):
        if low == "0":
            texts.append("for every λ" if high == "1" else f"for λ < {high}")
        else:
            texts.append(f"for λ > {low}" if high == "1" else f"for {low} < λ < {high}")
    return texts


def _listed(names: Sequence[str]) -> str:
    """Return all names, however many: each of them is part of the answer."""
    return join_names(names, most=len(names))
