"""The page of peers.py: what it means, the picture, the table and the machine."""

import datetime
import importlib.metadata
import logging
import math
import os
import platform
import shutil
from pathlib import Path

from peers_work import ALL, OURS, TOOLS, WORKS, Work

Record = dict[str, object]

PACKAGES = (
    *("isometrics", "numpy", "scikit-learn", "scors", "torch", "torchmetrics"),
    *("polars", "duckdb", "pyprg"),
)
COLOURS = {
    "isometrics": "#0072B2",
    "scikit-learn": "#D55E00",
    "scors": "#009E73",
    "torchmetrics": "#CC79A7",
    "polars": "#56B4E9",
    "DuckDB": "#E69F00",
    "pyprg": "#B8A800",
    "NumPy": "#000000",
}


# ---------------------------------------------------------------------- the machine


def describe_machine() -> Record:
    """Return the processor, memory and system, and the versions of the tools."""
    names = {
        each.metadata["Name"].lower(): each.version for each in importlib.metadata.distributions()
    }
    found = {name: names[name] for name in PACKAGES if name in names}
    return {
        "cpu": _cpu(),
        "cores": os.cpu_count(),
        "memory": os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"),
        "system": f"{platform.system()} {platform.release()}",
        "load": os.getloadavg()[0],
        "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
        "versions": {"Python": platform.python_version(), **found},
    }


def _cpu() -> str:
    cpuinfo = Path("/proc/cpuinfo")
    lines = cpuinfo.read_text().splitlines() if cpuinfo.exists() else []
    named = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return named[0] if named else platform.processor() or platform.machine()


def machine(header: Record) -> str:
    versions = ", ".join(f"{name} {version}" for name, version in header["versions"].items())
    return (
        f"{header['cpu']}, {header['cores']} cores, {header['memory'] / 2**30:.0f} GB of memory, "
        f"{header['system']}; {header['date']}, load {header['load']:.1f} at the start. {versions}."
    )


# ---------------------------------------------------------------------- the table


def duration(seconds: float) -> str:
    """Write a time with two digits or three, and its unit."""
    value, unit = next(
        (seconds * factor, name)
        for factor, name, least in ((1, "s", 1), (1e3, "ms", 1e-3), (1e6, "µs", 0))
        if seconds >= least
    )
    return f"{value:.0f} {unit}" if value >= 99.5 else f"{value:#.2g}".rstrip(".") + f" {unit}"


def power(rows: int) -> str:
    """Write a number of rows as 1e6."""
    return f"{rows:.0e}".replace("e+0", "e")


def cell(record: Record | None) -> str:
    """Write the time of later calls and of the first one, or why there is none."""
    if record is None:
        return ""
    if record["state"] == "measured":
        later, first = duration(record["seconds"]), duration(record["first"])
        return later if record["seconds"] == record["first"] else f"{later} ({first})"
    return {"stopped": "stopped", "over time": "too long", "over memory": "too large"}.get(
        str(record["state"]), "failed"
    )


class Results:
    """Records by size and work."""

    def __init__(self, records: list[Record]) -> None:
        self.records = records
        self._found = {(r["rows"], r["work"]): r for r in records}
        self.sizes = sorted({int(r["rows"]) for r in records})

    def get(self, rows: int, work: str) -> Record | None:
        """Return a record in any state."""
        return self._found.get((rows, work))

    def measured(self, work: str) -> dict[int, Record]:
        """Return the records with a time, from the smallest size on."""
        found = {rows: self.get(rows, work) for rows in self.sizes}
        return {rows: r for rows, r in found.items() if r and r["state"] == "measured"}

    def ratios(self, work: str, key: str = "seconds") -> dict[int, float]:
        """Return how many times as long a work took as our AUROC, by size."""
        ours = self.measured(OURS)
        return {
            rows: record[key] / ours[rows][key]
            for rows, record in self.measured(work).items()
            if rows in ours
        }

    def difference(self, work: str) -> str:
        """Return the largest distance of any number from that of our table, over all sizes."""
        ours, distances = self.measured(ALL), []
        for rows, record in self.measured(work).items():
            if rows in ours:
                distances += [
                    abs(value - ours[rows]["values"][name])
                    for name, value in record["values"].items()
                ]
        if work == ALL or not distances:
            return ""
        # A NaN must not pass for agreement, so it is not left to `max`.
        if any(map(math.isnan, distances)):
            return "NaN"
        return f"{max(distances):.0e}" if any(distances) else "0"


def line_of(results: Results, work: Work) -> str:
    """Write what one tool did."""
    times = [cell(results.get(rows, work.name)) for rows in results.sizes]
    large = [r for rows, r in results.measured(work.name).items() if rows >= 10**6]
    memory = f"{large[-1]['peak'] / large[-1]['rows']:.0f}" if large else ""
    rest = [memory, results.difference(work.name)]
    return "| " + " | ".join([work.tool, work.what, *times, *rest]) + " |"


def table(results: Results) -> str:
    heads = ["tool", "what", *(f"{power(rows)} rows" for rows in results.sizes)]
    heads += ["bytes/row", "difference"]
    rules = ["---"] * 2 + ["--:"] * (len(results.sizes) + 2)
    present = {record["work"] for record in results.records}
    lines = [line_of(results, work) for work in WORKS.values() if work.name in present]
    return "\n".join(["| " + " | ".join(heads) + " |", "|" + "|".join(rules) + "|", *lines])


