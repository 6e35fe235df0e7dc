"""Confidence bands around curves, from the curves of bootstrap replicates."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from isometrics._core.parameters import (
    check_choice,
    check_confidence,
    check_size,
    index_of,
    parse_lambdas,
    parse_positions,
    parse_random_state,
)
from isometrics._core.results import ResultTable, percent
from isometrics.errors import NotAnswerableError
from isometrics.measures import Grain
from isometrics.points import OperatingPoints
from isometrics.spaces.indices import WeightedIndex, index_named
from isometrics.uncertainty.resampling import Plan, parse_evidence, replicate, resampling_of

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from isometrics._core.arrays import Floats
    from isometrics._core.parameters import ProgressLike
    from isometrics._counting.replicates import Kernel
    from isometrics.uncertainty.resampling import Evaluate, ResampledRows, Resampling


FEWEST = 5
"""The rows that a height of the curve must depend on for a band to be given there."""

SPACES = ("roc", "pr", "prg", "tradeoff")
KINDS = ("pointwise", "simultaneous")

AXES = {
    "roc": ("false_positive_rate", "true_positive_rate"),
    "pr": ("recall", "precision"),
    "prg": ("recall_gain", "precision_gain"),
    "tradeoff": ("lambda", "value"),
}


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Band(ResultTable):
    """A curve with a confidence band.

    Attributes
    ----------
    space
        ``"roc"``, ``"pr"``, ``"prg"`` or ``"tradeoff"``.
    model
        The name of the model, ``""`` if it has none.
    kind
        ``"pointwise"``: at each x the interval of the curve's height there. ``"simultaneous"``:
        the whole curve lies in the band with this confidence. ``"folds"``: between folds.
    confidence_level
        The confidence.
    x, estimate, lower, upper
        Positions on the first axis, the height of the curve there, and the ends of the band; NaN
        where the curve depends on fewer than five rows, too few for resampling to show how it
        varies.
    index
        The index in tradeoff space, else ``""``.
    """

    space: str
    model: str
    kind: str
    confidence_level: float
    x: Floats
    estimate: Floats
    lower: Floats
    upper: Floats
    index: str = ""

    def _title(self) -> str:
        whose = f" of {self.model}" if self.model else ""
        level = percent(self.confidence_level)
        return f"Band: {self.kind}, {level}, {self.space} curve{whose}"

    def _columns(self) -> dict[str, Any]:
        x, y = AXES[self.space]
        return {x: self.x, y: self.estimate, "lower": self.lower, "upper": self.upper}


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class CurveReplicates(ResultTable):
    """The curves of bootstrap replicates at fixed positions; `band` makes bands of them.

    Attributes
    ----------
    space, index
        The space, and in tradeoff space the name of the index.
    models
        The names of the models.
    x
        The positions on the first axis.
    estimates
        The height of each model's curve there.
    replicates
        The heights of the replicates, by model, replicate and position; NaN where not defined.
    rows
        How many rows each height depends on: the fewest among true positives, false positives
        and false negatives there.
    confidence_level
        The confidence of bands unless another one is asked for.
    """

    space: str
    index: str
    models: tuple[str, ...]
    x: Floats
    estimates: Floats
    replicates: Floats
    rows: Floats
    confidence_level: float

    def band(
        self,
        model: str | None = None,
        *,
        kind: str = "pointwise",
        confidence_level: float | None = None,
    ) -> Band:
        """Return a confidence band of a model's curve.

        Parameters
        ----------
        model
            The name of the model; not needed if there is only one.
        kind
            ``"pointwise"`` or ``"simultaneous"``.
        confidence_level
            The confidence.

        Notes
        -----
        Where the curve depends on fewer than five rows, as at the ends of the axes, the
        replicates hardly differ and the band would be far too narrow; there it is NaN. Pointwise
        bands are percentile intervals. A simultaneous band lies between the k-th lowest
        and the k-th highest replicate at every position, with the largest k for which as many
        replicates as asked for lie wholly inside (Davison & Hinkley 1997, section 4.2.4). It needs
        no transformation and never leaves the range of the curves.
        """
        check_choice(kind, "kind", KINDS)
        level = check_confidence(
            self.confidence_level if confidence_level is None else confidence_level
        )
        row = index_of(model, "model", self.models)
        curves = self.replicates[row]
        curves = curves[~np.isnan(curves).any(axis=1)]
        if len(curves) < 2:
            raise NotAnswerableError("a band needs two replicates or more that are defined")
        estimable = np.flatnonzero(self.rows[row] >= FEWEST)
        ends = np.full((2, self.x.size), np.nan)
        if kind == "pointwise":
            tail = (1 - level) / 2
            ends[:, estimable] = np.quantile(curves[:, estimable], [tail, 1 - tail], axis=0)
        else:
            ends[:, estimable] = _envelope(curves[:, estimable], level)
        return Band(
            self.space,
            self.models[row],
            kind,
            level,
            self.x.copy(),
            self.estimates[row].copy(),
            ends[0],
            ends[1],
            self.index,
        )

    def _title(self) -> str:
        drawn, size = self.replicates.shape[1:]
        return f"CurveReplicates: {drawn} replicates in {self.space} space at {size} x"

    def _columns(self) -> dict[str, Any]:
        names = [name or "estimate" for name in self.models]
        return {AXES[self.space][0]: self.x} | dict(zip(names, self.estimates, strict=True))


def _envelope(curves: Floats, level: float) -> tuple[Floats, Floats]:
    """Return the narrowest pair of order statistics that holds enough curves entirely."""
    from scipy.stats import rankdata

    from_below = rankdata(curves, "max", axis=0)
    from_above = len(curves) + 1 - rankdata(curves, "min", axis=0)
    depth = np.minimum(from_below, from_above).min(axis=1).astype(np.intp)
    # The k-th lowest and k-th highest hold the curves of depth k or more.
    needed = int(np.ceil(level * len(curves)))
    k = int(np.sort(depth)[len(curves) - needed])
    ordered = np.sort(curves, axis=0)
    return ordered[k - 1], ordered[-k]


def bootstrap_curves(
    y_true: ResampledRows | OperatingPoints | ArrayLike,
    y_score: Any = None,
    *,
    space: str = "roc",
    index: str | WeightedIndex = "f-measure",
    x: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    clusters: ArrayLike | None = None,
    pos_label: object = None,
    prevalence: float | None = None,
    n_resamples: int = 2000,
    stratified: bool = False,
    confidence_level: float = 0.95,
    random_state: object = None,
    n_jobs: int | None = None,
    progress: ProgressLike = None,
) -> CurveReplicates:
    """Resample the rows and return the curves of the replicates, for bands around them.

    Parameters
    ----------
    y_true, y_score, sample_weight, clusters, pos_label, prevalence, n_resamples
        As for `bootstrap`.
    stratified, confidence_level, random_state, n_jobs, progress
        As for `bootstrap`.
    space
        ``"roc"``, ``"pr"``, ``"prg"`` or ``"tradeoff"``.
    index
        The index in tradeoff space.
    x
        Positions on the first axis, by default about a hundred that are evenly spaced.

    Examples
    --------
    >>> import isometrics as iso
    >>> pts = iso.OperatingPoints.from_scores([1, 0, 1, 0] * 25, [4, 3, 2, 1] * 25)
    >>> curves = iso.bootstrap_curves(pts, x=[0.25, 0.5], random_state=0)
    >>> curves.band(kind="simultaneous").estimate.tolist()
    [0.5, 1.0]
    """
    check_choice(space, "space", SPACES)
    n_resamples = check_size(n_resamples, "n_resamples")
    level = check_confidence(confidence_level)
    chosen = index_named(index)
    # At a recall of 0 a curve has a limit, but no point.
    default = np.linspace(0, 1, 101)[space == "pr" :]
    places = np.atleast_1d(np.asarray(default if x is None else x))
    axis = AXES[space][0].replace("_", " ")
    x_values = parse_lambdas(places) if space == "tradeoff" else parse_positions(places, axis=axis)
    evidence = parse_evidence(
        y_true,
        y_score,
        sample_weight=sample_weight,
        clusters=clusters,
        pos_label=pos_label,
    )
    sample = resampling_of(evidence, Plan(Grain.RUNS, np.empty(0), stratified, prevalence))

    def heights(points: OperatingPoints) -> Floats:
        if space == "tradeoff":
            return np.asarray(points.tradeoff(chosen)(x_values))
        return np.asarray(getattr(points, space).interpolate(x_values))

    values = replicate(
        sample,
        _curves(sample, heights, x_values.size),
        len(sample.points) * x_values.size,
        n_resamples=n_resamples,
        seed=parse_random_state(random_state),
        n_jobs=n_jobs,
        progress=progress,
    )
    replicates = values.reshape(n_resamples, len(sample.points), x_values.size)
    estimates = [heights(points) for points in sample.points.values()]
    return CurveReplicates(
        space,
        chosen.name if space == "tradeoff" else "",
        tuple(sample.points),
        x_values,
        np.array(estimates),
        np.ascontiguousarray(replicates.transpose(1, 0, 2)),
        np.array(
            [
                _smallest_count(_rates(points, space, chosen, x_values, height), class_rows)
                for points, height, class_rows in zip(
                    sample.points.values(), estimates, sample.class_rows, strict=True
                )
            ]
        ),
        level,
    )


def _curves(sample: Resampling, heights: Any, size: int) -> Evaluate:
    def evaluate(_: Kernel, weights: list[Floats]) -> Floats:
        values = np.full((weights[0].shape[0], len(weights), size), np.nan)
        for row, model in np.ndindex(values.shape[:2]):
            points = sample.points_of(model, weights[model][row])
            if points is not None:
                values[row, model] = heights(points)
        return values.reshape(len(values), -1)

    return evaluate


def _rates(
    points: OperatingPoints, space: str, index: WeightedIndex, x: Floats, height: Floats
) -> tuple[Floats, Floats]:
    """Return the true and false positive rates at positions of a curve."""
    odds = points.positives / points.negatives
    if space == "roc":
        return height, x
    if space == "pr":
        with np.errstate(divide="ignore"):
            return x, odds * x * (1 / height - 1)
    if space == "prg":
        recall = odds / (1 + odds - x)
        return recall, recall * (1 - height)
    intervals = points.tradeoff(index).intervals
    best = np.searchsorted(intervals.lambda_lo, x, "right") - 1
    return intervals.tp[best] / points.positives, intervals.fp[best] / points.negatives


def _smallest_count(rates: tuple[Floats, Floats], class_rows: tuple[int, int]) -> Floats:
    """Return the fewest rows among true positives, false negatives and false positives."""
    recall, false = rates
    rows = (recall * class_rows[0], (1 - recall) * class_rows[0], false * class_rows[1])
    # Rates are rounded, and may miss a whole number of rows by their last bits.
    return np.asarray(np.min(rows, axis=0) + 1e-9)
