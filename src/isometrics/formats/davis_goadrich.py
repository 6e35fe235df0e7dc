"""Input and output files of AUCCalculator, the program of Davis & Goadrich.

The program reads a ``list`` (a probability and a class on each line), or the points of a ``PR`` or
a ``ROC`` curve, with the totals on its command line. It writes the curve with a point at every
true positive to ``.pr`` and ``.roc``, and precision at the recalls 0.01, 0.02, …, 1 to ``.spr``.
Values are separated by tabs, spaces or commas, and are written with tabs.
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

import numpy as np

from isometrics._core.arrays import column
from isometrics._core.files import whole_file
from isometrics._core.labels import positive_rows
from isometrics._table.path import path_of
from isometrics.errors import Advice, FileError, InputError, ParameterError, ScoreError
from isometrics.formats.predictions import Predictions
from isometrics.formats.text import TextFile
from isometrics.points import OperatingPoints

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterable

    from isometrics._core.arrays import Floats, Total

    PathLike = str | os.PathLike[str]

_CLASSES = (0, 1, -1)
_MAX_LINES = 10**7


def read_list(path: PathLike) -> Predictions:
    """Read a probability (or any score) and a class, 0 or 1, from each line."""
    file = TextFile(path, "a list file has a probability and a class, 0 or 1, on each line")
    scores, labels = file.table(2).T
    unknown = np.flatnonzero(~np.isin(labels, _CLASSES))
    if unknown.size:
        # The file is read again to find the line.
        line, _ = next(islice(file.lines(), int(unknown[0]), None))
        raise file.line_error(line, f"{labels[unknown[0]]:g} is no class")
    columns = {"label": labels.astype(np.int64), "score": scores.copy()}
    return Predictions(columns, "label", {"score": "score"})


def read_pr(
    path: PathLike, *, positives: Total | None = None, negatives: Total | None = None
) -> OperatingPoints:
    """Read recall and precision from each line, and compute the counts from the totals."""
    file = TextFile(path, "a PR file has a recall and a precision, both up to 1, on each line")
    return _read_curve(file, OperatingPoints.from_pr, positives, negatives)


def read_roc(
    path: PathLike, *, positives: Total | None = None, negatives: Total | None = None
) -> OperatingPoints:
    """Read false and true positive rates from each line, and compute the counts from the totals."""
    file = TextFile(
        path, "a ROC file has a false and a true positive rate, both up to 1, on each line"
    )
    return _read_curve(file, OperatingPoints.from_roc, positives, negatives)


def _read_curve(
    file: TextFile,
    from_rates: Callable[..., OperatingPoints],
    positives: Total | None,
    negatives: Total | None,
) -> OperatingPoints:
    if positives is None or negatives is None:
        raise ParameterError(
            f"{file.path} has rates, from which the counts follow only with the totals of both "
            "classes",
            Advice("pass {positives} and {negatives}"),
        )
    try:
        return from_rates(*file.table(2).T, positives=positives, negatives=negatives)
    except FileError:
        raise
    except InputError as error:
        raise error.within(str(file.path)) from error


def write_list(predictions: Predictions, path: PathLike) -> None:
    """Write the scores of one model and the classes, 1 for the positive one."""
    if predictions.multiclass or len(predictions.scores) != 1:
        raise ParameterError(
            "a list file holds one model and two classes, but these predictions have the scores "
            f"{', '.join(map(repr, predictions.scores))}"
        )
    (name,) = predictions.scores.values()
    scores = column(predictions.columns[name], name).numbers(ScoreError)
    doubles = scores.astype(np.float64)
    # Both this module and the program read list files in double precision.
    with np.errstate(invalid="ignore"):
        rounded = doubles.astype(scores.dtype) != scores
    if rounded.any():
        raise ScoreError(f"{name} has numbers beyond double precision, which a list file loses")
    labels = positive_rows(
        column(predictions.columns[predictions.label], predictions.label), predictions.pos_label
    )
    _write(path, zip(doubles.tolist(), labels.astype(np.int64).tolist(), strict=True))


def write_pr_points(points: OperatingPoints, path: PathLike) -> None:
    """Write recall and precision of the rows that have true positives."""
    rows = points.tp > 0
    _write(path, _pairs(points.recall[rows], points.precision[rows]))


def write_roc_points(points: OperatingPoints, path: PathLike) -> None:
    """Write the false and true positive rates of the table's rows."""
    _write(path, _pairs(points.false_positive_rate, points.recall))


