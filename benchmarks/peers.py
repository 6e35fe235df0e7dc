"""Compare isometrics with other tools: time, memory and numbers, in one table and one picture.

Usage: make bench
       .venv-peers/bin/python benchmarks/peers.py --write [--resume]
       python benchmarks/peers.py --quick [--sizes 1e4 1e5] [--peers isometrics,scors]
              [--cases distinct,ties,rare] [--python PYTHON] [--folder build/peers]

The second line is the whole run, which `make bench` does after installing the tools of
peers-requirements.txt into .venv-peers: 1e4 to 1e8 rows, on an idle machine. It says at the start
how long it may take. Spark needs Java.

Each measurement is a process of its own (peers_worker.py), which loads the sample, calls the tool
on the first 1e5 rows, then 7 times on all rows, 3 times above 1e6, once above 1e7, and no more
after 15 seconds. A call is stopped after 60 seconds. A size is not tried where the time of the
sizes before extends beyond that, or where the memory would not suffice.

Results are added to peers.jsonl in the folder as they come; with `--resume`, those that are there
are not measured again. peers.md and peers.svg are written beside it, and with `--write` into
benchmarks/ and docs/ too. `--quick` stops at 1e6 rows.
"""

import argparse
import json
import shutil
import signal
import statistics
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from peers_process import MemoryShortageError, StoppedError, available_memory, events_of
from peers_report import describe_machine, draw, insert, power, report
from peers_sample import HEAD
from peers_work import TOOLS, WORKS, Work

HERE = Path(__file__).parent
PAGE = HERE.parent / "docs" / "benchmarks.md"
WORKER = HERE / "peers_worker.py"
SIZES = (10**4, 10**5, 10**6, 10**7, 10**8)
LIMIT, ENOUGH = 60.0, 15.0
START_LIMIT = 300.0
BYTES_PER_ROW = 9
RESERVE = 1 << 30

Record = dict[str, object]


@dataclass(frozen=True, slots=True)
class Case:
    """A kind of sample; what is known of `like` tells what a tool can do here."""

    name: str
    prevalence: float = 0.5
    values: int | None = None
    sizes: tuple[int, ...] = ()
    like: str = ""

    def sizes_of(self, sizes: tuple[int, ...]) -> list[int]:
        """Return the sizes at which this case is measured."""
        return [rows for rows in sizes if not self.sizes or rows in self.sizes]


CASES = {
    "distinct": Case("distinct"),
    "ties": Case("1,000 values", values=1000),
    "rare": Case("distinct, 1% positives", prevalence=0.01, sizes=(10**7,), like="distinct"),
}


def repeats_of(rows: int) -> int:
    return 3 if rows > 10**7 else 7


# ---------------------------------------------------------------------- what to leave out


def predicted(measured: list[tuple[int, float]], rows: int) -> float:
    """Return the seconds on the line through the last two sizes, or in proportion to one."""
    if not measured:
        return 0.0
    size, seconds = measured[-1]
    if len(measured) == 1 or size == rows:
        return seconds * rows / size
    before, less = measured[-2]
    return seconds + max(seconds - less, 0.0) / (size - before) * (rows - size)


def reason_to_skip(
    earlier: list[Record], rows: int, limit: float, memory: float
) -> tuple[str, str] | None:
    """Return the state and the note of a size that is not worth trying, from earlier records."""
    for record in earlier:
        if record["state"] != "measured":
            state = "over time" if record["state"] == "stopped" else str(record["state"])
            return state, f"as at {power(record['rows'])} rows"
    seconds = predicted([(r["rows"], r["seconds"]) for r in earlier], rows)
    if seconds > limit:
        return "over time", f"about {seconds:.0f} s expected"
    # The first rows are called before, so that small samples reuse memory and look too good.
    large = [record for record in earlier if record["rows"] > HEAD]
    if large:
        needed = rows * (large[-1]["peak"] / large[-1]["rows"] + BYTES_PER_ROW)
        if needed > memory - RESERVE:
            return "over memory", f"about {needed / 1e9:.0f} GB expected"
    return None


