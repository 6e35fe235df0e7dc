"""The table, the picture and the description of the machine of peers.py."""

import datetime
import json
import os
import platform
import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
from peers_sample import HEAD
from peers_work import ALL, SORT, WORKS, Work

Record = dict[str, object]

PACKAGES = (
    *("isometrics", "numpy", "scikit-learn", "scors", "torch", "torchmetrics"),
    *("pyprg", "duckdb", "polars", "pyspark"),
)
BEGIN, END = "<!-- results of benchmarks/peers.py -->", "<!-- end of the results -->"
COLOURS = {
    "NumPy": "#000000",
    "isometrics": "#0072B2",
    "scikit-learn": "#D55E00",
    "scors": "#009E73",
    "torchmetrics": "#CC79A7",
    "pyprg": "#B8A800",
    "DuckDB": "#E69F00",
    "polars": "#56B4E9",
    "Spark MLlib": "#7F7F7F",
}
DASHES = ("-", (0, (1, 4)), "--", ":", "-.", (0, (5, 1, 1, 1)))


# ---------------------------------------------------------------------- the machine


def describe_machine(python: str) -> Record:
    """Return the processor, memory and system, and the versions in the tools' environment."""
    code = (
        "import importlib.metadata as m, json, platform, sys\n"
        "names = {d.metadata['Name'].lower(): d.version for d in m.distributions()}\n"
        "found = {n: names[n] for n in sys.argv[1:] if n in names}\n"
        "print(json.dumps({'Python': platform.python_version(), **found}))"
    )
    command = [python, "-c", code, *PACKAGES]
    versions = json.loads(subprocess.run(command, capture_output=True, check=True).stdout)
    return {
        "cpu": _cpu(),
        "cores": os.cpu_count(),
        "memory": os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"),
        "system": f"{platform.system()} {platform.release()}",
        "load": os.getloadavg()[0],
        "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
        "versions": versions | _java(),
    }


def _cpu() -> str:
    cpuinfo = Path("/proc/cpuinfo")
    lines = cpuinfo.read_text().splitlines() if cpuinfo.exists() else []
    named = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return named[0] if named else platform.processor() or platform.machine()


def _java() -> dict[str, str]:
    if shutil.which("java") is None:
        return {}
    said = subprocess.run(["java", "-version"], capture_output=True, text=True, check=True).stderr
    found = re.search(r'version "([^"]+)"', said)
    return {"Java": found[1]} if found else {}


def machine(header: Record) -> str:
    versions = ", ".join(f"{name} {version}" for name, version in header["versions"].items())
    return (
        f"{header['cpu']}, {header['cores']} cores, {header['memory'] / 2**30:.0f} GB of memory, "
        f"{header['system']}; {header['date']}, load {header['load']:.1f} at the start. {versions}."
    )


# ---------------------------------------------------------------------- the table


def short(value: float, digits: int = 3) -> str:
    """Write a number with few digits and without an exponent."""
    return np.format_float_positional(
        value, precision=digits, fractional=False, unique=False, trim="-"
    )


def power(rows: int) -> str:
    """Write a number of rows as 1e6."""
    return f"{rows:.3g}" if rows < 1000 else f"{rows:.0e}".replace("e+0", "e")


def cell(record: Record | None) -> str:
    """Write the seconds of a measurement, or why there are none."""
    if record is None:
        return ""
    if record["state"] == "measured":
        return short(record["seconds"])
    return {"stopped": "stopped", "over time": "time", "over memory": "memory"}.get(
        str(record["state"]), "failed"
    )


class Results:
    """Records by case, size and work."""

    def __init__(self, records: list[Record]) -> None:
        self.records = records
        self._found = {(r["case"], r["rows"], r["work"]): r for r in records}
        self.cases = list(dict.fromkeys(str(r["case"]) for r in records))
        self.sizes = sorted({int(r["rows"]) for r in records})

    def get(self, case: str, rows: int, work: str) -> Record | None:
        """Return a record in any state."""
        return self._found.get((case, rows, work))

    def measured(self, case: str, work: str) -> list[Record]:
        """Return the records with a time, from the smallest size on."""
        found = [self.get(case, rows, work) for rows in self.sizes]
        return [record for record in found if record and record["state"] == "measured"]

    def ratio(self, record: Record, work: str) -> str:
        """Return how many times as long it took as another work on the same sample."""
        other = self.get(str(record["case"]), int(record["rows"]), work)
        if other is None or other["state"] != "measured":
            return ""
        return short(record["seconds"] / other["seconds"])

    def differences(self, case: str, work: str) -> str:
        """Return the largest distance of each number from that of isometrics, over all sizes."""
        if work == ALL:
            return ""
        largest: dict[str, float] = {}
        for record in self.measured(case, work):
            ours = self.get(case, int(record["rows"]), ALL)
            if ours is None or ours["state"] != "measured":
                continue
            for name, value in record["values"].items():
                distance = abs(value - ours["values"][name])
                # A NaN must not pass for agreement, so it is not left to `max`.
                known = largest.get(name, 0.0)
                largest[name] = distance if not distance <= known else known
        return ", ".join(
            f"{name} {distance:.0e}" if distance else f"{name} 0"
            for name, distance in largest.items()
        )


