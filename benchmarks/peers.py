"""Time isometrics and other tools on 1e2 to 1e8 rows: a table, a picture and a page.

Usage: make bench
       python benchmarks/peers.py [--quick] [--sizes 1e4 1e5] [--tools isometrics,scors]
              [--folder build/speed] [--anew] [--write]

Takes about ten minutes on an idle machine, and says so at the start. Each measurement is a process
of its own (peers_worker.py), which loads sample and tool, and calls it a first time and again:
100 times up to 1e4 rows, fewer above, and no more after 15 seconds. Up to 1e6 rows there are three
such processes, which take turns; the table has medians. A call is stopped after 70 seconds. A size
is not tried where the time of the sizes before extends beyond that, or where the memory would not
suffice.

Results are added to speed.jsonl in the folder as they come, and a run that was stopped goes on
where it was; with `--anew` it starts from nothing. `--write` writes README.md and speed.svg into
benchmarks/, and the same page for the documentation. `--quick` stops at 1e6 rows.
"""

import argparse
import json
import shutil
import signal
import statistics
import sys
import tempfile
import time
from pathlib import Path

from peers_process import MemoryShortageError, StoppedError, available_memory, events_of
from peers_report import describe_machine, draw, power, report, write_pages
from peers_work import TOOLS, WORKS, Work

HERE = Path(__file__).parent
WORKER = HERE / "peers_worker.py"
SIZES = (10**2, 10**3, 10**4, 10**5, 10**6, 10**7, 10**8)
LIMIT, ENOUGH = 70.0, 15.0
START_LIMIT = 300.0
BYTES_PER_ROW = 9
LARGE = 10**5
RESERVE = 1 << 30

Record = dict[str, object]
Plan = list[tuple[int, Work]]


def repeats_of(rows: int) -> int:
    """Return how many calls follow the first one."""
    return {10**5: 30, 10**6: 10, 10**7: 5, 10**8: 3}.get(rows, 100)


def rounds_of(rows: int) -> int:
    """Return how many processes there are."""
    return 3 if rows <= 10**6 else 1


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
    large = [record for record in earlier if record["rows"] > LARGE]
    if large:
        needed = rows * (large[-1]["peak"] / large[-1]["rows"] + BYTES_PER_ROW)
        if needed > memory - RESERVE:
            return "over memory", f"about {needed / 1e9:.0f} GB expected"
    return None