def estimate(plan: list[tuple[Case, int, Work]]) -> float:
    """Return roughly how many seconds the measurements take on two idle cores."""
    total = 0.0
    for _, rows, work in plan:
        seconds = work.pace * rows / 1e9
        if seconds <= LIMIT:
            warm_up = min(rows, HEAD) * work.pace / 1e9
            repeats = min(repeats_of(rows), 1 + ENOUGH // max(seconds, 1e-9))
            total += work.start + warm_up + repeats * seconds
    return total


# ---------------------------------------------------------------------- measurements


def measure(python: str, work: Work, folder: Path, rows: int, limit: float) -> Record:
    """Return what a process of its own found out."""
    given = {
        "work": work.name,
        "folder": str(folder),
        "repeats": 1 if work.once else repeats_of(rows),
        "enough": ENOUGH,
    }
    times: list[float] = []
    try:
        for event in events_of(
            [python, str(WORKER), json.dumps(given)],
            # pyprg loads matplotlib, which needs no display here.
            environment=work.environment | {"MPLBACKEND": "agg"},
            limits={"": START_LIMIT, "ready": limit, "call": limit, "calls over": START_LIMIT},
            reserve=RESERVE,
        ):
            if event["event"] == "call":
                times.append(event["seconds"])
    except StoppedError as stopped:
        in_call = stopped.after in ("ready", "call")
        return {"state": "stopped" if in_call else "failed", "note": str(stopped)}
    except MemoryShortageError as error:
        return {"state": "over memory", "note": str(error)}
    except ChildProcessError as error:
        return {"state": "failed", "note": str(error)}
    found = {key: event[key] for key in ("values", "peak", "java_peak")}
    return {
        "state": "measured",
        "seconds": statistics.median(times),
        "runs": len(times),
        **found,
    }


def said(record: Record) -> str:
    if record["state"] != "measured":
        return f"{record['state']} ({record['note']})"
    return f"{record['seconds']:.4g} s, median of {record['runs']}"


class Run:
    """The measurements of one run, kept in a file as they come."""

    def __init__(self, path: Path, header: Record, *, resume: bool) -> None:
        self.path = path
        self.records: list[Record] = []
        if resume and path.exists():
            # A run that was killed while it wrote leaves a part of a line at the end.
            whole = path.read_text().rpartition("\n")[0] + "\n"
            path.write_text(whole)
            lines = [json.loads(line) for line in whole.splitlines()]
            if lines[0]["versions"] != header["versions"] or lines[0]["cpu"] != header["cpu"]:
                sys.exit(
                    f"{path} holds results of another machine or of other versions; leave out "
                    "--resume to start anew"
                )
            self.header, self.records = lines[0], lines[1:]
        else:
            self.header = header
            path.write_text(json.dumps(header) + "\n")

    def add(self, record: Record) -> None:
        """Keep one record."""
        self.records.append(record)
        with self.path.open("a") as file:
            file.write(json.dumps(record) + "\n")

    def done(self, case: Case, rows: int, work: Work) -> bool:
        """Tell whether this was measured before."""
        key = (case.name, rows, work.name)
        return any(key == (r["case"], r["rows"], r["work"]) for r in self.records)

    def earlier(self, case: Case, rows: int, work: Work) -> list[Record]:
        """Return what is known of smaller samples, in the order of their sizes."""
        chosen = [
            record
            for record in self.records
            if record["work"] == work.name
            and record["case"] in (case.name, case.like)
            and record["rows"] <= rows
        ]
        return sorted(chosen, key=lambda record: record["rows"])


def measure_all(
    run: Run, plan: list[tuple[Case, int, Work]], python: str, folder: Path, limit: float
) -> None:
    """Measure what is planned and not done yet; a sample is kept as long as it is needed."""
    groups: dict[tuple[Case, int], list[tuple[int, Work]]] = {}
    for number, (case, rows, work) in enumerate(plan, 1):
        if not run.done(case, rows, work):
            groups.setdefault((case, rows), []).append((number, work))
    for (case, rows), works in groups.items():
        memory = available_memory()
        reasons = {
            work.name: reason_to_skip(run.earlier(case, rows, work), rows, limit, memory)
            for _, work in works
        }
        with tempfile.TemporaryDirectory(dir=folder, prefix="sample-") as sample:
            if not all(reasons.values()):
                needed = [work for _, work in works if not reasons[work.name]]
                make_sample(python, Path(sample), rows, case, needed)
            for number, work in works:
                if reason := reasons[work.name]:
                    record = dict(zip(("state", "note"), reason, strict=True))
                else:
                    record = measure(python, work, Path(sample), rows, limit)
                run.add({"case": case.name, "rows": rows, "work": work.name, **record})
                where = f"[{number}/{len(plan)}] {case.name}, {power(rows)} rows"
                print(f"{where}: {work.name}: {said(record)}", flush=True)


def make_sample(python: str, folder: Path, rows: int, case: Case, works: list[Work]) -> None:
    """Write the sample in another process, because a child starts with its parent's peak."""
    parquet = any(work.tool == "Spark MLlib" for work in works)
    given = {
        "folder": str(folder),
        "rows": rows,
        "prevalence": case.prevalence,
        "values": case.values,
        "parquet": parquet,
    }
    list(events_of([python, str(WORKER), json.dumps(given)], limits={"": START_LIMIT}))


# ---------------------------------------------------------------------- the command


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="up to 1e6 rows")
    parser.add_argument("--sizes", type=lambda text: int(float(text)), nargs="+", default=SIZES)
    parser.add_argument("--peers", help=f"some of: {', '.join(TOOLS)}; separated by commas")
    parser.add_argument("--cases", default=",".join(CASES), help="separated by commas")
    parser.add_argument("--python", default=sys.executable, help="the Python that has the tools")
    parser.add_argument("--folder", type=Path, default=HERE.parent / "build" / "peers")
    parser.add_argument("--limit", type=float, default=LIMIT, help="seconds a call may take")
    parser.add_argument("--resume", action="store_true", help="go on with the results there are")
    parser.add_argument("--write", action="store_true", help="write to benchmarks/ and docs/ too")
    given = parser.parse_args()
    given.tools = given.peers.split(",") if given.peers else list(TOOLS)
    given.cases = given.cases.split(",")
    for name, known in (("tools", TOOLS), ("cases", CASES)):
        if unknown := set(getattr(given, name)) - set(known):
            parser.error(f"unknown: {', '.join(sorted(unknown))}; choose from {', '.join(known)}")
    return given


