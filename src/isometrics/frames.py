"""Columns become a data frame of the library the user has."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any, cast

import numpy as np

from isometrics.errors import ParameterError
from isometrics.parameters import clean_choice

LIBRARIES = ("pandas", "polars", "pyarrow")


def to_frame(columns: dict[str, Any], library: str | None = None) -> Any:
    """Return the columns as a frame of `library`, by default the first one installed."""
    import narwhals.stable.v2 as nw

    installed = [name for name in LIBRARIES if find_spec(name)]
    chosen = (
        next(iter(installed), None)
        if library is None
        else clean_choice(library, "library", LIBRARIES)
    )
    if chosen not in installed:
        needed = chosen or "pandas, polars or pyarrow"
        raise ParameterError(
            f"to_frame needs {needed}, which is not installed: pip install {chosen or 'pandas'}"
        )
    for name, values in columns.items():
        if isinstance(values, np.ndarray) and values.dtype.itemsize > 8 and chosen != "pandas":
            raise ParameterError(f"{chosen} cannot hold {name}s beyond float64; use pandas")
        if isinstance(values, list) and len(set(map(type, values))) > 1:
            columns = columns | {name: list(map(str, values))}
    return nw.from_dict(columns, backend=cast("Any", chosen)).to_native()
