"""Bins and some looks into them: the hull is exact, and brackets are as narrow as asked."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import isometrics as iso
from isometrics._core.sample import Sample
from isometrics._counting import bins
from isometrics.errors import FileError, OneClassError
from isometrics.measures import area_brackets
from isometrics.sources import binned_rows
from isometrics.sources.binned_rows import BinnedRows
from isometrics.testing.strategies import binary_samples

from ..tables import areas_of

NARROW = ("AUROC", "AUPR", "average precision", "AUPRG")
BETAS = [0, 0.3, 1, 4, float("inf")]


def passes(table, chunks, most=10_000):
    """Show all rows again as long as the table wants to; return how often it did."""
    for number in range(1, most):
        for labels, scores in chunks if not callable(chunks) else chunks(number):
            table.append([Sample(labels, {"m": scores})])
        if not table.end_pass():
            return number
    raise AssertionError("the passes never end")


def chunked(labels, scores, size):
    return [
        (labels[start : start + size], scores[start : start + size])
        for start in range(0, labels.size, size)
    ]


class Coarse:
    """Few rows are kept as they are, and bins are few."""

    def __init__(self, monkeypatch, first=8, cell_bits=3, most=16):
        monkeypatch.setattr(binned_rows, "FIRST_ROWS", first)
        monkeypatch.setattr(binned_rows, "bins_for", lambda _: most)
        monkeypatch.setattr(bins, "_CELL_BITS", cell_bits)


def read(labels, scores, tolerance, *, chunk=5, room=10**6):
    table = BinnedRows("label", tolerance, budget=10**9)
    with pytest.MonkeyPatch.context() as patched:
        # So many rows may be kept in a later pass.
        patched.setattr(binned_rows, "_BYTES_OF_A_KEY", 10**9 / room if room else 10**12)
        number = passes(table, chunked(labels, scores, chunk))
    return table.points("m"), number


def check(found, full, tolerance):
    """Compare with the full table: hull, rows, brackets, best thresholds."""
    mine, theirs = found.hull(), full.hull()
    np.testing.assert_array_equal(mine.thresholds, theirs.thresholds)
    np.testing.assert_array_equal(mine.tp, theirs.tp)
    np.testing.assert_array_equal(mine.fp, theirs.fp)
    there = full.at(found.thresholds[1:])
    np.testing.assert_array_equal(found.tp[1:], there.tp)
    np.testing.assert_array_equal(found.fp[1:], there.fp)
    assert (np.diff(found.thresholds[1:]) < 0).all()
    assert found.thresholds[1] == full.thresholds[1]
    assert found.thresholds[-1] == full.thresholds[-1]
    for beta in BETAS:
        decisions = [iso.best_threshold(points, beta=beta) for points in (found, full)]
        assert decisions[0].tp == decisions[1].tp
        assert decisions[0].threshold == decisions[1].threshold
    if not found.table.partial:
        return
    # Rows are missing between two neighbours only where that is said.
    place = np.searchsorted(-full.thresholds[1:], -found.thresholds[1:], "right")
    assert (found.table.gaps.between | (np.diff(place, prepend=0) <= 1)).all()
    brackets = area_brackets(found)
    for name, area in areas_of(full).items():
        if name != "expected F1 gain" or np.isfinite(brackets[name].lo):
            assert brackets[name].lo <= area <= brackets[name].hi, name
    for name in NARROW:
        assert brackets[name].width <= tolerance, name


@given(
    binary_samples(min_size=12, max_size=80, dtypes=("float32", "float64", "int8", "uint64")),
    st.sampled_from([0.5, 0.1, 0.01, 1e-6]),
    st.integers(1, 30),
    st.sampled_from([0, 3, 20, 10**6]),
    st.tuples(st.integers(1, 6), st.integers(1, 40)),
)
def test_any_sample(sample, tolerance, chunk, room, coarse):
    labels, scores = sample
    full = iso.OperatingPoints.from_scores(labels, scores)
    with pytest.MonkeyPatch.context() as patched:
        Coarse(patched, 8, *coarse)
        found, _ = read(labels, scores, tolerance, chunk=chunk, room=room)
    check(found, full, tolerance)


def curved(size, seed, rounded=3, prevalence=0.3):
    random = np.random.default_rng(seed)
    labels = random.random(size) < prevalence
    labels[:2] = True, False
    return labels, np.round(random.normal(size=size) + labels, rounded)


@pytest.mark.parametrize("tolerance", [0.2, 0.02, 0.002, 1e-9])
@pytest.mark.parametrize("room", [1, 300, 10**6])
@pytest.mark.parametrize("prevalence", [0.3, 0.01])
def test_a_long_sample(monkeypatch, tolerance, room, prevalence):
    labels, scores = curved(3000, 7, prevalence=prevalence)
    full = iso.OperatingPoints.from_scores(labels, scores)
    Coarse(monkeypatch, 100, 8, 256)
    found, number = read(labels, scores, tolerance, chunk=400, room=room)
    assert found.table.partial
    check(found, full, tolerance)
    if tolerance == 0.2:
        assert len(found) < len(full) / 2
    assert number > 2 if room == 1 else number >= 2


def test_leading_ties_of_one_precision(monkeypatch):
    """For β = 0 the first of equally precise rows is best, which is no vertex of the hull."""
    scores = np.repeat(np.arange(40.0, 0, -1), 2)
    labels = np.tile([True, False], 40)
    labels[60:] = False
    full = iso.OperatingPoints.from_scores(labels, scores)
    for most in (1, 4, 16, 64):
        with monkeypatch.context() as patched:
            Coarse(patched, 8, 4, most)
            found, _ = read(labels, scores, 0.5)
        check(found, full, 0.5)
        assert iso.best_threshold(found, beta=0).tp == 1


@pytest.mark.parametrize(
    ("labels", "scores", "coarse"),
    [
        ("10011000101000001", [18, 34, 3, 29, 18, 25, 15, 4, 20, 3, 32, 13, 32, 21, 0, 6, 30],
         (4, 3)),
        ("10111011110010100", [3, 2, 26, 21, 3, 26, 5, 14, 5, 12, 7, 4, 11, 23, 6, 20, 7], (2, 7)),
        ("100010111001010001", [5, 2, 4, 9, 11, 13, 2, 5, 4, 3, 6, 6, 9, 0, 9, 2, 1, 5], (4, 9)),
    ],
)  # fmt: skip
def test_the_most_precise_row_at_the_border_of_a_bin(monkeypatch, labels, scores, coarse):
    """Its threshold is a score of the sample, not the edge of its bin."""
    labels, scores = np.array(list(labels)) == "1", np.array(scores, float)
    Coarse(monkeypatch, 8, *coarse)
    found, _ = read(labels, scores, 0.5)
    check(found, iso.OperatingPoints.from_scores(labels, scores), 0.5)


def test_a_short_sample_is_exact():
    labels, scores = curved(50, 1)
    found, number = read(labels, scores, 0.1)
    assert number == 1
    assert found.table == iso.OperatingPoints.from_scores(labels, scores).table


def rows(labels, scores):
    return [Sample(labels, {"m": scores})]


def test_a_short_sample_is_counted_once_however_many_passes_others_need(monkeypatch):
    labels, scores = curved(50, 1)
    Coarse(monkeypatch, first=60)
    table = BinnedRows("label", 0.1, 10**9)
    for _ in range(3):
        table.append(rows(labels, scores))
        assert not table.end_pass()
    assert table.points("m") == iso.OperatingPoints.from_scores(labels, scores)


def test_a_finished_table_takes_no_notice_of_further_passes(monkeypatch):
    labels, scores = curved(500, 2)
    Coarse(monkeypatch)
    table = BinnedRows("label", 0.3, 10**9)
    passes(table, chunked(labels, scores, 100))
    before = table.points("m")
    table.append(rows(labels, scores))
    assert not table.end_pass()
    assert table.points("m") == before


@pytest.mark.parametrize("change", ["fewer", "more", "other labels", "nothing", "other scores"])
def test_rows_that_change_between_passes_are_noticed(monkeypatch, change):
    labels, scores = curved(500, 3)
    Coarse(monkeypatch)
    changed = {
        "fewer": [(labels[:-200], scores[:-200])],
        "more": [(labels, scores), (labels, scores)],
        "other labels": [(~labels, scores)],
        "nothing": [],
        # As many rows of each class, and one of them at another score.
        "other scores": [(labels, np.where(np.arange(500) == 7, scores[8], scores))],
    }[change]
    table = BinnedRows("label", 1e-3, 10**9)
    with pytest.raises(FileError, match=r"^the predictions changed while they were read; "):
        passes(table, lambda number: changed if number > 1 else [(labels, scores)])


@pytest.mark.parametrize("only", [True, False])
@pytest.mark.parametrize("size", [5, 50])
def test_one_class(monkeypatch, only, size):
    Coarse(monkeypatch)
    there = "positives" if only else "negatives"
    with pytest.raises(OneClassError, match=f"^label has only {there}"):
        read(np.full(size, only), np.arange(float(size)), 0.1)


def test_bins_take_the_place_of_rows_that_do_not_fit(monkeypatch):
    """Of two models, the one with more rows is counted in bins first."""
    labels, scores = curved(500, 1)
    Coarse(monkeypatch, first=1000)
    table = BinnedRows("label", 0.1, 500 * binned_rows.BYTES_OF_A_ROW)
    chunks = [(labels, {"m": scores}), (labels[:100], {"few": scores[:100]})]
    while True:
        for label, score in chunks:
            table.append([Sample(label, score)])
        if not table.end_pass():
            break
    few = iso.OperatingPoints.from_scores(labels[:100], scores[:100])
    assert table.points("few") == few
    assert table.points("m").table.partial
    check(table.points("m"), iso.OperatingPoints.from_scores(labels, scores), 0.1)


def test_empty_batches(monkeypatch):
    labels, scores = curved(300, 4)
    Coarse(monkeypatch)
    nothing = (labels[:0], scores[:0])
    parts = [nothing, (labels[:150], scores[:150]), nothing, (labels[150:], scores[150:]), nothing]
    table = BinnedRows("label", 0.05, 10**9)
    passes(table, parts)
    check(table.points("m"), iso.OperatingPoints.from_scores(labels, scores), 0.05)


def test_scores_far_outside_of_the_first_rows(monkeypatch):
    """The plan knows the first rows only; the others lie in its outermost bins."""
    labels, scores = curved(400, 5)
    scores[:20] = np.linspace(0.1, 0.2, 20)
    scores[-4:] = 1e300, -1e300, np.inf, -np.inf
    Coarse(monkeypatch, first=10)
    found, _ = read(labels, scores, 0.01, chunk=20)
    check(found, iso.OperatingPoints.from_scores(labels, scores), 0.01)
