"""The panels of gains, lift, net benefit and reliability have the numbers of Python."""

import numpy as np
import pytest

from isometrics import OperatingPoints
from isometrics.calibration import calibration_report
from isometrics.decisions.lift import cumulative_gains, lift, net_benefit
from isometrics.report.model import report_model

from .test_same_numbers import close, numbers

PROBABILITIES = [0.0, 0.05, 0.1, 0.25, 0.5, 0.7, 0.99]


def draw(rng, *, weights=None, ties=True, low=0.0, high=1.0):
    rows = int(rng.integers(2, 120))
    labels = rng.random(rows) < 0.4
    labels[:2] = [True, False]
    # Twentieths meet the probabilities that are asked for.
    scores = rng.integers(0, 21, rows) / 20 if ties else rng.random(rows)
    given = {"integer": rng.integers(1, 5, rows), "float": rng.random(rows) + 0.1}.get(weights)
    return labels, low + scores * (high - low), given


@pytest.fixture(scope="module")
def samples(drawn_seed):
    rng = np.random.default_rng(drawn_seed + 7)
    kinds = [(weights, ties) for weights in (None, "integer", "float") for ties in (True, False)]
    drawn = [draw(rng, weights=weights, ties=ties) for weights, ties in kinds * 4]
    # Scores beyond the end of the decision curve.
    high = np.array([0.99995, 0.99992, 0.9999, 0.99985, 0.2])
    return [*drawn, (np.array([False, True, False, True, False]), high, None)]


@pytest.fixture(scope="module")
def both(samples, ask):
    points = [
        OperatingPoints.from_scores(labels, scores, sample_weight=weights)
        for labels, scores, weights in samples
    ]
    asked = [
        {"model": report_model({"m": pts})["models"][0], "probabilities": PROBABILITIES}
        for pts in points
    ]
    answers = ask("answers", {"tables": [], "pairs": [], "rankings": asked})["rankings"]
    return list(zip(samples, points, answers, strict=True))


def test_gains_and_lift_at_every_point_that_is_drawn(both):
    for _, points, drawn in both:
        shares, gains = numbers(np.ravel(drawn["gains"])).reshape(-1, 2).T
        assert shares.size == len(points)
        close(gains, cumulative_gains(points, np.minimum(shares, 1)))
        shares, lifts = numbers(np.ravel(drawn["lift"])).reshape(-1, 2).T
        # The share of the first point is 0, from which on lift is constant.
        assert shares[0] == 0
        assert lifts[0] == lifts[1]
        close(lifts[1:], lift(points, np.minimum(shares[1:], 1)))


def test_net_benefit(both):
    for (labels, scores, weights), points, drawn in both:
        right = net_benefit(points, PROBABILITIES)
        assert drawn["probabilities"]
        close(drawn["benefit"]["here"], right.model)
        close(drawn["benefit"]["all"], right.treat_all)
        p, value = numbers(np.ravel(drawn["benefit"]["line"])).reshape(-1, 2).T
        assert np.all(np.diff(p) <= 1e-15)
        assert (p[0], p[-1]) == (0.9999, 0)
        # At a score the curve jumps, and is drawn at both ends of the jump.
        between = ~np.isin(np.round(p, 12), np.round(points.thresholds, 12))
        close(value[between], net_benefit(points, p[between]).model)
        weight = np.ones(labels.size) if weights is None else weights
        for p, found in zip(PROBABILITIES, drawn["benefit"]["other"], strict=True):
            flagged = 1 - scores >= p
            tp, fp = weight[flagged & ~labels].sum(), weight[flagged & labels].sum()
            close(found, (tp - fp * p / (1 - p)) / weight.sum())


def test_reliability_of_counted_items(both):
    pytest.importorskip("sklearn")
    for (labels, scores, weights), _, drawn in both:
        if weights is not None and weights.dtype.kind == "f":
            continue
        times = np.ones(labels.size, int) if weights is None else weights
        right = calibration_report(np.repeat(labels, times), np.repeat(scores, times))
        for name in ("lower", "upper", "items", "positives", "predicted", "observed"):
            close([one[name] for one in drawn["bins"]], getattr(right, name))
        close(drawn["error"], right.calibration_error)
        close([1 - one["observed"] for one in drawn["other_bins"]][::-1], right.observed)


def test_reliability_of_weighted_items(both):
    for (labels, scores, weights), _, drawn in both:
        weight = np.ones(labels.size) if weights is None else weights
        assert sum(one["items"] for one in drawn["bins"]) == pytest.approx(weight.sum())
        for one in drawn["bins"]:
            inside = (scores >= one["lower"]) & (scores <= one["upper"])
            items = weight[inside].sum()
            close(one["items"], items)
            close(one["predicted"], (weight * scores)[inside].sum() / items)
            close(one["observed"], (weight * labels)[inside].sum() / items)
    for _, points, drawn in both:
        bins = drawn["wide_bins"]
        assert len(bins) <= 10
        total = points.positives + points.negatives
        assert sum(one["items"] for one in bins) == pytest.approx(total)
        assert sum(one["positives"] for one in bins) == pytest.approx(points.positives)
        close([one["observed"] for one in bins], [one["positives"] / one["items"] for one in bins])


def test_other_scores_are_no_probabilities(ask):
    asked = []
    for low, high in ((-0.01, 1.0), (0.0, 1.01), (-3.0, 4.0)):
        labels, scores, _ = draw(np.random.default_rng(0), low=low, high=high)
        scores[:2] = low, high
        model = report_model({"m": OperatingPoints.from_scores(labels, scores)})["models"][0]
        asked.append({"model": model, "probabilities": PROBABILITIES})
    for drawn in ask("answers", {"tables": [], "pairs": [], "rankings": asked})["rankings"]:
        assert not drawn["probabilities"]
        assert drawn["benefit"] is False
