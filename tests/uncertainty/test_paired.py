"""Differences of models: Holm's correction, shares of replicates, words."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import isometrics as iso
from isometrics._core.results import percent
from isometrics.errors import ParameterError
from isometrics.measures import optimal_threshold
from isometrics.uncertainty.intervals import Difference, Interval, differences_of, holm, share_above


@given(st.lists(st.floats(0, 1), min_size=1, max_size=8))
def test_holm_rejects_step_by_step(p_values):
    """Holm (1979): stop at the first of the ordered p-values above level/(number left)."""
    adjusted = holm(p_values)
    order = np.argsort(p_values, kind="stable")
    for level in (0.01, 0.05, 0.2, 0.5):
        rejected = set()
        for step, row in enumerate(order):
            if p_values[row] * (len(p_values) - step) > level:
                break
            rejected.add(row)
        assert {row for row in range(len(p_values)) if adjusted[row] <= level} == rejected


def test_undefined_values_and_shares():
    np.testing.assert_allclose(holm([0.02, np.nan, 0.04]), [0.04, np.nan, 0.04])
    one, other = np.array([1.0, 2.0, 3.0, np.nan]), np.array([0.0, 2.0, 4.0, 1.0])
    assert share_above(one - other) == 0.5
    assert np.isnan(share_above(np.array([np.nan])))


@pytest.mark.parametrize(
    ("share", "shown"),
    [(0.95, "95%"), (0.999, "99.9%"), (0.9996, "99.96%"), (1.0, "100%"), (1e-12, "1e-10%")],
)
def test_percentages_never_round_to_certainty(share, shown):
    assert percent(share) == shown


TABLE = differences_of(
    "AUPRG",
    [
        Difference("A", "B", 0.05, Interval(0.01, 0.09), 0.02, 0.0124, 0.9825),
        Difference("A", "C", 0.1, Interval(0.06, 0.14), 0.02, 0.0006, 1.0),
        Difference("B", "C", 0.0, Interval(np.nan, np.nan), 0.0, np.nan, np.nan),
    ],
    level=0.95,
    replicates=2000,
)


def test_the_table_of_differences():
    assert TABLE.z.tolist()[:2] == [2.5, 5.0]
    assert TABLE.p.tolist()[:2] == [0.0124, 0.0006]
    assert TABLE.p_adjusted[0] == TABLE.p[0]
    assert TABLE.p_adjusted[1] == pytest.approx(2 * TABLE.p[1])
    assert np.isnan([TABLE.z[2], TABLE.p[2], TABLE.p_adjusted[2]]).all()
    assert repr(TABLE).startswith("Differences: AUPRG of 3 pairs of models\nfirst  second")
    assert "p_adjusted" in repr(TABLE)
    assert len(TABLE.to_frame("pandas")) == 3


def test_sentences():
    assert TABLE.sentence() == (
        "A is better than B by AUPRG with probability 98%: 0.050 higher, 95% interval 0.010 to "
        "0.090."
    )
    assert TABLE.sentence("B", "A") == TABLE.sentence("A", "B") == TABLE.sentence()
    assert "A is better than C by AUPRG with probability above 99.95%: " in TABLE.sentence("A", "C")
    assert TABLE.sentence("B", "C").startswith("B is as good as C by AUPRG: 0.000 higher")
    with pytest.raises(ParameterError, match="two of the models 'A', 'B', 'C' but are 'A' and 'X'"):
        TABLE.sentence("A", "X")


def test_a_measure_that_has_no_better_is_not_said_to_have_one():
    rng = np.random.default_rng(3)
    labels = np.arange(200) < 60
    scores = {"A": rng.normal(2.0 * labels), "B": rng.normal(0.5 * labels)}
    measures = [optimal_threshold(), "AUROC"]
    found = iso.bootstrap(labels, scores, measures=measures, n_resamples=99, random_state=0)
    gaps = found.differences("best threshold (β 1)")
    assert gaps.sentence().startswith(
        f"The best threshold (β 1) of {gaps.first[0]} is {gaps.difference[0]:.3f} higher than that "
        f"of {gaps.second[0]}, 95% interval "
    )
    compared = iso.analyse(labels, scores).compare(
        measure=optimal_threshold(), confidence_level=0.9, n_resamples=99
    )
    assert "better than" not in compared.sentence()
    assert "A is better than B by AUROC with prob" in found.differences("AUROC").sentence()


def test_p_values_agree_with_the_sentence_at_a_low_prevalence():
    """There AUPRG has a long tail, which says nothing about the side on which 0 lies."""
    rng = np.random.default_rng(2)
    labels = np.arange(600) < 90
    scores = {"A": rng.normal(2.5 * labels), "B": rng.normal(0.8 * labels)}
    gaps = iso.analyse(labels, scores).at_prevalence(0.001).bootstrap("AUPRG").differences()
    assert "with probability above 99.95%" in gaps.sentence()
    assert abs(gaps.z[0]) < 1.96
    assert gaps.lower[0] > 0
    assert gaps.p[0] < 0.05


@pytest.mark.parametrize(
    ("gap", "ends", "said"),
    [
        (0.812, (0.811, 0.814), "0.812 higher, 95% interval 0.811 to 0.814."),
        (0.0001, (-0.01, 0.02), "0.0001 higher, 95% interval -0.0100 to 0.0200."),
        (0.00004, (-0.00001, 0.00009), "0.00004 higher, 95% interval -0.00001 to 0.00009."),
        (0.0, (-0.0002, 0.0002), "0.0000 higher, 95% interval -0.0002 to 0.0002."),
        (0.25, (0.25, 0.25), "0.250 higher, 95% interval 0.250 to 0.250."),
    ],
)
def test_a_sentence_has_the_digits_that_differ(gap, ends, said):
    found = replace(
        TABLE,
        difference=np.array([gap] * len(TABLE)),
        lower=np.array([ends[0]] * len(TABLE)),
        upper=np.array([ends[1]] * len(TABLE)),
    )
    assert found.sentence().endswith(said)
