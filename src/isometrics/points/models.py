"""Several models by name, and the scale on which their counts can be compared."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING

from isometrics._table.hull import EVERYTHING, NOTHING
from isometrics.errors import ParameterError
from isometrics.points.operating_points import OperatingPoints

if TYPE_CHECKING:
    from isometrics._table.table import Table

ROUNDING = 1e-12
"""Sums of weights that were added in another order differ by less than this, as rates."""


def parse_models(models: object) -> dict[str, OperatingPoints]:
    """Check that these are two or more models by name."""
    named = named_models(models)
    if len(named) < 2:
        raise ParameterError(f"a comparison needs two models or more but got {len(named)}")
    return named


def named_models(models: object) -> dict[str, OperatingPoints]:
    """Check that these are models by name."""
    if not isinstance(models, Mapping):
        raise ParameterError(
            "models must be a mapping of names to OperatingPoints but is "
            f"{type(models).__name__}; write {{'A': pts_a, 'B': pts_b}}"
        )
    for name, points in models.items():
        if not isinstance(name, str):
            raise ParameterError(f"the name of a model must be a text but is {name!r}")
        if name in (NOTHING, EVERYTHING):
            raise ParameterError(f"a model cannot be called {name!r}: that is a trivial set")
        if not isinstance(points, OperatingPoints):
            raise ParameterError(
                f"models[{name!r}] must be OperatingPoints but is {type(points).__name__}"
            )
    return dict(models)


def check_one_prevalence(models: Mapping[str, OperatingPoints]) -> None:
    """Refuse models whose precisions cannot be compared, because their prevalences differ."""
    first, *others = models
    for name in others:
        if not same_prevalence(models[first].table, models[name].table):
            raise ParameterError(
                f"{first!r} has prevalence {models[first].prevalence:.6g} but {name!r} has "
                f"{models[name].prevalence:.6g}; bring them to one with at_prevalence()"
            )


def same_prevalence(one: Table, other: Table) -> bool:
    """Tell whether precision depends on the rates in the same way, but for rounding."""
    if is_whole(one) and is_whole(other):
        return one.positives * other.negatives == other.positives * one.negatives
    return math.isclose(one.odds, other.odds, rel_tol=ROUNDING)


def is_whole(table: Table) -> bool:
    """Tell whether all counts are whole numbers, so that comparisons can be exact."""
    totals = (table.positives, table.negatives)
    return table.tp.dtype.kind == table.fp.dtype.kind == "i" and all(
        isinstance(total, int) for total in totals
    )
