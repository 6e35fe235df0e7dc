"""Large data in a Spark cluster: many rows in folders, and many groups, in little memory.

Usage: python benchmarks/spark_large.py days [--rows 1e8] [--parts 100] [--folder FOLDER]
       python benchmarks/spark_large.py groups [--rows 1e7] [--groups 10000] [--folder FOLDER]

Runs on a standalone cluster on this machine, a master and two workers of one core each, which
`tests/cluster/spark_cluster.py` starts and stops; the driver's Java machine may take 1 GB, those of
the workers 640 MB each. `days` writes distinct scores to Parquet files in folders ``day=0`` and so
on, and reads them to areas and hull. `groups` writes three models and a column of groups, and reads
the tables of every group and model. Data is kept where FOLDER is given, and not written again.

Prints the processor load, the seconds on the clock, the peak memory of this process without Java,
and the passes as `analysis.explain()` has them. Stops where the bounds do not hold the exact areas,
the hull is not that of the exact table, or a table of five groups is not the one in memory.
"""

import argparse
import multiprocessing
import os
import resource
import sys
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
from pyspark.sql import SparkSession

import isometrics as iso

sys.path.insert(0, str(Path(__file__).parent.parent / "tests" / "cluster"))
from spark_cluster import SparkCluster

MODELS = ("a", "b", "c")
COMPARED = 5


def make(folder: Path, what: str, rows: int, parts: int, groups: int) -> None:
    """Write the rows, so many files of them."""
    rng = np.random.default_rng(1)
    for part in range(parts):
        size = rows * (part + 1) // parts - rows * part // parts
        labels = rng.random(size) < 0.5
        columns = {"label": labels}
        for name in MODELS if what == "groups" else ["score"]:
            columns[name] = 1 / (1 + np.exp(-rng.normal(size=size) - labels))
        if what == "groups":
            columns["site"] = rng.integers(0, groups, size)
        own = folder / f"day={part}" if what == "days" else folder
        own.mkdir(parents=True, exist_ok=True)
        pq.write_table(pa.table(columns), own / f"{part}.parquet")


def session(cluster: SparkCluster) -> SparkSession:
    builder = SparkSession.builder.master(cluster.master).appName("benchmark")
    settings = {"spark.ui.enabled": "false", "spark.log.level": "ERROR"}
    for key, value in (cluster.settings() | settings).items():
        builder = builder.config(key, value)
    return builder.getOrCreate()


def check_bounds(analysis: iso.Analysis, folder: Path) -> None:
    exact = iso.read_predictions(folder, label="label", scores="score", memory_limit="4GB")
    points, expected = analysis.models["score"], exact.models["score"]
    brackets = iso.area_brackets(points)
    for name, bracket in iso.area_brackets(expected).items():
        assert brackets[name].lo <= bracket.lo <= bracket.hi <= brackets[name].hi, name
    assert np.array_equal(points.hull().thresholds, expected.hull().thresholds)
    width = max(brackets[name].width for name in ("AUROC", "AUPR", "average precision", "AUPRG"))
    print(f"The bounds hold; the widest is {width:.1e}. The hull is that of the exact table.")


def check_groups(analysis: iso.Analysis, folder: Path) -> None:
    names = list(analysis.groups)[:: len(analysis.groups) // COMPARED][:COMPARED]
    rows = ds.dataset(folder).to_table(filter=ds.field("site").isin([int(name) for name in names]))
    sites = rows["site"].to_numpy()
    for name in names:
        own = sites == int(name)
        for model in MODELS:
            exact = iso.OperatingPoints.from_scores(
                rows["label"].to_numpy()[own], rows[model].to_numpy()[own]
            )
            assert analysis.groups[name][model].table == exact.table, (name, model)
    print(f"{len(analysis.groups):,} groups; the tables of {len(names)} are those in memory.")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=["days", "groups"])
    parser.add_argument("--rows", type=float)
    parser.add_argument("--parts", type=int, default=100)
    parser.add_argument("--groups", type=int, default=10_000)
    parser.add_argument("--folder", type=Path)
    given = parser.parse_args()
    rows = int(given.rows or (1e8 if given.what == "days" else 1e7))
    grouped = given.what == "groups"
    with tempfile.TemporaryDirectory() as temporary:
        folder = given.folder or Path(temporary) / "rows"
        if not folder.exists():
            # Elsewhere, so that the peak of this process is that of reading alone.
            with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as process:
                process.submit(make, folder, given.what, rows, given.parts, given.groups).result()
        load = ", ".join(f"{minutes:.1f}" for minutes in os.getloadavg())
        print(f"Load of the last 1, 5 and 15 minutes at the start: {load}", flush=True)
        with SparkCluster(cores=1, memory="1g") as cluster:
            spark = session(cluster)
            columns = {"scores": list(MODELS), "group": "site"} if grouped else {"scores": "score"}
            start = time.perf_counter()
            analysis = iso.read_predictions(
                spark.read.parquet(str(folder)), label="label", **columns
            )
            seconds = time.perf_counter() - start
            spark.stop()
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(f"{rows:,} rows: {seconds:.0f} s, {peak:.0f} MB at peak\n")
        print(f"{analysis.explain()}\n")
        (check_groups if grouped else check_bounds)(analysis, folder)


if __name__ == "__main__":
    main()
