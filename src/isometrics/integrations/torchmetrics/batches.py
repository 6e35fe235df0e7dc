"""One batch of predictions as tensors, checked."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import torch
from torch import Tensor

from isometrics.columns import Column
from isometrics.devices import to_host
from isometrics.errors import DimensionError, LabelError, MissingValueError, ScoreError

if TYPE_CHECKING:
    from collections.abc import Iterator

IGNORED = -1
"""Stands in the labels for what is left out."""
_UNKNOWN = "labels that are neither 0, 1 nor the ignore_index"


class Batch(NamedTuple):
    """Labels and scores, one a row, or a column for each label."""

    labels: Tensor
    """1, 0, or -1 for what is ignored, in 8 bits."""
    scores: Tensor
    """Floats of 32 or 64 bits."""

    def each_label(self) -> Iterator[tuple[Tensor, Tensor]]:
        """Yield who is positive and the scores for each label, without what is ignored."""
        if self.labels.ndim == 1:
            yield self.labels == 1, self.scores
            return
        for labels, scores in zip(self.labels.T, self.scores.T, strict=True):
            kept = labels != IGNORED
            yield labels[kept] == 1, scores[kept]


def clean_batch(
    preds: Tensor, target: Tensor, *, num_labels: int | None, ignore_index: int | None
) -> Batch:
    """Check a batch of any shape, with the labels in its second dimension if there are several."""
    _check_shapes(preds, target, num_labels)
    target = target.detach().to(preds.device)
    labels = torch.where(target == 1, 1, torch.where(target == 0, 0, IGNORED - 1))
    if ignore_index is not None:
        labels = torch.where(target == ignore_index, IGNORED, labels)
    unknown = labels < IGNORED
    missing = torch.isnan(preds) & (labels != IGNORED)
    # A device is waited for once.
    if bool((unknown | missing).any()):
        _refuse("target", target, unknown, LabelError, _UNKNOWN)
        _refuse("preds", preds, missing, MissingValueError, "missing values (NaN)")
    wide = torch.float64 if preds.dtype == torch.float64 else torch.float32
    # What the caller writes into its tensor later is none of our rows.
    scores = preds.detach().to(wide, copy=True)
    batch = Batch(labels.to(torch.int8), scores)
    if num_labels is not None:
        return Batch(*(part.movedim(1, -1).reshape(-1, num_labels) for part in batch))
    batch = Batch(*(part.flatten() for part in batch))
    if ignore_index is None:
        return batch
    kept = batch.labels != IGNORED
    return Batch(*(part[kept] for part in batch))


def _check_shapes(preds: Tensor, target: Tensor, num_labels: int | None) -> None:
    for name, given in (("preds", preds), ("target", target)):
        if not isinstance(given, Tensor):
            raise DimensionError(f"{name} must be a tensor of torch but is {given!r:.50}")
    if preds.shape != target.shape:
        raise DimensionError(
            f"preds has shape {tuple(preds.shape)} but target has shape {tuple(target.shape)}"
        )
    if num_labels is not None and (preds.ndim < 2 or preds.shape[1] != num_labels):
        raise DimensionError(
            f"preds must have {num_labels} labels in its second dimension but has shape "
            f"{tuple(preds.shape)}"
        )
    if not preds.is_floating_point():
        raise ScoreError(
            f"preds must hold floats but is of type {preds.dtype}; pass scores, not classes, for "
            "example preds.double()"
        )


def _refuse(
    name: str,
    given: Tensor,
    offending: Tensor,
    error: type[LabelError | MissingValueError],
    what: str,
) -> None:
    """Say how many values cannot be used, and where the first is; positions count all values."""
    column = Column(name, to_host(given.flatten()))
    column.refuse(to_host(offending.flatten()), error, what)
