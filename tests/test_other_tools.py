"""The page about other tools shows what its script prints with the tools that are installed."""

import re
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from pathlib import Path

import pytest

pytest.importorskip("mpmath")

ROOT = Path(__file__).parent.parent
PAGE = (ROOT / "docs" / "other-tools.md").read_text(encoding="utf-8")
# Spark takes half a minute, and its numbers are from one run.
TESTED = ("isometrics", "scikit-learn", "scors", "torchmetrics", "pyprg")


def script():
    spec = spec_from_file_location("other_tools", ROOT / "benchmarks" / "other_tools.py")
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def shown():
    """Return the tables of the page: for each, a dictionary of rows of cells by tool."""
    tables = []
    for text in re.findall(r"(?:^\|.*\n)+", PAGE, re.MULTILINE):
        head, _, *rows = (
            [cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines()
        )
        if "exact" in head:
            tables.append({row[0]: dict(zip(head[1:], row[1:], strict=True)) for row in rows})
    return tables


@pytest.mark.filterwarnings("ignore")  # of the other tools
def test_the_tables_are_what_the_tools_print():
    other_tools = script()
    names = [
        name
        for name, (distribution, module, _) in other_tools.TOOLS.items()
        if distribution in TESTED and find_spec(module)
    ]
    assert {"isometrics"} <= set(names)
    printed = other_tools.tables(names)
    for area, table in zip(printed.values(), shown(), strict=True):
        assert list(area) == list(table)
        for name, row in area.items():
            for tool, text in row.items():
                cell = table[name][tool]
                assert cell == (text if text == row["exact"] else f"**{text}**"), (name, tool)


def test_isometrics_is_exact_on_all_inputs():
    for table in shown():
        for row in table.values():
            assert row["isometrics"] == row["exact"]
