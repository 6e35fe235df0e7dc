"""A verdict against a direct loop over replicates, with tables of repeated rows."""

from math import cos, inf, log, pi
from types import SimpleNamespace

import numpy as np
import pytest

import isometrics as iso
from isometrics._core.parameters import parse_random_state
from isometrics._counting.replicates import Draws, streams

RESAMPLES = 60
RANDOM = np.random.default_rng(20)
SIZE = 90
LABELS = RANDOM.random(SIZE) < 0.4
SCORES = {
    "a": (RANDOM.normal(1.2 * LABELS) * 4).round() / 4,
    "b": RANDOM.normal(0.9 * LABELS),
    "c": (RANDOM.normal(0.3 * LABELS) * 2).round(),
}
WEIGHTS = RANDOM.integers(1, 9, SIZE) / 4
CLUSTERS = RANDOM.integers(0, 30, SIZE)


def half_gamma(replicate, cell):
    """Return half the square of a normal variate (Box & Muller), at an even sequence of points."""
    first, second = (
        (replicate + 1) * 1.0850702454914507 ** -(place + 1) % 1 for place in (cell, cell + 4)
    )
    return -log(first) * cos(2 * pi * second) ** 2


class Twin:
    """The same estimates, one table at a time."""

    def __init__(self, asked, *, weights=None, clusters=None, prevalence=None):
        self.asked = asked
        self.weights = np.ones(SIZE) if weights is None else weights
        self.unit = np.arange(SIZE) if clusters is None else clusters
        self.unit = np.unique(self.unit, return_inverse=True)[1]
        self.prevalence = prevalence
        self.whole = {name: self.table(name, np.ones(SIZE, int)) for name in SCORES}

    def table(self, name, times):
        rows = np.repeat(np.arange(SIZE), times)
        return iso.OperatingPoints.from_scores(
            LABELS[rows], SCORES[name][rows], sample_weight=self.weights[rows]
        )

    def moved(self, points):
        return points if self.prevalence is None else points.at_prevalence(self.prevalence)

    def decision(self, points):
        return iso.best_threshold(self.moved(points), **self.asked)

    def gain(self, points, threshold=None, counts=None):
        """Return what is maximised, of the rule at a threshold or of counts."""
        if counts is None:
            at = self.moved(points).at([threshold])
            tp, fp = float(at.tp[0]), float(at.fp[0])
            positives, negatives = float(at.positives), float(at.negatives)
        else:
            tp, fp = counts
            positives, negatives = float(points.positives), float(points.negatives)
            if self.prevalence is not None:
                ratio = (1 - self.prevalence) / self.prevalence
                fp, negatives = fp * positives * ratio / negatives, positives * ratio
        if "cost" in self.asked:
            alarm = self.asked["cost"]
            lost = (1 - alarm) * (positives - tp) + alarm * fp
            return -lost / (positives + negatives)
        if "min_recall" in self.asked:
            return tp / (tp + fp) if tp + fp else np.nan
        squared = self.asked["beta"] ** 2
        return (1 + squared) * tp / ((1 + squared) * tp + squared * (positives - tp) + fp)

    def unseen(self, name, threshold):
        """Return what one row is worth for tp, fp, fn and tn if these are fewer than five, or 0."""
        at = self.whole[name].at([threshold])
        units = []
        for rows in (LABELS, ~LABELS):
            own = np.bincount(self.unit, self.weights * rows)
            units.append((own**2).sum() / own.sum())
        cells = [float(cell[0]) for cell in (at.tp, at.fp, at.fn, at.tn)]
        trivial = not 0 < cells[0] + cells[1] < self.weights.sum()
        return [
            0.0 if trivial or cell >= 5 * unit else unit
            for cell, unit in zip(cells, 2 * units, strict=True)
        ]

    def wider_gain(self, points, threshold, worth, replicate):
        """Return the gain of a rule in a replicate, with rows that were not seen."""
        at = points.at([threshold])
        tp, fp, fn, tn = (each * half_gamma(replicate, cell) for cell, each in enumerate(worth))
        totals = SimpleNamespace(positives=at.positives + tp + fn, negatives=at.negatives + fp + tn)
        return self.gain(totals, counts=(at.tp[0] + tp, at.fp[0] + fp))

    def multiplicities(self):
        units = int(self.unit.max()) + 1
        draws = Draws(np.ones(units, np.int64), [slice(0, units)])
        seed = parse_random_state(7).spawn(2)[0]
        for replicates, stream in streams(seed, RESAMPLES):
            drawn = np.empty((len(replicates), units))
            draws.draw(stream, drawn)
            yield from drawn.astype(int)[:, self.unit]

    def folds(self):
        random = np.random.default_rng(parse_random_state(7).spawn(2)[1])
        positive = np.bincount(self.unit, LABELS) > 0
        for _ in range(20):
            order = random.permutation(positive.size)
            order = [*order[positive[order]], *order[~positive[order]]]
            fold = np.empty(positive.size, int)
            fold[order] = np.arange(positive.size) % 5
            yield fold[self.unit]

    def estimates(self):
        best_thresholds = {
            name: self.decision(points).threshold for name, points in self.whole.items()
        }
        gains = {name: self.gain(self.whole[name], best_thresholds[name]) for name in SCORES}
        model = max(gains, key=gains.get)
        lists = ({name: [] for name in SCORES} for _ in range(5))
        inside, outside, fixed, wider, thresholds = lists
        worth = {name: self.unseen(name, best_thresholds[name]) for name in SCORES}
        for replicate, times in enumerate(self.multiplicities()):
            for name in SCORES:
                points = self.table(name, times)
                threshold = self.decision(points).threshold
                thresholds[name].append(threshold)
                inside[name].append(self.gain(points, threshold))
                outside[name].append(self.gain(self.whole[name], threshold))
                fixed[name].append(self.gain(points, best_thresholds[name]))
                wider[name].append(
                    self.wider_gain(points, best_thresholds[name], worth[name], replicate)
                )
        inside, outside, fixed, wider = (
            np.array([values[name] for name in SCORES])
            for values in (inside, outside, fixed, wider)
        )
        fixed = wider + (fixed.mean(axis=1) - wider.mean(axis=1))[:, None]
        best = inside == inside.max(axis=0)
        winner = best.argmax(axis=0)
        columns = np.arange(RESAMPLES)
        optimism = (inside[winner, columns] - outside[winner, columns]).mean()
        crossed = [self.crossed(fold) for fold in self.folds()]
        expected = np.mean([self.gain(self.whole["a"], counts=counts) for counts in crossed])
        noise = np.quantile(fixed[list(SCORES).index(model)] - gains[model], [0.025, 0.975])
        centres = (gains[model] - optimism, expected)
        low, high = min(centres) + noise[0], max(centres) + noise[1]
        own = dict(zip(SCORES, (inside - outside).mean(axis=1), strict=True))
        own = {name: gains[name] - each for name, each in own.items()}
        return {
            "model": model,
            "threshold": best_thresholds[model],
            "value": gains[model],
            "wins": (best / best.sum(axis=0)).mean(axis=1),
            "expected": expected,
            "interval": (low, high),
            "models": [expected - own[model] + own[name] for name in SCORES],
            "threshold_range": np.quantile(
                thresholds[model], [0.025, 0.975], method="inverted_cdf"
            ),
            "recall": np.mean([tp / self.whole["a"].positives for tp, _ in crossed]),
        }

    def crossed(self, fold):
        tp = fp = 0.0
        for held in range(5):
            best = (-inf, 0.0, 0.0)
            for name in SCORES:
                train = self.table(name, (fold != held).astype(int))
                threshold = self.decision(train).threshold
                gain = self.gain(train, threshold)
                whole, seen = self.whole[name].at([threshold]), train.at([threshold])
                judged = (gain, float(whole.tp[0] - seen.tp[0]), float(whole.fp[0] - seen.fp[0]))
                best = max(best, judged, key=lambda each: each[0])
            tp, fp = tp + best[1], fp + best[2]
        return tp, fp


