"""Rows of one class in sorted runs: in memory as long as they fit, else on disk."""

from __future__ import annotations

from concurrent.futures import Future
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from isometrics import _counting
from isometrics._core.writing import ScratchFolder
from isometrics.errors import Advice, FileError, system_reason

if TYPE_CHECKING:
    from concurrent.futures import ThreadPoolExecutor
    from types import TracebackType

    from numpy.typing import NDArray

    from isometrics._core.arrays import Counts


class Run(NamedTuple):
    """Keys in ascending order, and the weights of their rows where they have any."""

    keys: NDArray[Any]
    weights: Counts | None

    @property
    def nbytes(self) -> int:
        """The bytes of all rows."""
        return self.keys.nbytes + (0 if self.weights is None else self.weights.nbytes)

    def sorted(self) -> Run:
        """Return the rows in the order of their keys; without weights they are sorted in place."""
        if self.weights is None:
            _counting.sort(self.keys)
            return self
        order = np.argsort(self.keys, kind="stable")
        return Run(self.keys[order], self.weights[order])

    def part(self, start: int, end: int) -> Run:
        """Return some of the rows, in memory."""
        weights = None if self.weights is None else np.asarray(self.weights[start:end])
        return Run(np.asarray(self.keys[start:end]), weights)


class SpillFolder:
    """A folder for what does not fit into memory; it is removed with everything in it."""

    def __init__(self) -> None:
        self._folder: ScratchFolder | None = None
        self._files = 0

    def __enter__(self) -> SpillFolder:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._folder is not None:
            self._folder.cleanup()

    def write(self, values: NDArray[Any]) -> NDArray[Any]:
        """Write an array and return it as a read-only view of its file."""
        if self._folder is None:
            self._folder = ScratchFolder()
        path = Path(self._folder.name, f"{self._files}.bin")
        self._files += 1
        try:
            with path.open("wb") as file:
                file.write(values.data)
        except OSError as error:
            raise FileError(
                f"cannot write {values.nbytes} bytes of sorted scores to {str(path.parent)!r}: "
                f"{system_reason(error)}",
                Advice("set TMPDIR to a folder with room, or raise {memory_limit}"),
            ) from error
        return np.memmap(path, values.dtype, "r", shape=values.shape)


SHORT = 1 << 14
"""So few rows are sorted and merged sooner than a thread takes up the work."""
_FIRST_BUFFER = 1 << 10


class Runs:
    """Rows of one class that arrive in chunks and leave as sorted runs.

    Parameters
    ----------
    dtype
        The type of the keys.
    weights
        The type of the weights, or None.
    folder
        Where runs go that do not fit into memory.
    threads
        Who sorts, while more rows are read.
    size
        The rows of a run.
    """

    def __init__(
        self,
        dtype: np.dtype[Any],
        weights: np.dtype[Any] | None,
        *,
        folder: SpillFolder,
        threads: ThreadPoolExecutor,
        size: int = 1 << 21,
    ) -> None:
        self._size = size
        self._folder = folder
        self._threads = threads
        # There may be thousands of short tables, so buffers are small until rows fill them.
        self._keys: NDArray[Any] = np.empty(min(size, _FIRST_BUFFER), dtype)
        self._weights: Counts | None = (
            None if weights is None else np.empty(self._keys.size, weights)
        )
        self._filled = 0
        self._held: list[Future[Run]] = []
        self._spilled: list[Run] = []
        self._rows = 0
        self._nbytes = 0

    @property
    def rows(self) -> int:
        """The number of rows."""
        return self._filled + self._rows

    @property
    def nbytes(self) -> int:
        """The memory that rows take."""
        return self._nbytes + self._buffer().nbytes

    def append(self, keys: NDArray[Any], weights: Counts | None) -> None:
        """Add rows in any order."""
        start = 0
        if self._keys.size < min(self._filled + keys.size, self._size):
            self._grow(self._filled + keys.size)
        while start < keys.size:
            end = min(start + self._size - self._filled, keys.size)
            room = slice(self._filled, self._filled + end - start)
            self._keys[room] = keys[start:end]
            if self._weights is not None and weights is not None:
                self._weights[room] = weights[start:end]
            start, self._filled = end, room.stop
            if self._filled == self._size:
                self._end_run()

    def _grow(self, rows: int) -> None:
        """Make the buffers larger, for these rows and as many again."""
        held, size = self._buffer(), min(2 * rows, self._size)
        self._keys = np.empty(size, self._keys.dtype)
        self._keys[: self._filled] = held.keys
        if self._weights is not None and held.weights is not None:
            self._weights = np.empty(size, self._weights.dtype)
            self._weights[: self._filled] = held.weights

    def spill(self) -> None:
        """Move all rows to the disk."""
        if self._filled:
            self._end_run()
        for run in self._sorted():
            weights = None if run.weights is None else self._folder.write(run.weights)
            self._spilled.append(Run(self._folder.write(run.keys), weights))
        self._held, self._nbytes = [], 0

    def finished(self) -> list[Run]:
        """Return all runs, one at least."""
        if self._filled or not (self._held or self._spilled):
            self._end_run()
        return self._spilled + self._sorted()

    def _sorted(self) -> list[Run]:
        return [run.result() for run in self._held]

    def _end_run(self) -> None:
        run = self._buffer()
        self._rows += run.keys.size
        self._nbytes += run.nbytes
        self._held.append(self._sorting(run))
        # The run keeps its buffers; others take their place.
        self._keys = np.empty(self._keys.size, self._keys.dtype)
        if self._weights is not None:
            self._weights = np.empty(self._keys.size, self._weights.dtype)
        self._filled = 0

    def _sorting(self, run: Run) -> Future[Run]:
        if run.keys.size > SHORT:
            return self._threads.submit(run.sorted)
        done: Future[Run] = Future()
        done.set_result(run.sorted())
        return done

    def _buffer(self) -> Run:
        weights = None if self._weights is None else self._weights[: self._filled]
        return Run(self._keys[: self._filled], weights)
