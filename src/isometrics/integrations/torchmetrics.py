"""isometrics as metrics of torchmetrics: for training loops and several processes."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from isometrics._core.arrays import Column, to_host
from isometrics._core.parameters import check_choice, parse_whole
from isometrics._core.sample import UNNAMED, Sample
from isometrics.errors import (
    DimensionError,
    LabelError,
    MissingPackageError,
    MissingValueError,
    ParameterError,
    ScoreError,
    UndefinedWarning,
    warn,
)
from isometrics.measures import AUPRG, Measure, pr_area
from isometrics.points import OperatingPoints
from isometrics.score_functions import measure_score
from isometrics.sources.streams import Accumulator
from isometrics.spaces.pr import INTERPOLATIONS

try:
    import torch
    from torch import Tensor
    from torchmetrics import Metric
    from torchmetrics.utilities.distributed import gather_all_tensors
except ImportError as error:
    raise MissingPackageError(
        "isometrics.integrations.torchmetrics needs torchmetrics", "isometrics[torch]"
    ) from error

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

__all__ = ["BinaryAUPR", "BinaryAUPRG", "PrecisionRecallGainCurve"]


_COLUMNS = {"starts": np.uint64, "levels": np.uint8, "positives": np.int64, "negatives": np.int64}


def pack(stream: Accumulator) -> Tensor:
    """Return the number of rows, the lowest key and the intervals of an accumulator, as a row."""
    state = stream.state()
    # Keys use all 64 bits, so those of the highest scores become negative.
    parts = [
        np.atleast_1d(state[name]).astype(np.uint64).view(np.int64)
        for name in ("rows", "lowest", *_COLUMNS)
    ]
    return torch.from_numpy(np.concatenate(parts))


def unpack(packed: Tensor) -> Accumulator:
    """Return the accumulator that `pack` was given, with room for its intervals."""
    numbers: NDArray[Any] = to_host(packed)
    columns = numbers[2:].reshape(len(_COLUMNS), -1)
    state: dict[str, Any] = {
        name: column.view(np.uint64) if dtype is np.uint64 else column.astype(dtype)
        for (name, dtype), column in zip(_COLUMNS.items(), columns, strict=True)
    }
    # Only the limit of the accumulator that these rows are merged into counts.
    state["max_bytes"] = np.array(max(10**6, 100 * columns.shape[1]))
    state["rows"], state["lowest"] = numbers[0], numbers[1:2].view(np.uint64)[0]
    return Accumulator.from_state(state)


def parse_batch(preds: Tensor, target: Tensor, ignore_index: int | None) -> tuple[Tensor, Tensor]:
    """Return which rows of a batch of any shape are positive, and their scores."""
    if preds.shape != target.shape:
        raise DimensionError(
            f"preds has shape {tuple(preds.shape)} but target has shape {tuple(target.shape)}"
        )
    if not preds.is_floating_point():
        raise ScoreError(
            f"preds must hold floats but is of type {preds.dtype}; pass scores, not classes, for "
            "example preds.double()"
        )
    scores, labels = preds.detach().flatten(), target.detach().to(preds.device).flatten()
    is_present = torch.ones_like(labels, dtype=torch.bool)
    if ignore_index is not None:
        is_present = labels != ignore_index
    is_unknown = is_present & (labels != 0) & (labels != 1)
    is_missing = is_present & torch.isnan(scores)
    # One check of both masks synchronises with the device only once.
    if bool((is_unknown | is_missing).any()):
        what = "labels that are neither 0, 1 nor the ignore_index"
        Column("target", to_host(labels)).refuse(to_host(is_unknown), LabelError, what)
        what = "missing values (NaN)"
        Column("preds", to_host(scores)).refuse(to_host(is_missing), MissingValueError, what)
    if ignore_index is not None:
        scores, labels = scores[is_present], labels[is_present]
    # The caller may write into its tensor later.
    wide = torch.float64 if scores.dtype == torch.float64 else torch.float32
    return labels == 1, scores.to(wide, copy=True)


class RowsMetric(Metric):
    """A metric of all rows since the last reset.

    Without `max_bytes` the scores and labels of all batches are kept on their device, and
    concatenated over processes. With it an accumulator counts them, and processes merge their
    accumulators.
    """

    is_differentiable = False
    full_state_update = False

    def __init__(
        self,
        *,
        max_bytes: int | str | None = None,
        ignore_index: int | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.max_bytes, self.ignore_index = max_bytes, parse_whole(ignore_index)
        if ignore_index is not None and self.ignore_index is None:
            raise ParameterError(
                f"must be a whole number or None but is {ignore_index!r}", parameter="ignore_index"
            )
        if max_bytes is None:
            self.add_state("scores", [], dist_reduce_fx="cat")
            self.add_state("labels", [], dist_reduce_fx="cat")
        else:
            self.add_state("streams", [], dist_reduce_fx=None)
            # A MetricCollection shares the state of metrics whose states are equal. Accumulators
            # cannot be shared; NaN keeps the states unequal.
            self.add_state("unshared", torch.tensor(math.nan), dist_reduce_fx="max")

    def update(self, preds: Tensor, target: Tensor) -> None:
        """Add a batch of scores and labels; an invalid batch changes nothing.

        Parameters
        ----------
        preds
            Scores of a floating type, higher meaning more likely positive.
        target
            Labels 0 and 1 of any type, in the same shape.
        """
        labels, scores = parse_batch(preds, target, self.ignore_index)
        if self.max_bytes is None:
            self.labels.append(labels)
            self.scores.append(scores)
        else:
            self._stream.update(labels, scores)

    def reset(self) -> None:
        """Forget all rows."""
        if self.max_bytes is not None:
            self.streams = []
        super().reset()

    def _all_rows(self) -> tuple[Tensor, Tensor]:
        no_labels = torch.empty(0, dtype=torch.bool, device=self.device)
        return (
            _concatenate(self.labels, no_labels),
            _concatenate(self.scores, no_labels.to(torch.float32)),
        )

    def _sync_dist(
        self,
        dist_sync_fn: Callable[..., list[Tensor]] = gather_all_tensors,
        process_group: Any = None,
    ) -> None:
        """Gather the rows of all processes; some may have none, or scores of another type."""
        if self.max_bytes is None:
            labels, scores = self._all_rows()
            self.labels, self.scores = [labels], [scores.to(widest_type(self.device))]
        super()._sync_dist(dist_sync_fn, process_group)

    @property
    def streams(self) -> list[Tensor]:
        """The accumulator as a state of torchmetrics, packed on each access."""
        return [pack(self._stream).to(self.device)]

    @streams.setter
    def streams(self, states: list[Tensor]) -> None:
        """Merge accumulators, as those of several processes."""
        stream = Accumulator(self.max_bytes or 0)
        for state in states:
            stream.merge(unpack(state))
        self._stream = stream

    def _apply(self, fn: Callable[..., Any], exclude_state: Sequence[str] = ()) -> Any:
        """Move to another device or type; accumulators stay as they are, in host memory."""
        return super()._apply(fn, (*exclude_state, "streams"))

    def __hash__(self) -> int:
        """Hash by identity: hashes of the states would pack them at every step of a model."""
        return id(self)

    def _rows(self) -> Sample | Accumulator | None:
        """Return all rows; None, with a warning, where they have only one class."""
        rows: Sample | Accumulator
        if self.max_bytes is None:
            # A sample may hold tensors in place of arrays, on any device.
            labels, scores = self._all_rows()
            is_positive: Any = labels
            values: Any = scores
            rows = Sample(is_positive, {UNNAMED: values})
            positives, size = int(labels.sum()), len(labels)
        else:
            rows = self._stream
            positives, size = rows.positives, rows.positives + rows.negatives
        if 0 < positives < size:
            return rows
        seen = "only positives" if positives else "only negatives" if size else "no rows"
        warn(
            f"{type(self).__name__} is not defined: there are {seen}, and both classes are needed",
            UndefinedWarning,
        )
        return None

    def _tensor(self, values: Any) -> Tensor:
        return torch.tensor(values, dtype=widest_type(self.device), device=self.device)


def widest_type(device: torch.device) -> torch.dtype:
    """Return the widest floating type of a device; Apple's devices have no float64."""
    return torch.float32 if device.type == "mps" else torch.float64


