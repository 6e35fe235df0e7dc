"""What given thresholds do, beside the best ones, with intervals where the rows are known."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np

from isometrics._core.parameters import parse_numbers
from isometrics._core.progress import part_of_progress, reporting
from isometrics._core.results import ResultTable, number, several
from isometrics._core.sample import parse_thresholds
from isometrics._core.threshold_text import threshold_text
from isometrics._counting.best_rules import Counts
from isometrics.analysis.verdicts import Request, check_clusters, contest_of_rows
from isometrics.decisions.decision import decision_of, threshold_array
from isometrics.decisions.thresholds import ALL_ROWS, Entry, decision_or_nan
from isometrics.errors import ParameterError
from isometrics.points.models import check_has_model
from isometrics.uncertainty.intervals import Interval
from isometrics.uncertainty.paired import percent
from isometrics.verdict.rule_estimates import UNKNOWN, Estimate, estimate_rules
from isometrics.verdict.without_rows import rows_of_table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from isometrics._core.arrays import Counts as CountArray
    from isometrics._core.arrays import Floats
    from isometrics._core.sample import Sample
    from isometrics.analysis.analysis import Analysis
    from isometrics.decisions.decision import Decision
    from isometrics.decisions.objective import Objective
    from isometrics.points import OperatingPoints
    from isometrics.verdict.judge import Options
    from isometrics.verdict.rule_estimates import RuleEstimates


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ThresholdCheck(ResultTable):
    """Given thresholds beside the best one, of each model and group; `Analysis.at` makes it.

    Attributes
    ----------
    objective
        What the best threshold is best for.
    confidence_level
        The confidence of the intervals; None where none were asked for.
    names, groups
        The model and the group of each row; ``"(all rows)"`` is all groups together.
    rules
        ``"given"`` or ``"best"``.
    threshold
        The threshold; NaN for the best one where none keeps the constraints.
    next_lower
        The next lower score, which the best threshold does not flag; NaN where it is not known.
    tp, fp, fn, tn, precision, recall
        The counts of the rule ``score >= threshold`` on these rows, and its measures.
    value
        The value of the objective on these rows.
    expected, lower, upper
        The value to expect on new data, with an interval. That of the best threshold is corrected
        for having been chosen on these rows; a given one needs no correction.
    shortfall, shortfall_lower, shortfall_upper
        How much better the best threshold is to be expected to be than the given one, from the same
        resamples; negative if the given one is better. Of costs, how much less it costs.
    note
        Why there are no intervals, where there are none.
    tuned
        Whether the best threshold was chosen on tuning data, so that it needs no correction.
    """

    _left: ClassVar[tuple[str, ...]] = ("model", "group", "rule")
    _most_rows: ClassVar[int] = 60

    objective: Objective
    confidence_level: float | None
    names: tuple[str, ...]
    groups: tuple[str, ...]
    rules: tuple[str, ...]
    threshold: NDArray[Any]
    next_lower: NDArray[Any]
    tp: CountArray
    fp: CountArray
    fn: CountArray
    tn: CountArray
    precision: Floats
    recall: Floats
    value: Floats
    expected: Floats
    lower: Floats
    upper: Floats
    shortfall: Floats
    shortfall_lower: Floats
    shortfall_upper: Floats
    note: str = ""
    tuned: bool = False

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self.names)

    def _title(self) -> str:
        return f"ThresholdCheck: given thresholds beside the best one for {self.objective.label}"

    def _columns(self) -> dict[str, Any]:
        names = {"model": list(self.names), "group": list(self.groups), "rule": list(self.rules)}
        counts = ("threshold", "tp", "fp", "fn", "tn", "precision", "recall", "value")
        estimates = ("expected", "lower", "upper")
        more = ("shortfall", "shortfall_lower", "shortfall_upper")
        return names | self._named(*counts, *estimates, *more)

    def _shown(self) -> dict[str, Any]:
        columns = self._columns()
        columns["threshold"] = [self._text(row) for row in range(len(self))]
        hidden = {"group"} if set(self.groups) == {ALL_ROWS} else set()
        hidden |= {"shortfall", "shortfall_lower", "shortfall_upper"}
        if np.isnan(self.lower).all():
            hidden |= {"expected", "lower", "upper"}
        return {name: column for name, column in columns.items() if name not in hidden}

    def _notes(self, shown: Any) -> Sequence[str]:  # noqa: ARG002
        return [*self.lines(), *([self.note] if self.note else [])]

    def lines(self) -> list[str]:
        """Say of each given threshold what it does over all rows, and what the best one does."""
        return [
            self._said(row)
            for row, (rule, group) in enumerate(zip(self.rules, self.groups, strict=True))
            if rule == "given" and group == ALL_ROWS
        ]

    def sentence(self) -> str:
        """Return the lines as one text."""
        return " ".join(self.lines())

    def _said(self, row: int) -> str:
        """Compare a given threshold with the best one, which is the last row of its model."""
        best = next(
            after
            for after in range(row, len(self))
            if self.rules[after] == "best" and self.names[after] == self.names[row]
        )
        model, name = several([self.names[row]]), self.objective.name
        given = f"At {self._text(row)}, {model} has {name} {shown(self.value[row])}"
        given += self._ends(self.lower[row], self.upper[row]) + self._broken(row)
        if math.isnan(self.value[best]):
            return f"{given}; no threshold keeps the constraints."
        where = "of the tuning data" if self.tuned else "here"
        if self.threshold[best] == math.inf:
            where = f"flagging nothing, which is best {where.replace('of', 'on')},"
        else:
            where = f"the best threshold {where}, {self._text(best)},"
        if math.isnan(self.expected[best]):
            return f"{given}; {where} has {shown(self.value[best])}."
        ends = self._ends(self.lower[best], self.upper[best])
        return (
            f"{given}. Of {where} expect {shown(self.expected[best])} on new data{ends}"
            f"{self._difference(row)}."
        )

    def _text(self, row: int) -> str:
        return threshold_text(self.threshold[row], self.next_lower[row])

    def _broken(self, row: int) -> str:
        """Name the constraints that a given threshold does not keep."""
        totals = (self.tp[row] + self.fn[row], self.fp[row] + self.tn[row])
        counts = Counts(self.tp[row], self.fp[row], *totals)
        broken = [str(each) for each in self.objective.constraints if not each.met(each.of(counts))]
        return f", without {several(broken)}" if broken else ""

    def _difference(self, row: int) -> str:
        shortfall = self.shortfall[row]
        low, high = self.shortfall_lower[row], self.shortfall_upper[row]
        if math.isnan(shortfall):
            return ""
        is_worse = shortfall < 0 and shown(-shortfall) != shown(0.0)
        if is_worse:  # the interval is that of how much worse it is
            low, high = -high, -low
        span = "" if math.isnan(low) else f" ({shown(low)} to {shown(high)})"
        if shown(abs(shortfall)) == shown(0.0):
            return f", no better{span}"
        return f", {shown(abs(shortfall))} {'worse' if is_worse else 'better'}{span}"

    def _ends(self, lower: float, upper: float) -> str:
        if math.isnan(lower) or self.confidence_level is None:
            return ""
        return f" ({percent(self.confidence_level)}: {shown(lower)} to {shown(upper)})"


def shown(value: float) -> str:
    """Return a value to three digits behind the point."""
    if math.isnan(value):
        return "undefined"
    text = f"{value:.3f}" if abs(value) < 10 else number(float(value))
    return text.replace("-", "−")


class _Row(NamedTuple):
    entry: Entry
    rule: str
    decision: Decision
    next_lower: float
    estimate: Estimate
    shortfall: Estimate


_NO_SHORTFALL = Estimate(0.0, Interval(0.0, 0.0))


def check_thresholds(
    analysis: Analysis,
    thresholds: NDArray[Any],
    goal: tuple[Objective, float],
    options: Options | None,
    *,
    clustered: bool = False,
    by_group: bool = True,
    tuning: Analysis | None = None,
    budget_of_tuning: bool = False,
) -> ThresholdCheck:
    """Return what given thresholds do, beside the best one, of each model and group.

    Parameters
    ----------
    analysis
        The models.
    thresholds
        The given thresholds; there may be none.
    goal
        What the best threshold is best for, and the β of the F to show.
    options
        How the rows are drawn again; None asks for no intervals.
    clustered
        Draw whole groups; these then have no intervals of their own.
    by_group
        Add the groups.
    tuning
        Choose the best thresholds on this other analysis, over all rows; there are no groups then.
    budget_of_tuning
        Whether a budget is a number of the rows of the tuning data; else it is one of these rows,
        and of the tuning data the same share may be flagged.
    """
    by_group = by_group and tuning is None
    entries = list(analysis._entries(by_group))
    samples = _samples(analysis, clustered=clustered, by_group=by_group)
    rows: list[_Row] = []
    notes = []
    with reporting(None if options is None else options.progress, "resamples") as report:
        for part, entry in enumerate(entries):
            if tuning is None:
                best = decision_or_nan(entry.points, *goal, f"{entry.model} {entry.group}")
                next_lower = _next_lower(entry.points, best.threshold)
            else:
                best, next_lower = _tuned(tuning, entry, goal, budget_of_tuning=budget_of_tuning)
            estimates = None
            if options is not None and not math.isnan(best.tp):
                own_progress = part_of_progress(report, part, len(entries))
                own_options = options._replace(progress=own_progress)
                request = Request(goal[0], own_options, clustered, None, analysis.prevalence)
                rules = [best.threshold, *thresholds]
                estimates = _estimates(
                    analysis, entry, request, rules, samples, tuned=tuning is not None
                )
                if estimates is None:
                    notes.append(_without_rows(analysis, clustered=clustered))
            given = [_decision_at_threshold(entry.points, each, goal) for each in thresholds]
            rows += _rows(entry, best, next_lower, given, estimates)
    table = _table(rows, goal[0], options, " ".join(dict.fromkeys(notes)))
    return replace(table, tuned=tuning is not None)


def _next_lower(points: OperatingPoints, threshold: Any) -> Any:
    """Return the highest score below a threshold; NaN where it is not known."""
    table = points.table
    lower = table.thresholds[table.complete & (table.thresholds < threshold)]
    return lower[0] if lower.size else math.nan


def _tuned(
    tuning: Analysis, entry: Entry, goal: tuple[Objective, float], *, budget_of_tuning: bool
) -> tuple[Decision, Any]:
    """Return what the best threshold of the tuning data does on these rows.

    With it comes the next lower score of both, so that its text flags the same rows of both.
    """
    check_has_model("the tuning data", tuning.models, entry.model)
    objective, beta = goal
    if not budget_of_tuning:
        objective = objective.for_rows(entry.points.positives + entry.points.negatives)
    chosen = decision_or_nan(tuning.models[entry.model], objective, beta, f"{entry.model} tuning")
    if math.isnan(chosen.tp):
        return chosen, math.nan
    both = (tuning.models[entry.model], entry.points)
    lower = np.max([_next_lower(each, chosen.threshold) for each in both])
    return _decision_at_threshold(entry.points, chosen.threshold, goal), lower


def _samples(
    analysis: Analysis, *, clustered: bool, by_group: bool
) -> dict[tuple[str, str], Sample]:
    """Return the rows of each model or class by group and name, where they are known."""
    if clustered:
        check_clusters(analysis)
    found: dict[tuple[str, str], Sample] = {}
    for name in analysis.models:
        rows = analysis._rows_of(name, in_groups=clustered)
        if rows is not None:
            found[ALL_ROWS, name] = rows
            if by_group and not clustered:
                found |= {(group, name): each for group, each in rows.split_by_group().items()}
    return found


def _rows(
    entry: Entry,
    best: Decision,
    next_lower: Any,
    given: list[Decision],
    estimates: RuleEstimates | None,
) -> list[_Row]:
    """Return the rows of one model in one group, the best one last."""
    unknown = (UNKNOWN,) * len(given)
    own, shortfalls = (unknown, unknown) if estimates is None else estimates[1:]
    found = [
        _Row(entry, "given", decision, math.nan, estimate, shortfall)
        for decision, estimate, shortfall in zip(given, own, shortfalls, strict=True)
    ]
    if estimates is None:
        return [*found, _Row(entry, "best", best, next_lower, UNKNOWN, UNKNOWN)]
    return [*found, _Row(entry, "best", best, next_lower, estimates.best, _NO_SHORTFALL)]


def _without_rows(analysis: Analysis, *, clustered: bool) -> str:
    if clustered:
        return "Groups have no intervals of their own where whole groups are drawn."
    return f"There are no intervals: {analysis._why_without_rows()}."


def _estimates(
    analysis: Analysis,
    entry: Entry,
    request: Request,
    thresholds: list[Any],
    samples: dict[tuple[str, str], Sample],
    *,
    tuned: bool,
) -> RuleEstimates | None:
    """Estimate the rules of one model in one group, the best one first; None without rows."""
    counted = analysis._tables_as_counted(entry.group)[entry.model]
    sample = samples.get((entry.group, entry.model))
    if sample is None and not request.clustered:
        sample = rows_of_table(entry.model, counted)
    if sample is None:
        return None
    contest = contest_of_rows(sample, {entry.model: counted}, request)
    scores = contest.tables[0].thresholds[1:]
    rules = [int(np.searchsorted(-scores, -each, "right")) for each in thresholds]
    return estimate_rules(contest, rules[0], rules[1:], request.options, chosen_elsewhere=tuned)


def _decision_at_threshold(
    points: OperatingPoints, threshold: Any, goal: tuple[Objective, float]
) -> Decision:
    """Return what a threshold does as a decision."""
    objective, beta = goal
    table = points.at(np.atleast_1d(threshold)).table
    counts = Counts(table.tp[0], table.fp[0], table.positives, table.negatives)
    return decision_of(table, 0, objective.label, float(objective.value(counts)), beta)


def _table(
    rows: list[_Row], objective: Objective, options: Options | None, note: str
) -> ThresholdCheck:
    measures = ("tp", "fp", "fn", "tn", "precision", "recall", "value")
    decisions = [row.decision for row in rows]
    columns = [np.array([getattr(each, name) for each in decisions]) for name in measures]
    for kind in ("estimate", "shortfall"):
        found = [getattr(row, kind) for row in rows]
        columns.append(np.array([each.expected for each in found]))
        columns += list(np.array([each.interval for each in found]).T.copy())
    given: Any = columns
    check = ThresholdCheck(
        objective,
        None if options is None else options.confidence_level,
        tuple(row.entry.model for row in rows),
        tuple(row.entry.group for row in rows),
        tuple(row.rule for row in rows),
        threshold_array([each.threshold for each in decisions]),
        np.array([row.next_lower for row in rows]),
        *given,
    )
    return replace(check, note=note)


def parse_given(thresholds: Any) -> NDArray[Any]:
    """Check thresholds that are given: numbers, of which none is NaN."""
    numbers = parse_numbers(thresholds)
    if numbers is None or numbers.size == 0 or np.isnan(numbers).any():
        raise ParameterError(
            f"must be a number, or several, but is {thresholds!r}", parameter="threshold"
        )
    return parse_thresholds(thresholds, "threshold")
