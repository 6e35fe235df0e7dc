"""Tables from samples, counts and curves, completed by the two trivial rules."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from isometrics import _counting
from isometrics._core.arrays import column, prepend_zero
from isometrics._core.families import RawSets, overlap, parse_families, parse_sets, refuse_trivial
from isometrics._core.sample import as_thresholds, check_totals, parse_thresholds
from isometrics._counting.tally import Section
from isometrics._table.path import Path
from isometrics._table.table import ClassTotals, Gaps, Kind, Table
from isometrics.errors import LengthError, PointsError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray

    from isometrics._core.arrays import Counts, Total
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
    count = _counting.corners if corners and not unscored else _counting.count
    thresholds, tp, fp = count(sample.labels, sample.only_scores, sample.weights)
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


def path_of_sample(sample: Sample) -> tuple[Path, ClassTotals]:
    """Return the path through the corners of a sample and its totals, without a table."""
    tp, fp = _counting.corner_counts(sample.labels, sample.only_scores, sample.weights)
    totals = check_totals(tp[-1].item(), fp[-1].item(), counted="y_true")
    return Path(tp, fp), ClassTotals(*totals)


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
    tp, fp = Section(tally, (0, 0), totals).curve()
    keys = tally.lo[::-1]
    if lowest is not None:
        keys = np.append(keys[:-1], tally.lo.dtype.type(lowest))
    scores = as_thresholds(tally.order.scores(keys))
    thresholds = np.concatenate([np.array([np.inf], scores.dtype), scores])
    gaps = None if tally.exact else Gaps(tally.gaps[::-1], {}, has_hull)
    return Table(thresholds, tp, fp, *totals, Kind.SCORES, gaps=gaps)


def corners_of_table(table: Table) -> Table:
    """Keep the rows at which true positives rise, those before them, and the last one."""
    rows = _counting.corners_of(_counting.Rows(table.thresholds, table.tp, table.fp))
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
    totals = (target_set.size, size - target_set.size)
    return Table(np.full(tp.size, np.nan), tp, family.sizes - tp, *totals, Kind.SETS, family.labels)
