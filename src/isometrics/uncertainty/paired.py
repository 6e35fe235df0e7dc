"""Models compared on the same rows: differences, how probable it is that one is better."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from isometrics._core.results import ResultTable, number, told_apart
from isometrics.errors import ParameterError
from isometrics.uncertainty.intervals import Interval

if TYPE_CHECKING:
    from collections.abc import Sequence

    from isometrics._core.arrays import Floats


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Differences(ResultTable):
    """One row for each two models: how much better the first one is, and how sure that is.

    Attributes
    ----------
    measure
        What was compared.
    first, second
        The names of the two models; the first one has the higher estimate.
    difference
        The estimate of the first one minus that of the second one.
    lower, upper
        The ends of the confidence interval of the difference.
    standard_error, z, p
        The standard error of the difference, the difference in standard errors, and the p-value
        of the two-sided test that there is none, which goes with the interval: that of confidence
        1 - p just reaches 0.
    p_adjusted
        The p-values corrected for the number of pairs by Holm's method (1979).
    better
        The share of the replicates in which the first one is better, ties counted half; NaN where
        there are no replicates.
    confidence_level
        The confidence of the intervals, of each row by itself.
    replicates
        The number of replicates that `better` was counted in; 0 if none.
    higher_is_better
        Whether a model can be better by the measure; a threshold only lies higher.
    """

    measure: str
    first: tuple[str, ...]
    second: tuple[str, ...]
    difference: Floats
    lower: Floats
    upper: Floats
    standard_error: Floats
    z: Floats
    p: Floats
    p_adjusted: Floats
    better: Floats
    confidence_level: float
    replicates: int
    higher_is_better: bool = True

    def sentence(self, first: str | None = None, second: str | None = None) -> str:
        """Say how sure it is that one model is better; by default of the pair in the first row.

        Of a measure by which no model is better, such as a threshold, say how much it differs.

        Examples
        --------
        >>> import numpy as np
        >>> import isometrics as iso
        >>> rng = np.random.default_rng(5)
        >>> labels = np.arange(300) < 60
        >>> scores = {"A": rng.normal(1.6 * labels), "B": rng.normal(1.0 * labels)}
        >>> result = iso.bootstrap(labels, scores, random_state=1)
        >>> said, how_much = result.differences("AUROC").sentence().split(": ")
        >>> print(said)
        A is better than B by AUROC with probability 99.9%
        >>> print(how_much)
        0.128 higher, 95% interval 0.036 to 0.214.
        """
        row, turned = self._row(first, second)
        names = (self.first[row], self.second[row])
        ahead, behind = names[::-1] if turned else names
        sign = -1 if turned else 1
        gap = sign * float(self.difference[row])
        ends = sorted((sign * float(self.lower[row]), sign * float(self.upper[row])))
        size, low, high = told_apart([abs(gap), *ends], 3, beside=(0.0,))
        how_much = f"{size} {'higher' if gap >= 0 else 'lower'}"
        interval = f"{percent(self.confidence_level)} interval {low} to {high}"
        if not self.higher_is_better:
            return f"The {self.measure} of {ahead} is {how_much} than that of {behind}, {interval}."
        chance = float(self.better[row])
        if not np.isnan(chance):
            said = (
                f"better than {behind} by {self.measure} with {self._probability(chance, turned)}"
            )
        else:
            relation = "better than" if gap > 0 else "worse than" if gap < 0 else "as good as"
            said = f"{relation} {behind} by {self.measure}"
        return f"{ahead} is {said}: {how_much}, {interval}."

    def _probability(self, better: float, turned: bool) -> str:
        share = 1 - better if turned else better
        return f"probability {percent_of_replicates(share, self.replicates)}"

    def _row(self, first: str | None, second: str | None) -> tuple[int, bool]:
        if first is None and second is None:
            return 0, False
        pairs = list(zip(self.first, self.second, strict=True))
        for turned, wanted in ((False, (first, second)), (True, (second, first))):
            if wanted in pairs:
                return pairs.index(wanted), turned
        names = ", ".join(sorted({repr(name) for pair in pairs for name in pair}))
        raise ParameterError(
            f"first and second must be two of the models {names} but are {first!r} and {second!r}"
        )

    def __len__(self) -> int:
        """Return the number of pairs."""
        return len(self.first)

    def _title(self) -> str:
        return f"Differences: {self.measure} of {len(self)} pair{'s' * (len(self) != 1)} of models"

    def _columns(self) -> dict[str, Any]:
        return self._named(
            "first",
            "second",
            "difference",
            "lower",
            "upper",
            "standard_error",
            "z",
            "p",
            "p_adjusted",
            "better",
        )

    def _shown(self) -> dict[str, Any]:
        columns = self._columns()
        if len(self) == 1:
            del columns["p_adjusted"]
        return columns


class Difference(NamedTuple):
    """One difference: value, interval, standard error, p-value, how often it is above 0."""

    gap: float
    interval: Interval
    error: float
    p: float
    better: float


def differences_of(
    measure: str,
    names: Sequence[tuple[str, str]],
    found: Sequence[Difference],
    *,
    level: float,
    replicates: int,
    higher_is_better: bool = True,
) -> Differences:
    """Return the table of differences, with z from their standard errors."""
    z = np.array([each.gap / each.error if each.error > 0 else math.nan for each in found])
    p = np.array([each.p for each in found])
    return Differences(
        measure,
        tuple(first for first, _ in names),
        tuple(second for _, second in names),
        np.array([each.gap for each in found]),
        np.array([each.interval.lower for each in found]),
        np.array([each.interval.upper for each in found]),
        np.array([each.error for each in found]),
        z,
        p,
        holm(p),
        np.array([each.better for each in found]),
        level,
        replicates,
        higher_is_better,
    )


def percent(share: float) -> str:
    """Return a share in percent, with as many digits as it takes not to claim certainty."""
    for digits in range(7):
        shown = f"{100 * share:.{digits}f}"
        if float(shown) not in (0.0, 100.0) or share in (0.0, 1.0):
            return f"{shown}%"
    return f"{number(100 * share)}%"


def percent_of_replicates(share: float, replicates: int) -> str:
    """Return a share of replicates in percent; none and all of them are only bounds."""
    if share in (0.0, 1.0):
        return f"{'above' if share else 'below'} {percent(abs(share - 1 / replicates))}"
    return percent(share)


def holm(p_values: Sequence[float] | Floats) -> Floats:
    """Return p-values corrected for their number by Holm's method (1979); NaN stays.

    Examples
    --------
    >>> from isometrics.uncertainty.paired import holm
    >>> holm([0.01, 0.04, 0.03]).tolist()
    [0.03, 0.06, 0.06]
    """
    values = np.asarray(p_values, np.float64)
    adjusted = np.full(values.shape, np.nan)
    defined = np.flatnonzero(~np.isnan(values))
    order = defined[np.argsort(values[defined], kind="stable")]
    steps = values[order] * np.arange(order.size, 0, -1)
    adjusted[order] = np.minimum(np.maximum.accumulate(steps), 1)
    return adjusted


def share_better(one: Floats, other: Floats) -> Floats:
    """Return the share of replicates, along the first axis, in which one is larger than other.

    Ties count half; replicates that are not defined are left out.
    """
    defined = ~(np.isnan(one) | np.isnan(other))
    wins = np.sum((one > other) & defined, axis=0) + np.sum((one == other) & defined, axis=0) / 2
    counted = np.sum(defined, axis=0)
    shares = np.divide(wins, counted, out=np.full(np.shape(wins), np.nan), where=counted > 0)
    return np.asarray(shares)
