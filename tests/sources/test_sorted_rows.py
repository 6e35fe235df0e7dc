"""Rows that do not fit into memory are counted from the disk, as in memory."""

import copy
import gc
import os
import pickle
import signal
import subprocess
import sys
import tempfile
from datetime import date
from functools import partial
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import isometrics as iso
from isometrics.errors import FileError, MissingValueError, OneClassError, ParameterError
from isometrics.measures import area_brackets
from isometrics.points.models import LazyMapping
from isometrics.sources.memory_limit import LEAST
from isometrics.sources.sorted_rows import SortedRows

from .test_tables import batched

SEVERAL = {"label": "label", "scores": ["a", "b"], "group": "group"}


def move(patch, *, batch=1 << 18, at_once=30_000_000, room=None):
    """Let no table fit into memory; those on disk come in batches, and from some rows at once."""
    patch.setattr("isometrics.sources.held_rows._MOST_PASSES", 0)
    patch.setattr("isometrics.sources.held_rows._BYTES_OF_A_TABLE", 1 << 60)
    patch.setattr("isometrics.sources.held_rows.BYTES_OF_A_ROW", 1 << 60)
    patch.setattr("isometrics.sources.sorted_rows._BATCH_ROWS", batch)
    patch.setattr("isometrics.sources.sorted_rows._ROWS_AT_ONCE", at_once)
    patch.setattr("isometrics.sources.sorted_rows._LEAST_MEMORY", 10**10)
    if room is not None:
        patch.setattr(SortedRows, "_room", lambda _: room)


@pytest.fixture
def on_disk(monkeypatch):
    return partial(move, monkeypatch)


def check_table(result, expected):
    """Compare tables: counts of whole numbers to the bit, others to their last digits."""
    assert result.kind is expected.kind
    assert result.totals == pytest.approx(expected.totals, rel=1e-12)
    for column in ("thresholds", "tp", "fp"):
        own, other = getattr(result, column), getattr(expected, column)
        assert own.dtype == other.dtype
        exact = column == "thresholds" or own.dtype.kind == "i"
        np.testing.assert_allclose(own, other, rtol=0 if exact else 1e-12)
    assert (np.diff(result.tp) >= 0).all()
    assert (np.diff(result.fp) >= 0).all()
    zeros = result.thresholds[result.thresholds == 0]
    assert not np.signbit(zeros).any()


def check_same(result, expected):
    """Compare everything that was counted, and the order of groups and models."""
    assert list(result.groups) == list(expected.groups)
    assert result.skipped == expected.skipped
    assert list(result.skipped) == list(expected.skipped)
    assert list(result.models) == list(expected.models)
    for models, others in [
        (result.models, expected.models),
        *((result.groups[group], expected.groups[group]) for group in expected.groups),
    ]:
        assert list(models) == list(others)
        for name in models:
            check_table(models[name].table, others[name].table)


NAMES = st.one_of(
    st.lists(st.text(max_size=3), min_size=1, max_size=6),
    st.lists(st.sampled_from(["é", "é", "ß", "ss", "\u202e", "0", "00", "(all)"]), min_size=1),
    st.lists(st.integers(-5, 20), min_size=1, max_size=6),
    st.lists(st.dates(date(1999, 1, 1), date(2001, 1, 1)), min_size=1, max_size=4),
    st.lists(st.booleans(), min_size=1),
)
WEIGHTS = {
    "none": lambda *_: None,
    "whole": lambda rng, size: rng.integers(0, 4, size),
    "float": lambda rng, size: rng.random(size),
    "large": lambda rng, size: rng.integers(2**52, 2**53, size),
}