def main() -> None:
    # As for Ctrl-C: whoever stops this process stops the one that it measures, too.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    given = arguments()
    sizes = tuple(rows for rows in given.sizes if not given.quick or rows <= 10**6)
    plan = [
        (CASES[case], rows, work)
        for case in given.cases
        for rows in CASES[case].sizes_of(sizes)
        for work in WORKS.values()
        if work.tool in given.tools
    ]
    given.folder.mkdir(parents=True, exist_ok=True)
    for left_by_killed_run in given.folder.glob("sample-*"):
        shutil.rmtree(left_by_killed_run)
    header = describe_machine(given.python) | {"limit": given.limit}
    run = Run(given.folder / "peers.jsonl", header, resume=given.resume)
    left = [item for item in plan if not run.done(*item)]
    minutes = estimate(left) / 60
    print(f"{len(left)} measurements, about {minutes:.0f} minutes on two idle cores", flush=True)
    start = time.monotonic()
    measure_all(run, plan, given.python, given.folder, given.limit)
    print(f"took {(time.monotonic() - start) / 60:.1f} minutes\n", flush=True)
    text = report(run.header, run.records)
    print(text)
    (given.folder / "peers.md").write_text(text, encoding="utf-8")
    draw(run.records, given.folder / "peers.svg")
    if given.write:
        for name in ("peers.md", "peers.svg"):
            shutil.copyfile(given.folder / name, HERE / name)
        insert(text, PAGE)


if __name__ == "__main__":
    main()
