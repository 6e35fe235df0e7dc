"""Cells keep what is asked of them: areas of runs, counts at cuts, every score."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import isometrics as iso
from isometrics.errors import NotAnswerableError
from isometrics.testing.strategies import binary_samples
from isometrics.uncertainty.resampling import Grain, grouping_of, scores_of

LABELS = [1, 1, 0, 0, 1, 0, 1, 1]
SCORES = [8, 7, 6, 5, 4, 4, 3, 2]


def cells(detail, cuts=()):
    table = iso.OperatingPoints.from_scores(LABELS, SCORES).table
    return grouping_of(scores_of(table), detail, np.array(cuts, float)).cells


@pytest.mark.parametrize(
    ("detail", "positive", "negative", "thresholds"),
    [
        (Grain.CUTS, [5], [3], [2]),
        (Grain.RUNS, [2, 1, 2], [2, 1], [7, 5, 4, 2]),
        (Grain.NEGATIVE_RUNS, [1, 1, 1, 1, 1], [2, 1], [8, 7, 5, 4, 3, 2]),
        (Grain.SCORES, [1, 1, 1, 1, 1], [1, 1, 1], [8, 7, 6, 5, 4, 3, 2]),
    ],
)
def test_what_a_cell_holds(detail, positive, negative, thresholds):
    found = cells(detail)
    assert found.positive.tolist() == positive
    assert found.negative.tolist() == negative
    assert found.thresholds.tolist() == [np.inf, *thresholds]


def test_order_of_the_cells_by_hand():
    """Two positives, two negatives, a tie of both, two positives."""
    found = cells(Grain.RUNS)
    assert found.before.tolist() == [0, 1, 2]
    assert found.through.tolist() == [0, 2, 2]
    assert found.positive_rows.tolist() == [0, 1, 1, 2, 3]
    assert found.negative_rows.tolist() == [0, 0, 1, 2, 2]
    assert cells(Grain.RUNS, [8]).positive.tolist() == [1, 1, 1, 2]
    assert cells(Grain.RUNS, [7.5]).positive.tolist() == [1, 1, 1, 2]
    assert cells(Grain.RUNS, [9, 0, 7]).positive.tolist() == [2, 1, 2]
    assert cells(Grain.CUTS, [5, 3]).positive.tolist() == [2, 2, 1]
    assert cells(Grain.CUTS, [5, 3]).thresholds.tolist() == [np.inf, 5, 3, 2]
    hull = iso.OperatingPoints.from_scores(LABELS, SCORES).hull()
    with pytest.raises(NotAnswerableError, match="a hull cannot be resampled: rows between its"):
        scores_of(hull.table)


@given(binary_samples(), st.sampled_from(list(Grain)), st.lists(st.floats(-5, 5), max_size=3))
def test_the_table_of_the_counts_themselves_is_a_part_of_the_table(sample, detail, cuts):
    points = iso.OperatingPoints.from_scores(*sample)
    found = grouping_of(scores_of(points.table), detail, np.array(cuts, float)).cells
    table = found.table(found.counts.astype(float))
    rows = set(zip(points.thresholds, points.tp, points.fp, strict=True))
    assert set(zip(table.thresholds, table.tp, table.fp, strict=True)) <= rows
    assert (table.positives, table.negatives) == (points.positives, points.negatives)
    part = iso.OperatingPoints(table)
    for cut in cuts:
        assert part.at([cut]).tp[0] == points.at([cut]).tp[0]
        assert part.at([cut]).fp[0] == points.at([cut]).fp[0]
    if detail is not Grain.CUTS:
        assert part.prg.area() == pytest.approx(points.prg.area(), rel=1e-12, abs=1e-12)
        np.testing.assert_allclose(
            part.pr.interpolate([0.3, 0.9]), points.pr.interpolate([0.3, 0.9]), rtol=1e-12
        )
    moved = iso.OperatingPoints(found.table(found.counts.astype(float), ratio=3.0))
    assert moved.prevalence == pytest.approx(0.25)
