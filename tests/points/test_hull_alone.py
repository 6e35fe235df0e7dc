"""Hull and areas of a sample without its table equal those of the table."""

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import isometrics as iso
from isometrics._core.rows import parse_sample
from isometrics._table.path import Path, path_of
from isometrics._table.table import KnownArea
from isometrics.errors import NotAnswerableError, OneClassError, UndefinedWarning
from isometrics.measures import area_brackets
from isometrics.points.compact import SectionSums, hull_alone
from isometrics.testing.strategies import count_tables

SCORES = st.one_of(
    st.sampled_from([0.0, -0.0, 0.25, 0.5, 0.75, float("inf"), -float("inf")]),
    st.floats(allow_nan=False),
)


def check(short, whole):
    np.testing.assert_array_equal(short.hull().tp, whole.hull().tp)
    np.testing.assert_array_equal(short.hull().fp, whole.hull().fp)
    np.testing.assert_array_equal(short.hull().thresholds, whole.hull().thresholds)
    assert set(short.table.known) == set(KnownArea)
    exact = {name: bracket.lo for name, bracket in area_brackets(whole).items()}
    found = {name: bracket.lo for name, bracket in area_brackets(short).items()}
    assert found == pytest.approx(exact, rel=1e-12, abs=1e-12, nan_ok=True)


@pytest.mark.filterwarnings("ignore::isometrics.UndefinedWarning")
@given(
    rows=st.lists(st.tuples(st.booleans(), SCORES, st.integers(1, 5)), min_size=2, max_size=50),
    weighted=st.booleans(),
    section=st.sampled_from([1, 3, 8, 1000]),
)
@example(rows=[(True, math.inf, 1), (False, 0.5, 1)], weighted=False, section=8)
def test_any_section_gives_the_hull_and_areas_of_the_table(rows, weighted, section):
    labels, scores, weights = map(np.array, zip(*rows, strict=True))
    labels[:2] = True, False
    options = {"sample_weight": weights / 4} if weighted else {}
    whole = iso.OperatingPoints.from_scores(labels, scores, **options)
    sample = parse_sample(labels, {"": scores}, **options)
    check(iso.OperatingPoints(hull_alone(sample, section=section)), whole)


@given(count_tables(max_count=10**6), st.lists(st.integers(0, 100), max_size=8))
def test_sections_of_counts(table, cuts):
    """A curve seen in sections, the last one first, has the sums of the whole curve."""
    tp, fp, positives, negatives = table
    points = iso.OperatingPoints.from_counts(tp, fp, positives=positives, negatives=negatives)
    check_sections(points, cuts)


def check_sections(points, cuts):
    tp, fp = path_of(points.table)
    rows = sorted({0, tp.size - 1, *(cut % tp.size for cut in cuts)})
    sums, whole = SectionSums(points.table), SectionSums(points.table)
    whole.add(Path(tp, fp))
    for start, end in reversed(list(pairwise(rows))):
        sums.add(Path(tp[start : end + 1], fp[start : end + 1]))
    found, expected = sums.known(), whole.known()
    assert found.keys() == set(KnownArea)
    assert found == pytest.approx(expected, rel=1e-12, abs=1e-12, nan_ok=True)
    return found


def test_nothing_to_average_over_is_nan():
    """All negatives rank above every positive."""
    points = iso.OperatingPoints.from_counts([0, 0, 1, 3], [1, 5, 5, 5], positives=3, negatives=5)
    for cuts in ([], [1], [2, 3]):
        found = check_sections(points, cuts)
        assert math.isnan(found[KnownArea.MISSES])
        assert math.isnan(found[KnownArea.FALSE_ALARMS])
    with pytest.warns(UndefinedWarning, match="undefined"):
        assert math.isnan(points.prg.expected_f_gain())


def test_a_cut_at_the_baseline_itself():
    """At 4 of 8 the recall is π = ½, which both sections have as an end."""
    points = iso.OperatingPoints.from_counts([4, 4, 8], [1, 3, 5], positives=8, negatives=8)
    for cuts in ([1], [2], [1, 2], [1, 2, 3]):
        found = check_sections(points, cuts)
        assert found[KnownArea.PRG] == pytest.approx(points.prg.area(), rel=1e-12)


@pytest.mark.parametrize("options", [
    {"sample_weight": [1, 2, 1, 3, 1, 1]},
    {"sample_weight": [0.5, 2.25, 1, 3, 0, 1]},
    {"positives": 5, "negatives": 9},
])  # fmt: skip
def test_weights_and_unscored_items(options):
    sample = [1, 0, 1, 1, 0, 0], [0.9, 0.8, 0.7, 0.7, 0.2, 0.1]
    short = iso.OperatingPoints.from_scores(*sample, **options, rows="hull")
    check(short, iso.OperatingPoints.from_scores(*sample, **options))


def test_what_it_refuses():
    short = iso.OperatingPoints.from_scores([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1], rows="hull")
    with pytest.raises(NotAnswerableError):
        short.pr.interpolate([0.5])
    with pytest.raises(OneClassError, match="y_true has only negatives"):
        iso.OperatingPoints.from_scores([0, 0], [0.9, 0.8], rows="hull")
