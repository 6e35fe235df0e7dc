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
    """What stands before the columns of an accumulator."""

    places: int
    """How many accumulators belong together, one for each label."""
    place: int
    intervals: int
    rows: int
    lowest: int


def packed(streams: list[Accumulator]) -> Tensor:
    """Return all that accumulators have seen; several results can be joined end to end."""
    return torch.from_numpy(
        np.concatenate([_packed(streams, place) for place in range(len(streams))])
    )


def _packed(streams: list[Accumulator], place: int) -> NDArray[np.int64]:
    state = streams[place].state()
    lowest = int(state["lowest"].view(np.int64))
    header = _Header(len(streams), place, state["starts"].size, int(state["rows"]), lowest)
    columns = (state[name] for name in _COLUMNS)
    # Keys use all 64 bits; those of the highest scores are negative here.
    signed = (part.view(np.int64) if part.dtype == np.uint64 else part for part in columns)
    return np.concatenate([np.array(header, np.int64), *signed])


def merge_packed(streams: list[Accumulator], tensors: Iterable[Tensor]) -> None:
    """Add the rows of all packed accumulators to those at their places."""
    for tensor in tensors:
        if not isinstance(tensor, Tensor):
            raise _damaged(f"it is a {type(tensor).__name__} and not a tensor")
        numbers: NDArray[Any] = to_host(tensor)
        if numbers.dtype != np.int64 or numbers.ndim != 1:
            raise _damaged(f"it is of type {tensor.dtype} and has {tensor.ndim} dimensions")
        while numbers.size:
            header = _header(numbers, len(streams))
            end = len(header) + len(_COLUMNS) * header.intervals
            columns = numbers[len(header) : end].reshape(len(_COLUMNS), header.intervals)
            streams[header.place].merge(_unpacked(header, columns))
            numbers = numbers[end:]


def _header(numbers: NDArray[np.int64], places: int) -> _Header:
    fields = len(_Header._fields)
    if numbers.size < fields:
        raise _damaged("it ends early")
    header = _Header(*numbers[:fields].tolist())
    if header.places != places or not 0 <= header.place < places:
        raise _damaged(f"it is that of {header.places} labels, but the metric has {places}")
    if not 0 <= header.intervals <= (numbers.size - fields) // len(_COLUMNS):
        raise _damaged("it ends early")
    return header


def _unpacked(header: _Header, columns: NDArray[np.int64]) -> Accumulator:
    levels = columns[list(_COLUMNS).index("levels")]
    if ((levels < 0) | (levels > 63)).any():  # eight bits would hold another number
        raise _damaged("intervals are larger than all keys together")
    state: dict[str, Any] = {
        name: column.view(np.uint64) if dtype is np.uint64 else column.astype(dtype)
        for (name, dtype), column in zip(_COLUMNS.items(), columns, strict=True)
    }
    # The accumulator that takes these rows over has a limit of its own.
    room = {"max_bytes": np.array(max(10**6, 100 * header.intervals))}
    lowest = np.array(header.lowest, np.int64).view(np.uint64)
    return Accumulator.from_state(state | room | {"rows": np.array(header.rows), "lowest": lowest})


def _damaged(why: str) -> ParameterError:
    return ParameterError(f"this is not the state of a metric with max_bytes=: {why}")


IGNORED = -1
"""Stands in the labels for what is left out."""
_UNKNOWN = "labels that are neither 0, 1 nor the ignore_index"


def samples_of(labels: Tensor, scores: Tensor) -> Iterator[Sample]:
    """Yield the rows of each label, without what is ignored."""
    if labels.ndim == 1:
        yield _sample(labels, scores)
        return
    for of_label, scores_of_label in zip(labels.T, scores.T, strict=True):
        present = of_label != IGNORED
        yield _sample(of_label[present], scores_of_label[present])


def _sample(labels: Tensor, scores: Tensor) -> Sample:
    # Tensors stand for the arrays of a sample, as those of any device do.
    positive: Any = labels == 1
    values: Any = scores
    return Sample(positive, {UNNAMED: values})


def parse_batch(
    preds: Tensor, target: Tensor, *, num_labels: int | None, ignore_index: int | None
) -> tuple[Tensor, Tensor]:
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
    labels = labels.to(torch.int8)
    if num_labels is not None:
        labels, scores = (each.movedim(1, -1).reshape(-1, num_labels) for each in (labels, scores))
        return labels, scores
    labels, scores = labels.flatten(), scores.flatten()
    if ignore_index is None:
        return labels, scores
    present = labels != IGNORED
    return labels[present], scores[present]


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


