"""Tables of best thresholds under constraints, and thresholds on other data, against all rows."""

import math

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import isometrics as iso
from isometrics.errors import NotAnswerableError, ParameterError, UndefinedWarning
from isometrics.testing.strategies import binary_samples

LABELS = [1, 0, 1, 1, 0, 0, 1, 0]
SCORES = [0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2]
ANALYSIS = iso.analyse(LABELS, SCORES, groups=list("nnnnssss"))
CONSTRAINTS = [
    {"min_precision": 0.5},
    {"min_recall": 0.6},
    {"budget": 3},
    {"max_fpr": 0.3},
    {"min_specificity": 0.5},
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


@given(
    binary_samples(weights="integer"),
    st.sampled_from([0.25, 1.0, 4.0]),
    st.sampled_from([None, 0.3, 0.6, 0.9]),
)
@example(([1, 0, 1, 0, 0], [5, 4, 3, 2, 1], [0.125] * 5), 4.0, 0.3)
def test_a_threshold_stays_best_between_its_ends(sample, beta, level):
    """The ends are those at which another rule that keeps the constraint, if any, takes over."""
    analysis = iso.analyse(*sample[:2], sample_weight=sample[2])
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
    title = f"Thresholds: best on these rows for F with β 1 and 2, {constraints}"
    assert repr(table).splitlines()[0] == title
    assert len(table) == 6
    free = ANALYSIS.thresholds()
    assert free.constraints == ""
    assert repr(free).splitlines()[0] == "Thresholds: best on these rows for F with β 0.5, 1 and 2"
    alone = ANALYSIS.thresholds(by_group=False)
    assert "group" in repr(free)
    assert "group" not in repr(alone)


def test_without_an_objective_a_constraint_asks_for_what_it_leaves():
    assert ANALYSIS.thresholds(min_precision=0.6, by_group=False).beta.tolist() == [math.inf]
    assert ANALYSIS.thresholds(min_recall=0.6, by_group=False).beta.tolist() == [0]
    both = ANALYSIS.thresholds(min_precision=0.6, min_recall=0.6, by_group=False)
    assert both.beta.tolist() == [1]
    assert ANALYSIS.thresholds(by_group=False).beta.tolist() == [0.5, 1, 2]
    tuned = iso.OperatingPoints.from_scores([1, 1, 0, 0], [0.9, 0.4, 0.6, 0.1])
    assert iso.evaluate(thresholds_from=tuned, on=tuned).betas.tolist() == [0.5, 1, 2]
    result = iso.evaluate(thresholds_from=tuned, on=tuned, min_recall=1)
    assert result.betas.tolist() == [0]
    assert result.best.tolist() == [2 / 3]


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


SMALL = iso.OperatingPoints.from_scores(LABELS, SCORES)


@given(binary_samples(dtypes=["float64"]), binary_samples(dtypes=["float64"]))
def test_promised_achieved_and_best(tuning, test):
    tuning, test = (iso.OperatingPoints.from_scores(*sample) for sample in (tuning, test))
    betas = [0, 0.5, 1, 3, np.inf]
    result = iso.evaluate(thresholds_from=tuning, on=test, betas=betas)
    for row, beta in enumerate(betas):
        promised = iso.best_threshold(tuning, beta=beta)
        assert result.thresholds[row] == promised.threshold
        assert result.promised[row].tolist() == [promised.f, promised.precision, promised.recall]
        achieved = test.at([promised.threshold])
        np.testing.assert_array_equal(
            result.achieved[row], [achieved.f(beta)[0], achieved.precision[0], achieved.recall[0]]
        )
        assert result.best[row] == iso.best_threshold(test, beta=beta).f
        assert not result.achieved[row, 0] > result.best[row] * (1 + 1e-15)


def test_what_cannot_be_evaluated():
    curve = iso.OperatingPoints.from_counts([1, 3], [0, 1], positives=4, negatives=4)
    with pytest.raises(NotAnswerableError) as caught:
        iso.evaluate(thresholds_from=curve, on=SMALL)
    assert str(caught.value) == (
        "thresholds_from is a curve without thresholds whose thresholds are not known; "
        "build it from scores"
    )
    with pytest.raises(NotAnswerableError, match="a curve without thresholds cannot tell"):
        iso.evaluate(thresholds_from=SMALL, on=curve)
    with pytest.raises(ParameterError, match="betas is empty; give at least one β"):
        iso.evaluate(thresholds_from=SMALL, on=SMALL, betas=[])
    result = iso.evaluate(thresholds_from=SMALL, on=SMALL, betas=[1])
    assert repr(result).startswith("Evaluation: thresholds of the tuning data on the test data\n")


@given(binary_samples(), binary_samples())
def test_constraints_are_those_of_the_tuning_data(tuning, test):
    """The threshold is that of `best_threshold`; a budget is the same share of the test data."""
    tuned, tested = (iso.OperatingPoints.from_scores(*each) for each in (tuning, test))
    asked = {"min_recall": 0.4, "budget": 0.9 * (tuned.positives + tuned.negatives)}
    try:
        best = iso.best_threshold(tuned, beta=2, **asked)
    except ParameterError:
        with pytest.raises(ParameterError, match="no threshold has recall"):
            iso.evaluate(thresholds_from=tuned, on=tested, betas=[2], **asked)
        return
    result = iso.evaluate(thresholds_from=tuned, on=tested, betas=[2], **asked)
    assert result.thresholds.tolist() == [best.threshold]
    assert result.promised[0].tolist() == [best.f, best.precision, best.recall]
    rows = tested.positives + tested.negatives
    allowed = (tested.recall >= 0.4) & (tested.tp + tested.fp <= 0.9 * rows * (1 + 1e-9))
    allowed &= tested.tp + tested.fp > 0
    expected = tested.f(2)[allowed].max(initial=-1.0)
    if expected < 0:
        assert np.isnan(result.best).all()
    else:
        assert result.best[0] == pytest.approx(expected, rel=1e-12)
