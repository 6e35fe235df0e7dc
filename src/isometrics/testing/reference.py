"""Every quantity from its definition, in rational arithmetic: slow, exact, independent.

Nothing here imports the rest of the package. A float counts as the rational number it is, so
``0.1`` is not one tenth; pass ``Fraction(1, 10)`` for that. Rational results are `Fraction`;
those with a logarithm are `mpmath.mpf` good to about 60 digits (arithmetic on them afterwards
follows mpmath's own working precision).

References
----------
J. Davis and M. Goadrich. The relationship between precision-recall and ROC curves. ICML 2006.
K. Boyd, V. Santos Costa, J. Davis and C. D. Page. Unachievable region in precision-recall space
and its effect on empirical evaluation. ICML 2012.
P. Flach and M. Kull. Precision-recall-gain curves: PR analysis done right. NeurIPS 2015.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from math import isnan
from typing import Literal, NamedTuple, SupportsFloat, TypeAlias, get_args

try:
    import mpmath
except ImportError as error:
    raise ImportError(
        "isometrics.testing.reference needs mpmath: pip install 'isometrics[testing]'"
    ) from error

__all__ = ["Curve", "Interpolation", "Row", "count"]

DIGITS = 60

Interpolation: TypeAlias = Literal[
    "davis-goadrich", "average-precision", "linear", "integer-steps", "max-precision"
]
Point: TypeAlias = tuple[Fraction, Fraction]
"""(tp, fp) in count space, or (x, y) in a space of straight lines."""

_EMPTY_RULE: Point = (Fraction(0), Fraction(0))
_MINUS_INFINITY = float("-inf")


class Row(NamedTuple):
    """The rule "positive iff score >= threshold" and the weight it gets right and wrong."""

    threshold: float
    tp: Fraction
    fp: Fraction


def count(
    y_true: Iterable[object],
    y_score: Iterable[SupportsFloat],
    sample_weight: Iterable[SupportsFloat] | None = None,
) -> list[Row]:
    """Count true and false positives at every distinct score, by definition.

    Parameters
    ----------
    y_true : iterable
        Truthy for a positive.
    y_score : iterable of numbers
        Infinite scores are legal, NaN is not; -0.0 equals 0.0.
    sample_weight : iterable of numbers, optional
        Finite and not negative. Items of weight zero are left out, as if never given.

    Returns
    -------
    list of Row
        The empty rule ``(inf, 0, 0)``, then one row for each distinct score, descending. A score
        of +inf has a row of its own after the empty rule.

    Examples
    --------
    >>> for row in count([True, False, True], [0.5, 0.5, 0.25]):
    ...     print(row.threshold, row.tp, row.fp)
    inf 0 0
    0.5 1 1
    0.25 2 1
    """
    labels = [bool(_item(label)) for label in y_true]
    scores = [_item(score) + 0 for score in y_score]  # + 0 turns -0.0 into 0.0
    weights = (
        [Fraction(1)] * len(labels)
        if sample_weight is None
        else [_exact(weight) for weight in sample_weight]
    )
    if not len(labels) == len(scores) == len(weights):
        raise ValueError(
            f"y_true, y_score and sample_weight have {len(labels)}, {len(scores)} and "
            f"{len(weights)} values; give equally many"
        )
    if any(isinstance(score, float) and isnan(score) for score in scores):
        raise ValueError("y_score contains NaN; give numbers only")
    if any(weight < 0 for weight in weights):
        raise ValueError("sample_weight contains a negative weight; give weights >= 0")

    items = [item for item in zip(labels, scores, weights, strict=True) if item[2] > 0]
    rows = [Row(float("inf"), Fraction(0), Fraction(0))]
    for threshold in sorted({score for _, score, _ in items}, reverse=True):
        chosen = [(label, weight) for label, score, weight in items if score >= threshold]
        tp = sum((weight for label, weight in chosen if label), Fraction(0))
        fp = sum((weight for label, weight in chosen if not label), Fraction(0))
        rows.append(Row(threshold, tp, fp))
    return rows


@dataclass(frozen=True)
class Curve:
    """A nested path of operating points from the empty rule to always-positive.

    Build one with `of`, `of_scores` or `hull_of_points`.

    Attributes
    ----------
    points : tuple of (tp, fp)
        Ascending and distinct, from (0, 0) to (positives, negatives).
    positives, negatives : Fraction
        Totals, both positive.

    Examples
    --------
    >>> curve = Curve.of([5, 10], [5, 30], positives=20, negatives=2000)
    >>> curve.pr_interpolate(Fraction(6, 20))  # Davis & Goadrich 2006, Table 1
    Fraction(3, 8)
    """

    points: tuple[Point, ...]
    positives: Fraction
    negatives: Fraction

    def __post_init__(self) -> None:
        last = (self.positives, self.negatives)
        if min(last) <= 0:
            raise ValueError(
                f"positives and negatives are {last[0]} and {last[1]}; both must be above 0"
            )
        if self.points[0] != _EMPTY_RULE or self.points[-1] != last:
            raise ValueError(
                f"the path runs from {_show(self.points[0])} to {_show(self.points[-1])}; "
                f"it must run from (0, 0) to {_show(last)}"
            )
        for a, b in pairwise(self.points):
            if a == b or a[0] > b[0] or a[1] > b[1]:
                raise ValueError(
                    f"points {_show(a)} and {_show(b)} are not nested: neither tp nor fp may fall"
                )

    @staticmethod
    def of(
        tp: Iterable[SupportsFloat],
        fp: Iterable[SupportsFloat],
        positives: SupportsFloat,
        negatives: SupportsFloat,
    ) -> Curve:
        """Sort the points, drop duplicates, add the two trivial rules.

        Raises
        ------
        ValueError
            If the points are not nested: one has more true but fewer false positives than
            another, or lies outside the totals.
        """
        return Curve(*_cloud(tp, fp, positives, negatives))

    @staticmethod
    def of_scores(
        y_true: Iterable[object],
        y_score: Iterable[SupportsFloat],
        sample_weight: Iterable[SupportsFloat] | None = None,
    ) -> Curve:
        """Make the curve of `count`'s rows."""
        rows = count(y_true, y_score, sample_weight)
        return Curve.of(
            [row.tp for row in rows], [row.fp for row in rows], rows[-1].tp, rows[-1].fp
        )

    @staticmethod
    def hull_of_points(
        tp: Iterable[SupportsFloat],
        fp: Iterable[SupportsFloat],
        positives: SupportsFloat,
        negatives: SupportsFloat,
    ) -> Curve:
        """Upper convex hull of any points, nested or not, and the two trivial rules.

        Notes
        -----
        Gift wrapping: from each vertex go to the point in the steepest direction, to the farthest
        of those if several, so that no three vertices are collinear. The steepness of a step is
        its share of true positives, tp / (tp + fp), which orders directions like the ROC slope
        and is finite for a vertical step too.
        """
        points, total_positives, total_negatives = _cloud(tp, fp, positives, negatives)
        path = [_EMPTY_RULE]
        while path[-1] != (total_positives, total_negatives):
            here = path[-1]

            def steepness(point: Point, here: Point = here) -> tuple[Fraction, Fraction]:
                rise, run = point[0] - here[0], point[1] - here[1]
                return rise / (rise + run), rise + run

            ahead = [p for p in points if p != here and p[0] >= here[0] and p[1] >= here[1]]
            path.append(max(ahead, key=steepness))
        return Curve(tuple(path), total_positives, total_negatives)

    def hull(self) -> Curve:
        """Upper convex hull in ROC space, its strictly convex vertices only.

        The projective map to gains keeps lines and convexity, so this is the precision-recall-gain
        hull too, and its image in PR space the achievable curve (Davis & Goadrich 2006, Cor. 3.1).
        """
        tp, fp = zip(*self.points, strict=True)
        return Curve.hull_of_points(tp, fp, self.positives, self.negatives)

    @property
    def prevalence(self) -> Fraction:
        """Share of positives, pi = P / (P + N)."""
        return self.positives / (self.positives + self.negatives)

    # Coordinates: one value for each point -------------------------------------------------

    def precision(self) -> list[Fraction | None]:
        """Precision, tp / (tp + fp); None for the empty rule."""
        return [tp / (tp + fp) if tp + fp else None for tp, fp in self.points]

    def recall(self) -> list[Fraction]:
        """Recall or true positive rate, tp / P."""
        return [tp / self.positives for tp, _ in self.points]

    def false_positive_rate(self) -> list[Fraction]:
        """Rate of false positives, fp / N."""
        return [fp / self.negatives for _, fp in self.points]

    def precision_gain(self) -> list[Fraction | float | None]:
        """(precision - pi) / ((1 - pi) precision); None for the empty rule, -inf at tp = 0."""
        return [self._gain(precision) for precision in self.precision()]

    def recall_gain(self) -> list[Fraction | float | None]:
        """(recall - pi) / ((1 - pi) recall); -inf at tp = 0."""
        return [self._gain(recall) for recall in self.recall()]

    def f(self, beta: SupportsFloat = 1) -> list[Fraction | None]:
        """F score of every point; None for the empty rule at beta = 0, where F is precision.

        Notes
        -----
        F = (1 + beta^2) tp / ((1 + beta^2) tp + beta^2 fn + fp).
        """
        return [self._f(point, beta) for point in self.points]

    def f_gain(self, beta: SupportsFloat = 1) -> list[Fraction | float | None]:
        """(F - pi) / ((1 - pi) F); -inf where F is 0."""
        return [self._gain(f) for f in self.f(beta)]

    def accuracy(self, cost: SupportsFloat = Fraction(1, 2)) -> list[Fraction]:
        """Accuracy for a cost proportion in [0, 1]; plain accuracy at one half.

        Notes
        -----
        acc_c = 2 (1 - c) pi tpr + 2 c (1 - pi) (1 - fpr). Flach & Kull 2015, section 1, print c
        and 1 - c the other way round, against their own calibrated scores.
        """
        c, pi = _exact(cost), self.prevalence
        if not 0 <= c <= 1:
            raise ValueError(f"cost is {cost}; it must lie in [0, 1]")
        return [
            2 * (1 - c) * pi * tpr + 2 * c * (1 - pi) * (1 - fpr)
            for tpr, fpr in zip(self.recall(), self.false_positive_rate(), strict=True)
        ]

    # Interpolation -------------------------------------------------------------------------

    def roc_interpolate(self, fpr: SupportsFloat) -> Fraction:
        """Highest true positive rate at a false positive rate."""
        fp = _within(fpr, 0, 1, "fpr") * self.negatives
        for a, b in pairwise(self.points):
            if a[1] <= fp < b[1]:
                return _on_line(a[::-1], b[::-1], fp) / self.positives
        return Fraction(1)

    def pr_interpolate(self, recall: SupportsFloat) -> Fraction:
        """Precision at a recall, with the smallest fp where the curve drops vertically.

        At recall 0 this is the limit from the right: the first segment's constant precision, or 0
        where negatives lead.
        """
        tp = _within(recall, 0, 1, "recall") * self.positives
        if tp == 0:
            start, end = self._rises()[0]
            return _precision(end) if start == _EMPTY_RULE else Fraction(0)
        return _precision((tp, self._fp_at(tp)))

    def prg_interpolate(self, recall_gain: SupportsFloat) -> Fraction:
        """Precision gain at a finite recall gain <= 1, with the smallest fp at that tp."""
        gain = _exact(recall_gain)
        if gain > 1:
            raise ValueError(f"recall_gain is {recall_gain}; it must be at most 1")
        tp = self._tp_at_gain(gain)
        return self._gains((tp, self._fp_at(tp)))[1]

    def y0(self) -> Fraction:
        """Precision gain at recall gain 0, that is at tp = pi P."""
        return self.prg_interpolate(0)

    # Areas ---------------------------------------------------------------------------------

    def roc_area(self, lo: SupportsFloat = 0, hi: SupportsFloat = 1) -> Fraction:
        """Area under the ROC curve over false positive rates in [lo, hi]."""
        low, high = _range(lo, hi, at_least=0)
        corners = zip(self.false_positive_rate(), self.recall(), strict=True)
        return sum(_areas(pairwise(corners), low, high), Fraction(0))

    def pr_area(
        self,
        interpolation: Interpolation = "davis-goadrich",
        lo: SupportsFloat = 0,
        hi: SupportsFloat = 1,
    ) -> mpmath.mpf:
        """Area under the precision-recall curve over recalls in [lo, hi].

        Parameters
        ----------
        interpolation : str
            What lies between neighbours a and b, tp_a < tp_b:

            - ``"davis-goadrich"``: fp is linear in tp, so precision is curved;
            - ``"average-precision"``: the precision of b;
            - ``"linear"``: a straight line from a's precision to b's;
            - ``"integer-steps"``: curved at tp_a + 1, tp_a + 2, ..., straight in between, as in
              the program of Davis & Goadrich (time grows with the number of positives);
            - ``"max-precision"``: the highest precision of any point with at least b's tp.
        lo, hi : number
            Recalls, 0 <= lo <= hi <= 1.

        Notes
        -----
        From the empty rule to the first point precision is constant under every interpolation: no
        point (recall 0, precision 1) is invented. A point with tp = 0 < fp has precision 0. A
        segment ends at the smallest fp of its last tp and the next starts from the largest.

        With fp = s tp + B and A = 1 + s, the curved integral of x / (A x + B) is
        x / A - (B / A^2) ln(A x + B).
        """
        if interpolation not in get_args(Interpolation):
            raise ValueError(
                f"interpolation is {interpolation!r}; "
                f"accepted: {', '.join(map(repr, get_args(Interpolation)))}"
            )
        low, high = (recall * self.positives for recall in _range(lo, hi, at_least=0))
        with mpmath.workdps(DIGITS):
            if interpolation == "davis-goadrich":
                areas = [_curved_area(a, b, low, high) for a, b in self._rises()]
            else:
                # Each piece is rounded to 60 digits first: exact sums of many unrelated fractions
                # have denominators that grow without bound.
                pieces = self._straight_pieces(interpolation)
                areas = [_mpf(area) for area in _areas(pieces, low, high)]
            return mpmath.fsum(areas) / _mpf(self.positives)

    def normalised_pr_area(self, lo: SupportsFloat = 0, hi: SupportsFloat = 1) -> mpmath.mpf:
        """(area - min) / (hi - lo - min): 0 for the worst ranking, 1 for the perfect one.

        Notes
        -----
        The minimum is the area of the ranking with all negatives first, whose precision at recall
        r is pi r / (1 - pi + pi r) (Boyd et al. 2012).
        """
        low, high = _range(lo, hi, at_least=0)
        if low == high:
            raise ValueError(f"lo and hi are both {lo}; the normalised area needs lo < hi")
        worst = Curve.of([0], [self.negatives], self.positives, self.negatives)
        with mpmath.workdps(DIGITS):
            least = worst.pr_area(lo=low, hi=high)
            return (self.pr_area(lo=low, hi=high) - least) / (_mpf(high - low) - least)

    def prg_area(self, lo: SupportsFloat = 0, hi: SupportsFloat = 1) -> Fraction:
        """Signed area under the precision-recall-gain curve over recall gains in [lo, hi].

        lo may be any finite number, since recall gain falls to -inf at tp = 0.

        Notes
        -----
        Straight lines between points (Flach & Kull 2015, Theorem 1). A segment from tp = 0 comes
        from -inf; both gains are affine in 1 / tp on it, so it is straight as well and can start
        at lo.
        """
        low, high = _range(lo, hi, at_least=None)
        pieces = []
        for a, b in self._rises():
            start = a
            if a[0] == 0:
                tp = self._tp_at_gain(low)
                if tp >= b[0]:
                    continue
                start = (tp, _on_line(a, b, tp))
            pieces.append((self._gains(start), self._gains(b)))
        return sum(_areas(pieces, low, high), Fraction(0))

    # Expectations --------------------------------------------------------------------------

    def expected_accuracy(self) -> Fraction:
        """Average accuracy when the predicted-positive rate is uniform on [0, 1]."""
        rates = [(tp + fp) / (self.positives + self.negatives) for tp, fp in self.points]
        corners = zip(rates, self.accuracy(), strict=True)
        return sum(_areas(pairwise(corners), Fraction(0), Fraction(1)), Fraction(0))

    def expected_f_gain(self, beta: SupportsFloat = 1) -> Fraction | None:
        """Average F gain under Flach & Kull's uniform measure; None where it is 0/0.

        Notes
        -----
        Delta = recG / pi - precG / (1 - pi) is uniform from its value at (0, y0) to that at (1, 0)
        (Flach & Kull 2015, Theorem 3, for beta = 1). It never falls along the path and moves along
        vertical drops too. F gain is linear on every straight piece (Theorem 2), so that
        trapezoids are exact. The path has no length when all negatives precede recall pi.
        """

        def f_gain(point: Point) -> Fraction:
            f, pi = self._f(point, beta), self.prevalence
            assert f  # tp >= pi P > 0 all along the path
            return (f - pi) / ((1 - pi) * f)

        return self._average_over_delta(f_gain)

    def expected_reciprocal_f(self) -> Fraction | None:
        """Average of 1 / F1 under the measure of `expected_f_gain`; None where it is 0/0."""

        def reciprocal_f(point: Point) -> Fraction:
            f = self._f(point, 1)
            assert f  # as above
            return 1 / f

        return self._average_over_delta(reciprocal_f)

    # Parts ---------------------------------------------------------------------------------

    def _rises(self) -> list[tuple[Point, Point]]:
        """Neighbours between which tp grows.

        Points ascend, so each such segment starts from the largest fp of its first tp and ends at
        the smallest fp of its last.
        """
        return [(a, b) for a, b in pairwise(self.points) if a[0] < b[0]]

    def _fp_at(self, tp: Fraction) -> Fraction:
        """Smallest fp at 0 < tp <= P, linear in tp between neighbours."""
        return next(_on_line(a, b, tp) for a, b in self._rises() if a[0] < tp <= b[0])

    def _tp_at_gain(self, recall_gain: Fraction) -> Fraction:
        """Solve recG = (tp - pi P) / ((1 - pi) tp) for tp."""
        pi = self.prevalence
        return pi * self.positives / (1 - (1 - pi) * recall_gain)

    def _gain(self, value: Fraction | None) -> Fraction | float | None:
        if value is None:
            return None
        pi = self.prevalence
        return (value - pi) / ((1 - pi) * value) if value else _MINUS_INFINITY

    def _gains(self, point: Point) -> Point:
        """(recall gain, precision gain) of a point with tp > 0."""
        tp, fp = point
        odds = self.positives / self.negatives
        return 1 - odds * (self.positives - tp) / tp, 1 - odds * fp / tp

    def _f(self, point: Point, beta: SupportsFloat) -> Fraction | None:
        weight = _exact(beta) ** 2
        tp, fp = point
        denominator = (1 + weight) * tp + weight * (self.positives - tp) + fp
        return (1 + weight) * tp / denominator if denominator else None

    def _straight_pieces(self, interpolation: Interpolation) -> Iterator[tuple[Point, Point]]:
        """Straight pieces of (tp, precision) under the four piecewise-linear interpolations."""
        for a, b in self._rises():
            if interpolation == "average-precision":
                yield (a[0], _precision(b)), (b[0], _precision(b))
            elif interpolation == "max-precision":
                best = max(_precision(point) for point in self.points if point[0] >= b[0])
                yield (a[0], best), (b[0], best)
            else:
                stops = [a, b] if interpolation == "linear" else _integer_stops(a, b)
                first = _precision(b if a == _EMPTY_RULE else a)
                heights = [first, *(_precision(stop) for stop in stops[1:])]
                yield from pairwise(
                    (stop[0], height) for stop, height in zip(stops, heights, strict=True)
                )

    def _average_over_delta(self, value: Callable[[Point], Fraction]) -> Fraction | None:
        pi = self.prevalence
        first_tp = self._tp_at_gain(Fraction(0))
        start = (first_tp, self._fp_at(first_tp))
        path = [start, *(point for point in self.points if point > start)]

        def delta(point: Point) -> Fraction:
            recall_gain, precision_gain = self._gains(point)
            return recall_gain / pi - precision_gain / (1 - pi)

        lo, hi = delta(path[0]), delta(path[-1])
        if lo == hi:
            return None
        corners = [(delta(point), value(point)) for point in path]
        return sum(_areas(pairwise(corners), lo, hi), Fraction(0)) / (hi - lo)


