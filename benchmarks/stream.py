"""How wide the bounds of a stream are, how fast it is fed and in how much memory.

Usage: python benchmarks/stream.py [--rows 1e7] [--batch 65536]

Scores are distinct doubles: two normal distributions two apart, through the logistic function.
Each stream is a process of its own that makes its batches on the way, so that its peak memory is
that of the stream. The exact areas come from the table of all rows, built in another process.
"""

import argparse
import multiprocessing
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import isometrics as iso
from isometrics.measures import registered

EXACT = {each.name: each.of for each in registered() if each.of_curve}


MOST = "tradeoff area"


def batches(rows: int, size: int, prevalence: float, seed: int = 1):
    """Make labels and scores on the way."""
    rng = np.random.default_rng(seed)
    for start in range(0, rows, size):
        labels = rng.random(min(size, rows - start)) < prevalence
        yield labels, 1 / (1 + np.exp(-rng.normal(2.0 * labels)))


def megabytes() -> float:
    """Return the peak of this process; that of the operating system is inherited."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmHWM"):
            return int(line.split()[1]) / 1024
    return float("nan")


def fed(rows: int, size: int, prevalence: float) -> tuple[float, float, float, dict]:
    """Return the nanoseconds of a row, the peak and the kept megabytes, and the state."""
    warm = iso.Accumulator()
    for labels, scores in batches(4 * size, size, prevalence):
        warm.update(labels[:10], scores[:10])
    before, seconds = megabytes(), 0.0
    stream = iso.Accumulator()
    for labels, scores in batches(rows, size, prevalence):
        start = time.process_time()
        stream.update(labels, scores)
        seconds += time.process_time() - start
    return seconds / rows * 1e9, megabytes() - before, stream.nbytes / 1e6, stream.state()


def fed_in_order(rows: int, size: int, prevalence: float, way: int) -> tuple[dict, float]:
    """Feed the same rows from the lowest score on, or from the highest."""
    labels, scores = map(np.concatenate, zip(*batches(rows, size, prevalence), strict=True))
    order = np.argsort(scores)[::way]
    labels, scores = labels[order], scores[order]
    stream = iso.Accumulator()
    start = time.process_time()
    for place in range(0, rows, size):
        stream.update(labels[place : place + size], scores[place : place + size])
    return stream.state(), (time.process_time() - start) / rows * 1e9


def merged(rows: int, size: int, prevalence: float, parts: int) -> dict:
    """Let several streams see every n-th batch each, and merge them."""
    streams = [iso.Accumulator() for _ in range(parts)]
    for number, batch in enumerate(batches(rows, size, prevalence)):
        streams[number % parts].update(*batch)
    return sum(streams).state()


def exact(rows: int, size: int, prevalence: float) -> dict[str, float]:
    labels, scores = map(np.concatenate, zip(*batches(rows, size, prevalence), strict=True))
    points = iso.OperatingPoints.from_scores(labels, scores)
    return {name: area(points) for name, area in EXACT.items()} | {MOST: points.tradeoff().area()}


def reading(rows: int, size: int) -> float:
    """Return the nanoseconds of a row that pyarrow takes to read the same columns."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "rows.parquet")
        labels, scores = map(np.concatenate, zip(*batches(rows, size, 0.1), strict=True))
        pq.write_table(pa.table({"label": labels, "score": scores}), path)
        start = time.process_time()
        with pq.ParquetFile(path) as file:
            for batch in file.iter_batches(size):
                batch.column("label").to_numpy(zero_copy_only=False)
                batch.column("score").to_numpy()
        return (time.process_time() - start) / rows * 1e9


def alone(function, *arguments):
    """Call a function in a process of its own."""
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as process:
        return process.submit(function, *arguments).result()


def said(name: str, state: dict, areas: dict[str, float], *measured: str) -> None:
    stream = iso.Accumulator.from_state(state)
    brackets = stream.brackets()
    inside = all(brackets[each].lo <= area <= brackets[each].hi for each, area in areas.items())
    widths = " | ".join(f"{width:.1e}" for width in brackets.width)
    print(f"| {name} | {widths} | {'all' if inside else 'NOT ALL'} | {' | '.join(measured)} |")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=lambda text: int(float(text)), default=10_000_000)
    parser.add_argument("--batch", type=int, default=1 << 16)
    options = parser.parse_args()
    sizes = (options.rows, options.batch)
    names = [*EXACT, MOST]
    print(f"{options.rows:.0e} rows in batches of {options.batch}, 16 MB\n")
    columns = ["prevalence", *names, "exact areas inside", "ns a row", "MB kept", "MB at peak"]
    print(f"| {' | '.join(columns)} |")
    print("|---" * len(columns) + "|")
    for prevalence in (0.5, 0.1, 0.01, 0.001, 0.0001):
        areas = alone(exact, *sizes, prevalence)
        speed, peak, kept, state = alone(fed, *sizes, prevalence)
        said(f"{prevalence}", state, areas, f"{speed:.0f}", f"{kept:.1f}", f"{peak:.0f}")
        if prevalence != 0.01:
            continue
        for name, way in (("ascending", 1), ("descending", -1)):
            state, speed = alone(fed_in_order, *sizes, prevalence, way)
            said(f"{prevalence}, {name}", state, areas, f"{speed:.0f}", "", "")
        state = alone(merged, *sizes, prevalence, 8)
        said(f"{prevalence}, merged from 8", state, areas, "", "", "")
    small = alone(fed, 200 * 256, 256, 0.1)[0]
    print(f"\nBatches of 256 rows: {small * 256 / 1000:.0f} µs each.")
    print(f"Reading a Parquet file with pyarrow: {alone(reading, *sizes):.0f} ns a row.")


if __name__ == "__main__":
    main()
