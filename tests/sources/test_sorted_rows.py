"""Rows in chunks, in runs, on disk or not: the table is that of all rows at once."""

import errno
import os
import tempfile
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import isometrics as iso
from isometrics._core.sample import parse_sample
from isometrics._counting.keys import order_of
from isometrics._table.table import Kind
from isometrics.errors import FileError, OneClassError
from isometrics.measures import area_brackets
from isometrics.sources import sorted_rows
from isometrics.sources.arrow import prefetch
from isometrics.sources.sorted_rows import Run, Runs, Sections, SortedRows, SpillFolder
from isometrics.testing.strategies import binary_samples

DTYPES = ("float16", "float32", "float64", "int8", "int64", "uint64")
samples = (
    binary_samples(max_size=60, dtypes=DTYPES).map(lambda sample: (*sample, None))
    | binary_samples(max_size=60, dtypes=DTYPES, ties=False).map(lambda sample: (*sample, None))
    | binary_samples(max_size=60, weights="integer", dtypes=DTYPES)
    | binary_samples(max_size=60, weights="float", dtypes=DTYPES)
)


@contextmanager
def sizes(*, small=0, run=1, section=1):
    """Let fewer rows be counted at once, and runs and sections be short."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(sorted_rows, "SMALL", small)
        patched.setattr(sorted_rows, "RUN_ROWS", run)
        patched.setattr(sorted_rows, "SECTION_ROWS", section)
        yield


def validated(labels, scores, weights=None):
    return parse_sample(labels, {"": scores}, sample_weight=weights)


def counted(sample, folder, *, chunk=7, spill=lambda _: False, budget=10**9):
    clean = validated(*sample)
    weights = None if clean.weights is None else clean.weights.dtype
    table = SortedRows(clean.only_scores.dtype, weights, folder=folder)
    for place, start in enumerate(range(0, clean.labels.size, chunk)):
        rows = slice(start, start + chunk)
        part = None if clean.weights is None else clean.weights[rows]
        table.append(clean.labels[rows], clean.only_scores[rows], part)
        if spill(place):
            table.spill()
            assert table.nbytes == 0
    assert table.rows == clean.labels.size
    return table.points("y_true", budget=budget)


def full(sample):
    y_true, y_score, weights = sample
    return iso.OperatingPoints.from_scores(y_true, y_score, sample_weight=weights)


def assert_same(found, expected):
    assert found.thresholds.dtype == expected.thresholds.dtype
    np.testing.assert_array_equal(found.thresholds, expected.thresholds)
    assert not np.signbit(found.thresholds[found.thresholds == 0]).any()
    for one, other in ((found.tp, expected.tp), (found.fp, expected.fp)):
        assert one.dtype == other.dtype
        if one.dtype.kind == "i":
            np.testing.assert_array_equal(one, other)
        else:
            np.testing.assert_allclose(one, other, rtol=1e-12, atol=0)
            assert (np.diff(one) >= 0).all()


@given(
    samples,
    st.integers(1, 20),
    st.fixed_dictionaries(
        {"small": st.sampled_from([0, 10, 100]), "run": st.integers(1, 20),
         "section": st.integers(1, 40)}
    ),
    st.sets(st.integers(0, 10)),
)  # fmt: skip
def test_the_table_is_that_of_all_rows_at_once(sample, chunk, rows, spilled):
    with SpillFolder() as folder, sizes(**rows):
        found = counted(sample, folder, chunk=chunk, spill=spilled.__contains__)
        assert found.table.kind is Kind.SCORES
        assert_same(found, full(sample))


@given(samples, st.integers(1, 20), st.integers(1, 40))
def test_a_small_budget_compacts(sample, run, section):
    with SpillFolder() as folder, sizes(run=run, section=section):
        found = counted(sample, folder, spill=lambda _: True, budget=0)
    expected = full(sample)
    assert found.table.partial
    # So short a table keeps all its rows.
    assert_same(found, expected)
    assert not found.table.gaps.between.any()
    np.testing.assert_allclose(found.roc.area(), expected.roc.area(), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("weighted", [None, "integer", "float"])
def test_a_compact_table_has_true_rows_and_truthful_gaps(weighted):
    random = np.random.default_rng(1)
    scores = np.round(random.normal(size=30_000), 4)
    labels = random.random(30_000) < 1 / (1 + np.exp(2 - scores))
    weights = {
        None: None,
        "integer": random.integers(0, 5, 30_000),
        "float": random.random(30_000),
    }[weighted]
    with SpillFolder() as folder:
        found = counted((labels, scores, weights), folder, chunk=4001, budget=1000)
    expected = full((labels, scores, weights))
    assert len(found) < len(expected)
    rows = np.searchsorted(-expected.thresholds[1:], -found.thresholds[1:]) + 1
    np.testing.assert_array_equal(expected.thresholds[rows], found.thresholds[1:])
    np.testing.assert_allclose(found.tp[1:], expected.tp[rows], rtol=1e-12)
    np.testing.assert_allclose(found.fp[1:], expected.fp[rows], rtol=1e-12)
    np.testing.assert_array_equal(found.table.gaps.between, np.diff(rows, prepend=0) > 1)
    for name, (lo, hi) in area_brackets(found).items():
        assert lo == hi
        np.testing.assert_allclose(lo, area_brackets(expected)[name].lo, rtol=1e-11), name
    if weighted != "float":
        assert found.hull().table == expected.hull().table


@pytest.mark.parametrize("rounded", [3, 12])
def test_sections_that_threads_fill(rounded):
    """Both with many ties and with none."""
    random = np.random.default_rng(2)
    scores = np.round(random.normal(size=50_000), rounded)
    sample = (random.random(50_000) < 0.2, scores, None)
    with SpillFolder() as folder, sizes(run=20_000, section=40_000):
        assert_same(counted(sample, folder, chunk=7000), full(sample))


def test_integers_beyond_doubles():
    scores = np.array([2**53, 2**53 + 1, 2**60 + 1, 2**60, -(2**62), -(2**62) - 1])
    with SpillFolder() as folder:
        found = counted(([1, 0, 1, 0, 1, 0], scores, None), folder, chunk=2)
    assert_same(found, full(([1, 0, 1, 0, 1, 0], scores, None)))
    assert [int(value) for value in found.thresholds[1:]] == sorted(scores.tolist(), reverse=True)


def test_one_score_for_all_rows():
    labels = np.arange(1000) % 3 == 0
    with SpillFolder() as folder:
        found = counted((labels, np.full(1000, 0.5), None), folder)
    assert found.tp.tolist() == [0, 334]


def test_heavy_ties_have_sections_of_their_own():
    random = np.random.default_rng(4)
    scores = random.choice([0.0, 1.0, 2.0, 2.5, -1.0], 900, p=[0.5, 0.3, 0.1, 0.05, 0.05])
    for weights in (None, random.integers(1, 4, 900), random.random(900)):
        sample = (random.random(900) < 0.4, scores, weights)
        with SpillFolder() as folder, sizes(run=64, section=32):
            assert_same(counted(sample, folder, chunk=100), full(sample))


def test_the_highest_key_of_all_may_be_tied():
    """There is no key behind it for a section of its own to end at."""
    highest = np.iinfo(np.uint64).max
    runs = [[Run(np.full(40, highest, np.uint64), None)] for _ in range(2)]
    with sizes(section=4):
        (section,) = Sections(order_of(np.dtype(np.uint64)), *runs)
    assert section.curve()[0].tolist() == [0, 40]
    assert section.tally.lo.tolist() == [highest]


@pytest.mark.parametrize("small", [0, 10])
def test_weights_beyond_words(small):
    """Sums of integers beyond 2**53 are floats, and never wrap around."""
    labels, scores = [0, 1, 1, 0, 1, 0], [0.5, 0.2, 0.1, 0.3, 0.3, 0.7]
    for weights in ([2**62] * 6, [2**53, 2, 2, 2, 2, 2], [2**52, 2**52, 2, 2, 2, 2]):
        sample = (labels, scores, np.array(weights))
        clean = validated(*sample)
        table = SortedRows(clean.only_scores.dtype, np.dtype(np.int64), folder=None)
        with sizes(small=small):
            table.append(clean.labels, clean.only_scores, np.array(weights))
        assert_same(table.points("y_true", budget=10**9), full(sample))


def test_counts_never_fall_where_tiny_weights_follow_large_ones():
    """Sums rounded one by one would fall by their last bits from section to section."""
    random = np.random.default_rng(6)
    scores = random.permutation(2000).astype(float)
    weights = np.where(scores > 1000, 0.1 + random.random(2000), 1e-17)
    sample = (random.random(2000) < 0.5, scores, weights)
    with SpillFolder() as folder, sizes(run=300, section=8):
        assert_same(counted(sample, folder, chunk=123), full(sample))


@pytest.mark.parametrize("only", [True, False])
@pytest.mark.parametrize("budget", [0, 10**9])
def test_one_class(only, budget):
    table = SortedRows(np.dtype(np.float64), None, folder=None)
    table.append(np.full(3, only), np.arange(3.0), None)
    there = "positives" if only else "negatives"
    with pytest.raises(OneClassError, match=f"^label has only {there}; both classes are needed$"):
        table.points("label", budget=budget)


# ---------------------------------------------------------------------- the disk


@pytest.fixture
def temporary(tmp_path, monkeypatch):
    """Let temporary files go to a folder of this test."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


