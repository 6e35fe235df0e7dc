"""A stream of predictions, evaluated in constant memory with bounds that hold."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from isometrics._core.arrays import SEVERAL_CLASSES, column, plain
from isometrics._core.counts import LARGEST_COUNT
from isometrics._core.labels import check_pos_label, positive_rows, surplus_labels
from isometrics._core.results import number, same
from isometrics._core.rows import has_nan, parse_device_sample, present_rows
from isometrics._counting.bins import GrowingTally
from isometrics._counting.keys import order_of
from isometrics._counting.tally import Tally
from isometrics._table.building import table_of_tally
from isometrics.errors import EmptyInputError, LabelError, ParameterError, ScoreError, WeightError
from isometrics.measures import AUROC, Shown, bounds_of, parse_measures, registered
from isometrics.points import OperatingPoints
from isometrics.points.bounds import AreaBrackets
from isometrics.sources.devices import DeviceBins, can_count, negative_label
from isometrics.sources.memory_limit import parse_bytes, parse_memory_limit

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from numpy.typing import ArrayLike, NDArray

    from isometrics._core.arrays import Column
    from isometrics._core.sample import Sample

BYTES_OF_A_BIN = 40
"""Counts, the plan, and rows that wait, for each bin."""
_FEWEST_BYTES = 1000
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
    lie beyond the plan. They are allotted by how uncertain the rows of a region leave AUROC, AUPR
    and AUPRG. That is p·n/(P·N) for AUROC, with p positives and n negatives in the region; for the
    others the top of the ranking counts more, where the positives are. The plan never affects
    correctness, only how wide the bounds are.

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
            raise ParameterError(
                f"must be at least 1000 but is {max_bytes!r}", parameter="max_bytes"
            )
        if self._max_bytes > (most := parse_memory_limit(None)):
            raise ParameterError(
                f"must be at most {most}, half of the memory there is, but is {max_bytes!r}",
                parameter="max_bytes",
            )
        check_pos_label(pos_label)
        self._pos_label = pos_label
        self.reset()

    def reset(self) -> None:
        """Forget all rows."""
        self._counts = GrowingTally(_ORDER, self._max_bytes // BYTES_OF_A_BIN)
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
        sample = parse_device_sample(y_true, y_score, self._pos_label)
        if (
            sample is not None
            and sample_weight is None
            and can_count(sample)
            and self._update_on_device(sample, y_true)
        ):
            return self
        (labels, scores), weights = present_rows(
            column(y_true, "y_true", SEVERAL_CLASSES),
            column(y_score, "y_score", SEVERAL_CLASSES),
            sample_weight=sample_weight,
            batch=True,
        )
        if labels.values.size == 0:
            return self
        positive = positive_rows(labels, self._pos_label)
        # The label of all others must always be the same.
        others, negative = labels.values[~positive], self._negative
        if others.size:
            negative = plain(others[0])
            self._check_negative(negative)
        keys = _ORDER.keys(_as_float64(scores))
        whole = _whole(weights, labels.values.size)
        every, positives = int(whole.sum()), int(whole[positive].sum())
        self._check_total(every)
        self._negative = negative
        self._counts.append(keys, positive, whole)
        self._rows += labels.values.size
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
        self._counts.append(batch.keys, batch.labels, np.ones(batch.keys.size, np.int64))
        self._negative = self._negative if negative is None else negative
        self._rows += sample.size
        self._positives += batch.positives
        self._negatives += sample.size - batch.positives
        self._lowest = min(self._lowest, batch.lowest)
        return True

    def _tally(self) -> Tally:
        """Return all counts; those of a device stay there, where further rows are added to them."""
        if self._device is None:
            return self._counts.tally()
        return self._counts.merged(self._device.tally())

    def _check_negative(self, label: object) -> None:
        if self._negative is not None and label != self._negative:
            classes = [1 if self._pos_label is None else self._pos_label, self._negative]
            raise LabelError(f"the stream has {surplus_labels(classes, label)}")

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
        self._counts.merge(other._tally())
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
        tally = self._tally()
        if tally.size == 0:
            raise EmptyInputError("the stream has no rows yet; call update() first")
        table = table_of_tally(
            tally,
            counted="the stream",
            totals=(self.positives, self.negatives),
            lowest=self._lowest,
            has_hull=False,
        )
        return OperatingPoints(table)

    def brackets(self, areas: Iterable[str] | None = None) -> AreaBrackets:
        """Return bounds of areas, equal ones while the stream is exact.

        Parameters
        ----------
        areas
            The names of the areas that are wanted, by default all.

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
        chosen = registered(Shown.SUMMARY) if areas is None else parse_measures(areas, "areas")
        names = tuple(measure.name for measure in chosen)
        bounds = bounds_of(self.points(), chosen)
        lo, hi = (np.array([bounds[name][end] for name in names]) for end in (0, 1))
        return AreaBrackets(names, lo, hi)

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
        return self._tally().exact

    def __len__(self) -> int:
        """Return the number of rows seen so far."""
        return self._rows

    def __bool__(self) -> bool:
        """Return True, also without rows."""
        return True

    def __repr__(self) -> str:
        """Say what was seen, and how closely it is known."""
        tally = self._tally()
        text = (
            f"Accumulator: {self._rows:,} rows, {self.positives:,} positives, "
            f"{self.negatives:,} negatives"
        )
        if tally.exact:
            most = self._max_bytes // BYTES_OF_A_BIN
            return f"{text}; exact, {tally.size:,} distinct scores of at most {most:,}"
        text = f"{text}; {tally.size:,} bins, {self.nbytes / 1e6:.3g} MB"
        if 0 in (self.positives, self.negatives):
            return text
        return f"{text}, {AUROC} known to {number(float(tally.uncertainty()[0].sum()))}"

    # ------------------------------------------------------------------ other processes

    def state(self) -> dict[str, NDArray[Any]]:
        """Return all that was seen as plain arrays, for `numpy.savez` or another process."""
        tally = self._tally()
        labels = {"pos_label": self._pos_label, "negative_label": self._negative}
        return {
            "starts": tally.lo,
            "levels": tally.levels,
            "positives": tally.positives,
            "negatives": tally.negatives,
            "rows": np.array(self._rows, np.int64),
            "lowest": np.array(self._lowest, _ORDER.word),
            "max_bytes": np.array(self._max_bytes, np.int64),
            **{name: _stored(label) for name, label in labels.items() if label is not None},
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
        if not isinstance(state, Mapping):
            raise _damaged(f"it is a {type(state).__name__} and not a mapping of names to arrays")
        tally, lowest = _parse_tally(state)
        rows, max_bytes = _whole_number(state, "rows"), _whole_number(state, "max_bytes")
        pos_label, negative = _label(state, "pos_label"), _label(state, "negative_label")
        totals = int(tally.positives.sum()), int(tally.negatives.sum())
        # A row has one class and a weight of 1 or more.
        fewest = np.count_nonzero(tally.positives) + np.count_nonzero(tally.negatives)
        if not fewest <= rows <= sum(totals):
            raise _damaged(f"'rows' is {rows}, which its counts contradict")
        positive = 1 if pos_label is None else pos_label
        if negative is not None and negative == positive:
            raise _damaged(f"{positive!r} is the label of both classes")
        stream = cls(max_bytes, pos_label=pos_label)
        stream._counts.merge(tally)
        stream._rows, stream._lowest, stream._negative = rows, lowest, negative
        stream._positives, stream._negatives = totals
        return stream

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


# ---------------------------------------------------------------------- states

_TYPES = {"starts": np.uint64, "levels": np.uint8, "positives": np.int64, "negatives": np.int64}
_LABELS = "biufU"
"""The kinds of arrays that hold a label: truth values, numbers or text."""


def _stored(label: object) -> NDArray[Any]:
    """Return a label as an array without dimensions."""
    array = np.array(label)
    if array.dtype.kind not in _LABELS or array.ndim:
        raise ParameterError(
            f"the label {label!r} cannot be stored as an array; use labels that are truth values, "
            "numbers or text"
        )
    return array


def _parse_tally(state: Mapping[str, ArrayLike]) -> tuple[Tally, int]:
    """Return the counts of a state and its lowest key, if they can be those of a stream."""
    columns = {name: _entry(state, name) for name in _TYPES}
    for name, dtype in _TYPES.items():
        if columns[name].dtype != dtype or columns[name].shape != columns["starts"].shape:
            raise _damaged(f"{name!r} is not an array of {np.dtype(dtype)} as long as the others")
    starts, levels = columns["starts"], columns["levels"]
    lowest = _whole_number(state, "lowest")
    if starts.ndim != 1:
        raise _damaged("its intervals are not one-dimensional")
    if (levels >= _ORDER.bits).any():
        raise _damaged("intervals are larger than all keys together")
    size = np.uint64(1) << levels.astype(np.uint64)
    if (starts & (size - np.uint64(1))).any():
        raise _damaged("intervals do not begin at multiples of their sizes")
    tally = Tally.from_blocks(_ORDER, *columns.values())
    if (tally.lo[1:] <= tally.hi[:-1]).any():
        raise _damaged("intervals overlap")
    both = (tally.positives, tally.negatives)
    if any((counts < 0).any() for counts in both) or (np.maximum(*both) == 0).any():
        raise _damaged("counts are not positive")
    # The sum of floats is off by less than a part in a million, and far from overflowing.
    rounded = sum(float(counts.sum(dtype=np.float64)) for counts in both)
    if rounded > 2 * LARGEST_COUNT or sum(int(counts.sum()) for counts in both) > LARGEST_COUNT:
        raise _damaged("its rows add up to more than 2**53")
    if tally.size == 0 and lowest != _NO_KEY:
        raise _damaged("it has a lowest key but no intervals")
    if tally.size:
        keys = starts.copy()
        inside = int(keys[0]) <= lowest <= int(tally.hi[0])
        keys[0] = lowest if inside else _NO_KEY
        if np.isnan(_ORDER.scores(keys)).any():
            raise _damaged("some keys are those of no score")
    return tally, lowest


def _whole_number(state: Mapping[str, ArrayLike], name: str) -> int:
    entry = _entry(state, name)
    if entry.ndim or entry.dtype.kind not in "iu" or entry < 0:
        raise _damaged(f"{name!r} is not one whole number, 0 or more")
    return int(entry)


def _label(state: Mapping[str, ArrayLike], name: str) -> object:
    """Return a label; None where it is not known."""
    if name not in state:
        return None
    entry = _entry(state, name)
    if entry.ndim or entry.dtype.kind not in _LABELS or entry != entry:  # noqa: PLR0124 (NaN)
        raise _damaged(f"{name!r} is not one truth value, number or text")
    return entry.item()


def _entry(state: Mapping[str, ArrayLike], name: str) -> NDArray[Any]:
    if name not in state:
        raise _damaged(f"{name!r} is missing")
    try:
        return np.asarray(state[name])
    except (TypeError, ValueError):
        raise _damaged(f"{name!r} is not an array") from None


def _damaged(why: str) -> ParameterError:
    return ParameterError(f"this is not the state of an accumulator: {why}")
