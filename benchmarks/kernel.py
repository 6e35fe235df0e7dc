"""Time the table, its areas and its hull against sorting alone and against other libraries.

Usage: python benchmarks/kernel.py [--rows 1e7] [--repeats 7] [--largest 1e8] [--write]

Each line is a process of its own: it makes the sample, does the work once to load what is needed,
then several times. Peak memory is what the process needed beyond its sample, as the operating
system says. Everything is measured twice: as NumPy comes, and with its AVX-512 code disabled,
because the speed of ``np.sort``, the yardstick, depends on it. ``--write`` writes kernel.md and
draws kernel.svg, the growth with the number of rows.
"""

import argparse
import ctypes
import json
import os
import platform
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

import isometrics as iso

HERE = Path(__file__)
WITHOUT_AVX512 = {"NPY_DISABLE_CPU_FEATURES": "X86_V4 AVX512_ICL"}
CASES = {
    "π = 0.5": (0.5, False),
    "π = 0.01": (0.01, False),
    "π = 0.0001": (0.0001, False),
    "π = 0.5, 1,000 distinct scores": (0.5, True),
}
SORT = "np.sort of the scores"
FULL = "isometrics: table, five areas, hull"
CORNERS = "isometrics: corners, five areas, hull"
HULL = "isometrics: only the hull, and its areas"
PLAIN = "isometrics without compiled loops: table, five areas, hull"
SKLEARN = "scikit-learn precision_recall_curve"
GROUP_BY = "polars group-by"
STARTS = {
    "nothing": ["-c", "pass"],
    "numpy": ["-c", "import numpy"],
    "isometrics": ["-c", "import isometrics"],
    "isometrics, and its table": ["-c", "import isometrics; isometrics.OperatingPoints"],
    "isometrics, and its compiled loops": [
        "-c",
        "import isometrics._counting.native as n; n.library()",
    ],
    "`isometrics --help`": ["-m", "isometrics", "--help"],
}

Work = Callable[[np.ndarray, np.ndarray], object]


def sample(rows: int, prevalence: float, tied: bool) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(1)
    labels = rng.random(rows) < prevalence
    labels[:2] = True, False
    scores = rng.normal(size=rows)
    scores += labels
    np.negative(scores, out=scores)
    np.exp(scores, out=scores)
    scores += 1
    np.reciprocal(scores, out=scores)
    return labels, np.floor(scores * 1000) / 1000 if tied else scores


# ---------------------------------------------------------------------- the work


def areas_and_hull(points: iso.OperatingPoints) -> object:
    names = ("davis-goadrich", "average-precision")
    return (
        points.roc.area(),
        points.pr.areas(interpolations=names),
        points.pr.normalised_area(),
        points.prg.area(),
        points.hull(),
    )


def table(labels: np.ndarray, scores: np.ndarray) -> object:
    return iso.OperatingPoints.from_scores(labels, scores)


def full(labels: np.ndarray, scores: np.ndarray) -> object:
    return areas_and_hull(iso.OperatingPoints.from_scores(labels, scores))


def corners(labels: np.ndarray, scores: np.ndarray) -> object:
    return areas_and_hull(iso.OperatingPoints.from_scores(labels, scores, rows="corners"))


def hull_alone(labels: np.ndarray, scores: np.ndarray) -> object:
    return areas_and_hull(iso.OperatingPoints.from_scores(labels, scores, rows="hull"))


def without_loops(labels: np.ndarray, scores: np.ndarray) -> object:
    from isometrics._counting import native

    native.available = lambda: False
    return full(labels, scores)


def sklearn_curve(labels: np.ndarray, scores: np.ndarray) -> object:
    from sklearn.metrics import precision_recall_curve

    return precision_recall_curve(labels, scores)


def scors_area(labels: np.ndarray, scores: np.ndarray) -> object:
    import scors

    return scors.average_precision(labels, scores)


def polars_groups(labels: np.ndarray, scores: np.ndarray) -> object:
    import polars as pl

    frame = pl.DataFrame({"label": labels, "score": scores})
    counts = frame.group_by("score").agg(pl.len(), pl.col("label").sum())
    return counts.sort("score", descending=True)


