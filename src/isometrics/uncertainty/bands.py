"""Bands around curves, and how probable it is at each place that one model is better."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from isometrics.errors import NotAnswerableError
from isometrics.parameters import clean_choice, clean_confidence, clean_lambdas
from isometrics.results import ResultTable
from isometrics.uncertainty.paired import percent, share_better

if TYPE_CHECKING:
    from isometrics.aliases import Floats

FEWEST = 5
"""Rows that must decide about a curve for its replicates to tell how it varies."""

SPACES = ("roc", "pr", "prg", "tradeoff")
KINDS = ("pointwise", "simultaneous")

AXES = {
    "roc": ("false_positive_rate", "true_positive_rate"),
    "pr": ("recall", "precision"),
    "prg": ("recall_gain", "precision_gain"),
    "tradeoff": ("lambda", "value"),
}


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Band(ResultTable):
    """A curve with a confidence band.

    Attributes
    ----------
    space
        ``"roc"``, ``"pr"``, ``"prg"`` or ``"tradeoff"``.
    model
        The name of the model, ``""`` if it has none.
    kind
        ``"pointwise"``: at each x the interval of the curve's height there. ``"simultaneous"``:
        the whole curve lies in the band with this confidence. ``"folds"``: between folds.
    confidence_level
        The confidence.
    x, estimate, lower, upper
        Places on the first axis, the height of the curve there, and the ends of the band; NaN
        where fewer than five rows decide about the curve, so that resampling cannot tell.
    index
        The index in tradeoff space, else ``""``.
    """

    space: str
    model: str
    kind: str
    confidence_level: float
    x: Floats
    estimate: Floats
    lower: Floats
    upper: Floats
    index: str = ""

    def _title(self) -> str:
        whose = f" of {self.model}" if self.model else ""
        return (
            f"Band: {self.kind}, {percent(self.confidence_level)}, {self.space} curve{whose}, "
            f"{self.x.size} places"
        )

    def _columns(self) -> dict[str, Any]:
        x, y = AXES[self.space]
        return {x: self.x, y: self.estimate, "lower": self.lower, "upper": self.upper}


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class BetterCurve(ResultTable):
    """For each weight λ of recall, how probable it is that one model is better than another.

    Attributes
    ----------
    first, second
        The two models.
    index
        The index they are compared by.
    lambda_, beta
        The weight of recall, and the same as β.
    difference
        The best value of the first model minus that of the second one.
    better
        The share of the replicates in which the first one is better, ties counted half.
    """

    first: str
    second: str
    index: str
    lambda_: Floats
    beta: Floats
    difference: Floats
    better: Floats

    def at(self, lam: float) -> float:
        """Return the probability at the nearest λ of the table."""
        weight = float(clean_lambdas(lam))
        return float(self.better[np.argmin(np.abs(self.lambda_ - weight))])

    def _title(self) -> str:
        return f"BetterCurve: {self.first} better than {self.second} by {self.index}"

    def _columns(self) -> dict[str, Any]:
        return {
            "lambda": self.lambda_,
            "beta": self.beta,
            "difference": self.difference,
            "better": self.better,
        }


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class CurveReplicates(ResultTable):
    """The curves of bootstrap replicates at fixed places; `band` makes bands of them.

    Attributes
    ----------
    space, index
        The space, and in tradeoff space the name of the index.
    models
        The names of the models.
    x
        The places on the first axis.
    estimates
        The height of each model's curve there.
    replicates
        The heights of the replicates, by model, replicate and place; NaN where not defined.
    rows
        How many rows decide about each height: the fewest among true positives, false positives
        and false negatives there.
    confidence_level
        The confidence of bands unless another one is asked for.
    """

    space: str
    index: str
    models: tuple[str, ...]
    x: Floats
    estimates: Floats
    replicates: Floats
    rows: Floats
    confidence_level: float

    def band(
        self,
        model: str | None = None,
        *,
        kind: str = "pointwise",
        confidence_level: float | None = None,
    ) -> Band:
        """Return a confidence band of a model's curve.

        Parameters
        ----------
        model
            The name of the model; of one alone it need not be given.
        kind
            ``"pointwise"`` or ``"simultaneous"``.
        confidence_level
            The confidence.

        Notes
        -----
        Where the curve is decided by fewer than five rows, as at the ends of the axes, the
        replicates hardly move and would make the band far too narrow; there it is NaN. Pointwise
        bands are percentile intervals. A simultaneous band lies between the k-th lowest
        and the k-th highest replicate at every place, with the largest k for which so many
        replicates as asked for lie wholly inside (Davison & Hinkley 1997, section 4.2.4). It needs
        no transformation and never leaves the range of the curves.
        """
        clean_choice(kind, "kind", KINDS)
        level = clean_confidence(
            self.confidence_level if confidence_level is None else confidence_level
        )
        row = self._row(model)
        curves = self.replicates[row]
        curves = curves[~np.isnan(curves).any(axis=1)]
        if len(curves) < 2:
            raise NotAnswerableError("a band needs two replicates or more that are defined")
        told = np.flatnonzero(self.rows[row] >= FEWEST)
        ends = np.full((2, self.x.size), np.nan)
        if kind == "pointwise":
            tail = (1 - level) / 2
            ends[:, told] = np.quantile(curves[:, told], [tail, 1 - tail], axis=0)
        else:
            ends[:, told] = _envelope(curves[:, told], level)
        return Band(
            self.space,
            self.models[row],
            kind,
            level,
            self.x.copy(),
            self.estimates[row].copy(),
            ends[0],
            ends[1],
            self.index,
        )

    def better(self, first: str, second: str) -> BetterCurve:
        """Return, for each λ, the probability that one model is better than another.

        In tradeoff space only, where the height of a curve is the best value that a model reaches
        at that λ. β is the same weight on another scale, λ = β²/(1+β²).
        """
        if self.space != "tradeoff":
            raise NotAnswerableError(
                f"curves in {self.space} space have no weight of recall; ask for space='tradeoff'"
            )
        one, other = self._row(first), self._row(second)
        with np.errstate(divide="ignore"):
            beta = np.sqrt(self.x / (1 - self.x))
        return BetterCurve(
            self.models[one],
            self.models[other],
            self.index,
            self.x.copy(),
            beta,
            self.estimates[one] - self.estimates[other],
            share_better(self.replicates[one], self.replicates[other]),
        )

    def _row(self, model: str | None) -> int:
        if model is None and len(self.models) == 1:
            return 0
        return self.models.index(clean_choice(model, "model", self.models))  # type: ignore[arg-type]

    def _title(self) -> str:
        return (
            f"CurveReplicates: {self.replicates.shape[1]} replicates in {self.space} space at "
            f"{self.x.size} places"
        )

    def _columns(self) -> dict[str, Any]:
        names = [name or "estimate" for name in self.models]
        return {AXES[self.space][0]: self.x} | dict(zip(names, self.estimates, strict=True))


def _envelope(curves: Floats, level: float) -> tuple[Floats, Floats]:
    """Return the narrowest pair of order statistics that holds enough curves entirely."""
    ordered = np.sort(curves, axis=0)
    depth = np.full(len(curves), len(curves))
    for place in range(curves.shape[1]):
        column, heights = ordered[:, place], curves[:, place]
        from_below = np.searchsorted(column, heights, "right")
        from_above = len(curves) - np.searchsorted(column, heights, "left")
        depth = np.minimum(depth, np.minimum(from_below, from_above))
    # The k-th lowest and k-th highest hold the curves of depth k or more.
    needed = int(np.ceil(level * len(curves)))
    k = int(np.sort(depth)[len(curves) - needed])
    return ordered[k - 1], ordered[-k]
