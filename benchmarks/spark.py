"""Areas of scores in Spark: time and error beside MLlib's, against the exact table.

Usage: python benchmarks/spark.py [--rows 1e7] [--prevalences 0.5 0.01 0.0001] [--cores 2]
       [--folder FOLDER] [--mllib-without-bins]

Writes Parquet files of distinct scores (two normal distributions 1.5 apart, through the logistic
function) into FOLDER, by default a temporary one. Times are wall-clock seconds from the data frame
of the file to areas and hull; the Java machine is started, and has read another file, before.
MLlib's `BinaryClassificationMetrics` is asked for areaUnderROC and areaUnderPR, with its default of
1,000 bins and, if asked for, without bins. Prints one Markdown table.
"""

import argparse
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


def session(cores: int) -> SparkSession:
    settings = {
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.log.level": "ERROR",
        "spark.driver.memory": "6g",
        "spark.sql.shuffle.partitions": str(2 * cores),
    }
    builder = SparkSession.builder.master(f"local[{cores}]").appName("benchmark")
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
    work = analysis.description.partition("counted in the cluster in ")[2].split()
    for name, bracket in iso.area_brackets(exact).items():
        assert brackets[name].lo <= bracket.lo <= brackets[name].hi, name
    assert np.array_equal(hull.thresholds, exact.hull().thresholds)
    errors = [
        abs(sum(brackets[name]) / 2 - area)
        for name, area in (("AUROC", exact.roc.area()), ("AUPR", exact.pr.area()))
    ]
    ours = [f"isometrics, {work[0]} passes", f"{seconds:.1f}", *(f"{e:.1e}" for e in errors)]
    widths = [brackets[name].width for name in ("AUROC", "AUPR", "average precision", "AUPRG")]
    yield [f"{prevalence:g}", *ours, f"{max(widths):.1e}", work[4]]
    for bins in (1000, 0) if without_bins else (1000,):
        seconds, roc, pr = mllib(spark, path, bins)
        errors = [abs(roc - exact.roc.area()), abs(pr - exact.pr.area())]
        name = f"MLlib, {bins} bins" if bins else "MLlib, no bins"
        row = [name, f"{seconds:.1f}", *(f"{e:.1e}" for e in errors)]
        yield [f"{prevalence:g}", *row, "none", ""]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=float, default=1e7)
    parser.add_argument("--prevalences", type=float, nargs="+", default=[0.5, 0.01, 0.0001])
    parser.add_argument("--cores", type=int, default=2)
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--mllib-without-bins", action="store_true")
    given = parser.parse_args()
    spark = session(given.cores)
    with tempfile.TemporaryDirectory() as temporary:
        folder = given.folder or Path(temporary)
        warm = folder / "warm.parquet"
        make(warm, 20_000, 0.5)
        list(rows_of(spark, warm, 0.5, without_bins=given.mllib_without_bins))
        print("| prevalence | what | seconds | error of AUROC | error of AUPR | widest bracket "
              "| rows collected |")  # fmt: skip
        print("|---|---|---|---|---|---|---|")
        for prevalence in given.prevalences:
            path = folder / f"{given.rows:.0e}-{prevalence:g}.parquet"
            make(path, int(given.rows), prevalence)
            without_bins = given.mllib_without_bins
            for row in rows_of(spark, path, prevalence, without_bins=without_bins):
                print(f"| {' | '.join(row)} |", flush=True)
    spark.stop()


if __name__ == "__main__":
    main()
