"""Whether another seed may change an answer: how far the ends of intervals move between seeds."""

from math import nan

import numpy as np
import pytest

import isometrics as iso
from isometrics.errors import NotAnswerableError
from isometrics.verdict.estimates import estimate, is_near, leads, lower_end_error

REPLICATES, SEEDS = 600, 400


@pytest.mark.parametrize("models", [2, 5])
@pytest.mark.parametrize("level", [0.9, 0.95])
def test_the_ends_of_leads_move_as_far_as_is_said(models, level):
    rng = np.random.default_rng(models)
    ends, errors = [], []
    for _ in range(SEEDS):
        best = rng.normal(size=(models, REPLICATES))
        best[0] += 3
        # The spread of fixed rules is the same, so that it does not matter.
        found = leads(0, best, best, level)
        ends.append(found.lead - found.margin)
        errors.append(found.error)
    moved, said = np.std(ends, axis=0)[1:], np.mean(errors, axis=0)[1:]
    np.testing.assert_allclose(said, moved, rtol=0.2)


def test_a_lead_is_barely_told_apart_near_the_border_alone():
    rng = np.random.default_rng(1)
    noise = rng.normal(size=REPLICATES)

    def barely(lead):
        best = np.stack([noise * 0 + lead, noise])
        return leads(0, best, best, 0.95).barely

    margin = leads(0, np.stack([noise * 0, noise]), np.stack([noise * 0, noise]), 0.95).margin[1]
    shift = noise.mean()
    assert barely(margin + shift)
    assert barely(-margin + shift)
    assert not barely(shift)
    assert not barely(2 * margin + shift)
    # Models that never differ are never told apart.
    assert not leads(0, np.ones((2, 50)), np.ones((2, 50)), 0.95).barely


@pytest.mark.parametrize(
    ("end", "error", "near"),
    [(0.5, 0.0, False), (0.519, 0.01, True), (0.481, 0.01, True), (0.53, 0.01, False)],
)
def test_near_is_within_two_errors(end, error, near):
    assert is_near(end, 0.5, error) is near


@pytest.mark.parametrize("correction", [0.0, 0.04])
def test_the_lower_end_of_an_estimate_moves_as_far_as_is_said(correction):
    """The value of the rule here is 0.7; a correction is half a mean of eight dealings."""
    rng = np.random.default_rng(7)
    limits, level, ends, errors = (0.0, 1.0), 0.95, [], []
    for _ in range(SEEDS):
        dealt = 0.7 - correction / 0.9 + 0.02 * rng.normal(size=8)
        drawn = 0.7 + 0.03 * rng.normal(size=REPLICATES)
        optimism = 0.03 * rng.normal(size=REPLICATES).mean() + correction / 1.2
        less = (0.9 * (0.7 - dealt.mean()) + 1.2 * optimism) / 2
        found = estimate(0.7 - less, less, drawn, limits, level)
        ends.append(found.interval.lower)
        errors.append(lower_end_error(found, dealt, drawn, level))
    assert np.mean(errors) == pytest.approx(np.std(ends), rel=0.25)


def test_what_does_not_vary_has_no_error_and_a_single_dealing_a_large_one():
    drawn = 0.7 + 0.03 * np.random.default_rng(2).normal(size=REPLICATES)
    found = estimate(0.7, 0.0, drawn, (0.0, 1.0), 0.95)
    none = lower_end_error(found, np.array([]), drawn, 0.95)
    assert none == lower_end_error(found, np.array([nan]), drawn, 0.95) == 0
    assert lower_end_error(found, np.array([0.7]), np.array([0.7]), 0.95) == 0
    certain = estimate(1.0, 0.0, np.ones(REPLICATES), (0.0, 1.0), 0.95)
    assert lower_end_error(certain, np.array([1.0]), np.ones(REPLICATES), 0.95) == 0
    one = lower_end_error(found, np.array([0.7]), drawn, 0.95)
    many = lower_end_error(found, np.array([0.71, 0.7, 0.69]), drawn, 0.95)
    assert one > many > 0


@pytest.mark.slow
def test_answers_that_differ_between_seeds_say_barely():
    flips = said = 0
    for number in range(250):
        rng = np.random.default_rng([3, number])
        rows = int(rng.choice([100, 200, 400]))
        labels = np.arange(rows) < 0.2 * rows
        spread = rng.normal(size=rows)
        separations = rng.choice([0.5, 1.0]) + np.array([0.5, 0.0])
        models = {
            name: separation * labels + 0.6 * spread + 0.8 * rng.normal(size=rows)
            for name, separation in zip("ab", separations, strict=True)
        }
        analysis = iso.analyse(labels, models)
        try:
            first, other = (analysis.verdict(random_state=seed, n_resamples=512) for seed in (1, 2))
        except NotAnswerableError:
            continue
        if set(first.confidence_set) != set(other.confidence_set):
            flips += 1
            said += first.barely_told_apart or other.barely_told_apart
        if first.better_than_nothing != other.better_than_nothing:
            flips += 1
            said += first.barely_better or other.barely_better
    assert flips > 5
    assert said >= 0.95 * flips
