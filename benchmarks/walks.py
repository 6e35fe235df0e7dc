"""What four walks through the package pass: files, functions, sorts and hulls.

``python benchmarks/walks.py`` traces the installed package; with another version of it on
``PYTHONPATH`` it traces that one. Each walk runs in a process of its own, so that nothing was
loaded or computed before it.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import threading
from collections import Counter
from inspect import CO_OPTIMIZED
from pathlib import Path
from typing import Any

ROWS, FEW = 20_000, 300
WALKS = {
    "from_scores": "from_scores(...).prg.area()",
    "summary": "summary file.parquet --confidence 0.95",
    "report": "report a.csv",
    "verdict": "verdict a.csv, of 300 rows",
}
COLUMNS = ("files", "switches", "functions", "calls", "validated", "encoded", "sorted", "hulls")
"""Files passed, changes from one to another, different functions that have a name, calls of any
function; how often each score was validated, turned into a key and sorted; upper hulls of points.
Comprehensions, generator expressions and lambdas are no functions here, as a reader follows them
where they stand. Modules that are loaded do not count."""

SORTS = {"sort", "argsort"}
COMPILED_SORTS = {"fill_rows", "fill_corners", "sort_buckets", "sort_buckets_in_place"}
"""Loops in C that sort the keys that they are given first."""
VALIDATIONS = {"missing": "self"}
"""Methods that look for missing values, and the argument that has these."""
ENCODINGS = {"encode": "scores", "_block": "scores"}
HULL = "vertices"


class Trace:
    """Counts what `sys.setprofile` tells of the package, and of the sorts of NumPy."""

    def __init__(self, package: Path, rows: int) -> None:
        self._rows = rows
        self._package = f"{package}{os.sep}"
        self._last = ""
        self.functions: Counter[tuple[str, str]] = Counter()
        self.switches = 0
        self.rows = dict.fromkeys(("validated", "encoded", "sorted"), 0)
        self.hulls = 0

    def __call__(self, frame: Any, event: str, argument: Any) -> None:
        """Take note of one event."""
        if event == "call":
            self._call(frame)
        elif event == "c_call" and argument.__name__ in SORTS:
            size = getattr(getattr(argument, "__self__", None), "size", 0)
            # Shorter arrays are cells of a bootstrap and its replicates, and no rows.
            self.rows["sorted"] += size if size > self._rows * 0.3 else 0

    def _call(self, frame: Any) -> None:
        code = frame.f_code
        if not code.co_filename.startswith(self._package) or not code.co_flags & CO_OPTIMIZED:
            return
        if frame.f_back is not None and not frame.f_back.f_code.co_flags & CO_OPTIMIZED:
            return  # a module that is loaded
        file = code.co_filename.removeprefix(self._package)
        self.functions[file, code.co_qualname] += 1
        self.switches += file != self._last
        self._last = file
        if code.co_name in VALIDATIONS:
            self._count("validated", frame.f_locals.get(VALIDATIONS[code.co_name]))
        if code.co_name in ENCODINGS:
            self._count("encoded", frame.f_locals.get(ENCODINGS[code.co_name]))
        if code.co_qualname == "Loop.__call__" and frame.f_locals["self"].name in COMPILED_SORTS:
            self.rows["sorted"] += frame.f_locals["given"][0].size
        if code.co_name == HULL and frame.f_back.f_code.co_name != "_near":
            self.hulls += 1

    def _count(self, what: str, values: Any) -> None:
        values = getattr(values, "values", values)
        kind = getattr(getattr(values, "dtype", None), "kind", "f")
        self.rows[what] += len(values) if kind == "f" and hasattr(values, "__len__") else 0

    def summary(self) -> dict[str, float]:
        """Return the columns of the table."""
        return {
            "files": len({file for file, _ in self.functions}),
            "switches": self.switches,
            "functions": sum(not function.endswith(">") for _, function in self.functions),
            "calls": sum(self.functions.values()),
            **{what: round(rows / self._rows, 2) for what, rows in self.rows.items()},
            "hulls": self.hulls,
        }


def walk(name: str, folder: Path) -> dict[str, float]:
    """Trace one walk."""
    import numpy as np

    import isometrics as iso

    rng = np.random.default_rng(0)
    size = FEW if name == "verdict" else ROWS
    labels = rng.random(size) < 0.2
    scores = rng.normal(labels * 1.0)
    if name == "summary":
        import pyarrow as pa
        import pyarrow.parquet as pq

        file = folder / "file.parquet"
        pq.write_table(pa.table({"label": labels, "score": scores}), file)
    else:
        file = folder / "a.csv"
        rows = zip(labels.astype(int).tolist(), scores.tolist(), strict=True)
        file.write_text("label,score\n" + "".join(f"{y},{s!r}\n" for y, s in rows))
    from isometrics.cli import main

    from_scores = iso.OperatingPoints.from_scores
    trace = Trace(Path(iso.__file__).parent, size)
    threading.setprofile(trace)
    sys.setprofile(trace)
    if name == "from_scores":
        from_scores(labels, scores).prg.area()
    elif name == "summary":
        main(["summary", str(file), "--confidence", "0.95", "--quiet"])
    elif name == "verdict":
        main(["verdict", str(file), "--quiet"])
    else:
        main(["report", str(file), "-o", str(folder / "page.html"), "--quiet"])
    sys.setprofile(None)
    threading.setprofile(None)
    return trace.summary()


def run() -> None:
    """Print the table of all walks."""
    print(f"| walk | {' | '.join(COLUMNS)} |\n|---|{'---:|' * len(COLUMNS)}")
    for name, title in WALKS.items():
        with tempfile.TemporaryDirectory() as folder:
            command = [sys.executable, __file__, name, folder]
            done = subprocess.run(command, check=True, stdout=subprocess.PIPE)
        counted = json.loads(done.stdout.splitlines()[-1])
        print(f"| `{title}` | {' | '.join(f'{counted[column]:g}' for column in COLUMNS)} |")


if __name__ == "__main__":
    if len(sys.argv) > 1:
        found = walk(sys.argv[1], Path(sys.argv[2]))
        print(json.dumps(found))
    else:
        run()
