"""scikit-learn is loaded by its integration alone, and missed in one sentence."""

import doctest
import importlib
import pkgutil
import subprocess
import sys

import pytest


def test_the_package_does_not_load_sklearn():
    program = "import isometrics, sys; sys.exit('sklearn' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


def test_a_missing_sklearn_is_named(monkeypatch):
    for name in [name for name in sys.modules if name.startswith("isometrics.integrations")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "sklearn", None)
    with pytest.raises(ImportError) as caught:
        importlib.import_module("isometrics.integrations.sklearn")
    assert str(caught.value) == (
        "isometrics.integrations.sklearn needs scikit-learn: pip install 'isometrics[sklearn]'"
    )


@pytest.mark.slow
def test_the_integration_does_not_load_matplotlib():
    pytest.importorskip("sklearn")
    program = "import isometrics.integrations.sklearn, sys; sys.exit('matplotlib' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


def test_the_examples_in_docstrings_run():
    pytest.importorskip("sklearn")
    plt = pytest.importorskip("matplotlib.pyplot")
    package = importlib.import_module("isometrics.integrations.sklearn")
    for module in pkgutil.iter_modules(package.__path__, f"{package.__name__}."):
        assert doctest.testmod(importlib.import_module(module.name)).failed == 0
    plt.close("all")
