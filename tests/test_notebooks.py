"""The example notebooks run from top to bottom, and say what they are meant to say."""

from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest

nbclient = pytest.importorskip("nbclient")
nbformat = pytest.importorskip("nbformat")
pytest.importorskip("ipykernel")
pytest.importorskip("matplotlib")

ROOT = Path(__file__).parent.parent
NOTEBOOKS = sorted((ROOT / "examples").glob("*.ipynb"))
# What Jupyter's own packages do is not ours.
pytestmark = pytest.mark.filterwarnings("ignore")


def script():
    spec = spec_from_file_location("fill_outputs", ROOT / "examples" / "fill_outputs.py")
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


run = script().run


def texts(notebook):
    return "\n".join(
        output.get("text") or output.get("data", {}).get("text/plain", "")
        for cell in notebook.cells
        if cell.cell_type == "code"
        for output in cell.outputs
    )


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_shows_what_its_cells_print(path, tmp_path):
    committed = nbformat.read(path, as_version=4)
    nbformat.validate(committed)
    assert texts(committed) == texts(run(path, tmp_path))
    assert all(cell.outputs for cell in committed.cells[2:] if cell.cell_type == "code")


def test_the_fraud_notebook_says_what_it_is_meant_to_say():
    shown = texts(nbformat.read(ROOT / "examples" / "fraud.ipynb", as_version=4))
    assert "By f-measure, forest is better for λ < 0.79, logit above." in shown
    assert "forest  β 0.5  cut at 0.440  F promised 0.802, achieved 0.808" in shown
    assert "fraud-report.html" in shown