def estimate(plan: Plan) -> float:
    """Return roughly how many seconds the measurements take on two idle cores."""
    total = 0.0
    for rows, work in plan:
        seconds = work.pace * rows / 1e9
        if seconds <= LIMIT:
            calls = 1 + min(repeats_of(rows), ENOUGH // max(seconds, 1e-9))
            total += rounds_of(rows) * (work.start + rows * 1e-8 + calls * seconds)
    return total


# ---------------------------------------------------------------------- measurements


def measure(work: Work, folder: Path, rows: int, limit: float) -> Record:
    """Return what processes of their own found out."""
    given = {
        "work": work.name,
        "folder": str(folder),
        "repeats": repeats_of(rows),
        "enough": ENOUGH,
    }
    firsts: list[float] = []
    later: list[float] = []
    peaks: list[int] = []
    try:
        for _ in range(rounds_of(rows)):
            times: list[float] = []
            for event in events_of(
                [sys.executable, str(WORKER), json.dumps(given)],
                # pyprg loads matplotlib, which needs no display here.
                environment={"MPLBACKEND": "agg"},
                limits={"": START_LIMIT, "ready": limit, "call": limit, "calls over": START_LIMIT},
                reserve=RESERVE,
            ):
                if event["event"] == "call":
                    times.append(event["seconds"])
            firsts.append(times[0])
            later += times[1:]
            peaks.append(event["peak"])
    except StoppedError as stopped:
        in_call = stopped.after in ("ready", "call")
        return {"state": "stopped" if in_call else "failed", "note": str(stopped)}
    except MemoryShortageError as error:
        return {"state": "over memory", "note": str(error)}
    except ChildProcessError as error:
        return {"state": "failed", "note": str(error)}
    first = statistics.median(firsts)
    return {
        "state": "measured",
        "first": first,
        # A call as long as this is made once.
        "seconds": statistics.median(later) if later else first,
        "calls": len(firsts) + len(later),
        "values": event["values"],
        "peak": statistics.median(peaks),
    }


def said(record: Record) -> str:
    if record["state"] != "measured":
        return f"{record['state']} ({record['note']})"
    return f"first {record['first']:.4g} s, later {record['seconds']:.4g} s"


class Run:
    """The measurements of one run, kept in a file as they come."""

    def __init__(self, path: Path, header: Record, *, anew: bool) -> None:
        self.path = path
        self.records: list[Record] = []
        if path.exists() and not anew:
            # A run that was killed while it wrote leaves a part of a line at the end.
            whole = path.read_text().rpartition("\n")[0] + "\n"
            path.write_text(whole)
            lines = [json.loads(line) for line in whole.splitlines()]
            if lines[0]["versions"] != header["versions"] or lines[0]["cpu"] != header["cpu"]:
                sys.exit(
                    f"{path} holds results of another machine or of other versions; --anew starts "
                    "from nothing"
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

    def done(self, rows: int, work: Work) -> bool:
        """Tell whether this was measured before."""
        return any((rows, work.name) == (r["rows"], r["work"]) for r in self.records)

    def earlier(self, rows: int, work: Work) -> list[Record]:
        """Return what is known of smaller samples, in the order of their sizes."""
        chosen = [r for r in self.records if r["work"] == work.name and r["rows"] < rows]
        return sorted(chosen, key=lambda record: record["rows"])


def measure_all(run: Run, plan: Plan, folder: Path, limit: float) -> None:
    """Measure what is planned and not done yet; a sample is kept as long as it is needed."""
    left: dict[int, list[tuple[int, Work]]] = {}
    for number, (rows, work) in enumerate(plan, 1):
        if not run.done(rows, work):
            left.setdefault(rows, []).append((number, work))
    for rows, works in left.items():
        memory = available_memory()
        with tempfile.TemporaryDirectory(dir=folder, prefix="sample-") as sample:
            # In another process, because a child starts with its parent's peak.
            given = {"folder": sample, "rows": rows}
            command = [sys.executable, str(WORKER), json.dumps(given)]
            list(events_of(command, limits={"": START_LIMIT}))
            for number, work in works:
                reason = reason_to_skip(run.earlier(rows, work), rows, limit, memory)
                if reason:
                    record = dict(zip(("state", "note"), reason, strict=True))
                else:
                    record = measure(work, Path(sample), rows, limit)
                run.add({"rows": rows, "work": work.name, **record})
                where = f"[{number}/{len(plan)}] {power(rows)} rows"
                print(f"{where}: {work.name}: {said(record)}", flush=True)


# ---------------------------------------------------------------------- the command


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="up to 1e6 rows")
    parser.add_argument("--sizes", type=lambda text: int(float(text)), nargs="+", default=SIZES)
    parser.add_argument("--tools", default=",".join(TOOLS), help="separated by commas")
    parser.add_argument("--folder", type=Path, default=HERE.parent / "build" / "speed")
    parser.add_argument("--limit", type=float, default=LIMIT, help="seconds a call may take")
    parser.add_argument("--anew", action="store_true", help="measure again what was measured")
    parser.add_argument("--write", action="store_true", help="write the pages")
    given = parser.parse_args()
    given.tools = given.tools.split(",")
    if unknown := set(given.tools) - set(TOOLS):
        parser.error(f"unknown: {', '.join(sorted(unknown))}; choose from {', '.join(TOOLS)}")
    return given


def main() -> None:
    # As for Ctrl-C: whoever stops this process stops the one that it measures, too.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    given = arguments()
    sizes = sorted(rows for rows in given.sizes if not given.quick or rows <= 10**6)
    plan = [(rows, work) for rows in sizes for work in WORKS.values() if work.tool in given.tools]
    given.folder.mkdir(parents=True, exist_ok=True)
    for left_by_killed_run in given.folder.glob("sample-*"):
        shutil.rmtree(left_by_killed_run)
    run = Run(given.folder / "speed.jsonl", describe_machine(), anew=given.anew)
    left = [item for item in plan if not run.done(*item)]
    minutes = estimate(left) / 60
    print(f"{len(left)} measurements, about {minutes:.0f} minutes on two idle cores", flush=True)
    start = time.monotonic()
    measure_all(run, plan, given.folder, given.limit)
    print(f"took {(time.monotonic() - start) / 60:.1f} minutes\n", flush=True)
    text = report(run.header, run.records)
    print(text)
    picture = given.folder / "speed.svg"
    draw(run.records, picture)
    (given.folder / "README.md").write_text(text, encoding="utf-8")
    if given.write:
        write_pages(text, picture, HERE.parent)


if __name__ == "__main__":
    main()