def _concatenate(state: Tensor | list[Tensor], empty: Tensor) -> Tensor:
    """Return a state as one tensor; it is a list of tensors until processes have reduced it."""
    if isinstance(state, Tensor):
        return state
    return torch.cat(state) if state else empty


class AreaMetric(RowsMetric):
    """One of the areas."""

    higher_is_better = True
    plot_upper_bound = 1.0

    def __init__(self, measure: Measure, **kwargs: Any) -> None:
        super().__init__(**kwargs)
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
        rows = self._rows()
        lo = hi = math.nan
        if isinstance(rows, Sample):
            # The score functions add it up where the scores lie.
            lo = hi = measure_score(rows.labels, rows.only_scores, measure=self._measure)
        elif rows is not None:
            lo, hi = rows.brackets([self._measure.name])[self._measure.name]
        return self._tensor(lo), self._tensor(hi)

    def plot(self, val: Any = None, ax: Any = None) -> Any:
        """Draw the area, or those of several steps, as the metrics of torchmetrics do."""
        return self._plot(val, ax)


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
    without `max_bytes` share the rows they keep. For several labels torchmetrics has
    ``MultioutputWrapper(BinaryAUPR(), num_outputs=5, remove_nans=False)``.

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

    def __init__(self, interpolation: str = "davis-goadrich", **kwargs: Any) -> None:
        measure = pr_area(check_choice(interpolation, "interpolation", INTERPOLATIONS))
        super().__init__(measure, **kwargs)


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

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(AUPRG, **kwargs)


class PrecisionRecallGainCurve(RowsMetric):
    """The points of the precision-recall-gain curve of all rows seen.

    Parameters
    ----------
    max_bytes
        As in `BinaryAUPR`. When there are many distinct scores, the curve has a
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

    def compute(self) -> tuple[Tensor, Tensor, Tensor]:
        """Return precision gains, recall gains and thresholds, from the strictest threshold on.

        The tensors have equal lengths. With one class only there are no points, with an
        `UndefinedWarning`.
        """
        rows = self._rows()
        if rows is None:
            return self._tensor([]), self._tensor([]), self._tensor([])
        points = (
            OperatingPoints.from_scores(rows.labels, rows.only_scores)
            if isinstance(rows, Sample)
            else rows.points()
        )
        columns = (points.precision_gain, points.recall_gain, points.thresholds)
        precision_gain, recall_gain, thresholds = map(self._tensor, columns)
        return precision_gain, recall_gain, thresholds
