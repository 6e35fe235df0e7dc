"""OperatingPoints: the table in the user's hand, with its constructors and its spaces."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

from isometrics._core.counts import check_totals, parse_thresholds
from isometrics._core.parameters import (
    check_choice,
    check_prevalence,
    check_size,
)
from isometrics._core.results import number
from isometrics._core.rows import parse_device_sample, parse_sample
from isometrics._core.sample import UNNAMED
from isometrics._table.building import (
    counts_from_pr,
    counts_from_roc,
    counts_within_totals,
    table_of_curve,
    table_of_points,
    table_of_sample,
    table_of_sets,
    table_of_thresholds,
)
from isometrics._table.path import hull_of
from isometrics._table.table import RowMeasures, at_prevalence, at_thresholds, merged
from isometrics.errors import PointsError
from isometrics.points.compact import compacted, hull_alone, hull_with_areas, table_on_device
from isometrics.spaces import PRGSpace, PRSpace, ROCSpace, Tradeoff
from isometrics.spaces.tradeoff import tradeoff_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike

    from isometrics._core.arrays import Total
    from isometrics._core.families import UniverseSize
    from isometrics._table.table import Table
    from isometrics.spaces.indices import WeightedIndex


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class OperatingPoints(RowMeasures):
    """All operating points of one model on one sample: true and false positives by threshold.

    Build one with `from_scores`, `from_counts`, `from_roc`, `from_pr` or `from_sets`. The rule of
    a row is ``score >= threshold``; ties move together. The first row is the empty rule (threshold
    +inf), the last one calls everything positive. All arrays are read-only.

    Examples
    --------
    >>> import isometrics as iso
    >>> pts = iso.OperatingPoints.from_scores([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1])
    >>> pts
    OperatingPoints: 5 rows, 2 positives, 2 negatives, prevalence 0.5
    threshold  tp  fp  precision  recall
          inf   0   0        nan       0
          0.9   1   0          1     0.5
          0.8   1   1        0.5     0.5
          0.7   2   1   0.666667       1
          0.1   2   2        0.5       1
    """

    table: Table

    # ------------------------------------------------------------------ constructors

    @classmethod
    def from_scores(
        cls,
        y_true: ArrayLike,
        y_score: ArrayLike,
        *,
        sample_weight: ArrayLike | None = None,
        pos_label: object = None,
        positives: Total | None = None,
        negatives: Total | None = None,
        rows: str = "all",
    ) -> Self:
        """Count the operating points of scores, higher meaning more likely positive.

        Parameters
        ----------
        y_true
            Labels: booleans, 0/1, -1/+1, or any two values with `pos_label`.
        y_score
            Scores of any real type, compared exactly in their own precision. A score of -inf is
            legal, and so is +inf, which counts as the highest float64: no score reaches the
            threshold +inf of the empty rule.
        sample_weight
            Weights ≥ 0; a row of weight 0 is absent. Integer weights give integer counts.
        pos_label
            The label of the positive class.
        positives, negatives
            Totals that include items never scored, such as relevant documents that were not
            retrieved. Those lie below every threshold but the last, which is then -inf.
        rows
            ``"all"``: a row for every distinct score. ``"corners"``: only those at which true
            positives rise, the ones before them, and the last. The curve, its areas, its hull and
            its tradeoffs are the same; counts at other thresholds, merging, and what depends on
            single rows are refused. Where positives are rare this is much shorter and faster.
            ``"hull"``: only its vertices and few others, with all areas; this takes the least
            memory.

        Notes
        -----
        Arrays of torch, CuPy and JAX are sorted and counted on the device they lie on, unless
        they have weights or unscored items; what is then kept comes to the host. Of the areas,
        ``rows="hull"`` then lacks those of ``"integer-steps"`` and ``"max-precision"``.
        """
        check_choice(rows, "rows", ("all", "corners", "hull"))
        if sample_weight is None and positives is None and negatives is None:
            on_its_device = parse_device_sample(y_true, y_score, pos_label, check_labels=False)
            table = None if on_its_device is None else table_on_device(on_its_device, rows)
            if table is not None:
                return cls(table)
        sample = parse_sample(
            y_true, {UNNAMED: y_score}, sample_weight=sample_weight, pos_label=pos_label
        )
        if rows == "hull" and positives is None and negatives is None:
            return cls(hull_alone(sample))
        whole = cls(table_of_sample(sample, positives, negatives, corners=rows == "corners"))
        return cls(hull_with_areas(whole.table)) if rows == "hull" else whole

    @classmethod
    def from_counts(
        cls,
        tp: ArrayLike,
        fp: ArrayLike,
        *,
        positives: Total,
        negatives: Total,
        thresholds: ArrayLike | None = None,
        labels: Sequence[object] | None = None,
    ) -> Self:
        """Take counts as they are: of thresholds, of a curve, or of a family of sets.

        Parameters
        ----------
        tp, fp
            True and false positives of each row.
        positives, negatives
            The totals.
        thresholds
            The distinct scores, strictly decreasing, one for each row: the table is then taken
            to have a row for every distinct score, and can be merged and asked for any
            threshold.
        labels
            Names or parameter values of sets that need not be nested.

        Notes
        -----
        The two trivial rules are added to thresholds and curves that lack them. Without
        `thresholds` and `labels`, nested rows are a curve, in any order; rows that are not
        nested are a family of sets labelled 0, 1, 2, …
        """
        totals = check_totals(positives, negatives, counted="the table")
        tps, fps = counts_within_totals(tp, fp, *totals)
        if thresholds is None:
            return cls(table_of_points(tps, fps, totals, labels))
        if labels is not None:
            raise PointsError("pass either thresholds= or labels=, not both")
        return cls(table_of_thresholds(thresholds, tps, fps, totals))

    @classmethod
    def from_roc(
        cls, fpr: ArrayLike, tpr: ArrayLike, *, positives: Total, negatives: Total
    ) -> Self:
        """Recover the counts of a ROC curve, which needs the totals of both classes.

        Counts within rounding of whole numbers become integers; points of a smooth curve stay
        fractional.
        """
        totals = check_totals(positives, negatives, counted="the curve")
        return cls(table_of_curve(*counts_from_roc(fpr, tpr, *totals), totals))

    @classmethod
    def from_pr(
        cls, recall: ArrayLike, precision: ArrayLike, *, positives: Total, negatives: Total
    ) -> Self:
        """Recover the counts of a PR curve, which needs the totals of both classes.

        The point (recall 0, precision 1) that scikit-learn appends is recognised and left out.
        A point of recall 0 with another precision does not tell its false positives and is
        refused.
        """
        totals = check_totals(positives, negatives, counted="the curve")
        return cls(table_of_curve(*counts_from_pr(recall, precision, *totals), totals))

    @classmethod
    def from_sets(
        cls,
        target: object,
        found: object,
        *,
        universe_size: UniverseSize,
        labels: Sequence[object] | None = None,
    ) -> Self:
        """Count what found sets share with a target set: clusters, biclusters, documents.

        Parameters
        ----------
        target
            The set that should be found: a Python set, a list or an array of integer positions,
            a boolean mask, or a list of names such as document identifiers, ranked or not.
        found
            The sets that were found, in a list, or in a dict by their labels.
        universe_size
            The number of elements that exist. For biclusters, the shape (rows, columns) of the
            matrix; a set is then a `Bicluster` or a tuple (rows, columns).
        labels
            Names or parameter values of the sets in a list, by default 0, 1, 2, …

        Notes
        -----
        tp is |T ∩ X| and fp is |X| - |T ∩ X|, under P = |T| and N = |D| - |T| (Hanczar & Nadif on
        the tradeoff space, section 2.1). Integers are positions from 0 on; where some element is
        not an integer, all elements are names.

        Examples
        --------
        >>> import isometrics as iso
        >>> relevant = {"d1", "d2", "d3"}
        >>> searches = {"strict": ["d1"], "broad": ["d2", "d7", "d1", "d9"]}
        >>> iso.OperatingPoints.from_sets(relevant, searches, universe_size=100)
        OperatingPoints: 2 rows, 3 positives, 97 negatives, prevalence 0.03
         label  tp  fp  precision    recall
        strict   1   0          1  0.333333
         broad   2   2        0.5  0.666667
        """
        return cls(table_of_sets(target, found, universe_size, labels))

    # ------------------------------------------------------------------ spaces

    @property
    def roc(self) -> ROCSpace:
        """ROC space: true positive rate over false positive rate."""
        return ROCSpace(self.table)

    @property
    def pr(self) -> PRSpace:
        """PR space: precision over recall."""
        return PRSpace(self.table)

    @property
    def prg(self) -> PRGSpace:
        """PRG space: precision gain over recall gain."""
        return PRGSpace(self.table)

    def tradeoff(self, index: str | WeightedIndex = "f-measure") -> Tradeoff:
        """Tradeoff space: the best value of an index over the weight λ of recall.

        Parameters
        ----------
        index
            ``"kulczynski"``, ``"f-measure"``, ``"folke"``, ``"jaccard"`` (Hanczar & Nadif),
            ``"f-gain"``, ``"cost"``, or an `Index` of your own.
        """
        return tradeoff_of(self.table, index)

    # ------------------------------------------------------------------ other tables

    def hull(self) -> OperatingPoints:
        """Return the convex hull: what thresholds and coin tosses between them can achieve.

        One hull serves all spaces: in PR space it is the achievable curve, in PRG space the PRG
        hull. On integer counts it is exact: collinear points are not vertices.
        """
        return OperatingPoints(hull_of(self.table))

    def at(self, thresholds: ArrayLike) -> OperatingPoints:
        """Return the rows of the rule ``score >= t`` for arbitrary thresholds t, in their order.

        Examples
        --------
        Thresholds chosen on tuning data, judged on test data (Davis & Goadrich 2006, section 3):

        >>> import isometrics as iso
        >>> tuning = iso.OperatingPoints.from_scores([1, 1, 0, 0], [0.9, 0.4, 0.6, 0.1])
        >>> test = iso.OperatingPoints.from_scores([1, 0, 1, 0], [0.8, 0.5, 0.3, 0.2])
        >>> test.at(tuning.hull().thresholds).tp
        array([0, 0, 1, 2])
        """
        return OperatingPoints(at_thresholds(self.table, parse_thresholds(thresholds)))

    def at_prevalence(self, prevalence: float) -> OperatingPoints:
        """Return the points as they would be at another prevalence.

        True and false positive rates stay; all false positives and negatives are scaled by one
        factor, so their counts become fractional.
        """
        return OperatingPoints(at_prevalence(self.table, check_prevalence(prevalence)))

    def compact(self, max_points: int) -> OperatingPoints:
        """Return a table of at most so many rows that answers as exactly as this one.

        The rows of the hull stay, and so does the most precise one: all that can be best. The
        others are a dense choice. All areas are computed before rows are left out, and `gaps` of
        the table tells where these were.

        Parameters
        ----------
        max_points
            The most rows, which must have room for the hull.

        Notes
        -----
        What another row could change is refused afterwards: a part of an area, a constraint,
        counts at a threshold that is not among the rows. A table with rows at the borders of bins
        does not know its areas; `area_brackets` has wider bounds behind it.

        Examples
        --------
        >>> import isometrics as iso
        >>> pts = iso.OperatingPoints.from_scores([1, 1, 0, 1, 0, 0, 1, 0], range(8, 0, -1))
        >>> some = pts.compact(6)
        >>> len(some), some.roc.area() == pts.roc.area()
        (6, True)
        """
        return OperatingPoints(compacted(self.table, check_size(max_points, "max_points")))

    def __add__(self, other: object) -> OperatingPoints:
        """Merge with the table of other data: the exact table of both samples together."""
        if not isinstance(other, OperatingPoints):
            return NotImplemented
        return OperatingPoints(merged(self.table, other.table))

    def __radd__(self, other: object) -> OperatingPoints:
        """Let `sum` merge a list of tables; it starts from 0."""
        return self if other == 0 else NotImplemented

    # ------------------------------------------------------------------ faces

    def _title(self) -> str:
        some = " of a longer table" if self.table.partial else ""
        return (
            f"OperatingPoints: {len(self)} rows{some}, {number(self.positives)} positives, "
            f"{number(self.negatives)} negatives, prevalence {number(self.prevalence)}"
        )

    def _shown(self) -> dict[str, Any]:
        columns = ("tp", "fp", "precision", "recall")
        return self._printed_names() | self._named(*columns)

    def _columns(self) -> dict[str, Any]:
        columns = ("tp", "fp", "fn", "tn", "false_positive_rate", "precision", "recall")
        gains = ("precision_gain", "recall_gain")
        return self._names() | self._named(*columns, *gains)
