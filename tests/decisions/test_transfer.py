"""Thresholds on other data (Davis & Goadrich 2006, section 3)."""

import numpy as np
import pytest
from hypothesis import given

import isometrics as iso
from isometrics.errors import NotAnswerableError, ParameterError
from isometrics.testing.strategies import binary_samples

LABELS = [1, 0, 1, 1, 0, 0, 1, 0]
SCORES = [0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2]
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


def test_faces_of_an_evaluation():
    result = iso.evaluate(thresholds_from=SMALL, on=SMALL, betas=[1])
    assert repr(result).startswith("Evaluation: thresholds of the tuning data on the test data\n")


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


def test_without_betas_a_constraint_asks_for_what_it_leaves():
    tuned = iso.OperatingPoints.from_scores([1, 1, 0, 0], [0.9, 0.4, 0.6, 0.1])
    assert iso.evaluate(thresholds_from=tuned, on=tuned).betas.tolist() == [0.5, 1, 2]
    result = iso.evaluate(thresholds_from=tuned, on=tuned, min_recall=1)
    assert result.betas.tolist() == [0]
    assert result.best.tolist() == [2 / 3]
