"""The tables of models and groups, one below the other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    from isometrics.analysis import Analysis
    from isometrics.best_rows import Entry
    from isometrics.cli.output import Columns


def stacked(analysis: Analysis, columns_of: Callable[[Entry], Columns]) -> Columns:
    """Return the columns of every table below each other, with the names of model and group."""
    entries = list(analysis._entries(by_group=True))
    found = [columns_of(entry) for entry in entries]
    sizes = [len(next(iter(columns.values()))) for columns in found]
    stack: Columns = {"model": _repeated([entry.model for entry in entries], sizes)}
    if analysis.groups:
        stack["group"] = _repeated([entry.group for entry in entries], sizes)
    for name in found[0]:
        stack[name] = _joined([columns[name] for columns in found])
    return stack


def _repeated(names: list[str], sizes: list[int]) -> list[str]:
    return [name for name, size in zip(names, sizes, strict=True) for _ in range(size)]


def _joined(parts: list[Any]) -> Any:
    import numpy as np

    if all(isinstance(part, np.ndarray) for part in parts):
        return np.concatenate(parts)
    return [value for part in parts for value in part]