@given(
    names=NAMES,
    kind=st.sampled_from(["columns", "model column", "classes"]),
    weights=st.sampled_from(list(WEIGHTS)),
    size=st.integers(8, 60),
    rows=st.fixed_dictionaries(
        {"batch": st.sampled_from([2048, 1 << 18]), "at_once": st.integers(1, 60)}
    ),
    dtype=st.sampled_from(["f2", "f4", "f8", "i1", "i8", "u8"]),
    seed=st.integers(0, 2**32 - 1),
)
@settings(deadline=None)
@example(["only"], "columns", "none", 60, {"at_once": 7}, "f8", 0)
@example(["b", "a"], "model column", "float", 60, {"at_once": 7}, "f8", 0)
def test_the_same_tables_as_in_memory(  # noqa: PLR0917
    names, kind, weights, size, rows, dtype, seed
):
    """Groups of any name and size, of one class, of some models only, with weights."""
    rng = np.random.default_rng(seed)
    # Some groups are long, and most others short.
    group = [names[index] for index in (len(names) * rng.random(size) ** 3).astype(int)]
    labels = rng.integers(0, 3 if kind == "classes" else 2, size)
    labels[:3] = [0, 1, 2 if kind == "classes" else 0]
    columns = {"label": labels, "group": group}
    options = {"group": "group", "label": "label", "keep_rows": False}
    if kind == "model column":
        columns |= {"score": rng.random(size).round(1), "model": rng.choice(["x", "y"], size)}
        columns["model"][:4], columns["label"][:4] = ["x", "x", "y", "y"], [0, 1, 0, 1]
    elif kind == "classes":
        columns |= {str(each): rng.random(size).round(1) for each in range(3)}
        options["scores"] = ["0", "1", "2"]
    else:
        columns |= {"a": (50 * rng.random(size)).astype(dtype), "b": rng.integers(0, 5, size)}
        options["scores"] = ["a", "b"]
    if (given_weights := WEIGHTS[weights](rng, size)) is not None:
        columns["weight"] = given_weights
        columns["weight"][:4] = given_weights.max()
    table = batched(columns, 7)
    expected = iso.read_predictions(table, **options)
    with pytest.MonkeyPatch.context() as patch:
        move(patch, **rows)
        result = iso.read_predictions(table, **options)
    assert isinstance(result.groups, LazyMapping)
    assert isinstance(expected.groups, dict)
    check_same(result, expected)


def sites(size=600, groups=25, seed=0):
    rng = np.random.default_rng(seed)
    labels = rng.random(size) < 0.4
    site = rng.integers(0, groups, size)
    site[rng.random(size) < 0.3] = 7
    labels[site == 3] = True
    return {"label": labels, "a": rng.normal(labels), "b": rng.random(size), "group": site}


def test_a_description_says_so(on_disk):
    on_disk()
    result = iso.read_predictions(batched(sites()), **SEVERAL)
    assert result.description.endswith(
        "; 25 groups did not fit into the memory limit: their rows were sorted on disk, and "
        "1MB of tables stay there until the process ends"
    )
    assert result.skipped == {"3": "only positives"}


@pytest.mark.parametrize("keep_rows", [None, True])
def test_rows_are_kept_beside_groups_on_disk(on_disk, keep_rows):
    expected = iso.read_predictions(batched(sites()), **SEVERAL, keep_rows=keep_rows)
    on_disk()
    result = iso.read_predictions(batched(sites()), **SEVERAL, keep_rows=keep_rows)
    check_same(result, expected)
    np.testing.assert_array_equal(result.rows.scores["a"], expected.rows.scores["a"])
    assert result.rows.groups.names == expected.rows.groups.names


def test_rows_that_are_too_many_to_keep_go_to_the_disk_alone(on_disk):
    on_disk()
    result = iso.read_predictions(batched(sites()), **SEVERAL, keep_rows=100)
    assert result.rows is None
    assert result.without_rows == "there are more than keep_rows= allows"
    assert len(result.groups) == 24


