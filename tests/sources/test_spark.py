"""Tables of Spark: frames and URLs, classic and Connect; Spark's errors in one sentence."""

import json
import os
import subprocess
import sys
from pathlib import Path

import narwhals.stable.v2 as nw
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import isometrics as iso
from isometrics.cli import main
from isometrics.errors import FileError, ParameterError
from isometrics.sources import spark_and_dask
from isometrics.sources.cluster_passes import PassLimits
from isometrics.sources.databases import SPARK_SCHEMES

from .test_binned_rows import check

pytestmark = [
    pytest.mark.xdist_group("spark"),
    pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas"),
]


@pytest.fixture(scope="module")
def sample():
    random = np.random.default_rng(17)
    labels = random.random(6_000) < 0.1
    scores = random.normal(size=labels.size) + labels
    return labels, scores, random.integers(0, 3, labels.size)


def test_a_frame_is_counted_in_the_cluster(spark, sample):
    """Names with dots, and small and large letters, are Spark's own business elsewhere."""
    labels, scores, _ = sample
    table = pa.table({"Y": labels, "a.b": scores, "A.B": scores, "it's `one`": scores})
    frame = spark_and_dask.ClusterFrame(
        nw.from_native(spark.createDataFrame(table)), limits=PassLimits(1500, 500)
    )
    analysis = iso.read_predictions(frame, label="Y", scores="it's `one`", tolerance=0.02)
    full = iso.OperatingPoints.from_scores(labels, scores)
    points = analysis.models["it's `one`"]
    assert points.table.partial
    check(points, full, 0.02)
    assert "counted in the cluster" in analysis.description


def test_names_that_occur_twice(spark):
    frame = spark.range(2).selectExpr("id AS a", "id AS a")
    with pytest.raises(ParameterError, match="two columns of one name"):
        iso.read_predictions(frame)


def test_an_error_of_spark_is_one_sentence(spark):
    frame = spark.range(3000).selectExpr(
        "id % 2 AS label", "CASE WHEN id = 2999 THEN raise_error('no such luck') ELSE 0.5D END p"
    )
    with pytest.raises(FileError, match=r"cannot read 'the data frame': .*no such luck") as error:
        iso.read_predictions(frame)
    assert "\n" not in str(error.value)


def test_too_little_memory_is_named(spark):
    said = "'java.lang.OutOfMemoryError: Java heap space'"
    frame = spark.range(3000).selectExpr(
        "id % 2 AS label", f"CASE WHEN id = 2999 THEN raise_error({said}) ELSE 0.5D END p"
    )
    with pytest.raises(FileError, match=r"Spark ran out of memory; start it with more"):
        iso.read_predictions(frame)


def test_tables_and_files_by_url(spark, sample, tmp_path, capsys):
    labels, scores, _ = sample
    table = pa.table({"label": labels[:500], "score": scores[:500]})
    full = iso.OperatingPoints.from_scores(labels[:500], scores[:500])
    spark.createDataFrame(table).createOrReplaceTempView("`pre dictions`")
    result = iso.read_predictions("spark://?table=pre%20dictions")
    assert result.models["score"].table == full.table
    assert result.description.startswith("spark://?table=pre dictions: ")
    path = tmp_path / "some predictions"
    pq.write_table(table, path)
    assert iso.read_predictions(f"spark://?path={path}").models["score"].table == full.table
    assert main(["summary", f"spark://?path={path}", "--json"]) == 0
    (row,) = json.loads(capsys.readouterr().out)["summary"]
    assert row["auroc"] == full.roc.area()
    text = tmp_path / "some.csv"
    text.write_text("label,score\n1,0.5\n0,0.25\n")
    assert iso.read_predictions(f"spark://?path={text}").models["score"].positives == 1
    assert spark.sql("SELECT 1").count() == 1  # the session of others is left alone


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("spark://host:7077", "say which table or which files"),
        ("sc://host/;token=secret?table=a&path=b", "cannot read 'sc://host': say which table"),
        ("spark://127.0.0.1:1?table=a", "cannot read 'spark://127.0.0.1:1?table=a': connection"),
        ("sc://127.0.0.1:1/;token=secret?table=a", "cannot read 'sc://127.0.0.1:1?table=a'"),
        ("spark://?table=no_such`table", "cannot read 'spark://?table=no_such`table': "),
        ("spark://?path=/no/such/file", "cannot read 'spark://?path=/no/such/file': "),
    ],
)
def test_what_cannot_be_read(spark, url, said):
    del spark
    with pytest.raises(FileError) as error:
        iso.read_predictions(url)
    assert said in str(error.value)
    assert "secret" not in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("host", ["h:99999", "h:abc", "[bad", "h" * 70])
@pytest.mark.parametrize("scheme", SPARK_SCHEMES)
def test_hosts_that_cannot_be(host, scheme):
    pytest.importorskip("pyspark")
    with pytest.raises(FileError) as error:
        iso.read_predictions(f"{scheme}://{host}/;token=secret?table=t")
    assert str(error.value).startswith(f"cannot read '{scheme}://{host}?table=t': ")
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    "url", ["spark://ann:sec/ret@host?table=t", "sc://h/;token=sec@ret?table=t"]
)
def test_a_user_of_spark_is_never_shown(url):
    with pytest.raises(FileError) as error:
        iso.read_predictions(url)
    scheme = url.partition(":")[0]
    assert str(error.value).startswith(f"cannot read '{scheme}://…': a URL of Spark has no user")


def test_without_pyspark(monkeypatch):
    monkeypatch.setattr("isometrics.errors.find_spec", lambda name: None if "spark" in name else "")
    with pytest.raises(ImportError, match=r"pip install 'isometrics\[spark\]'"):
        iso.read_predictions("spark://?table=a")


CONNECT = """
import json, sys, warnings
warnings.filterwarnings("ignore")
import narwhals.stable.v2 as nw
import numpy as np
from pyspark.sql import SparkSession
import isometrics as iso
from isometrics.errors import FileError

spark = SparkSession.builder.remote("local[2]").getOrCreate()
path = sys.argv[1]
frame = spark.read.parquet(path)
found = iso.read_predictions(frame, tolerance=1e-3)
address = "sc://" + spark.client.host
named = iso.read_predictions(f"{address}?path={path}")
spark.range(3000).selectExpr(
    "id % 2 AS label", "raise_error('no such luck') p").createOrReplaceTempView("bad")
try:
    iso.read_predictions(spark.table("bad").selectExpr("label", "double(p) p"))
except FileError as error:
    said = str(error)
print(json.dumps([
    type(frame).__module__,
    [points.models["score"].roc.area() for points in (found, named)],
    found.models["score"].table.kind.name,
    said,
]))
"""


@pytest.mark.slow
def test_connect(sample, tmp_path):
    """A classic and a Connect session do not live in one process."""
    pytest.importorskip("pyspark")
    pytest.importorskip("grpc")
    labels, scores, _ = sample
    path = tmp_path / "predictions.parquet"
    pq.write_table(pa.table({"label": labels, "score": scores}), path)
    run = subprocess.run(
        [sys.executable, "-c", CONNECT, str(path)],
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path), "SPARK_LOCAL_IP": "127.0.0.1"},
        cwd=Path(__file__).parent,
    )
    assert run.returncode == 0, run.stderr[-2000:]
    module, areas, kind, said = json.loads(run.stdout.splitlines()[-1])
    full = iso.OperatingPoints.from_scores(labels, scores)
    assert "connect" in module
    assert areas == [full.roc.area()] * 2
    assert kind == "SCORES"
    assert "no such luck" in said
