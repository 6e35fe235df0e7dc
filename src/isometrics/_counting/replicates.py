"""Random weights of bootstrap replicates, and the areas of a ranking under them, with NumPy."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from isometrics._core.parameters import check_choice
from isometrics._counting import native, segments
from isometrics._counting.segments import TINY, Segments
from isometrics.errors import ParameterError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

    from isometrics._core.arrays import Floats

    Pick = Callable[..., None]


BLOCK = 32
"""Replicates that share one random stream; a thread works on whole blocks."""

_TABULATED = 64
"""Cells of more rows than this are few, and drawn by NumPy's own Poisson generator."""

_MARGIN = 4.0
"""How many standard deviations of the total are left to be drawn one by one."""

LISTED = 1 << 24
"""Up to so many rows the unit of each is listed, in 64 MB; beyond, it is searched for."""

_LOW_HALF = np.uint64(0xFFFFFFFF)


class Alias(NamedTuple):
    """Distributions side by side, each a power of two of columns long.

    The upper bits of a random word choose a column, its lower half decides between the two values
    of the column; so a probability is exact to 2⁻³² of a column.
    """

    offset: NDArray[np.int64]
    shift: NDArray[np.uint64]
    accept: NDArray[np.uint64]
    value: Floats
    other: Floats


def pick_plain(
    words: np.random.BitGenerator,
    which: NDArray[np.uint8],
    alias: Alias,
    units: NDArray[np.intp],
    weights: Floats,
) -> None:
    """Draw the weights of the units that have a table, one random word each."""
    drawn = words.random_raw((weights.shape[0], units.size))
    column = (drawn >> alias.shift[which]).astype(np.int64)
    column += alias.offset[which]
    drawn &= _LOW_HALF
    chosen = np.where(drawn < alias.accept[column], alias.value[column], alias.other[column])
    if units.size == weights.shape[1]:
        weights[:] = chosen
    else:
        weights[:, units] = chosen


class Stream(NamedTuple):
    """The random numbers of one block: for cells in tables, for large cells, for the rest.

    Each purpose, and each stratum, has its own, so that it does not matter how many replicates are
    drawn at once.
    """

    words: np.random.BitGenerator
    large: np.random.Generator
    rest: tuple[np.random.Generator, np.random.Generator]


class Stratum(NamedTuple):
    """Units that are drawn among themselves: `total` rows in all."""

    units: slice
    cumulative: NDArray[np.int64]
    total: int
    unit_of_row: NDArray[np.int32] | None
    """Where rows are not too many to list them."""

    def complete(self, weights: Floats, random: np.random.Generator) -> None:
        """Add single draws until each replicate has as many rows as the sample."""
        own = weights[:, self.units]
        missing = self.total - own.sum(axis=1).astype(np.int64)
        own[missing < 0] = 0
        missing[missing < 0] = self.total
        size = self.cumulative.size
        if self.total > 16 * size * size:
            # Few units of many rows: a draw for each unit is less work than one for each row.
            shares = np.diff(self.cumulative, prepend=0) / self.total
            own += random.multinomial(missing, shares).astype(own.dtype)
            return
        rows = random.integers(0, self.total, int(missing.sum()))
        found = (
            np.searchsorted(self.cumulative, rows, "right")
            if self.unit_of_row is None
            else self.unit_of_row[rows]
        )
        row_start = np.repeat(np.arange(len(weights)) * weights.shape[1], missing)
        np.add.at(
            weights.reshape(-1), row_start + found + (self.units.start or 0), weights.dtype.type(1)
        )


class Draws:
    """How to draw units of some rows each, in strata that follow one another and keep their totals.

    Notes
    -----
    Poisson numbers that happen to add up to M are a multinomial sample of M rows, and M < n rows
    completed by n - M single draws are one of n rows. So a multinomial replicate is a Poisson one
    at a rate a little below 1 and a few single draws, exactly. Where M > n, which the margin makes
    rare, the whole stratum is drawn row by row.
    """

    def __init__(
        self, counts: NDArray[np.int64], strata: list[slice], *, margin: float = _MARGIN
    ) -> None:
        self.size = counts.size
        self.strata = []
        means = counts.astype(float)
        for units in strata:
            own = counts[units]
            cumulative = np.cumsum(own)
            total = int(cumulative[-1])
            places = np.arange(own.size, dtype=np.int32)
            listed = np.repeat(places, own) if total <= LISTED else None
            self.strata.append(Stratum(units, cumulative, total, listed))
            means[units] *= max(0.0, 1 - margin / math.sqrt(total))
        self.small = np.flatnonzero((counts <= _TABULATED) & (means > 0))
        self.large = np.flatnonzero((counts > _TABULATED) & (means > 0))
        self.large_means = means[self.large]
        # One alias table for each distinct mean.
        distinct, which = np.unique(means[self.small], return_inverse=True)
        tables = [_alias(mean) for mean in distinct.tolist()]
        sizes = np.array([len(table[0]) for table in tables], np.int64)
        shifts = np.array([65 - size.bit_length() for size in sizes.tolist()], np.uint64)
        accept, value, other = (
            np.concatenate([np.empty(0, dtype), *(table[part] for table in tables)])
            for part, dtype in enumerate((np.uint64, np.float64, np.float64))
        )
        self.alias = Alias(np.cumsum(sizes) - sizes, shifts, accept, value, other)
        # At most 64 sizes of cells in each of two strata: a byte can tell them apart.
        self.which = which.astype(np.uint8)

    def draw(self, stream: Stream, weights: Floats, pick: Pick = pick_plain) -> None:
        """Fill one row of weights for each replicate."""
        if self.small.size < self.size:
            weights[:] = 0
        pick(stream.words, self.which, self.alias, self.small, weights)
        if self.large.size:
            size = (weights.shape[0], self.large.size)
            weights[:, self.large] = stream.large.poisson(self.large_means, size)
        for stratum, random in zip(self.strata, stream.rest, strict=False):
            stratum.complete(weights, random)


