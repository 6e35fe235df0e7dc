"""A sample that can be drawn again: cells of each ranking, and how often its units are drawn."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, NamedTuple, TypedDict

import numpy as np

from isometrics._core.arrays import prepend_zero
from isometrics._core.parameters import check_prevalence, parse_jobs, reporting
from isometrics._core.sample import UNNAMED
from isometrics._core.score_arrays import parse_predictions
from isometrics._counting.numpy_kernel import running_sum
from isometrics._counting.replicates import Draws, Stream, kernel_named, streams
from isometrics._table.table import Kind, Table
from isometrics.errors import NotAnswerableError, ParameterError, UndefinedWarning
from isometrics.measures import Grain
from isometrics.points import OperatingPoints
from isometrics.points.models import count_models

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from isometrics._core.arrays import Counts, Floats
    from isometrics._core.parameters import ProgressLike
    from isometrics._core.sample import Sample
    from isometrics._counting.replicates import Kernel

    Indices = NDArray[np.intp]
    Evaluate = Callable[[Kernel, list[Floats]], Floats]


class DrawingOptions(TypedDict, total=False):
    """How an `Analysis` draws its rows again; see `bootstrap`."""

    clusters: bool
    prevalence: float | None
    n_resamples: int
    stratified: bool
    random_state: object
    n_jobs: int | None


class Cells(NamedTuple):
    """Cells in the order of the ranking; those of positives and of negatives are numbered apart.

    Before positive cell i stand the negative cells up to `before[i]`; those up to `through[i]`
    are tied with it or stand before it. `positive_rows` and `negative_rows` count, for each row
    of the cells' own table, the cells at or above its threshold.
    """

    thresholds: NDArray[Any]
    positive: Counts
    negative: Counts
    before: Indices
    through: Indices
    positive_rows: Indices
    negative_rows: Indices

    @property
    def counts(self) -> Counts:
        """The rows or weights of all cells, positives first."""
        return np.concatenate([self.positive, self.negative])

    @property
    def size(self) -> int:
        """The number of cells."""
        return self.positive.size + self.negative.size

    def table(self, weights: Floats, ratio: float = 0.0) -> Table:
        """Return the table under other weights; `ratio` above 0 fixes negatives per positive."""
        size = self.positive.size
        tp = prepend_zero(running_sum(weights[:size]))[self.positive_rows]
        fp = prepend_zero(running_sum(weights[size:]))[self.negative_rows]
        if ratio > 0:
            fp = fp * (tp[-1] * ratio / fp[-1])
        return Table(self.thresholds, tp, fp, float(tp[-1]), float(fp[-1]), Kind.SCORES)


class Scores(NamedTuple):
    """The rows or weights of each distinct score, in descending order, by class."""

    thresholds: NDArray[Any]
    positive: Counts
    negative: Counts


class Grouping(NamedTuple):
    """The cells, and for each distinct score the cell of its positives and of its negatives."""

    cells: Cells
    positive_cell: Indices
    negative_cell: Indices


def scores_of(table: Table) -> Scores:
    """Return the rows or weights of each score of a table."""
    if not table.complete:
        raise NotAnswerableError(
            f"{table.name} cannot be resampled: rows between its rows are not known",
            table.advice("use the full table of the scores"),
        )
    return Scores(table.thresholds[1:], np.diff(table.tp), np.diff(table.fp))


def grouping_of(scores: Scores, detail: Grain, cuts: NDArray[Any]) -> Grouping:
    """Group scores into cells, none of which has scores on both sides of a threshold in `cuts`."""
    present = (scores.positive > 0, scores.negative > 0)
    # The first score below a cut begins a cell.
    begins = np.searchsorted(-scores.thresholds, -cuts, "right")
    group = _groups(*present, detail, begins)
    starts = np.append(0, np.flatnonzero(np.diff(group)) + 1)
    sums = [np.add.reduceat(counts, starts) for counts in scores[1:]]
    held = [np.logical_or.reduceat(there, starts) for there in present]
    ranks = [np.cumsum(there) for there in held]
    some = np.flatnonzero(held[0])
    ends = np.append(starts[1:], group.size) - 1
    infinity = np.array([np.inf], scores.thresholds.dtype)
    cells = Cells(
        np.concatenate([infinity, scores.thresholds[ends]]),
        sums[0][held[0]],
        sums[1][held[1]],
        (ranks[1] - held[1])[some],
        ranks[1][some],
        prepend_zero(ranks[0]),
        prepend_zero(ranks[1]),
    )
    return Grouping(cells, *((rank - 1)[group] for rank in ranks))


def _groups(
    positive: NDArray[np.bool_], negative: NDArray[np.bool_], detail: Grain, begins: Indices
) -> Indices:
    """Return the number of the group of each score; scores of a group are counted together."""
    starts = np.ones(positive.size, np.bool_)
    if detail is Grain.CUTS:
        starts[1:] = False
    elif detail is not Grain.SCORES:
        classes = positive + 2 * negative
        joined = (classes[1:] == classes[:-1]) & (classes[1:] != 3)
        if detail is Grain.NEGATIVE_RUNS:
            joined &= ~positive[1:]
        starts[1:] = ~joined
    starts[begins[begins < starts.size]] = True
    return np.asarray(np.cumsum(starts) - 1)


_CHUNK = 1 << 16
"""Weights that are drawn at once, so that they stay in the processor's cache."""


