"""Large data in a cluster: many rows in folders, and many groups, in little memory.

Usage: python benchmarks/cluster_large.py days [--rows 1e8] [--parts 100] [--folder FOLDER]
       python benchmarks/cluster_large.py groups [--rows 1e7] [--groups 10000] [--folder FOLDER]
Both take --engine dask instead of spark.

Runs on a cluster on this machine, a scheduler and two workers of one core each, which the modules
in `tests/cluster` start and stop. In Spark, the driver's Java machine may take 1 GB, those of the
workers 640 MB each; in Dask, the scheduler is a thread of this process, and each worker may take
3 GB. `days` writes distinct scores to Parquet files in folders ``day=0`` and so on, and reads them
to areas and hull. `groups` writes three models and a column of groups, and reads the tables of
every group and model. Data is kept where FOLDER is given, and not written again.

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
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq

import isometrics as iso

sys.path.insert(0, str(Path(__file__).parent.parent / "tests" / "cluster"))

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


@contextmanager
def spark_frame(folder: Path) -> Iterator[object]:
    """Yield the rows as a data frame of a Spark cluster."""
    from pyspark.sql import SparkSession
    from spark_cluster import SparkCluster

    with SparkCluster(cores=1, memory="1g") as cluster:
        builder = SparkSession.builder.master(cluster.master).appName("benchmark")
        settings = {"spark.ui.enabled": "false", "spark.log.level": "ERROR"}
        for key, value in (cluster.settings() | settings).items():
            builder = builder.config(key, value)
        spark = builder.getOrCreate()
        yield spark.read.parquet(str(folder))
        spark.stop()


@contextmanager
def dask_frame(folder: Path) -> Iterator[object]:
    """Yield the rows as a data frame of a Dask cluster."""
    import dask.dataframe as dd
    from dask_cluster import dask_cluster

    with dask_cluster(memory="3GB"):
        yield dd.read_parquet(folder)


ENGINES = {"spark": spark_frame, "dask": dask_frame}


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
    parser.add_argument("--engine", choices=ENGINES, default="spark")
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
        columns = {"scores": list(MODELS), "group": "site"} if grouped else {"scores": "score"}
        with ENGINES[given.engine](folder) as frame:
            start = time.perf_counter()
            analysis = iso.read_predictions(frame, label="label", **columns)
            seconds = time.perf_counter() - start
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(f"{rows:,} rows: {seconds:.0f} s, {peak:.0f} MB at peak\n")
        print(f"{analysis.explain()}\n")
        (check_groups if grouped else check_bounds)(analysis, folder)


if __name__ == "__main__":
    main()
