"""Where the rows of a batch stand in the whole sample."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class Positions(NamedTuple):
    """Where the rows of a batch stand in the whole sample."""

    start: int | None
    """The position of the first row; None where rows have no known place."""
    kept: NDArray[np.intp] | None = None
    """The rows that remain of the batch, where some were left out."""

    def of(self, row: np.intp) -> int | None:
        """Return the position of a row of the batch."""
        if self.start is None:
            return None
        return self.start + int(row if self.kept is None else self.kept[row])
