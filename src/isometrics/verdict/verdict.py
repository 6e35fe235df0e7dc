"""The verdict: a chosen model and threshold, what to expect of it, and how sure the choice is."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, field
from html import escape
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from isometrics._core.files import number_or_null
from isometrics._core.results import ResultTable, Value, text_table, to_frame
from isometrics.uncertainty.intervals import UNDEFINED, Interval
from isometrics.verdict import sentences

if TYPE_CHECKING:
    from typing import Self

    from isometrics._core.arrays import Floats
    from isometrics.decisions.decision import Decision
    from isometrics.decisions.objective import Constraint, Objective
    from isometrics.verdict.estimates import Estimate

SCHEMA = "isometrics/verdict-1"
"""The name of the form that `Verdict.to_json` writes; docs/verdict.md describes it."""


@dataclass(frozen=True, slots=True, eq=False)
class KeptConstraint(Value):
    """How a choice keeps one constraint.

    Attributes
    ----------
    constraint
        The constraint in words.
    level
        What was asked for.
    here
        The quantity on these rows.
    expected, interval
        What to expect of it on new data, with an interval.
    missed
        The chance that the level is missed on new data, in the population; with a guarantee the
        most that it can be.
    is_limit
        Whether the level is the highest that is allowed, not the lowest.
    guarantee
        The probability with which the level is proven to be kept; None if it is estimated.
    """

    constraint: str
    level: float
    here: float
    expected: float
    interval: Interval
    missed: float
    is_limit: bool = False
    guarantee: float | None = None

    @classmethod
    def of(
        cls, constraint: Constraint, here: float, expected: float, interval: Interval, missed: float
    ) -> Self:
        """Return how a constraint is kept; what is estimated of a share is one, too."""
        expected, low, high = np.clip((expected, *interval), 0.0, 1.0).tolist()
        words, level, ends = str(constraint), constraint.level, Interval(low, high)
        return cls(words, level, here, expected, ends, missed, constraint.is_limit)


class ModelValue(NamedTuple):
    """What to expect of a model with its own threshold, and its value on these rows.

    All models are corrected in the same way, so that they can be compared: of another model so much
    less is to be expected than of the chosen one as it is behind in the resamples. With tuning data
    the threshold is the one that was chosen there, and both values are the same.
    """

    name: str
    threshold: float
    here: float
    expected: float
    interval: Interval

    @classmethod
    def of_gains(
        cls, name: str, threshold: float, objective: Objective, here: float, gain: Estimate
    ) -> Self:
        """Return the values of a model, in the user's unit; the threshold is NaN without one."""
        value = objective.value_of_gain
        # The lower end first, also of costs.
        ends = Interval(*sorted(map(value, gain.interval)))
        known = math.nan if math.isnan(here) else threshold
        return cls(name, known, value(here), value(gain.expected), ends)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class OtherWeights(ResultTable):
    """How often each model wins when recall has another weight.

    Attributes
    ----------
    lam
        The weights λ of recall; for a cost, the share of a miss in the cost of both errors.
    beta
        The same weights as β = √(λ/(1-λ)).
    models
        The names of the models.
    shares
        The share of the replicates in which each model (second axis) wins at each weight.
    """

    lam: Floats
    beta: Floats
    models: tuple[str, ...]
    shares: Floats

    def __len__(self) -> int:
        """Return the number of weights."""
        return len(self.lam)

    def _title(self) -> str:
        return "OtherWeights: the share of resamples that each model wins, by the weight of recall"

    def _columns(self) -> dict[str, Any]:
        shares = {f"{name} wins": self.shares[:, i] for i, name in enumerate(self.models)}
        return {"lam": self.lam, "beta": self.beta} | shares


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Verdict(Value):
    """Which model, which threshold, how sure; `Analysis.verdict` makes it.

    Attributes
    ----------
    objective
        What the rule was chosen for.
    decision
        The rule that was chosen for new data, with its counts, its measures and its value on these
        rows, on which another rule may be better: `Analysis.thresholds` has the best ones there.
    expected, interval
        The value to expect on new data: corrected for the choice of the model and of the
        threshold. NaN where rows are not known.
    confidence_level
        The confidence of all intervals.
    kept
        How the constraints are kept.
    wins
        The share of the resamples in which each model wins with its own best threshold there; with
        tuning data, with the threshold that was chosen there.
    runner_up, lead, lead_interval
        The model with the best expected value of the others, and how much better that of the
        chosen one is; of costs per row, divided by the sum of both costs, so that their unit does
        not matter.
    confidence_set
        The models that cannot be told apart from the best one. The chosen one is not among them
        where these rows speak against what was chosen on tuning data.
    barely_told_apart
        Whether another `random_state` may well tell other models apart.
    threshold_range
        Where the threshold fell in 95% of the resamples; not a confidence interval.
    plateau
        The connected range of thresholds of this model that reach 99% of the value, or cost at
        most 1% more.
    doing_nothing
        The values of flagging everything, nothing, and as many rows at random; NaN where they are
        not defined.
    better_than_nothing
        Whether the choice is better than the best of flagging everything and nothing, beyond
        chance; None where that is not known.
    barely_better
        Whether another `random_state` may well say otherwise of that.
    other_weights
        How often each model wins at other weights of recall; None where that is not known.
    beta_range
        The β in which the chosen model wins in 95% of the resamples; NaN where it does not, or is
        not told apart from all others.
    warnings
        What to beware of, in plain words.
    method
        How the expected value was found, in words.
    rows, positives
        The numbers of rows and of positives, as they were counted.
    replicates
        The number of resamples; 0 if none.
    models
        The values of all models; empty where rows are not known.
    groups
        The verdict for each group by itself.
    guarantee
        The probability with which the choice is proven to keep all constraints; None if they are
        kept on these rows only, or `sure` asked for a margin.
    """

    objective: Objective
    decision: Decision
    expected: float = math.nan
    interval: Interval = UNDEFINED
    confidence_level: float = 0.95
    kept: tuple[KeptConstraint, ...] = ()
    wins: dict[str, float] = field(default_factory=dict)
    runner_up: str | None = None
    lead: float = math.nan
    lead_interval: Interval = UNDEFINED
    confidence_set: tuple[str, ...] = ()
    barely_told_apart: bool = False
    threshold_range: Interval = UNDEFINED
    plateau: Interval = UNDEFINED
    doing_nothing: dict[str, float] = field(default_factory=dict)
    better_than_nothing: bool | None = None
    barely_better: bool = False
    other_weights: OtherWeights | None = None
    beta_range: Interval = UNDEFINED
    warnings: tuple[str, ...] = ()
    method: str = ""
    rows: int = 0
    positives: int = 0
    replicates: int = 0
    models: tuple[ModelValue, ...] = ()
    groups: dict[str, Verdict] = field(default_factory=dict)
    guarantee: float | None = None
    _rows_alone: bool = field(default=False, compare=False)
    """Whether single rows were drawn and dealt out at random, as the page can do it."""
    _of_class: bool = field(default=False, compare=False)
    """Whether it is about a class of one classifier, which has no rivals."""
    _tuned: bool = field(default=False, compare=False)
    """Whether model and threshold were chosen on tuning data."""

    @property
    def model(self) -> str:
        """The chosen model."""
        return str(self.decision.origin.model)

    @property
    def threshold(self) -> float:
        """The threshold from which on its scores are flagged."""
        return self.decision.threshold

    @property
    def threshold_text(self) -> str:
        """The shortest decimal that flags the same rows as the threshold."""
        return self.decision.threshold_text

    @property
    def value(self) -> float:
        """F, the index or the cost per row on these rows, on which the rule was chosen."""
        return self.decision.value

    def sentence(self) -> str:
        """Say which model, which threshold and how sure, in two or three sentences."""
        return sentences.answer(self)

    def lines(self) -> list[str]:
        """Return the answer and all that belongs to it, one sentence or more to a line."""
        return sentences.lines(self)

    def _columns(self) -> dict[str, Any]:
        rows = [_flat(verdict) for verdict in (self, *self.groups.values())]
        names = ["(all rows)", *self.groups]
        columns: dict[str, Any] = {"group": names} if self.groups else {}
        return columns | {name: [row[name] for row in rows] for name in rows[0]}

    def to_frame(self, library: str | None = None) -> Any:
        """Return one row for the verdict, and one for each group, as a data frame.

        Parameters
        ----------
        library
            ``"pandas"``, ``"polars"`` or ``"pyarrow"``; by default the first one installed.
        """
        return to_frame(self._columns(), library)

    def to_dict(self) -> dict[str, Any]:
        """Return all that JSON can hold, as docs/verdict.md describes it; NaN is None."""
        weights = self.other_weights
        found: dict[str, Any] = {
            "schema": SCHEMA,
            "sentence": self.sentence(),
            "objective": str(self.objective),
            **self._of("model", "threshold", "threshold_text"),
            "counts": {name: getattr(self.decision, name) for name in ("tp", "fp", "fn", "tn")},
            "precision": self.decision.precision,
            "recall": self.decision.recall,
            **self._of("value", "expected", "interval", "confidence_level"),
            "constraints": [
                {
                    name: getattr(each, name)
                    for name in ("constraint", "level", "here", "expected", "interval", "missed")
                }
                for each in self.kept
            ],
            "guarantee": self.guarantee,
            "models": [
                dict(
                    zip(("model", "threshold", "value", "expected", "interval"), each, strict=True)
                )
                for each in self.models
            ],
            **self._of("wins", "runner_up", "lead", "lead_interval", "confidence_set"),
            **self._of("barely_told_apart", "threshold_range", "plateau", "doing_nothing"),
            **self._of("better_than_nothing", "barely_better", "beta_range"),
            "other_weights": weights
            and {
                "lam": weights.lam.tolist(),
                "wins": dict(zip(weights.models, weights.shares.T.tolist(), strict=True)),
            },
            **self._of("warnings", "method", "rows", "positives", "replicates"),
        }
        if self.groups:
            found["groups"] = {name: each.to_dict() for name, each in self.groups.items()}
        cleaned: dict[str, Any] = _for_json(found)
        return cleaned

    def _of(self, *names: str) -> dict[str, Any]:
        """Return attributes by name."""
        return {name: getattr(self, name) for name in names}

    def to_json(self) -> str:
        """Return the same as JSON text."""
        return json.dumps(self.to_dict(), ensure_ascii=False, allow_nan=False, indent=2)

    def __repr__(self) -> str:
        """Return the answer, and below it what it stands on."""
        lines = self.lines()
        if self.groups:
            table = text_table("By group:", self._by_group(), left=("group", "model"), most=60)
            lines += ["", table]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        """Return the same for notebooks."""
        first, *others = self.lines()
        said = f"<p><strong>{escape(first)}</strong></p>"
        said += "".join(f"<p>{escape(line)}</p>" for line in others)
        for name, each in self.groups.items():
            said += f"<p>{escape(name)}: {escape(each.sentence())}</p>"
        return said

    def _by_group(self) -> dict[str, Any]:
        each = list(self.groups.values())
        return {
            "group": list(self.groups),
            "model": [verdict.model for verdict in each],
            "threshold": [verdict.threshold_text for verdict in each],
            "expected": [verdict.expected for verdict in each],
            "lower": [verdict.interval.lower for verdict in each],
            "upper": [verdict.interval.upper for verdict in each],
            "here": [verdict.value for verdict in each],
            "rows": [verdict.rows for verdict in each],
            "positives": [verdict.positives for verdict in each],
        }


def _for_json(value: Any) -> Any:
    """Return the same with lists for tuples and None for NaN; infinities become text."""
    if isinstance(value, dict):
        return {key: _for_json(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_for_json(each) for each in value]
    return number_or_null(value) if isinstance(value, float) else value


def _flat(verdict: Verdict) -> dict[str, Any]:
    """Return the single numbers and texts of a verdict as columns of a table."""
    decision = verdict.decision
    return {
        "objective": str(verdict.objective),
        **verdict._of("model", "threshold", "value", "expected"),
        **verdict.interval._asdict(),
        "precision": decision.precision,
        "recall": decision.recall,
        **verdict._of("runner_up", "lead", "barely_told_apart"),
        **verdict._of("better_than_nothing", "barely_better"),
        **{name: getattr(decision, name) for name in ("tp", "fp", "fn", "tn")},
        "confidence_set": ", ".join(verdict.confidence_set),
        **verdict._of("rows", "positives", "replicates"),
        "sentence": verdict.sentence(),
    }
