"""Run the example notebooks, and write what their cells show into them.

They are committed with their outputs, so that they can be read without running them. Run it after
a change with ``python examples/fill_outputs.py``; it needs ``pip install --group parts``.
"""

import json
import sys
import tempfile
from pathlib import Path

import nbclient
import nbformat

FOLDER = Path(__file__).parent


def run(path: Path, folder: Path) -> nbformat.NotebookNode:
    """Run a notebook in a folder with this Python, and return it with its outputs."""
    kernels = folder / "kernels" / "python3"
    kernels.mkdir(parents=True)
    command = [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"]
    description = {"argv": command, "display_name": "Python 3", "language": "python"}
    (kernels / "kernel.json").write_text(json.dumps(description), encoding="utf-8")
    notebook = nbformat.read(path, as_version=4)
    client = nbclient.NotebookClient(
        notebook, timeout=300, resources={"metadata": {"path": str(folder)}}, record_timing=False
    )
    client.km = client.create_kernel_manager()
    client.km.kernel_spec_manager.kernel_dirs = [str(folder / "kernels")]
    return client.execute()


def main() -> None:
    for path in sorted(FOLDER.glob("*.ipynb")):
        with tempfile.TemporaryDirectory() as folder:
            notebook = run(path, Path(folder))
        # The versions of this machine say nothing about the example.
        notebook.metadata.pop("language_info", None)
        nbformat.write(notebook, path)
        print(path.relative_to(FOLDER.parent), f"{path.stat().st_size / 1e3:.0f} kB")


if __name__ == "__main__":
    main()
