"""Verdicts for many β are those of each β by itself, to the bit."""

from dataclasses import replace

import numpy as np
import pytest

import isometrics as iso
from isometrics._counting import native
from isometrics._counting.replicates import PLAIN
from isometrics.analysis.verdicts import (
    JUDGED_BETAS,
    _resamples_by_beta,
    contest_of_rows,
    quick_verdicts,
    verdicts_by_beta,
)
from isometrics.decisions.objective import parse_objective
from isometrics.verdict.contest import Options
from isometrics.verdict.judge import judge

RNG = np.random.default_rng(11)


def sample(rows, models, kind="plain"):
    labels = RNG.random(rows) < 0.25
    labels[:4] = [True, True, False, False]
    scores = {f"m{k}": RNG.normal((0.6 + k / 3) * labels) for k in range(models)}
    weights = None
    if kind == "ties":
        scores = {name: each.round(1) for name, each in scores.items()}
    elif kind == "weights":
        weights = RNG.random(rows) + 0.1
    elif kind == "infinite":
        scores["m0"][:5] = [np.inf, -np.inf, np.inf, 0.0, -0.0]
    elif kind == "few":
        labels = np.arange(rows) < 1
    return iso.analyse(labels, scores, sample_weight=weights)


def same(one, other):
    assert one.to_dict() == other.to_dict()
    assert one.lines() == other.lines()
    assert repr(one.models) == repr(other.models)
    assert one._rows_alone is other._rows_alone
    assert repr(one.decision) == repr(other.decision)


@pytest.mark.slow
@pytest.mark.parametrize("kernel", ["plain", "compiled"])
@pytest.mark.parametrize("kind", ["plain", "ties", "weights", "infinite", "few"])
def test_each_is_that_of_its_beta_alone(request, kernel, kind):
    if kernel == "compiled":
        request.getfixturevalue("compiled_loops")
    analysis = sample(150, 3, kind)
    for prevalence in (None, 0.05):
        betas = (0.0, 0.3333, 1.0, 4.0, np.inf)
        options = Options(n_resamples=40, random_state=3, kernel=kernel)
        rows, models = analysis.rows, analysis.models
        contest = contest_of_rows(rows, models, parse_objective(), options, prevalence)
        contests = [replace(contest, objective=parse_objective(beta=beta)) for beta in betas]
        for alone, found in zip(contests, judge(contests, options), strict=True):
            same(found, judge([alone], options)[0])


@pytest.mark.slow
def test_those_of_an_analysis_are_those_it_gives_one_by_one():
    analysis = sample(6000, 4)
    found = verdicts_by_beta(analysis, {"n_resamples": 40, "random_state": 5})
    assert len(found) == len(JUDGED_BETAS) == 41
    for beta in (0.0, 0.5, 1.0, 2.0, 3.0):
        alone = analysis.verdict(beta=beta, n_resamples=40, random_state=5)
        same(found[JUDGED_BETAS.index(beta)], alone)
    lam = np.square(JUDGED_BETAS[:-1]) / (1 + np.square(JUDGED_BETAS[:-1]))
    np.testing.assert_allclose(lam, np.arange(40) / 40, atol=3e-4)
    assert JUDGED_BETAS[-1] == np.inf
    moved = analysis.at_prevalence(0.05)
    same(verdicts_by_beta(moved, {"n_resamples": 20})[20], moved.verdict(n_resamples=20))


def test_the_first_verdict_is_one_of_them():
    analysis = sample(7000, 3)
    found = quick_verdicts(analysis, {"n_resamples": 30}, by_beta=True)
    assert found.verdicts[""] is found.by_beta[20]
    assert found.n_resamples == 30
    other = quick_verdicts(analysis, {"beta": 2, "n_resamples": 30}, by_beta=True)
    assert other.by_beta == found.by_beta
    assert str(other.verdicts[""].objective) == "F2"
    labels = RNG.random(21_000) < 0.3
    analysis = iso.analyse(labels, {"m": RNG.normal(labels).round(3)})
    alone = replace(analysis, rows=None)
    found = verdicts_by_beta(alone, {"n_resamples": 20})
    same(found[20], alone.verdict(n_resamples=20))


def test_of_more_rows_fewer_resamples_are_drawn(monkeypatch):
    drawn = [_resamples_by_beta(work) for work in (10**5, 4 * 10**5, 4 * 10**6, 5 * 10**6)]
    monkeypatch.setattr("isometrics.analysis.verdicts.kernel_named", lambda *_: PLAIN)
    slowly = [_resamples_by_beta(work) for work in (10**4, 10**5, 25 * 10**4, 3 * 10**5)]
    assert slowly == [3300, 300, 100, 100]
    if native.available():
        assert drawn == [2600, 600, 0, 0]


def test_there_are_none_where_they_are_not_needed_or_take_too_long():
    small = sample(200, 2)
    assert verdicts_by_beta(small, {}) == ()
    classes = iso.analyse(RNG.integers(0, 3, 8000), RNG.random((8000, 3)))
    assert classes.one_vs_rest
    assert verdicts_by_beta(classes, {}) == ()
    # Tables of several models do not tell which scores belong to one row.
    assert verdicts_by_beta(replace(sample(7000, 3), rows=None), {"n_resamples": 20}) == ()
    # Nor does a table of weights tell the rows.
    weighted = iso.analyse(np.arange(30_000) % 3 == 0, {"m": RNG.random(30_000)})
    half = {
        "m": iso.OperatingPoints.from_counts([1.5, 9e4], [0, 9e4], positives=9e4, negatives=9e4)
    }
    assert verdicts_by_beta(replace(weighted, models=half, rows=None), {"n_resamples": 20}) == ()
    many = {"m": iso.OperatingPoints.from_counts([3, 9], [0, 10**8], positives=9, negatives=10**8)}
    assert verdicts_by_beta(replace(weighted, models=many, rows=None), {}) == ()