@pytest.mark.parametrize("weight", [None, "whole", "float"])
@pytest.mark.parametrize("group", ["group", False])
def test_tables_that_do_not_fit_are_compact(on_disk, weight, group):
    """They have true rows, truthful gaps, the hull and the areas of all rows."""
    columns = sites(30_000, 3)
    columns["a"] = columns["a"].round(3)
    if weight:
        columns["weight"] = WEIGHTS[weight](np.random.default_rng(1), 30_000)
    table, options = batched(columns, 1000), SEVERAL | {"group": group}
    expected = iso.read_predictions(table, **options)
    on_disk(batch=2048, room=0)
    result = iso.read_predictions(table, **options)
    assert list(result.groups) == list(expected.groups)
    for models, others in [
        (result.models, expected.models),
        *((result.groups[each], expected.groups[each]) for each in result.groups),
    ]:
        for name, points in others.items():
            compact = models[name]
            assert len(compact) < len(points)
            assert compact.table.gaps.memory_limit
            assert compact.table.below is not None
            rows = np.searchsorted(-points.thresholds[1:], -compact.thresholds[1:]) + 1
            np.testing.assert_array_equal(compact.table.gaps.between, np.diff(rows, prepend=0) > 1)
            check_table(compact.table, points.table.take(np.append(0, rows), points.table.kind))
            if weight != "float":
                assert compact.hull() == points.hull()
            for area, (lo, hi) in area_brackets(compact).items():
                assert lo == hi
                assert lo == pytest.approx(area_brackets(points)[area].lo, rel=1e-12), area


@pytest.mark.parametrize("room", [None, 0])
@pytest.mark.parametrize(
    "scores",
    [
        [2**53, 2**53 + 1, 2**60 + 1, 2**60, -(2**62), -(2**62) - 1],
        [0.0, -0.0, 0.0, np.inf, -np.inf, 5e-324],
        np.array([0.1, 0.2, 0.3, 0.1, 0.2, 0.3], np.float32),
        [0.5] * 6,
    ],
)
def test_scores_are_compared_in_their_own_precision(on_disk, scores, room):
    table = batched({"label": [1, 0, 1, 0, 1, 0], "score": scores}, 2)
    expected = iso.read_predictions(table)
    on_disk(room=room)
    check_same(iso.read_predictions(table), expected)


@pytest.mark.parametrize("room", [None, 0])
@pytest.mark.parametrize("tiny_above", [True, False])
def test_tiny_weights_beside_large_ones(on_disk, tiny_above, room):
    """Sums rounded one by one would fall by their last bits from batch to batch."""
    rng = np.random.default_rng(6)
    scores = rng.permutation(20_000).astype(float)
    weights = np.where((scores > 10_000) == tiny_above, 1e-17, 0.1 + rng.random(20_000))
    table = batched({"label": rng.random(20_000) < 0.5, "score": scores, "w": weights}, 999)
    expected = iso.read_predictions(table, weight="w").models["score"]
    on_disk(batch=2048, room=room)
    result = iso.read_predictions(table, weight="w").models["score"]
    rows = np.searchsorted(-expected.thresholds[1:], -result.thresholds[1:]) + 1
    check_table(result.table, expected.table.take(np.append(0, rows), expected.table.kind))


@pytest.mark.parametrize("room", [None, 0])
def test_one_class(on_disk, room):
    on_disk(room=room)
    with pytest.raises(OneClassError, match=r"^y has only positives; both classes are needed$"):
        iso.read_predictions(pa.table({"y": [1, 1], "s": [0.5, 0.25]}), label="y", scores="s")


def test_missing_groups_are_refused(on_disk):
    on_disk()
    columns = sites() | {"group": [None, *["a", "b"] * 299, "a"]}
    with pytest.raises(MissingValueError, match=r"^group has missing values .*: 1 in all"):
        iso.read_predictions(batched(columns), **SEVERAL)


def test_names_that_do_not_fit(monkeypatch, on_disk):
    on_disk()
    monkeypatch.setattr("isometrics.sources.held_rows.BYTES_OF_AN_ENTRY", 10**7)
    with pytest.raises(ParameterError) as refused:
        iso.read_predictions(batched(sites(), 600), **SEVERAL, memory_limit=LEAST)
    assert str(refused.value) == (
        "the names of 25 groups and more do not fit into the memory limit; raise memory_limit= "
        "above 920MB, or leave the groups out"
    )


# ---------------------------------------------------------------------- what is asked of them


