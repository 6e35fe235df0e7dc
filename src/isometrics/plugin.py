"""The plug-in rule: where calibrated probabilities would have F_β cut, and what that costs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from isometrics.decide import best_threshold
from isometrics.decision import decision_at
from isometrics.inputs import refuse_other_than_probabilities
from isometrics.parameters import clean_beta
from isometrics.printing import html_table, number, text_table
from isometrics.spaces.pr import f_weights
from isometrics.values import Value

if TYPE_CHECKING:
    from isometrics.decision import Decision
    from isometrics.points import OperatingPoints


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class PlugIn(Value):
    """The decision of the plug-in rule beside the best one.

    Attributes
    ----------
    threshold
        F*/(1+β²), where F* is the best F_β of the table.
    plug_in, best
        The decision at that threshold, and the one that the hull gives.
    """

    threshold: float
    plug_in: Decision
    best: Decision

    @property
    def agrees(self) -> bool:
        """Whether both predict the same positives."""
        return (self.plug_in.tp, self.plug_in.fp) == (self.best.tp, self.best.fp)

    @property
    def lost(self) -> float:
        """The F_β that the plug-in rule gives away, ≥ 0."""
        return self.best.f - self.plug_in.f

    def _title(self) -> str:
        verdict = (
            "agrees with the hull" if self.agrees else f"loses {number(self.lost)} to the hull"
        )
        return f"PlugIn: threshold {number(self.threshold)} for {self.best.objective} {verdict}"

    def _columns(self) -> dict[str, list[object]]:
        rules = (self.plug_in, self.best)
        names = ("threshold", "tp", "fp", "precision", "recall", "f")
        return {"rule": ["plug-in", "hull"]} | {
            name: [getattr(rule, name) for rule in rules] for name in names
        }

    def __repr__(self) -> str:
        """Return both decisions as a table."""
        return text_table(self._title(), self._columns())

    def _repr_html_(self) -> str:
        """Return the same for notebooks."""
        return html_table(self._title(), self._columns())


def plug_in_threshold(pts: OperatingPoints, beta: float = 1.0) -> PlugIn:
    """Return the threshold that is best for F_β if the scores are calibrated probabilities.

    A disagreement with the hull says that the scores are not calibrated where it matters, or
    that the sample is small; it is no proof of either.

    Parameters
    ----------
    pts
        A table with a row for every score, scores between 0 and 1.
    beta
        The β, ``inf`` included.

    Notes
    -----
    With calibrated probabilities the rule that maximises the expected F_β predicts positive from
    the probability F*/(1+β²) on, where F* is the maximum itself (Zhao et al. 2013; Lipton et al.
    2014 for β = 1: half of the best F₁). Here F* is the best F_β of this table.

    Examples
    --------
    >>> import isometrics as iso
    >>> from isometrics.plugin import plug_in_threshold
    >>> labels, scores = [1, 0, 1, 1, 0, 0, 1, 0], [0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2]
    >>> plug_in_threshold(iso.OperatingPoints.from_scores(labels, scores))
    PlugIn: threshold 0.375 for F (β 1) loses 0.15 to the hull
       rule  threshold  tp  fp  precision  recall     f
    plug-in      0.375   3   3        0.5    0.75   0.6
       hull        0.6   3   1       0.75    0.75  0.75
    """
    beta = clean_beta(beta)
    refuse_other_than_probabilities(pts.thresholds, "the plug-in rule")
    best = best_threshold(pts, beta=beta)
    _, precision_weight = f_weights(beta)
    threshold = best.f * precision_weight
    return PlugIn(threshold, decision_at(pts.at(threshold), 0, best.objective, beta), best)
