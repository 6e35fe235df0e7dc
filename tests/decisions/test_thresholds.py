"""Tables of best thresholds under constraints, against all rows."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import isometrics as iso
from isometrics.errors import UndefinedWarning
from isometrics.testing.strategies import binary_samples

LABELS = [1, 0, 1, 1, 0, 0, 1, 0]
SCORES = [0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2]
ANALYSIS = iso.analyse(LABELS, SCORES, groups=list("nnnnssss"))
CONSTRAINTS = [
    {"min_precision": 0.5},
    {"min_recall": 0.6},
    {"budget": 3},
    {"min_precision": 0.4, "min_recall": 0.4},
]


@pytest.mark.parametrize("constraints", CONSTRAINTS)
@given(binary_samples(), st.sampled_from([None, 0, 0.5, 1, 3, math.inf]))
def test_a_row_is_the_decision_for_its_objective(constraints, sample, beta):
    analysis = iso.analyse(*sample)
    asked = constraints | ({} if beta is None else {"beta": beta})
    try:
        best = iso.best_threshold(analysis.models["score"], **asked)
    except iso.errors.ParameterError:
        with pytest.warns(UndefinedWarning, match=r"score \(all rows\): no threshold"):
            table = analysis.thresholds(**asked)
        assert all(
            np.isnan(getattr(table, name)).all()
            for name in ("threshold", "tp", "precision", "f", "beta_lo", "beta_hi")
        )
        return
    table = analysis.thresholds(**asked)
    assert (table.threshold[0], table.tp[0], table.fp[0]) == (best.threshold, best.tp, best.fp)
    assert table.constraints == best.objective.partition(" with ")[2]
    at = analysis.models["score"].at([best.threshold])
    assert table.f[0] == pytest.approx(at.f(table.beta[0])[0], nan_ok=True)


@given(binary_samples(), st.sampled_from([0.25, 1.0, 4.0]), st.sampled_from([None, 0.3, 0.6, 0.9]))
def test_a_threshold_stays_best_between_its_ends(sample, beta, level):
    """The ends are those at which another rule that keeps the constraint, if any, takes over."""
    analysis = iso.analyse(*sample)
    points = analysis.models["score"]
    table = analysis.thresholds(beta=beta, min_recall=level)
    low, high = table.beta_lo[0], table.beta_hi[0]
    assert low <= beta * (1 + 1e-12)
    assert beta <= high * (1 + 1e-12)
    allowed = (points.recall >= (level or 0)) & (points.tp + points.fp > 0)
    for other in np.geomspace(0.05, 20, 25):
        best = points.f(other)[allowed].max()
        (here,) = points.at([table.threshold[0]]).f(other)
        if low <= other <= high:
            assert here == pytest.approx(best, rel=1e-9)
        else:
            assert here <= best


def test_a_table_says_its_constraints():
    table = ANALYSIS.thresholds(beta=[1, 2], min_precision=0.2, budget=5)
    constraints = "precision ≥ 0.2 and at most 5 predicted positives"
    title = f"Thresholds: best for F with β 1 and 2, {constraints}"
    assert repr(table).splitlines()[0] == title
    assert len(table) == 6
    free = ANALYSIS.thresholds()
    assert free.constraints == ""
    assert repr(free).splitlines()[0] == "Thresholds: best for F with β 0.5, 1 and 2"
    alone = ANALYSIS.thresholds(by_group=False)
    assert "group" in repr(free)
    assert "group" not in repr(alone)


def test_without_an_objective_a_constraint_asks_for_what_it_leaves():
    assert ANALYSIS.thresholds(min_precision=0.6, by_group=False).beta.tolist() == [math.inf]
    assert ANALYSIS.thresholds(min_recall=0.6, by_group=False).beta.tolist() == [0]
    both = ANALYSIS.thresholds(min_precision=0.6, min_recall=0.6, by_group=False)
    assert both.beta.tolist() == [1]
    assert ANALYSIS.thresholds(by_group=False).beta.tolist() == [0.5, 1, 2]


def test_a_group_without_an_answer_is_nan_aloud():
    with pytest.warns(UndefinedWarning, match="score s: no threshold reaches precision 0.6"):
        table = ANALYSIS.thresholds(min_precision=0.6)
    assert table.groups == ("(all rows)", "n", "s")
    assert np.isnan(table.threshold).tolist() == [False, False, True]


def test_thresholds_of_models_keep_their_digits_beside_others():
    if np.finfo(np.longdouble).nmant < 63:
        pytest.skip("long doubles are doubles here")
    large = 2**62 + np.arange(8, 0, -1)
    table = iso.analyse(LABELS, {"large": large, "small": SCORES}).thresholds(beta=1)
    assert list(map(int, table.threshold)) == [2**62 + 5, 0]
    assert float(table.threshold[1]) == 0.6