WORK: dict[str, Work] = {
    SORT: lambda _, scores: np.sort(scores),
    "isometrics: table": table,
    FULL: full,
    CORNERS: corners,
    HULL: hull_alone,
    PLAIN: without_loops,
    SKLEARN: sklearn_curve,
    "scors average_precision": scors_area,
    GROUP_BY: polars_groups,
}


# ---------------------------------------------------------------------- one process


def memory(field: str) -> int:
    """Return a field of the process's memory in bytes; 0 where the system does not tell."""
    status = Path("/proc/self/status")
    lines = status.read_text().splitlines() if status.exists() else []
    return next((int(line.split()[1]) << 10 for line in lines if line.startswith(field)), 0)


def give_back() -> None:
    """Hand freed memory back to the system, so that it is not taken for part of the sample."""
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None) if os.name == "posix" else None
    if trim is not None:
        trim(0)


def measure(name: str, case: str, rows: int, repeats: int) -> dict[str, object]:
    """Return the seconds of the first and of the other runs, and the extra bytes of the peak."""
    labels, scores = sample(rows, *CASES[case])
    WORK[name](labels, scores)
    times = []
    give_back()
    clear = Path("/proc/self/clear_refs")
    if clear.exists():
        clear.write_text("5")  # forget the peak so far
    before = memory("VmRSS")
    for _ in range(repeats):
        start = time.perf_counter()
        WORK[name](labels, scores)
        times.append(time.perf_counter() - start)
    return {"times": times, "peak": max(memory("VmHWM") - before, 0)}


def child(name: str, case: str, rows: int, repeats: int, features: dict[str, str]) -> dict:
    arguments = [str(HERE), "--child", name, case, f"--rows={rows}", f"--repeats={repeats}"]
    return json.loads(_python(arguments, features))


def _python(arguments: list[str], environment: dict[str, str]) -> str:
    return subprocess.run(
        [sys.executable, *arguments],
        env=os.environ | environment,
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    ).stdout


# ---------------------------------------------------------------------- tables


def lines_of(rows: int, repeats: int, features: dict[str, str]) -> str:
    lines = [
        "| case | what | median, s | least, s | ns/row | / np.sort | extra bytes/row |",
        "|---|---|--:|--:|--:|--:|--:|",
    ]
    for case, (_, tied) in CASES.items():
        yardstick = 0.0
        for name in WORK:
            if name == GROUP_BY and not tied:
                continue
            few = 1 if name == SKLEARN else repeats
            found = child(name, case, rows, few, features)
            middle, least = statistics.median(found["times"]), min(found["times"])
            yardstick = middle if name == SORT else yardstick
            lines.append(
                f"| {case} | {name} | {middle:.3f} | {least:.3f} | {middle / rows * 1e9:.1f} "
                f"| {middle / yardstick:.2f} | {found['peak'] / rows:.1f} |"
            )
            print(lines[-1], flush=True)
    return "\n".join(lines)


def growth(largest: int) -> dict[str, list[tuple[int, float]]]:
    """Return seconds by number of rows, up to the largest; the shortest of a few runs."""
    kinds = {
        f"{SORT}, π = 0.5": (SORT, "π = 0.5"),
        f"{FULL}, π = 0.5": (FULL, "π = 0.5"),
        f"{PLAIN}, π = 0.5": (PLAIN, "π = 0.5"),
        f"{CORNERS}, π = 0.0001": (CORNERS, "π = 0.0001"),
        f"{SKLEARN}, π = 0.5": (SKLEARN, "π = 0.5"),
    }
    found: dict[str, list[tuple[int, float]]] = {label: [] for label in kinds}
    for rows in (10**k for k in range(4, 9) if 10**k <= largest):
        for label, (name, case) in kinds.items():
            if name == SKLEARN and rows > 10**7:
                continue
            times = child(name, case, rows, 3 if rows > 10**6 else 9, {})["times"]
            found[label].append((rows, min(times)))
    return found


