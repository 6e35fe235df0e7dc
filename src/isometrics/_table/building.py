"""Tables from samples, counts and curves, completed by the two trivial rules."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from isometrics._core.arrays import column, prepend_zero
from isometrics._core.counts import (
    as_thresholds,
    check_totals,
    parse_counts,
    parse_rates,
    parse_thresholds,
)
from isometrics._core.families import RawSets, overlap, parse_families, parse_sets, refuse_trivial
from isometrics._counting import compiled_kernel as kernel
from isometrics._counting.confusion import Totals
from isometrics._counting.keys import ScoreCounts
from isometrics._counting.numpy_kernel import corners_of
from isometrics._table.path import Path
from isometrics._table.table import Gaps, Kind, Table
from isometrics.errors import LengthError, PointsError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray

    from isometrics._core.arrays import Counts, Floats, Total
    from isometrics._core.families import UniverseSize
    from isometrics._core.sample import Sample
    from isometrics._counting.tally import Tally


def table_of_sample(
    sample: Sample,
    positives: Total | None = None,
    negatives: Total | None = None,
    *,
    corners: bool = False,
    counted: str = "y_true",
) -> Table:
    """Count a sample under its own totals, or under larger ones that include unscored items."""
    unscored = positives is not None or negatives is not None
    # Items never scored rank below all scores, so they change which row precedes the last rise.
    (scores,) = sample.scores.values()
    thresholds, tp, fp = kernel.count(
        sample.labels, scores, sample.weights, corners=corners and not unscored
    )
    scored = (tp[-1].item(), fp[-1].item())
    totals = check_totals(
        scored[0] if positives is None else positives,
        scored[1] if negatives is None else negatives,
        counted=counted,
    )
    for name, seen, total in zip(("positives", "negatives"), scored, totals, strict=True):
        # Sums of float weights taken in another order differ in their last bits.
        if total < seen * (1 - 1e-12):
            raise PointsError(f"{name} is {total} but {counted} alone has {seen}")
    totals = (max(totals[0], scored[0]), max(totals[1], scored[1]))
    if totals != scored:
        thresholds, tp, fp = _with_everything(thresholds, tp, fp, totals)
    table = Table(thresholds, tp, fp, *totals, Kind.SCORES)
    if not corners:
        return table
    return corners_of_table(table) if unscored else _of_corners(table)


def path_of_sample(sample: Sample) -> tuple[Path, Totals]:
    """Return the path through the corners of a sample and its totals, without a table."""
    tp, fp = kernel.corner_counts(sample.labels, sample.only_scores, sample.weights)
    totals = check_totals(tp[-1].item(), fp[-1].item(), counted="y_true")
    return Path(tp, fp), Totals(*totals)


def table_of_tally(
    tally: Tally,
    *,
    counted: str,
    totals: tuple[Total, Total] | None = None,
    lowest: int | None = None,
    has_hull: bool = True,
) -> Table:
    """Return the rows at the lower ends of intervals, where counts are exact.

    It has a row for every distinct score where all intervals are exact.

    Parameters
    ----------
    tally
        The counts, of both classes.
    counted
        What errors call the labels.
    totals
        The exact totals, where sums of weights are rounded otherwise.
    lowest
        The key of the lowest score, where the lowest interval begins below it.
    has_hull
        Whether no open interval holds a vertex of the hull.
    """
    totals = check_totals(*(tally.totals if totals is None else totals), counted=counted)
    tp, fp = tally.curve(through=totals)
    keys = tally.lo[::-1]
    if lowest is not None:
        keys = np.append(keys[:-1], tally.lo.dtype.type(lowest))
    scores = as_thresholds(tally.order.scores(keys))
    thresholds = np.concatenate([np.array([np.inf], scores.dtype), scores])
    gaps = None if tally.exact else Gaps(tally.gaps[::-1], {}, has_hull)
    return Table(thresholds, tp, fp, *totals, Kind.SCORES, gaps=gaps)


def corners_of_table(table: Table) -> Table:
    """Keep the rows at which true positives rise, those before them, and the last one."""
    rows = corners_of(ScoreCounts(table.thresholds, table.tp, table.fp))
    return _of_corners(Table(*rows, table.positives, table.negatives, table.kind))


def _of_corners(table: Table) -> Table:
    """Mark a gap between rows of equal true positives, where other rows were left out."""
    return replace(table, gaps=Gaps(table.tp[1:] == table.tp[:-1]))


def table_of_thresholds(
    given: ArrayLike, tp: Counts, fp: Counts, totals: tuple[Total, Total]
) -> Table:
    """Return the table of counts at every distinct score, the highest first."""
    thresholds = parse_thresholds(given)
    if thresholds.size != tp.size:
        raise LengthError(f"thresholds has {thresholds.size} values but tp has {tp.size}")
    for name, direction, allowed in (
        ("thresholds", "strictly decreasing", thresholds[1:] < thresholds[:-1]),
        ("tp", "never falling", tp[1:] >= tp[:-1]),
        ("fp", "never falling", fp[1:] >= fp[:-1]),
    ):
        if not allowed.all():
            position = int(np.argmin(allowed)) + 1
            raise PointsError(f"{name} must be {direction} but is not at position {position}")
    if thresholds.size == 0 or thresholds[0] != np.inf or tp[0] != 0 or fp[0] != 0:
        thresholds = np.concatenate([[np.inf], thresholds])
        tp, fp = prepend_zero(tp), prepend_zero(fp)
    if (tp[-1], fp[-1]) != totals:
        thresholds, tp, fp = _with_everything(thresholds, tp, fp, totals)
    return Table(thresholds, tp, fp, *totals, Kind.SCORES)


def _with_everything(
    thresholds: NDArray[Any], tp: Counts, fp: Counts, totals: tuple[Total, Total]
) -> tuple[NDArray[Any], Counts, Counts]:
    """End with a row at -inf that predicts everything positive, items never scored included."""
    keep = slice(None, -1) if thresholds[-1] == -np.inf else slice(None)
    return (
        np.append(thresholds[keep], -np.inf),
        np.append(tp[keep], totals[0]),
        np.append(fp[keep], totals[1]),
    )


def table_of_curve(tp: Counts, fp: Counts, totals: tuple[Total, Total]) -> Table:
    """Return the table of nested counts whose thresholds are not known."""
    if tp.size == 0 or tp[0] != 0 or fp[0] != 0:
        tp, fp = prepend_zero(tp), prepend_zero(fp)
    if (tp[-1], fp[-1]) != totals:
        tp, fp = np.append(tp, totals[0]), np.append(fp, totals[1])
    thresholds = np.full(tp.size, np.nan)
    thresholds[0], thresholds[-1] = np.inf, -np.inf
    return Table(thresholds, tp, fp, *totals, Kind.CURVE)


def table_of_points(
    tp: Counts, fp: Counts, totals: tuple[Total, Total], labels: Sequence[object] | None
) -> Table:
    """Return a curve if the counts are nested and have no labels, else a table of sets."""
    order = np.lexsort((fp, tp))
    if labels is None and (np.diff(fp[order]) >= 0).all():
        return table_of_curve(tp[order], fp[order], totals)
    if labels is not None and not isinstance(labels, list | tuple):
        labels = column(labels, "labels").present().tolist()
    names = tuple(range(tp.size)) if labels is None else tuple(labels)
    if len(names) != tp.size:
        raise LengthError(f"labels has {len(names)} values but tp has {tp.size}")
    return Table(np.full(tp.size, np.nan), tp, fp, *totals, Kind.SETS, names)


def table_of_sets(
    target: object, found: object, universe_size: UniverseSize, labels: Sequence[object] | None
) -> Table:
    """Count the elements that each found set has in common with the target."""
    raw_target = RawSets([target], ("target",), ["target"])
    raw_found = parse_sets(found, "found", labels)
    target_family, family, size = parse_families(raw_target, raw_found, universe_size)
    refuse_trivial(target_family, ["target"], size)
    (target_set,) = target_family.members
    tp = np.array([overlap(target_set, members) for members in family.members], np.int64)
    positives = int(target_family.sizes[0])
    return Table(
        np.full(tp.size, np.nan),
        tp,
        family.sizes - tp,
        positives,
        size - positives,
        Kind.SETS,
        family.labels,
    )


_VAGUE = 0.08
"""Eight last digits of precision, each a hundredth of all negatives: too few to tell fp."""


def counts_within_totals(
    tp: ArrayLike, fp: ArrayLike, positives: Total, negatives: Total
) -> tuple[Counts, Counts]:
    """Check counts against their totals."""
    counts = parse_counts(tp, "tp"), parse_counts(fp, "fp")
    _same_length(("fp", counts[1]), ("tp", counts[0]))
    totals = ("tp", "positives", positives), ("fp", "negatives", negatives)
    for (name, total_name, total), values in zip(totals, counts, strict=True):
        outside = np.flatnonzero((values < 0) | (values > total))
        if outside.size:
            raise PointsError(
                f"{name} must lie between 0 and {total_name} ({total}) but is "
                f"{values[outside[0]]} at position {outside[0]}"
            )
    return counts


def counts_from_roc(
    fpr: ArrayLike, tpr: ArrayLike, positives: Total, negatives: Total
) -> tuple[Counts, Counts]:
    """Recover (tp, fp) from ROC coordinates, in the order of a curve."""
    (x, y), rounding = _rates(fpr=parse_rates(fpr, "fpr"), tpr=parse_rates(tpr, "tpr"))
    tp, fp = y * positives, x * negatives
    return _in_curve_order(
        _Recovered(tp, rounding.of(tp, positives), positives),
        _Recovered(fp, rounding.of(fp, negatives), negatives),
        np.arange(x.size),
    )


def counts_from_pr(
    recall: ArrayLike, precision: ArrayLike, positives: Total, negatives: Total
) -> tuple[Counts, Counts]:
    """Recover (tp, fp) from PR coordinates, in the order of a curve.

    Notes
    -----
    Where recall is 0 the false positives cannot be recovered (Davis & Goadrich 2006, Th. 3.1).
    The empty rule (precision NaN) is known anyway, and so is the point (0, 1) that scikit-learn
    appends without a threshold behind it: both are left out. Any other such point is refused.
    """
    (x, y), rounding = _rates(
        recall=parse_rates(recall, "recall"),
        precision=parse_rates(precision, "precision", missing=True),
    )
    appended = (x == 0) & (np.isnan(y) | (y == 1))
    unknown = np.flatnonzero(((x == 0) | (y == 0) | np.isnan(y)) & ~appended)
    if unknown.size:
        first = unknown[0]
        raise PointsError(
            f"the point at position {first} (recall {x[first]:g}, precision {y[first]:g}; "
            f"{unknown.size} such in all) does not tell its false positives; "
            "use from_counts, from_roc or from_scores instead"
        )
    rows = np.flatnonzero(~appended)
    x, y = x[rows], y[rows]
    tp = x * positives
    with np.errstate(over="ignore"):
        fp = tp * (1 - y) / y
    beyond = np.flatnonzero(fp > negatives + rounding.relative * (positives + negatives))
    if beyond.size:
        first = beyond[0]
        raise PointsError(
            f"the point at position {rows[first]} (recall {x[first]:g}, precision {y[first]:g}) "
            f"needs {fp[first]:g} false positives but there are only {negatives} negatives"
        )
    fp = np.minimum(fp, negatives)
    # The rounding of precision moves false positives by its share of all that is predicted.
    false = _Recovered(fp, rounding.of(tp + fp, positives + negatives), negatives)
    vague = np.flatnonzero(false.doubt > _VAGUE * negatives)
    if vague.size and not false.surely_whole:
        first = vague[0]
        raise PointsError(
            f"the point at position {rows[first]} (recall {x[first]:g}, precision {y[first]:g}) "
            f"does not tell its false positives: with {positives:g} positives and {negatives:g} "
            "negatives, the last digit of precision is worth more than a hundredth of all "
            "negatives; use from_counts, from_roc or from_scores instead"
        )
    return _in_curve_order(_Recovered(tp, rounding.of(tp, positives), positives), false, rows)


class _Rounding(NamedTuple):
    """How far a rate may be from the exact one: by its last digits, or where it underflows."""

    relative: float
    smallest: float

    def of(self, counts: Floats, total: Total) -> Floats:
        """Return how far rounding may have moved counts that are rates of a total."""
        return np.asarray(self.relative * counts + self.smallest * total)


class _Recovered(NamedTuple):
    """Counts recovered from rates, how far rounding may have moved each, and their total."""

    counts: Floats
    doubt: Floats
    total: Total

    @property
    def surely_whole(self) -> bool:
        """Whether the total is an integer and so, surely, is every count."""
        away = np.abs(self.counts - np.rint(self.counts))
        return isinstance(self.total, int) and bool(
            ((away <= self.doubt) & (self.doubt < 0.25)).all()
        )

    def rounded(self) -> Counts:
        """Return integers where every count is surely one, else floats that reach the total."""
        if self.surely_whole:
            return np.rint(self.counts).astype(np.int64)
        near = np.abs(self.counts - self.total) <= self.doubt
        return np.where(near, float(self.total), self.counts)


def _rates(**columns: NDArray[Any]) -> tuple[tuple[Floats, Floats], _Rounding]:
    """Return both coordinates in double precision, and how far rounding may have moved them."""
    (name, one), (other_name, other) = columns.items()
    _same_length((other_name, other), (name, one))
    # A rate computed from whole counts is off by an ulp or two of its own type.
    types = [np.finfo(values.dtype) for values in (one, other)]
    rounding = _Rounding(
        8 * max(float(kind.eps) for kind in types),
        max(float(kind.smallest_subnormal) for kind in types),
    )
    return (one.astype(np.float64), other.astype(np.float64)), rounding


def _in_curve_order(
    true: _Recovered, false: _Recovered, rows: NDArray[np.intp]
) -> tuple[Counts, Counts]:
    """Return the points from the strictest rule on; a fall beyond rounding is refused."""
    tp, fp = true.rounded(), false.rounded()
    backwards = tp.size > 1 and (tp[-1] < tp[0] or (tp[-1] == tp[0] and fp[-1] < fp[0]))
    order = np.s_[::-1] if backwards else np.s_[:]
    rows = rows[order]
    highest_of_both = []
    for name, counts, doubt in (("true", tp, true.doubt), ("false", fp, false.doubt)):
        highest = np.maximum.accumulate(counts[order])
        allowed = 2 * np.maximum.accumulate(doubt[order])
        falls = np.flatnonzero(highest - counts[order] > allowed)
        if falls.size:
            at = falls[0]
            raise PointsError(
                f"the points are not those of one curve: at position {rows[at]} there are fewer "
                f"{name} positives ({counts[order][at]:g}) than before ({highest[at]:g})"
            )
        highest_of_both.append(highest)
    return highest_of_both[0], highest_of_both[1]


def _same_length(one: tuple[str, NDArray[Any]], other: tuple[str, NDArray[Any]]) -> None:
    if one[1].size != other[1].size:
        raise LengthError(f"{one[0]} has {one[1].size} values but {other[0]} has {other[1].size}")