class Plan(NamedTuple):
    """How to draw: in what detail, within which strata, at what prevalence."""

    detail: Grain
    cuts: NDArray[Any]
    stratified: bool
    prevalence: float | None


class ResampledRows(NamedTuple):
    """What is drawn again: the tables of models, and their rows where tables do not tell enough.

    The table of one model tells how many rows of which class have which score. Rows that are
    shared by several models, or have weights or clusters, are drawn one by one.
    """

    points: Mapping[str, OperatingPoints]
    """The operating points of each model, as they were counted."""
    sample: Sample | None = None
    """The rows of all models; groups are clusters."""
    clustered: bool = False
    """Whether the groups of rows are drawn as wholes."""
    by_class: Mapping[str, Sample] | None = None
    """The rows of each class of one classifier, whose labels differ; None for models."""

    @property
    def samples(self) -> list[Sample]:
        """The rows: once for all models, or once for each class; none where they are not known."""
        if self.by_class is not None:
            return [self.by_class[name] for name in self.points]
        return [] if self.sample is None else [self.sample]

    @property
    def needs_rows(self) -> bool:
        """Whether tables do not tell enough."""
        weighted = any(sample.weights is not None for sample in self.samples)
        return len(self.points) > 1 or weighted or self.clustered


class RowUnits(NamedTuple):
    """For each row its unit, its weight and its cell in every model."""

    unit: Indices
    weight: Floats | None
    """None where all rows count alike."""
    cells: tuple[Indices, ...]


class Buffers(NamedTuple):
    """Memory for replicates, used again and again: fresh memory costs as much as the work in it."""

    drawn: Floats
    """How often each unit is drawn, one row for each replicate."""
    rows: Floats
    """The weight of each row in one replicate."""
    cells: list[Floats]
    """The weights of each model's cells, one row for each replicate."""


class Resampling(NamedTuple):
    """A sample ready to be drawn again.

    Attributes
    ----------
    points
        The operating points of each model, at the prevalence asked for.
    cells
        The cells of each model.
    counts, strata
        The rows in each unit that is drawn, and the strata that keep their totals.
    rows
        How units lead to cells; None where the cells of the only model are the units.
    class_rows
        The numbers of positive and of negative rows of each model.
    ratio
        Negatives for each positive where a prevalence is fixed, else 0.
    """

    points: dict[str, OperatingPoints]
    cells: tuple[Cells, ...]
    counts: NDArray[np.int64]
    strata: list[slice]
    rows: RowUnits | None
    class_rows: tuple[tuple[int, int], ...]
    ratio: float

    def buffers(self, replicates: int) -> Buffers:
        """Allocate the memory that so many replicates at most need at once."""
        rows, cells = (0, ()) if self.rows is None else (self.rows.unit.size, self.cells)
        return Buffers(
            np.empty((replicates, self.counts.size)),
            np.empty(rows),
            [np.empty((replicates, each.size)) for each in cells],
        )

    def points_of(self, model: int, drawn: Floats) -> OperatingPoints | None:
        """Return a model's operating points under the weights of a replicate; None of one class."""
        cells = self.cells[model]
        size = cells.positive.size
        if not drawn[:size].any() or not drawn[size:].any():
            return None
        return OperatingPoints(cells.table(drawn, self.ratio))

    def gathered(self, kernel: Kernel, drawn: Floats, buffers: Buffers) -> list[Floats]:
        """Return the weights of each model's cells, one row for each row of `drawn`."""
        if self.rows is None:
            return [drawn]
        unit, weight, cells = self.rows
        weights = [buffer[: drawn.shape[0]] for buffer in buffers.cells]
        for replicate, multiplicity in enumerate(drawn):
            # Indices are valid; checking them would copy the result.
            multiplicity.take(unit, out=buffers.rows, mode="clip")
            if weight is not None:
                np.multiply(buffers.rows, weight, out=buffers.rows)
            for sums, cell in zip(weights, cells, strict=True):
                kernel.gather(buffers.rows, cell, sums[replicate])
        return weights


