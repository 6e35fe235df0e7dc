"""The widget holds the same data, and is missed in one sentence."""

import importlib
import sys

import pytest

from isometrics import OperatingPoints
from isometrics.report.model import report_model

SMALL = OperatingPoints.from_scores([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1])


def test_the_widget_has_the_data_of_the_report():
    widget = pytest.importorskip("isometrics.report.widget")
    made = widget.ReportWidget({"forest": SMALL}, title="Notebook", description="drawn")
    assert made.data == report_model({"forest": SMALL}, title="Notebook", description="drawn")
    assert "render" in str(made._esm)
    assert ".isometrics" in str(made._css)


def test_a_missing_anywidget_is_named(monkeypatch):
    monkeypatch.delitem(sys.modules, "isometrics.report.widget", raising=False)
    monkeypatch.setitem(sys.modules, "anywidget", None)
    with pytest.raises(ImportError) as caught:
        importlib.import_module("isometrics.report.widget")
    assert str(caught.value) == (
        "isometrics.report.widget needs anywidget: pip install 'isometrics[widget]'"
    )


def test_the_package_loads_neither_the_report_nor_the_widget():
    import subprocess

    program = (
        "import isometrics, sys; "
        "sys.exit(any(name in sys.modules for name in ('isometrics.report', 'anywidget')))"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