def spilled_runs(folder):
    runs = Runs(np.dtype(np.uint64), np.dtype(np.float64), folder=folder)
    keys, weights = np.arange(10, dtype=np.uint64)[::-1], np.arange(10.0)
    with sizes(run=4):
        for rows in (slice(4), slice(4, 8), slice(8, None)):
            runs.append(keys[rows], weights[rows])
    runs.spill()
    return runs


def test_the_folder_leaves_nothing_behind(temporary):
    with SpillFolder() as folder:
        runs = spilled_runs(folder)
        written = [file.name for file in temporary.rglob("*.bin")]
        assert len(written) == 6
        assert runs.nbytes == 0
        found = runs.sorted()
        assert sorted(np.concatenate([run.keys for run in found]).tolist()) == list(range(10))
        for run in found:
            assert (np.diff(run.keys.astype(int)) > 0).all()
            np.testing.assert_array_equal(run.weights, 9.0 - run.keys)
        del found, runs
    assert list(temporary.iterdir()) == []


def test_the_folder_is_removed_after_an_error(temporary):
    def fail():
        with SpillFolder() as folder:
            spilled_runs(folder)
            assert list(temporary.iterdir())
            raise KeyError

    with pytest.raises(KeyError):
        fail()
    assert list(temporary.iterdir()) == []


