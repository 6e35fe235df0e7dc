"""The bootstrap: confidence intervals of areas, values at thresholds and best thresholds."""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from isometrics._core.parameters import (
    check_choice,
    check_confidence,
    check_size,
    index_of,
    parse_jobs,
    parse_random_state,
)
from isometrics._core.progress import reporting
from isometrics._core.results import ResultTable, number, told_apart
from isometrics._core.sample import UNNAMED
from isometrics._counting.draws import AREAS, Order
from isometrics.errors import NotAnswerableError, UndefinedWarning, warn
from isometrics.measures import AUPRG, AVERAGE_PRECISION, kernel_of, measure_named, parse_measures
from isometrics.points import OperatingPoints
from isometrics.uncertainty.intervals import METHODS, Interval, interval_of, p_of_no_difference
from isometrics.uncertainty.jackknife import shapes_of
from isometrics.uncertainty.paired import (
    Difference,
    Differences,
    differences_of,
    percent,
    share_better,
)
from isometrics.uncertainty.resampling import (
    DrawingOptions,
    Plan,
    parse_evidence,
    replicate,
    resampling_of,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from numpy.typing import ArrayLike

    from isometrics._core.arrays import Floats
    from isometrics._core.missing import Dropped
    from isometrics._core.progress import ProgressLike
    from isometrics._counting.replicates import Kernel
    from isometrics.measures import Measure, MeasureLike
    from isometrics.uncertainty.resampling import Evaluate, Evidence, Resampling


class BootstrapOptions(DrawingOptions, total=False):
    """How an `Analysis` estimates intervals; see `bootstrap`."""

    method: str
    kernel: str


class MacroAverage(NamedTuple):
    """The mean of a gain over the classes of one classifier."""

    estimate: float
    """The mean in the sample itself."""
    interval: Interval
    """Its confidence interval."""
    standard_error: float
    """The standard deviation of the means of the replicates."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Bootstrap(ResultTable):
    """Estimates with their confidence intervals; one row for each model and measure.

    Attributes
    ----------
    models, measures
        The names of the models, ``""`` for one that has none, and of the measures.
    estimates
        The values in the sample itself, by model and measure.
    lower, upper
        The ends of the confidence intervals, by model and measure.
    replicates
        The values of the replicates, by model, measure and replicate; NaN where not defined.
        Replicates of different models are paired: they were drawn from the same rows.
    shapes, pair_shapes
        The acceleration and the degrees of freedom, along the last axis, of each estimate and of
        each difference of two models: what BCa intervals need.
    higher_is_better
        For each measure, whether a model can be better by it.
    method, confidence_level
        How the intervals were made.
    units, sampling
        What was drawn, such as ``"1000 rows"``, and how, in words.
    gains
        For each measure, whether it is on the gain scale, on which classes have a mean.
    mean_shapes
        The acceleration and the degrees of freedom of the mean over all classes, by measure; None
        unless the models are the classes of one classifier.
    """

    models: tuple[str, ...]
    measures: tuple[str, ...]
    estimates: Floats
    lower: Floats
    upper: Floats
    replicates: Floats
    shapes: Floats
    pair_shapes: Floats
    higher_is_better: tuple[bool, ...]
    method: str
    confidence_level: float
    units: str
    sampling: str
    gains: tuple[bool, ...] = ()
    mean_shapes: Floats | None = None

    @property
    def standard_errors(self) -> Floats:
        """The standard deviation of the replicates, by model and measure."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)
            return np.asarray(np.nanstd(self.replicates, axis=2, ddof=1))

    @property
    def undefined(self) -> Floats:
        """The share of the replicates that are not defined, by model and measure."""
        return np.asarray(np.isnan(self.replicates).mean(axis=2))

    def _column_of(self, measure: str | None) -> int:
        """Return the position of a measure, by any of its names."""
        if measure and measure not in self.measures and (named := measure_named(measure)):
            measure = named.name
        return index_of(measure, "measure", self.measures)

    def interval(self, measure: str | None = None, model: str | None = None) -> Interval:
        """Return the ends of an interval; the only measure or model need not be named."""
        row, column = (
            index_of(model, "model", self.models),
            self._column_of(measure),
        )
        return Interval(float(self.lower[row, column]), float(self.upper[row, column]))

    def with_intervals(
        self, method: str | None = None, confidence_level: float | None = None
    ) -> Bootstrap:
        """Return the same replicates with intervals of another method or confidence.

        Parameters
        ----------
        method
            ``"bca-t"``, ``"bca"``, ``"percentile"``, ``"basic"`` or ``"normal"``.
        confidence_level
            For example 0.9.
        """
        method = self.method if method is None else check_choice(method, "method", METHODS)
        level = self.confidence_level if confidence_level is None else confidence_level
        level = check_confidence(level)
        ends = np.empty((2, *self.estimates.shape))
        for row, column in np.ndindex(self.estimates.shape):
            ends[:, row, column] = interval_of(
                self.replicates[row, column],
                float(self.estimates[row, column]),
                method=method,
                level=level,
                acceleration=float(self.shapes[row, column, 0]),
                freedom=float(self.shapes[row, column, 1]),
                name=_label(self.measures[column], self.models[row]),
            )
        return replace(self, lower=ends[0], upper=ends[1], method=method, confidence_level=level)

    def differences(self, measure: str | None = None) -> Differences:
        """Return the difference of each two models by a measure.

        The p-values go with the intervals: the interval of confidence 1 - p just reaches 0. With
        more than two models, `p_adjusted` corrects them for the number of pairs.
        """
        column = self._column_of(measure)
        if self.mean_shapes is not None:
            raise NotAnswerableError(
                "the classes of one classifier are not rivals, so they have no differences; "
                "macro_average() is their mean, with an interval"
            )
        if len(self.models) < 2:
            raise NotAnswerableError(
                "differences need two models or more; pass their scores as {'A': …, 'B': …}"
            )
        order = np.argsort(-self.estimates[:, column], kind="stable").tolist()
        pairs = list(combinations(order, 2))
        return differences_of(
            self.measures[column],
            [(self.models[first], self.models[second]) for first, second in pairs],
            [self._difference(first, second, column) for first, second in pairs],
            level=self.confidence_level,
            replicates=self.replicates.shape[2],
            higher_is_better=self.higher_is_better[column],
        )

    def _difference(self, first: int, second: int, column: int) -> Difference:
        pair = self.replicates[[first, second], column]
        values = pair[0] - pair[1]
        gap = float(self.estimates[first, column] - self.estimates[second, column])
        options: dict[str, Any] = {
            "method": self.method,
            "acceleration": float(self.pair_shapes[first, second, column, 0]),
            "freedom": float(self.pair_shapes[first, second, column, 1]),
        }
        name = f"the difference of {self.models[first]} and {self.models[second]}"
        ends = interval_of(values, gap, level=self.confidence_level, name=name, **options)
        defined = values[~np.isnan(values)]
        error = float(defined.std(ddof=1)) if defined.size > 1 else math.nan
        comparable = self.higher_is_better[column]
        better = float(share_better(pair[0], pair[1])) if comparable else math.nan
        return Difference(gap, ends, error, p_of_no_difference(values, gap, **options), better)

    def macro_average(self, measure: str | None = None) -> MacroAverage:
        """Return the mean over the classes of one classifier, with an interval.

        Every replicate draws the rows once for all classes, so the interval is that of their mean.
        A replicate in which a class has no value has none.

        Parameters
        ----------
        measure
            A measure on the gain scale, such as AUPRG; the only one need not be named.

        Examples
        --------
        >>> import isometrics as iso
        >>> labels = ["a", "b", "c", "a", "b", "c"] * 30
        >>> scores = [[2, 1, 0], [1, 2, 0], [0, 1, 2], [0, 2, 1], [1, 0, 2], [2, 0, 1]] * 30
        >>> result = iso.bootstrap(labels, scores, measures="AUPRG", random_state=0)
        >>> estimate, (lower, upper), _ = result.macro_average()
        >>> print(f"{estimate:.3f}, {lower:.3f} to {upper:.3f}")
        0.250, -0.017 to 0.449
        """
        column = self._column_of(measure)
        if self.mean_shapes is None:
            raise NotAnswerableError(
                "a macro average is that of the classes of one classifier, and these are models"
            )
        if not self.gains[column]:
            raise NotAnswerableError(
                f"{self.measures[column]} of classes has no common mean, because their prevalences "
                f"differ; average a gain, such as {AUPRG}"
            )
        values = self.replicates[:, column].mean(axis=0)
        estimate = float(self.estimates[:, column].mean())
        acceleration, freedom = self.mean_shapes[column].tolist()
        ends = interval_of(
            values,
            estimate,
            method=self.method,
            level=self.confidence_level,
            acceleration=acceleration,
            freedom=freedom,
            name=f"the macro average of {self.measures[column]}",
        )
        defined = values[~np.isnan(values)]
        error = float(defined.std(ddof=1)) if defined.size > 1 else math.nan
        return MacroAverage(estimate, ends, error)

    def _macro_averages(self) -> str:
        """Return the means over the classes as a sentence; an empty one where there are none."""
        if self.mean_shapes is None or not any(self.gains) or len(self.models) < 2:
            return ""
        said = []
        for measure, is_gain in zip(self.measures, self.gains, strict=True):
            if is_gain:
                estimate, (lower, upper), _ = self.macro_average(measure)
                if math.isnan(lower):
                    said.append(f"{measure} {number(estimate)} (interval undefined)")
                    continue
                value, low, high = told_apart([estimate, lower, upper], 3)
                said.append(f"{measure} {value} ({low} to {high})")
        level = percent(self.confidence_level)
        return f"Macro average over the classes, with {level} intervals: {', '.join(said)}."

    def _select(self, measures: Sequence[str]) -> Bootstrap:
        """Return the same for some of the measures."""
        columns = [self.measures.index(name) for name in measures]
        return replace(
            self,
            measures=tuple(measures),
            estimates=self.estimates[:, columns],
            lower=self.lower[:, columns],
            upper=self.upper[:, columns],
            replicates=self.replicates[:, columns],
            shapes=self.shapes[:, columns],
            pair_shapes=self.pair_shapes[:, :, columns],
            higher_is_better=tuple(self.higher_is_better[column] for column in columns),
            gains=tuple(self.gains[column] for column in columns),
            mean_shapes=None if self.mean_shapes is None else self.mean_shapes[columns],
        )

    def sentence(self, measure: str | None = None, model: str | None = None) -> str:
        """Return a sentence with one estimate and its interval."""
        row, column = (
            index_of(model, "model", self.models),
            self._column_of(measure),
        )
        label = _label(self.measures[column], self.models[row])
        numbers = (self.estimates, self.lower, self.upper)
        value, low, high = told_apart([float(each[row, column]) for each in numbers], 3)
        return f"{label} is {value}, {percent(self.confidence_level)} interval {low} to {high}."

    def explanation(self) -> str:
        """Explain what the intervals mean, and what they do not."""
        return (
            f"Had the {self.units} been drawn many times from the same source, "
            f"about {percent(self.confidence_level)} of the intervals made in this way would "
            "contain the value of the whole source. The intervals say nothing about other sources, "
            "nor about training the model again."
        )

    def __len__(self) -> int:
        """Return the number of models times the number of measures."""
        return self.estimates.size

    def _title(self) -> str:
        return (
            f"Bootstrap: {percent(self.confidence_level)} intervals ({self.method}) from "
            f"{self.replicates.shape[2]} replicates of {self.sampling}"
        )

    def _columns(self) -> dict[str, Any]:
        columns: dict[str, Any] = {}
        if self.models != (UNNAMED,):
            columns["model"] = [name for name in self.models for _ in self.measures]
        columns |= {
            "measure": list(self.measures) * len(self.models),
            "estimate": self.estimates.ravel(),
            "lower": self.lower.ravel(),
            "upper": self.upper.ravel(),
            "standard_error": self.standard_errors.ravel(),
        }
        if self.undefined.any():
            columns["undefined"] = self.undefined.ravel()
        return columns

    def _notes(self, shown: Any) -> Sequence[str]:  # noqa: ARG002
        return list(filter(None, [self._macro_averages()]))


def bootstrap(
    y_true: Evidence | OperatingPoints | ArrayLike,
    y_score: Any = None,
    *,
    measures: MeasureLike | Iterable[MeasureLike] | None = None,
    sample_weight: ArrayLike | None = None,
    clusters: ArrayLike | None = None,
    pos_label: object = None,
    classes: Sequence[object] | None = None,
    drop_missing: bool = False,
    prevalence: float | None = None,
    n_resamples: int = 2000,
    scheme: str = "multinomial",
    stratified: bool = False,
    method: str = "bca-t",
    confidence_level: float = 0.95,
    random_state: object = None,
    n_jobs: int | None = None,
    kernel: str = "auto",
    progress: ProgressLike = None,
) -> Bootstrap:
    """Estimate confidence intervals of areas and other measures by drawing the rows many times.

    Parameters
    ----------
    y_true
        The operating points of one model; or labels, as for `OperatingPoints.from_scores`.
    y_score
        With labels: the scores of one model, or of several by name. These are then compared on
        the same rows: every replicate is drawn once and serves all models. With a column for each
        class of one classifier, in any of the forms that `analyse` takes, each class is estimated
        against all others, from the same replicates; see `Bootstrap.macro_average`.
    measures
        Names of areas (``"AUROC"``, ``"AUPR"``, ``"AUPRG"``, ``"average precision"``, …), functions
        of operating points, or what `f_at`, `f_gain_at`, `precision_at`, `recall_at`,
        `optimal_threshold` and `optimal_f` of `isometrics.measures` return. By default AUROC, AUPR
        and AUPRG.
    sample_weight
        Weights of the rows. Rows are drawn with equal chances, and bring their weights along.
    clusters
        The cluster of each row, such as the patient or the query; whole clusters are then drawn.
    pos_label
        The label of the positive class; of several classes, the only one to estimate.
    classes
        The classes in the order of the columns of scores, as for `analyse`.
    drop_missing
        Leave out the rows that miss a value in labels, weights, clusters or the scores of any
        model; `Bootstrap.sampling` says how many, by column. By default missing values are refused.
    prevalence
        Look at every replicate at this prevalence, for example that of the deployment.
    n_resamples
        The number of replicates.
    scheme
        ``"multinomial"``: as many rows as the sample has, drawn with replacement. ``"poisson"``:
        every row a Poisson number of times.
    stratified
        Draw positives and negatives apart, so that the prevalence is that of the sample. Right if
        the numbers of both were fixed when the data was collected.
    method
        How intervals are made: ``"bca-t"`` (bias-corrected, accelerated, and widened where few
        rows have most of the influence), ``"bca"`` (not widened), ``"percentile"``, ``"basic"`` or
        ``"normal"``.
    confidence_level
        The confidence of each interval.
    random_state
        An integer, a NumPy Generator or a SeedSequence. The same integer gives the same result,
        on any number of threads and with either kernel.
    n_jobs
        The number of threads; -1 for as many as there are processors.
    kernel
        ``"auto"``, ``"plain"`` (NumPy) or ``"compiled"`` (loops written in C).
    progress
        True for a progress bar, or a function of the replicates done and their total.

    Notes
    -----
    The ranking is sorted once. A replicate gives the cells of the ranking new weights, where a
    cell is all rows that no measure asked for can tell apart: for AUROC, AUPR and AUPRG a run of
    one class. A replicate without one class has no value; such replicates are counted, announced
    by an `UndefinedWarning`, and left out.

    Examples
    --------
    >>> import isometrics as iso
    >>> labels, scores = [1, 0, 1, 1, 0, 0, 1, 0] * 20, [8, 7, 6, 5, 4, 3, 2, 1] * 20
    >>> pts = iso.OperatingPoints.from_scores(labels, scores)
    >>> result = iso.bootstrap(pts, random_state=0)
    >>> print(result.sentence("AUROC"))
    AUROC is 0.688, 95% interval 0.598 to 0.765.
    """
    chosen = parse_measures(measures)
    n_resamples = check_size(n_resamples, "n_resamples")
    check_choice(method, "method", METHODS)
    confidence_level = check_confidence(confidence_level)
    seeds = parse_random_state(random_state).spawn(2)
    evidence = parse_evidence(
        y_true,
        y_score,
        sample_weight=sample_weight,
        clusters=clusters,
        pos_label=pos_label,
        classes=classes,
        drop_missing=drop_missing,
    )
    plan = plan_of(chosen, scheme=scheme, stratified=stratified, prevalence=prevalence)
    sample = resampling_of(evidence, plan)
    evaluate = evaluator(sample, chosen)
    shape = (len(sample.points), len(chosen))
    with reporting(progress) as report:
        values = replicate(
            sample,
            evaluate,
            shape[0] * shape[1],
            n_resamples=n_resamples,
            seed=seeds[0],
            n_jobs=parse_jobs(n_jobs),
            kernel=kernel,
            progress=report,
        )
    replicates = np.ascontiguousarray(values.T).reshape(*shape, n_resamples)
    estimates = np.array([[each.of(pts) for each in chosen] for pts in sample.points.values()])
    shapes, pair_shapes, mean_shapes = shapes_of(sample, chosen, evaluate, seeds[1])
    _announce_undefined(replicates, sample, chosen)
    n_units, unit = int(sample.counts.sum()), "cluster" if evidence.clustered else "row"
    units = f"{n_units} {unit}{'s' * (n_units != 1)}"
    result = Bootstrap(
        tuple(sample.points),
        tuple(measure.name for measure in chosen),
        estimates,
        np.full(shape, np.nan),
        np.full(shape, np.nan),
        replicates,
        shapes,
        pair_shapes,
        tuple(measure.higher_is_better for measure in chosen),
        method,
        confidence_level,
        units,
        _sampling(units, scheme, stratified, evidence.dropped),
        tuple(measure.is_gain for measure in chosen),
        None if evidence.by_class is None else mean_shapes,
    )
    return result.with_intervals()


def _sampling(units: str, scheme: str, stratified: bool, dropped: Dropped | None) -> str:
    """Describe how the units are drawn, and which rows were left out."""
    by_class = ", positives and negatives apart" if stratified else ""
    weights = ", Poisson weights" if scheme == "poisson" else ""
    left_out = "" if dropped is None else f"; {dropped.describe()}"
    return f"{units}{by_class}{weights}{left_out}"


def _announce_undefined(
    replicates: Floats, sample: Resampling, measures: Sequence[Measure]
) -> None:
    missing = np.isnan(replicates).sum(axis=2)
    if not missing.any():
        return
    row, column = divmod(int(missing.argmax()), missing.shape[1])
    label = _label(measures[column].name, list(sample.points)[row])
    warn(
        f"{missing[row, column]} of {replicates.shape[2]} replicates have no {label} and are left "
        "out of its interval; with few rows of one class stratified=True keeps both classes",
        UndefinedWarning,
    )


def _label(measure: str, model: str) -> str:
    return measure if model == UNNAMED else f"{measure} of {model}"


def plan_of(
    measures: Sequence[Measure], *, scheme: str, stratified: bool, prevalence: float | None
) -> Plan:
    """Return how to draw for some measures: as coarsely as the most demanding one allows."""
    cuts = [measure.threshold for measure in measures if measure.threshold is not None]
    detail = max(measure.detail for measure in measures)
    return Plan(detail, np.array(cuts, np.float64), scheme, stratified, prevalence)


def evaluator(sample: Resampling, measures: Sequence[Measure]) -> Evaluate:
    """Return a function from the weights of replicates to the measures of all models."""
    kernels = enumerate(map(kernel_of, measures))
    areas = {column: AREAS.index(kernel) for column, kernel in kernels if kernel is not None}
    stepwise = AVERAGE_PRECISION in measures
    others = [(column, each.of) for column, each in enumerate(measures) if column not in areas]

    orders = [
        # Half the bytes are read twice as fast.
        Order(each.before.astype(np.int32), each.through.astype(np.int32), sample.ratio, stepwise)
        for each in sample.cells
    ]

    def evaluate(kernel: Kernel, weights: list[Floats]) -> Floats:
        replicates = weights[0].shape[0]
        values = np.empty((replicates, len(weights), len(measures)))
        for model, drawn in enumerate(weights):
            if areas:
                of_kernel = np.empty((replicates, len(AREAS)))
                size = sample.cells[model].positive.size
                kernel.areas(drawn[:, :size], drawn[:, size:], orders[model], of_kernel)
                values[:, model, list(areas)] = of_kernel[:, list(areas.values())]
            for row in range(replicates) if others else ():
                values[row, model] = _others(values[row, model], others, sample, model, drawn[row])
        return values.reshape(replicates, -1)

    return evaluate


def _others(
    values: Floats,
    measures: Sequence[tuple[int, Callable[[OperatingPoints], float]]],
    sample: Resampling,
    model: int,
    drawn: Floats,
) -> Floats:
    """Fill in the measures that need a table of their own."""
    size = sample.cells[model].positive.size
    one_class = not drawn[:size].any() or not drawn[size:].any()
    points = None if one_class else OperatingPoints(sample.cells[model].table(drawn, sample.ratio))
    for column, of in measures:
        values[column] = np.nan if points is None else of(points)
    return values