def draw(found: dict[str, list[tuple[int, float]]], path: Path) -> None:
    import matplotlib as mpl

    mpl.use("svg")
    import matplotlib.pyplot as plt

    mpl.rcParams |= {"svg.hashsalt": "isometrics", "svg.fonttype": "path"}
    figure, axes = plt.subplots(figsize=(7, 5), layout="constrained")
    for (label, values), style in zip(found.items(), ("-", "-", "--", "-.", ":"), strict=True):
        axes.loglog(*zip(*values, strict=True), style, marker="o", label=label)
    axes.set(xlabel="rows", ylabel="seconds")
    axes.grid(alpha=0.3)
    axes.legend(fontsize="small")
    figure.savefig(path, metadata={"Date": None})


def growth_table(found: dict[str, list[tuple[int, float]]]) -> str:
    sizes = sorted({rows for values in found.values() for rows, _ in values})
    lines = [
        "| ns/row, least | " + " | ".join(f"{size:.0e}" for size in sizes) + " |",
        "|---|" + "--:|" * len(sizes),
    ]
    for label, values in found.items():
        by_size = {rows: f"{seconds / rows * 1e9:.1f}" for rows, seconds in values}
        lines.append(f"| {label} | " + " | ".join(by_size.get(size, "") for size in sizes) + " |")
    return "\n".join(lines)


def start_times(repeats: int) -> str:
    """Return the shortest time from the start to the end of fresh processes."""

    def once(arguments: list[str]) -> float:
        start = time.perf_counter()
        _python(arguments, {})
        return time.perf_counter() - start

    return "\n".join(
        f"| {name} | {min(once(arguments) for _ in range(2 * repeats)):.3f} |"
        for name, arguments in STARTS.items()
    )


def machine() -> str:
    model = platform.processor() or platform.machine()
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        named = [line for line in cpuinfo.read_text().splitlines() if line.startswith("model name")]
        model = named[0].split(":", 1)[1].strip() if named else model
    load = f", load {os.getloadavg()[0]:.1f} at the start" if hasattr(os, "getloadavg") else ""
    return (
        f"{model}, {os.cpu_count()} cores{load}, {platform.system()}, Python "
        f"{platform.python_version()}, NumPy {np.__version__}, isometrics {iso.__version__}"
    )


def report(rows: int, repeats: int, largest: int) -> tuple[str, dict]:
    head = machine()
    print(head)
    starts = start_times(repeats)
    default, plain = (lines_of(rows, repeats, features) for features in ({}, WITHOUT_AVX512))
    found = growth(largest)
    text = f"""# The kernel

{head}

`python benchmarks/kernel.py --rows {rows} --repeats {repeats} --largest {largest} --write`

{rows:,} float64 scores; medians and minima of {repeats} runs in a process of its own, after one
that loads what is needed; scikit-learn once. The five areas are AUROC, the exact area under the PR
curve, average precision, the normalised area, and AUPRG. Extra memory is the peak beyond the
sample. Other work on the machine disturbs minima less than medians.

## As NumPy comes

{default}

## With NumPy's AVX-512 code disabled

`NPY_DISABLE_CPU_FEATURES="{WITHOUT_AVX512["NPY_DISABLE_CPU_FEATURES"]}"`, set before Python starts.

{plain}

## Growth

![seconds over rows](kernel.svg)

{growth_table(found)}

## Start

A whole process of Python that loads what is named; minimum of {2 * repeats}. Names of isometrics
are loaded on first use.

| | s |
|---|--:|
{starts}
"""
    return text, found


def whole(text: str) -> int:
    return int(float(text))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=whole, default=10_000_000)
    parser.add_argument("--repeats", type=int, default=7)
    parser.add_argument("--largest", type=whole, default=10_000_000, help="rows to grow up to")
    parser.add_argument("--write", action="store_true", help="write kernel.md and kernel.svg too")
    parser.add_argument("--child", nargs=2, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.child:
        print(json.dumps(measure(*given.child, given.rows, given.repeats)))
        return
    text, found = report(given.rows, given.repeats, given.largest)
    print(text)
    if given.write:
        HERE.with_suffix(".md").write_text(text, encoding="utf-8")
        draw(found, HERE.with_suffix(".svg"))


if __name__ == "__main__":
    main()
