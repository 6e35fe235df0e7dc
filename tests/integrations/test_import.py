"""Packages are loaded by their integrations alone, and missed in one sentence."""

import importlib
import subprocess
import sys

import pytest

from isometrics.integrations import mlflow, skore


@pytest.mark.parametrize(
    ("module", "needed", "extra"),
    [
        ("integrations.sklearn", "scikit-learn", "sklearn"),
        ("integrations.torchmetrics", "torchmetrics", "torch"),
        ("plot", "matplotlib", "plot"),
        ("report.widget", "anywidget", "widget"),
    ],
)
def test_a_missing_package_is_named(monkeypatch, module, needed, extra):
    package = f"isometrics.{module}"
    for name in [name for name in sys.modules if name.startswith(package)]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, needed.replace("scikit-learn", "sklearn"), None)
    with pytest.raises(ImportError) as caught:
        importlib.import_module(package)
    assert str(caught.value) == f"{package} needs {needed}: pip install 'isometrics[{extra}]'"


@pytest.mark.parametrize(
    ("name", "call"),
    [("mlflow", lambda: mlflow.log_analysis(None)), ("skore", lambda: skore.analysis_of(None))],
)
def test_a_package_that_is_missed_when_it_is_needed(monkeypatch, name, call):
    monkeypatch.setattr("isometrics.errors.find_spec", lambda _: None)
    with pytest.raises(ImportError) as caught:
        call()
    said = f"isometrics.integrations.{name} needs {name}: pip install 'isometrics[{name}]'"
    assert str(caught.value) == said


@pytest.mark.slow
def test_the_integration_does_not_load_matplotlib():
    pytest.importorskip("sklearn")
    program = "import isometrics.integrations.sklearn, sys; sys.exit('matplotlib' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
