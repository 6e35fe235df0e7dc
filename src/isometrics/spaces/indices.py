"""The weighted indices: one number from precision, recall and the weight λ of recall."""

from __future__ import annotations

import inspect
from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from isometrics._core.parameters import (
    check_level,
    check_number,
    check_prevalence,
    check_size,
    parse_lambdas,
    parse_values,
)
from isometrics.errors import ParameterError

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import ArrayLike, NDArray

    from isometrics._core.arrays import Counts, Floats, Total
    from isometrics._table.table import Table


_HALVINGS = 60
_ROUNDING = 1e-12


class WeightedIndex(ABC):
    """A performance index with a weight λ of recall; 1-λ is the weight of precision.

    Attributes
    ----------
    name
        The name by which options know it.
    needs_prevalence
        Whether precision and recall alone do not determine it.
    rises_with_recall
        Whether more recall at the same precision is never worse. Of more and more positive
        predictions, as many false as before, the cost may rise.
    """

    __slots__ = ()

    name: str
    needs_prevalence: bool = False
    rises_with_recall: bool = True

    @abstractmethod
    def of_rows(self, rows: Rows, lam: Floats) -> Floats:
        """Return the index of points that have true positives."""

    @abstractmethod
    def crossing(self, one: Rows, other: Rows, lo: Floats, hi: Floats) -> Floats:
        """Return where the curves of two points meet in [lo, hi]; NaN where they do not."""

    @abstractmethod
    def areas(self, rows: Rows, lo: Floats, hi: Floats) -> Floats:
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
        rows = Rows.of_rates(rates[0], rates[1], self._prevalence(prevalence))
        values = self.of_rows(rows, weights)
        return float(values) if values.ndim == 0 else values

    def isoline(
        self, value: float, lam: float, *, prevalence: float | None = None, size: int = 200
    ) -> tuple[Floats, Floats]:
        """Return the points of PR space where the index has a value, as recalls and precisions.

        Half of the points are evenly spaced in recall and half in precision, so that flat and
        steep parts are both smooth. They come by rising recall.

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
        value, weight = check_number(value, "value"), check_level(lam, "lam")
        known = self._prevalence(prevalence)
        steps = np.linspace(0, 1, check_size(size) // 2 + 1)[1:]
        precision_there = self._solved(
            lambda unknown: self._at(unknown, steps, weight, known), value, steps.size
        )
        recall_there = np.full(steps.size, np.nan)
        if self.rises_with_recall:
            recall_there = self._solved(
                lambda unknown: self._at(steps, unknown, weight, known), value, steps.size
            )
        x = np.concatenate([steps, recall_there])
        y = np.concatenate([precision_there, steps])
        solved = np.flatnonzero(np.isfinite(x) & np.isfinite(y))
        order = solved[np.lexsort((-y[solved], x[solved]))]
        return x[order], y[order]

    def _at(self, precision: Floats, recall: Floats, lam: float, prevalence: float) -> Floats:
        return self.of_rows(Rows.of_rates(precision, recall, prevalence), np.asarray(lam))

    @staticmethod
    def _solved(function: Callable[[Floats], Floats], value: float, size: int) -> Floats:
        """Return where rising functions reach a value between 0 and 1; NaN where they do not."""
        low, high = np.full(size, 2.0**-_HALVINGS), np.ones(size)
        # A line that ends on a border of the square has its end there.
        reached = (function(low) <= value + _ROUNDING) & (function(high) >= value - _ROUNDING)
        for _ in range(_HALVINGS):
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


class ClosedIndex(WeightedIndex):
    """An index whose crossings and areas have closed forms."""

    __slots__ = ()

    has_empty_rule: bool = False
    """Whether the empty rule has a value, and so is a point like any other."""

    linear: bool = False
    """Whether the index itself is a straight line in λ."""

    def __eq__(self, other: object) -> bool:
        """Compare by class: these indices have no parameters."""
        return type(self) is type(other) or NotImplemented

    def __hash__(self) -> int:
        """Hash by class."""
        return hash(type(self))

    @abstractmethod
    def meeting(self, one: Rows, other: Rows) -> Floats:
        """Return where the curves of two points meet in [0, 1]; NaN where they do not."""

    def coordinates(self, rows: Rows) -> tuple[Floats, Floats] | None:  # noqa: ARG002
        """Return the coordinates whose hull is the envelope, unless it is the hull of counts."""
        return None

    def crossing(self, one: Rows, other: Rows, lo: Floats, hi: Floats) -> Floats:
        """Return where the curves of two points meet in [lo, hi]; NaN where they do not."""
        met = self.meeting(one, other)
        with np.errstate(invalid="ignore"):
            return np.where((met >= lo) & (met <= hi), met, np.nan)


class _Straight(ClosedIndex):
    """An index that is a straight line in λ."""

    __slots__ = ()

    linear = True

    def areas(self, rows: Rows, lo: Floats, hi: Floats) -> Floats:
        """Return the area under the curve of each point from lo to hi."""
        return np.asarray((hi - lo) * self.of_rows(rows, (lo + hi) / 2))


class Kulczynski(_Straight):
    """λ·recall + (1-λ)·precision."""

    __slots__ = ()

    name = "kulczynski"

    def of_rows(self, rows: Rows, lam: Floats) -> Floats:
        """Return the index of points that have true positives."""
        return np.asarray(lam * rows.recall + (1 - lam) * rows.precision)

    def meeting(self, one: Rows, other: Rows) -> Floats:
        """(p₁-p₂)/((p₁-p₂) + (r₂-r₁))."""
        rise, fall = steps(one, other)
        total = Fraction(one.positives) ** 2
        predicted = [fractions(rows.tp) + fractions(rows.fp) for rows in (one, other)]
        return share(fall * total, rise * (predicted[0] * predicted[1]))

    def coordinates(self, rows: Rows) -> tuple[Floats, Floats]:
        """Return the coordinates whose hull is the envelope."""
        return rows.recall, rows.precision


class Folke(ClosedIndex):
    """recall^λ · precision^(1-λ), the weighted Fowlkes-Mallows index.

    Hanczar & Nadif (section 2.4) print the exponents λ/2 and 1-λ/2, which break their own
    conditions and do not give their Table 1; these do.
    """

    __slots__ = ()

    name = "folke"

    def of_rows(self, rows: Rows, lam: Floats) -> Floats:
        """Return the index of points that have true positives."""
        return np.asarray(rows.recall**lam * rows.precision ** (1 - lam))

    def meeting(self, one: Rows, other: Rows) -> Floats:
        """ln(p₁/p₂)/(ln(p₁/p₂) + ln(r₂/r₁))."""
        rise, fall = steps(one, other)
        predicted, tp = fractions(one.tp) + fractions(one.fp), fractions(other.tp)
        # Exact differences keep the logarithms of almost equal rates accurate.
        precision = _floats(fall / (predicted * tp))
        recall = _floats(rise / (Fraction(one.positives) * fractions(one.tp)))
        return share(np.log1p(precision), np.log1p(recall))

    def areas(self, rows: Rows, lo: Floats, hi: Floats) -> Floats:
        """Return the area under the curve of each point: width · highest · (e^x - 1)/x."""
        # ln(r/p) = ln((tp+fp)/P), which log1p keeps accurate where precision and recall are almost
        # equal, and the logarithm itself where few are predicted positive.
        share = (rows.tp + rows.fp) / rows.positives
        excess = np.maximum((rows.fp - rows.fn) / rows.positives, -0.5)
        slope = np.where(share < 0.5, np.log(share), np.log1p(excess))
        highest = np.where(slope > 0, hi, lo)
        return np.asarray(
            (hi - lo) * self.of_rows(rows, highest) * _fall(-np.abs(slope) * (hi - lo))
        )

    def coordinates(self, rows: Rows) -> tuple[Floats, Floats]:
        """Return the coordinates whose hull is the envelope."""
        return -np.log1p(rows.fn / rows.tp), -np.log1p(rows.fp / rows.tp)


class FMeasure(ClosedIndex):
    """1/(λ/recall + (1-λ)/precision): F_β with λ = β²/(1+β²)."""

    __slots__ = ()

    name = "f-measure"

    def of_rows(self, rows: Rows, lam: Floats) -> Floats:
        """Return the index of points that have true positives."""
        return _tversky(rows, lam, 1 - lam)

    def meeting(self, one: Rows, other: Rows) -> Floats:
        """Δ(1/p)/(Δ(1/p) + Δ(1/r)), which is β²/(1+β²) of the segment between them."""
        rise, fall = steps(one, other)
        return share(fall, rise)

    def areas(self, rows: Rows, lo: Floats, hi: Floats) -> Floats:
        """Return the area under the curve of each point from lo to hi."""
        return _reciprocal_areas(self, rows, lo, hi, (rows.fn - rows.fp) / rows.tp)


class Jaccard(ClosedIndex):
    """tp/(tp + w(λ)·fn + w(1-λ)·fp) with w(x) = min(2x, 1).

    At the same points it ranks as the F-measure does at β² = 2λ, above λ = ½ at 1/β² = 2(1-λ).
    """

    __slots__ = ()

    name = "jaccard"

    def of_rows(self, rows: Rows, lam: Floats) -> Floats:
        """Return the index of points that have true positives."""
        return _tversky(rows, np.minimum(2 * lam, 1), np.minimum(2 * (1 - lam), 1))

    def meeting(self, one: Rows, other: Rows) -> Floats:
        """β²/2 up to ½, then 1 - 1/(2β²), with β² = Δ(1/p)/Δ(1/r)."""
        rise, fall = steps(one, other)
        # λ and 1-λ are in the ratio s : 2-s with s the smaller of both over the larger.
        flat = np.asarray(abs(fall) <= abs(rise), dtype=bool)
        smaller, larger = np.where(flat, fall, rise), np.where(flat, rise, fall)
        half = share(smaller, 2 * larger - smaller)
        return np.where(flat, half, 1 - half)

    def areas(self, rows: Rows, lo: Floats, hi: Floats) -> Floats:
        """Return the area under the curve of each point from lo to hi."""
        half = np.clip(0.5, lo, hi)
        left = _reciprocal_areas(self, rows, lo, half, 2 * (rows.fn / rows.tp))
        right = _reciprocal_areas(self, rows, half, hi, -2 * (rows.fp / rows.tp))
        return left + right


class FGain(_Straight):
    """(1-λ)·precision gain + λ·recall gain (Flach & Kull 2015, Th. 2)."""

    __slots__ = ()

    name = "f-gain"
    needs_prevalence = True

    def of_rows(self, rows: Rows, lam: Floats) -> Floats:
        """Return the index of points that have true positives."""
        odds = rows.positives / rows.negatives
        missed = lam * rows.fn + (1 - lam) * rows.fp
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray(1 - odds * (missed / rows.tp))

    def meeting(self, one: Rows, other: Rows) -> Floats:
        """As for the F-measure: both rise with one another."""
        rise, fall = steps(one, other)
        return share(fall, rise)


class Cost(_Straight):
    """λ·tpr + (1-λ)·(1-fpr): 1 minus the normalised expected cost of Drummond & Holte (2006).

    λ is their probability-cost PC(+); the empty rule is a point like any other.
    """

    __slots__ = ()

    name = "cost"
    needs_prevalence = True
    rises_with_recall = False
    has_empty_rule = True

    def of_rows(self, rows: Rows, lam: Floats) -> Floats:
        """Return the index of points that have true positives."""
        specificity = (rows.negatives - rows.fp) / rows.negatives
        return np.asarray(lam * rows.recall + (1 - lam) * specificity)

    def meeting(self, one: Rows, other: Rows) -> Floats:
        """Δfpr/(Δfpr + Δtpr)."""
        rise = (fractions(other.tp) - fractions(one.tp)) * Fraction(one.negatives)
        run = (fractions(other.fp) - fractions(one.fp)) * Fraction(one.positives)
        return share(run, rise)


def _tversky(rows: Rows, missed: Floats, false: Floats) -> Floats:
    """tp/(tp + weighted errors), without the cancellation of sums of reciprocals."""
    with np.errstate(invalid="ignore"):
        return np.asarray(rows.tp / (rows.tp + (missed * rows.fn + false * rows.fp)))


def _reciprocal_areas(
    index: ClosedIndex, rows: Rows, lo: Floats, hi: Floats, slope: Floats
) -> Floats:
    """Return the area where 1/index is a line: width · highest · ln(1+x)/x.

    x is the rise of 1/index over the width in units of its smallest value; it is never negative,
    so nothing cancels.
    """
    highest = index.of_rows(rows, np.where(slope > 0, lo, hi))
    width = hi - lo
    return np.asarray(width * highest * _bend(np.abs(slope) * width * highest))


def _bend(x: Floats) -> Floats:
    """ln(1+x)/x, which is 1 at 0."""
    return np.divide(np.log1p(x), x, out=np.ones_like(x), where=x != 0)


def _fall(x: Floats) -> Floats:
    """(exp(x)-1)/x, which is 1 at 0."""
    return np.divide(np.expm1(x), x, out=np.ones_like(x), where=x != 0)


def _floats(exact: NDArray[np.object_]) -> Floats:
    return np.asarray(exact, dtype=np.float64)


_exact = np.frompyfunc(Fraction, 1, 1)


class Rows(NamedTuple):
    """True and false positives of points, and the totals."""

    tp: Counts
    fp: Counts
    positives: Total
    negatives: Total

    @classmethod
    def of_table(cls, table: Table) -> Rows:
        """Take the counts of a table."""
        return cls(table.tp, table.fp, table.positives, table.negatives)

    @classmethod
    def of_rates(cls, precision: Floats, recall: Floats, prevalence: float) -> Rows:
        """Recover counts for one positive in all; without precision, from recall 0."""
        with np.errstate(divide="ignore", invalid="ignore"):
            false = np.where(precision > 0, recall * ((1 - precision) / precision), 0.0)
        return cls(np.asarray(recall), false, 1.0, (1 - prevalence) / prevalence)

    @property
    def fn(self) -> Counts:
        """False negatives."""
        return np.asarray(self.positives - self.tp)

    @property
    def precision(self) -> Floats:
        """tp/(tp+fp); NaN for the empty rule."""
        with np.errstate(invalid="ignore"):
            return np.asarray(self.tp / (self.tp + self.fp))

    @property
    def recall(self) -> Floats:
        """tp/P."""
        return np.asarray(self.tp / self.positives)

    @property
    def prevalence(self) -> float:
        """The share of positives."""
        return self.positives / (self.positives + self.negatives)

    def take(self, rows: Any) -> Rows:
        """Return some of the points."""
        return self._replace(tp=self.tp[rows], fp=self.fp[rows])

    def column(self) -> Rows:
        """Return the points down a first axis, so that weights go along a second one."""
        return self._replace(tp=self.tp[:, None], fp=self.fp[:, None])


def steps(one: Rows, other: Rows) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return P·(tp₂ - tp₁) and tp₁·fp₂ - tp₂·fp₁, exactly, as fractions.

    The first has the sign of the difference in recall, the second that of the difference in
    precision the other way round; both are needed without rounding, since points of a hull may
    be almost collinear.
    """
    tp_1, fp_1, tp_2, fp_2 = map(fractions, (one.tp, one.fp, other.tp, other.fp))
    return np.asarray(Fraction(one.positives) * (tp_2 - tp_1)), tp_1 * fp_2 - tp_2 * fp_1


