"""Sort and count: from clean labels, scores and weights to the rows of a table."""

from __future__ import annotations

from isometrics.kernels.plain import count

__all__ = ["count"]
