"""A verdict against a direct loop over replicates, with tables of repeated rows."""

from math import cos, inf, log, pi
from types import SimpleNamespace

import numpy as np
import pytest

import isometrics as iso
from isometrics._core.parameters import parse_random_state
from isometrics._counting.replicates import Draws, streams
from isometrics.errors import ParameterError

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

    def fold(self):
        """Return the part of each row, in the only dealing of so few replicates."""
        random = np.random.default_rng(parse_random_state(7).spawn(2)[1])
        positive = np.bincount(self.unit, LABELS) > 0
        order = random.permutation(positive.size)
        order = [*order[positive[order]], *order[~positive[order]]]
        fold = np.empty(positive.size, int)
        fold[order] = np.arange(positive.size) % 5
        return fold[self.unit]

    def rule_of(self, name, best, points):
        """Return the chosen rule of a model as the lowest score that it flags.

        `best` are the best thresholds in replicates, `points` the table that it is chosen on.
        """
        limits = {"min_recall", "max_fpr", "min_specificity"} & set(self.asked)
        if not limits:
            return sorted(best[name], reverse=True)[(len(best[name]) - 1) // 2]
        limit = limits.pop()
        found = []
        for threshold in points.thresholds[1:].tolist():
            at = self.moved(points).at([threshold])
            rates = {
                "min_recall": float(at.tp[0] / at.positives),
                "max_fpr": -float(at.fp[0] / at.negatives),
                "min_specificity": 1 - float(at.fp[0] / at.negatives),
            }
            slack = rates[limit] - (-1 if limit == "max_fpr" else 1) * self.asked[limit]
            if slack >= -1e-12:
                found.append((self.gain(points, threshold), slack, threshold))
        least = 0.99 * max(gain for gain, _, _ in found)
        return max((each for each in found if each[0] >= least), key=lambda each: each[1:])[2]

    def best_in(self, replicates):
        """Return, by model, the best thresholds in some replicates and their gains there.

        Where no rule keeps a limit, the gain is less than any other.
        """
        thresholds, inside = ({name: [] for name in SCORES} for _ in range(2))
        for times in replicates:
            for name in SCORES:
                points = self.table(name, times)
                try:
                    thresholds[name].append(self.decision(points).threshold)
                except ParameterError:
                    thresholds[name].append(np.nan)
                    inside[name].append(np.nan)
                else:
                    inside[name].append(self.gain(points, thresholds[name][-1]))
        worst = np.nanmin(list(inside.values())) - 1
        return thresholds, {name: np.nan_to_num(each, nan=worst) for name, each in inside.items()}

    def recall(self, name, threshold):
        at = self.whole[name].at([threshold])
        return float(at.tp[0] / at.positives)

    def estimates(self):
        replicates = list(self.multiplicities())
        best, inside = self.best_in(replicates)
        means = {name: each.mean() for name, each in inside.items()}
        model = max(means, key=means.get)
        rules = {name: self.rule_of(name, best, self.whole[name]) for name in SCORES}
        here = {name: self.gain(self.whole[name], rules[name]) for name in SCORES}
        gains = np.array([inside[name] for name in SCORES])
        winner = [list(SCORES)[each] for each in gains.argmax(axis=0)]
        crossed = self.crossed(replicates[:32])
        quantities = {
            "gain": (self.gain_of, here[model], self.gain(self.whole["a"], counts=crossed))
        }
        if "min_recall" in self.asked:
            found = self.recall(model, rules[model]), crossed[0] / self.whole["a"].positives
            quantities["recall"] = (self.recall_of, *found)
        corrections = {}
        for key, (quantity, seen, elsewhere) in quantities.items():
            optimism = np.mean(
                [
                    quantity(self.table(name, times), name, best[name][each])
                    - quantity(self.whole[name], name, best[name][each])
                    for each, (name, times) in enumerate(zip(winner, replicates, strict=True))
                ]
            )
            corrections[key] = (0.9 * (seen - elsewhere) + 1.2 * optimism) / 2
        expected = here[model] - corrections["gain"]
        worth = self.unseen(model, rules[model])
        spread = [
            self.wider_gain(self.table(model, times), rules[model], worth, replicate)
            for replicate, times in enumerate(replicates)
        ]
        tops = gains == gains.max(axis=0)
        wins = tops / tops.sum(axis=0)
        return {
            "model": model,
            "edge": rules[model],
            "value": here[model],
            "wins": wins.mean(axis=1),
            "expected": expected,
            "spread": spread,
            "correction": corrections["gain"],
            "models": [expected - means[model] + means[name] for name in SCORES],
            "thresholds": best[model],
            "recall": self.recall(model, rules[model]) - corrections.get("recall", 0),
        }

    def gain_of(self, points, _, threshold):
        return self.gain(points, threshold)

    def recall_of(self, points, _, threshold):
        at = points.at([threshold])
        return float(at.tp[0] / at.positives)

    def crossed(self, replicates):
        """Return the pooled counts of choices that were made without the rows of one part."""
        tp = fp = 0.0
        fold = self.fold()
        for held in range(5):
            kept = fold != held
            best, inside = self.best_in([times * kept for times in replicates])
            means = {name: each.mean() for name, each in inside.items()}
            name = max(means, key=means.get)
            train = self.table(name, kept.astype(int))
            edge = self.rule_of(name, best, train)
            # In the middle of the gap below the last row of the other parts.
            thresholds = self.whole[name].thresholds
            seen = train.at(thresholds)
            flagged = np.array(seen.tp + seen.fp)
            rule = int(np.flatnonzero(thresholds == edge)[0])
            more = np.flatnonzero(flagged > flagged[rule] + 1e-12)
            if more.size:
                middle = (edge + thresholds[more[0]]) / 2
                rule = int(np.flatnonzero(thresholds >= middle)[-1])
            whole = self.whole[name]
            tp += float(whole.tp[rule] - seen.tp[rule])
            fp += float(whole.fp[rule] - seen.fp[rule])
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
    assert verdict.model == twin["model"]
    thresholds = analysis.models[verdict.model].thresholds
    below = thresholds[thresholds < twin["edge"]].max(initial=-inf)
    assert below < verdict.threshold <= twin["edge"]
    np.testing.assert_allclose(list(verdict.wins.values()), twin["wins"], rtol=1e-12)
    ends = np.quantile(twin["thresholds"], [0.025, 0.975], method="inverted_cdf")
    found = [thresholds[thresholds >= end].min() for end in verdict.threshold_range]
    np.testing.assert_array_equal(found, ends)
    sign = -1 if "cost" in asked else 1
    assert sign * verdict.value == pytest.approx(twin["value"], rel=1e-12)
    assert sign * verdict.expected == pytest.approx(twin["expected"], rel=1e-12)
    models = [sign * each.expected for each in verdict.models]
    # In one replicate for β = 2, two thresholds tie, and rounding decides which one is taken.
    tolerance = 2e-3 if asked == {"beta": 2.0} else 1e-12
    low, high = (0, 1) if sign > 0 else (-max(verdict.objective.costs), 0)
    np.testing.assert_allclose(models, np.clip(twin["models"], low, high), rtol=tolerance)
    share = (twin["expected"] - low) / (high - low)
    mean, variance = np.mean(twin["spread"]), np.var(twin["spread"], ddof=1)
    typical = (share + (mean - low) / (high - low)) / 2
    variance += 0.4 * twin["correction"] ** 2
    rows = typical * (1 - typical) * (high - low) ** 2 / variance
    for end in verdict.interval:
        at = (sign * end - low) / (high - low)
        distance = 1.959963984540054 * (at * (1 - at) / rows) ** 0.5
        assert abs(at - share) == pytest.approx(distance, rel=1e-9)
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
def test_with_tuning_data_nothing_is_corrected(beta):
    """Of 45 rows, some cells have fewer than five: their spread has rows that were not seen."""
    tuning, test = np.arange(SIZE) % 2 == 0, np.arange(SIZE) % 2 == 1
    analyses = [iso.analyse(LABELS[rows], SCORES["b"][rows]) for rows in (tuning, test)]
    verdict = analyses[1].verdict(
        beta=beta, thresholds_from=analyses[0], n_resamples=80, random_state=7
    )
    alone = analyses[0].verdict(beta=beta, n_resamples=80, random_state=7)
    # Another stream of random numbers than that of a verdict on the tuning data alone.
    assert verdict.threshold == pytest.approx(alone.threshold, abs=0.3)
    here = analyses[1].models["score"].at([verdict.threshold])
    counts = [float(each[0]) for each in (here.tp, here.fp, here.fn)]
    value = f_of(beta, *counts)
    assert verdict.value == verdict.expected == pytest.approx(value, rel=1e-14)
    units = int(test.sum())
    draws = Draws(np.ones(units, np.int64), [slice(0, units)])
    few = [cell < 5 for cell in counts]
    assert any(few)
    wider = []
    for replicates, stream in streams(parse_random_state(7).spawn(2)[0], 80):
        drawn = np.empty((len(replicates), units))
        draws.draw(stream, drawn)
        for times in drawn.astype(int):
            rows = np.repeat(np.flatnonzero(test), times)
            table = iso.OperatingPoints.from_scores(LABELS[rows], SCORES["b"][rows])
            table = table.at([verdict.threshold])
            cells = [table.tp[0], table.fp[0], table.fn[0]]
            more = [few[cell] * half_gamma(len(wider), cell) for cell in range(3)]
            wider.append(f_of(beta, *np.add(cells, more)))
    typical = (value + np.mean(wider)) / 2
    rows = typical * (1 - typical) / np.var(wider, ddof=1)
    for end in verdict.interval:
        distance = 1.959963984540054 * (end * (1 - end) / rows) ** 0.5
        assert abs(end - value) == pytest.approx(distance, rel=1e-9)