def streams(seed: np.random.SeedSequence, replicates: int) -> Iterator[tuple[range, Stream]]:
    """Yield the replicates of each block with its random numbers, the same for any threads."""
    starts = range(0, replicates, BLOCK)
    for start, child in zip(starts, seed.spawn(len(starts)), strict=True):
        words, *others = map(np.random.SFC64, child.spawn(4))
        large, first, second = map(np.random.Generator, others)
        stream = Stream(words, large, (first, second))
        yield range(start, min(start + BLOCK, replicates)), stream


def _alias(mean: float) -> tuple[NDArray[np.uint64], Floats, Floats]:
    """Return the alias table of a Poisson distribution (Vose 1991).

    It has the numbers that are drawn with a chance worth a random bit.
    """
    least = max(0, math.floor(mean - 10 * math.sqrt(mean)))
    most = math.ceil(mean + 10 * math.sqrt(mean) + 20)
    chances = np.exp(
        [k * math.log(mean) - mean - math.lgamma(k + 1) for k in range(least, most + 1)]
    )
    kept = np.flatnonzero(chances > 2.0**-48)
    low, chances = least + int(kept[0]), chances[kept[0] : kept[-1] + 1]
    size = max(2, 1 << (chances.size - 1).bit_length())
    shares = np.zeros(size)
    shares[: chances.size] = chances * (size / chances.sum())
    left = shares.tolist()
    alias = list(range(size))
    poor = [column for column in alias if left[column] < 1]
    rich = [column for column in alias if left[column] >= 1]
    while poor and rich:
        short, long = poor.pop(), rich.pop()
        alias[short] = long
        left[long] -= 1 - left[short]
        (poor if left[long] < 1 else rich).append(long)
    for column in (*poor, *rich):
        # What is left of either differs from a full column by rounding only.
        left[column] = 1.0
    accept = np.array([round(share * 2**32) for share in left], np.uint64)
    return accept, low + np.arange(size, dtype=float), low + np.array(alias, float)


_CELLS = 1 << 13
"""Positive cells that are added up together; larger arrays get fresh memory, which is slow."""

AREAS = ("auroc", "aupr", "average_precision", "auprg")
"""What the kernels compute, in their order."""


class CellOrder(NamedTuple):
    """How cells stand in the ranking, those of positives and those of negatives numbered apart.

    Before positive cell i stand the negative cells up to `before[i]`; those up to `through[i]` are
    tied with it or stand before it. With a `ratio` above 0 the negatives are scaled to so many for
    each positive, which is how another prevalence is looked at. Average precision is computed if
    `stepwise`, which needs the positives of each score apart.
    """

    before: NDArray[np.int32]
    through: NDArray[np.int32]
    ratio: float
    stepwise: bool