def parse_evidence(
    y_true: ResampledRows | OperatingPoints | ArrayLike,
    y_score: object = None,
    *,
    sample_weight: ArrayLike | None = None,
    clusters: ArrayLike | None = None,
    pos_label: object = None,
) -> ResampledRows:
    """Validate operating points, or labels with the scores of one or more models."""
    if isinstance(y_true, ResampledRows):
        return y_true
    if isinstance(y_true, OperatingPoints):
        beside = {"y_score": y_score, "sample_weight": sample_weight, "clusters": clusters}
        for name, value in beside.items():
            if value is not None:
                raise ParameterError(
                    f"operating points do not keep their rows, so {name}= cannot be used with "
                    "them; pass labels and scores instead"
                )
        return ResampledRows({UNNAMED: y_true})
    if y_score is None:
        raise ParameterError(
            "labels need scores: pass y_score=, or operating points alone; an Analysis has methods "
            "of its own, such as bootstrap()"
        )
    given = parse_predictions(
        y_true,
        y_score,
        "y_score",
        sample_weight=sample_weight,
        groups=clusters,
        groups_argument="clusters",
        pos_label=pos_label,
    )
    sample = given.sample(UNNAMED)
    return ResampledRows(count_models(sample), sample, clustered=clusters is not None)


def resampling_of(evidence: ResampledRows, plan: Plan) -> Resampling:
    """Prepare tables, or rows where tables do not tell enough, to be drawn again."""
    whole = all(points.table.complete for points in evidence.points.values())
    if evidence.samples and not whole:
        counted = [count_models(sample) for sample in evidence.samples]
        evidence = evidence._replace(points={name: each[name] for each in counted for name in each})
    if evidence.needs_rows:
        return _of_rows(evidence, plan)
    ((name, points),) = evidence.points.items()
    return _of_points(points, name, plan)


def _of_points(points: OperatingPoints, name: str, plan: Plan) -> Resampling:
    scores = scores_of(points.table)
    if scores.positive.dtype.kind == "f" or scores.negative.dtype.kind == "f":
        raise NotAnswerableError(
            "the counts of these operating points are not whole rows, so their spread is not "
            "known; bootstrap() takes labels, scores and sample_weight=, and prevalence="
        )
    cells = grouping_of(scores, plan.detail, plan.cuts).cells
    counts = cells.counts
    strata = [slice(0, cells.positive.size), slice(cells.positive.size, counts.size)]
    strata = strata if plan.stratified else [slice(0, counts.size)]
    moved, ratio = _at_prevalence(points, plan)
    return Resampling(
        {name: moved},
        (cells,),
        counts,
        strata,
        None,
        ((int(points.positives), int(points.negatives)),),
        ratio,
    )


