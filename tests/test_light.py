"""The library without the extra `cli`, and what each command loads."""

from pathlib import Path

import pytest

from .programs import printed

LIGHT = Path(__file__).with_name("light.py")
HIDING = """
from importlib.machinery import PathFinder
find, hidden = PathFinder.find_spec, {}
PathFinder.find_spec = lambda name, *given: None if name in hidden else find(name, *given)
"""
HIDDEN = ("cyclopts", "rich", "duckdb", "pyarrow")


def run(program, *words, hidden=()):
    """Run a program where some packages cannot be found."""
    return printed("-c", HIDING.format(hidden) + program, *words)


def test_the_library_works_without_the_extra():
    program = f"import runpy; runpy.run_path({str(LIGHT)!r}, run_name='__main__')"
    others = ("pandas", "polars", "matplotlib", "sklearn")
    assert "works without" in run(program, hidden=(*HIDDEN, *others))


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_columns_of_frames_need_no_arrow(library):
    program = f"""
import {library} as library, isometrics as iso
frame = library.DataFrame({{"y": [1, 0, 1, 0], "g": list("aabb"), "s": [0.9, 0.8, 0.7, 0.1]}})
analysis = iso.analyse(frame["y"], {{"s": frame["s"]}}, groups=frame["g"])
print(analysis.models["s"].roc.area(), *analysis.groups)
"""
    assert run(program, hidden=HIDDEN) == "0.75 a b"


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("'a.csv'", "reading CSV, JSON and Excel"),
        ("'a.jsonl'", "reading CSV, JSON and Excel"),
        ("'duckdb:///a.db?table=t'", "reading a table of DuckDB"),
    ],
)
def test_a_missing_duckdb_is_named_where_it_is_needed(tmp_path, given, said):
    for name in ("a.csv", "a.jsonl", "a.db"):
        (tmp_path / name).write_text("some text")
    program = f"""
import os, isometrics as iso
os.chdir({str(tmp_path)!r})
try:
    iso.read_predictions({given})
except ImportError as error:
    print(error)
"""
    needed = f"{said} needs duckdb: pip install 'isometrics[cli]'"
    assert run(program, hidden=("duckdb",)) == needed


def loaded_by(*words):
    program = """
import sys
from contextlib import redirect_stdout
from io import StringIO
from isometrics.cli import main
with redirect_stdout(StringIO()) as said:
    assert main(sys.argv[1:]) == 0
assert said.getvalue()
print(*sys.modules)
"""
    return set(run(program, *words).split())


@pytest.mark.parametrize("words", [[], ["--help"]], ids=" ".join)
def test_the_list_of_commands_loads_no_library(words):
    loaded = loaded_by(*words)
    assert loaded.isdisjoint({*HIDDEN, "numpy", "scipy", "narwhals", "importlib.metadata"})
    assert {name for name in loaded if name.startswith("isometrics.cli.")} == {
        f"isometrics.cli.{name}" for name in ("help", "output", "running")
    }


def test_a_verdict_loads_what_it_needs(tmp_path):
    file = tmp_path / "a.csv"
    file.write_text("label,score\n" + "1,0.9\n0,0.1\n1,0.4\n0,0.5\n" * 20)
    loaded = loaded_by("verdict", str(file))
    assert loaded >= {"isometrics.sources.text_files", "duckdb", "pyarrow"}
    needless = """
        scipy narwhals pandas polars matplotlib sklearn rich.console pyarrow.compute pyarrow.dataset
        http.server isometrics.cli.summary isometrics.cli.curves isometrics.cli.demo_and_doctor
        isometrics.report isometrics.plot isometrics.integrations isometrics.calibration
        isometrics.comparison isometrics.analysis.summary
        isometrics.analysis.threshold_check isometrics.uncertainty.bands
        isometrics.sources.spark_and_dask isometrics.sources.databases isometrics.sources.excel
    """
    assert loaded.isdisjoint(needless.split())
