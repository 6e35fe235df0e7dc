"""The numbers of an analysis on one screen: areas, baselines, best thresholds, intervals."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np

from isometrics._core.progress import reporting
from isometrics._core.results import (
    WIDTH,
    ResultTable,
    bracketed,
    number,
    several,
    table_width,
    told_apart,
)
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
    constant_score,
    f_key,
    f_name,
    key_of,
    measure_named,
    measures_of,
    measures_together,
    parse_measures,
    registered,
)
from isometrics.points.models import ROUNDING
from isometrics.uncertainty.bootstrap import bootstrap
from isometrics.uncertainty.paired import percent
from isometrics.verdict.caveats import PREDICTIONS, REVERSED, has_two_scores, is_below_chance

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from isometrics._core.arrays import Counts, Floats, Total
    from isometrics._core.progress import ProgressLike
    from isometrics.decisions.thresholds import Batch, Entry
    from isometrics.measures import Measure
    from isometrics.uncertainty.bootstrap import Bootstrap
    from isometrics.uncertainty.resampling import Evidence


class Intervals(NamedTuple):
    """The confidence intervals of a summary."""

    all_rows: Bootstrap
    ends: dict[tuple[str, str], Floats]
    """By group and model, the lower and the upper ends of the intervals of all measures."""
    notes: tuple[str, ...]
    """Sentences about the intervals of groups."""


def intervals_of(
    all_rows: Evidence,
    groups: Mapping[str, Evidence],
    averaged: Sequence[Measure],
    options: Mapping[str, Any],
    progress: ProgressLike,
) -> Intervals:
    """Return the intervals over all rows, and for each group those from its own rows.

    Groups with undefined intervals are listed in one note instead of one warning for each. Of
    classes, the measures in `averaged` have intervals of their means over all rows.
    """
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

        def progress_of(run: int) -> Any:
            if report is None:
                return None
            n_runs = 1 + len(groups)
            return lambda done, total: report(run * total + done, n_runs * total)

        of_all_rows = bootstrap(
            all_rows, measures=[*wanted, *more], progress=progress_of(0), **options
        )
        for run, (group, evidence) in enumerate(groups.items(), 1):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", UndefinedWarning)
                of_group = bootstrap(
                    evidence, measures=wanted, progress=progress_of(run), **options
                )
            if of_group.undefined.any():
                incomplete.append(group)
            for row, model in enumerate(evidence.points):
                ends[group, model] = np.array([of_group.lower[row], of_group.upper[row]])
                if np.isnan(ends[group, model]).any():
                    undefined.append(f"{model} in {group}")
    if incomplete:
        notes.append(
            f"Some replicates of groups lack a class and are left out ({several(incomplete)})."
        )
    if undefined:
        notes.append(
            f"Intervals undefined ({several(undefined)}): too few different replicates to tell."
        )
    if averaged:
        notes.insert(0, of_all_rows._macro_averages())
        of_all_rows = of_all_rows._select(names)
    return Intervals(of_all_rows, ends, tuple(notes))


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
    notes: tuple[str, ...] = ()
    intervals: Bootstrap | None = None
    lower: Floats | None = None
    upper: Floats | None = None
    one_vs_rest: bool = False

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
            totals = self._named("positives", "negatives")
            for name, values in (totals | {"prevalence": self.prevalence}).items():
                lines.append((name, list(map(number, values)), ""))
        for column, measure in enumerate(self.measures):
            registered_measure = measure_named(measure)
            ranked = registered_measure is None or registered_measure.higher_is_better
            cells = self._marked(self.lo[:, column], self.hi[:, column], ranked=ranked)
            lines.append((measure, cells, number(self.baseline[0, column])))
            if self.intervals is not None and measure in self.intervals.measures:
                title = f"{percent(self.intervals.confidence_level)} interval"
                lines.append((title, self._intervals(measure), ""))
        for column, beta in enumerate(self._betas()):
            best = {name: values[:, column] for name, values in self._best().items()}
            cells = self._marked(best["f"], best["f"])
            lines.append((best_f_name(beta), cells, number(self.f_baseline[0, column])))
            where = "label" if "label" in best else "threshold"
            lines.append((f"at {where}", list(map(number, self._where(column))), "-"))
            always = number(self.prevalence[0])
            lines.append(("with precision", list(map(number, best["precision"])), always))
            lines.append(("and recall", list(map(number, best["recall"])), "1"))
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
        ends = zip(self._ends("lower")[:, column], self._ends("upper")[:, column], strict=True)
        return [
            "-" if np.isnan(lower) else " to ".join(told_apart([lower, upper], 4, beside=()))
            for lower, upper in ends
        ]

    def _ends(self, which: str) -> Floats:
        return np.asarray(getattr(self, which))

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
        columns |= {"positives": self.positives, "prevalence": self.prevalence}
        headline = [
            measure.name for measure in registered(Shown.HEADLINE) if measure.name in self.measures
        ]
        for measure in headline:
            column = self.measures.index(measure)
            bounds = (self.lo[:, column].tolist(), self.hi[:, column].tolist())
            columns[measure] = list(map(bracketed, *bounds))
            if self.intervals is not None:
                title = f"{percent(self.intervals.confidence_level)} interval of {measure}"
                columns[title] = self._intervals(measure)
        betas = self._betas()
        column = betas.index(1.0) if 1.0 in betas else 0
        best = self._best()
        where = "label" if "label" in best else "threshold"
        f = f_name(betas[column])
        return columns | {f: best["f"][:, column], where: self._where(column)}

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
        rows: dict[str, Any] = {
            "model": list(self.names),
            "group": list(self.groups),
            "positives": self.positives,
            "negatives": self.negatives,
            "prevalence": self.prevalence,
        }
        keys = list(map(key_of, self.measures))
        columns = rows | dict(zip(keys, self.values.T, strict=True))
        f_keys = list(map(f_key, self._betas()))
        best = self._best()
        for column, key in enumerate(f_keys):
            for name, values in best.items():
                columns[key if name == "f" else f"{name}_{key}"] = values[:, column]
        for key, lo, hi in zip(keys, self.lo.T, self.hi.T, strict=True):
            # Bounds of the computation, which nobody shall take for a confidence interval.
            if (lo < hi).any():
                columns |= {f"{key}_bound_low": lo, f"{key}_bound_high": hi}
        if self.intervals is not None:
            for column, measure in enumerate(self.intervals.measures):
                for end in ("lower", "upper"):
                    columns[f"{key_of(measure)}_{end}"] = self._ends(end)[:, column]
        for key, values in zip(keys, self.baseline.T, strict=True):
            columns[f"{key}_baseline"] = values
        for key, values in zip(f_keys, self.f_baseline.T, strict=True):
            columns[f"{key}_baseline"] = values
        return columns

    def _betas(self) -> list[float]:
        return list(map(float, self.best.beta[: self.f_baseline.shape[1]]))

    def _best(self) -> dict[str, NDArray[Any]]:
        """Return the columns of the best thresholds, as arrays by model and group, and by β."""
        columns = self.best._columns()
        names = ("f", "threshold", "label", "precision", "recall")
        return {
            name: np.reshape(columns[name], self.f_baseline.shape)
            for name in names
            if name in columns
        }

    def _where(self, column: int) -> Sequence[Any]:
        """Return the labels of the best rows for one β, or their thresholds as they are printed."""
        labels = self._best().get("label")
        if labels is not None:
            return list(labels[:, column])
        return list(self.best._threshold_texts(slice(column, None, self.f_baseline.shape[1])))


class _Numbers(NamedTuple):
    """What a summary takes from one table, which may be too large to keep."""

    model: str
    group: str
    positives: Total
    negatives: Total
    lo: Sequence[float]
    hi: Sequence[float]
    baselines: Sequence[float]
    f_baselines: Sequence[float]
    counts_rows: bool
    """Whether counts are numbers of rows; sums of weights do not tell how many rows there are."""
    has_two_scores: bool

    @classmethod
    def of_entry(
        cls,
        entry: Entry,
        lo: Sequence[float],
        hi: Sequence[float],
        baselines: Sequence[float],
        f_baselines: Sequence[float],
    ) -> _Numbers:
        """Return the numbers of a table."""
        points = entry.points
        return cls(
            entry.model,
            entry.group,
            points.positives,
            points.negatives,
            lo,
            hi,
            baselines,
            f_baselines,
            points.table.tp.dtype.kind == "i",
            has_two_scores(points),
        )

    @property
    def title(self) -> str:
        """The model, and the group unless it is all rows."""
        return self.model if self.group == ALL_ROWS else f"{self.model} in {self.group}"


def _numbers_of(batch: Batch, betas: Sequence[float]) -> Iterator[_Numbers]:
    points = [entry.points for entry in batch.entries]
    if batch.tables is None:
        for entry, each in zip(batch.entries, points, strict=True):
            lo, hi = zip(*measures_of(each).values(), strict=True)
            constant = constant_score(each)
            f_baselines = [constant.f(beta)[-1] for beta in betas]
            yield _Numbers.of_entry(entry, lo, hi, list(baselines_of(each).values()), f_baselines)
        return
    values, baselines = (found.tolist() for found in measures_together(points, batch.tables))
    f_baselines = batch.tables.f_of_everything(betas).tolist()
    yield from map(_Numbers.of_entry, batch.entries, values, values, baselines, f_baselines)


def summary_of(
    entries: Iterable[Entry],
    betas: Sequence[float],
    skipped: Mapping[str, str],
    *,
    intervals: Bootstrap | None = None,
    ends: Mapping[tuple[str, str], Floats] | None = None,
    more_notes: Sequence[str] = (),
    one_vs_rest: bool = False,
) -> Summary:
    """Return the summary of tables.

    Parameters
    ----------
    entries
        The tables, with their models and groups; each is looked at once, and not kept.
    betas
        The β of the best thresholds.
    skipped
        The groups that have no table, and why.
    intervals
        The intervals over all rows.
    ends
        The ends of the intervals of groups, by group and model.
    more_notes
        Notes to add to those about the values.
    one_vs_rest
        Whether the models are the classes of one classifier.
    """
    measures = tuple(measure.name for measure in registered(Shown.SUMMARY))
    rows: list[_Numbers] = []

    def seen() -> Iterator[Batch]:
        for batch in batches_of(entries):
            rows.extend(_numbers_of(batch, betas))
            yield batch

    best = thresholds_of(seen(), parse_f_objectives(betas, {}))
    lo, hi = np.array([row.lo for row in rows]), np.array([row.hi for row in rows])
    lower, upper = (None, None) if intervals is None else _ends(rows, intervals, ends or {})
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
        (*_notes(rows, measures, lo, hi, skipped, one_vs_rest=one_vs_rest), *more_notes),
        intervals,
        lower,
        upper,
        one_vs_rest,
    )


def _ends(
    rows: Sequence[_Numbers], intervals: Bootstrap, of_groups: Mapping[tuple[str, str], Floats]
) -> tuple[Floats, Floats]:
    """Return the lower and the upper ends of intervals, a row for each table."""
    ends = np.full((2, len(rows), len(intervals.measures)), np.nan)
    for index, row in enumerate(rows):
        if row.group == ALL_ROWS:
            model = intervals.models.index(row.model)
            ends[:, index] = intervals.lower[model], intervals.upper[model]
        elif (row.group, row.model) in of_groups:
            ends[:, index] = of_groups[row.group, row.model]
    return ends[0], ends[1]


def _notes(
    rows: Sequence[_Numbers],
    measures: tuple[str, ...],
    lo: Floats,
    hi: Floats,
    skipped: Mapping[str, str],
    *,
    one_vs_rest: bool,
) -> tuple[str, ...]:
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
        f"{_capitalised(EXPECTED_F1_GAIN.name)} undefined ({{}}): all negatives rank above a "
        "recall equal to the "
        "prevalence, so there is nothing to average over.": np.isnan(lo[:, expected]) & ~no_curve,
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
            "{}", several([rows[index].title for index in np.flatnonzero(which).tolist()])
        )
        for sentence, which in rows_by_sentence.items()
        if which.any()
    ]
    prevalences = [
        row.positives / (row.positives + row.negatives) for row in rows if row.group == ALL_ROWS
    ]
    if not _all_same(np.array(prevalences)):
        what = "classes" if one_vs_rest else "models"
        notes.append(f"The {what} differ in prevalence, so their {AUPR} and F do not compare.")
    for reason in dict.fromkeys(skipped.values()):
        groups = [group for group, why in skipped.items() if why == reason]
        notes.append(f"Groups left out ({reason}): {several(groups)}.")
    return tuple(notes)


def _capitalised(name: str) -> str:
    return name[0].upper() + name[1:]


def _all_same(totals: Counts) -> bool:
    # Sums of weights that were added in different orders differ in their last bits.
    return bool(np.ptp(totals) <= ROUNDING * totals.max())
