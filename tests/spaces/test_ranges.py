"""Ranges of constant state, for functions known by their values only."""

import numpy as np

from isometrics.spaces.tradeoff import STEPS, grid_with, ranges_of, with_closest


def test_a_third_state_between_two_weights_of_the_grid():
    """Both borders of a state that no weight of the grid meets lie inside one step."""
    first, second = 0.5 + 0.2 / STEPS, 0.5 + 0.3 / STEPS

    def states(lam):
        return np.stack([lam < first, lam > second], axis=1)

    starts, found = ranges_of(states, np.linspace(0, 1, STEPS + 1))
    np.testing.assert_allclose(starts, [0, first, second], atol=1e-15)
    assert found.tolist() == [[True, False], [False, False], [False, True]]


def test_a_state_of_one_point_is_a_border():
    def states(lam):
        return np.stack([lam <= 0.5, lam >= 0.5], axis=1)

    lam = grid_with(np.array([0.3]))
    assert lam.size == 2 * (STEPS + 2) - 1
    assert (lam[0], lam[-1]) == (0, 1)
    assert np.isin([0.3, 0.5 / STEPS], lam).all()
    starts, found = ranges_of(states, lam)
    np.testing.assert_allclose(starts, [0, 0.5], atol=1e-15)
    assert found.tolist() == [[True, False], [False, True]]


def test_states_without_any_order_end_in_a_bounded_search():
    """Every weight has a state of its own: no search can find all the ranges."""

    def states(lam):
        bits = np.asarray(lam).view(np.uint64)
        return (bits[:, None] >> np.arange(24, dtype=np.uint64) & np.uint64(1)).astype(bool)

    starts, found = ranges_of(states, np.linspace(0.1, 0.9, 999))
    assert starts[0] == 0
    assert (np.diff(starts) > 0).all()
    assert len(starts) == len(found) < 2**16


def test_the_weights_of_smallest_gaps_are_located():
    """A gap with a minimum every four and a half steps of the grid."""
    grid, minima = np.linspace(0, 1, STEPS + 1), (4.5 * np.arange(228) + 0.5) / STEPS

    def gaps(lam):
        waves = (lam * STEPS - 0.5) / 4.5
        return np.stack([np.zeros(lam.size), 1 + np.abs(waves - np.rint(waves))], axis=1)

    found = with_closest(grid, gaps)
    assert np.isin(grid, found).all()
    distances = np.abs(found - minima[:, None])
    assert distances.min(axis=1).max() < 1e-8
    assert distances.min(axis=0)[~np.isin(found, grid)].max() < 1e-8
