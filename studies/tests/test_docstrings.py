"""The examples in the docstrings run and print what they say."""

import doctest
import importlib
import pkgutil

import pytest

import isometrics_studies

MODULES = [
    module.name
    for module in pkgutil.walk_packages(isometrics_studies.__path__, "isometrics_studies.")
]


@pytest.mark.parametrize("name", MODULES)
def test_examples(name):
    assert doctest.testmod(importlib.import_module(name)).failed == 0