@pytest.mark.slow
@pytest.mark.parametrize(
    ("asked", "how"),
    [
        ({"beta": 1.0}, {}),
        ({"beta": 2.0}, {}),
        ({"cost": 0.25}, {}),
        ({"min_recall": 0.75}, {}),
        ({"max_fpr": 0.2, "beta": 2.0}, {"weights": WEIGHTS}),
        ({"min_specificity": 0.7, "beta": 0.5}, {"clusters": CLUSTERS, "prevalence": 0.2}),
        ({"beta": 1.0}, {"weights": WEIGHTS}),
        ({"beta": 1.0}, {"clusters": CLUSTERS}),
        ({"beta": 0.5}, {"prevalence": 0.07}),
        ({"cost": 0.5}, {"weights": WEIGHTS, "clusters": CLUSTERS, "prevalence": 0.2}),
    ],
)
def test_a_verdict_is_that_of_its_slow_twin(asked, how):
    analysis = iso.analyse(
        LABELS, SCORES, sample_weight=how.get("weights"), groups=how.get("clusters")
    )
    if "prevalence" in how:
        analysis = analysis.at_prevalence(how["prevalence"])
    verdict = analysis.verdict(
        **asked, clusters="clusters" in how, n_resamples=RESAMPLES, random_state=7, n_jobs=1
    )
    twin = Twin(asked, **how).estimates()
    assert (verdict.model, verdict.threshold) == (twin["model"], twin["threshold"])
    np.testing.assert_allclose(list(verdict.wins.values()), twin["wins"], rtol=1e-12)
    np.testing.assert_array_equal(verdict.threshold_range, twin["threshold_range"])
    sign = -1 if "cost" in asked else 1
    assert sign * verdict.value == pytest.approx(twin["value"], rel=1e-12)
    assert sign * verdict.expected == pytest.approx(twin["expected"], rel=1e-12)
    models = [sign * each.expected for each in verdict.models]
    # In one replicate for β = 2, two thresholds tie, and rounding decides which one is taken.
    tolerance = 2e-3 if asked == {"beta": 2.0} else 1e-12
    np.testing.assert_allclose(models, twin["models"], rtol=tolerance)
    interval = sorted(sign * end for end in verdict.interval)
    limits = (0, 1) if sign > 0 else (-max(verdict.objective.costs), 0)
    np.testing.assert_allclose(interval, np.clip(twin["interval"], *limits), rtol=1e-12)
    if "min_recall" in asked:
        assert verdict.kept[0].expected == pytest.approx(twin["recall"], rel=1e-12)


