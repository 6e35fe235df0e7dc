"""The weighted indices: one number from precision, recall and the weight λ of recall."""

from __future__ import annotations

import inspect
from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from isometrics._core.parameters import (
    check_level,
    check_number,
    check_prevalence,
    check_size,
    parse_lambdas,
    parse_values,
)
from isometrics._counting.confusion import Confusion
from isometrics.errors import ParameterError

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import ArrayLike, NDArray

    from isometrics._core.arrays import Counts, Floats, Total


_ISOLINE_BISECTIONS = 60
_ROUNDING = 1e-12

_TOLERANCE = 1e-9
"""How far a function that should rise may fall by its own rounding."""

_EIGHTHS = (0.125, 0.25, 0.375, 0.5, 0.625, 0.75, 0.875)
"""Quadrature on each eighth of the range of λ does not miss a narrow peak."""

_MAX_ERROR = 1e-8
"""The largest accepted error of an area; most are below 1e-12."""


class WeightedIndex(ABC):
    """A performance index with a weight λ of recall; 1-λ is the weight of precision.

    Attributes
    ----------
    name
        The name that options accept.
    needs_prevalence
        Whether it depends on the prevalence besides precision and recall.
    rises_with_recall
        Whether it never falls when recall rises at the same precision. The cost may: more
        predicted positives of the same precision include more false positives.
    """

    __slots__ = ()

    name: str
    needs_prevalence: bool = False
    rises_with_recall: bool = True

    @abstractmethod
    def of_rows(self, rows: Confusion, lam: Floats) -> Floats:
        """Return the index of points that have true positives."""

    @abstractmethod
    def areas(self, rows: Confusion, lo: Floats, hi: Floats) -> Floats:
        """Return the area under the curve of each point from lo to hi."""

    def value(
        self,
        precision: ArrayLike,
        recall: ArrayLike,
        lam: ArrayLike,
        prevalence: float | None = None,
    ) -> float | Floats:
        """Return the index of a precision and a recall at a weight of recall.

        Parameters
        ----------
        precision, recall
            Numbers or arrays between 0 and 1.
        lam
            The weight of recall, between 0 and 1.
        prevalence
            The share of positives, for an index that depends on it.
        """
        rates = np.broadcast_arrays(_rates(precision, "precision"), _rates(recall, "recall"))
        weights = parse_lambdas(lam)
        values = self._of_rates(rates[0], rates[1], weights, self._prevalence(prevalence))
        return float(values) if values.ndim == 0 else values

    def _of_rates(
        self, precision: Floats, recall: Floats, lam: Floats, prevalence: float
    ) -> Floats:
        """Return the index of rates, by counts that have them."""
        return self.of_rows(Confusion.of_rates(precision, recall, prevalence), lam)

    def isoline(
        self, value: float, lam: float, *, prevalence: float | None = None, size: int = 200
    ) -> tuple[Floats, Floats]:
        """Return the points of PR space where the index has a value, as recalls and precisions.

        Half of the points are evenly spaced in recall and half in precision, so that flat and
        steep sections are both smooth. They are ordered by rising recall.

        Parameters
        ----------
        value
            The value of the index.
        lam
            The weight of recall.
        prevalence
            The share of positives, for an index that depends on it.
        size
            The largest number of points; none where no point has that value.

        Examples
        --------
        >>> from isometrics.spaces.indices import index_named
        >>> recall, precision = index_named("kulczynski").isoline(0.5, 0.5, size=6)
        >>> recall + precision
        array([1., 1., 1., 1., 1., 1.])
        """
        value, weight = check_number(value, "value"), np.asarray(check_level(lam, "lam"))
        share = self._prevalence(prevalence)

        def index_of(precision: Floats, recall: Floats) -> Floats:
            return self.of_rows(Confusion.of_rates(precision, recall, share), weight)

        grid = np.linspace(0, 1, check_size(size) // 2 + 1)[1:]
        precisions = self._solve(lambda precision: index_of(precision, grid), value, grid.size)
        recalls = np.full(grid.size, np.nan)
        if self.rises_with_recall:
            recalls = self._solve(lambda recall: index_of(grid, recall), value, grid.size)
        x, y = np.concatenate([grid, recalls]), np.concatenate([precisions, grid])
        solved = np.flatnonzero(np.isfinite(x) & np.isfinite(y))
        order = solved[np.lexsort((-y[solved], x[solved]))]
        return x[order], y[order]

    @staticmethod
    def _solve(function: Callable[[Floats], Floats], value: float, size: int) -> Floats:
        """Return where rising functions reach a value between 0 and 1; NaN where they do not."""
        low, high = np.full(size, 2.0**-_ISOLINE_BISECTIONS), np.ones(size)
        # Rounding must not lose the end of a line on a border of the square.
        reached = (function(low) <= value + _ROUNDING) & (function(high) >= value - _ROUNDING)
        for _ in range(_ISOLINE_BISECTIONS):
            middle = (low + high) / 2
            below = function(middle) < value
            low, high = np.where(below, middle, low), np.where(below, high, middle)
        return np.where(reached, high, np.nan)

    def _prevalence(self, prevalence: float | None) -> float:
        if prevalence is not None:
            return check_prevalence(prevalence)
        if self.needs_prevalence:
            raise ParameterError(f"index {self.name!r} needs prevalence=, the share of positives")
        return 0.5

    def __repr__(self) -> str:
        """Return the name."""
        return f"<index {self.name!r}>"


def _rates(rates: ArrayLike, name: str) -> Floats:
    return parse_values(
        rates, name, lambda array: (array >= 0) & (array <= 1), "numbers between 0 and 1"
    )


class _RateIndex(WeightedIndex):
    """An index of precision and recall, whatever counts they come from: `_of_rates` has it."""

    __slots__ = ()

    def of_rows(self, rows: Confusion, lam: Floats) -> Floats:
        """Return the index of points that have true positives."""
        return self._of_rates(rows.precision, rows.recall, np.asarray(lam), rows.prevalence)


class ClosedIndex(WeightedIndex):
    """An index whose crossings and areas have closed forms."""

    __slots__ = ()

    has_empty_rule: bool = False
    """Whether the index is defined for the empty rule, which then is a point like any other."""

    def __eq__(self, other: object) -> bool:
        """Compare by class: these indices have no parameters."""
        return type(self) is type(other) or NotImplemented

    def __hash__(self) -> int:
        """Hash by class."""
        return hash(type(self))

    @abstractmethod
    def meeting(self, first: Confusion, second: Confusion) -> Floats:
        """Return the λ in [0, 1] at which the curves of two points meet; NaN if there is none."""

    def coordinates(self, rows: Confusion) -> tuple[Floats, Floats] | None:  # noqa: ARG002
        """Return coordinates whose hull is the envelope; None if it is the hull of counts."""
        return None

    def crossing(self, first: Confusion, second: Confusion, lo: Floats, hi: Floats) -> Floats:
        """Return the λ in [lo, hi] at which the curves of two points meet; NaN if there is none."""
        lam = self.meeting(first, second)
        with np.errstate(invalid="ignore"):
            return np.where((lam >= lo) & (lam <= hi), lam, np.nan)


class _LinearIndex(ClosedIndex):
    """An index that is linear in λ."""

    __slots__ = ()

    def areas(self, rows: Confusion, lo: Floats, hi: Floats) -> Floats:
        """Return the area under the curve of each point from lo to hi."""
        return np.asarray((hi - lo) * self.of_rows(rows, (lo + hi) / 2))


class Kulczynski(_RateIndex, _LinearIndex):
    """λ·recall + (1-λ)·precision."""

    __slots__ = ()

    name = "kulczynski"

    def _of_rates(self, precision: Floats, recall: Floats, lam: Floats, _: float) -> Floats:
        return np.asarray(lam * recall + (1 - lam) * precision)

    def meeting(self, first: Confusion, second: Confusion) -> Floats:
        """(p₁-p₂)/((p₁-p₂) + (r₂-r₁))."""
        rise, fall = exact_steps(first, second)
        squared_positives = _exact(first.positives) ** 2
        predicted = [fractions(rows.tp) + fractions(rows.fp) for rows in (first, second)]
        return share(fall * squared_positives, rise * (predicted[0] * predicted[1]))

    def coordinates(self, rows: Confusion) -> tuple[Floats, Floats]:
        """Return the coordinates whose hull is the envelope."""
        return rows.recall, rows.precision


class Folke(_RateIndex, ClosedIndex):
    """recall^λ · precision^(1-λ), the weighted Fowlkes-Mallows index.

    Hanczar & Nadif (section 2.4) print the exponents λ/2 and 1-λ/2, which violate their own
    conditions and do not reproduce their Table 1; these exponents do.
    """

    __slots__ = ()

    name = "folke"

    def _of_rates(self, precision: Floats, recall: Floats, lam: Floats, _: float) -> Floats:
        return np.asarray(recall**lam * precision ** (1 - lam))

    def meeting(self, first: Confusion, second: Confusion) -> Floats:
        """ln(p₁/p₂)/(ln(p₁/p₂) + ln(r₂/r₁))."""
        rise, fall = exact_steps(first, second)
        predicted, tp = fractions(first.tp) + fractions(first.fp), fractions(second.tp)
        # p₁/p₂ - 1 and r₂/r₁ - 1 are exact, so logarithms of almost equal rates are accurate.
        precision_excess = _floats(fall / (predicted * tp))
        recall_excess = _floats(rise / (_exact(first.positives) * fractions(first.tp)))
        return share(np.log1p(precision_excess), np.log1p(recall_excess))

    def areas(self, rows: Confusion, lo: Floats, hi: Floats) -> Floats:
        """Return the area under the curve of each point: width · highest · (e^x - 1)/x."""
        # ln(r/p) = ln((tp+fp)/P). log1p is accurate where precision and recall are almost equal,
        # log where few rows are predicted positive.
        ratio = (rows.tp + rows.fp) / rows.positives
        excess = np.maximum((rows.fp - rows.fn) / rows.positives, -0.5)
        slope = np.where(ratio < 0.5, np.log(ratio), np.log1p(excess))
        width, highest = hi - lo, self.of_rows(rows, np.where(slope > 0, hi, lo))
        return np.asarray(width * highest * _ratio(np.expm1, -np.abs(slope) * width))

    def coordinates(self, rows: Confusion) -> tuple[Floats, Floats]:
        """Return the coordinates whose hull is the envelope."""
        return -np.log1p(rows.fn / rows.tp), -np.log1p(rows.fp / rows.tp)


class FMeasure(ClosedIndex):
    """1/(λ/recall + (1-λ)/precision): F_β with λ = β²/(1+β²)."""

    __slots__ = ()

    name = "f-measure"

    def of_rows(self, rows: Confusion, lam: Floats) -> Floats:
        """Return the index of points that have true positives."""
        return rows.f(lam, 1 - lam)

    def meeting(self, first: Confusion, second: Confusion) -> Floats:
        """Δ(1/p)/(Δ(1/p) + Δ(1/r)), which is β²/(1+β²) for the β of the segment between them."""
        rise, fall = exact_steps(first, second)
        return share(fall, rise)

    def areas(self, rows: Confusion, lo: Floats, hi: Floats) -> Floats:
        """Return the area under the curve of each point from lo to hi."""
        return _reciprocal_areas(self, rows, lo, hi, (rows.fn - rows.fp) / rows.tp)


class Jaccard(ClosedIndex):
    """tp/(tp + w(λ)·fn + w(1-λ)·fp) with w(x) = min(2x, 1).

    It ranks points as F_β does, with β² = 2λ up to λ = ½ and 1/β² = 2(1-λ) above.
    """

    __slots__ = ()

    name = "jaccard"

    def of_rows(self, rows: Confusion, lam: Floats) -> Floats:
        """Return the index of points that have true positives."""
        return rows.f(np.minimum(2 * lam, 1), np.minimum(2 * (1 - lam), 1))

    def meeting(self, first: Confusion, second: Confusion) -> Floats:
        """β²/2 up to ½, then 1 - 1/(2β²), with β² = Δ(1/p)/Δ(1/r)."""
        rise, fall = exact_steps(first, second)
        # λ and 1-λ have the ratio s : 2-s, where s is the smaller of both over the larger.
        flat = np.asarray(abs(fall) <= abs(rise), dtype=bool)
        smaller, larger = np.where(flat, fall, rise), np.where(flat, rise, fall)
        half = share(smaller, 2 * larger - smaller)
        return np.where(flat, half, 1 - half)

    def areas(self, rows: Confusion, lo: Floats, hi: Floats) -> Floats:
        """Return the area under the curve of each point from lo to hi."""
        half = np.clip(0.5, lo, hi)
        left = _reciprocal_areas(self, rows, lo, half, 2 * (rows.fn / rows.tp))
        right = _reciprocal_areas(self, rows, half, hi, -2 * (rows.fp / rows.tp))
        return left + right


class FGain(_LinearIndex):
    """(1-λ)·precision gain + λ·recall gain (Flach & Kull 2015, Th. 2)."""

    __slots__ = ()

    name = "f-gain"
    needs_prevalence = True

    def of_rows(self, rows: Confusion, lam: Floats) -> Floats:
        """Return the index of points that have true positives."""
        return rows.f_gain(lam, 1 - lam)

    def meeting(self, first: Confusion, second: Confusion) -> Floats:
        """As for the F-measure, of which the F gain is a rising function."""
        return FMeasure().meeting(first, second)


class Cost(_LinearIndex):
    """λ·tpr + (1-λ)·(1-fpr): 1 minus the normalised expected cost of Drummond & Holte (2006).

    λ is their probability-cost PC(+); the empty rule is a point like any other.
    """

    __slots__ = ()

    name = "cost"
    needs_prevalence = True
    rises_with_recall = False
    has_empty_rule = True

    def of_rows(self, rows: Confusion, lam: Floats) -> Floats:
        """Return the index of points that have true positives."""
        specificity = (rows.negatives - rows.fp) / rows.negatives
        return np.asarray(lam * rows.recall + (1 - lam) * specificity)

    def meeting(self, first: Confusion, second: Confusion) -> Floats:
        """Δfpr/(Δfpr + Δtpr)."""
        rise = (fractions(second.tp) - fractions(first.tp)) * _exact(first.negatives)
        run = (fractions(second.fp) - fractions(first.fp)) * _exact(first.positives)
        return share(run, rise)


def _reciprocal_areas(
    index: ClosedIndex, rows: Confusion, lo: Floats, hi: Floats, slope: Floats
) -> Floats:
    """Return the area where 1/index is linear in λ: width · highest · ln(1+x)/x.

    `highest` is the largest value of the index, at one of the ends, and x the change of 1/index
    over the width, relative to 1/highest. It is never negative, so nothing cancels.
    """
    highest = index.of_rows(rows, np.where(slope > 0, lo, hi))
    width = hi - lo
    return np.asarray(width * highest * _ratio(np.log1p, np.abs(slope) * width * highest))


def _ratio(function: Callable[[Floats], Floats], x: Floats) -> Floats:
    """Return f(x)/x of a function whose slope at 0 is 1, as those of ln(1+x) and exp(x)-1 are."""
    return np.divide(function(x), x, out=np.ones_like(x), where=x != 0)


_to_fraction = np.frompyfunc(Fraction, 1, 1)


def fractions(counts: Counts) -> NDArray[Any]:
    """Return counts as exact numbers: Python's integers, whose quotients are rounded once too.

    Weighted counts are fractions, which take longer.
    """
    counts = np.asarray(counts)
    return counts.astype(object) if counts.dtype.kind in "iu" else np.asarray(_to_fraction(counts))


def _exact(total: Total) -> Fraction | int:
    """Return a total as an exact number, an integer where it counts rows."""
    return int(total) if isinstance(total, int | np.integer) else Fraction(total)


def _floats(exact: NDArray[np.object_]) -> Floats:
    return np.asarray(exact, dtype=np.float64)


def exact_steps(first: Confusion, second: Confusion) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return P·(tp₂ - tp₁) and tp₁·fp₂ - tp₂·fp₁, exactly.

    They have the signs of r₂ - r₁ and p₁ - p₂. Both are needed without rounding, since points of a
    hull may be almost collinear.
    """
    tp_1, fp_1, tp_2, fp_2 = map(fractions, (first.tp, first.fp, second.tp, second.fp))
    return np.asarray(_exact(first.positives) * (tp_2 - tp_1)), tp_1 * fp_2 - tp_2 * fp_1


def share(a: NDArray[Any], b: NDArray[Any]) -> Floats:
    """Return a/(a + b), rounded once; NaN unless both are ≥ 0 or both are ≤ 0."""
    a, b = np.asarray(a), np.asarray(b)
    # The curves of two points do not meet if one point dominates the other, or if both are equal.
    meet = ((a >= 0) & (b >= 0) | (a <= 0) & (b <= 0)) & (a + b != 0)
    meet = np.asarray(meet, dtype=bool)
    result = np.full(a.shape, np.nan)
    result[meet] = (a[meet] / (a[meet] + b[meet])).astype(np.float64)
    return result


@dataclass(frozen=True, slots=True, repr=False)
class Index(_RateIndex):
    """A user-defined index, for `OperatingPoints.tradeoff` and everything built on it.

    Parameters
    ----------
    name
        Its name in tables and pictures.
    function
        A NumPy function of (precision, recall, lam) or of (precision, recall, lam, prevalence),
        where lam is the weight of recall. It is called with arrays that broadcast. For every
        lam it must never fall as precision or recall rises, which is checked on a grid.

    Notes
    -----
    The function should be continuous in lam. The envelope is searched numerically: the best points
    on a grid of 1025 weights, then every change between neighbours by bisection, which splits
    where a third point is best. It is complete when the curves of two points cross at
    most once, as for all the built-in indices; otherwise a piece shorter than a step of the grid,
    1/1024, may be missed. The same holds for the winners of `compare` and for `useful_range`,
    where ranges shorter than 1e-6 are treated as rounding errors.

    Examples
    --------
    Precision that counts only when recall is at least λ/2:

    >>> import numpy as np
    >>> import isometrics as iso
    >>> wide = iso.Index("wide", lambda p, r, lam: p * np.minimum(1, r / np.maximum(lam / 2, 0.1)))
    >>> pts = iso.OperatingPoints.from_scores([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1])
    >>> pts.tradeoff(wide)(0.5)
    1.0
    """

    name: str
    function: Callable[..., Any]
    needs_prevalence: bool = field(init=False, default=False)

    def __post_init__(self) -> None:
        """Check the function on a grid."""
        if not isinstance(self.name, str) or not self.name:
            raise ParameterError(f"the name of an index must be a text but is {self.name!r}")
        if not callable(self.function):
            raise ParameterError(
                f"the function of index {self.name!r} must be callable but is {self.function!r}"
            )
        object.__setattr__(self, "needs_prevalence", _argument_count(self.function) > 3)
        for prevalence in (0.1, 0.5) if self.needs_prevalence else (0.5,):
            self._check(prevalence)

    def _check(self, prevalence: float) -> None:
        rates, weights = np.linspace(0, 1, 26)[1:], np.linspace(0, 1, 9)
        precision, recall, lam = np.meshgrid(rates, rates, weights, indexing="ij")
        values = self._values(precision, recall, lam, prevalence)
        # Points that no set can have at this prevalence (Boyd et al. 2012) are not checked.
        lowest = prevalence * recall / (1 - prevalence + prevalence * recall)
        possible = (precision >= lowest) if self.needs_prevalence else np.full(lowest.shape, True)
        not_finite = np.argwhere(possible & ~np.isfinite(values))
        if not_finite.size:
            p, r, at = (axis[tuple(not_finite[0])] for axis in (precision, recall, lam))
            raise ParameterError(
                f"index {self.name!r} is not finite at precision {p:g}, recall {r:g}, lam {at:g}"
            )
        for axis, rate in enumerate(("precision", "recall")):
            along = np.swapaxes(values, 0, axis)
            lower, upper = along[:-1], along[1:]
            checked = np.swapaxes(possible, 0, axis)
            falls = upper < lower - _TOLERANCE * np.maximum(1, abs(lower))
            falls &= checked[:-1] & checked[1:]
            if falls.any():
                at = lam[0, 0, np.argwhere(falls)[0][2]]
                raise ParameterError(
                    f"index {self.name!r} falls where {rate} rises, at lam {at:g}; "
                    "an index must never fall as precision or recall rises"
                )

    def _values(self, precision: Floats, recall: Floats, lam: Floats, prevalence: float) -> Floats:
        shape = np.broadcast_shapes(precision.shape, recall.shape, lam.shape)
        arguments = (prevalence,) if self.needs_prevalence else ()
        with np.errstate(all="ignore"):
            values = self.function(precision, recall, lam, *arguments)
        try:
            return np.broadcast_to(np.asarray(values, dtype=np.float64), shape)
        except (TypeError, ValueError):
            raise ParameterError(
                f"index {self.name!r} must return an array of numbers as large as its arguments "
                f"but returned {values!r:.60}"
            ) from None

    def _of_rates(
        self, precision: Floats, recall: Floats, lam: Floats, prevalence: float
    ) -> Floats:
        return self._values(precision, recall, lam, prevalence)

    def areas(self, rows: Confusion, lo: Floats, hi: Floats) -> Floats:
        """Return the area under the curve of each point, by adaptive quadrature."""
        from scipy.integrate import quad

        def area(row: int) -> float:
            point = rows.take(row)
            low, high = float(lo[row]), float(hi[row])

            def height(lam: float) -> float:
                return float(self.of_rows(point, np.asarray(lam)))

            # With full_output, quad reports problems by the error and not by warnings.
            value, error, *_ = quad(
                height,
                low,
                high,
                points=[eighth for eighth in _EIGHTHS if low < eighth < high] or None,
                epsabs=1e-14,
                epsrel=1e-12,
                limit=1000,
                full_output=1,
            )
            if not error <= _MAX_ERROR * max(1, abs(value)):
                raise ParameterError(
                    f"index {self.name!r} has no finite area from lam {low:g} to {high:g}, "
                    "or too many jumps to find it"
                )
            return float(value)

        return np.array([area(row) for row in range(rows.tp.size)])


def _argument_count(function: Callable[..., Any]) -> int:
    """Return how many positional arguments a function takes; 3 if it has no signature."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return 3
    required = [
        parameter
        for parameter in parameters
        if parameter.kind in (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD)
        and (parameter.default is parameter.empty or parameter.name == "prevalence")
    ]
    return len(required)


INDICES: dict[str, ClosedIndex] = {
    index.name: index for index in (Kulczynski(), FMeasure(), Folke(), Jaccard(), FGain(), Cost())
}
"""The built-in indices by name."""


def index_named(index: str | WeightedIndex) -> WeightedIndex:
    """Return a built-in index by its name; an index is returned as it is.

    Examples
    --------
    >>> round(index_named("jaccard").value(precision=0.8, recall=0.5, lam=0.2), 4)
    0.6061
    """
    if isinstance(index, WeightedIndex):
        return index
    if isinstance(index, str) and index in INDICES:
        return INDICES[index]
    raise ParameterError(
        f"index must be one of {', '.join(map(repr, INDICES))} or an iso.Index but is {index!r}"
    )
