"""A program for a cluster of Spark: it reads Parquet folders and writes the tables it gets.

Usage: spark_job.py OUTPUT DATA [--remote sc://host:port] CASE [CASE …]

DATA has a folder for each case. OUTPUT gets the arrays of each table, CASE.npz, and in the end
``answers.json``: the passes, the description, or the sentence of an error.
"""

import argparse
import contextlib
import io
import json
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from pyspark.sql import SparkSession

import isometrics as iso
from isometrics.cli import main as command
from isometrics.errors import IsometricsError

OPTIONS: dict[str, dict[str, Any]] = {"dropped": {"drop_missing": True}}


def read(frame: Any, case: str, output: Path) -> dict[str, Any]:
    """Read one case, write its tables, and return what else there is to say."""
    try:
        analysis = iso.read_predictions(frame, **OPTIONS.get(case, {}))
    except IsometricsError as error:
        return {"error": str(error)}
    for name, points in analysis.models.items():
        table = {"thresholds": points.thresholds, "tp": points.tp, "fp": points.fp}
        np.savez(output / f"{case}-{name}.npz", **table)
    return {
        "description": analysis.description,
        "passes": [each._asdict() for each in analysis.passes],
    }


def explained(url: str) -> str:
    """Return what the command says with ``--explain``."""
    with contextlib.redirect_stderr(io.StringIO()) as said:
        assert command(["summary", url, "--explain", "--output=-", "--quiet"]) == 0
    return said.getvalue()


def main() -> None:
    """Read all cases."""
    parser = argparse.ArgumentParser()
    parser.add_argument("output", type=Path)
    parser.add_argument("data", type=Path)
    parser.add_argument("--remote")
    parser.add_argument("--explain", help="a case that the command explains")
    parser.add_argument("cases", nargs="*")
    given = parser.parse_intermixed_args()
    warnings.filterwarnings("ignore", "PySpark does not yet fully support pandas")
    builder: Any = SparkSession.builder
    spark = (builder.remote(given.remote) if given.remote else builder).getOrCreate()
    answers = {
        case: read(spark.read.parquet(str(given.data / case)), case, given.output)
        for case in given.cases
    }
    if given.explain:
        url = f"{given.remote or 'spark://'}?path={given.data / given.explain}"
        answers["explained"] = {"said": explained(url)}
    (given.output / "answers.json").write_text(json.dumps(answers))
    spark.stop()


if __name__ == "__main__":
    main()
