"""The examples in docstrings run and print what they show."""

import doctest
import importlib
import pkgutil

import pytest

import isometrics
from isometrics import kernels, spaces, testing

# Packages that need optional libraries are left out.
MODULES = [
    module.name
    for package in (isometrics, kernels, spaces, testing)
    for module in pkgutil.iter_modules(package.__path__, f"{package.__name__}.")
    if not module.ispkg
]


@pytest.mark.parametrize("name", ["isometrics", *MODULES])
def test_examples(name: str) -> None:
    assert doctest.testmod(importlib.import_module(name)).failed == 0
