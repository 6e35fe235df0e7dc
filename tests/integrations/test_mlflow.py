"""An analysis in a run of the real MLflow, kept in a database of the test's own."""

import math
from pathlib import Path

import numpy as np
import pyarrow.csv
import pytest

import isometrics as iso
from isometrics.integrations import mlflow as ours

mlflow = pytest.importorskip("mlflow")
pytest.importorskip("pandas")

# What MLflow does with its database, its modules and pandas.
pytestmark = [
    pytest.mark.filterwarnings("ignore:The ``noload`` loader strategy"),
    pytest.mark.filterwarnings("ignore:.*Any type hint is inferred"),
    pytest.mark.filterwarnings("ignore::ImportWarning"),
    pytest.mark.filterwarnings("ignore:Starting with pandas"),
    pytest.mark.filterwarnings("ignore:The inplace keyword"),
    pytest.mark.filterwarnings("ignore:Hint. Inferred schema"),
]

AWKWARD = 'a/b "c" <i> ../x'


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    folder = tmp_path_factory.mktemp("mlflow")
    before = mlflow.get_tracking_uri()
    mlflow.set_tracking_uri(f"sqlite:///{folder / 'runs.db'}")
    files = (folder / "files").as_uri()
    mlflow.set_experiment(experiment_id=mlflow.create_experiment("tests", artifact_location=files))
    yield folder
    mlflow.set_tracking_uri(before)


@pytest.fixture
def run(store):  # noqa: ARG001 - the store must be chosen before a run starts
    with mlflow.start_run() as active:
        yield active


def files_of(run_id, folder=None):
    client = mlflow.MlflowClient()
    result = []
    for entry in client.list_artifacts(run_id, folder):
        result += files_of(run_id, entry.path) if entry.is_dir else [entry.path]
    return sorted(result)


def fetched(run_id, path):
    return Path(mlflow.artifacts.download_artifacts(run_id=run_id, artifact_path=path))


def analysis(names=("forest", "linear"), groups=None):
    rng = np.random.default_rng(5)
    labels = np.arange(200) < 50
    scores = {name: labels + rng.normal(size=200) for name in names}
    return iso.analyse(labels, scores, groups=groups)


def test_the_run_has_the_numbers_of_the_summary(run):
    given = analysis()
    logged = ours.log_analysis(given, figures=False, report=False)
    kept = mlflow.get_run(run.info.run_id).data.metrics
    assert kept == logged
    frame = given.summary().to_frame("pandas").set_index("model")
    for name in given.models:
        for column in ("auroc", "aupr", "auprg", "f1", "threshold_f1", "recall_f0_5", "positives"):
            assert kept[f"{name}/{column}"] == frame.loc[name, column]
    assert not [name for name in kept if name.endswith(("_baseline", "_lo", "_hi"))]


def test_the_run_has_pictures_the_summary_and_the_page(run):
    given = analysis(names=(AWKWARD, "linear"), groups=np.arange(200) % 2)
    logged = ours.log_analysis(given, prefix="folds/all")
    parent = "folds/all/isometrics"
    expected = ["comparison.png", "pr.png", "prg.png", "report.html", "roc.png", "summary.csv"]
    expected += ["tradeoff.png"]
    assert files_of(run.info.run_id) == [f"{parent}/{name}" for name in expected]
    assert {name.rpartition("/")[0] for name in logged} == {
        "folds/all/a_b _c_ _i_ .._x",
        "folds/all/linear",
    }
    table = pyarrow.csv.read_csv(fetched(run.info.run_id, f"{parent}/summary.csv"))
    assert set(table["model"].to_pylist()) == {AWKWARD, "linear"}
    assert len(table) == 6
    page = fetched(run.info.run_id, f"{parent}/report.html").read_text(encoding="utf-8")
    assert "<i>" not in page.split("<script")[0]
    assert fetched(run.info.run_id, f"{parent}/pr.png").read_bytes().startswith(b"\x89PNG")


def test_names_that_mlflow_cannot_tell_apart_are_refused():
    with pytest.raises(iso.IsometricsError, match="one name for two of 'a/b', 'A_b'; rename one"):
        ours.log_analysis(analysis(names=("a/b", "A_b")))


@pytest.mark.usefixtures("store")
def test_another_run_a_step_and_intervals():
    client = mlflow.MlflowClient()
    other = client.create_run(mlflow.get_experiment_by_name("tests").experiment_id).info.run_id
    for step in (0, 1):
        logged = ours.log_analysis(
            analysis(("one",)),
            run_id=other,
            step=step,
            beta=2,
            confidence_level=0.9,
            figures=False,
            report=False,
        )
    assert mlflow.active_run() is None
    low, middle, high = (logged[f"one/auprg{end}"] for end in ("_lower", "", "_upper"))
    assert low < middle < high
    assert {"one/f2", "one/threshold_f2"} <= set(logged)
    assert "one/f1" not in logged
    history = client.get_metric_history(other, "one/auprg")
    assert [(entry.step, entry.value) for entry in history] == [(0, middle), (1, middle)]


@pytest.mark.usefixtures("store")
def test_infinite_values_stay_out_of_the_metrics():
    given = iso.analyse([1, 0, 1, 1, 1], [5, 4, -math.inf, -math.inf, -math.inf])
    logged = ours.log_analysis(given, figures=False, report=False)
    # A run was started, as none was active.
    np.testing.assert_equal(mlflow.get_run(mlflow.active_run().info.run_id).data.metrics, logged)
    mlflow.end_run()
    assert "score/f1" in logged
    assert "score/threshold_f1" not in logged


def test_undefined_values_are_nan_and_bounds_that_differ_are_logged(run):
    sets = iso.OperatingPoints.from_sets([0, 1], {"a": [0, 5, 6], "b": [0, 1]}, universe_size=9)
    rng = np.random.default_rng(2)
    labels = rng.random(20_000) < 0.3
    accumulator = iso.Accumulator(max_bytes=5_000)
    accumulator.update(labels, rng.normal(labels))
    # Models of different prevalence have no comparison.
    given = iso.Analysis({"sets": sets, "binned": accumulator.points()})
    logged = ours.log_analysis(given, report=False)
    kept = mlflow.get_run(run.info.run_id).data.metrics
    np.testing.assert_equal(kept, logged)
    assert math.isnan(logged["sets/auroc"])
    assert kept["sets/tradeoff_area"] == sets.tradeoff().area()
    low, middle, high = (logged[f"binned/aupr{end}"] for end in ("_bound_low", "", "_bound_high"))
    assert low < middle < high
    assert "isometrics/comparison.png" not in files_of(run.info.run_id)
    assert "isometrics/roc.png" in files_of(run.info.run_id)


def test_many_models_are_more_than_one_batch(run):
    given = analysis([f"model {number}" for number in range(45)])
    logged = ours.log_analysis(given, figures=False, report=False)
    assert len(logged) > 1000
    assert mlflow.get_run(run.info.run_id).data.metrics == logged
