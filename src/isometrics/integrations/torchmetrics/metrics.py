"""Areas and curves of precision-recall and precision-recall-gain space as metrics."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from isometrics._core.parameters import check_choice, check_size
from isometrics._core.sample import Sample
from isometrics.integrations.torchmetrics.state import RowsMetric
from isometrics.measures import AUPRG, Measure, pr_area
from isometrics.points import OperatingPoints
from isometrics.points.bounds import Bracket
from isometrics.score_functions import measure_score
from isometrics.spaces.pr import INTERPOLATIONS

if TYPE_CHECKING:
    from torch import Tensor

    from isometrics.sources.streams import Accumulator

    Curve = tuple[Tensor, Tensor, Tensor]


class AreaMetric(RowsMetric):
    """One of the areas, for one label or as a mean over several."""

    higher_is_better = True
    plot_upper_bound = 1.0

    def __init__(self, measure: Measure, *, average: str | None = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        if average is not None:
            check_choice(average, "average", ("macro", "none"))
        self.average = average
        self._measure = measure

    def compute(self) -> Tensor:
        """Return the area as float64; with `max_bytes`, the middle of its bracket."""
        lo, hi = self._bounds()
        return (lo + hi) / 2

    def brackets(self) -> tuple[Tensor, Tensor]:
        """Return two numbers with the exact area of all rows between them.

        They are equal while it is known exactly: always without `max_bytes`, and with it as long
        as there are few distinct scores. Half their distance is the most that `compute` can be
        off. As in `compute`, the rows of all processes count.
        """
        with self.sync_context(
            dist_sync_fn=self.dist_sync_fn,
            should_sync=self._to_sync,
            should_unsync=self._should_unsync,
        ):
            return self._bounds()

    def _bounds(self) -> tuple[Tensor, Tensor]:
        found = [_bracket(sample, self._measure) for sample in self._samples()]
        lo, hi = (self._tensor(ends) for ends in zip(*found, strict=True))
        if self.num_labels is None:
            return lo[0], hi[0]
        # The mean of bounds bounds the mean; NaN of one label is NaN of the mean.
        return (lo.mean(), hi.mean()) if self.average == "macro" else (lo, hi)

    def plot(self, val: Any = None, ax: Any = None) -> Any:
        """Draw the area, or those of several steps, as the metrics of torchmetrics do."""
        return self._plot(val, ax)


def _bracket(sample: Sample | Accumulator | None, measure: Measure) -> Bracket:
    if sample is None:
        return Bracket(math.nan, math.nan)
    if isinstance(sample, Sample):
        # The score functions add it up where the scores lie.
        area = measure_score(sample.labels, sample.only_scores, measure=measure)
        return Bracket(area, area)
    return sample.brackets([measure.name])[measure.name]


def _area_by(interpolation: str) -> Measure:
    return pr_area(check_choice(interpolation, "interpolation", INTERPOLATIONS))


class BinaryAUPR(AreaMetric):
    """The area under the precision-recall curve of all rows seen.

    Parameters
    ----------
    interpolation
        As in `isometrics.aupr_score`: ``"davis-goadrich"`` is the exact area,
        ``"average-precision"`` is what ``torchmetrics`` calls ``BinaryAveragePrecision``.
    max_bytes
        Keep the rows in an `isometrics.Accumulator` of this size, a number of bytes or a text
        such as ``"16MB"``, instead of keeping all of them. The area is exact while there are few
        distinct scores. From then on `compute` returns the middle of a bracket that holds the
        exact area, off by at most half its width, and `brackets` returns its ends.
    ignore_index
        The label of rows that are left out.
    **kwargs
        Options of every ``torchmetrics.Metric``, such as ``dist_sync_on_step``.

    Notes
    -----
    Scores are compared as they are, logits or probabilities, half precision or double. There is
    no sigmoid as in the metrics of torchmetrics, which apply one to each batch that has scores
    outside of [0, 1], and may so rank the rows of two batches differently than their logits do,
    or tie them.

    With one class only the area is NaN, with an `UndefinedWarning`; so is often the value that
    ``forward`` returns for a small batch. Processes are reduced by joining their rows, or by
    merging their accumulators, never by averaging areas. In a ``MetricCollection`` metrics
    without `max_bytes` share the rows they keep.

    Examples
    --------
    >>> import torch
    >>> from isometrics.integrations.torchmetrics import BinaryAUPR
    >>> metric = BinaryAUPR()
    >>> metric.update(torch.tensor([0.9, 0.8]), torch.tensor([1, 0]))
    >>> metric.update(torch.tensor([0.7, 0.1]), torch.tensor([1, 0]))
    >>> metric.compute()
    tensor(0.7973, dtype=torch.float64)
    """

    def __init__(
        self,
        interpolation: str = "davis-goadrich",
        *,
        max_bytes: int | str | None = None,
        ignore_index: int | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(
            _area_by(interpolation),
            num_labels=None,
            max_bytes=max_bytes,
            ignore_index=ignore_index,
            **kwargs,
        )


class BinaryAUPRG(AreaMetric):
    """The signed area under the precision-recall-gain curve (Flach & Kull 2015).

    Parameters
    ----------
    max_bytes, ignore_index, **kwargs
        As in `BinaryAUPR`, whose notes hold here too.

    Examples
    --------
    >>> import torch
    >>> from isometrics.integrations.torchmetrics import BinaryAUPRG
    >>> metric = BinaryAUPRG(max_bytes="1MB")
    >>> metric.update(torch.tensor([3.5, 1.2, 0.7, -4.0]), torch.tensor([1, 0, 1, 0]))
    >>> metric.compute()
    tensor(0.2500, dtype=torch.float64)
    """

    def __init__(
        self,
        *,
        max_bytes: int | str | None = None,
        ignore_index: int | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(
            AUPRG,
            num_labels=None,
            max_bytes=max_bytes,
            ignore_index=ignore_index,
            **kwargs,
        )


class MultilabelAUPR(AreaMetric):
    """The areas under the precision-recall curves of several labels.

    Parameters
    ----------
    num_labels
        The number of labels, the second dimension of scores and targets.
    interpolation
        As in `BinaryAUPR`.
    average
        ``"macro"``: the mean of the labels. ``"none"`` or None: one area for each. Labels differ
        in prevalence, and so in the area that a random ranking has; their mean mixes these
        baselines. That of `MultilabelAUPRG` does not.
    max_bytes
        As in `BinaryAUPR`, for each label.
    ignore_index, **kwargs
        As in `BinaryAUPR`, whose notes hold here too.

    Notes
    -----
    A label with one class only has the area NaN, with an `UndefinedWarning` that names it, and so
    has the mean. It is neither left out nor taken for 0.

    Examples
    --------
    >>> import torch
    >>> from isometrics.integrations.torchmetrics import MultilabelAUPR
    >>> metric = MultilabelAUPR(2, average=None)
    >>> scores = torch.tensor([[0.9, 0.1], [0.8, 0.6], [0.7, 0.3], [0.1, 0.2]])
    >>> metric.update(scores, torch.tensor([[1, 0], [0, 1], [1, 0], [0, 0]]))
    >>> metric.compute()
    tensor([0.7973, 1.0000], dtype=torch.float64)
    """

    def __init__(
        self,
        num_labels: int,
        interpolation: str = "davis-goadrich",
        *,
        average: str | None = "macro",
        max_bytes: int | str | None = None,
        ignore_index: int | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(
            _area_by(interpolation),
            average=average,
            num_labels=check_size(num_labels, "num_labels"),
            max_bytes=max_bytes,
            ignore_index=ignore_index,
            **kwargs,
        )


class MultilabelAUPRG(AreaMetric):
    """The areas under the precision-recall-gain curves of several labels.

    Parameters
    ----------
    num_labels
        The number of labels, the second dimension of scores and targets.
    average
        ``"macro"``: the mean of the labels. On the gain scale always-positive is the same for
        labels of every prevalence, so that their areas have a mean (Flach & Kull 2015).
        ``"none"`` or None: one area for each.
    max_bytes, ignore_index, **kwargs
        As in `MultilabelAUPR`, whose notes hold here too.

    Examples
    --------
    >>> import torch
    >>> from isometrics.integrations.torchmetrics import MultilabelAUPRG
    >>> metric = MultilabelAUPRG(2)
    >>> scores = torch.tensor([[0.9, 0.1], [0.8, 0.6], [0.7, 0.3], [0.1, 0.2]])
    >>> metric.update(scores, torch.tensor([[1, 0], [0, 1], [1, 0], [0, 0]]))
    >>> metric.compute()
    tensor(0.6250, dtype=torch.float64)
    """

    def __init__(
        self,
        num_labels: int,
        *,
        average: str | None = "macro",
        max_bytes: int | str | None = None,
        ignore_index: int | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(
            AUPRG,
            average=average,
            num_labels=check_size(num_labels, "num_labels"),
            max_bytes=max_bytes,
            ignore_index=ignore_index,
            **kwargs,
        )


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

    def _curve(self, sample: Sample | Accumulator | None) -> Curve:
        if sample is None:
            none = self._tensor([])
            return none, none, none
        points = points_of(sample) if isinstance(sample, Sample) else sample.points()
        columns = (points.precision_gain, points.recall_gain, points.thresholds)
        precision_gain, recall_gain, thresholds = map(self._tensor, columns)
        return precision_gain, recall_gain, thresholds


def points_of(sample: Sample) -> OperatingPoints:
    """Return the table of some rows, sorted and counted where the scores lie."""
    return OperatingPoints.from_scores(sample.labels, sample.only_scores)
