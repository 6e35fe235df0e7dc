"""Names for the array types that run through the package."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Counts: TypeAlias = NDArray[Any]
"""int64 where every count is a whole number of rows, else float64."""

Floats: TypeAlias = NDArray[np.float64]

Total: TypeAlias = int | float