def test_answers_are_those_of_groups_in_memory(on_disk):
    expected = iso.read_predictions(batched(sites()), **SEVERAL)
    on_disk()
    result = iso.read_predictions(batched(sites()), **SEVERAL)
    assert result.summary() == expected.summary()
    assert result.thresholds(min_recall=0.5) == expected.thresholds(min_recall=0.5)
    moved, expected_moved = result.at_prevalence(0.01), expected.at_prevalence(0.01)
    assert isinstance(moved.groups, LazyMapping)
    assert moved.summary() == expected_moved.summary()
    assert moved.counted.summary() == expected_moved.counted.summary()
    assert moved.at_prevalence(0.5).summary() == expected_moved.at_prevalence(0.5).summary()
    intervals = {"confidence_level": 0.9, "n_resamples": 20}
    assert moved.summary(**intervals) == expected_moved.summary(**intervals)
    average = iso.average(result.groups, prevalence=0.3)
    assert average == iso.average(expected.groups, prevalence=0.3)
    assert result.plot(group="7").get_title() == expected.plot(group="7").get_title()
    with pytest.raises(ParameterError, match=r"^group '3' has no table: only positives$"):
        result.plot(group="3")
    with pytest.raises(KeyError):
        result.groups["absent"]


def test_progress_is_told_of_groups(on_disk):
    on_disk()
    told = []
    result = iso.read_predictions(
        batched(sites(), 200), **SEVERAL, progress=lambda *each: told.append(each)
    )
    counted = told[3:]
    assert told[2] == (600, 600)
    assert len(counted) > 1
    assert counted[-1] == (600, 600)
    assert counted == sorted(counted)
    told.clear()
    result.summary(progress=lambda *each: told.append(each))
    assert told == [(done, 25) for done in range(1, 26)]


def test_copies_have_all_tables_in_memory(on_disk):
    on_disk()
    result = iso.read_predictions(batched(sites()), **SEVERAL)
    for made in (copy.deepcopy(result), pickle.loads(pickle.dumps(result))):
        assert type(made.groups) is dict
        assert made.groups == result.groups
        assert result.groups == made.groups
    assert result.groups != {}
    assert result.groups != 5
    assert repr(result.groups) == "<24 values that are read when they are asked for>"


# ---------------------------------------------------------------------- temporary files


@pytest.fixture
def scratch(monkeypatch, tmp_path):
    folder = tmp_path / "scratch"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


def test_tables_are_removed_with_their_analysis(on_disk, scratch):
    on_disk()
    result = iso.read_predictions(batched(sites()), **SEVERAL)
    (kept,) = scratch.iterdir()
    assert [file.name for file in kept.iterdir()] == ["tables.bin"]
    moved = result.at_prevalence(0.1)
    del result
    gc.collect()
    assert moved.groups["7"]["a"].prevalence == pytest.approx(0.1)
    del moved
    gc.collect()
    assert list(scratch.iterdir()) == []


def test_tables_that_others_removed(on_disk, scratch):
    on_disk()
    result = iso.read_predictions(batched(sites()), **SEVERAL)
    (kept,) = scratch.iterdir()
    (kept / "tables.bin").unlink()
    with pytest.raises(FileError, match=r"^cannot read the tables of groups from .*; read the pre"):
        result.groups["7"]


@pytest.mark.parametrize("error", [KeyboardInterrupt, OSError(28, "No space left on device")])
@pytest.mark.parametrize("where", ["table_of_tally", "SortedRows._batches", "as_numpy"])
def test_nothing_is_left_after_an_error(on_disk, scratch, monkeypatch, error, where):
    on_disk()

    def fail(*_, **__):
        raise error

    monkeypatch.setattr(f"isometrics.sources.sorted_rows.{where}", fail)
    with pytest.raises((KeyboardInterrupt, OSError, FileError)):
        iso.read_predictions(batched(sites()), **SEVERAL)
    gc.collect()
    assert list(scratch.iterdir()) == []


