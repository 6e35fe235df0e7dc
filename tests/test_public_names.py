"""The public names: loaded on first use, all there, and hidden by no module of the same name."""

import ast
import importlib
import subprocess
import sys
from pathlib import Path

import pytest

import isometrics

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


def run(program):
    return subprocess.run(
        [sys.executable, "-c", program], check=True, capture_output=True, text=True
    ).stdout.strip()


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


def test_a_module_does_not_hide_the_function_of_the_same_name():
    program = (
        "import isometrics.compare, isometrics as iso, sys;"
        "print(callable(iso.compare), 'isometrics.compare' in sys.modules)"
    )
    assert run(program) == "True True"


def test_other_modules_and_attributes_can_be_set(monkeypatch):
    monkeypatch.setattr(isometrics, "compare", None)
    assert isometrics.compare is None


def test_importing_the_package_loads_no_numpy():
    assert run("import isometrics, sys; print('numpy' in sys.modules)") == "False"