def _item(value: object) -> float:
    """Plain Python number of a NumPy scalar; anything else as it is."""
    return value.item() if hasattr(value, "item") else value  # type: ignore[return-value]


def _exact(value: SupportsFloat) -> Fraction:
    try:
        return Fraction(_item(value))
    except (OverflowError, ValueError) as error:
        raise ValueError(f"{value} is not a finite number; give one that is") from error


def _show(point: Point) -> str:
    return f"({point[0]}, {point[1]})"


def _within(value: SupportsFloat, lo: int, hi: int, name: str) -> Fraction:
    exact = _exact(value)
    if not lo <= exact <= hi:
        raise ValueError(f"{name} is {value}; it must lie in [{lo}, {hi}]")
    return exact


def _range(lo: SupportsFloat, hi: SupportsFloat, at_least: int | None) -> tuple[Fraction, Fraction]:
    low, high = _exact(lo), _exact(hi)
    if low > high or high > 1 or (at_least is not None and low < at_least):
        bound = "" if at_least is None else f"{at_least} <= "
        raise ValueError(f"lo and hi are {lo} and {hi}; give {bound}lo <= hi <= 1")
    return low, high


def _cloud(
    tp: Iterable[SupportsFloat],
    fp: Iterable[SupportsFloat],
    positives: SupportsFloat,
    negatives: SupportsFloat,
) -> tuple[tuple[Point, ...], Fraction, Fraction]:
    """Distinct points in ascending order, with the two trivial rules, and the totals."""
    last = (_exact(positives), _exact(negatives))
    points = {(_exact(t), _exact(f)) for t, f in zip(tp, fp, strict=True)}
    for point in points:
        if not (0 <= point[0] <= last[0] and 0 <= point[1] <= last[1]):
            raise ValueError(f"point {_show(point)} lies outside (0, 0) to {_show(last)}")
    return tuple(sorted(points | {_EMPTY_RULE, last})), *last


