"""An exact, slow reference and hypothesis strategies, for our tests and for yours.

`reference` computes every quantity from its definition in rational arithmetic (logarithms to 60
digits), shares no code with the rest of the package, and so can judge it. `strategies` draws the
samples and tables on which implementations tend to differ. Both need the extra ``testing``:
``pip install 'isometrics[testing]'``.

Examples
--------
>>> from isometrics.testing import Curve
>>> Curve.of_scores([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1]).roc_area()
Fraction(3, 4)
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from isometrics.testing.reference import Curve, Row, count
    from isometrics.testing.strategies import binary_samples, count_tables, point_clouds

__all__ = ["Curve", "Row", "binary_samples", "count", "count_tables", "point_clouds"]


# Lazy, so that the reference needs no hypothesis and the strategies no mpmath.
def __getattr__(name: str) -> object:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    home = "reference" if name in ("Curve", "Row", "count") else "strategies"
    return getattr(import_module(f"{__name__}.{home}"), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