def line_of(results: Results, case: str, work: Work) -> str:
    """Write what one tool did in one case."""
    times = [cell(results.get(case, rows, work.name)) for rows in results.sizes]
    measured = results.measured(case, work.name)
    rest = [""] * 6
    if measured:
        last = measured[-1]
        rest = [
            short(last["seconds"] / last["rows"] * 1e9),
            results.ratio(last, ALL),
            results.ratio(last, work.same_as) if work.same_as else "",
            results.ratio(last, SORT),
            # The call with the first rows before left memory that small samples use again.
            short(last["peak"] / last["rows"]) if last["rows"] > HEAD else "",
            results.differences(case, work.name),
        ]
        if last["java_peak"]:
            rest[4] = f"Java {last['java_peak'] / 1e6:,.0f} MB"
    return "| " + " | ".join([case, work.tool, work.what, *times, *rest]) + " |"


def table(results: Results) -> str:
    sizes = [power(rows) for rows in results.sizes]
    heads = [
        *("scores", "tool", "what", *sizes),
        *("ns/row", "÷ all", "÷ same", "÷ sort", "bytes/row", "largest difference"),
    ]
    rules = ["---"] * 3 + ["--:"] * (len(sizes) + 5) + ["---"]
    present = {(record["case"], record["work"]) for record in results.records}
    lines = [
        line_of(results, case, work)
        for case in results.cases
        for work in WORKS.values()
        if (case, work.name) in present
    ]
    return "\n".join(["| " + " | ".join(heads) + " |", "|" + "|".join(rules) + "|", *lines])


def failures(results: Results) -> str:
    """Name what failed, and why, once for each tool."""
    notes = {
        f"{record['work']}, {record['case']}": f"{power(record['rows'])} rows: {record['note']}"
        for record in reversed(results.records)
        if record["state"] == "failed"
    }
    if not notes:
        return ""
    return "\n\nFailed:\n\n" + "\n".join(f"- {work}, {note}" for work, note in notes.items())


def report(header: Record, records: list[Record]) -> str:
    """Write the page of results, without a title of a higher level than its own."""
    results = Results(records)
    return f"""# isometrics and other tools

{machine(header)}

Seconds by number of rows: the median of 7 calls, of 3 above 1e7 rows, and no more
calls after 15 seconds; each line and size is a process of its own, after a call with at most 1e5
rows. Tools run with their defaults, on as many cores as they choose; Spark with two. The columns
behind the sizes are about the largest size that was measured:

- "first call": the first one of a process, which has no memory of earlier calls to use again.
- "÷ all": the time over that of isometrics for the table of all operating points, five areas
  (AUROC, the exact area under the PR curve, average precision, the normalised area, AUPRG) and the
  hull.
- "÷ same": the time over that of isometrics for the same number or the same curve.
- "÷ sort": the time over that of `np.sort` of the scores.
- "bytes/row": the peak of memory beyond sample and program, above 1e5 rows; for Spark the whole
  peak of the Java process.
- "largest difference": from the numbers of isometrics, over all sizes.

No number: "stopped" where a call was stopped after {header["limit"]:g} seconds, "time" where the
smaller sizes say that it would be, "memory" where the memory would not suffice. Other work on the
machine disturbs all of this; the load above says whether there was any.

Scores are float64. Half of the rows are positive unless said. Spark reads a Parquet file in the
time that is measured; all other tools are handed arrays, tensors or frames in memory. pyprg runs
with `numpy.alen` put back. What DuckDB and polars compute is written in `peers_work.py`.

![seconds over rows](peers.svg)

{table(results)}{failures(results)}
"""


def insert(text: str, page: Path) -> None:
    """Put the results, less their title, between the marks of a page of the documentation."""
    before, rest = page.read_text(encoding="utf-8").split(BEGIN)
    after = rest.split(END)[1]
    body = text.split("\n", 1)[1].strip().replace("(peers.svg)", "(images/peers.svg)")
    page.write_text(f"{before}{BEGIN}\n\n{body}\n\n{END}{after}", encoding="utf-8")


# ---------------------------------------------------------------------- the picture


def draw(records: list[Record], path: Path) -> None:
    """Draw seconds over rows, a panel for each case with several sizes."""
    import matplotlib as mpl

    mpl.use("svg")
    import matplotlib.pyplot as plt

    mpl.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "peers", "font.size": 10})
    results = Results(records)
    cases = [
        case for case in results.cases if len({r["rows"] for r in records if r["case"] == case}) > 1
    ] or results.cases[:1]
    figure, panels = plt.subplots(
        1,
        len(cases),
        figsize=(5.2 * len(cases), 6.6),
        sharey=True,
        squeeze=False,
        layout="constrained",
    )
    for axes, case in zip(panels[0], cases, strict=True):
        drawn: dict[str, int] = {}
        for work in WORKS.values():
            found = results.measured(case, work.name)
            if not found:
                continue
            dash = DASHES[drawn.get(work.tool, 0)]
            drawn[work.tool] = drawn.get(work.tool, 0) + 1
            rows, seconds = zip(*((r["rows"], r["seconds"]) for r in found), strict=True)
            style = {"color": COLOURS[work.tool], "linestyle": dash, "marker": ".", "lw": 1.4}
            axes.loglog(rows, seconds, label=work.name, **style)
        axes.set(title=case, xlabel="rows")
        axes.grid(alpha=0.3)
    panels[0, 0].set_ylabel("seconds")
    handles = {
        label: line
        for axes in panels[0]
        for line, label in zip(*axes.get_legend_handles_labels(), strict=True)
    }
    figure.legend(
        handles.values(), handles, loc="outside lower center", ncols=2, fontsize=8, frameon=False
    )
    figure.savefig(path, metadata={"Date": None}, facecolor="white")
    plt.close(figure)
