"""The state of a metric: the rows it has seen, or accumulators packed into one tensor."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import torch
from torch import Tensor
from torchmetrics import Metric
from torchmetrics.utilities.distributed import gather_all_tensors

from isometrics._core.arrays import Column, to_host
from isometrics._core.parameters import check_size, parse_whole
from isometrics._core.sample import UNNAMED, Sample
from isometrics.errors import (
    DimensionError,
    LabelError,
    MissingValueError,
    ParameterError,
    ScoreError,
    UndefinedWarning,
    warn,
)
from isometrics.sources.streams import Accumulator

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from numpy.typing import NDArray


_COLUMNS = {"starts": np.uint64, "levels": np.uint8, "positives": np.int64, "negatives": np.int64}


class _Header(NamedTuple):
    """The numbers before the columns of a packed accumulator."""

    n_labels: int
    """The number of accumulators of the metric, one for each label."""
    label: int
    """The label of this accumulator, from 0 on."""
    n_intervals: int
    n_rows: int
    lowest: int
    """The key of the lowest score."""


def pack(streams: list[Accumulator]) -> Tensor:
    """Pack the accumulators of all labels into one tensor; such tensors may be concatenated."""
    return torch.from_numpy(
        np.concatenate([_pack(streams, label) for label in range(len(streams))])
    )


def _pack(streams: list[Accumulator], label: int) -> NDArray[np.int64]:
    state = streams[label].state()
    lowest = int(state["lowest"].view(np.int64))
    header = _Header(len(streams), label, state["starts"].size, int(state["rows"]), lowest)
    columns = (state[name] for name in _COLUMNS)
    # Keys use all 64 bits, so those of the highest scores become negative.
    signed = (column.view(np.int64) if column.dtype == np.uint64 else column for column in columns)
    return np.concatenate([np.array(header, np.int64), *signed])


def merge_packed(streams: list[Accumulator], tensors: Iterable[Tensor]) -> None:
    """Merge packed accumulators into those of the same label."""
    for tensor in tensors:
        if not isinstance(tensor, Tensor):
            raise _damaged(f"it is a {type(tensor).__name__} and not a tensor")
        numbers: NDArray[Any] = to_host(tensor)
        if numbers.dtype != np.int64 or numbers.ndim != 1:
            raise _damaged(f"it is of type {tensor.dtype} and has {tensor.ndim} dimensions")
        while numbers.size:
            header = _parse_header(numbers, len(streams))
            end = len(header) + len(_COLUMNS) * header.n_intervals
            columns = numbers[len(header) : end].reshape(len(_COLUMNS), header.n_intervals)
            streams[header.label].merge(_unpack(header, columns))
            numbers = numbers[end:]


def _parse_header(numbers: NDArray[np.int64], n_labels: int) -> _Header:
    size = len(_Header._fields)
    if numbers.size < size:
        raise _damaged("it ends early")
    header = _Header(*numbers[:size].tolist())
    if header.n_labels != n_labels or not 0 <= header.label < n_labels:
        raise _damaged(f"it is that of {header.n_labels} labels, but the metric has {n_labels}")
    if not 0 <= header.n_intervals <= (numbers.size - size) // len(_COLUMNS):
        raise _damaged("it ends early")
    return header


def _unpack(header: _Header, columns: NDArray[np.int64]) -> Accumulator:
    levels = columns[list(_COLUMNS).index("levels")]
    if ((levels < 0) | (levels > 63)).any():  # converted to eight bits, they would be others
        raise _damaged("intervals are larger than all keys together")
    state: dict[str, Any] = {
        name: column.view(np.uint64) if dtype is np.uint64 else column.astype(dtype)
        for (name, dtype), column in zip(_COLUMNS.items(), columns, strict=True)
    }
    # Only the limit of the accumulator that these rows are merged into counts.
    limit = {"max_bytes": np.array(max(10**6, 100 * header.n_intervals))}
    lowest = np.array(header.lowest, np.int64).view(np.uint64)
    rows = np.array(header.n_rows)
    return Accumulator.from_state(state | limit | {"rows": rows, "lowest": lowest})


def _damaged(why: str) -> ParameterError:
    return ParameterError(f"this is not the state of a metric with max_bytes=: {why}")


IGNORED = -1
"""The label of ignored values."""
_UNKNOWN = "labels that are neither 0, 1 nor the ignore_index"


def samples_of(labels: Tensor, scores: Tensor) -> Iterator[Sample]:
    """Yield the rows of each label, without ignored ones."""
    if labels.ndim == 1:
        yield _sample(labels, scores)
        return
    for label_column, score_column in zip(labels.T, scores.T, strict=True):
        present = label_column != IGNORED
        yield _sample(label_column[present], score_column[present])


def _sample(labels: Tensor, scores: Tensor) -> Sample:
    # A sample may hold tensors in place of arrays, on any device.
    is_positive: Any = labels == 1
    values: Any = scores
    return Sample(is_positive, {UNNAMED: values})


def parse_batch(
    preds: Tensor, target: Tensor, *, num_labels: int | None, ignore_index: int | None
) -> tuple[Tensor, Tensor]:
    """Return the labels and scores of a batch of any shape; several labels are its second axis."""
    _check_shapes(preds, target, num_labels)
    target = target.detach().to(preds.device)
    labels = torch.where(target == 1, 1, torch.where(target == 0, 0, IGNORED - 1))
    if ignore_index is not None:
        labels = torch.where(target == ignore_index, IGNORED, labels)
    is_unknown = labels < IGNORED
    is_missing = torch.isnan(preds) & (labels != IGNORED)
    # One check of both masks synchronises with the device only once.
    if bool((is_unknown | is_missing).any()):
        _refuse("target", target, is_unknown, LabelError, _UNKNOWN)
        _refuse("preds", preds, is_missing, MissingValueError, "missing values (NaN)")
    dtype = torch.float64 if preds.dtype == torch.float64 else torch.float32
    # The caller may write into its tensor later.
    scores = preds.detach().to(dtype, copy=True)
    labels = labels.to(torch.int8)
    if num_labels is not None:
        labels, scores = (
            tensor.movedim(1, -1).reshape(-1, num_labels) for tensor in (labels, scores)
        )
        return labels, scores
    labels, scores = labels.flatten(), scores.flatten()
    if ignore_index is None:
        return labels, scores
    present = labels != IGNORED
    return labels[present], scores[present]


def _check_shapes(preds: Tensor, target: Tensor, num_labels: int | None) -> None:
    for name, tensor in (("preds", preds), ("target", target)):
        if not isinstance(tensor, Tensor):
            raise DimensionError(f"must be a tensor of torch but is {tensor!r:.50}", parameter=name)
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
    values: Tensor,
    is_refused: Tensor,
    error: type[LabelError | MissingValueError],
    what: str,
) -> None:
    """Raise if values are refused, with their number and the position of the first among all."""
    column = Column(name, to_host(values.flatten()))
    column.refuse(to_host(is_refused.flatten()), error, what)


class RowsMetric(Metric):
    """A metric of all rows since the last reset, of one label or several.

    Without `max_bytes` the scores and labels of all batches are kept on their device, and
    concatenated over processes. With it there is one accumulator for each label, and processes
    merge their accumulators.
    """

    is_differentiable = False
    full_state_update = False

    def __init__(
        self,
        *,
        num_labels: int | None,
        max_bytes: int | str | None,
        ignore_index: int | None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        ignored = parse_whole(ignore_index)
        if ignore_index is not None and ignored is None:
            raise ParameterError(
                f"must be a whole number or None but is {ignore_index!r}", parameter="ignore_index"
            )
        self.num_labels = None if num_labels is None else check_size(num_labels, "num_labels")
        self.max_bytes, self.ignore_index = max_bytes, ignored
        if max_bytes is None:
            self.add_state("scores", [], dist_reduce_fx="cat")
            self.add_state("labels", [], dist_reduce_fx="cat")
        else:
            self.add_state("streams", [], dist_reduce_fx="cat")
            # A MetricCollection shares the state of metrics whose states are equal. Accumulators
            # are not registered as states and cannot be shared; NaN keeps the states unequal.
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
        labels, scores = parse_batch(
            preds, target, num_labels=self.num_labels, ignore_index=self.ignore_index
        )
        if self.max_bytes is None:
            self.labels.append(labels)
            self.scores.append(scores)
        else:
            for stream, sample in zip(self._streams, samples_of(labels, scores), strict=True):
                stream.update(sample.labels, sample.only_scores)

    def reset(self) -> None:
        """Forget all rows."""
        if self.max_bytes is not None:
            self.streams = []
        super().reset()

    # ------------------------------------------------------------------ rows kept one by one

    def _all_rows(self) -> tuple[Tensor, Tensor]:
        shape = (0,) if self.num_labels is None else (0, self.num_labels)
        return (
            _concatenate(self.labels, torch.empty(shape, dtype=torch.int8, device=self.device)),
            _concatenate(self.scores, torch.empty(shape, dtype=torch.float32, device=self.device)),
        )

    def _sync_dist(
        self,
        dist_sync_fn: Callable[..., list[Tensor]] = gather_all_tensors,
        process_group: Any = None,
    ) -> None:
        """Gather the rows of all processes; some may have none, or scores of another type."""
        if self.max_bytes is None:
            labels, scores = self._all_rows()
            is_double = torch.tensor(
                [scores.dtype == torch.float64], dtype=torch.int8, device=scores.device
            )
            gathered = dist_sync_fn(is_double, group=process_group or self.process_group)
            dtype = torch.float64 if any(bool(flag) for flag in gathered) else torch.float32
            self.labels, self.scores = [labels.to(torch.int8)], [scores.to(dtype)]
        super()._sync_dist(dist_sync_fn, process_group)

    # ------------------------------------------------------------------ rows in constant memory

    @property
    def streams(self) -> list[Tensor]:
        """The accumulators as a state of torchmetrics, packed on each access."""
        return [pack(self._streams).to(self.device)]

    @streams.setter
    def streams(self, state: Tensor | list[Tensor]) -> None:
        streams = [Accumulator(self.max_bytes or 0) for _ in range(self.num_labels or 1)]
        merge_packed(streams, [state] if isinstance(state, Tensor) else state)
        self._streams = streams

    def _apply(self, fn: Callable[..., Any], exclude_state: Sequence[str] = ()) -> Any:
        """Move to another device; accumulators stay in host memory."""
        return super()._apply(fn, (*exclude_state, "streams"))

    def _move_list_states_to_cpu(self) -> None:
        """Move the rows to host memory, where accumulators are already."""
        if self.max_bytes is None:
            super()._move_list_states_to_cpu()

    def __hash__(self) -> int:
        """Hash by identity: hashes of the states would pack them at every step of a model."""
        return id(self)

    # ------------------------------------------------------------------ results

    def _samples(self) -> list[Sample | Accumulator | None]:
        """Return the rows of each label; None, with a warning, where they have only one class."""
        samples: list[Sample | Accumulator]
        if self.max_bytes is None:
            samples = list(samples_of(*self._all_rows()))
        else:
            samples = list(self._streams)
        return [
            None if self._is_undefined(sample, label) else sample
            for label, sample in enumerate(samples)
        ]

    def _is_undefined(self, sample: Sample | Accumulator, label: int) -> bool:
        if isinstance(sample, Sample):
            positives = int(sample.labels.sum())
            negatives = sample.size - positives
        else:
            positives, negatives = sample.positives, sample.negatives
        if positives and negatives:
            return False
        seen = "only positives" if positives else "only negatives" if negatives else "no rows"
        where = "" if self.num_labels is None else f" for label {label}"
        warn(
            f"{type(self).__name__} is not defined{where}: there are {seen}, and both classes are "
            "needed",
            UndefinedWarning,
        )
        return True

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
