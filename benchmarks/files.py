"""How fast and in how much memory files are read: each run is a process of its own.

Usage: python benchmarks/files.py [--rows 1e8] [--folder FOLDER] [--repeats 3] [--only Parquet]

Makes files of distinct scores (two normal distributions one apart, through the logistic function)
in FOLDER, by default a temporary one, and runs the command line on them; with --only, on those
files alone whose lines in the table begin so. The folder of Parquet files has the rows of the long
file, each row group in a folder of its own. Peak memory is what the
operating system says of the finished process. The exact table, and the one with a tolerance, are
compared with the table built in memory, at 1e7 rows at most.
"""

import argparse
import multiprocessing
import os
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq

import isometrics as iso

PART = 1_000_000


def make(path: Path, rows: int) -> None:
    """Write a Parquet file in row groups of a million rows."""
    rng = np.random.default_rng(1)
    schema = pa.schema({"label": pa.bool_(), "score": pa.float64()})
    with pq.ParquetWriter(path, schema) as writer:
        for start in range(0, rows, PART):
            size = min(PART, rows - start)
            labels = rng.random(size) < 0.5
            scores = 1 / (1 + np.exp(-rng.normal(size=size) - labels))
            writer.write_table(pa.table({"label": labels, "score": scores}, schema))


def make_folder(parquet: Path, folder: Path) -> None:
    """Write each row group of a file to a folder ``day=0`` and so on."""
    with pq.ParquetFile(parquet, pre_buffer=False) as file:
        for part in range(file.num_row_groups):
            (folder / f"day={part}").mkdir(parents=True)
            pq.write_table(file.read_row_group(part), folder / f"day={part}" / "0.parquet")
    (folder / "_SUCCESS").touch()


def make_text(parquet: Path, text: Path) -> None:
    """Write the same rows as CSV."""
    with pq.ParquetFile(parquet, pre_buffer=False) as file:
        schema = file.schema_arrow
        with pyarrow.csv.CSVWriter(text, schema) as writer:
            for batch in file.iter_batches(1 << 17):
                writer.write_batch(batch)


def measured(command: list[str]) -> tuple[float, float]:
    """Return the seconds and the peak megabytes of a process."""
    start = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - start
    if status:
        sys.exit(f"{' '.join(command)} failed: {process.stderr.read().decode()}")
    return seconds, usage.ru_maxrss / 1024


def summary(path: Path, *options: str) -> list[str]:
    return [sys.executable, "-m", "isometrics", "summary", str(path), "--quiet", *options]


def read_only(path: Path) -> list[str]:
    """Read a CSV file into its exact table as the command does, and stop there."""
    code = "import isometrics, sys; isometrics.read_predictions(sys.argv[1])"
    return [sys.executable, "-c", code, str(path)]


def duckdb_sort(path: Path) -> list[str]:
    """Read and sort a CSV file with DuckDB alone."""
    code = (
        "import duckdb, sys;"
        "duckdb.sql('SELECT label, score FROM read_csv(' + repr(sys.argv[1]) + ') "
        "ORDER BY score').fetchnumpy()"
    )
    return [sys.executable, "-c", code, str(path)]


def same_as_in_memory(path: Path) -> str:
    """Compare the exact and the approximate table with the one of all rows in memory."""
    table = pq.read_table(path)
    full = iso.OperatingPoints.from_scores(table["label"], table["score"])
    hull = full.hull()
    said = []
    for name, options in (
        ("compact", {"memory_limit": "250MB"}),
        ("tolerance", {"tolerance": 1e-5}),
    ):
        points = iso.read_predictions(path, **options).models["score"]
        rows = full.at(points.thresholds[1:])
        same = (
            np.array_equal(rows.tp, points.tp[1:])
            and np.array_equal(rows.fp, points.fp[1:])
            and points.hull().table == hull.table
        )
        said.append(f"{name}: counts and hull {'identical' if same else 'DIFFERENT'}")
    return "; ".join(said)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=lambda text: int(float(text)), default=100_000_000)
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.folder or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        small, large = folder / "small.parquet", folder / "large.parquet"
        text, long_text = folder / "small.csv", folder / "large.csv"
        parts = folder / "parts"
        rows = min(options.rows, 10_000_000)
        # A process inherits the peak of the one that starts it, so this one stays small.
        with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as process:
            process.submit(make, small, rows).result()
            process.submit(make, large, options.rows).result()
            process.submit(make_folder, large, parts).result()
            if "CSV".startswith(options.only[:3]):
                process.submit(make_text, small, text).result()
                process.submit(make_text, large, long_text).result()
            said = process.submit(same_as_in_memory, small).result()
        print(f"{rows:.0e} rows: {said}\n")
        print("| what | rows | seconds, median | least | peak MB |\n|---|---|---|---|---|")
        runs = {
            ("`isometrics --help`", 0): [sys.executable, "-m", "isometrics", "--help"],
            ("Parquet, `summary`", rows): summary(small),
            ("Parquet, `summary --memory-limit 2GB`", options.rows): summary(
                large, "--memory-limit", "2GB"
            ),
            ("Parquet, `summary --tolerance 1e-5`", options.rows): summary(
                large, "--tolerance", "1e-5", "--memory-limit", "500MB"
            ),
            ("Parquet in folders, `summary --memory-limit 2GB`", options.rows): summary(
                parts, "--memory-limit", "2GB"
            ),
            ("Parquet in folders, `summary --tolerance 1e-5`", options.rows): summary(
                parts, "--tolerance", "1e-5", "--memory-limit", "500MB"
            ),
            ("CSV, `summary`", rows): summary(text),
            ("CSV, only read into its table", rows): read_only(text),
            ("CSV, DuckDB alone reads and sorts", rows): duckdb_sort(text),
            ("CSV, only read into its table", options.rows): read_only(long_text),
            ("CSV, DuckDB alone reads and sorts", options.rows): duckdb_sort(long_text),
        }
        for (what, size), command in runs.items():
            if not what.startswith(options.only):
                continue
            found = [measured(command) for _ in range(options.repeats)]
            seconds = sorted(run[0] for run in found)
            peak = max(run[1] for run in found)
            middle = seconds[len(seconds) // 2]
            print(f"| {what} | {size:.0e} | {middle:.2f} | {seconds[0]:.2f} | {peak:.0f} |")


if __name__ == "__main__":
    main()
