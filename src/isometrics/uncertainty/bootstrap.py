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
    check_number,
    check_size,
    index_of,
    parse_random_state,
)
from isometrics._core.results import ResultTable, distinct_decimals, number, percent
from isometrics._core.sample import UNNAMED
from isometrics._counting.replicates import AREAS, CellOrder
from isometrics.errors import NotAnswerableError, UndefinedWarning, warn
from isometrics.measures import AUPRG, AVERAGE_PRECISION, kernel_of, measure_named, parse_measures
from isometrics.points import OperatingPoints
from isometrics.uncertainty.influence import combine, shapes_of
from isometrics.uncertainty.intervals import (
    METHODS,
    Difference,
    Differences,
    Interval,
    differences_of,
    interval_of,
    p_of_no_difference,
    share_above,
)
from isometrics.uncertainty.resampling import (
    DrawingOptions,
    Plan,
    parse_evidence,
    replicate,
    resampling_of,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import ArrayLike

    from isometrics._core.arrays import Floats
    from isometrics._core.parameters import ProgressLike
    from isometrics._counting.replicates import Kernel
    from isometrics.measures import Measure, MeasureLike
    from isometrics.uncertainty.resampling import Evaluate, ResampledRows, Resampling


class BootstrapOptions(DrawingOptions, total=False):
    """How an `Analysis` estimates intervals; see `bootstrap`."""

    method: str


class MacroAverage(NamedTuple):
    """The mean of a gain over the classes of one classifier."""

    estimate: float
    """The mean in the sample itself."""
    interval: Interval
    """Its confidence interval."""
    standard_error: float
    """The standard deviation of the means of the replicates."""


class Combined(NamedTuple):
    """A measure of one model, or of several under weights."""

    estimate: float
    replicates: Floats
    made: dict[str, Any]
    """How intervals and p-values are made of them; see `interval_of`."""

    def interval(self, level: float, name: str) -> Interval:
        """Return the confidence interval; the name is for a warning that there is none."""
        return interval_of(self.replicates, self.estimate, level=level, name=name, **self.made)

    @property
    def standard_error(self) -> float:
        """The standard deviation of the replicates; NaN for fewer than two."""
        defined = self.replicates[~np.isnan(self.replicates)]
        return float(defined.std(ddof=1)) if defined.size > 1 else math.nan


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
    combinations
        Weights of the models, along the last axis, of what has intervals: each model alone, then
        the difference of each two models, or the mean of the classes of one classifier.
    shapes
        The acceleration and the degrees of freedom, along the last axis, by combination and
        measure: what BCa intervals need.
    higher_is_better
        For each measure, whether a model can be better by it.
    method, confidence_level
        How the intervals were made.
    n_units, unit, stratified
        How many units were drawn, ``"row"`` or ``"cluster"``, and whether those of positives and of
        negatives were drawn apart.
    gains
        For each measure, whether it is on the gain scale, on which classes have a mean.
    one_vs_rest
        Whether the models are the classes of one classifier.
    """

    models: tuple[str, ...]
    measures: tuple[str, ...]
    estimates: Floats
    lower: Floats
    upper: Floats
    replicates: Floats
    combinations: Floats
    shapes: Floats
    higher_is_better: tuple[bool, ...]
    method: str
    confidence_level: float
    n_units: int
    unit: str
    stratified: bool
    gains: tuple[bool, ...] = ()
    one_vs_rest: bool = False

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
        row, column = index_of(model, "model", self.models), self._column_of(measure)
        return Interval(float(self.lower[row, column]), float(self.upper[row, column]))

    def with_intervals(
        self, method: str | None = None, confidence_level: float | None = None
    ) -> Bootstrap:
        """Return the same replicates with intervals of another method or confidence.

        Parameters
        ----------
        method
            ``"bca-t"``, ``"bca"`` or ``"percentile"``.
        confidence_level
            For example 0.9.
        """
        method = self.method if method is None else check_choice(method, "method", METHODS)
        level = self.confidence_level if confidence_level is None else confidence_level
        level = check_confidence(level)
        made = replace(self, method=method, confidence_level=level)
        ends = np.empty((2, *self.estimates.shape))
        for row, column in np.ndindex(self.estimates.shape):
            label = _label(self.measures[column], self.models[row])
            ends[:, row, column] = made._combined(row, column).interval(level, label)
        return replace(made, lower=ends[0], upper=ends[1])

    def _combined(self, row: int, column: int, sign: int = 1) -> Combined:
        """Return a combination of models by a measure; a difference may be turned around."""
        weights = sign * self.combinations[row]
        acceleration, freedom = self.shapes[row, column].tolist()
        return Combined(
            float(combine(weights, self.estimates[:, column])),
            combine(weights, self.replicates[:, column]),
            {"method": self.method, "acceleration": sign * acceleration, "freedom": freedom},
        )

    def differences(self, measure: str | None = None) -> Differences:
        """Return the difference of each two models by a measure.

        The p-values go with the intervals: the interval of confidence 1 - p just reaches 0. With
        more than two models, `p_adjusted` corrects them for the number of pairs.
        """
        column = self._column_of(measure)
        if self.one_vs_rest:
            raise NotAnswerableError(
                "the classes of one classifier are not rivals, so they have no differences; "
                "macro_average() is their mean, with an interval"
            )
        if len(self.models) < 2:
            raise NotAnswerableError(
                "differences need two models or more; pass their scores as {'A': …, 'B': …}"
            )
        order = np.argsort(-self.estimates[:, column], kind="stable").tolist()
        return differences_of(
            self.measures[column],
            [self._difference(*pair, column) for pair in combinations(order, 2)],
            level=self.confidence_level,
            replicates=self.replicates.shape[2],
            higher_is_better=self.higher_is_better[column],
        )

    def _difference(self, first: int, second: int, column: int) -> Difference:
        one, other = self.models[first], self.models[second]
        pairs = list(combinations(range(len(self.models)), 2))
        row = len(self.models) + pairs.index((min(first, second), max(first, second)))
        gap = self._combined(row, column, 1 if first < second else -1)
        comparable = self.higher_is_better[column]
        return Difference(
            one,
            other,
            gap.estimate,
            gap.interval(self.confidence_level, f"the difference of {one} and {other}"),
            gap.standard_error,
            p_of_no_difference(gap.replicates, gap.estimate, **gap.made),
            share_above(gap.replicates) if comparable else math.nan,
        )

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
        >>> result = iso.analyse(labels, scores).bootstrap("AUPRG")
        >>> estimate, (lower, upper), _ = result.macro_average()
        >>> print(f"{estimate:.3f}, {lower:.3f} to {upper:.3f}")
        0.250, -0.017 to 0.449
        """
        column = self._column_of(measure)
        if not self.one_vs_rest:
            raise NotAnswerableError(
                "a macro average is that of the classes of one classifier, and these are models"
            )
        if not self.gains[column]:
            raise NotAnswerableError(
                f"{self.measures[column]} of classes has no common mean, because their prevalences "
                f"differ; average a gain, such as {AUPRG}"
            )
        mean = self._combined(len(self.models), column)
        name = f"the macro average of {self.measures[column]}"
        ends = mean.interval(self.confidence_level, name)
        return MacroAverage(mean.estimate, ends, mean.standard_error)

    def _macro_averages(self) -> str:
        """Return the means over the classes as a sentence; an empty one where there are none."""
        if not self.one_vs_rest or not any(self.gains) or len(self.models) < 2:
            return ""
        said = []
        for measure, is_gain in zip(self.measures, self.gains, strict=True):
            if is_gain:
                estimate, (lower, upper), _ = self.macro_average(measure)
                if math.isnan(lower):
                    said.append(f"{measure} {number(estimate)} (interval undefined)")
                    continue
                value, low, high = distinct_decimals([estimate, lower, upper], 3)
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
            higher_is_better=tuple(self.higher_is_better[column] for column in columns),
            gains=tuple(self.gains[column] for column in columns),
        )

    def sentence(self, measure: str | None = None, model: str | None = None) -> str:
        """Return a sentence with one estimate and its interval."""
        row, column = index_of(model, "model", self.models), self._column_of(measure)
        label = _label(self.measures[column], self.models[row])
        numbers = (self.estimates, self.lower, self.upper)
        value, low, high = distinct_decimals([float(each[row, column]) for each in numbers], 3)
        return f"{label} is {value}, {percent(self.confidence_level)} interval {low} to {high}."

    def rows_needed(
        self, half_width: float, measure: str | None = None, model: str | None = None
    ) -> int:
        """Return how many rows an interval of a given width takes, like those of this sample.

        The width of an interval falls with the root of the number of rows. That of a small sample
        is itself uncertain: with 30 positives the answer may be off by half, so ask again when
        there is more data. Where clusters were drawn, they are counted.

        Parameters
        ----------
        half_width
            The largest acceptable half of the interval's width.
        measure, model
            As for `interval`.

        Examples
        --------
        >>> import isometrics as iso
        >>> labels, scores = [1, 0, 1, 1, 0, 0, 1, 0] * 20, [8, 7, 6, 5, 4, 3, 2, 1] * 20
        >>> pilot = iso.OperatingPoints.from_scores(labels, scores)
        >>> iso.bootstrap(pilot, random_state=0).rows_needed(0.02, "AUROC")
        2767
        """
        low, high = self.interval(measure, model)
        if math.isnan(low):
            raise NotAnswerableError("its interval is undefined, so its width says nothing")
        width = check_number(half_width, "half_width", "a finite number above 0")
        return math.ceil(self.n_units * ((high - low) / 2 / width) ** 2)

    def _units(self) -> str:
        return f"{self.n_units} {self.unit}{'s' * (self.n_units != 1)}"

    def explanation(self) -> str:
        """Explain what the intervals mean, and what they do not."""
        return (
            f"Had the {self._units()} been drawn many times from the same source, "
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
            f"{self.replicates.shape[2]} replicates of {self._units()}"
            f"{', positives and negatives apart' * self.stratified}"
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
    y_true: ResampledRows | OperatingPoints | ArrayLike,
    y_score: Any = None,
    *,
    measures: MeasureLike | Iterable[MeasureLike] | None = None,
    sample_weight: ArrayLike | None = None,
    clusters: ArrayLike | None = None,
    pos_label: object = None,
    prevalence: float | None = None,
    n_resamples: int = 2000,
    stratified: bool = False,
    method: str = "bca-t",
    confidence_level: float = 0.95,
    random_state: object = None,
    n_jobs: int | None = None,
    progress: ProgressLike = None,
) -> Bootstrap:
    """Estimate confidence intervals of areas and other measures by drawing the rows many times.

    Parameters
    ----------
    y_true
        The operating points of one model; or labels, as for `OperatingPoints.from_scores`.
    y_score
        With labels: the scores of one model, or of several by name. These are then compared on
        the same rows: every replicate is drawn once and serves all models. Of the classes of one
        classifier, or with missing values, use `Analysis.bootstrap`.
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
        The label of the positive class.
    prevalence
        Look at every replicate at this prevalence, for example that of the deployment.
    n_resamples
        The number of replicates, each of as many rows as the sample has, drawn with replacement.
    stratified
        Draw positives and negatives apart, so that the prevalence is that of the sample. Right if
        the numbers of both were fixed when the data was collected.
    method
        How intervals are made: ``"bca-t"`` (bias-corrected, accelerated, and widened where few
        rows have most of the influence), ``"bca"`` (not widened) or ``"percentile"``.
    confidence_level
        The confidence of each interval.
    random_state
        An integer, a NumPy Generator or a SeedSequence. The same integer gives the same result,
        on any number of threads.
    n_jobs
        The number of threads; -1 for as many as there are processors.
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
    )
    plan = plan_of(chosen, stratified=stratified, prevalence=prevalence)
    sample = resampling_of(evidence, plan)
    evaluate = evaluator(sample, chosen)
    shape = (len(sample.points), len(chosen))
    values = replicate(
        sample,
        evaluate,
        shape[0] * shape[1],
        n_resamples=n_resamples,
        seed=seeds[0],
        n_jobs=n_jobs,
        progress=progress,
    )
    replicates = np.ascontiguousarray(values.T).reshape(*shape, n_resamples)
    estimates = np.array([[each.of(pts) for each in chosen] for pts in sample.points.values()])
    models = np.eye(shape[0])
    of_several = (
        [one - other for one, other in combinations(models, 2)]
        if evidence.by_class is None
        else [models.mean(axis=0)]
    )
    combined = np.array([*models, *of_several])
    missing = np.isnan(replicates).sum(axis=2)
    if missing.any():
        row, column = divmod(int(missing.argmax()), len(chosen))
        label = _label(chosen[column].name, list(sample.points)[row])
        warn(
            f"{missing[row, column]} of {n_resamples} replicates have no {label} and are left "
            "out of its interval; with few rows of one class stratified=True keeps both classes",
            UndefinedWarning,
        )
    result = Bootstrap(
        tuple(sample.points),
        tuple(measure.name for measure in chosen),
        estimates,
        np.full(shape, np.nan),
        np.full(shape, np.nan),
        replicates,
        combined,
        shapes_of(sample, combined, chosen, evaluate, seeds[1]),
        tuple(measure.higher_is_better for measure in chosen),
        method,
        confidence_level,
        int(sample.counts.sum()),
        "cluster" if evidence.clustered else "row",
        stratified,
        tuple(measure.is_gain for measure in chosen),
        evidence.by_class is not None,
    )
    return result.with_intervals()


def _label(measure: str, model: str) -> str:
    return measure if model == UNNAMED else f"{measure} of {model}"


def plan_of(measures: Sequence[Measure], *, stratified: bool, prevalence: float | None) -> Plan:
    """Return how to draw for some measures: as coarsely as the most demanding one allows."""
    cuts = [measure.threshold for measure in measures if measure.threshold is not None]
    detail = max(measure.detail for measure in measures)
    return Plan(detail, np.array(cuts, np.float64), stratified, prevalence)


def evaluator(sample: Resampling, measures: Sequence[Measure]) -> Evaluate:
    """Return a function from the weights of replicates to the measures of all models."""
    kernels = enumerate(map(kernel_of, measures))
    areas = {column: AREAS.index(kernel) for column, kernel in kernels if kernel is not None}
    stepwise = AVERAGE_PRECISION in measures
    others = [(column, each.of) for column, each in enumerate(measures) if column not in areas]

    orders = [
        # Half the bytes are read twice as fast.
        CellOrder(
            each.before.astype(np.int32), each.through.astype(np.int32), sample.ratio, stepwise
        )
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
                points = sample.points_of(model, drawn[row])
                for column, of in others:
                    values[row, model, column] = np.nan if points is None else of(points)
        return values.reshape(replicates, -1)

    return evaluate
