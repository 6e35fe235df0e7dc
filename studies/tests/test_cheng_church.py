"""Cheng & Church (2000): the residue, worked examples, its promise, and what it recovers."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from isometrics import Bicluster
from isometrics.errors import ParameterError
from isometrics_studies.cheng_church import cheng_church, mean_squared_residue
from isometrics_studies.planted import planted_bicluster

# Additive but for the last cell, which is 9 too high. An error e in one cell of a 3 × 3 block
# leaves the residue e·(2/3)(2/3) = 4 there, -e·(2/3)(1/3) = -2 in its row and column, and
# e·(1/3)(1/3) = 1 elsewhere. The squares are
#     1  1  4
#     1  1  4     with row means 2, 2, 8, column means 2, 2, 8, and H = 36/9 = 4.
#     4  4 16
ONE_ERROR = [[1, 2, 3], [2, 3, 4], [3, 4, 14]]

# Columns 0 and 1 are 0; column 2 is 9 + v with v = (18, -9, -6, -3). Residues are 2v/3 in column
# 2 and -v/3 in the others. Squares:
#    36 36 144   row mean 72
#     9  9  36            18
#     4  4  16             8
#     1  1   4             2      column means 12.5, 12.5, 50, and H = 25.
# Single node deletion: row 0 is worst (72). What is left of column 2 is 3 + (-3, 0, 3), with
# squares (1 1 4), (0 0 0), (1 1 4): rows 2, 0, 2, columns 2/3, 2/3, 8/3, and H = 4/3. Column 2 is
# worst (8/3). What is left is 0, with H = 0.
# Node addition: column 2 against rows 1-3 has the residues (-3, 0, 3), worse than H; row 0 against
# columns 0 and 1 has the residues (0, 0), and comes back.
ROW_COMES_BACK = [[0, 0, 27], [0, 0, 0], [0, 0, 3], [0, 0, 6]]


def rows_and_columns(bicluster):
    return bicluster.rows.tolist(), bicluster.columns.tolist()


def test_the_residue_by_hand():
    assert mean_squared_residue(ONE_ERROR) == pytest.approx(4, rel=1e-14)
    assert mean_squared_residue(ROW_COMES_BACK) == pytest.approx(25, rel=1e-14)
    assert mean_squared_residue([[3, 1, 4]]) == mean_squared_residue([[3], [1]]) == 0


@pytest.mark.parametrize("delta", [0, 1, 3.9])
@pytest.mark.parametrize("multiple_from", [100, 3])
def test_deletion_by_hand(delta, multiple_from):
    # Row 2 and column 2 are equally bad, 8 each; rows go first. The rest has H = 0. Multiple
    # deletion does the same: 8 exceeds α·H = 4.8, 2 does not.
    # Row 2 does not come back: against column means 1.5, 2.5, 3.5 with mean 2.5 its residues are
    # 3-7-1.5+2.5 = -3, -3 and 6.
    result = cheng_church(ONE_ERROR, delta, multiple_from=multiple_from)
    assert rows_and_columns(result) == ([0, 1], [0, 1, 2])


def test_a_large_delta_returns_everything():
    assert cheng_church(ONE_ERROR, 4.0001).size == 9
    assert cheng_church(ROW_COMES_BACK, 25.0001).size == 12


@pytest.mark.parametrize("delta", [0, 1])
def test_addition_by_hand(delta):
    assert rows_and_columns(cheng_church(ROW_COMES_BACK, delta)) == ([0, 1, 2, 3], [0, 1])


def test_columns_are_deleted_together_too():
    # The transpose, with the roles of rows and columns exchanged: column 0 has 72 > 1.2·25.
    result = cheng_church(np.transpose(ROW_COMES_BACK), 1, multiple_from=4)
    assert rows_and_columns(result) == ([0, 1], [0, 1, 2, 3])


@settings(max_examples=60)
@given(
    arrays.arrays(
        np.float64,
        st.tuples(st.integers(1, 9), st.integers(1, 7)),
        elements=st.integers(-20, 20) | st.floats(-5, 5, width=16),
    ),
    st.sampled_from([0.0, 1e-6, 0.1, 1.0, 30.0]),
    st.sampled_from([2, 100]),
)
def test_every_result_keeps_its_promise(matrix, delta, multiple_from):
    result = cheng_church(matrix, delta, multiple_from=multiple_from)
    assert result.size >= 1
    assert mean_squared_residue(matrix[np.ix_(result.rows, result.columns)]) <= delta


@pytest.mark.parametrize("noise", [0.0, 0.05, 0.2])
def test_results_on_planted_data_keep_their_promise(noise):
    matrix = planted_bicluster(noise=noise, seed=3).matrix
    for delta in (0.0, 0.001, 0.01, 0.05, 0.08):
        result = cheng_church(matrix, delta)
        assert mean_squared_residue(matrix[np.ix_(result.rows, result.columns)]) <= delta


def f1(found, target):
    return 2 * found.overlap(target) / (found.size + target.size)


@pytest.mark.parametrize("seed", range(5))
def test_the_planted_bicluster_is_recovered(seed):
    """Exactly without noise; almost with a noise of 0.05, 17 % of the spread of other cells."""
    clean = planted_bicluster(seed=seed)
    assert cheng_church(clean.matrix, 1e-4) == clean.target
    noisy = planted_bicluster(noise=0.05, seed=seed)
    assert f1(cheng_church(noisy.matrix, 1.1 * 0.05**2), noisy.target) > 0.96


def test_it_is_deterministic():
    first, second = (planted_bicluster(noise=0.1, seed=8) for _ in range(2))
    assert np.array_equal(first.matrix, second.matrix)
    assert first.target == second.target
    assert cheng_church(first.matrix, 0.02) == cheng_church(second.matrix, 0.02)
    assert planted_bicluster(noise=0.1, seed=9).target != first.target


def test_a_level_shifts_the_bicluster_only():
    low, high = (planted_bicluster((9, 8), (3, 2), level=level, seed=1) for level in (0.0, 2.0))
    difference = high.matrix - low.matrix
    assert np.count_nonzero(difference) == 6
    assert difference.max() == pytest.approx(2)
    assert isinstance(low.target, Bicluster)


@pytest.mark.parametrize("matrix", [[1, 2], [[]], [[1, np.nan]]])
def test_a_matrix_that_is_none_is_refused(matrix):
    with pytest.raises(ParameterError, match=r"^matrix must be two-dimensional"):
        cheng_church(matrix, 1)


@pytest.mark.parametrize(("delta", "alpha"), [(-1, 1.2), (np.nan, 1.2), (1, 0.9)])
def test_parameters_outside_their_range_are_refused(delta, alpha):
    with pytest.raises(ParameterError, match=r"^delta must be ≥ 0 and alpha ≥ 1"):
        cheng_church(ONE_ERROR, delta, alpha=alpha)
