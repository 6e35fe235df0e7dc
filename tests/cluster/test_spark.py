"""Spark with a master and workers that are processes: the tables of one process, to the bit."""

import os
import pickle
import shutil
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import isometrics as iso
from isometrics.errors import MissingValueError

pytest.importorskip("pyspark")
pytest.importorskip("grpc")
if shutil.which("java") is None:
    pytest.skip("java is not installed", allow_module_level=True)
from .spark_cluster import SparkCluster, executors

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("spark cluster")]

ROWS = 1_100_000
JOB = Path(__file__).with_name("spark_job.py")
MOST = 1 << 20
PATIENCE = 300.0
CASES = ("long", "weighted", "fractions", "dropped", "missing", "classes")
SETTINGS = {
    # One task for each file.
    "spark.sql.files.maxPartitionBytes": "2m",
    "spark.sql.files.openCostInBytes": "2m",
    # Short programs: what the second compiler would gain is less than it takes.
    "spark.executor.extraJavaOptions": "-XX:TieredStopAtLevel=1",
    "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1",
}


def cases():
    rng = np.random.default_rng(5)
    labels = rng.random(ROWS) < 0.2
    scores = rng.normal(labels, 1)
    yield "long", {"label": labels, "score": scores}
    yield "short", {"label": labels[:150_000], "score": scores[:150_000]}
    few = rng.random(9_000) < 0.3
    scores = rng.normal(few, 1).round(3)
    weights = rng.integers(0, 5, few.size)
    yield "weighted", {"label": few, "score": scores, "weight": weights}
    yield "fractions", {"label": few, "score": scores, "weight": weights / 3}
    missing = pa.array(scores, mask=rng.random(few.size) < 0.01)
    not_numbers = np.where(rng.random(few.size) < 0.01, np.nan, scores)
    labels = pa.array(few, mask=rng.random(few.size) < 0.01)
    columns = {"label": labels, "null": missing, "nan": pa.array(not_numbers, from_pandas=False)}
    yield "dropped", columns
    yield "missing", columns
    kinds = rng.integers(0, 3, few.size)
    by_class = {name: rng.normal(kinds == code, 1) for code, name in enumerate("abc")}
    yield "classes", {"label": np.array(list("abc"))[kinds], **by_class}


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    folder = tmp_path_factory.mktemp("data")
    for name, columns in cases():
        table = pa.table(columns)
        (folder / name).mkdir()
        # One task for each file: a worker that has finished the first leaves some to others.
        files = {"long": 6, "short": 12}.get(name, 2)
        size = -(-table.num_rows // files)
        for number in range(files):
            part = table.slice(number * size, size)
            pq.write_table(part, folder / name / f"part-{number:02}.parquet")
    return folder


@pytest.fixture(scope="module")
def cluster():
    with SparkCluster() as started:
        yield started


@pytest.fixture(scope="module")
def server(cluster):
    with cluster.connect_server(SETTINGS) as started:
        yield started


def run_connected(server, output, data, *arguments):
    command = [sys.executable, str(JOB), str(output), str(data), f"--remote={server[0]}"]
    path = {"PYTHONPATH": os.pathsep.join(sys.path)}
    return subprocess.Popen([*command, *arguments], env=os.environ | path)


def answers_of(output):
    return pickle.loads(output.read_bytes())


@pytest.fixture(scope="module")
def submitted(cluster, data, tmp_path_factory):
    """Return what a program gave that was submitted, and did not use Connect."""
    output = tmp_path_factory.mktemp("submitted") / "answers"
    with cluster.submit(str(JOB), str(output), str(data), *CASES, settings=SETTINGS) as driver:
        assert driver.process.wait(PATIENCE) == 0, driver.log.read_text()[-3000:]
    return answers_of(output)


@pytest.fixture(scope="module")
def connected(server, data, tmp_path_factory):
    """Return what the same program gave through Connect."""
    output = tmp_path_factory.mktemp("connected") / "answers"
    process = run_connected(server, output, data, *CASES, "--explain=weighted")
    assert process.wait(PATIENCE) == 0
    return answers_of(output)


@pytest.fixture(params=["submitted", "connected"])
def answers(request):
    return request.getfixturevalue(request.param)


def check_table(answer, folder):
    """Compare the rows that a table keeps with those of all thresholds, to the bit."""
    exact = iso.read_predictions(folder).models["score"]
    (table,) = answer["tables"].values()
    keep = np.isin(exact.thresholds, table["thresholds"])
    for name, column in table.items():
        np.testing.assert_array_equal(column, getattr(exact, name)[keep])
    assert np.isin(exact.hull().thresholds, table["thresholds"]).all()


def test_many_rows(answers, data):
    check_table(answers["long"], data / "long")


def test_no_pass_collects_more_rows_than_it_may(answers):
    first, totals, *scores = passes = answers["long"]["passes"]
    assert (first.purpose, totals.purpose) == ("first rows", "totals")
    assert len(scores) >= 2
    assert all(0 < each.collected <= MOST for each in passes)


@pytest.mark.parametrize("case", ["weighted", "fractions", "dropped", "classes"])
def test_weights_missing_values_and_classes(answers, data, case):
    expected = iso.read_predictions(data / case, drop_missing=case == "dropped")
    assert answers[case]["tables"].keys() == expected.models.keys()
    for name, table in answers[case]["tables"].items():
        for column, found in table.items():
            compare = np.testing.assert_array_equal
            if case == "fractions" and column != "thresholds":
                compare = np.testing.assert_allclose
            compare(found, getattr(expected.models[name], column))
    if case == "dropped":
        said = expected.description.rpartition("; ")[2]
        assert "dropped" in said or "left out" in said
        assert said in answers["dropped"]["description"]


def test_missing_values_are_refused_in_one_sentence(answers, data):
    with pytest.raises(MissingValueError) as error:
        iso.read_predictions(data / "missing")
    said = answers["missing"]["error"]
    assert "\n" not in said
    # Rows of a cluster have no order, so the position may be another one.
    assert said.partition(" in all")[0] == str(error.value).partition(" in all")[0]


def test_the_command_explains(connected):
    said = connected["explained"]
    assert "rows read  bytes read  rows shuffled  rows collected" in said
    assert "first rows" in said
    assert "totals" in said


def kill_after_first_task(cluster, page, process):
    """Kill the first worker that finishes a task of a job; return once the job has ended.

    Fails unless the worker was killed while the job was running, the driver has noticed it, and
    another worker has finished tasks since.
    """
    earlier = {each.id: each.finished_tasks for each in executors(page)}
    lost, at_kill, latest = None, {}, {}
    until = time.monotonic() + PATIENCE
    while process.poll() is None:
        assert time.monotonic() < until
        # The page of a driver ends with it.
        with suppress(OSError):
            latest = {each.id: each for each in executors(page)}
        started = [
            each
            for each in latest.values()
            if each.active and each.finished_tasks > earlier.get(each.id, 0)
        ]
        if lost is None and started:
            lost, at_kill = started[0], latest
            worker = cluster.worker_of(lost.application, lost.id)
            assert worker.process.poll() is None
            worker.kill()
            assert process.poll() is None, "the job has ended before a worker was killed"
            cluster.replace_worker(worker)
        time.sleep(0.05)
    assert lost is not None, "no worker was killed"
    # A server outlives its job, and on a busy machine it may notice the loss after the last look.
    with suppress(OSError):
        while latest[lost.id].active and time.monotonic() < until:
            time.sleep(0.05)
            latest = {each.id: each for each in executors(page)}
    assert not latest[lost.id].active
    assert any(
        each.finished_tasks > at_kill[each.id].finished_tasks if each.id in at_kill else True
        for each in latest.values()
        if each.active
    )


def test_a_worker_of_a_submitted_job_is_killed(cluster, data, tmp_path):
    job = str(JOB), str(tmp_path / "answers"), str(data), "short"
    with cluster.submit(*job, settings=SETTINGS) as driver:
        kill_after_first_task(cluster, driver.page(), driver.process)
        assert driver.process.returncode == 0, driver.log.read_text()[-3000:]
    check_table(answers_of(tmp_path / "answers")["short"], data / "short")


def test_a_worker_of_a_connect_server_is_killed(cluster, server, data, tmp_path):
    process = run_connected(server, tmp_path / "answers", data, "short")
    kill_after_first_task(cluster, server[1], process)
    assert process.returncode == 0
    check_table(answers_of(tmp_path / "answers")["short"], data / "short")
