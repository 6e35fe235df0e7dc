"""Many target sets and many found sets: which belongs to which, by any index."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from isometrics._core.families import Bicluster, as_given, names_of, overlaps, read, refuse_trivial
from isometrics._core.parameters import check_level
from isometrics._core.results import ResultTable
from isometrics.points import OperatingPoints
from isometrics.spaces.indices import Rows, index_named

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from isometrics._core.arrays import Floats
    from isometrics._core.families import Family, UniverseSize
    from isometrics.spaces.indices import WeightedIndex

__all__ = ["Bicluster", "Matches", "best_matches", "match_one_to_one", "overlap_matrix", "ranked"]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Matches(ResultTable):
    """A found set for each target, one row a target.

    Attributes
    ----------
    targets
        The labels of the targets.
    found
        The label of the found set of each target; None where there is none.
    rows
        The place of that set among the found ones; -1 where there is none.
    tp, fp
        |T ∩ X| and |X| - |T ∩ X|; both 0 without a match.
    positives
        |T|, the size of each target.
    value
        The index; 0 without a match.
    index, lam
        The name of the index, and the weight of recall in it.
    """

    targets: tuple[object, ...]
    found: tuple[object, ...]
    rows: NDArray[np.intp]
    tp: NDArray[np.int64]
    fp: NDArray[np.int64]
    positives: NDArray[np.int64]
    value: Floats
    index: str
    lam: float

    @property
    def precision(self) -> Floats:
        """tp/(tp+fp); NaN without a match."""
        return _ratio(self.tp, self.tp + self.fp)

    @property
    def recall(self) -> Floats:
        """tp/|T|."""
        return _ratio(self.tp, self.positives)

    def _title(self) -> str:
        matched = int((self.rows >= 0).sum())
        return f"Matches: {matched} of {self.rows.size} targets, {self.index} at λ = {self.lam:g}"

    def _columns(self) -> dict[str, Any]:
        return {
            "target": list(self.targets),
            "found": list(self.found),
            "tp": self.tp,
            "fp": self.fp,
            "precision": self.precision,
            "recall": self.recall,
            "value": self.value,
        }


def best_matches(
    targets: object,
    found: object,
    *,
    universe_size: UniverseSize,
    index: str | WeightedIndex = "f-measure",
    lam: float = 0.5,
) -> Matches:
    """Return the best found set for each target; one set may serve several targets.

    Parameters
    ----------
    targets, found
        Two families of sets, each a list, or a dict by labels; sets as in
        `OperatingPoints.from_sets`.
    universe_size
        The number of elements that exist, or the shape of the matrix for biclusters.
    index
        A name such as ``"f-measure"``, ``"jaccard"``, ``"folke"`` or ``"kulczynski"``, or an
        index of your own.
    lam
        The weight λ of recall in it.

    Notes
    -----
    Only sets that share an element with the target are considered. Of equally good sets the first
    is taken.

    Examples
    --------
    >>> import isometrics as iso
    >>> classes = {"cats": [0, 1, 2, 3], "dogs": [4, 5, 6]}
    >>> clusters = {"A": [0, 1, 2, 6], "B": [3, 4, 5], "C": [7]}
    >>> iso.best_matches(classes, clusters, universe_size=8)
    Matches: 2 of 2 targets, f-measure at λ = 0.5
    target  found  tp  fp  precision    recall     value
      cats      A   3   1       0.75      0.75      0.75
      dogs      B   2   1   0.666667  0.666667  0.666667
    """
    pairs = _pairs(targets, found, universe_size, index, lam)
    return pairs.chosen(np.argmax(pairs.values, axis=1))


def match_one_to_one(
    targets: object,
    found: object,
    *,
    universe_size: UniverseSize,
    index: str | WeightedIndex = "f-measure",
    lam: float = 0.5,
) -> Matches:
    """Match targets and found sets in pairs, so that the sum of the index is as high as possible.

    Parameters
    ----------
    targets, found, universe_size, index, lam
        As in `best_matches`.

    Notes
    -----
    A target stays without a match where the found sets are fewer, where no set left shares an
    element with it, or where every one left would lower the sum (an F gain may be negative).

    Examples
    --------
    >>> import isometrics as iso
    >>> classes = {"cats": [0, 1, 2, 3], "dogs": [4, 5, 6]}
    >>> iso.match_one_to_one(classes, {"all": range(8)}, universe_size=9, index="jaccard")
    Matches: 1 of 2 targets, jaccard at λ = 0.5
    target  found  tp  fp  precision  recall  value
      cats    all   4   4        0.5       1    0.5
      dogs   None   0   0        nan       0      0
    """
    from scipy.optimize import linear_sum_assignment

    pairs = _pairs(targets, found, universe_size, index, lam)
    rows, columns = linear_sum_assignment(np.maximum(pairs.values, 0), maximize=True)
    chosen = np.full(len(pairs.targets.members), -1)
    useful = pairs.values[rows, columns] > 0
    chosen[rows[useful]] = columns[useful]
    return pairs.chosen(chosen)


def overlap_matrix(
    targets: object, found: object, *, universe_size: UniverseSize
) -> NDArray[np.int64]:
    """Return |T ∩ X| for every target T (row) and found set X (column).

    Examples
    --------
    >>> from isometrics.sets import overlap_matrix
    >>> overlap_matrix([[0, 1, 2, 3], [4, 5, 6]], [[0, 1, 2, 6], [3, 4, 5]], universe_size=8)
    array([[3, 1],
           [1, 2]])
    """
    first, second = as_given(targets, "targets"), as_given(found, "found")
    return overlaps(*read(first, second, universe_size)[:2])


def ranked(
    target: object, ranking: list[object], *, universe_size: UniverseSize
) -> OperatingPoints:
    """Count a ranked list of retrieved documents: one row for each depth.

    The threshold of a row is minus its depth, so that the table reads and merges like one of
    scores. Documents that were not retrieved lie below all depths.

    Parameters
    ----------
    target
        The relevant documents, a set or a list of identifiers.
    ranking
        The retrieved documents, best first.
    universe_size
        The number of documents that exist.

    Examples
    --------
    >>> from isometrics.sets import ranked
    >>> ranked({"d1", "d2"}, ["d2", "d7", "d1"], universe_size=5)
    OperatingPoints: 5 rows, 2 positives, 3 negatives, prevalence 0.4
    threshold  tp  fp  precision  recall
          inf   0   0        nan       0
           -1   1   0          1     0.5
           -2   1   1        0.5     0.5
           -3   2   1   0.666667       1
         -inf   2   3        0.4       1
    """
    whole = OperatingPoints.from_sets(target, [ranking], universe_size=universe_size)
    depths = np.arange(1, len(ranking) + 1)
    relevant, _ = names_of(target, "target"), names_of(ranking, "ranking")
    hits = np.cumsum(np.fromiter(map(relevant.__contains__, ranking), np.int64, depths.size))
    return OperatingPoints.from_counts(
        hits,
        depths - hits,
        positives=whole.positives,
        negatives=whole.negatives,
        thresholds=-depths,
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Pairs:
    """Every target beside every found set; -inf is the value of a pair that shares nothing."""

    targets: Family
    found: Family
    tp: NDArray[np.int64]
    values: Floats
    index: str
    lam: float

    def chosen(self, columns: NDArray[np.intp]) -> Matches:
        """Return one found set for each target; -1 is none."""
        rows = np.arange(columns.size)
        matched = (columns >= 0) & (self.tp[rows, columns] > 0)
        columns = np.where(matched, columns, -1)
        tp = np.where(matched, self.tp[rows, columns], 0)
        return Matches(
            self.targets.labels,
            tuple(self.found.labels[place] if place >= 0 else None for place in columns),
            columns,
            tp,
            np.where(matched, self.found.sizes[columns] - tp, 0),
            self.targets.sizes,
            np.where(matched, self.values[rows, columns], 0.0),
            self.index,
            self.lam,
        )


def _pairs(
    targets: object,
    found: object,
    universe_size: UniverseSize,
    index: str | WeightedIndex,
    lam: float,
) -> _Pairs:
    measure, weight = index_named(index), check_level(lam, "lam")
    given = as_given(targets, "targets")
    first, second, size = read(given, as_given(found, "found"), universe_size)
    refuse_trivial(first, given.names, size)
    tp = overlaps(first, second)
    fp = second.sizes - tp
    values = np.full(tp.shape, -np.inf)
    for row, positives in enumerate(first.sizes.tolist()):
        shared = np.flatnonzero(tp[row])
        rows = Rows(tp[row, shared], fp[row, shared], positives, size - positives)
        values[row, shared] = measure.of_rows(rows, np.asarray(weight))
    return _Pairs(first, second, tp, values, measure.name, weight)


def _ratio(part: NDArray[np.int64], whole: NDArray[np.int64]) -> Floats:
    with np.errstate(invalid="ignore"):
        return np.asarray(part / whole)