def test_a_folder_that_is_not_needed_is_not_made(temporary):
    with SpillFolder() as folder:
        runs = Runs(np.dtype(np.uint64), None, folder=folder)
        runs.spill()
        assert [run.keys.size for run in runs.sorted()] == [0]
    assert list(temporary.iterdir()) == []


@pytest.mark.parametrize(
    ("error", "reason"),
    [(OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)), "no space left on device"),
     (OSError("quota"), "quota")],
)  # fmt: skip
def test_a_full_disk_is_one_sentence(temporary, monkeypatch, error, reason):
    class Full:
        def __enter__(self):
            return self

        def __exit__(self, *_):
            return None

        def write(self, _):
            raise error

    monkeypatch.setattr(Path, "open", lambda *_, **__: Full())
    with SpillFolder() as folder, pytest.raises(FileError) as refused:
        folder.write(np.zeros(3))
    said = str(refused.value)
    assert said.startswith("cannot write 24 bytes of sorted scores to ")
    assert said.endswith(f": {reason}; set TMPDIR to a folder with room, or raise memory_limit=")
    assert list(temporary.iterdir()) == []


# ---------------------------------------------------------------------- reading ahead


def test_items_are_made_in_advance_and_in_order():
    made = []

    def items():
        for item in range(5):
            made.append(item)
            yield item + 1

    found = prefetch(items())
    assert next(found) == 1
    assert list(found) == [2, 3, 4, 5]
    assert made == list(range(5))


def test_errors_of_items_arrive():
    def items():
        yield 1
        raise KeyError("x")

    found = prefetch(items())
    assert next(found) == 1
    with pytest.raises(KeyError):
        next(found)