def write_pr_curve(points: OperatingPoints, path: PathLike) -> None:
    """Write recall and precision at every true positive, as the program's ``.pr`` file."""
    tp, fp = _at_every_true_positive(points, path)
    tp, fp = tp[tp > 0], fp[tp > 0]
    _write(path, _pairs(tp / points.positives, tp / (tp + fp)))


def write_roc_curve(points: OperatingPoints, path: PathLike) -> None:
    """Write false and true positive rates at every true positive, as the ``.roc`` file."""
    tp, fp = _at_every_true_positive(points, path)
    _write(path, [(0, 0), *_pairs(fp[1:] / points.negatives, tp[1:] / points.positives)])


def write_standard_pr_curve(points: OperatingPoints, path: PathLike) -> None:
    """Write precision at the recalls 0.01, 0.02, …, 1, as the program's ``.spr`` file."""
    recalls = np.arange(1, 101) / 100
    _write(path, _pairs(recalls, points.pr.interpolate(recalls)))


def forget_leading_negatives(points: OperatingPoints) -> OperatingPoints:
    """Return the curve that the program uses, which lacks rows without true positives.

    Examples
    --------
    Two negatives rank above the only positive. The program prints an area of 0.75 under the ROC
    curve and of 0.333 under the PR curve; they are 0.5 and 0.1667.

    >>> import isometrics as iso
    >>> from isometrics.formats.davis_goadrich import forget_leading_negatives
    >>> pts = iso.OperatingPoints.from_scores([0, 0, 1, 0, 0], [0.9, 0.8, 0.7, 0.6, 0.5])
    >>> pts.roc.area(), round(pts.pr.area("integer-steps"), 4)
    (0.5, 0.1667)
    >>> pts = forget_leading_negatives(pts)
    >>> pts.roc.area(), round(pts.pr.area("integer-steps"), 4)
    (0.75, 0.3333)
    """
    rows = points.tp > 0
    return OperatingPoints.from_counts(
        points.tp[rows],
        points.fp[rows],
        positives=points.positives,
        negatives=points.negatives,
    )


def _at_every_true_positive(points: OperatingPoints, path: PathLike) -> tuple[Floats, Floats]:
    """Return the rows of the curve, with points one true positive apart between them.

    Notes
    -----
    False positives grow linearly with true positives (Davis & Goadrich 2006, section 4).
    """
    curve = path_of(points.table)
    tp, fp = np.asarray(curve.x, np.float64), np.asarray(curve.y, np.float64)
    rise, run = np.diff(tp), np.diff(fp)
    steps = np.maximum(np.ceil(rise), 1)
    if steps.sum() > _MAX_LINES:
        raise FileError(
            f"cannot write {str(path)!r}: with a point at every true positive the curve has "
            f"{steps.sum():.0f} lines, more than {_MAX_LINES}; write 'PR' or 'ROC', which have "
            "the rows of the table only"
        )
    n_steps = steps.astype(np.int64)
    segment = np.repeat(np.arange(n_steps.size), n_steps)
    step = np.arange(segment.size) - np.repeat(np.cumsum(n_steps) - n_steps, n_steps)
    slope = np.divide(run, rise, out=np.zeros(rise.size), where=rise > 0)
    point_tp = tp[segment] + step
    point_fp = fp[segment] + step * slope[segment]
    return np.append(point_tp, tp[-1]), np.append(point_fp, fp[-1])


def _pairs(x: Floats, y: Floats) -> list[tuple[float, float]]:
    return list(zip(x.tolist(), y.tolist(), strict=True))


def _write(path: PathLike, rows: Iterable[tuple[float, float]]) -> None:
    with whole_file(path) as file:
        file.writelines(f"{first!r}\t{second!r}\n" for first, second in rows)
