"""Import paths that the documentation of version 0.1 showed: each leads to the new module."""

from __future__ import annotations

import sys
import warnings
from importlib import import_module
from importlib.abc import Loader
from importlib.machinery import ModuleSpec
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types import ModuleType

MOVED = {
    "isometrics.calibration_map": "isometrics.calibration.files",
    "isometrics.indices": "isometrics.spaces.indices",
    "isometrics.isolines": "isometrics.spaces.isolines",
    "isometrics.layout": "isometrics.sources.columns",
    "isometrics.lift": "isometrics.decisions.lift",
    "isometrics.plugin": "isometrics.decisions.threshold_choice",
    "isometrics.prevalence": "isometrics.decisions.prevalence",
    "isometrics.reliability": "isometrics.calibration.reliability",
    "isometrics.spaces.baselines": "isometrics.spaces.tradeoff",
    "isometrics.summary_measures": "isometrics.measures",
    "isometrics.threshold_choice": "isometrics.decisions.threshold_choice",
    "isometrics.uncertainty.measures": "isometrics.measures",
    "isometrics.transfer": "isometrics.decisions.transfer",
}


class _MovedModules(Loader):
    """Finds modules by their old names; the module of the new name takes their place."""

    @classmethod
    def find_spec(cls, name: str, *_: object) -> ModuleSpec | None:
        return ModuleSpec(name, cls()) if name in MOVED else None

    def create_module(self, spec: ModuleSpec) -> None:
        """Leave the creation to Python; what it creates is replaced at once."""

    def exec_module(self, module: ModuleType) -> None:
        old, new = module.__name__, MOVED[module.__name__]
        sys.modules[old] = import_module(new)
        warnings.warn(f"{old} is now {new}; change the import", FutureWarning, stacklevel=2)


def install() -> None:
    """Let Python ask here for modules that it does not find elsewhere."""
    sys.meta_path.append(_MovedModules)