INTERRUPTED = """
import signal, sys, numpy as np, pyarrow as pa, isometrics as iso
from isometrics.sources import held_rows, sorted_rows
held_rows._BYTES_OF_A_TABLE = held_rows.BYTES_OF_A_ROW = 1 << 60
batches = sorted_rows.SortedRows._batches

def interrupted(self, query):
    for batch in batches(self, query):
        print([path.name for path in sorted_rows.Path(self._folder.name).iterdir()])
        signal.raise_signal(signal.SIGINT)
        yield batch

sorted_rows.SortedRows._batches = interrupted
rows, scores = np.arange(300_000), np.random.default_rng(0).normal(size=300_000)
table = pa.table({"y": rows % 2, "s": scores, "site": rows % 51})
iso.read_predictions(table, label="y", scores="s", group="site")
"""


def test_an_interrupt_while_rows_are_sorted_leaves_nothing(tmp_path):
    """A real Ctrl-C, which ends the process."""
    done = subprocess.run(
        [sys.executable, "-c", INTERRUPTED],
        env=os.environ | {"TMPDIR": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == -signal.SIGINT, done.stderr
    assert "rows.duckdb" in done.stdout
    assert list(tmp_path.iterdir()) == []


def test_what_duckdb_says_is_one_sentence(on_disk):
    on_disk()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            "isometrics.sources.sorted_rows.settings",
            lambda *_: {"memory_limit": "1MB", "threads": 1},
        )
        with pytest.raises(FileError) as refused:
            iso.read_predictions(batched(sites(300_000), 100_000), **SEVERAL)
    said = str(refused.value)
    assert said.startswith("cannot sort rows in '")
    assert said.endswith("; set TMPDIR to a folder with room, or raise memory_limit=")
    assert "\n" not in said


def test_a_full_disk(on_disk, monkeypatch):
    on_disk()
    opened = Path.open

    def full(path, mode="r", **options):
        if path.name == "tables.bin":
            raise OSError(28, "No space left on device")
        return opened(path, mode, **options)

    monkeypatch.setattr(Path, "open", full)
    with pytest.raises(FileError) as refused:
        iso.read_predictions(batched(sites()), **SEVERAL)
    assert str(refused.value).startswith("cannot write the tables of groups to '")
    assert str(refused.value).endswith(
        "no space left on device; set TMPDIR to a folder with room, or raise memory_limit="
    )


# ---------------------------------------------------------------------- memory

MEASURED = """
import re, sys, isometrics as iso
analysis = iso.read_predictions(sys.argv[1], memory_limit=sys.argv[2], group="site")
summed = sum(models["a"].positives for models in analysis.groups.values())
print(type(analysis.groups).__name__, len(analysis.groups), summed)
# The peak of getrusage would begin with that of the process that started this one.
print(re.search(r"VmHWM:\\s*(\\d+) kB", open("/proc/self/status").read())[1])
"""


@pytest.mark.slow
@pytest.mark.parametrize("suffix", ["parquet", "csv"])
def test_the_memory_limit_holds(tmp_path, suffix):
    """The process takes the limit and its libraries, and no more."""
    rng = np.random.default_rng(0)
    size = 2_500_000
    labels = rng.random(size) < 0.3
    table = pa.table(
        {"y": labels.astype(np.int8), "a": rng.normal(labels), "b": rng.normal(labels)}
        | {"site": rng.integers(0, 5000, size)}
    )
    path = tmp_path / f"sites.{suffix}"
    if suffix == "csv":
        from pyarrow import csv

        csv.write_csv(table, path)
    else:
        pq.write_table(table, path, row_group_size=200_000)

    def peak(limit):
        done = subprocess.run(
            [sys.executable, "-c", MEASURED, str(path), limit],
            capture_output=True,
            text=True,
            check=True,
        )
        kind, groups, summed, most, *others = done.stdout.split()
        assert not others, done.stdout
        assert (int(groups), int(summed)) == (5000, np.count_nonzero(labels))
        return kind, int(most) * 1024

    kind, most = peak("300MB")
    assert kind == "LazyMapping"
    # The libraries are mapped besides.
    allowed = 300e6 + 150e6
    assert most < allowed
    kind, in_memory = peak("4GB")
    assert kind == "dict"
    assert in_memory > allowed
