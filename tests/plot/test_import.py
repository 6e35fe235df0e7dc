"""matplotlib is missed in one sentence."""

import importlib
import sys

import pytest


def test_a_missing_matplotlib_is_named(monkeypatch):
    for name in [name for name in sys.modules if name.startswith("isometrics.plot")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ImportError) as caught:
        importlib.import_module("isometrics.plot")
    assert str(caught.value) == "isometrics.plot needs matplotlib: pip install 'isometrics[plot]'"
