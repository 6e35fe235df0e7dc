"""matplotlib is loaded by `isometrics.plot` alone, and missed in one sentence."""

import importlib
import subprocess
import sys

import pytest


def test_the_package_does_not_load_matplotlib():
    program = "import isometrics, sys; sys.exit('matplotlib' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


def test_a_missing_matplotlib_is_named(monkeypatch):
    for name in [name for name in sys.modules if name.startswith("isometrics.plot")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ImportError) as caught:
        importlib.import_module("isometrics.plot")
    assert str(caught.value) == "isometrics.plot needs matplotlib: pip install 'isometrics[plot]'"
