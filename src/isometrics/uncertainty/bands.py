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
from isometrics._table.table import Table, at_thresholds
from isometrics.errors import NotAnswerableError
from isometrics.measures import Grain
from isometrics.points import OperatingPoints
from isometrics.spaces.indices import ClosedIndex, WeightedIndex, index_named
from isometrics.uncertainty.resampling import Plan, parse_evidence, replicate, resampling_of

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from isometrics._core.arrays import Floats
    from isometrics._core.parameters import ProgressLike
    from isometrics._counting.replicates import Kernel
    from isometrics.uncertainty.resampling import Evaluate, ResampledRows, Resampling


FEWEST = 5
"""The rows that a height of the curve must depend on for a band to be given there."""

_INSIDE = 1e-12
"""How far values stay from 0 and 1, whose logits are infinite."""

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
        varies. In tradeoff space the band is for the best values that thresholds reach on the
        whole source. Those on the sample, the estimate, are too high, so the band lies lower
        and may lie below the estimate.
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
        In tradeoff space: what the rules that are best in the sample reach in each replicate,
        less the optimism of choosing them; see `bootstrap_curves`.
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
        replicates as asked for lie wholly inside those of the others (after Davison & Hinkley 1997,
        section 4.2.4, who count a replicate for its own band; with hundreds of replicates that is
        too narrow). It needs no transformation and never leaves the range of the curves.
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
    """Return the narrowest order statistics whose like among the other curves hold enough curves.

    A curve is judged by the others, because it pulls the band of all curves towards itself.
    """
    from scipy.stats import rankdata

    from_below = rankdata(curves, "max", axis=0)
    from_above = len(curves) + 1 - rankdata(curves, "min", axis=0)
    depth = np.minimum(from_below, from_above).min(axis=1).astype(np.intp)
    # The k-th lowest and k-th highest of the others hold the curves of a depth above k.
    needed = int(np.ceil(level * len(curves)))
    k = max(1, int(np.sort(depth)[len(curves) - needed]) - 1)
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

    Notes
    -----
    A tradeoff curve is a maximum over thresholds. What is estimated is the population's: at every
    λ the best value that a threshold reaches there. The maximum in a sample is higher on average,
    and that in a replicate higher still, so that percentiles of the maxima are too high. Instead,
    the rule that is best in the sample is judged in the replicates, and the optimism is taken from
    its values: the median of how much better the rule that is best in a replicate looks there than
    in the sample (Efron 1983). Both are measured on the logit scale, on which an index between 0
    and 1 varies more evenly; values of an `Index` of your own may lie anywhere and stay as they
    are. `benchmarks/tradeoff_bands.md` has the coverage.

    With W and W' the deviations of sample and replicate from what they are drawn from, near the
    best threshold like independent Brownian motions, and a quadratic fall around it, the bias of
    the maximum is b = E max(W - t²). The mean maximum in replicates is (2^⅔ - 1)·b = 0.59·b above
    the sample's, too little to be taken from it as its bias; Efron's optimism is ⅔·2^⅔·b = 1.06·b.

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
    models = tuple(sample.points.values())
    is_tradeoff = space == "tradeoff"
    rules = [_best_rules(points, chosen, x_values) for points in models if is_tradeoff]

    def heights(points: OperatingPoints, model: int) -> Floats:
        if not is_tradeoff:
            return np.asarray(getattr(points, space).interpolate(x_values))
        best = _best_rules(points, chosen, x_values)
        in_sample = at_thresholds(models[model].table, best.thresholds)
        kept = at_thresholds(points.table, rules[model].thresholds)
        values = [chosen.of_rows(table.counts, x_values) for table in (best, in_sample, kept)]
        # A kept rule without true positives in a replicate may have no value; none is worse.
        return np.nan_to_num(np.concatenate(values), nan=-1e300)

    height_count = (3 if is_tradeoff else 1) * x_values.size
    values = replicate(
        sample,
        _curves(sample, heights, height_count),
        len(models) * height_count,
        n_resamples=n_resamples,
        seed=parse_random_state(random_state),
        n_jobs=n_jobs,
        progress=progress,
    )
    values = values.reshape(n_resamples, len(models), -1, x_values.size).transpose(1, 2, 0, 3)
    if is_tradeoff:
        bounded = isinstance(chosen, ClosedIndex)
        replicates = np.array([_less_optimism(*parts, bounded=bounded) for parts in values])
    else:
        replicates = np.ascontiguousarray(values[:, 0])
    estimates = [heights(points, model)[: x_values.size] for model, points in enumerate(models)]
    return CurveReplicates(
        space,
        chosen.name if is_tradeoff else "",
        tuple(sample.points),
        x_values,
        np.array(estimates),
        replicates,
        np.array(
            [
                _smallest_count(_rates(points, space, chosen, x_values, height), class_rows)
                for points, height, class_rows in zip(
                    models, estimates, sample.class_rows, strict=True
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
                values[row, model] = heights(points, model)
        return values.reshape(len(values), -1)

    return evaluate


def _best_rules(points: OperatingPoints, index: WeightedIndex, lam: Floats) -> Table:
    """Return the best row at each weight of recall."""
    intervals = points.tradeoff(index).intervals
    return intervals.take(np.searchsorted(intervals.lambda_lo, lam, "right") - 1).table


def _less_optimism(best: Floats, in_sample: Floats, kept: Floats, *, bounded: bool) -> Floats:
    """Return the values of kept rules in replicates, less the optimism of choosing them.

    `best` are the values of each replicate's best rules, `in_sample` those of the same rules in
    the sample. Values that are `bounded` by 0 and 1 are moved on the logit scale.
    """
    from scipy.special import expit, logit

    if bounded:
        best, in_sample, kept = (
            logit(np.clip(values, _INSIDE, 1 - _INSIDE)) for values in (best, in_sample, kept)
        )
    # Undefined replicates are sorted behind the others.
    defined = np.count_nonzero(~np.isnan(best[:, 0]))
    moved = kept - np.sort(best - in_sample, axis=0)[(defined - 1) // 2]
    return np.asarray(expit(moved) if bounded else moved)


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
    best = _best_rules(points, index, x)
    return best.tp / points.positives, best.fp / points.negatives


def _smallest_count(rates: tuple[Floats, Floats], class_rows: tuple[int, int]) -> Floats:
    """Return the fewest rows among true positives, false negatives and false positives."""
    recall, false = rates
    rows = (recall * class_rows[0], (1 - recall) * class_rows[0], false * class_rows[1])
    # Rates are rounded, and may miss a whole number of rows by their last bits.
    return np.asarray(np.min(rows, axis=0) + 1e-9)
