"""The loops written in C (`native/`), which ctypes calls without Python's lock.

The library has nothing of Python in it, so that one serves all versions. It is built where there is
a C compiler when the package is (`hatch_build.py`). Where it is missing, NumPy does the same work.

What an argument is, is checked here: arrays are contiguous, aligned and of the type that a loop
expects.
Their sizes and what they hold are up to the callers.
"""

from __future__ import annotations

import ctypes
import os
import sys
import zlib
from concurrent.futures import ThreadPoolExecutor
from ctypes import c_double, c_int32, c_int64, c_uint64, c_void_p
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from isometrics.errors import ParameterError

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from isometrics._counting.best_rules import Ranking


FOLDER = Path(__file__).with_name("native")
NAMES = {"win32": "loops.dll", "darwin": "loops.dylib"}
LIBRARY = FOLDER / NAMES.get(sys.platform, "loops.so")


def checksum(folder: Path = FOLDER) -> int | None:
    """Return the number of the sources; None where there are none, as in a wheel."""
    sources = sorted(folder.glob("*.[ch]"))
    if not sources:
        return None
    number = 0
    for source in sources:
        number = zlib.crc32(source.name.encode() + b"\0" + source.read_bytes(), number)
    return number


@cache
def library(path: Path = LIBRARY) -> ctypes.CDLL | None:
    """Return the library; None where it is missing, damaged, of other sources or machines.

    The file beside it has its number and that of its sources. A library that was cut off would end
    the process while it is loaded, so they are compared before.
    """
    try:
        numbers = path.with_suffix(".crc32").read_text().split()
        sources = checksum(path.parent)
        found = zlib.crc32(path.read_bytes()), numbers[-1] if sources is None else sources
        is_intact = numbers == list(map(str, found))
        # Positions have 64 bits.
        return ctypes.CDLL(str(path)) if is_intact and sys.maxsize > 2**32 else None
    except (OSError, IndexError, UnicodeDecodeError):
        return None


def available() -> bool:
    """Tell whether the compiled loops are there."""
    return library() is not None


def as_argument(array: NDArray[Any], dtype: Any = None) -> NDArray[Any]:
    """Return an array as loops take it; one that has gaps or is not aligned is copied."""
    array = np.ascontiguousarray(array, dtype)
    return array if array.flags.aligned else array.copy()


class _Array:
    """A parameter that is a contiguous array of one of some types, or None where that may be."""

    def __init__(self, *types: type[Any], optional: bool = False) -> None:
        self.types = tuple(map(np.dtype, types))
        self.optional = optional

    def from_param(self, array: NDArray[Any] | None) -> c_void_p | None:
        """Return where the array lies; ctypes calls this."""
        if array is None and self.optional:
            return None
        if not isinstance(array, np.ndarray) or array.dtype not in self.types:
            raise TypeError(f"one of {self.types} is needed, not {array!r}")
        if not array.flags.c_contiguous or not array.flags.aligned:
            raise TypeError("a contiguous and aligned array is needed")
        return c_void_p(array.ctypes.data)


class _InRows(_Array):
    """The same with rows that are contiguous and may lie apart."""

    def from_param(self, array: NDArray[Any] | None) -> c_void_p | None:
        """Return where the first row lies."""
        if (
            not isinstance(array, np.ndarray)
            or array.dtype not in self.types
            or array.ndim != 2
            or array.strides[1] != array.itemsize
            or not array.flags.aligned
        ):
            raise TypeError(f"contiguous rows of one of {self.types} are needed, not {array!r}")
        return c_void_p(array.ctypes.data)


class Loop:
    """A loop of the library, of which there may be one for each type of some of its arrays."""

    def __init__(
        self, name: str, *parameters: Any, result: type[Any] | None = None, decided_by: Any = ()
    ) -> None:
        self.name, self.parameters, self.result = name, parameters, result
        self.decided_by: tuple[int, ...] = decided_by
        self._variants: dict[str, Callable[..., Any]] = {}

    def __call__(self, *given: Any) -> Any:
        """Call it with an argument for each parameter."""
        name = self.name
        for position in self.decided_by:
            name += _SUFFIX[given[position].dtype]
        if name not in self._variants:
            loaded = library()
            if loaded is None:
                raise ParameterError(MISSING)
            function = self._variants[name] = getattr(loaded, name)
            function.argtypes, function.restype = self.parameters, self.result
        return self._variants[name](*given)