def fractions(counts: Counts) -> NDArray[Any]:
    """Return counts as exact fractions."""
    return np.asarray(_exact(counts), dtype=object)


def share(part: NDArray[Any], rest: NDArray[Any]) -> Floats:
    """Return part/(part + rest), rounded once; NaN unless both are ≥ 0 or both are ≤ 0."""
    part, rest = np.asarray(part), np.asarray(rest)
    # Two points of which one dominates the other do not meet, nor do equal points.
    meet = ((part >= 0) & (rest >= 0) | (part <= 0) & (rest <= 0)) & (part + rest != 0)
    meet = np.asarray(meet, dtype=bool)
    result = np.full(part.shape, np.nan)
    result[meet] = (part[meet] / (part[meet] + rest[meet])).astype(np.float64)
    return result


_CUSTOM_HALVINGS = 64
_TOLERANCE = 1e-9
"""How far a function that should rise may fall by its own rounding."""

_PARTS = [part / 8 for part in range(1, 8)]
"""A quadrature of each part by itself does not overlook a narrow peak in a wide range."""

_WORST = 1e-8
"""The largest error of an area that is accepted; most are below 1e-12."""


@dataclass(frozen=True, slots=True, repr=False)
class Index(WeightedIndex):
    """An index of your own, for `OperatingPoints.tradeoff` and everything built on it.

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
    The function should be continuous in lam. The envelope is found numerically: the best points
    on a grid of 1025 weights, then every change between neighbours by bisection, until no other
    point is better where two of them meet. It is complete when the curves of two points cross at
    most once, as for all the built-in indices; otherwise a piece shorter than a step of the grid,
    1/1024, may be missed. The same holds for the winners of `compare` and for `useful_range`,
    where ranges shorter than 1e-6 are taken for rounding.

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
        object.__setattr__(self, "needs_prevalence", _arguments(self.function) > 3)
        for prevalence in (0.1, 0.5) if self.needs_prevalence else (0.5,):
            self._check(prevalence)

    def _check(self, prevalence: float) -> None:
        rates, weights = np.linspace(0, 1, 26)[1:], np.linspace(0, 1, 9)
        precision, recall, lam = np.meshgrid(rates, rates, weights, indexing="ij")
        values = self._values(precision, recall, lam, prevalence)
        # Points that no set can have at this prevalence (Boyd et al. 2012) prove nothing.
        lowest = prevalence * recall / (1 - prevalence + prevalence * recall)
        possible = (precision >= lowest) if self.needs_prevalence else np.full(lowest.shape, True)
        wrong = np.argwhere(possible & ~np.isfinite(values))
        if wrong.size:
            p, r, at = (axis[tuple(wrong[0])] for axis in (precision, recall, lam))
            raise ParameterError(
                f"index {self.name!r} is not finite at precision {p:g}, recall {r:g}, lam {at:g}"
            )
        for axis, rate in enumerate(("precision", "recall")):
            first, second = (np.swapaxes(values, 0, axis)[part] for part in (np.s_[:-1], np.s_[1:]))
            both = np.swapaxes(possible, 0, axis)
            falls = (second < first - _TOLERANCE * np.maximum(1, abs(first))) & both[:-1] & both[1:]
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

    def of_rows(self, rows: Rows, lam: Floats) -> Floats:
        """Return the index of points that have true positives."""
        return self._values(rows.precision, rows.recall, np.asarray(lam), rows.prevalence)

    def crossing(self, one: Rows, other: Rows, lo: Floats, hi: Floats) -> Floats:
        """Return where the sign of the difference of two points changes in [lo, hi], else NaN."""

        def ahead(lam: Floats) -> Floats:
            return self.of_rows(one, lam) - self.of_rows(other, lam)

        low, high = (np.broadcast_to(end, np.shape(one.tp)).astype(np.float64) for end in (lo, hi))
        start, end = np.sign(ahead(low)), np.sign(ahead(high))
        meet = (start * end <= 0) & (start != end)
        # Towards the end that differs from a start where both are equal.
        leader = np.where(start != 0, start, -end)
        for _ in range(_CUSTOM_HALVINGS):
            middle = (low + high) / 2
            before = np.sign(ahead(middle)) == leader
            low, high = np.where(before, middle, low), np.where(before, high, middle)
        return np.where(meet, (low + high) / 2, np.nan)

    def areas(self, rows: Rows, lo: Floats, hi: Floats) -> Floats:
        """Return the area under the curve of each point, by adaptive quadrature."""
        from scipy.integrate import quad

        def area(row: int) -> float:
            point = rows.take(row)
            low, high = float(lo[row]), float(hi[row])

            def height(lam: float) -> float:
                return float(self.of_rows(point, np.asarray(lam)))

            inner = [part for part in _PARTS if low < part < high]
            total = 0.0
            for begin, end in pairwise([low, *inner, high]):
                # With its full output it tells about trouble by the error, not by warnings.
                value, error, *_ = quad(
                    height, begin, end, epsabs=1e-14, epsrel=1e-12, limit=200, full_output=1
                )
                if not error <= _WORST * max(1, abs(value)):
                    raise ParameterError(
                        f"index {self.name!r} has no finite area from lam {begin:g} to {end:g}, "
                        "or too many jumps to find it"
                    )
                total += value
            return total

        return np.array([area(row) for row in range(rows.tp.size)])


def _arguments(function: Callable[..., Any]) -> int:
    """Return how many arguments a function takes by position; 3 where it does not tell."""
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
