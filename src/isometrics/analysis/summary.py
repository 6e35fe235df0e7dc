"""The numbers of an analysis on one screen: areas, baselines, best thresholds, intervals."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np

from isometrics._core.parameters import part_of_progress, reporting
from isometrics._core.results import (
    WIDTH,
    ResultTable,
    bracketed,
    distinct_decimals,
    join_names,
    number,
    percent,
    table_width,
)
from isometrics._counting.confusion import f_name
from isometrics.analysis.averages import macro_average
from isometrics.decisions.objective import parse_f_objectives
from isometrics.decisions.thresholds import ALL_ROWS, Thresholds, batches_of, thresholds_of
from isometrics.errors import UndefinedWarning
from isometrics.measures import (
    AUPR,
    AUPRG,
    AUROC,
    EXPECTED_F1_GAIN,
    Shown,
    baselines_of,
    best_f_name,
    constant_table,
    f_key,
    key_of,
    measure_named,
    measures_of,
    measures_together,
    optimal_f_gain,
    parse_measures,
    registered,
)
from isometrics.points.models import ROUNDING
from isometrics.uncertainty.bootstrap import bootstrap
from isometrics.uncertainty.resampling import ResampledRows
from isometrics.verdict.sentences import PREDICTIONS, REVERSED, has_two_scores, is_below_chance

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from isometrics._core.arrays import Counts, Floats, Total
    from isometrics._core.parameters import ProgressLike
    from isometrics.analysis.analysis import Analysis
    from isometrics.decisions.thresholds import Batch
    from isometrics.measures import Measure
    from isometrics.uncertainty.bootstrap import Bootstrap


_MAX_SIDE_BY_SIDE = 6
"""More models are printed as rows."""
_MEASURE, _CONSTANT = "measure", "(constant)"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Summary(ResultTable):
    """One row for each model and group: all areas, baselines and the best thresholds.

    A few models without groups are printed side by side, a line for each measure, with the best
    value marked; others are printed as rows. `to_frame` always has one row for each model and
    group.

    Attributes
    ----------
    names, groups
        The model and the group of each row; ``"(all rows)"`` is all groups together.
    positives, negatives
        The totals of each row.
    measures
        The names of the measures.
    lo, hi
        The bounds of each measure, a column for each; equal where the value is exact, NaN where
        it is not defined.
    baseline
        The value of each measure for a model that gives all rows the same score.
    best
        The best threshold for each β.
    f_baseline
        The F_β of always answering "positive", a column for each β.
    notes
        Sentences that explain these numbers.
    intervals
        Confidence intervals of some measures over all rows, if they were requested.
    lower, upper
        The ends of the intervals of each row, a column for each measure of `intervals`; NaN for
        rows without intervals.
    one_vs_rest
        Whether the models are the classes of one classifier, which are no rivals.

    Examples
    --------
    >>> import isometrics as iso
    >>> labels, scores = [1, 0, 1, 1, 0, 0, 1, 0], [0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2]
    >>> iso.analyse(labels, scores).summary(beta=[1])
    Summary: 4 positives, 4 negatives, prevalence 0.5
    measure                 score  (constant)
    AUROC                  0.6875         0.5
    AUPR                   0.7111         0.5
    average precision    0.747024         0.5
    AUPR, linear         0.706845         0.5
    AUPR, integer steps  0.706845         0.5
    AUPR, max precision  0.767857         0.5
    AUPR, normalised     0.583206    0.278652
    AUPRG                0.430556           0
    expected F1 gain      0.49537        0.25
    expected accuracy     0.59375         0.5
    tradeoff area        0.812803    0.693147
    best F (β 1)             0.75    0.666667
    at threshold              0.6           -
    with precision           0.75         0.5
    and recall               0.75           1
    (constant): the value of a model that gives every row the same score.
    """

    _left: ClassVar[tuple[str, ...]] = ("group", "model", _MEASURE)
    _most_rows: ClassVar[int] = 60

    names: tuple[str, ...]
    groups: tuple[str, ...]
    positives: Counts
    negatives: Counts
    measures: tuple[str, ...]
    lo: Floats
    hi: Floats
    baseline: Floats
    best: Thresholds
    f_baseline: Floats
    notes: tuple[str, ...]
    intervals: Bootstrap | None
    lower: Floats
    upper: Floats
    one_vs_rest: bool

    @property
    def prevalence(self) -> Floats:
        """The share of positives of each row."""
        return np.asarray(self.positives / (self.positives + self.negatives))

    @property
    def values(self) -> Floats:
        """The value of each measure, or the midpoint of its bounds if it is not known exactly."""
        with np.errstate(invalid="ignore"):
            # Infinite bounds have no midpoint.
            middle = self.lo + (self.hi - self.lo) / 2
        return np.where(self.lo == self.hi, self.lo, middle)

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self.names)

    # ------------------------------------------------------------------ the printout

    def _title(self) -> str:
        n_models = len(set(self.names))
        n_groups = len(set(self.groups) - {ALL_ROWS})
        what = "classes" if self.one_vs_rest else "models"
        facts = [f"{n_models} {what}"] * (n_models > 1) + [f"{n_groups} groups"] * (n_groups > 0)
        if self._has_one_sample():
            totals = f"{number(self.positives[0])} positives, {number(self.negatives[0])} negatives"
            facts += [totals, f"prevalence {number(self.prevalence[0])}"]
        return f"Summary: {', '.join(facts)}"

    def _has_one_sample(self) -> bool:
        return _all_same(self.positives) and _all_same(self.negatives)

    def _has_rivals(self) -> bool:
        """Tell whether there are models that can be better than another."""
        return len(self) > 1 and self._has_one_sample() and not self.one_vs_rest

    def _shown(self) -> dict[str, Any]:
        if set(self.groups) == {ALL_ROWS} and len(self) <= _MAX_SIDE_BY_SIDE:
            columns = self._side_by_side()
            # A model of the same name would replace one of these columns.
            if not {_MEASURE, _CONSTANT} & set(self.names) and table_width(columns) <= WIDTH:
                return columns
        return self._row_by_row()

    def _side_by_side(self) -> dict[str, list[str]]:
        """Return a line for each measure, a column for each model."""
        lines: list[tuple[str, list[str], str]] = []
        if not self._has_one_sample():
            totals = self._named("positives", "negatives", "prevalence")
            lines += [(name, list(map(number, values)), "") for name, values in totals.items()]
        for column, measure in enumerate(self.measures):
            registered_measure = measure_named(measure)
            ranked = registered_measure is None or registered_measure.higher_is_better
            cells = self._marked(self.lo[:, column], self.hi[:, column], ranked=ranked)
            lines.append((measure, cells, number(self.baseline[0, column])))
            if self.intervals is not None and measure in self.intervals.measures:
                title = f"{percent(self.intervals.confidence_level)} interval"
                lines.append((title, self._intervals(measure), ""))
        always = number(self.prevalence[0])
        for column, beta in enumerate(self._betas()):
            best = self._best(column)
            where = "label" if "label" in best else "threshold"
            constant = number(self.f_baseline[0, column])
            lines += [
                (best_f_name(beta), self._marked(best["f"], best["f"]), constant),
                (f"at {where}", list(map(number, best[where])), "-"),
                ("with precision", list(map(number, best["precision"])), always),
                ("and recall", list(map(number, best["recall"])), "1"),
            ]
        columns = {_MEASURE: [name for name, *_ in lines]}
        for row, name in enumerate(self.names):
            columns[name] = [cells[row] for _, cells, _ in lines]
        if self._has_one_sample():
            columns[_CONSTANT] = [constant for *_, constant in lines]
        return columns

    def _intervals(self, measure: str) -> list[str]:
        """Return the interval of a measure in each row as text."""
        assert self.intervals is not None
        column = self.intervals.measures.index(measure)
        ends = zip(self.lower[:, column], self.upper[:, column], strict=True)
        return [
            "-" if np.isnan(lower) else " to ".join(distinct_decimals([lower, upper], 4, beside=()))
            for lower, upper in ends
        ]

    def _marked(self, lo: Floats, hi: Floats, *, ranked: bool = True) -> list[str]:
        """Return values as text, with a star before those that may be the best."""
        cells = list(map(bracketed, lo.tolist(), hi.tolist()))
        if not (ranked and self._has_rivals()) or np.isnan(lo).all():
            return cells
        may_be_best = hi >= np.nanmax(lo)
        return [
            f"*{cell}" if starred else cell
            for cell, starred in zip(cells, may_be_best, strict=True)
        ]

    def _row_by_row(self) -> dict[str, Any]:
        """Return a line for each model and group, with the most important columns."""
        columns: dict[str, Any] = {"group": list(self.groups), "model": list(self.names)}
        if set(self.groups) == {ALL_ROWS}:
            del columns["group"]
        columns |= self._named("positives", "prevalence")
        headline = {measure.name for measure in registered(Shown.HEADLINE)}
        for column, measure in enumerate(self.measures):
            if measure in headline:
                bounds = (self.lo[:, column].tolist(), self.hi[:, column].tolist())
                columns[measure] = list(map(bracketed, *bounds))
                if self.intervals is not None:
                    title = f"{percent(self.intervals.confidence_level)} interval of {measure}"
                    columns[title] = self._intervals(measure)
        betas = self._betas()
        column = betas.index(1.0) if 1.0 in betas else 0
        best = self._best(column)
        where = "label" if "label" in best else "threshold"
        return columns | {f_name(betas[column]): best["f"], where: best[where]}

    def _notes(self, shown: Mapping[str, Any]) -> list[str]:
        notes = list(self.notes)
        if _CONSTANT in shown:
            notes.insert(
                0, f"{_CONSTANT}: the value of a model that gives every row the same score."
            )
            if self._has_rivals():
                notes.insert(0, "*: the best of these models.")
        if self.intervals is not None:
            notes.append(self.intervals.explanation())
        return notes

    # ------------------------------------------------------------------ the frame

    def _columns(self) -> dict[str, Any]:
        columns: dict[str, Any] = {"model": list(self.names), "group": list(self.groups)}
        columns |= self._named("positives", "negatives", "prevalence")
        keys = list(map(key_of, self.measures))
        columns |= dict(zip(keys, self.values.T, strict=True))
        f_keys = list(map(f_key, self._betas()))
        for column, key in enumerate(f_keys):
            best = self._best(column)
            columns[key] = best.pop("f")
            columns[f"threshold_{key}"] = self.best.threshold[column :: len(f_keys)]
            columns |= {f"{name}_{key}": best[name] for name in best if name != "threshold"}
        for key, lo, hi in zip(keys, self.lo.T, self.hi.T, strict=True):
            # Bounds of the computation, which nobody shall take for a confidence interval.
            if (lo < hi).any():
                columns |= {f"{key}_bound_low": lo, f"{key}_bound_high": hi}
        if self.intervals is not None:
            for column, measure in enumerate(map(key_of, self.intervals.measures)):
                columns[f"{measure}_lower"] = self.lower[:, column]
                columns[f"{measure}_upper"] = self.upper[:, column]
        baselines = zip([*keys, *f_keys], [*self.baseline.T, *self.f_baseline.T], strict=True)
        return columns | {f"{key}_baseline": values for key, values in baselines}

    def _betas(self) -> list[float]:
        return list(map(float, self.best.beta[: self.f_baseline.shape[1]]))

    def _best(self, column: int) -> dict[str, Any]:
        """Return the best thresholds for one β, as they are printed, by column of `best`."""
        rows = slice(column, None, self.f_baseline.shape[1])
        columns = self.best._columns() | {"threshold": self.best._threshold_texts()}
        names = ("f", "threshold", "label", "precision", "recall")
        return {name: columns[name][rows] for name in names if name in columns}


class _Row(NamedTuple):
    """What a summary takes from one table, which may be too large to keep."""

    model: str
    group: str
    positives: Total
    negatives: Total
    counts_rows: bool
    """Whether counts are numbers of rows; sums of weights do not tell how many rows there are."""
    has_two_scores: bool
    lo: Sequence[float]
    hi: Sequence[float]
    baselines: Sequence[float]
    f_baselines: Sequence[float]

    @property
    def title(self) -> str:
        """The model, and the group unless it is all rows."""
        return self.model if self.group == ALL_ROWS else f"{self.model} in {self.group}"


def _rows_of(batch: Batch, betas: Sequence[float]) -> Iterator[_Row]:
    points = [entry.points for entry in batch.entries]
    numbers: Iterable[Any]
    if batch.tables is None:
        numbers = []
        for each in points:
            lo, hi = zip(*measures_of(each).values(), strict=True)
            constant = constant_table(each.positives, each.negatives)
            of_constant = [constant.f(beta)[-1] for beta in betas]
            numbers.append((lo, hi, list(baselines_of(each).values()), of_constant))
    else:
        values, baselines = (found.tolist() for found in measures_together(points, batch.tables))
        f_baselines = batch.tables.f_of_everything(betas).tolist()
        numbers = zip(values, values, baselines, f_baselines, strict=True)
    for entry, own in zip(batch.entries, numbers, strict=True):
        table = entry.points.table
        counts_rows = table.tp.dtype.kind == "i"
        two = has_two_scores(entry.points)
        yield _Row(
            entry.model, entry.group, table.positives, table.negatives, counts_rows, two, *own
        )


def summary_of(
    analysis: Analysis,
    betas: Sequence[float],
    *,
    by_group: bool,
    confidence_level: float | None,
    progress: ProgressLike,
    options: Mapping[str, Any],
) -> Summary:
    """Return the summary of an analysis, with intervals where a confidence level is given."""
    measures = tuple(measure.name for measure in registered(Shown.SUMMARY))
    is_macro = analysis.one_vs_rest and len(analysis.models) > 1
    averaged = (AUPRG, *map(optimal_f_gain, betas)) if is_macro else ()
    found, report_tables = None, progress
    if confidence_level is not None:
        drawing = {**options, "confidence_level": confidence_level}
        found = _intervals_of(analysis, averaged, drawing, progress, by_group=by_group)
        report_tables = None
    rows: list[_Row] = []

    def seen(report: Callable[[int, int], None] | None) -> Iterator[Batch]:
        # Each table is looked at once, and not kept.
        for batch in batches_of(analysis._entries(by_group, report)):
            rows.extend(_rows_of(batch, betas))
            yield batch

    with reporting(report_tables, "groups") as report:
        best = thresholds_of(seen(report), parse_f_objectives(betas, {}))
    lo, hi = np.array([row.lo for row in rows]), np.array([row.hi for row in rows])
    lower, upper = np.full((2, len(rows), 0), np.nan)
    notes = _notes(rows, measures, lo, hi, analysis, by_group=by_group)
    if found is not None:
        undefined = np.full((2, len(found.all_rows.measures)), np.nan)
        ends = [found.ends.get((row.group, row.model), undefined) for row in rows]
        lower, upper = np.array(ends).transpose(1, 0, 2)
        notes += found.notes
    elif averaged:
        means = [f"{each.name} {number(macro_average(analysis.models, each))}" for each in averaged]
        notes.append(f"Macro average over the classes: {', '.join(means)}.")
    return Summary(
        tuple(row.model for row in rows),
        tuple(row.group for row in rows),
        np.array([row.positives for row in rows]),
        np.array([row.negatives for row in rows]),
        measures,
        lo,
        hi,
        np.array([row.baselines for row in rows]),
        best,
        np.array([row.f_baselines for row in rows]),
        tuple(notes),
        None if found is None else found.all_rows,
        lower,
        upper,
        analysis.one_vs_rest,
    )


class _Intervals(NamedTuple):
    """The confidence intervals of a summary."""

    all_rows: Bootstrap
    ends: dict[tuple[str, str], Floats]
    """By group and model, the lower and the upper ends of the intervals of all measures."""
    notes: tuple[str, ...]
    """Sentences about the intervals of groups."""


def _intervals_of(
    analysis: Analysis,
    averaged: Sequence[Measure],
    options: Mapping[str, Any],
    progress: ProgressLike,
    *,
    by_group: bool,
) -> _Intervals:
    """Return the intervals over all rows, and for each group those from its own rows.

    Groups with undefined intervals are listed in one note instead of one warning for each. Of
    classes, the measures in `averaged` have intervals of their means over all rows.
    """
    all_rows, drawing = analysis._evidence(options)
    groups = _evidence_by_group(analysis) if by_group else {}
    wanted = parse_measures(None)
    names = [measure.name for measure in wanted]
    more = [measure for measure in averaged if measure.name not in names]
    ends: dict[tuple[str, str], Floats] = {}
    incomplete, undefined = [], []
    if all_rows.clustered and groups:
        groups, notes = {}, ["Groups have no intervals: clusters=True draws each as a whole."]
    else:
        notes = ["The intervals of a group come from its own rows."] if groups else []
    with reporting(progress) as report:
        parts = 1 + len(groups)
        told = part_of_progress(report, 0, parts)
        of_all_rows = bootstrap(all_rows, measures=[*wanted, *more], progress=told, **drawing)
        for part, (group, evidence) in enumerate(groups.items(), 1):
            told = part_of_progress(report, part, parts)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", UndefinedWarning)
                of_group = bootstrap(evidence, measures=wanted, progress=told, **drawing)
            if of_group.undefined.any():
                incomplete.append(group)
            for row, model in enumerate(evidence.points):
                ends[group, model] = np.array([of_group.lower[row], of_group.upper[row]])
                if np.isnan(ends[group, model]).any():
                    undefined.append(f"{model} in {group}")
    if incomplete:
        notes.append(
            f"Some replicates of groups lack a class and are left out ({join_names(incomplete)})."
        )
    if undefined:
        notes.append(
            f"Intervals undefined ({join_names(undefined)}): too few different replicates to tell."
        )
    if averaged:
        notes.insert(0, of_all_rows._macro_averages())
        of_all_rows = of_all_rows._select(names)
    for row, model in enumerate(of_all_rows.models):
        ends[ALL_ROWS, model] = np.array([of_all_rows.lower[row], of_all_rows.upper[row]])
    return _Intervals(of_all_rows, ends, tuple(notes))


def _evidence_by_group(analysis: Analysis) -> Mapping[str, ResampledRows]:
    """Return what is drawn again for each group from its own rows."""
    rows = {} if analysis.rows is None else analysis.rows.split_by_group()
    by_class = {name: rows.split_by_group() for name, rows in analysis.class_rows.items()}

    def evidence(group: str) -> ResampledRows:
        models = analysis._tables_of(group, as_counted=True)
        classes = {name: by_class[name][group] for name in models} if by_class else None
        return ResampledRows(models, rows.get(group), by_class=classes)

    return analysis._for_each_group(evidence)


def _notes(
    rows: Sequence[_Row],
    measures: tuple[str, ...],
    lo: Floats,
    hi: Floats,
    analysis: Analysis,
    *,
    by_group: bool,
) -> list[str]:
    """Return the sentences that explain the numbers."""
    auroc, expected, auprg = (
        measures.index(measure.name) for measure in (AUROC, EXPECTED_F1_GAIN, AUPRG)
    )
    no_curve = np.isnan(lo[:, auroc])
    rows_by_sentence = {
        f"{AUPRG} below 0 ({{}}): worse than always answering 'positive'.": hi[:, auprg]
        < -ROUNDING,
        "Areas undefined ({}): the points are not nested, so they have no curve of their own.": (
            no_curve
        ),
        f"E{EXPECTED_F1_GAIN.name[1:]} undefined ({{}}): all negatives rank above a recall equal "
        "to the prevalence, so there is nothing to average over.": np.isnan(lo[:, expected])
        & ~no_curve,
        "± gives bounds ({}): the table keeps only some rows, and the exact area lies within.": (
            (lo != hi) & ~np.isnan(lo)
        ).any(axis=1),
        f"{AUROC} below 0.5 beyond chance ({{}}): {REVERSED}": np.array(
            [
                row.counts_rows and is_below_chance(area, row.positives, row.negatives)
                for row, area in zip(rows, hi[:, auroc], strict=True)
            ],
            np.bool_,
        ),
        f"Only two distinct scores ({{}}): {PREDICTIONS}.": np.array(
            [row.has_two_scores for row in rows], np.bool_
        ),
    }
    notes = [
        sentence.replace(
            "{}", join_names([rows[index].title for index in np.flatnonzero(which).tolist()])
        )
        for sentence, which in rows_by_sentence.items()
        if which.any()
    ]
    prevalences = [
        row.positives / (row.positives + row.negatives) for row in rows if row.group == ALL_ROWS
    ]
    if not _all_same(np.array(prevalences)):
        what = "classes" if analysis.one_vs_rest else "models"
        notes.append(f"The {what} differ in prevalence, so their {AUPR} and F do not compare.")
    skipped = analysis.skipped if by_group else {}
    for reason in dict.fromkeys(skipped.values()):
        groups = [group for group, why in skipped.items() if why == reason]
        notes.append(f"Groups left out ({reason}): {join_names(groups)}.")
    return notes


def _all_same(totals: Counts) -> bool:
    # Sums of weights that were added in different orders differ in their last bits.
    return bool(np.ptp(totals) <= ROUNDING * totals.max())