MISSING = (
    "the compiled loops are missing, damaged or older than their sources: they are built with the "
    "package where there is a C compiler, and by python hatch_build.py. kernel='plain' does without"
)

_SUFFIX = {
    np.dtype(np.uint32): "_32",
    np.dtype(np.uint64): "_64",
    np.dtype(np.int64): "_int64",
    np.dtype(np.float64): "_float64",
    np.dtype(np.uint8): "_uint8",
}

_KEYS = _Array(np.uint32, np.uint64)
_BITS = _Array(np.int32, np.int64)
_CARRIED = _Array(np.int64, np.float64, optional=True)
_COUNTS = _Array(np.int64, np.float64)
_LABELS = _Array(np.bool_)
_FLOATS, _INT64, _UINT64 = _Array(np.float64), _Array(np.int64), _Array(np.uint64)
_INT32, _UINT32, _UINT16 = _Array(np.int32), _Array(np.uint32), _Array(np.uint16)
_BYTES, _DRAWN = _Array(np.uint8), _Array(np.uint8, np.float64)
_FLOAT_ROWS = _InRows(np.float64)
_PLAN = (c_uint64, c_uint64, c_uint64, _UINT64)
"""The lowest key, the shift, the span and the entries of a `BucketPlan`."""
_CODING = (c_int32, c_int64, c_int64)
"""Whether scores are floats, the gap and the lowest integer of an `Encoding`."""
_SOME = (_UINT64, c_int64, c_int64)
"""Where buckets begin, the first of some and the one behind the last."""
_TABLE = (_INT64, _INT64, _BITS)
_COUNTS_OF_TABLE = (_INT64, _INT64, _Array(np.int32, np.int64, optional=True))

# What each does is said where it is written.
find_range = Loop("find_range", _BITS, c_int64, _BITS, _KEYS, decided_by=(3,))
pack = Loop("pack", _BITS, _LABELS, c_int64, *_CODING, _KEYS, decided_by=(6,))
census = Loop("census", _KEYS, c_int64, *_PLAN, _UINT64, decided_by=(0,))
spread = Loop(
    "spread", _KEYS, c_int64, *_PLAN, _UINT64, c_uint64, _KEYS, _CARRIED, _CARRIED, decided_by=(0,)
)
sort_buckets = Loop(
    "sort_buckets", _KEYS, *_SOME, _UINT32, _KEYS, _CARRIED, _CARRIED, decided_by=(0,)
)
sort_buckets_in_place = Loop(
    "sort_buckets_in_place", _KEYS, *_SOME, _UINT32, _KEYS, decided_by=(0,)
)
fill_rows = Loop(
    "fill_rows", _KEYS, *_SOME, c_int64, *_CODING, _UINT32, _KEYS, *_TABLE,
    result=c_int64, decided_by=(0,),
)  # fmt: skip
fill_corners = Loop(
    "fill_corners", _KEYS, *_SOME, c_int64, *_CODING, _UINT32, _KEYS, *_COUNTS_OF_TABLE,
    result=c_int64, decided_by=(0,),
)  # fmt: skip
sift = Loop(
    "sift", _KEYS, c_int64, c_uint64, c_uint64, c_uint64, _UINT32, _UINT64, _UINT64, _KEYS,
    result=c_int64, decided_by=(0,),
)  # fmt: skip
tally = Loop("tally", _KEYS, c_int64, _UINT64, c_uint64, c_uint64, result=c_int32, decided_by=(0,))
block_sums = Loop("block_sums", _COUNTS, c_int64, _COUNTS, c_int64, decided_by=(0,))
fill_weighted = Loop(
    "fill_weighted", _KEYS, _COUNTS, c_int64, _COUNTS, c_int64, _COUNTS, _COUNTS,
    result=c_int64, decided_by=(1, 0),
)  # fmt: skip

