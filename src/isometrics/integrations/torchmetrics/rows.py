"""What all metrics share: the rows they have seen, kept one by one or in constant memory."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import torch
from torch import Tensor
from torchmetrics import Metric
from torchmetrics.utilities.distributed import gather_all_tensors

from isometrics.engines.stream import Accumulator
from isometrics.errors import ParameterError, UndefinedWarning, warn
from isometrics.integrations.torchmetrics.batches import Batch, clean_batch
from isometrics.integrations.torchmetrics.packing import merge_packed, packed
from isometrics.parameters import clean_size, parse_whole

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


class Rows(NamedTuple):
    """The rows of one label."""

    positive: Tensor
    scores: Tensor


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
                f"ignore_index must be a whole number or None but is {ignore_index!r}"
            )
        self.num_labels = None if num_labels is None else clean_size(num_labels, "num_labels")
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
        batch = clean_batch(
            preds, target, num_labels=self.num_labels, ignore_index=self.ignore_index
        )
        if self.max_bytes is None:
            self.labels.append(batch.labels)
            self.scores.append(batch.scores)
        else:
            for stream, sample in zip(self._streams, batch.each_label(), strict=True):
                stream.update(*sample)

    def reset(self) -> None:
        """Forget all rows."""
        if self.max_bytes is not None:
            self.streams = []
        super().reset()

    # ------------------------------------------------------------------ rows kept one by one

    def _all_rows(self) -> Batch:
        none = (0,) if self.num_labels is None else (0, self.num_labels)
        return Batch(
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

    def _samples(self) -> list[Rows | Accumulator | None]:
        """Return what was seen of each label; None, with a warning, where it is one class only."""
        found: list[Rows | Accumulator]
        if self.max_bytes is None:
            found = [Rows(*each) for each in self._all_rows().each_label()]
        else:
            found = list(self._streams)
        return [
            None if self._is_undefined(sample, place) else sample
            for place, sample in enumerate(found)
        ]

    def _is_undefined(self, sample: Rows | Accumulator, place: int) -> bool:
        if isinstance(sample, Rows):
            positives = int(sample.positive.sum())
            negatives = len(sample.positive) - positives
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
