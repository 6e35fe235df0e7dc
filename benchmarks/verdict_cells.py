"""The command line of scripts that try a grid of cells, one after the other."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any


def run_cells(
    file: str,
    doc: str,
    cells: Iterable[Any],
    run: Callable[[Any, argparse.Namespace], dict],
    page: Callable[[list[dict]], str],
    *,
    samples: int,
) -> None:
    """Run the cells that the file of results does not have yet, and write the page if asked.

    Parameters
    ----------
    file, doc
        The path and the docstring of the script; the page has the script's name.
    cells
        What there is to run; each has a `name`.
    run
        What makes a result of a cell and the options of the command: a dictionary with the
        `name` of the cell and the `seconds` it took; its `bias`, if any, is printed.
    page
        What makes Markdown of all results.
    samples
        How many samples each cell has by default.
    """
    parser = argparse.ArgumentParser(description=doc.splitlines()[0])
    parser.add_argument("out", type=Path)
    parser.add_argument("--samples", type=int, default=samples)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--only", default="", help="text in the names of the cells to run")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--room", type=float, default=2e7, help="resampled rows at a time")
    options = parser.parse_args()
    done = {result["name"] for result in results_in(options.out)}
    for cell in cells:
        if cell.name in done or options.only not in cell.name:
            continue
        result = run(cell, options)
        with options.out.open("a") as results:
            results.write(json.dumps(result) + "\n")
        biases = [f"{name} {value:+.4f}" for name, value in result.get("bias", {}).items()]
        said = ", ".join([*biases, f"{result['seconds']:.1f} s"])
        print(f"{cell.name}: {said}", flush=True)
    if options.write:
        Path(file).with_suffix(".md").write_text(page(results_in(options.out)))


def results_in(path: Path) -> list[dict]:
    """Return the results that a file has; none if it does not exist."""
    if not path.exists():
        return []
    return [json.loads(line) for line in path.read_text().splitlines()]
