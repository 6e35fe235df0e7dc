"""The curve of a table as a polyline to draw: thinned where it is dense, bent where it curves."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from isometrics.spaces import SPACES, PRGSpace, PRSpace
from isometrics.table import Kind
from isometrics.thinning import rows_to_draw

if TYPE_CHECKING:
    from isometrics.aliases import Floats
    from isometrics.table import Table

HALF_A_PIXEL = 0.5


def trace(
    table: Table, space: str, *, width: int = 800, height: int = 800, low: float = 0.0
) -> tuple[Floats, Floats]:
    """Return x and y of a polyline within half a pixel of the table's curve.

    Parameters
    ----------
    table
        Nested rows, as scores, curves and hulls have them.
    space
        ``"roc"``, ``"pr"`` or ``"prg"``.
    width, height
        Pixels of the canvas, on which x runs from `low` to 1 and y over a length of 1.
    low
        The lowest x that is shown; only PRG space goes below 0.

    Notes
    -----
    The polyline visits every row that `rows_to_draw` keeps, but for those that have no place in
    the space: in PRG space a curve comes in from -∞ and is begun at `low`.

    Examples
    --------
    Between two distant points the curve of PR space is not a straight line:

    >>> import isometrics as iso
    >>> pts = iso.OperatingPoints.from_counts([9], [0], positives=433, negatives=56164)
    >>> x, y = trace(pts.table, "pr")
    >>> len(pts), x.size > 10
    (3, True)
    """
    kept = table.take(rows_to_draw(table, space, width=width, low=low), Kind.CURVE)
    if space == "pr":
        return _bent(kept, width, height)
    here = SPACES[space](kept)
    return _entering(here, low) if isinstance(here, PRGSpace) else (here.x, here.y)


def _entering(here: PRGSpace, low: float) -> tuple[Floats, Floats]:
    """Begin a curve that comes from -∞ at the border."""
    placed = here.table.tp > 0
    x, y = here.x[placed], here.y[placed]
    if x[0] <= low:
        return x, y
    return np.insert(x, 0, low), np.insert(y, 0, here.interpolate(low))


def _bent(table: Table, width: int, height: int) -> tuple[Floats, Floats]:
    """Cut the segments of a PR curve until no chord leaves the curve by half a pixel.

    Notes
    -----
    With n = tp + fp, a segment is a hyperbola: precision - s is proportional to 1/n (s: share of
    positives in the segment) and recall is linear in n. A hyperbola XY = K looks the same after
    X → ρX, Y → Y/ρ; so steps of equal ratio ρ = eʰ in n serve all its parts equally well. A chord
    is then at most √(2K)·(cosh(h/2) - 1) away, and K follows from the sides of the segment's box
    and H = ln(n₁/n₀): their product is 4K·sinh²(H/2).
    """
    here = PRSpace(table)
    predicted = (table.tp + table.fp).astype(np.float64)
    # The empty rule has no place, and of equal rows one is enough.
    rows = np.flatnonzero(np.diff(predicted, prepend=0.0))
    x, y, n, tp = here.x[rows], here.y[rows], predicted[rows], table.tp[rows]
    wide, tall = np.diff(x) * width, np.abs(np.diff(y)) * height
    growth = np.log(n[1:] / n[:-1])
    steps = np.ones(growth.size, np.intp)
    # In a flat or narrow box the chord has no room to leave the curve.
    large = np.flatnonzero(np.minimum(wide, tall) > HALF_A_PIXEL)
    root = np.sqrt(wide[large] * tall[large]) / (2 * np.sinh(growth[large] / 2))
    step = 2 * np.arccosh(1 + HALF_A_PIXEL / (np.sqrt(2) * root))
    steps[large] = np.ceil(growth[large] / step).astype(np.intp)
    segment = np.repeat(np.arange(steps.size), steps)
    last = np.cumsum(steps)
    done = (np.arange(segment.size) - (last - steps)[segment] + 1) / steps[segment]
    numbers = n[:-1][segment] * np.exp(growth[segment] * done)
    share = (numbers - n[:-1][segment]) / np.diff(n)[segment]
    found = tp[:-1][segment] + share * np.diff(tp)[segment]
    xs, ys = found / table.positives, found / numbers
    # Rows are visited exactly.
    xs[last - 1], ys[last - 1] = x[1:], y[1:]
    # From the empty rule to the first row precision is constant.
    before = [0.0] if x[0] > 0 else []
    return np.concatenate([before, x[:1], xs]), np.concatenate([y[: len(before)], y[:1], ys])
