"""Rules under weightings, whatever the numbers of draws."""

import numpy as np
import pytest

from isometrics._core.rows import parse_sample
from isometrics.decisions.objective import parse_objective
from isometrics.points.models import count_models
from isometrics.verdict.contest import Contest, choose


def contest_of(labels, scores, **options):
    sample = parse_sample(labels, {"A": scores}, **options)
    objective = parse_objective()
    return Contest.of_sample(
        sample, count_models(sample), objective, clustered=False, prevalence=None
    )


@pytest.mark.parametrize("most", [1, 255, 256, 100_000])
@pytest.mark.usefixtures("compiled_loops")
def test_a_unit_may_be_drawn_any_number_of_times(most):
    rng = np.random.default_rng(most)
    labels = rng.random(60) < 0.4
    contest = contest_of(labels, rng.normal(labels))
    weights = rng.integers(0, most, (5, 60), endpoint=True).astype(float)
    weights[0, 0] = most
    plain, compiled = (choose([contest], weights, kernel)[0] for kernel in ("plain", "compiled"))
    for first, second in zip(plain, compiled, strict=True):
        np.testing.assert_array_equal(first, second)


@pytest.mark.parametrize("unit", [1.0, 2.0, 0.1])
def test_totals_are_those_of_the_sample(unit):
    labels = np.arange(50) < 20
    contest = contest_of(labels, np.arange(50.0), sample_weight=np.full(50, unit))
    (chosen,) = choose([contest], np.ones((1, 50)), "plain")
    assert chosen.positives[0] == pytest.approx(20 * unit, rel=1e-15)
    assert chosen.negatives[0] == pytest.approx(30 * unit, rel=1e-15)
