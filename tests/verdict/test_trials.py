"""Verdicts on samples whose truth is known: two normal distributions, one for each class."""

from math import erf, sqrt

import numpy as np
import pytest

import isometrics as iso

pytestmark = pytest.mark.slow

OPTIONS = {"n_resamples": 100, "n_jobs": 1, "by_group": False}


def samples(trials, size, prevalence, separations, seed):
    random = np.random.default_rng(seed)
    for _ in range(trials):
        labels = random.random(size) < prevalence
        shared = random.normal(size=size)
        yield (
            labels,
            {
                f"m{i}": each * labels + sqrt(0.5) * (shared + random.normal(size=size))
                for i, each in enumerate(separations)
            },
        )


def better(separation, trials):
    drawn = samples(trials, 500, 0.3, [separation] * 3, seed=11)
    found = [iso.analyse(*each).verdict(**OPTIONS).better_than_nothing for each in drawn]
    return np.mean(found)


def test_noise_is_not_called_better_than_doing_nothing():
    assert better(0.0, trials=200) <= 0.05


@pytest.mark.parametrize(("separation", "least"), [(1.5, 0.95), (0.75, 0.8)])
def test_a_model_is_called_better(separation, least):
    assert better(separation, trials=100) >= least


def tail(x):
    return 0.5 - 0.5 * erf(x / sqrt(2))


def true_f1(threshold, separation, prevalence):
    tp, fp = prevalence * tail(threshold - separation), (1 - prevalence) * tail(threshold)
    return 2 * tp / (prevalence + tp + fp)


@pytest.mark.parametrize("separations", [(1.5, 1.5), (1.5, 1.3, 1.3, 1.3, 1.3)])
def test_the_confidence_set_holds_the_best_model(separations):
    """The best model is the one with the highest true F1 at the threshold chosen for it."""
    held = []
    for labels, scores in samples(120, 500, 0.3, separations, seed=5):
        analysis = iso.analyse(labels, scores)
        chosen = analysis.verdict(**OPTIONS).confidence_set
        true = [
            true_f1(float(iso.best_threshold(analysis.models[name])), separation, 0.3)
            for name, separation in zip(scores, separations, strict=True)
        ]
        held.append(list(scores)[int(np.argmax(true))] in chosen)
    assert np.mean(held) >= 0.93


def test_a_much_better_model_is_alone_in_its_set():
    drawn = samples(60, 2000, 0.1, (1.5, 0.75), seed=2)
    found = [iso.analyse(*each).verdict(**OPTIONS).confidence_set for each in drawn]
    assert np.mean([each == ("m0",) for each in found]) >= 0.9


def test_what_is_expected_is_what_new_data_give():
    """Without a correction, F1 of the best of five models would be .05 too high."""
    promised, expected, covered, truth = [], [], [], []
    for labels, scores in samples(80, 500, 0.2, [1.5] * 5, seed=8):
        verdict = iso.analyse(labels, scores).verdict(**OPTIONS)
        true = true_f1(verdict.threshold, 1.5, 0.2)
        promised.append(verdict.value)
        expected.append(verdict.expected)
        truth.append(true)
        covered.append(verdict.interval.lower <= true <= verdict.interval.upper)
    assert np.mean(promised) - np.mean(truth) > 0.03
    assert abs(np.mean(expected) - np.mean(truth)) < 0.01
    assert np.mean(covered) >= 0.92


@pytest.mark.parametrize("separation", [4.0, 6.0])
def test_intervals_of_models_with_few_errors_cover(separation):
    """A bootstrap of the rows alone covers 95% and 34%: most samples have no error at 6."""
    covered = []
    for labels, scores in samples(120, 600, 0.1, [separation], seed=9):
        found = iso.analyse(labels, scores).verdict(**OPTIONS)
        true = true_f1(found.threshold, separation, 0.1)
        covered.append(found.interval.lower <= true <= found.interval.upper)
    assert np.mean(covered) >= 0.9