corner_counts = Loop(
    "corner_counts", _INT64, _LABELS, c_int64, c_int32, _UINT64, _UINT32, _INT64, _INT64,
    result=c_int64,
)  # fmt: skip

sum_chunks = Loop(
    "sum_chunks", c_int32, _COUNTS, _COUNTS, c_int64, c_int64, _FLOATS, c_int64, decided_by=(1,)
)
hull = Loop("hull", _INT64, _INT64, c_int64, _INT64, _INT64, result=c_int64)

pick = Loop(
    "pick", _UINT64, _BYTES, _INT64, _UINT64, _UINT64, _FLOATS, _FLOATS, _INT64, c_int64,
    _DRAWN, c_int64, c_int64, decided_by=(9,),
)  # fmt: skip
gather = Loop("gather", _FLOATS, _INT64, c_int64, _FLOATS, c_int64)
fill_areas = Loop(
    "fill_areas", _FLOAT_ROWS, c_int64, _FLOAT_ROWS, c_int64, c_int64, c_int64, _FLOATS,
    _INT32, _INT32, c_double, c_int32, _FLOATS,
)  # fmt: skip


class _Ranking(ctypes.Structure):
    """The arrays of a `Ranking`; see `native/best_rules.c`."""

    _fields_ = (
        *(
            (name, c_void_p)
            for name in ("unit", "positive", "last", "rule", "weight", "ends", "cell", "cell_unit")
        ),
        ("rows", c_int64),
        ("blocks", c_int64),
    )


class Task(ctypes.Structure):
    """The numbers of a `best_rules.Task`."""

    _fields_ = (
        *(
            (name, c_double)
            for name in (
                *("first", "second", "min_precision", "min_recall", "max_fpr"),
                *("most_flagged", "z", "effective", "ratio"),
            )
        ),
        ("costs", c_int32),
        ("allows_nothing", c_int32),
    )


def ranking_of(ranking: Ranking) -> _Ranking:
    """Return a ranking as loops take it; it must live as long."""
    kinds = (_INT32, _LABELS, _LABELS, _INT32, _FLOATS, _INT64, _UINT16, _INT32)
    arrays: tuple[NDArray[Any], ...] = ranking
    addresses = (
        kind.from_param(array) if array.size else None
        for kind, array in zip(kinds, arrays, strict=True)
    )
    return _Ranking(*addresses, ranking.unit.size, ranking.block_ends.size)


_OF_RANKING, _OF_TASK = ctypes.POINTER(_Ranking), ctypes.POINTER(Task)
add_up = Loop("add_up", _DRAWN, c_int64, c_int64, _OF_RANKING, _FLOATS, decided_by=(0,))
choose = Loop(
    "choose", _DRAWN, c_int64, c_int64, _FLOATS, _FLOATS, _OF_RANKING, _OF_TASK,
    _INT64, _FLOATS, _FLOATS, decided_by=(0,),
)  # fmt: skip


FEWEST = 1 << 14
"""Rows from which on the compiled loops are faster."""


def compiled_pays(rows: int) -> bool:
    """Tell whether so many rows are worth the compiled loops; both ways give the same rows."""
    return rows >= FEWEST and available()


def threads_for(rows: int) -> int:
    """Return how many threads pay: a second one, for many rows, where there is a second core."""
    return 2 if rows >= 1 << 19 and (os.cpu_count() or 1) > 1 else 1


def in_threads(work: Callable[[int, int, int], Any], cuts: list[int]) -> list[Any]:
    """Do the work between each two neighbouring cuts in a thread of its own."""
    parts = [(part, start, end) for part, (start, end) in enumerate(pairwise(cuts))]
    if len(parts) == 1:
        return [work(*parts[0])]
    with ThreadPoolExecutor(len(parts)) as pool:
        return list(pool.map(lambda part: work(*part), parts))
