"""What given thresholds do beside the best ones, and whether one rule serves all groups."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from isometrics._core.counts import parse_thresholds
from isometrics._core.parameters import parse_numbers, part_of_progress, reporting
from isometrics._core.results import ResultTable, join_names, percent
from isometrics._core.threshold_text import threshold_text
from isometrics._counting.confusion import Confusion
from isometrics._table.table import lower_scores
from isometrics.analysis.verdicts import check_clusters, contest_of_rows
from isometrics.decisions.decision import decision_of, threshold_array
from isometrics.decisions.thresholds import ALL_ROWS, Entry, decision_or_nan
from isometrics.errors import ParameterError
from isometrics.points.models import check_has_model
from isometrics.uncertainty.intervals import Interval
from isometrics.verdict.estimates import Estimate
from isometrics.verdict.judge import UNKNOWN, estimate_rules
from isometrics.verdict.sentences import shown

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
    from isometrics.verdict.contest import Options
    from isometrics.verdict.judge import RuleEstimates


_MEASURES = ("tp", "fp", "fn", "tn", "precision", "recall", "value")
_EXPECTED = ("expected", "lower", "upper")
_SHORTFALL = ("shortfall", "shortfall_lower", "shortfall_upper")


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
        by what such thresholds lose on rows left out; a given one needs no correction.
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
        best = f"the best one {self._where()} for {self.objective.label}"
        return f"ThresholdCheck: given thresholds beside {best}"

    def _where(self) -> str:
        return "of the tuning data" if self.tuned else "on these rows"

    def _columns(self) -> dict[str, Any]:
        names = {"model": list(self.names), "group": list(self.groups), "rule": list(self.rules)}
        return names | self._named("threshold", *_MEASURES, *_EXPECTED, *_SHORTFALL)

    def _shown(self) -> dict[str, Any]:
        columns = self._columns()
        columns["threshold"] = [self._text(row) for row in range(len(self))]
        hidden = {"group"} if set(self.groups) == {ALL_ROWS} else set()
        hidden |= {*_SHORTFALL, *(_EXPECTED if np.isnan(self.lower).all() else ())}
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
        model, name = join_names([self.names[row]]), self.objective.name
        given = f"At {self._text(row)}, {model} has {name} {written(self.value[row])}"
        given += self._ends(self.lower[row], self.upper[row])
        totals = (self.tp[row] + self.fn[row], self.fp[row] + self.tn[row])
        counts = Confusion(self.tp[row], self.fp[row], *totals)
        broken = [str(each) for each in self.objective.constraints if not each.met(each.of(counts))]
        given += f", without {join_names(broken)}" if broken else ""
        if math.isnan(self.value[best]):
            return f"{given}; no threshold keeps the constraints."
        where = self._where()
        if self.threshold[best] == math.inf:
            where = f"flagging nothing, which is best {where.replace('of', 'on')},"
        else:
            where = f"the best threshold {where}, {self._text(best)},"
        if math.isnan(self.expected[best]):
            return f"{given}; {where} has {written(self.value[best])}."
        ends = self._ends(self.lower[best], self.upper[best])
        return (
            f"{given}. Of {where} expect {written(self.expected[best])} on new data{ends}"
            f"{self._difference(row)}."
        )

    def _text(self, row: int) -> str:
        return threshold_text(self.threshold[row], self.next_lower[row])

    def _difference(self, row: int) -> str:
        # What differs by rounding alone is the same.
        shortfall = round(float(self.shortfall[row]), 9)
        low, high = self.shortfall_lower[row], self.shortfall_upper[row]
        if math.isnan(shortfall):
            return ""
        is_worse = shortfall < 0
        if is_worse:  # the interval is that of how much worse it is
            low, high = -high, -low
        span = "" if math.isnan(low) else f" ({written(low)} to {written(high)})"
        if shortfall == 0:
            return f", no better{span}"
        return f", {written(abs(shortfall))} {'worse' if is_worse else 'better'}{span}"

    def _ends(self, lower: float, upper: float) -> str:
        if math.isnan(lower) or self.confidence_level is None:
            return ""
        return f" ({percent(self.confidence_level)}: {written(lower)} to {written(upper)})"


def written(value: float) -> str:
    """Return a value to three digits behind the point, or to as many as tell it from 0 and 1."""
    return "undefined" if math.isnan(value) else shown(float(value), 3).replace("-", "−")


_NO_SHORTFALL = Estimate(0.0, Interval(0.0, 0.0))


def check_thresholds(
    analysis: Analysis,
    thresholds: NDArray[Any],
    objective: Objective,
    options: Options | None,
    *,
    by_group: bool = True,
    tuning: Analysis | None = None,
) -> ThresholdCheck:
    """Return what given thresholds do, beside the best one, of each model and group.

    Parameters
    ----------
    analysis
        The models.
    thresholds
        The given thresholds; there may be none.
    objective
        What the best threshold is best for.
    options
        How the rows are drawn again; None asks for no intervals. Where whole groups are drawn,
        these have no intervals of their own.
    by_group
        Add the groups.
    tuning
        Choose the best thresholds on this other analysis, over all rows, of which a budget is the
        same share as of these rows; there are no groups then.
    """
    by_group = by_group and tuning is None
    entries = list(analysis._entries(by_group))
    samples = {} if options is None else _samples(analysis, options.clusters, by_group=by_group)
    rows: list[tuple[Any, ...]] = []
    notes: dict[str, None] = {}
    with reporting(None if options is None else options.progress, "resamples") as report:
        for part, entry in enumerate(entries):
            best = _best(entry, objective, tuning)
            estimates = None
            if options is not None and not math.isnan(best.tp):
                own = options._replace(progress=part_of_progress(report, part, len(entries)))
                models = {
                    entry.model: analysis._tables_of(entry.group, as_counted=True)[entry.model]
                }
                sample = samples.get((entry.group, entry.model))
                contest = contest_of_rows(sample, models, objective, own, analysis.prevalence)
                if contest is None:
                    note = "Groups have no intervals of their own where whole groups are drawn."
                    if not own.clusters:
                        note = f"There are no intervals: {analysis._why_without_rows()}."
                    notes[note] = None
                else:
                    rules = [contest.rule_at(0, each) for each in (best.threshold, *thresholds)]
                    estimates = estimate_rules(
                        contest, rules[0], rules[1:], own, chosen_elsewhere=tuning is not None
                    )
            decisions = [_decision_at(entry.points, each, objective) for each in thresholds]
            rows += _rows(entry, best, decisions, estimates)
    level = None if options is None else options.confidence_level
    names, groups, kinds, given, *others = zip(*rows, strict=True)
    columns: Any = (threshold_array(list(given)), *map(np.array, others))
    said: Any = (" ".join(notes), tuning is not None)
    return ThresholdCheck(objective, level, names, groups, kinds, *columns, *said)


def _best(entry: Entry, objective: Objective, tuning: Analysis | None) -> Decision:
    """Return the best rule, or what the best threshold of the tuning data does on these rows."""
    if tuning is None:
        return decision_or_nan(entry.points, objective, f"{entry.model} {entry.group}")
    check_has_model("the tuning data", tuning.models, entry.model)
    asked = objective.for_rows(entry.points.positives + entry.points.negatives)
    chosen = decision_or_nan(tuning.models[entry.model], asked, f"{entry.model} tuning")
    if math.isnan(chosen.tp):
        return chosen
    here = _decision_at(entry.points, chosen.threshold, objective)
    # The text of the threshold flags the same rows of both.
    lower = lower_scores(entry.points.table, np.atleast_1d(chosen.threshold))
    return replace(here, _below=np.maximum(chosen._below, lower[0]))


def _samples(
    analysis: Analysis, clustered: bool, *, by_group: bool
) -> dict[tuple[str, str], Sample]:
    """Return the rows of each model or class by group and name, where they are known."""
    if clustered:
        check_clusters(analysis)
    found: dict[tuple[str, str], Sample] = {}
    for name in analysis.models:
        rows = analysis._rows_of(name)
        if rows is not None:
            found[ALL_ROWS, name] = rows
            if by_group and not clustered:
                found |= {(group, name): each for group, each in rows.split_by_group().items()}
    return found


def _rows(
    entry: Entry, best: Decision, given: list[Decision], estimates: RuleEstimates | None
) -> list[tuple[Any, ...]]:
    """Return the rows of one model in one group, the best one last."""
    unknown = (UNKNOWN,) * len(given)
    own, shortfalls = (unknown, unknown) if estimates is None else estimates[1:]
    found = [_row(entry, "given", *each) for each in zip(given, own, shortfalls, strict=True)]
    of_best = (UNKNOWN, UNKNOWN) if estimates is None else (estimates.best, _NO_SHORTFALL)
    return [*found, _row(entry, "best", best, *of_best)]


def _row(
    entry: Entry, rule: str, decision: Decision, estimate: Estimate, shortfall: Estimate
) -> tuple[Any, ...]:
    """Return a row in the order of the columns of a `ThresholdCheck`."""
    names = (entry.model, entry.group, rule, decision.threshold, decision._below)
    measures = (getattr(decision, name) for name in _MEASURES)
    expected = (estimate.expected, *estimate.interval)
    return (*names, *measures, *expected, shortfall.expected, *shortfall.interval)


def _decision_at(points: OperatingPoints, threshold: Any, objective: Objective) -> Decision:
    """Return what a threshold does as a decision; it was given, so it is printed exactly."""
    decision = decision_of(points.at(np.atleast_1d(threshold)).table, 0, objective)
    return replace(decision, _below=math.nan)


def parse_given(thresholds: Any) -> NDArray[Any]:
    """Check thresholds that are given: numbers, of which none is NaN."""
    numbers = parse_numbers(thresholds)
    if numbers is None or numbers.size == 0 or np.isnan(numbers).any():
        raise ParameterError(
            f"must be a number, or several, but is {thresholds!r}", parameter="threshold"
        )
    return parse_thresholds(thresholds, "threshold")
