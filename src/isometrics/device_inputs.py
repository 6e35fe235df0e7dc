"""Labels and scores that lie on a device, checked there.

What cannot be used is neither decided nor said here: such input goes the way of all other, over
the host, where `isometrics.inputs` finds the words.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from isometrics.columns import column
from isometrics.devices import is_remote, namespace_of
from isometrics.inputs import positive_rows

MOST_ROWS = 2**32
"""Up to here products of two counts fit into 64 bits."""


class DeviceSample(NamedTuple):
    """Labels and scores of one device, as many of both."""

    xp: Any
    labels: Any
    """Booleans."""
    scores: Any
    """Floats or integers of 32 or 64 bits."""

    @property
    def size(self) -> int:
        """The number of rows."""
        return int(self.scores.shape[0])

    @property
    def has_nan(self) -> bool:
        """Whether a score is NaN; the least of all is NaN then."""
        xp, _, scores = self
        return bool(xp.isdtype(scores.dtype, "real floating") and xp.isnan(xp.min(scores)))


def clean_device_sample(
    y_true: Any, y_score: Any, pos_label: object, *, nan_found_later: bool = False
) -> DeviceSample | None:
    """Return labels and scores where they are, or None if the host has to look at them."""
    if not is_remote(y_score) or y_score.ndim != 1 or not 0 < y_score.shape[0] < MOST_ROWS:
        return None
    xp = namespace_of(y_score)
    if "float64" not in xp.__array_namespace_info__().dtypes(device=y_score.device):
        return None
    scores = _widened(xp, y_score)
    labels = None if scores is None else _labels(xp, y_true, y_score, pos_label)
    if labels is None:
        return None
    sample = DeviceSample(xp, labels, scores)
    return sample if nan_found_later or not sample.has_nan else None


def _widened(xp: Any, scores: Any) -> Any:
    """Return scores in a type of 32 or 64 bits that holds each of them; None if none does."""
    if xp.isdtype(scores.dtype, "complex floating") or scores.dtype == xp.uint64:
        return None
    if xp.isdtype(scores.dtype, "real floating"):
        wide = scores.dtype in (xp.float32, xp.float64)
        return scores if wide else xp.astype(scores, xp.float32)
    if scores.dtype in (xp.int32, xp.int64):
        return scores
    return xp.astype(scores, xp.int64 if scores.dtype == xp.uint32 else xp.int32)


def _labels(xp: Any, y_true: Any, y_score: Any, pos_label: object) -> Any:
    if is_remote(y_true):
        if y_true.shape != y_score.shape:
            return None
        if pos_label is None and y_true.device == y_score.device:
            if xp.isdtype(y_true.dtype, "bool"):
                return y_true
            positive = y_true == 1
            if bool(xp.all(positive | (y_true == 0))) or bool(xp.all(positive | (y_true == -1))):
                return positive
    given = column(y_true, "y_true")
    if given.size != y_score.shape[0]:
        return None
    return xp.asarray(positive_rows(given, pos_label), device=y_score.device)
