"""ISA (Ihmels, Bergmann & Barkai 2004): a worked example, fixed points, and what it recovers."""

import numpy as np
import pytest

from isometrics.errors import ParameterError
from isometrics_studies.isa import isa, signature
from isometrics_studies.planted import planted_bicluster

# Every column has mean 0 and variance 1 over the rows, so standardising columns changes nothing.
# Over the columns, rows 1 and 2 have mean 0 and variance 1 as well; rows 0 and 3 have mean ±1/2
# and standard deviation √3/2, so they become ±(1, 1, -3, 1)/√3.
BY_HAND = np.array(
    [
        [1, 1, -1, 1],
        [1, 1, -1, -1],
        [-1, -1, 1, 1],
        [-1, -1, 1, -1],
    ]
)


def rows_and_columns(bicluster):
    return bicluster.rows.tolist(), bicluster.columns.tolist()


@pytest.mark.parametrize("seed_rows", [[0, 1], [True, True, False, False]])
def test_by_hand(seed_rows):
    # From rows 0 and 1: column sums (2, 2, -2, 0), mean 1/2, variance 11/4, so the scores are
    # (3, 3, -5, -1)/√11 = (0.905, 0.905, -1.508, -0.302). Beyond 0.5: columns 0, 1 and 2.
    # Row scores: row 1: 0.905 + 0.905 + 1.508 = 3.317; row 0: (0.905 + 0.905 + 3·1.508)/√3 =
    # 3.656; rows 2 and 3 the same below 0. Standardised: ±1.047 and ±0.950. Above 0.5: rows 0, 1.
    # Next column sums: 1.997, 1.997, -1.997 and 0.097: the same columns again, and then rows.
    result = signature(BY_HAND, seed_rows, row_threshold=0.5, column_threshold=0.5)
    assert rows_and_columns(result) == ([0, 1], [0, 1, 2])


def test_a_high_threshold_of_rows_by_hand():
    # 0.950 is not above 1, so row 1 drops out, and row 0 alone has the column sums (1, 1, -1, 1)
    # with the scores ±(1, 1, -3, 1)/√3 = (0.577, 0.577, -1.732, 0.577): now all columns are in.
    # Row scores: row 0: (3·0.577 + 3·1.732)/√3 = 4; row 1: 2·0.577 + 1.732 - 0.577 = 2.309;
    # rows 2 and 3 the same below 0. Their mean square is (16 + 5.333)/2 = 10.667, so row 0 has
    # 1.225 and row 1 has 0.707: row 0 stays alone.
    result = signature(BY_HAND, [0, 1], row_threshold=1.0, column_threshold=0.5)
    assert rows_and_columns(result) == ([0], [0, 1, 2, 3])


def test_mirrored_rows_are_left_out_and_mirrored_columns_are_not():
    # ±1 in two blocks: the scores of columns and of rows are all ±1. Columns count on both
    # sides, rows only above.
    blocks = np.kron([[1, -1], [-1, 1]], np.ones((2, 2)))
    result = signature(blocks, [0], row_threshold=0.5, column_threshold=0.5)
    assert rows_and_columns(result) == ([0, 1], [0, 1, 2, 3])


def test_thresholds_that_nothing_exceeds():
    for thresholds in ((3.0, 0.5), (0.5, 3.0)):
        result = signature(
            BY_HAND, [0, 1], row_threshold=thresholds[0], column_threshold=thresholds[1]
        )
        assert result is None
    assert isa(BY_HAND, row_threshold=3, column_threshold=3, seeds=3) is None
    assert isa(np.ones((3, 3)), row_threshold=0.5, column_threshold=0.5, seeds=3) is None


def test_a_seed_that_ends_in_a_cycle_has_no_result():
    matrix = [[-2, -1, 2, -2], [-2, 1, 0, -2], [-1, 3, -3, -2], [0, 1, 1, 0]]
    assert signature(matrix, [0], row_threshold=0.3, column_threshold=0.3) is None


def f1(found, target):
    return 2 * found.overlap(target) / (found.size + target.size)


@pytest.mark.parametrize("seed", range(5))
def test_the_planted_bicluster_is_recovered(seed):
    """A bicluster at level 1, with a noise of 0.2: 69 % of the spread of other cells."""
    planted = planted_bicluster((100, 60), (20, 10), level=1.0, noise=0.2, seed=seed)
    result = isa(planted.matrix, row_threshold=1.0, column_threshold=1.0)
    assert result is not None
    assert f1(result, planted.target) > 0.85


def test_it_is_deterministic():
    matrix = planted_bicluster(level=0.4, noise=0.1, seed=1).matrix
    first, second = (isa(matrix, row_threshold=1, column_threshold=1, seed=4) for _ in range(2))
    assert first == second


def test_the_result_is_what_most_seeds_lead_to():
    matrix = planted_bicluster((40, 30), (10, 8), level=1.0, seed=2).matrix
    rng = np.random.default_rng(5)
    starts = [rng.choice(40, 6, replace=False) for _ in range(12)]
    reached = [signature(matrix, start, row_threshold=1, column_threshold=1) for start in starts]
    counts = [reached.count(one) for one in reached if one is not None]
    result = isa(matrix, row_threshold=1, column_threshold=1, seeds=12, seed_size=6, seed=5)
    assert reached.count(result) == max(counts)


@pytest.mark.parametrize("matrix", [[1, 2], [[1, 2]], [[1, np.inf], [1, 2]]])
def test_a_matrix_that_is_none_is_refused(matrix):
    with pytest.raises(ParameterError, match=r"^matrix must have two rows and two columns"):
        isa(matrix, row_threshold=1, column_threshold=1)


@pytest.mark.parametrize("options", [{"seeds": 0}, {"seed_size": 0}, {"seed_size": 5}])
def test_seeds_outside_their_range_are_refused(options):
    with pytest.raises(ParameterError, match=r"^seeds must be 1 or more and seed_size at most 4"):
        isa(BY_HAND, row_threshold=1, column_threshold=1, **options)
