"""Precision-recall-gain curves as a metric."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from isometrics.integrations.torchmetrics.rows import Rows, RowsMetric
from isometrics.points import OperatingPoints

if TYPE_CHECKING:
    from torch import Tensor

    from isometrics.engines.stream import Accumulator

    Curve = tuple[Tensor, Tensor, Tensor]


class PrecisionRecallGainCurve(RowsMetric):
    """The points of the precision-recall-gain curve of all rows seen.

    Parameters
    ----------
    num_labels
        The number of labels where there are several, the second dimension of scores and targets.
    max_bytes
        As in `BinaryAUPR`, for each label. When there are many distinct scores, the curve has a
        point for the border of each bin: its gains are exact, and the points between are missing.
    ignore_index, **kwargs
        As in `BinaryAUPR`, whose notes hold here too.

    Examples
    --------
    >>> import torch
    >>> from isometrics.integrations.torchmetrics import PrecisionRecallGainCurve
    >>> metric = PrecisionRecallGainCurve()
    >>> metric.update(torch.tensor([0.9, 0.8, 0.7, 0.1]).double(), torch.tensor([1, 0, 1, 0]))
    >>> precision_gain, recall_gain, thresholds = metric.compute()
    >>> precision_gain
    tensor([   nan, 1.0000, 0.0000, 0.5000, 0.0000], dtype=torch.float64)
    >>> thresholds
    tensor([   inf, 0.9000, 0.8000, 0.7000, 0.1000], dtype=torch.float64)
    """

    def __init__(
        self,
        *,
        num_labels: int | None = None,
        max_bytes: int | str | None = None,
        ignore_index: int | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(
            num_labels=num_labels, max_bytes=max_bytes, ignore_index=ignore_index, **kwargs
        )

    def compute(self) -> Curve | tuple[list[Tensor], list[Tensor], list[Tensor]]:
        """Return precision gains, recall gains and thresholds, from the strictest threshold on.

        The tensors have equal lengths. For several labels each of the three is a list with a
        tensor for each label. A label with one class only has no points, with an
        `UndefinedWarning`.
        """
        curves = [self._curve(sample) for sample in self._samples()]
        if self.num_labels is None:
            return curves[0]
        precision_gains, recall_gains, thresholds = map(list, zip(*curves, strict=True))
        return precision_gains, recall_gains, thresholds

    def _curve(self, sample: Rows | Accumulator | None) -> Curve:
        if sample is None:
            none = self._tensor([])
            return none, none, none
        points = points_of(sample) if isinstance(sample, Rows) else sample.points()
        columns = (points.precision_gain, points.recall_gain, points.thresholds)
        precision_gain, recall_gain, thresholds = map(self._tensor, columns)
        return precision_gain, recall_gain, thresholds


def points_of(rows: Rows) -> OperatingPoints:
    """Return the table of some rows, sorted and counted where the scores lie."""
    labels: Any
    scores: Any
    labels, scores = rows
    return OperatingPoints.from_scores(labels, scores)
