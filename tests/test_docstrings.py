"""The examples in the docstrings run and print what they say."""

import doctest
import importlib
import pkgutil
import warnings

import pytest

import isometrics

MODULES = [
    module.name for module in pkgutil.walk_packages(isometrics.__path__, prefix="isometrics.")
]

# Modules that need a package which the tests can do without. All others must load without it.
PARTS = {
    "isometrics.integrations.mlflow": "mlflow",
    "isometrics.integrations.skore": "skore",
    "isometrics._counting.triton_code": "triton",
} | {name: "torchmetrics" for name in MODULES if "torchmetrics" in name}


# Loading these takes many seconds.
SLOW = [name for name in MODULES if name.startswith("isometrics.integrations.") and name in PARTS]


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.slow] * (name in SLOW)) for name in MODULES]
)
def test_examples(name):
    with warnings.catch_warnings():
        if name in PARTS:
            # These warn about their own doings.
            warnings.simplefilter("ignore")
            pytest.importorskip(PARTS[name])
        result = doctest.testmod(importlib.import_module(name))
    assert result.failed == 0
