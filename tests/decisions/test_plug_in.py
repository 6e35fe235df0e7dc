"""The plug-in rule F*/(1+β²) (Zhao et al. 2013; Lipton et al. 2014)."""

import math

import numpy as np
import pytest

import isometrics as iso
from isometrics.decisions.threshold_choice import plug_in_threshold
from isometrics.errors import NotAnswerableError, ScoreError


@pytest.mark.parametrize("beta", [0.25, 0.5, 1, 2, 4])
def test_calibrated_probabilities_agree_with_the_hull(beta):
    """Every probability p has exactly a share p of positives: calibrated without noise."""
    counts = np.arange(1, 100)
    scores = np.repeat(counts / 100, 2)
    labels, weights = np.tile([1, 0], 99), np.column_stack([counts, 100 - counts]).ravel()
    pts = iso.OperatingPoints.from_scores(labels, scores, sample_weight=weights)
    result = plug_in_threshold(pts, beta)
    assert result.agrees
    assert result.lost == 0
    assert result.threshold == pytest.approx(result.best.f / (1 + beta**2))
    assert repr(result).splitlines()[0].endswith("agrees with the hull")


def test_a_disagreement_is_told():
    pts = iso.OperatingPoints.from_scores(
        [1, 0, 1, 1, 0, 0, 1, 0], [0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2]
    )
    result = plug_in_threshold(pts)
    assert not result.agrees
    assert result.threshold == 0.375
    assert (result.plug_in.tp, result.plug_in.fp, result.plug_in.f) == (3, 3, 0.6)
    assert result.lost == pytest.approx(0.15)
    assert "<caption>PlugIn: threshold 0.375" in result._repr_html_()
    assert plug_in_threshold(pts, math.inf).threshold == 0


def test_scores_must_be_probabilities_of_every_item():
    with pytest.raises(ScoreError) as caught:
        plug_in_threshold(iso.OperatingPoints.from_scores([1, 0], [2.0, 0.5]))
    assert str(caught.value) == (
        "the plug-in rule needs probabilities between 0 and 1 as scores, but the table has the "
        "threshold 2.0"
    )
    hull = iso.OperatingPoints.from_scores([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1]).hull()
    with pytest.raises(NotAnswerableError, match="a hull cannot tell"):
        plug_in_threshold(hull)
    unscored = iso.OperatingPoints.from_scores([1, 0], [0.9, 0.4], positives=5, negatives=7)
    assert plug_in_threshold(unscored, math.inf).plug_in.tp == 1
