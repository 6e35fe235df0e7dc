"""Rows that do not fit are counted in several passes, as in memory."""

import subprocess
import sys

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from pyarrow import csv, feather

import isometrics as iso
from isometrics.errors import FileError, OneClassError
from isometrics.measures import area_brackets
from isometrics.sources.batches import Source, peek
from isometrics.sources.column_roles import Layout, layout_of
from isometrics.sources.files import FrameSource
from isometrics.sources.held_rows import HeldRows
from isometrics.sources.memory_limit import LEAST, rows_budget
from isometrics.sources.tables import read_tables

from .test_tables import batched


def divide(patch, room, section=64):
    """Let no table fit into memory, and in each pass so many rows of all models."""
    patch.setattr("isometrics.sources.held_rows.BYTES_OF_A_ROW", 1 << 60)
    patch.setattr("isometrics.sources.held_rows.BYTES_OF_A_KEY", 0)
    patch.setattr("isometrics.sources.score_ranges.BYTES_OF_A_KEY", rows_budget(LEAST) // room)
    for name, size in (("PIECE", section), ("RUN", 2 * section), ("SECTION", section)):
        patch.setattr(f"isometrics.sources.score_ranges._{name}_ROWS", size)
    patch.setattr("isometrics.sources.score_ranges._STEP", max(section // 16, 1))


@pytest.fixture
def in_ranges(monkeypatch):
    return lambda *given: divide(monkeypatch, *given)


def read(table, **options):
    return iso.read_predictions(table, memory_limit=LEAST, **options)


def check_compact(compact, full):
    """All areas and the hull are those of all rows, and the rows that are kept are true."""
    rows = np.searchsorted(-full.thresholds[1:], -compact.thresholds[1:]) + 1
    for column in ("thresholds", "tp", "fp"):
        own, other = getattr(compact, column)[1:], getattr(full, column)[rows]
        assert own.dtype == other.dtype
        np.testing.assert_array_equal(own, other)
    np.testing.assert_array_equal(compact.table.gaps.between, np.diff(rows, prepend=0) > 1)
    assert compact.table.below is not None
    assert compact.hull() == full.hull()
    for area, (lo, hi) in area_brackets(compact).items():
        np.testing.assert_equal(lo, hi)
        assert lo == pytest.approx(area_brackets(full)[area].lo, rel=1e-12, nan_ok=True), area


ROLES = {"label": "label", "scores": "score"}
SCORES = {
    "distinct": lambda rng, size: rng.normal(size=size),
    "rising": lambda _, size: np.arange(size) - size / 2,
    "falling": lambda _, size: -np.arange(size, dtype=np.float64),
    "few": lambda rng, size: rng.integers(-2, 3, size),
    "one": lambda _, size: np.full(size, 0.5),
    "mostly one": lambda rng, size: np.where(rng.random(size) < 0.8, 0.0, rng.normal(size=size)),
    "neighbours": lambda rng, size: (
        np.repeat([0, 2], [size // 2, size - size // 2]) + (rng.random(size) < 0.01)
    ),
    "float32": lambda rng, size: rng.normal(size=size).astype(np.float32),
    "float16": lambda rng, size: rng.random(size).astype(np.float16),
    "ends of floats": lambda rng, size: rng.choice(
        [0.0, -0.0, np.inf, -np.inf, 5e-324, -5e-324, 1e308, -1e308], size
    ),
    "int64": lambda rng, size: rng.integers(-(2**63), 2**63 - 1, size, endpoint=True),
    "uint64": lambda rng, size: rng.integers(0, 2**64 - 1, size, np.uint64, endpoint=True),
    "bool": lambda rng, size: rng.random(size) < 0.5,
}


@given(
    scores=st.sampled_from(list(SCORES)),
    size=st.integers(4, 700),
    room=st.integers(1, 800),
    section=st.sampled_from([16, 64, 1 << 18]),
    batch=st.sampled_from([7, 100, 1000]),
    seed=st.integers(0, 2**32 - 1),
)
@settings(deadline=None, max_examples=min(40, settings.default.max_examples))
@pytest.mark.filterwarnings("ignore::isometrics.errors.UndefinedWarning")
@example("distinct", 700, 100, 16, 100, 0)
@example("mostly one", 700, 10, 16, 100, 0)
@example("neighbours", 700, 800, 16, 100, 0)
@example("ends of floats", 700, 3, 16, 7, 0)
@example("int64", 700, 800, 1 << 18, 1000, 0)
def test_the_same_counts_as_in_memory(scores, size, room, section, batch, seed):  # noqa: PLR0917
    rng = np.random.default_rng(seed)
    labels = rng.random(size) < 0.4
    labels[:2] = [True, False]
    table = batched({"label": labels, "score": SCORES[scores](rng, size)}, batch)
    expected = iso.read_predictions(table, **ROLES).models["score"]
    with pytest.MonkeyPatch.context() as patch:
        divide(patch, room, section)
        result = read(table, **ROLES)
    check_compact(result.models["score"], expected)


def test_passes_are_few(in_ranges):
    """A sample tells where each ends; in a sorted file the first one may hold less."""
    rng = np.random.default_rng(0)
    labels = rng.random(20_000) < 0.5
    scores = rng.normal(labels)
    in_ranges(5_000, 1 << 10)
    for rows, most in ((scores, 5), (np.sort(scores), 6), (np.sort(scores)[::-1], 6)):
        result = read(batched({"label": labels, "score": rows}, 500))
        assert 5 <= len(result.passes) <= most
        assert {each.rows for each in result.passes} == {20_000}


@pytest.mark.parametrize(
    ("suffix", "write"),
    [("csv", csv.write_csv), ("parquet", pq.write_table), ("arrow", feather.write_feather)],
)
def test_files_are_read_in_passes(in_ranges, tmp_path, suffix, write):
    """Text is in a table of DuckDB by then."""
    rng = np.random.default_rng(0)
    labels = rng.random(3000) < 0.5
    path = tmp_path / f"rows.{suffix}"
    write(pa.table({"label": labels, "score": rng.normal(labels)}), path)
    expected = iso.read_predictions(path).models["score"]
    in_ranges(1000)
    result = read(path)
    assert len(result.passes) == 4
    check_compact(result.models["score"], expected)


def test_several_models_share_the_room(in_ranges):
    rng = np.random.default_rng(0)
    labels = rng.random(3000) < 0.5
    table = batched(
        {"label": labels, "a": rng.normal(labels), "b": np.floor(3 * rng.random(3000))}, 500
    )
    options = {"label": "label", "scores": ["a", "b"]}
    expected = iso.read_predictions(table, **options)
    in_ranges(1000)
    result = read(table, **options, keep_rows=True)
    for name, points in expected.models.items():
        check_compact(result.models[name], points)
    np.testing.assert_array_equal(result.rows.scores["a"], expected.rows.scores["a"])


def test_classes_one_of_which_is_absent(in_ranges):
    rng = np.random.default_rng(0)
    classes = {str(each): each for each in range(3)}
    scores = {each: rng.random(300) for each in classes}
    table = batched({"label": rng.integers(0, 2, 300)} | scores, 100)
    layout = Layout("label", {each: each for each in classes}, multiclass=True, classes=classes)
    expected = read_tables(FrameSource(table), layout)
    in_ranges(90)
    result = read_tables(FrameSource(table), layout, memory_limit=LEAST)
    assert result.skipped == expected.skipped == {"2": "no row has this class"}
    for name, points in expected.points.items():
        check_compact(result.points[name], points)


def test_one_class(in_ranges):
    in_ranges(10)
    with pytest.raises(OneClassError, match=r"^y has only positives; both classes are needed$"):
        read(pa.table({"y": [1] * 50, "s": np.arange(50.0)}), label="y", scores="s")


class Changing(Source):
    """A table whose batches differ from pass to pass."""

    reads_fast = True
    name = "rows"

    def __init__(self, *tables):
        self.tables, self.passes = tables, 0
        self.schema, self.rows = tables[0].schema, tables[0].num_rows

    def batches(self, columns, *, limit=None):
        if limit is not None:
            yield from self.tables[0].select(columns).slice(0, limit).to_batches()
            return
        number = min(self.passes, len(self.tables) - 1)
        self.passes += 1
        yield from self.tables[number].select(columns).to_batches()


@pytest.mark.parametrize("change", ["fewer", "more", "other labels"])
def test_rows_that_change_between_passes(in_ranges, change):
    rng = np.random.default_rng(0)
    table = pa.table({"label": np.arange(1000) % 2, "score": rng.random(1000)})
    others = {
        "fewer": table.slice(0, 900),
        "more": pa.concat_tables([table, table.slice(0, 10)]),
        "other labels": pa.table(
            {"label": (np.arange(1000) + 1) % 2, "score": table["score"]}
        ).slice(0, 999),
    }
    source = Changing(table, others[change])
    in_ranges(300)
    with pytest.raises(FileError) as refused:
        read_tables(source, layout_of(peek(source)), memory_limit=LEAST)
    assert str(refused.value) == "the predictions changed while they were read; read them again"


@pytest.mark.parametrize("beyond", [{"weight": "w"}, {"group": "g"}, {"model": "m"}, {}])
def test_other_rows_are_sorted_on_disk(in_ranges, monkeypatch, beyond):
    """Rows with weights, groups or a model column, and those that would take many passes."""
    in_ranges(10)
    if not beyond:
        monkeypatch.setattr("isometrics.sources.held_rows._MOST_PASSES", -1)
    rng = np.random.default_rng(0)
    table = pa.table(
        {"y": np.arange(40) % 2, "s": rng.random(40), "w": rng.random(40) + 1}
        | {"g": np.repeat(["a", "b"], 20), "m": np.tile(["c", "c", "d", "d"], 10)}
    )
    moved = []
    sorted_rows = HeldRows.__init__.__globals__["SortedRows"]
    monkeypatch.setattr("isometrics.sources.held_rows.SortedRows", type("Seen", (sorted_rows,), {}))
    monkeypatch.setattr(
        "isometrics.sources.held_rows.SortedRows.append",
        lambda self, sample: (moved.append(sample.size), sorted_rows.append(self, sample))[1],
    )
    result = read(table, label="y", scores="s", **({"group": False} | beyond))
    assert sum(moved) == 40
    assert len(result.passes) == 1


MEASURED = """
import re, sys, threading
peak, done = 0, threading.Event()
def watch():
    global peak
    while not done.wait(0.002):
        status = open("/proc/self/status").read()
        peak = max(peak, int(re.search(r"RssAnon:\\s*(\\d+) kB", status)[1]))
thread = threading.Thread(target=watch)
thread.start()
import isometrics as iso
result = iso.read_predictions(sys.argv[1], memory_limit="250MB")
done.set()
thread.join()
print(len(result.passes), peak)
"""


@pytest.mark.slow
@pytest.mark.parametrize("columns", [1, 2])
def test_the_memory_limit_holds(tmp_path, columns):
    """What the process allocates stays within the limit."""
    rng = np.random.default_rng(0)
    size = 12_000_000
    labels = rng.random(size) < 0.3
    scores = {f"s{each}": rng.normal(labels) for each in range(columns)}
    pq.write_table(pa.table({"label": labels} | scores), tmp_path / "rows.parquet")
    done = subprocess.run(
        [sys.executable, "-c", MEASURED, str(tmp_path / "rows.parquet")],
        capture_output=True,
        text=True,
        check=True,
    )
    passes, peak = map(int, done.stdout.split())
    assert passes > columns
    assert peak * 1024 < 250e6
