"""The hull of a sample and all its areas, without the table that they belong to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from isometrics import kernels
from isometrics.building import table_of_sample
from isometrics.compacting import Compacting
from isometrics.inputs import as_thresholds, clean_totals
from isometrics.kernels.keys import encoding_of
from isometrics.table import ClassTotals, Table

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from isometrics.inputs import Sample

SECTION = 1 << 16
"""Rows that are looked at together, while they are in the processor's cache."""


def hull_alone(sample: Sample, *, section: int = SECTION) -> Table:
    """Return the vertices of the hull and few rows besides, with the areas of the whole table.

    Only the sorted keys of all rows are in memory, as large as float64 scores.
    """
    labels, scores, weights = sample
    positives = int(np.count_nonzero(labels))
    encoding = encoding_of(scores) if weights is None else None
    if encoding is None:
        return hull_with_areas(table_of_sample(sample, None, None))
    clean_totals(positives, labels.size - positives, counted="y_true")
    keys = kernels.sorted_keys(labels, scores, encoding)
    found = Compacting(ClassTotals(positives, labels.size - positives), fineness=0)
    end = keys.size
    while end:
        start = _start_of_ties(keys, max(end - section, 0))
        part = keys[start:end]
        last = np.append(np.flatnonzero((part[1:] ^ part[:-1]) > 1), part.size - 1)
        upto = np.cumsum(~part & part.dtype.type(1), dtype=np.int64)
        before = positives - int(upto[-1])
        tp = np.concatenate([[before], before + upto[last]])
        fp = np.concatenate([[start], start + 1 + last]) - tp
        found.add(as_thresholds(encoding.scores(part[last])), tp, fp)
        end, positives = start, before
    return found.table()


def hull_with_areas(table: Table) -> Table:
    """Keep the hull of a table and few rows besides, with all its areas."""
    found = Compacting(ClassTotals(table.positives, table.negatives), fineness=0)
    found.add(table.thresholds[1:], table.tp, table.fp)
    return found.table()


def _start_of_ties(keys: NDArray[Any], row: int) -> int:
    """Return the first row that is tied with a row; of ties, the positives come first."""
    one = keys.dtype.type(1)
    return int(np.searchsorted(keys, keys[row] & ~one))
