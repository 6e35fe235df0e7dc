"""Time this tree against another one of isometrics, such as the last release, in one run.

Usage: python benchmarks/against.py OTHER [--rounds 5] [--jobs NAME ...] [--rows 1e7]

OTHER is the root of another checkout. Each job is a process of its own, which warms up once and
then prints the seconds of its work; the two trees take turns, so that a machine whose speed drifts
treats them alike. Prints a Markdown table with the medians and their ratio, this tree to the other:
above 1 this tree is slower. Jobs use public names only, which both trees must have.
"""

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).parent.parent

START = """
import sys, time, warnings
import numpy as np
import isometrics as iso
warnings.simplefilter("ignore")
rows, folder = int(sys.argv[1]), sys.argv[2]
rng = np.random.default_rng(1)
def sample(rows, prevalence=0.5, distinct=None):
    labels = rng.random(rows) < prevalence
    scores = rng.normal(1.0 * labels)
    return labels, scores if distinct is None else np.floor(scores * distinct / 8)
def timed(work, times=1):
    work()
    start = time.perf_counter()
    for _ in range(times):
        work()
    print((time.perf_counter() - start) / times)
def everything(labels, scores, **options):
    points = iso.OperatingPoints.from_scores(labels, scores, **options)
    return points.roc.area(), points.pr.area(), points.prg.area(), points.hull()
"""

JOBS = {
    "100 rows, three scores": (
        "y, s = sample(100)\n"
        "timed(lambda: (iso.auroc_score(y, s), iso.aupr_score(y, s), iso.auprg_score(y, s)), 300)"
    ),
    "1e5 rows, table, areas, hull": "data = sample(10**5); timed(lambda: everything(*data), 20)",
    "table, areas, hull": "data = sample(rows); timed(lambda: everything(*data))",
    "table, areas, hull; 1 % positive": (
        "data = sample(rows, 0.01); timed(lambda: everything(*data))"
    ),
    "table, areas, hull; 1,000 scores": (
        "data = sample(rows, distinct=1000); timed(lambda: everything(*data))"
    ),
    "table, areas, hull; weighted, a tenth of the rows": (
        "data = sample(rows // 10); w = rng.random(rows // 10)\n"
        "timed(lambda: everything(*data, sample_weight=w))"
    ),
    "three areas at once": "data = sample(rows); timed(lambda: iso.area_scores(*data))",
    "stream of batches": (
        "y, s = sample(rows)\n"
        "def fed():\n"
        "    stream = iso.Accumulator()\n"
        "    for at in range(0, rows, 65536):\n"
        "        stream.update(y[at : at + 65536], s[at : at + 65536])\n"
        "    stream.brackets()\n"
        "timed(fed)"
    ),
    "bootstrap, 200 replicates of a tenth of the rows": (
        "points = iso.OperatingPoints.from_scores(*sample(rows // 10))\n"
        "timed(lambda: iso.bootstrap(points, n_resamples=200, random_state=1))"
    ),
    "bootstrap of two models, 1e4 rows": (
        "y, s = sample(10**4); models = {'A': s, 'B': s + rng.normal(size=s.size)}\n"
        "timed(lambda: iso.bootstrap(y, models, n_resamples=500, random_state=1))"
    ),
    "Parquet, exact": "timed(lambda: iso.read_predictions(folder + '/rows.parquet').summary())",
    "Parquet, 250 MB of memory": (
        "timed(lambda: iso.read_predictions(folder + '/rows.parquet', memory_limit='250MB'))"
    ),
    "Parquet, tolerance 1e-5": (
        "timed(lambda: iso.read_predictions(folder + '/rows.parquet', tolerance=1e-5))"
    ),
    "CSV, a tenth of the rows": (
        "timed(lambda: iso.read_predictions(folder + '/rows.csv').summary())"
    ),
    "CSV, 100 rows, as a command": (
        "import subprocess\n"
        "def call():\n"
        "    words = ['summary', folder + '/few.csv', '--quiet']\n"
        "    subprocess.run([sys.executable, '-m', 'isometrics', *words], check=True,\n"
        "                   stdout=subprocess.DEVNULL)\n"
        "timed(call, 3)"
    ),
    "Spark": (
        "from pyspark.sql import SparkSession\n"
        "spark = SparkSession.builder.master('local[2]').config('spark.ui.enabled', 'false')\n"
        "spark = spark.config('spark.driver.memory', '4g').getOrCreate()\n"
        "frame = spark.read.parquet(folder + '/rows.parquet')\n"
        "timed(lambda: iso.read_predictions(frame).summary())"
    ),
}


def make_files(folder: Path, rows: int) -> None:
    """Write the files that the jobs read, with pyarrow alone."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.csv
    import pyarrow.parquet as pq

    rng = np.random.default_rng(2)
    labels = rng.random(rows) < 0.5
    table = pa.table({"label": labels.astype(np.int8), "score": rng.normal(1.0 * labels)})
    pq.write_table(table, folder / "rows.parquet")
    pa.csv.write_csv(table.slice(0, rows // 10), folder / "rows.csv")
    pa.csv.write_csv(table.slice(0, 100), folder / "few.csv")


def seconds(tree: Path, job: str, rows: int, folder: Path) -> float:
    """Run a job with one tree."""
    done = subprocess.run(
        [sys.executable, "-c", START + JOBS[job], str(rows), str(folder)],
        env=os.environ | {"PYTHONPATH": str(tree / "src")},
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        sys.exit(f"{job}, with {tree}:\n{done.stderr[-2000:]}")
    return float(done.stdout.split()[-1])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("other", type=Path)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--jobs", nargs="+", choices=JOBS, default=list(JOBS))
    parser.add_argument("--rows", type=lambda text: int(float(text)), default=10_000_000)
    options = parser.parse_args()
    trees = (options.other.resolve(), HERE)
    print("| job | other, s | this, s | ratio |\n|---|--:|--:|--:|")
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        make_files(folder, options.rows)
        for job in options.jobs:
            for tree in trees:  # loops are compiled, files are cached
                seconds(tree, job, options.rows, folder)
            times = [
                [seconds(tree, job, options.rows, folder) for tree in trees]
                for _ in range(options.rounds)
            ]
            other, this = (statistics.median(column) for column in zip(*times, strict=True))
            print(f"| {job} | {other:.4f} | {this:.4f} | {this / other:.2f} |", flush=True)


if __name__ == "__main__":
    main()