def meaning(results: Results) -> str:
    """Say in a few sentences how long AUROC takes elsewhere."""
    said = []
    others = [each for each in WORKS.values() if each.what == "AUROC" and each.name != OURS]
    known = [(each.tool, results.ratios(each.name)) for each in others]
    known = [(tool, ratios) for tool, ratios in known if ratios]
    if known:
        most = max(rows for _, ratios in known for rows in ratios)
        longer = [f"{tool} {ratios[most]:.1f}" for tool, ratios in known if most in ratios]
        said.append(
            f"For AUROC of {power(most)} rows, other tools take so many times as long as "
            f"isometrics: {', '.join(longer)}."
        )
    faster = [
        f"{tool} up to {power(max(rows for rows, ratio in ratios.items() if ratio < 1))} rows"
        for tool, ratios in known
        if min(ratios.values()) < 1
    ]
    if known:
        said.append(f"Faster than isometrics: {', '.join(faster) if faster else 'none of them'}.")
    areas = results.ratios(ALL)
    if areas:
        said.append(
            "The table of all thresholds with five areas and the hull takes "
            f"{min(areas.values()):.1f} to {max(areas.values()):.1f} times as long as AUROC alone."
        )
    return " ".join(said)


def disturbed(header: Record) -> str:
    """Say so where other work shared the machine."""
    load = header["load"]
    # It is the mean of the last minute, so what has just ended counts, too.
    if load < header["cores"]:
        return ""
    return (
        f" **The machine was busy with other work (load {load:.0f} on {header['cores']} cores), so "
        "these times are several times too long, and only their order says something.**"
    )


def failures(results: Results) -> str:
    """Name what failed, and why, once for each tool."""
    notes = {
        record["work"]: f"{power(record['rows'])} rows: {record['note']}"
        for record in reversed(results.records)
        if record["state"] == "failed"
    }
    if not notes:
        return ""
    return "\n\nFailed:\n\n" + "\n".join(f"- {work}, {note}" for work, note in notes.items())


def report(header: Record, records: list[Record]) -> str:
    """Write the page."""
    results = Results(records)
    return f"""# How fast?

{meaning(results)}{disturbed(header)}

![Seconds for AUROC over rows, of isometrics and other tools](speed.svg)

AUROC, average precision, AUPR and AUPRG are numbers for how well scores rank positives above
negatives. A cell has the time of a later call and, in brackets, that of the first call of a
process; where there is one time, a call took so long that it was made once.
"bytes/row" is the memory that a call needs beside the sample, "difference" the largest distance of
its numbers from ours.

{table(results)}{failures(results)}

`make bench` measures all of this again, in about ten minutes on an idle machine, and goes on where
it was stopped; `benchmarks/peers.py` says how. Importing a tool and handing it the sample is not
part of the time. Scores are float64 and distinct, half of the rows are positive, and tools run with
their defaults on as many cores as they choose. torchmetrics computes in single precision. What
polars and DuckDB compute is written in `benchmarks/peers_work.py`.

Measured on: {machine(header)}

## Other measurements

| what | where | how |
|---|---|---|
| files larger than memory | `benchmarks/files.md` | `python benchmarks/files.py` |
| Spark beside MLlib | `benchmarks/spark.md` | `python benchmarks/spark.py` |
| streams | `benchmarks/stream.md` | `python benchmarks/stream.py` |
| a graphics card | `benchmarks/gpu.md` | `python benchmarks/gpu.py` |
| the page in a browser | `benchmarks/page.md` | `python benchmarks/page.py` |
| this checkout beside another | – | `python benchmarks/against.py ../other` |
"""


def write_pages(text: str, picture: Path, root: Path) -> None:
    """Write the page and its picture, and both for the documentation."""
    (root / "benchmarks" / "README.md").write_text(text, encoding="utf-8")
    shutil.copyfile(picture, root / "benchmarks" / "speed.svg")
    shutil.copyfile(picture, root / "docs" / "images" / "speed.svg")
    (root / "docs" / "benchmarks.md").write_text(in_documentation(text), encoding="utf-8")


def in_documentation(text: str) -> str:
    """Return the page as the documentation has it, whose pictures lie in a folder."""
    return text.replace("(speed.svg)", "(images/speed.svg)")


# ---------------------------------------------------------------------- the picture


def draw(records: list[Record], path: Path) -> None:
    """Draw the seconds of AUROC over rows, later calls solid and first calls dotted."""
    import matplotlib as mpl

    mpl.use("svg")
    import matplotlib.pyplot as plt

    # The viewer chooses the fonts.
    logging.getLogger("matplotlib.font_manager").setLevel(logging.ERROR)
    mpl.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "speed", "font.size": 10})
    results = Results(records)
    figure, axes = plt.subplots(figsize=(6.8, 4.4), layout="constrained")
    drawn = [next(each for each in WORKS.values() if each.tool == tool) for tool in TOOLS]
    for work in drawn:
        found = results.measured(work.name)
        if not found or work.tool == "NumPy":
            continue
        style = {"color": COLOURS[work.tool], "lw": 2.4 if work.name == OURS else 1.2}
        axes.loglog(
            list(found),
            [r["seconds"] for r in found.values()],
            marker=".",
            label=work.tool,
            **style,
        )
        axes.loglog(list(found), [r["first"] for r in found.values()], linestyle=":", **style)
    axes.set(xlabel="rows", ylabel="seconds")
    axes.set_title("AUROC (pyprg: AUPRG); dotted: the first call", fontsize=10)
    axes.grid(alpha=0.3)
    axes.legend(fontsize=8, frameon=False)
    figure.savefig(path, metadata={"Date": None}, facecolor="white")
    plt.close(figure)
