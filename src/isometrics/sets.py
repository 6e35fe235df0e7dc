"""Target sets and found sets, matched by any index."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from isometrics._core.families import (
    Bicluster,
    overlaps,
    parse_families,
    parse_names,
    parse_sets,
    refuse_trivial,
)
from isometrics._core.parameters import check_level
from isometrics._core.results import ResultTable
from isometrics._counting.confusion import Confusion, divided
from isometrics.points import OperatingPoints
from isometrics.spaces.indices import index_named

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from isometrics._core.arrays import Floats
    from isometrics._core.families import Family, UniverseSize
    from isometrics.spaces.indices import WeightedIndex

__all__ = ["Bicluster", "Matches", "best_matches", "match_one_to_one", "overlap_matrix", "ranked"]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Matches(ResultTable):
    """The found set that is matched to each target, one row for each target.

    Attributes
    ----------
    targets
        The labels of the targets.
    found
        The label of the found set of each target; None where there is none.
    rows
        The index of that set among the found ones; -1 where there is none.
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
        return divided(self.tp, self.tp + self.fp)

    @property
    def recall(self) -> Floats:
        """tp/|T|."""
        return divided(self.tp, self.positives)

    def _title(self) -> str:
        matched = int((self.rows >= 0).sum())
        return f"Matches: {matched} of {self.rows.size} targets, {self.index} at λ = {self.lam:g}"

    def _columns(self) -> dict[str, Any]:
        return {"target": list(self.targets)} | self._named(
            "found", "tp", "fp", "precision", "recall", "value"
        )


def best_matches(
    targets: object,
    found: object,
    *,
    universe_size: UniverseSize,
    index: str | WeightedIndex = "f-measure",
    lam: float = 0.5,
) -> Matches:
    """Return the best found set for each target; one set may be the best for several targets.

    Parameters
    ----------
    targets, found
        Two families of sets, each a list, or a dict by labels; sets as in
        `OperatingPoints.from_sets`.
    universe_size
        The number of elements that exist, or the shape of the matrix for biclusters.
    index
        A name such as ``"f-measure"``, ``"jaccard"``, ``"folke"`` or ``"kulczynski"``, or a
        user-defined index.
    lam
        The weight λ of recall in it.

    Notes
    -----
    Only sets that have an element in common with the target are considered. Of equally good sets
    the first is returned.

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
    pairs = _all_pairs(targets, found, universe_size, index, lam)
    return pairs.matches(np.argmax(pairs.values, axis=1))


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
    A target has no match where there are fewer found sets than targets, where no remaining set has
    an element in common with it, or where each of these would lower the sum (an F gain may be
    negative).

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

    pairs = _all_pairs(targets, found, universe_size, index, lam)
    rows, columns = linear_sum_assignment(np.maximum(pairs.values, 0), maximize=True)
    found_index = np.full(len(pairs.targets.members), -1)
    positive = pairs.values[rows, columns] > 0
    found_index[rows[positive]] = columns[positive]
    return pairs.matches(found_index)


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
    raw_targets, raw_found = parse_sets(targets, "targets"), parse_sets(found, "found")
    return overlaps(*parse_families(raw_targets, raw_found, universe_size)[:2])


def ranked(
    target: object, ranking: list[object], *, universe_size: UniverseSize
) -> OperatingPoints:
    """Count a ranked list of retrieved documents: one row for each depth.

    The threshold of a row is minus its depth, so that the table can be read and merged like a
    table of scores. Documents that were not retrieved lie below all depths.

    Parameters
    ----------
    target
        The relevant documents, a set or a list of identifiers.
    ranking
        The retrieved documents, best first.
    universe_size
        The total number of documents.

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
    all_retrieved = OperatingPoints.from_sets(target, [ranking], universe_size=universe_size)
    depths = np.arange(1, len(ranking) + 1)
    relevant, _ = parse_names(target, "target"), parse_names(ranking, "ranking")
    hits = np.cumsum(np.fromiter(map(relevant.__contains__, ranking), np.int64, depths.size))
    return OperatingPoints.from_counts(
        hits,
        depths - hits,
        positives=all_retrieved.positives,
        negatives=all_retrieved.negatives,
        thresholds=-depths,
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Pairs:
    """Every pair of a target and a found set; pairs without a common element have value -inf."""

    targets: Family
    found: Family
    tp: NDArray[np.int64]
    values: Floats
    index: str
    lam: float

    def matches(self, found_index: NDArray[np.intp]) -> Matches:
        """Return the match of each target to the found set of that index; -1 is none."""
        rows = np.arange(found_index.size)
        matched = (found_index >= 0) & (self.tp[rows, found_index] > 0)
        found_index = np.where(matched, found_index, -1)
        tp = np.where(matched, self.tp[rows, found_index], 0)
        return Matches(
            targets=self.targets.labels,
            found=tuple(self.found.labels[k] if k >= 0 else None for k in found_index),
            rows=found_index,
            tp=tp,
            fp=np.where(matched, self.found.sizes[found_index] - tp, 0),
            positives=self.targets.sizes,
            value=np.where(matched, self.values[rows, found_index], 0.0),
            index=self.index,
            lam=self.lam,
        )


def _all_pairs(
    targets: object,
    found: object,
    universe_size: UniverseSize,
    index: str | WeightedIndex,
    lam: float,
) -> _Pairs:
    weighted_index, weight = index_named(index), check_level(lam, "lam")
    raw_targets, raw_found = parse_sets(targets, "targets"), parse_sets(found, "found")
    target_family, found_family, size = parse_families(raw_targets, raw_found, universe_size)
    refuse_trivial(target_family, raw_targets.names, size)
    tp = overlaps(target_family, found_family)
    values = np.full(tp.shape, -np.inf)
    for row, positives in enumerate(target_family.sizes.tolist()):
        columns = np.flatnonzero(tp[row])
        fp = found_family.sizes[columns] - tp[row, columns]
        rows = Confusion(tp[row, columns], fp, positives, size - positives)
        values[row, columns] = weighted_index.of_rows(rows, np.asarray(weight))
    return _Pairs(target_family, found_family, tp, values, weighted_index.name, weight)