class RowsMetric(Metric):
    """A metric of all rows seen, of one label or several.

    Without `max_bytes` the scores and labels of all batches are kept where they are, and joined
    between processes. With it there is an accumulator for each label; accumulators are merged
    between processes.
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
            # A collection lets metrics of equal states share one, by reference. An accumulator is
            # no state itself, so it cannot be shared; and NaN is equal to nothing.
            self.add_state("unshared", torch.tensor(math.nan), dist_reduce_fx="max")

    def update(self, preds: Tensor, target: Tensor) -> None:
        """Add a batch of scores and labels; one with an error in it changes nothing.

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
        none = (0,) if self.num_labels is None else (0, self.num_labels)
        return (
            _joined(self.labels, torch.empty(none, dtype=torch.int8, device=self.device)),
            _joined(self.scores, torch.empty(none, dtype=torch.float32, device=self.device)),
        )

    def _sync_dist(
        self,
        dist_sync_fn: Callable[..., list[Tensor]] = gather_all_tensors,
        process_group: Any = None,
    ) -> None:
        """Join the rows of all processes, which may have none, or scores of other types."""
        if self.max_bytes is None:
            labels, scores = self._all_rows()
            wide = torch.tensor(
                [scores.dtype == torch.float64], dtype=torch.int8, device=scores.device
            )
            found = dist_sync_fn(wide, group=process_group or self.process_group)
            dtype = torch.float64 if any(bool(each) for each in found) else torch.float32
            self.labels, self.scores = [labels.to(torch.int8)], [scores.to(dtype)]
        super()._sync_dist(dist_sync_fn, process_group)

    # ------------------------------------------------------------------ rows in constant memory

    @property
    def streams(self) -> list[Tensor]:
        """What the accumulators have seen: a state of torchmetrics, made when it is asked for."""
        return [packed(self._streams).to(self.device)]

    @streams.setter
    def streams(self, state: Tensor | list[Tensor]) -> None:
        streams = [Accumulator(self.max_bytes or 0) for _ in range(self.num_labels or 1)]
        merge_packed(streams, [state] if isinstance(state, Tensor) else state)
        self._streams = streams

    def _apply(self, fn: Callable[..., Any], exclude_state: Sequence[str] = ()) -> Any:
        """Move to another device; accumulators stay in the memory of the processor."""
        return super()._apply(fn, (*exclude_state, "streams"))

    def _move_list_states_to_cpu(self) -> None:
        """Accumulators are there already."""
        if self.max_bytes is None:
            super()._move_list_states_to_cpu()

    def __hash__(self) -> int:
        """Tell instances apart without their states, which models would ask for at every step."""
        return id(self)

    # ------------------------------------------------------------------ results

    def _samples(self) -> list[Sample | Accumulator | None]:
        """Return what was seen of each label; None, with a warning, where it is one class only."""
        found: list[Sample | Accumulator]
        if self.max_bytes is None:
            found = list(samples_of(*self._all_rows()))
        else:
            found = list(self._streams)
        return [
            None if self._is_undefined(sample, place) else sample
            for place, sample in enumerate(found)
        ]

    def _is_undefined(self, sample: Sample | Accumulator, place: int) -> bool:
        if isinstance(sample, Sample):
            positives = int(sample.labels.sum())
            negatives = sample.size - positives
        else:
            positives, negatives = sample.positives, sample.negatives
        if positives and negatives:
            return False
        seen = "only positives" if positives else "only negatives" if negatives else "no rows"
        where = "" if self.num_labels is None else f" for label {place}"
        warn(
            f"{type(self).__name__} is not defined{where}: there are {seen}, and both classes are "
            "needed",
            UndefinedWarning,
        )
        return True

    def _tensor(self, values: Any) -> Tensor:
        return torch.tensor(values, dtype=widest_type(self.device), device=self.device)


def widest_type(device: torch.device) -> torch.dtype:
    """Return the type of results; Apple's devices have none of 64 bits."""
    return torch.float32 if device.type == "mps" else torch.float64


def _joined(state: Tensor | list[Tensor], none: Tensor) -> Tensor:
    """Return a state as one tensor: it is a list, but after a reduction a tensor."""
    if isinstance(state, Tensor):
        return state
    return torch.cat(state) if state else none