def _precision(point: Point) -> Fraction:
    return point[0] / (point[0] + point[1])


def _on_line(a: Point, b: Point, x: Fraction) -> Fraction:
    """Height at x of the straight line from a to b."""
    return a[1] + (b[1] - a[1]) * (x - a[0]) / (b[0] - a[0])


def _areas(pieces: Iterable[tuple[Point, Point]], lo: Fraction, hi: Fraction) -> Iterator[Fraction]:
    """Areas under straight pieces, each cut to [lo, hi]; a vertical piece has none."""
    for a, b in pieces:
        left, right = max(a[0], lo), min(b[0], hi)
        if left < right:
            # A straight line's mean is its height in the middle.
            yield (right - left) * _on_line(a, b, (left + right) / 2)


def _curved_area(a: Point, b: Point, lo: Fraction, hi: Fraction) -> mpmath.mpf:
    """Integral of precision over tp from a to b, cut to [lo, hi], with fp linear in tp."""
    left, right = max(a[0], lo), min(b[0], hi)
    if left >= right:
        return mpmath.mpf(0)
    slope = (b[1] - a[1]) / (b[0] - a[0])
    scale, offset = 1 + slope, a[1] - slope * a[0]
    if offset == 0:
        return _mpf((right - left) / scale)
    # The two terms nearly cancel on short segments and at low precision. Sixty digits leave more
    # than thirty for counts up to 1e12.
    logarithm = mpmath.log(_mpf((scale * right + offset) / (scale * left + offset)))
    return _mpf((right - left) / scale) - _mpf(offset / scale**2) * logarithm


def _integer_stops(a: Point, b: Point) -> list[Point]:
    """Walk from a to b in steps of one true positive, fp linear in tp, and a remainder."""
    stops, tp = [a], a[0] + 1
    while tp < b[0]:
        stops.append((tp, _on_line(a, b, tp)))
        tp += 1
    return [*stops, b]


def _mpf(value: Fraction) -> mpmath.mpf:
    return mpmath.mpf(value.numerator) / value.denominator
