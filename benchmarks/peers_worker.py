"""One measurement of peers.py in a process of its own.

Usage: python benchmarks/peers_worker.py '{"work": NAME, "folder": FOLDER, "repeats": 3,
       "enough": 15}'

Loads the sample and the tool, then calls it: a first time, and again until `repeats` calls are made
or `enough` seconds spent. Prints one JSON object per line: when it is ready, the seconds of each
call, and at the end the values and the peak of memory beyond what was there before the first call.
"""

import json
import resource
import sys
import time
from pathlib import Path

from peers_sample import Sample, write_sample
from peers_work import WORKS


def memory(field: str) -> int:
    """Return a field of the memory of this process in bytes.

    Where the system keeps no such file, the largest resident size so far.
    """
    status = Path("/proc/self/status")
    if not status.exists():
        unit = 1 if sys.platform == "darwin" else 1024
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit
    lines = status.read_text().splitlines()
    return next(int(line.split()[1]) << 10 for line in lines if line.startswith(field))


def forget_peak() -> None:
    """Let the largest resident size start anew; at the start it is that of the parent."""
    clear = Path("/proc/self/clear_refs")
    if clear.exists():
        clear.write_text("5")


def say(**event: object) -> None:
    print(json.dumps(event), flush=True)


def measure(name: str, folder: Path, repeats: int, enough: float) -> None:
    work, sample = WORKS[name], Sample.load(folder)
    call = work.prepare(sample)
    forget_peak()
    before, spent, result = memory("VmRSS"), 0.0, None
    say(event="ready")
    for _ in range(1 + repeats):
        result = None
        start = time.perf_counter()
        result = call()
        seconds = time.perf_counter() - start
        say(event="call", seconds=seconds)
        spent += seconds
        if spent >= enough:
            break
    peak = memory("VmHWM") - before
    say(event="calls over")
    say(event="done", values=work.read(result), peak=max(peak, 0))


def main() -> None:
    given = json.loads(sys.argv[1])
    folder = Path(given.pop("folder"))
    if "work" in given:
        measure(given.pop("work"), folder, **given)
    else:
        write_sample(folder, **given)
        say(event="done")


if __name__ == "__main__":
    main()
