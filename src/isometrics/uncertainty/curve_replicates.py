"""Curves of bootstrap replicates at fixed places, and how many rows decide about them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from isometrics.indices import WeightedIndex, index_named
from isometrics.parameters import (
    clean_choice,
    clean_confidence,
    clean_jobs,
    clean_lambdas,
    clean_positions,
    clean_random_state,
    clean_size,
)
from isometrics.points import OperatingPoints
from isometrics.progress import reporting
from isometrics.uncertainty.bands import AXES, SPACES, CurveReplicates
from isometrics.uncertainty.cells import Detail
from isometrics.uncertainty.resampling import Plan, replicate, resampling_of

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from isometrics.aliases import Floats
    from isometrics.kernels.replicates import Kernel
    from isometrics.progress import ProgressLike
    from isometrics.uncertainty.resampling import Evaluate, Resampling


def bootstrap_curves(
    y_true: OperatingPoints | ArrayLike,
    y_score: Any = None,
    *,
    space: str = "roc",
    index: str | WeightedIndex = "f-measure",
    x: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    pos_label: object = None,
    prevalence: float | None = None,
    n_resamples: int = 2000,
    scheme: str = "multinomial",
    stratified: bool = False,
    confidence_level: float = 0.95,
    random_state: object = None,
    n_jobs: int | None = None,
    progress: ProgressLike = None,
) -> CurveReplicates:
    """Draw the rows again many times and keep the curves, for bands around them.

    Parameters
    ----------
    y_true, y_score, sample_weight, groups, pos_label, prevalence, n_resamples, scheme
        As for `bootstrap`.
    stratified, confidence_level, random_state, n_jobs, progress
        As for `bootstrap`.
    space
        ``"roc"``, ``"pr"``, ``"prg"`` or ``"tradeoff"``.
    index
        The index in tradeoff space.
    x
        Places on the first axis, by default a hundred that are evenly spread.

    Examples
    --------
    >>> import isometrics as iso
    >>> pts = iso.OperatingPoints.from_scores([1, 0, 1, 0] * 25, [4, 3, 2, 1] * 25)
    >>> curves = iso.bootstrap_curves(pts, x=[0.25, 0.5], random_state=0)
    >>> curves.band(kind="simultaneous").estimate.tolist()
    [0.5, 1.0]
    """
    clean_choice(space, "space", SPACES)
    n_resamples = clean_size(n_resamples, "n_resamples")
    level = clean_confidence(confidence_level)
    chosen = index_named(index)
    places = _places(space, x)
    sample = resampling_of(
        y_true,
        y_score,
        sample_weight=sample_weight,
        groups=groups,
        pos_label=pos_label,
        plan=Plan(Detail.RUNS, np.empty(0), scheme, stratified, prevalence),
    )

    def heights(points: OperatingPoints) -> Floats:
        if space == "tradeoff":
            return np.asarray(points.tradeoff(chosen)(places))
        return np.asarray(getattr(points, space).interpolate(places))

    with reporting(progress) as report:
        values = replicate(
            sample,
            _curves(sample, heights, places.size),
            len(sample.points) * places.size,
            n_resamples=n_resamples,
            seed=clean_random_state(random_state),
            n_jobs=clean_jobs(n_jobs),
            kernel="plain",
            progress=report,
        )
    replicates = values.reshape(n_resamples, len(sample.points), places.size)
    estimates = [heights(points) for points in sample.points.values()]
    return CurveReplicates(
        space,
        chosen.name if space == "tradeoff" else "",
        tuple(sample.points),
        places,
        np.array(estimates),
        np.ascontiguousarray(replicates.transpose(1, 0, 2)),
        np.array(
            [
                _deciding(_rates(points, space, chosen, places, height), sample.class_rows)
                for points, height in zip(sample.points.values(), estimates, strict=True)
            ]
        ),
        level,
    )


def _places(space: str, x: ArrayLike | None) -> Floats:
    # At a recall of 0 a curve has a limit, but no point.
    default = np.linspace(0, 1, 101)[space == "pr" :]
    given = np.atleast_1d(np.asarray(default if x is None else x))
    axis = AXES[space][0].replace("_", " ")
    return clean_lambdas(given) if space == "tradeoff" else clean_positions(given, axis=axis)


def _curves(sample: Resampling, heights: Any, size: int) -> Evaluate:
    def evaluate(_: Kernel, weights: list[Floats]) -> Floats:
        found = np.full((weights[0].shape[0], len(weights), size), np.nan)
        for model, (drawn, cells) in enumerate(zip(weights, sample.cells, strict=True)):
            of_positives = drawn[:, : cells.positive.size].any(axis=1)
            of_negatives = drawn[:, cells.positive.size :].any(axis=1)
            for row in np.flatnonzero(of_positives & of_negatives):
                points = OperatingPoints(cells.table(drawn[row], sample.ratio))
                found[row, model] = heights(points)
        return found.reshape(len(found), -1)

    return evaluate


def _rates(
    points: OperatingPoints, space: str, index: WeightedIndex, x: Floats, height: Floats
) -> tuple[Floats, Floats]:
    """Return the true and false positive rates at places of a curve."""
    odds = points.positives / points.negatives
    if space == "roc":
        return height, x
    if space == "pr":
        with np.errstate(divide="ignore"):
            return x, odds * x * (1 / height - 1)
    if space == "prg":
        recall = odds / (1 + odds - x)
        return recall, recall * (1 - height)
    found = points.tradeoff(index).intervals
    best = np.searchsorted(found.lambda_lo, x, "right") - 1
    return found.tp[best] / points.positives, found.fp[best] / points.negatives


def _deciding(rates: tuple[Floats, Floats], class_rows: tuple[int, int]) -> Floats:
    """Return the fewest rows among true positives, false negatives and false positives."""
    recall, false = rates
    rows = (recall * class_rows[0], (1 - recall) * class_rows[0], false * class_rows[1])
    # Rates are rounded, and may miss a whole number of rows by their last bits.
    return np.asarray(np.min(rows, axis=0) + 1e-9)
