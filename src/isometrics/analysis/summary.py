"""The numbers of an analysis on one screen: areas, baselines, best thresholds, intervals."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np

from isometrics._core.progress import reporting
from isometrics._core.results import WIDTH, ResultTable, bracketed, number, several, table_width
from isometrics.decisions.best import ALL_ROWS, Entry, Thresholds, thresholds_of
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
    registered,
)
from isometrics.points.models import ROUNDING
from isometrics.uncertainty.bootstrap import bootstrap
from isometrics.uncertainty.paired import percent

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from isometrics._core.arrays import Counts, Floats
    from isometrics.uncertainty.bootstrap import Bootstrap
    from isometrics.uncertainty.resampling import Evidence


class Intervals(NamedTuple):
    """The intervals of a summary."""

    all_rows: Bootstrap
    ends: dict[tuple[str, str], Floats]
    """By group and model, the lower and the upper ends of the intervals of all measures."""
    notes: tuple[str, ...]
    """What needs saying about the intervals of groups."""


def intervals_of(
    all_rows: Evidence, groups: Mapping[str, Evidence], *, progress: Any = None, **options: Any
) -> Intervals:
    """Return the intervals over all rows, and of each group those from its own rows.

    What small groups leave undefined is said in a note: a warning for each would bury the others.
    """
    ends: dict[tuple[str, str], Floats] = {}
    incomplete, undefined = [], []
    if all_rows.clustered and groups:
        groups, notes = {}, ["Groups have no intervals: clusters=True draws each as a whole."]
    else:
        notes = ["The intervals of a group come from its own rows."] if groups else []
    with reporting(progress) as report:

        def told(place: int) -> Any:
            if report is None:
                return None
            runs = 1 + len(groups)
            return lambda done, total: report(place * total + done, runs * total)

        found = bootstrap(all_rows, progress=told(0), **options)
        for place, (group, evidence) in enumerate(groups.items(), 1):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", UndefinedWarning)
                sure = bootstrap(evidence, progress=told(place), **options)
            if sure.undefined.any():
                incomplete.append(group)
            for row, model in enumerate(evidence.points):
                ends[group, model] = np.array([sure.lower[row], sure.upper[row]])
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
    return Intervals(found, ends, tuple(notes))


_SIDE_BY_SIDE = 6
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
        What a model that gives every row one score has of each measure.
    best
        The best threshold for each β.
    f_baseline
        The F_β of always answering "positive", a column for each β.
    notes
        What needs saying about these numbers, in sentences.
    intervals
        Confidence intervals of some measures over all rows, where they were asked for.
    lower, upper
        The ends of the intervals of each row, a column for each measure of `intervals`; NaN where
        there is none.

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
    (constant): what a model has that gives every row the same score.
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

    @property
    def prevalence(self) -> Floats:
        """The share of positives of each row."""
        return np.asarray(self.positives / (self.positives + self.negatives))

    @property
    def values(self) -> Floats:
        """Each measure; where it is only known to lie between bounds, their middle."""
        with np.errstate(invalid="ignore"):
            # Nothing lies in the middle of bounds that are infinite.
            middle = self.lo + (self.hi - self.lo) / 2
        return np.where(self.lo == self.hi, self.lo, middle)

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self.names)

    # ------------------------------------------------------------------ the printout

    def _title(self) -> str:
        models = len(set(self.names))
        groups = len(set(self.groups) - {ALL_ROWS})
        counted = [f"{models} models"] * (models > 1) + [f"{groups} groups"] * (groups > 0)
        if self._one_sample():
            totals = f"{number(self.positives[0])} positives, {number(self.negatives[0])} negatives"
            counted += [totals, f"prevalence {number(self.prevalence[0])}"]
        return f"Summary: {', '.join(counted)}"

    def _one_sample(self) -> bool:
        return _all_same(self.positives) and _all_same(self.negatives)

    def _shown(self) -> dict[str, Any]:
        if set(self.groups) == {ALL_ROWS} and len(self) <= _SIDE_BY_SIDE:
            columns = self._side_by_side()
            # A model of the same name would hide a column of ours.
            if not {_MEASURE, _CONSTANT} & set(self.names) and table_width(columns) <= WIDTH:
                return columns
        return self._row_by_row()

    def _side_by_side(self) -> dict[str, list[str]]:
        """Return a line for each measure, a column for each model."""
        lines: list[tuple[str, list[str], str]] = []
        if not self._one_sample():
            totals = self._named("positives", "negatives")
            for name, values in (totals | {"prevalence": self.prevalence}).items():
                lines.append((name, list(map(number, values)), ""))
        for place, measure in enumerate(self.measures):
            named = measure_named(measure)
            ranked = named is None or named.higher_is_better
            cells = self._marked(self.lo[:, place], self.hi[:, place], ranked=ranked)
            lines.append((measure, cells, number(self.baseline[0, place])))
            if self.intervals is not None and measure in self.intervals.measures:
                title = f"{percent(self.intervals.confidence_level)} interval"
                lines.append((title, self._intervals(measure), ""))
        for place, beta in enumerate(self._betas()):
            best = {name: values[:, place] for name, values in self._best().items()}
            cells = self._marked(best["f"], best["f"])
            lines.append((best_f_name(beta), cells, number(self.f_baseline[0, place])))
            where = "label" if "label" in best else "threshold"
            lines.append((f"at {where}", list(map(number, best[where])), "-"))
            always = number(self.prevalence[0])
            lines.append(("with precision", list(map(number, best["precision"])), always))
            lines.append(("and recall", list(map(number, best["recall"])), "1"))
        columns = {_MEASURE: [name for name, *_ in lines]}
        for place, name in enumerate(self.names):
            columns[name] = [cells[place] for _, cells, _ in lines]
        return columns | ({_CONSTANT: [last for *_, last in lines]} if self._one_sample() else {})

    def _intervals(self, measure: str) -> list[str]:
        """Return the interval of a measure in each row as text."""
        assert self.intervals is not None
        place = self.intervals.measures.index(measure)
        ends = zip(self._ends("lower")[:, place], self._ends("upper")[:, place], strict=True)
        return ["-" if np.isnan(lower) else f"{lower:.4f} to {upper:.4f}" for lower, upper in ends]

    def _ends(self, which: str) -> Floats:
        return np.asarray(getattr(self, which))

    def _marked(self, lo: Floats, hi: Floats, *, ranked: bool = True) -> list[str]:
        """Return values as text, with a star at those that may be the best one."""
        cells = list(map(bracketed, lo.tolist(), hi.tolist()))
        if not ranked or len(self) == 1 or not self._one_sample() or np.isnan(lo).all():
            return cells
        return [
            f"*{cell}" if best else cell
            for cell, best in zip(cells, hi >= np.nanmax(lo), strict=True)
        ]

    def _row_by_row(self) -> dict[str, Any]:
        """Return a line for each model and group, with the most important columns."""
        columns: dict[str, Any] = {"group": list(self.groups), "model": list(self.names)}
        if set(self.groups) == {ALL_ROWS}:
            del columns["group"]
        columns |= {"positives": self.positives, "prevalence": self.prevalence}
        headline = [each.name for each in registered(Shown.HEADLINE) if each.name in self.measures]
        for measure in headline:
            place = self.measures.index(measure)
            bounds = (self.lo[:, place].tolist(), self.hi[:, place].tolist())
            columns[measure] = list(map(bracketed, *bounds))
            if self.intervals is not None:
                title = f"{percent(self.intervals.confidence_level)} interval of {measure}"
                columns[title] = self._intervals(measure)
        betas = self._betas()
        place = betas.index(1.0) if 1.0 in betas else 0
        best = self._best()
        where = "label" if "label" in best else "threshold"
        shown = {f_name(betas[place]): "f", where: where}
        return columns | {name: best[values][:, place] for name, values in shown.items()}

    def _notes(self, shown: Mapping[str, Any]) -> list[str]:
        notes = list(self.notes)
        if _CONSTANT in shown:
            notes.insert(0, f"{_CONSTANT}: what a model has that gives every row the same score.")
            if len(self) > 1:
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
        names = list(map(key_of, self.measures))
        columns = rows | dict(zip(names, self.values.T, strict=True))
        suffixes = list(map(f_key, self._betas()))
        best = self._best()
        for place, suffix in enumerate(suffixes):
            for name, values in best.items():
                columns[suffix if name == "f" else f"{name}_{suffix}"] = values[:, place]
        for name, lo, hi in zip(names, self.lo.T, self.hi.T, strict=True):
            columns |= {f"{name}_lo": lo, f"{name}_hi": hi}
        if self.intervals is not None:
            for place, measure in enumerate(self.intervals.measures):
                for which in ("lower", "upper"):
                    columns[f"{key_of(measure)}_{which}"] = self._ends(which)[:, place]
        columns |= {
            f"{name}_baseline": values for name, values in zip(names, self.baseline.T, strict=True)
        }
        ends = zip(suffixes, self.f_baseline.T, strict=True)
        return columns | {f"{suffix}_baseline": values for suffix, values in ends}

    def _betas(self) -> list[float]:
        return list(map(float, self.best.beta[: self.f_baseline.shape[1]]))

    def _best(self) -> dict[str, NDArray[Any]]:
        """Return what is known of the best thresholds, a row for each model and group."""
        columns = self.best._columns()
        chosen = ("f", "threshold", "label", "precision", "recall")
        return {
            name: np.reshape(columns[name], self.f_baseline.shape)
            for name in chosen
            if name in columns
        }


def summary_of(
    entries: Sequence[Entry],
    betas: Sequence[float],
    skipped: Mapping[str, str],
    *,
    intervals: Bootstrap | None = None,
    ends: Mapping[tuple[str, str], Floats] | None = None,
    more_notes: Sequence[str] = (),
) -> Summary:
    """Return all numbers of tables; `skipped` says why groups have none.

    `intervals` are those over all rows, and `ends` has the ends of those of groups, by group and
    model.
    """
    measures = tuple(measure.name for measure in registered(Shown.SUMMARY))
    measured = [measures_of(entry.points) for entry in entries]
    lo, hi = (
        np.array([[bracket[end] for bracket in found.values()] for found in measured])
        for end in (0, 1)
    )
    constants = [constant_score(entry.points) for entry in entries]
    return Summary(
        tuple(entry.model for entry in entries),
        tuple(entry.group for entry in entries),
        np.array([entry.points.positives for entry in entries]),
        np.array([entry.points.negatives for entry in entries]),
        measures,
        lo,
        hi,
        np.array([list(baselines_of(entry.points).values()) for entry in entries]),
        thresholds_of(entries, betas),
        np.array([[points.f(beta)[-1] for beta in betas] for points in constants]),
        (*_notes(entries, measures, lo, hi, skipped), *more_notes),
        intervals,
        *((None, None) if intervals is None else _ends(entries, intervals, ends or {})),
    )


def _ends(
    entries: Sequence[Entry], intervals: Bootstrap, of_groups: Mapping[tuple[str, str], Floats]
) -> tuple[Floats, Floats]:
    """Return the lower and the upper ends of intervals, a row for each entry."""
    found = np.full((2, len(entries), len(intervals.measures)), np.nan)
    for row, entry in enumerate(entries):
        if entry.group == ALL_ROWS:
            place = intervals.models.index(entry.model)
            found[:, row] = intervals.lower[place], intervals.upper[place]
        elif (entry.group, entry.model) in of_groups:
            found[:, row] = of_groups[entry.group, entry.model]
    return found[0], found[1]


def _notes(
    entries: Sequence[Entry],
    measures: tuple[str, ...],
    lo: Floats,
    hi: Floats,
    skipped: Mapping[str, str],
) -> tuple[str, ...]:
    """Say what a reader of the numbers must know."""
    needed = (AUROC, EXPECTED_F1_GAIN, AUPRG)
    auroc, expected, auprg = (measures.index(measure.name) for measure in needed)
    no_curve = np.isnan(lo[:, auroc])
    cases = {
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
    }
    notes = [
        sentence.replace(
            "{}", several([_place(entries[row]) for row in np.flatnonzero(rows).tolist()])
        )
        for sentence, rows in cases.items()
        if rows.any()
    ]
    together = [entry.points.prevalence for entry in entries if entry.group == ALL_ROWS]
    if not _all_same(np.array(together)):
        notes.append(f"The models differ in prevalence, so their {AUPR} and F do not compare.")
    for reason in dict.fromkeys(skipped.values()):
        groups = [group for group, why in skipped.items() if why == reason]
        notes.append(f"Groups left out ({reason}): {several(groups)}.")
    return tuple(notes)


def _capitalised(name: str) -> str:
    return name[0].upper() + name[1:]


def _all_same(totals: Counts) -> bool:
    # Sums of weights that were added in another order differ in their last bits.
    return bool(np.ptp(totals) <= ROUNDING * totals.max())


def _place(entry: Entry) -> str:
    return entry.model if entry.group == ALL_ROWS else f"{entry.model} in {entry.group}"