def areas_plain(positive: Floats, negative: Floats, order: CellOrder, areas: Floats) -> None:
    """Fill one row of `AREAS` for each row of weights; NaN for a row without one class."""
    at_once = max(1, _CELLS // positive.shape[1])
    with np.errstate(divide="ignore", invalid="ignore", under="ignore"):
        for start in range(0, positive.shape[0], at_once):
            rows = slice(start, start + at_once)
            areas[rows] = _areas(positive[rows], negative[rows], order)


def _areas(rise: Floats, negative: Floats, order: CellOrder) -> Floats:
    total, others = rise.sum(axis=1, keepdims=True), negative.sum(axis=1, keepdims=True)
    tp, fp = _cumulative(rise), _cumulative(negative)
    if order.ratio > 0:
        fp *= total * order.ratio / others
        others = total * order.ratio
    y, y_end = fp.take(order.before, axis=1), fp.take(order.through, axis=1)
    path = Segments(tp[:, :-1], y, tp[:, 1:], y_end, rise, y_end - y)
    ranked = segments.rows_added_up(rise * (2 * others - y - y_end))
    below = segments.rows_added_up(_below_curve(path))
    stepped = np.full(ranked.shape, np.nan)
    if order.stepwise:
        steps = segments.area_of_step(rise, path.x_end / (path.x_end + y_end))
        steps[rise == 0] = 0
        stepped = segments.rows_added_up(steps)
    lost = segments.rows_added_up(_gain_loss(path, total * (total / (total + others))))
    total, others = total[:, 0], others[:, 0]
    odds = total / others
    areas = np.stack(
        [
            ranked / (2 * total * others),
            below / total,
            stepped / total,
            1 - odds * odds * total / 2 * lost,
        ],
        axis=1,
    )
    areas[(total == 0) | (others == 0)] = np.nan
    return areas


def _cumulative(weights: Floats) -> Floats:
    """Return cumulative weights after a column of zeros."""
    sums = np.empty((weights.shape[0], weights.shape[1] + 1))
    sums[:, 0] = 0
    np.cumsum(weights, axis=1, out=sums[:, 1:])
    return sums


def _below_curve(path: Segments) -> Floats:
    """Area under precision over each cell.

    From the empty rule precision is constant, and a cell without weight has no area. There the
    bend and the rise are 0, so that any divisor other than 0 will do.
    """
    x, y, _, _, rise, run = path
    step, predicted = np.maximum(rise + run, TINY), np.maximum(x + y, TINY)
    rates = segments.log_rates(predicted.ravel(), step.ravel()).reshape(step.shape)
    area: Floats = segments.area_below(rise, step, segments.bend(x, y, rise, run, rates))
    return area


def _gain_loss(path: Segments, crossing: Floats) -> Floats:
    """Area above precision gain over each cell from the crossing on, where recall gain is 0.

    The starts `path.y` are overwritten where the crossing lies inside a cell.
    """
    x, y, x_end, y_end, rise, run = path
    outside = x_end <= crossing
    rows = np.arange(len(x))
    first = rows, np.minimum(outside.sum(axis=1), x.shape[1] - 1)
    before = np.maximum(crossing[:, 0] - x[first], 0)
    y[first] += np.where(before > 0, before / rise[first] * run[first], 0)
    begin = np.maximum(x, crossing)
    lost: Floats = segments.gain_loss_at_once(begin, y, x_end, y_end, x_end - begin)
    lost[outside] = 0
    return lost


KERNELS = ("auto", "plain", "compiled")


class Kernel(NamedTuple):
    """Three tasks: draw weights, gather the weights of rows into cells, compute areas."""

    name: str
    pick: Pick
    gather: Callable[..., None]
    areas: Callable[..., None]


def kernel_named(name: str) -> Kernel:
    """Return a kernel; ``"auto"`` is the compiled one where the package was built with it."""
    check_choice(name, "kernel", KERNELS)
    if name == "plain" or (name == "auto" and not native.available()):
        return PLAIN
    if not native.available():
        raise ParameterError(native.MISSING)
    return COMPILED


def _gather_plain(weights: Floats, cell: NDArray[np.intp], sums: Floats) -> None:
    """Add up the weights of the rows of each cell, for one replicate."""
    sums[:] = np.bincount(cell, weights, minlength=sums.size)


PLAIN = Kernel("plain", pick_plain, _gather_plain, areas_plain)


def _pick(
    words: np.random.BitGenerator,
    which: NDArray[np.uint8],
    alias: Alias,
    units: NDArray[np.intp],
    weights: NDArray[Any],
) -> None:
    """Draw with the generator of `words`, whose state moves on as if it had drawn."""
    state: Any = words.state
    own = state["state"]["state"]
    native.pick(own, which, *alias, units, units.size, weights, *weights.shape)
    words.state = state


def _gather(weights: Floats, cell: NDArray[np.intp], sums: Floats) -> None:
    """Add up the weights of the rows of each cell, for one replicate."""
    native.gather(weights, cell, cell.size, sums, sums.size)


def _areas_compiled(positive: Floats, negative: Floats, order: CellOrder, found: Floats) -> None:
    """Fill one row of `AREAS` for each row of weights."""
    # NumPy adds several numbers at once, a loop one after the other.
    totals = np.stack([positive.sum(axis=1), negative.sum(axis=1)])
    strides = (positive.strides[0] // 8, negative.strides[0] // 8)
    native.fill_areas(
        positive, strides[0], negative, strides[1], *positive.shape, totals, *order, found
    )


COMPILED = Kernel("compiled", _pick, _gather, _areas_compiled)
