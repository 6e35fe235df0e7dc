"""The public names: loaded on first use, all there, and hidden by no module."""

import ast
import importlib
import pkgutil
from pathlib import Path
from types import ModuleType

import pytest

import isometrics

from .programs import printed

SOURCE = Path(isometrics.__file__).read_text(encoding="utf-8")


def imported_for_type_checkers():
    """Return the names imported under TYPE_CHECKING with the modules they come from."""
    tree = ast.parse(SOURCE)
    (block,) = [
        node
        for node in tree.body
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
    ]
    return {
        alias.name: node.module
        for node in block.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }


def test_what_type_checkers_see_is_what_is_loaded():
    imported = imported_for_type_checkers()
    assert {name: f"isometrics.{home}" for name, home in isometrics._HOMES.items()} == imported
    assert sorted(imported) == isometrics.__all__


@pytest.mark.parametrize("name", isometrics.__all__)
def test_every_name_resolves_to_what_its_module_has(name):
    home = importlib.import_module(f"isometrics.{isometrics._HOMES[name]}")
    assert getattr(isometrics, name) is getattr(home, name)


def test_all_names_are_listed():
    assert set(isometrics.__all__) | {"__version__"} <= set(dir(isometrics))


def test_a_star_import_has_all_names():
    names = {}
    exec("from isometrics import *", names)
    assert set(isometrics.__all__) <= set(names)


def test_an_unknown_name_is_refused():
    with pytest.raises(AttributeError, match="module 'isometrics' has no attribute 'nothing'"):
        isometrics.nothing  # noqa: B018


def test_no_module_has_the_name_of_a_public_name():
    """Importing a module sets its name in the package, and so would hide the public one."""
    modules = {module.name for module in pkgutil.iter_modules(isometrics.__path__)}
    assert modules.isdisjoint(isometrics.__all__)


def test_the_package_is_a_plain_module():
    """Only then do pickle's extensions ship it by name."""
    assert type(isometrics) is ModuleType


@pytest.mark.parametrize("module", ["isometrics", "isometrics.measures"])
def test_importing_the_package_and_its_registry_loads_no_numpy(module):
    assert printed("-c", f"import {module}, sys; print('numpy' in sys.modules)") == "False"