def analysis():
    return iso.analyse(LABELS, SCORES, groups=CLUSTERS)


@pytest.mark.slow
@pytest.mark.parametrize(
    "asked", [{}, {"cost": 0.3}, {"min_precision": 0.6, "sure": 0.8}, {"clusters": True}]
)
@pytest.mark.usefixtures("compiled_loops")
def test_threads_and_kernels_give_the_same_verdict(asked):
    asked = {"n_resamples": 70, "by_group": False} | asked
    expected = analysis().verdict(n_jobs=1, kernel="plain", **asked)
    for jobs in (1, 2):
        for kernel in ("plain", "compiled"):
            again = analysis().verdict(n_jobs=jobs, kernel=kernel, **asked)
            assert again == expected


@pytest.mark.usefixtures("compiled_loops")
def test_an_index_has_no_compiled_kernel_and_the_same_verdict():
    asked = {"index": "f-gain", "n_resamples": 40, "by_group": False}
    plain, other = (analysis().verdict(kernel=name, **asked) for name in ("plain", "compiled"))
    assert plain == other
    assert plain.other_weights is None


def test_a_seed_gives_other_numbers_than_another():
    first, second = (
        analysis().verdict(n_resamples=40, random_state=seed, by_group=False) for seed in (1, 2)
    )
    assert first.interval != second.interval


def f_of(beta, tp, fp, fn):
    return (1 + beta**2) * tp / ((1 + beta**2) * tp + beta**2 * fn + fp)


@pytest.mark.parametrize("beta", [0.5, 1.0, 2.0])
def test_with_tuning_data_one_model_has_the_value_of_evaluate_and_a_bootstrap(beta):
    """Of 45 rows, some cells have fewer than five: their spread has rows that were not seen."""
    tuning, test = np.arange(SIZE) % 2 == 0, np.arange(SIZE) % 2 == 1
    analyses = [iso.analyse(LABELS[rows], SCORES["b"][rows]) for rows in (tuning, test)]
    verdict = analyses[1].verdict(
        beta=beta, thresholds_from=analyses[0], n_resamples=80, random_state=7
    )
    points = [each.models["score"] for each in analyses]
    evaluated = iso.evaluate(thresholds_from=points[0], on=points[1], betas=[beta])
    assert verdict.threshold == evaluated.thresholds[0]
    assert verdict.value == verdict.expected == evaluated.achieved[0, 0]
    units = int(test.sum())
    draws = Draws(np.ones(units, np.int64), [slice(0, units)])
    here = points[1].at([verdict.threshold])
    few = [cell < 5 for cell in (here.tp[0], here.fp[0], here.fn[0])]
    assert any(few)
    values, wider = [], []
    for replicates, stream in streams(parse_random_state(7).spawn(2)[0], 80):
        drawn = np.empty((len(replicates), units))
        draws.draw(stream, drawn)
        for times in drawn.astype(int):
            rows = np.repeat(np.flatnonzero(test), times)
            table = iso.OperatingPoints.from_scores(LABELS[rows], SCORES["b"][rows])
            table = table.at([verdict.threshold])
            cells = [table.tp[0], table.fp[0], table.fn[0]]
            values.append(f_of(beta, *cells))
            more = [few[cell] * half_gamma(len(wider), cell) for cell in range(3)]
            wider.append(f_of(beta, *np.add(cells, more)))
    wider = np.add(wider, np.mean(values) - np.mean(wider))
    np.testing.assert_allclose(
        verdict.interval, np.quantile(wider, [0.025, 0.975]), rtol=0, atol=1e-13
    )
