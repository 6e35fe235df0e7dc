"""A program for a cluster of Spark: it reads Parquet folders and pickles what it gets.

Usage: spark_job.py OUTPUT DATA [--remote sc://host:port] CASE [CASE …]

DATA has a folder for each case. OUTPUT gets for each case the arrays of its tables, the passes and
the description, or the sentence of an error.
"""

import argparse
import contextlib
import io
import pickle
import warnings
from pathlib import Path

from pyspark.sql import SparkSession

import isometrics as iso
from isometrics.cli import main as command
from isometrics.errors import IsometricsError


def read(frame, case):
    try:
        analysis = iso.read_predictions(frame, drop_missing=case == "dropped")
    except IsometricsError as error:
        return {"error": str(error)}
    return {
        "tables": {
            name: {"thresholds": points.thresholds, "tp": points.tp, "fp": points.fp}
            for name, points in analysis.models.items()
        },
        "description": analysis.description,
        "passes": analysis.passes,
    }


def explained(url):
    """Return what the command says with ``--explain``."""
    with contextlib.redirect_stderr(io.StringIO()) as said:
        assert command(["summary", url, "--explain", "--output=-", "--quiet"]) == 0
    return said.getvalue()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("output", type=Path)
    parser.add_argument("data", type=Path)
    parser.add_argument("--remote")
    parser.add_argument("--explain", help="a case that the command explains")
    parser.add_argument("cases", nargs="*")
    given = parser.parse_intermixed_args()
    warnings.filterwarnings("ignore", "PySpark does not yet fully support pandas")
    builder = SparkSession.builder
    spark = (builder.remote(given.remote) if given.remote else builder).getOrCreate()
    answers = {case: read(spark.read.parquet(str(given.data / case)), case) for case in given.cases}
    if given.explain:
        url = f"{given.remote}?path={given.data / given.explain}"
        answers["explained"] = explained(url)
    given.output.write_bytes(pickle.dumps(answers))
    spark.stop()


if __name__ == "__main__":
    main()
