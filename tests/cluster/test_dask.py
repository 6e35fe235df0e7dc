"""Dask with workers that are processes: the tables of one process, whatever happens to workers."""

from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import isometrics as iso
from isometrics import errors
from isometrics.testing.strategies import binary_samples

dask = pytest.importorskip("dask")
dd = pytest.importorskip("dask.dataframe")
pytest.importorskip("distributed")
from .dask_cluster import dask_cluster, killing, pids  # noqa: E402

# The scheduler answers on a loop of its own, which may end a moment after a test.
pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore::ResourceWarning")]


@pytest.fixture(scope="module")
def client():
    with dask_cluster() as started:
        yield started


def partitions(columns, borders):
    """Return columns as a frame of Dask, cut at some rows; equal borders make empty partitions."""
    frame = pd.DataFrame(columns)
    edges = [0, *sorted(borders), len(frame)]
    parts = [frame.iloc[start:end] for start, end in pairwise(edges)]
    return dd.from_map(lambda part: part, parts, meta=frame.iloc[:0])


def sample(size, seed=1):
    rng = np.random.default_rng(seed)
    labels = rng.random(size) < 0.3
    labels[:2] = True, False
    return labels, rng.normal(labels, 1)


@pytest.mark.usefixtures("client")
@settings(max_examples=4)
@given(
    binary_samples(min_size=3, max_size=60, dtypes=("float64", "int8")),
    st.lists(st.integers(0, 60), max_size=5),
    st.integers(0, 2**32),
)
def test_any_partitions(drawn, borders, seed):
    labels, scores = drawn
    rng = np.random.default_rng(seed)
    weights = rng.integers(0, 4, labels.size)
    weights[[labels.argmax(), labels.argmin()]] = 1
    other = rng.normal(size=labels.size)
    columns = {"label": labels, "a": scores, "b": other, "weight": weights}
    frame = partitions(columns, [min(border, labels.size) for border in borders])
    analysis = iso.read_predictions(frame, scores=["a", "b"], weight="weight")
    for name, given_scores in (("a", scores), ("b", other)):
        exact = iso.OperatingPoints.from_scores(labels, given_scores, sample_weight=weights)
        assert analysis.models[name].table == exact.table


@pytest.mark.usefixtures("client")
def test_no_pass_collects_more_than_a_million_rows():
    """The rows are made by the workers, so that none has ever been here."""

    def part(seed):
        rng = np.random.default_rng(seed)
        labels = rng.random(300_000) < 0.3
        return pd.DataFrame({"label": labels, "score": rng.normal(labels, 1)})

    meta = pd.DataFrame({"label": [True], "score": [0.5]})
    frame = dd.from_map(part, range(5), meta=meta)
    analysis = iso.read_predictions(frame, tolerance=1e-3)
    assert max(each.collected for each in analysis.passes) <= 2**20
    rows = pd.concat(map(part, range(5)))
    points = analysis.models["score"]
    exact = iso.OperatingPoints.from_scores(rows["label"], rows["score"])
    assert points.table.partial
    assert points.hull().table == exact.hull().table
    for name, (lo, hi) in iso.area_brackets(points).items():
        assert lo <= hi, name
    lo, hi = iso.area_brackets(points)["AUPR"]
    assert lo <= exact.pr.area() <= hi <= lo + 1e-3


ADVICE = errors.Advice("say which with {pos_label}, for example {}", "'{label}'")
FAILURES = [
    errors.LabelError("y has three labels", ADVICE),
    errors.ParameterError("must be above 0 but is -1", ADVICE, parameter="beta").within("a"),
    errors.FileError.unreadable("a.csv", "it is empty"),
    errors.MissingPackageError("x needs y", "isometrics[y]"),
]


@pytest.mark.parametrize("error", FAILURES, ids=lambda error: type(error).__name__)
def test_errors_come_back_from_a_worker_as_they_are(client, error):
    """Dask loads tblib, which copies exceptions with their causes and tracebacks."""

    def failing():
        raise error

    with pytest.raises(type(error)) as caught:
        client.submit(failing, pure=False).result()
    again = caught.value
    assert (str(again), again.args) == (str(error), error.args)
    assert str(again.within("b")) == str(error.within("b"))
    assert again.phrase(lambda name: f"<{name}>") == error.phrase(lambda name: f"<{name}>")


@pytest.mark.usefixtures("client")
def test_a_bad_partition_is_one_sentence():
    frame = partitions({"label": [1, 0, 1, 0], "score": [0.1, 0.2, None, 0.4]}, [2])
    with pytest.raises(errors.MissingValueError, match="score has missing values"):
        iso.read_predictions(frame)


def test_a_worker_dies_and_its_nanny_starts_another(client):
    labels, scores = sample(4000, seed=2)
    frame = partitions({"label": labels, "score": scores}, range(500, 4000, 500))
    before = pids(client)
    victim = min(before)
    with killing(client, victim):
        analysis = iso.read_predictions(frame)
    assert analysis.models["score"].table == iso.OperatingPoints.from_scores(labels, scores).table
    assert before[victim] not in pids(client).values()


def test_a_worker_dies_for_good():
    """The other one goes on; what only the dead one held is missed in one sentence."""
    labels, scores = sample(4000)
    columns = {"label": labels, "score": scores}
    with dask_cluster(nanny=False) as client:
        victim, other = sorted(pids(client))
        (held,) = client.scatter([pd.DataFrame(columns)], workers=[victim])
        scattered = dd.from_delayed([held], meta=pd.DataFrame(columns).iloc[:0])
        exact = iso.OperatingPoints.from_scores(labels, scores)
        assert iso.read_predictions(scattered).models["score"].table == exact.table
        frame = partitions(columns, range(500, 4000, 500))
        with killing(client, victim):
            analysis = iso.read_predictions(frame)
        assert analysis.models["score"].table == exact.table
        assert list(pids(client)) == [other]
        with pytest.raises(errors.FileError, match=r"^cannot read 'the data frame': "):
            iso.read_predictions(scattered)
