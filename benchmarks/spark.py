"""Areas of scores in Spark: time and error beside MLlib's, against the exact table.

Usage: python benchmarks/spark.py [--rows 1e6 1e7] [--prevalences 0.5 0.01 0.0001]
       [--folder FOLDER] [--mllib-without-bins]

Runs on a standalone cluster on this machine, a master and two workers of one core each, which
`tests/cluster/spark_cluster.py` starts and stops. Writes Parquet files of distinct scores (two
normal distributions 1.5 apart, through the logistic function) into FOLDER, by default a temporary
one. Times are wall-clock seconds from the data frame
of the file to areas and hull; the Java machine is started, and has read another file, before.
MLlib's `BinaryClassificationMetrics` is asked for areaUnderROC and areaUnderPR, with its default of
1,000 bins and, if asked for, without bins. Prints the processor load and one Markdown table; the
counters are those of `analysis.explain()`, for the passes over all rows.
"""

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.ml.evaluation import BinaryClassificationEvaluator
from pyspark.sql import SparkSession

import isometrics as iso

sys.path.insert(0, str(Path(__file__).parent.parent / "tests" / "cluster"))
from spark_cluster import SparkCluster

PART = 1_000_000


def make(path: Path, rows: int, prevalence: float) -> None:
    """Write a Parquet file in row groups of a million rows."""
    rng = np.random.default_rng(1)
    schema = pa.schema({"label": pa.float64(), "score": pa.float64()})
    shift = np.log(prevalence / (1 - prevalence))
    with pq.ParquetWriter(path, schema) as writer:
        for start in range(0, rows, PART):
            size = min(PART, rows - start)
            labels = (rng.random(size) < prevalence).astype(np.float64)
            scores = 1 / (1 + np.exp(-rng.normal(size=size) - 1.5 * labels - shift))
            writer.write_table(pa.table({"label": labels, "score": scores}, schema))


def session(cluster: SparkCluster) -> SparkSession:
    settings = cluster.settings() | {
        "spark.ui.enabled": "false",
        "spark.log.level": "ERROR",
        "spark.driver.memory": "4g",
        "spark.executor.memory": "3g",
    }
    builder = SparkSession.builder.master(cluster.master).appName("benchmark")
    for key, value in settings.items():
        builder = builder.config(key, value)
    return builder.getOrCreate()


def mllib(spark: SparkSession, path: Path, bins: int) -> tuple[float, float, float]:
    """Return the seconds, the area under ROC and under PR of MLlib."""
    start = time.perf_counter()
    frame = spark.read.parquet(str(path)).select("score", "label")
    evaluator = BinaryClassificationEvaluator(
        rawPredictionCol="score", labelCol="label", numBins=bins
    )
    # The evaluator's own `evaluate` would count again for the second area.
    evaluator._transfer_params_to_java()
    metrics = evaluator._java_obj.getMetrics(frame._jdf)
    roc, pr = metrics.areaUnderROC(), metrics.areaUnderPR()
    metrics.unpersist()
    return time.perf_counter() - start, roc, pr


def rows_of(
    spark: SparkSession, path: Path, prevalence: float, *, without_bins: bool
) -> Iterator[list[str]]:
    """Measure one file: isometrics and MLlib."""
    exact = iso.read_predictions(path).models["score"]
    start = time.perf_counter()
    analysis = iso.read_predictions(spark.read.parquet(str(path)))
    points = analysis.models["score"]
    brackets, hull = iso.area_brackets(points), points.hull()
    seconds = time.perf_counter() - start
    passes = [each for each in analysis.passes if each.purpose != "first rows"]
    most = max(each.collected for each in passes)
    assert most <= 1 << 20
    counters = [f"{most:,}", f"{sum(each.collected for each in passes):,}"]
    for name, bracket in iso.area_brackets(exact).items():
        assert brackets[name].lo <= bracket.lo <= brackets[name].hi, name
    assert np.array_equal(hull.thresholds, exact.hull().thresholds)
    errors = [
        abs(sum(brackets[name]) / 2 - area)
        for name, area in (("AUROC", exact.roc.area()), ("AUPR", exact.pr.area()))
    ]
    ours = [f"isometrics, {len(passes)} passes", f"{seconds:.1f}", *(f"{e:.1e}" for e in errors)]
    widths = [brackets[name].width for name in ("AUROC", "AUPR", "average precision", "AUPRG")]
    yield [f"{prevalence:g}", *ours, f"{max(widths):.1e}", *counters]
    for bins in (1000, 0) if without_bins else (1000,):
        seconds, roc, pr = mllib(spark, path, bins)
        errors = [abs(roc - exact.roc.area()), abs(pr - exact.pr.area())]
        name = f"MLlib, {bins} bins" if bins else "MLlib, no bins"
        row = [name, f"{seconds:.1f}", *(f"{e:.1e}" for e in errors)]
        yield [f"{prevalence:g}", *row, "none", *[""] * len(counters)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=float, nargs="+", default=[1e6, 1e7])
    parser.add_argument("--prevalences", type=float, nargs="+", default=[0.5, 0.01, 0.0001])
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--mllib-without-bins", action="store_true")
    given = parser.parse_args()
    head = ["rows", "prevalence", "what", "seconds", "error of AUROC", "error of AUPR"]
    head += ["widest bracket", "most collected in a pass", "collected"]
    load = ", ".join(f"{minutes:.1f}" for minutes in os.getloadavg())
    print(f"Load of the last 1, 5 and 15 minutes at the start: {load}\n")
    with (
        tempfile.TemporaryDirectory() as temporary,
        SparkCluster(cores=1, memory="4g") as cluster,
    ):
        spark = session(cluster)
        folder = given.folder or Path(temporary)
        options = {"without_bins": given.mllib_without_bins}
        warm = folder / "warm.parquet"
        make(warm, 20_000, 0.5)
        list(rows_of(spark, warm, 0.5, **options))
        print(f"| {' | '.join(head)} |\n|--:|--:|---|{'--:|' * (len(head) - 3)}", flush=True)
        for rows in given.rows:
            for prevalence in given.prevalences:
                path = folder / f"{rows:.0e}-{prevalence:g}.parquet"
                make(path, int(rows), prevalence)
                for row in rows_of(spark, path, prevalence, **options):
                    print(f"| {rows:g} | {' | '.join(row)} |", flush=True)
        spark.stop()


if __name__ == "__main__":
    main()
