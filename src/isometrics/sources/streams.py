"""A stream of predictions, evaluated in constant memory with bounds that hold."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from isometrics._core.arrays import column, plain
from isometrics._core.labels import check_pos_label, positive_rows, surplus_labels
from isometrics._core.results import number, same
from isometrics._core.sample import (
    LARGEST_COUNT,
    check_totals,
    has_nan,
    parse_device_sample,
    present_rows,
)
from isometrics._counting.numpy_kernel import order_of
from isometrics._table.table import ClassTotals, Gaps, Measure, Table
from isometrics.errors import EmptyInputError, LabelError, ParameterError, ScoreError, WeightError
from isometrics.measures import AUPR, AUPRG, AUROC, Shown, bounds_of, parse_areas, registered
from isometrics.points import OperatingPoints
from isometrics.points.bounds import AreaBrackets, apart
from isometrics.points.devices import measures
from isometrics.sources.adaptive import AdaptiveCounts
from isometrics.sources.device_bins import DeviceBins, can_count, negative_label
from isometrics.sources.memory import parse_bytes, parse_memory_limit
from isometrics.sources.stream_state import as_array, parse_state

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from numpy.typing import ArrayLike, NDArray

    from isometrics._core.arrays import Column
    from isometrics._core.sample import Sample
    from isometrics.points.bounds import Bracket
    from isometrics.sources.dyadic import DyadicCounts

BYTES_OF_A_BIN = 40
"""Counts, the plan, and rows that wait, for each bin."""
_FEWEST_BYTES = 1000
_ON_DEVICES = (AUROC, AUPR, AUPRG)
"""Areas that are bounded where the counts of a stream are, which takes a part of the time."""
_ORDER = order_of(np.dtype(np.float64))
_NO_KEY = int(np.iinfo(_ORDER.word).max)


class Accumulator:
    """Counts the predictions of a stream, batch by batch, in constant memory.

    Scores are counted one by one while there are few distinct ones: all results are then exact.
    From then on they are counted in bins. At the borders of bins the counts stay exact, so every
    area has certified bounds: the areas of the worst and the best order that the rows inside the
    bins can have.

    Parameters
    ----------
    max_bytes
        The memory that is kept between two updates: a number of bytes, or a text such as
        ``"16MB"``. There is one bin, or one distinct score, for every 40 bytes.
    pos_label
        The label of the positive class, as in `OperatingPoints.from_scores`.

    Notes
    -----
    All scores are compared as float64, which holds floats of fewer bits and whole numbers up to
    2**53 exactly; others are refused. Bins are aligned powers of two of the order of float64, so
    that those of two accumulators are nested: `merge` keeps all borders that both have.

    Bins are planned when the memory is full, by what was seen so far, and again when many scores
    lie beyond the plan. They are allotted by the doubt that the rows of a region leave about
    AUROC, AUPR and AUPRG. That is p·n/(P·N) for AUROC, with p positives and n negatives in the
    region; for the others the top of the ranking counts more, where the positives are. The plan
    never touches correctness, only how wide the bounds are.

    Examples
    --------
    >>> import isometrics as iso
    >>> stream = iso.Accumulator().update([1, 0], [0.9, 0.8])
    >>> stream.update([1, 0], [0.7, 0.1])
    Accumulator: 4 rows, 2 positives, 2 negatives; exact, 4 distinct scores of at most 400,000
    >>> stream.points().roc.area()
    0.75
    >>> stream.brackets()["AUROC"]
    Bracket(lo=0.75, hi=0.75)
    """

    def __init__(self, max_bytes: int | str = 16_000_000, *, pos_label: object = None) -> None:
        self._max_bytes = parse_bytes(max_bytes, "max_bytes")
        if self._max_bytes < _FEWEST_BYTES:
            raise ParameterError(f"max_bytes must be at least 1000 but is {max_bytes!r}")
        if self._max_bytes > (most := parse_memory_limit(None)):
            raise ParameterError(
                f"max_bytes must be at most {most}, half of the memory there is, but is "
                f"{max_bytes!r}"
            )
        check_pos_label(pos_label)
        self._pos_label = pos_label
        self.reset()

    def reset(self) -> None:
        """Forget all rows."""
        self._counts = AdaptiveCounts(self._max_bytes // BYTES_OF_A_BIN, _ORDER.word)
        self._device: DeviceBins | None = None
        self._negative: object = None
        self._rows = self._positives = self._negatives = 0
        self._lowest = _NO_KEY

    # ------------------------------------------------------------------ rows

    def update(
        self, y_true: ArrayLike, y_score: ArrayLike, *, sample_weight: ArrayLike | None = None
    ) -> Self:
        """Count a batch of rows, and return the accumulator.

        A batch may have one class only, or no rows at all.

        Parameters
        ----------
        y_true, y_score
            Labels and scores, as in `OperatingPoints.from_scores`.
        sample_weight
            Whole numbers ≥ 0. Sums of other weights are rounded, and bounds could then miss.
        """
        if isinstance(y_true, Iterator):
            y_true = list(y_true)  # it is looked at more than once
        sample = parse_device_sample(y_true, y_score, self._pos_label, nan_found_later=True)
        if (
            sample is not None
            and sample_weight is None
            and can_count(sample)
            and self._update_on_device(sample, y_true)
        ):
            return self
        (labels, scores), weights = present_rows(
            column(y_true, "y_true"),
            column(y_score, "y_score"),
            sample_weight=sample_weight,
            batch=True,
        )
        if labels.size == 0:
            return self
        positive, negative = self._classes(labels)
        keys = _ORDER.keys(_as_float64(scores))
        whole = _whole(weights, labels.size)
        every, positives = int(whole.sum()), int(whole[positive].sum())
        self._check_total(every)
        self._negative = negative
        self._counts.append(keys, positive, whole)
        self._rows += labels.size
        self._positives += positives
        self._negatives += every - positives
        self._lowest = min(self._lowest, int(keys.min()))
        return self

    def _check_total(self, more: int) -> None:
        if self.positives + self.negatives + more > LARGEST_COUNT:
            raise WeightError("the rows of a stream add up to more than 2**53; reset() it before")

    def _update_on_device(self, sample: Sample, y_true: Any) -> bool:
        """Count rows where they are, and those beyond the plan on the host; none if one is NaN."""
        self._check_total(sample.size)
        negative = negative_label(sample, y_true, self._pos_label)
        if negative is not None:
            self._check_negative(negative)
        if self._device is None:
            if has_nan(sample.only_scores):
                return False
            self._device = DeviceBins(sample, self._max_bytes // BYTES_OF_A_BIN)
        batch = self._device.append(sample)
        if batch is None:
            return False
        if batch.scores.size:
            keys = _ORDER.keys(batch.scores.astype(np.float64))
            self._counts.append(keys, batch.labels, np.ones(keys.size, np.int64))
        self._negative = self._negative if negative is None else negative
        self._rows += sample.size
        self._positives += batch.positives
        self._negatives += sample.size - batch.positives
        self._lowest = min(self._lowest, batch.lowest)
        return True

    def _seen(self) -> DyadicCounts:
        """Return all counts; those of a device stay there, where further rows are added to them."""
        if self._device is None:
            return self._counts.counts()
        return self._counts.together(self._device.counts())

    def _classes(self, labels: Column) -> tuple[NDArray[np.bool_], object]:
        """Tell the positive rows, and the label of all others, which must always be the same."""
        positive = positive_rows(labels, self._pos_label)
        others = labels.values[~positive]
        if others.size == 0:
            return positive, self._negative
        found = plain(others[0])
        self._check_negative(found)
        return positive, found

    def _check_negative(self, found: object) -> None:
        if self._negative is not None and found != self._negative:
            known = [1 if self._pos_label is None else self._pos_label, self._negative]
            raise LabelError(f"the stream has {surplus_labels(known, found)}")

    def merge(self, other: Accumulator) -> Self:
        """Add all rows that another accumulator has seen, and return the accumulator.

        Only borders of bins that both have remain, unless the other one has no rows around them.
        So bounds may become wider, and hold for all rows together.
        """
        if not isinstance(other, Accumulator):
            raise ParameterError(
                f"merge() takes another Accumulator but was given a {type(other).__name__}"
            )
        if self._pos_label != other._pos_label:
            raise ParameterError(
                "accumulators with different positive labels cannot be merged: "
                f"{self._pos_label!r} and {other._pos_label!r}"
            )
        self._check_total(other.positives + other.negatives)
        if other._negative is not None:
            self._check_negative(other._negative)
            self._negative = other._negative
        self._counts.absorb(other._seen())
        self._rows += other._rows
        self._positives += other._positives
        self._negatives += other._negatives
        self._lowest = min(self._lowest, other._lowest)
        return self

    def __add__(self, other: object) -> Accumulator:
        """Return an accumulator that has seen the rows of both."""
        if not isinstance(other, Accumulator):
            return NotImplemented
        return Accumulator.from_state(self.state()).merge(other)

    def __radd__(self, other: object) -> Accumulator:
        """Let `sum` merge a list of accumulators; it starts from 0, and changes none of them."""
        if not isinstance(other, int) or other != 0:
            return NotImplemented
        return Accumulator.from_state(self.state())

    # ------------------------------------------------------------------ results

    def points(self) -> OperatingPoints:
        """Return the table of what was seen so far.

        Notes
        -----
        While the stream is exact, it is the table of `OperatingPoints.from_scores`. Later it has
        a row for the border below each bin: its counts are exact, and its threshold is a score or
        the border of a bin. Best thresholds and hulls are those of these rows. `area_brackets`
        bounds the areas.
        """
        seen = self._seen()
        if seen.size == 0:
            raise EmptyInputError("the stream has no rows yet; call update() first")
        totals = ClassTotals(*check_totals(self.positives, self.negatives, counted="the stream"))
        keys = seen.starts.copy()
        keys[0] = self._lowest
        thresholds = _ORDER.scores(keys[::-1])
        tp, fp = np.cumsum(seen.positives[::-1]), np.cumsum(seen.negatives[::-1])
        gaps = None if seen.exact else Gaps(seen.levels[::-1] > 0, has_hull=False)
        return OperatingPoints(Table.of_rows(thresholds, tp, fp, totals, gaps))

    def brackets(self, areas: Iterable[str] | None = None) -> AreaBrackets:
        """Return bounds of areas, equal ones while the stream is exact.

        Parameters
        ----------
        areas
            The names of the areas that are wanted, by default all. AUROC, AUPR and AUPRG of rows
            that torch has on CUDA are bounded there, in a fraction of a millisecond.

        Examples
        --------
        >>> import numpy as np
        >>> import isometrics as iso
        >>> stream = iso.Accumulator("50kB")
        >>> rng = np.random.default_rng(1)
        >>> for _ in range(10):
        ...     labels = rng.random(1000) < 0.3
        ...     _ = stream.update(labels, rng.normal(labels))
        >>> lo, hi = stream.brackets()["AUROC"]
        >>> 0 < hi - lo < 0.01
        True
        """
        chosen = registered(Shown.SUMMARY) if areas is None else parse_areas(areas)
        names = tuple(measure.name for measure in chosen)
        bounds = self._device_brackets() if set(chosen) <= set(_ON_DEVICES) else None
        if bounds is None:
            bounds = bounds_of(self.points(), chosen)
        lo, hi = (np.array([bounds[name][end] for name in names]) for end in (0, 1))
        return AreaBrackets(names, lo, hi)

    def _device_brackets(self) -> dict[str, Bracket] | None:
        """Return the bounds of some areas, where all counts are on a device that can find them."""
        if self._device is None or not self._counts.empty or 0 in (self.positives, self.negatives):
            return None
        ways = self._device.worst_and_best(self.positives, self.negatives)
        if ways is None:
            return None
        worst, best = (measures(way, self.positives, self.negatives) for way in ways)
        areas = {area.name: Measure[str(area.stored)] for area in _ON_DEVICES}
        return {name: apart(worst[area], best[area]) for name, area in areas.items()}

    @property
    def positives(self) -> int:
        """The positives seen so far, with their weights."""
        return self._positives

    @property
    def negatives(self) -> int:
        """The negatives seen so far, with their weights."""
        return self._negatives

    @property
    def nbytes(self) -> int:
        """The memory that counts, the plan of the bins and waiting rows take."""
        return self._counts.nbytes

    @property
    def exact(self) -> bool:
        """Whether each distinct score is still counted by itself."""
        return self._seen().exact

    def __len__(self) -> int:
        """Return the number of rows seen so far."""
        return self._rows

    def __bool__(self) -> bool:
        """Return True, also without rows."""
        return True

    def __repr__(self) -> str:
        """Say what was seen, and how closely it is known."""
        seen = self._seen()
        said = (
            f"Accumulator: {self._rows:,} rows, {self.positives:,} positives, "
            f"{self.negatives:,} negatives"
        )
        most = self._max_bytes // BYTES_OF_A_BIN
        if seen.exact:
            return f"{said}; exact, {seen.size:,} distinct scores of at most {most:,}"
        said = f"{said}; {seen.size:,} bins, {self.nbytes / 1e6:.3g} MB"
        if 0 in (self.positives, self.negatives):
            return said
        mixed = seen.levels > 0
        undecided = (seen.positives[mixed] / self.positives) @ (
            seen.negatives[mixed] / self.negatives
        )
        return f"{said}, {AUROC} known to {number(float(undecided))}"

    # ------------------------------------------------------------------ other processes

    def state(self) -> dict[str, NDArray[Any]]:
        """Return all that was seen as plain arrays, for `numpy.savez` or another process."""
        counts = self._seen()
        labels = {"pos_label": self._pos_label, "negative_label": self._negative}
        return {
            **counts._asdict(),
            "rows": np.array(self._rows, np.int64),
            "lowest": np.array(self._lowest, _ORDER.word),
            "max_bytes": np.array(self._max_bytes, np.int64),
            **{name: as_array(label) for name, label in labels.items() if label is not None},
        }

    @classmethod
    def from_state(cls, state: Mapping[str, ArrayLike]) -> Self:
        """Return an accumulator from what `state` returned, also read from a file.

        Examples
        --------
        >>> import isometrics as iso
        >>> stream = iso.Accumulator().update([1, 0, 0], [0.9, 0.8, 0.3])
        >>> iso.Accumulator.from_state(stream.state())
        Accumulator: 3 rows, 1 positives, 2 negatives; exact, 3 distinct scores of at most 400,000
        """
        found = parse_state(state, _ORDER)
        made = cls(found.max_bytes, pos_label=found.pos_label)
        made._counts.absorb(found.counts)
        made._negative = found.negative_label
        made._rows, made._lowest = found.rows, found.lowest
        made._positives, made._negatives = found.positives, found.negatives
        return made

    def __eq__(self, other: object) -> bool:
        """Compare with another accumulator by what both have seen."""
        if type(self) is not type(other):
            return NotImplemented
        return same(self.state(), other.state())

    __hash__ = None  # type: ignore[assignment]

    def __reduce__(self) -> tuple[Callable[..., Accumulator], tuple[Any, ...]]:
        """Copy and pickle as plain arrays."""
        return type(self).from_state, (self.state(),)


def _as_float64(scores: Column) -> NDArray[np.float64]:
    """Return scores in the one type of all batches; what would be rounded is refused."""
    numbers = scores.numbers(ScoreError)
    if numbers.dtype.kind in "iu" and numbers.dtype.itemsize == 8:
        lost = (numbers > LARGEST_COUNT) | (numbers < -LARGEST_COUNT)
        scores.refuse(lost, ScoreError, "whole numbers beyond 2**53, which a stream cannot hold")
    with np.errstate(over="ignore", under="ignore"):
        widened = numbers.astype(np.float64)
    if numbers.dtype.itemsize > 8:
        lost = widened != numbers
        scores.refuse(lost, ScoreError, "long doubles that do not fit into 64 bits")
    return widened


def _whole(weights: NDArray[Any] | None, size: int) -> NDArray[np.int64]:
    if weights is None:
        return np.ones(size, np.int64)
    if weights.dtype.kind == "f":
        raise WeightError(
            "sample_weight of a stream must be whole numbers of an integer type, because sums of "
            "others are rounded and bounds could miss; use OperatingPoints.from_scores for them"
        )
    return weights