def _of_rows(evidence: ResampledRows, plan: Plan) -> Resampling:
    samples = evidence.samples
    assert samples, "whoever has no rows says why before"
    if plan.stratified and len(samples) > 1:
        raise ParameterError(
            "stratified=True draws positives and negatives apart, and each class has positives of "
            "its own; leave stratified=True out, or choose one class with pos_label="
        )
    # Rows, weights and clusters are the same for all classes.
    weights = samples[0].weights
    weight = np.ones(samples[0].size) if weights is None else weights.astype(np.float64)
    unit, positive_units = _units(samples[0], evidence.clustered, stratified=plan.stratified)
    points, cells, cell_of_row, class_rows, ratio = {}, [], [], [], 0.0
    for sample in samples:
        labels = sample.labels
        for name, scores in sample.scores.items():
            table = evidence.points[name]
            # Sorting again is faster than looking up each score among the thresholds of the table.
            order = np.argsort(scores)[::-1]
            descending = scores[order]
            score = np.empty(order.size, np.intp)
            score[order] = prepend_zero(np.cumsum(descending[1:] != descending[:-1]))
            size = len(table) - 1
            sums = (np.bincount(score, weight * rows, minlength=size) for rows in (labels, ~labels))
            distinct = Scores(table.thresholds[1:], *sums)
            of_model, positive_cell, negative_cell = grouping_of(distinct, plan.detail, plan.cuts)
            negative_cell = of_model.positive.size + negative_cell
            cells.append(of_model)
            cell_of_row.append(np.where(labels, positive_cell[score], negative_cell[score]))
            class_rows.append((int(labels.sum()), int((~labels).sum())))
            points[name], ratio = _at_prevalence(table, plan)
    counts = np.ones(int(unit.max()) + 1, np.int64)
    strata = [slice(0, None)]
    if plan.stratified:
        strata = [slice(0, positive_units), slice(positive_units, None)]
    return Resampling(
        points,
        tuple(cells),
        counts,
        strata,
        RowUnits(unit, None if weights is None else weight, tuple(cell_of_row)),
        tuple(class_rows),
        ratio,
    )


def _units(sample: Sample, clustered: bool, *, stratified: bool) -> tuple[Indices, int]:
    """Return the unit of each row, those of positives first if stratified, and how many these are.

    A unit is a cluster, or else a row.
    """
    if not clustered or sample.groups is None:
        unit = np.arange(sample.size)
    else:
        # Rows of zero weight may leave clusters without rows.
        present = np.bincount(sample.groups.codes) > 0
        unit = (np.cumsum(present) - 1)[sample.groups.codes]
    if not stratified:
        return unit, 0
    share = np.bincount(unit, sample.labels) / np.bincount(unit)
    mixed = np.flatnonzero((share > 0) & (share < 1))
    if mixed.size:
        raise ParameterError(
            f"stratified=True needs clusters of one class each, but {mixed.size} of {share.size} "
            "clusters have both; leave stratified=True out"
        )
    renumbered = np.empty(share.size, np.intp)
    renumbered[np.argsort(-share, kind="stable")] = np.arange(share.size)
    return renumbered[unit], int(share.sum())


def _at_prevalence(points: OperatingPoints, plan: Plan) -> tuple[OperatingPoints, float]:
    """Return the points at the prevalence asked for, and negatives for each positive there."""
    if plan.prevalence is None:
        return points, 0.0
    prevalence = check_prevalence(plan.prevalence)
    return points.at_prevalence(prevalence), (1 - prevalence) / prevalence


def replicate(
    sample: Resampling,
    evaluate: Evaluate,
    width: int,
    *,
    n_resamples: int,
    seed: np.random.SeedSequence,
    n_jobs: int | None,
    progress: ProgressLike,
) -> Floats:
    """Return what `evaluate` makes of the weights of each replicate, `width` numbers for each."""
    values = np.empty((n_resamples, width))
    kernel = kernel_named("auto")
    draws = Draws(sample.counts, sample.strata)
    # The work of a replicate grows with the number of cells of all models.
    at_once = max(1, _CHUNK // max(draws.size, sum(each.size for each in sample.cells)))

    def work(block: tuple[range, Stream]) -> int:
        replicates, stream = block
        buffers = sample.buffers(at_once)
        for start in range(replicates.start, replicates.stop, at_once):
            stop = min(start + at_once, replicates.stop)
            drawn = buffers.drawn[: stop - start]
            draws.draw(stream, drawn, kernel.pick)
            values[start:stop] = evaluate(kernel, sample.gathered(kernel, drawn, buffers))
        return len(replicates)

    blocks = streams(seed, n_resamples)
    threads = parse_jobs(n_jobs)
    done = 0
    with (
        reporting(progress) as report,
        ThreadPoolExecutor(threads) as pool,
        warnings.catch_warnings(),
    ):
        # Undefined replicates are NaN, and counted once all are computed.
        warnings.simplefilter("ignore", UndefinedWarning)
        for finished in pool.map(work, blocks) if threads > 1 else map(work, blocks):
            done += finished
            if report is not None:
                report(done, n_resamples)
    return values
