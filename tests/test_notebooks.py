"""The example notebooks run from top to bottom, and say what they are meant to say."""

import json
import sys
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


def run(path, folder):
    """Run a notebook in a folder with this Python, and return it with its outputs."""
    kernels = folder / "kernels" / "python3"
    kernels.mkdir(parents=True)
    command = [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"]
    description = {"argv": command, "display_name": "Python 3", "language": "python"}
    (kernels / "kernel.json").write_text(json.dumps(description), encoding="utf-8")
    notebook = nbformat.read(path, as_version=4)
    client = nbclient.NotebookClient(
        notebook, timeout=300, resources={"metadata": {"path": str(folder)}}
    )
    client.km = client.create_kernel_manager()
    client.km.kernel_spec_manager.kernel_dirs = [str(folder / "kernels")]
    return client.execute()


def texts(notebook):
    """Return what the cells printed or showed as text."""
    return "\n".join(
        output.get("text") or output.get("data", {}).get("text/plain", "")
        for cell in notebook.cells
        if cell.cell_type == "code"
        for output in cell.outputs
    )


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_is_committed_without_outputs(path):
    notebook = nbformat.read(path, as_version=4)
    nbformat.validate(notebook)
    assert not any(cell.get("outputs") for cell in notebook.cells)


def test_the_fraud_notebook_runs(tmp_path):
    shown = texts(run(ROOT / "examples" / "fraud.ipynb", tmp_path))
    assert "By f-measure, forest is better for λ < 0.79, logit above." in shown
    assert "forest  β 0.5  cut at 0.440  F promised 0.802, achieved 0.808" in shown
    assert "fraud-report.html" in shown
    assert (tmp_path / "fraud-report.html").stat().st_size > 100_000


def test_a_failing_cell_is_noticed(tmp_path):
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("1 / 0")])
    path = tmp_path / "broken.ipynb"
    nbformat.write(notebook, path)
    with pytest.raises(nbclient.exceptions.CellExecutionError):
        run(path, tmp_path)
