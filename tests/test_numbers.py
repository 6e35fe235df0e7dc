"""A number of any type is a number, for every public parameter that takes one."""

import importlib
import inspect
import math
import re
import warnings
from contextlib import suppress
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest

import isometrics as iso
from isometrics._core.families import parse_shape
from isometrics._core.parameters import parse_number, parse_numbers
from isometrics.calibration.reliability import calibration_report
from isometrics.decisions import lift, threshold_choice
from isometrics.errors import IsometricsError
from isometrics.measures import (
    f_at,
    f_gain_at,
    optimal_f,
    optimal_f_gain,
    optimal_threshold,
    precision_at,
    recall_at,
)
from isometrics.spaces import isolines
from isometrics.uncertainty.permutation import chance_level, permutation_test
from isometrics.uncertainty.sample_size import sample_size

LABELS = [1, 0, 1, 1, 0, 0, 1, 0] * 4
SCORES = np.arange(32.0)[::-1] % 11
PTS = iso.OperatingPoints.from_scores(LABELS, SCORES)
PROBABLE = iso.OperatingPoints.from_scores(LABELS, SCORES / 16)
MODELS = {"A": SCORES, "B": SCORES[::-1] + LABELS}
AN = iso.analyse(LABELS, MODELS)
CLASSES = iso.analyse(np.eye(3)[[0, 1, 2, 0]], np.arange(12).reshape(4, 3) % 5)
FEW = {"n_resamples": 40, "random_state": 0}
CURVES = iso.bootstrap_curves(LABELS, MODELS, space="tradeoff", x=[0.25, 0.5], **FEW)
TABLE = pa.table({"label": LABELS, "score": SCORES})
COUNTS = {"tp": [2, 4], "fp": [0, 3]}
Points = iso.OperatingPoints


def shown(plot, *given, **options):
    """Return all coordinates that a picture has."""
    pytest.importorskip("matplotlib").use("agg")
    from matplotlib import pyplot as plt

    drawn = plot(*given, **options)
    result = [line.get_xydata() for line in drawn.lines], drawn.get_xlim()
    plt.close("all")
    return result


def plotted(name, **options):
    from isometrics import plot

    return shown(getattr(plot, name), PTS, **options)


def sklearn(name):
    pytest.importorskip("sklearn")
    return getattr(importlib.import_module("isometrics.integrations.sklearn"), name)


def classifier(name, **options):
    from sklearn.linear_model import LogisticRegression

    kind = sklearn(name)
    model = kind(LogisticRegression(), cv=2, **options).fit(SCORES[:, None], np.array(LABELS))
    return model.predict(SCORES[:, None])


def judged(**options):
    """The numbers of a verdict that depend on each of its options."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        verdict = AN.verdict(**{"n_resamples": 20} | options)
    return [verdict.value, *verdict.interval, verdict.threshold]


def checked(threshold=3, **options):
    """The numbers of a given threshold and the best one."""
    check = AN.at(threshold, **{"n_resamples": 20} | options)
    return [check.threshold, check.value, check.lower, check.shortfall_upper]


# By the name of the parameter: a number to give, and what comes of it.
REAL = {
    "Analysis.all_bands(confidence_level)": (
        0.5,
        lambda x: AN.all_bands(confidence_level=x, n_resamples=20)[0].lower,
    ),
    "Analysis.bands(confidence_level)": (
        0.5,
        lambda x: AN.bands("pr", confidence_level=x, n_resamples=20)[0].lower,
    ),
    "Analysis.bands(x)": (0.5, lambda x: AN.bands("pr", x=x, n_resamples=20)[0].estimate),
    "Analysis.bootstrap(confidence_level)": (
        0.5,
        lambda x: AN.bootstrap("AUROC", confidence_level=x, **FEW).lower,
    ),
    "Analysis.at_prevalence(prevalence)": (
        0.25,
        lambda x: AN.at_prevalence(x).summary().to_frame("pyarrow"),
    ),
    "Analysis.compare(confidence_level)": (
        0.5,
        lambda x: AN.compare(confidence_level=x, **FEW).sentence(),
    ),
    "Analysis.macro_average(beta)": (2, lambda x: CLASSES.macro_average("best-f-gain", beta=x)),
    "Analysis.summary(beta)": (2, lambda x: AN.summary(beta=x).to_frame("pyarrow")),
    "Analysis.summary(confidence_level)": (
        0.5,
        lambda x: AN.summary(confidence_level=x, **FEW).to_frame("pyarrow"),
    ),
    "Analysis.thresholds(beta)": (2, lambda x: AN.thresholds(beta=x).to_frame("pyarrow")),
    **{
        f"Analysis.verdict({name})": (value, lambda x, name=name: judged(**{name: x}))
        for name, value in {
            "beta": 2,
            "budget": 4,
            "confidence_level": 0.5,
            "cost": 0.25,
            "lam": 0.25,
            "min_precision": 0.5,
            "min_recall": 0.5,
        }.items()
    },
    **{
        f"Analysis.at({name})": (value, lambda x, name=name: checked(**{name: x}))
        for name, value in {
            "beta": 2,
            "budget": 4,
            "confidence_level": 0.5,
            "cost": 0.25,
            "lam": 0.25,
            "min_precision": 0.5,
            "min_recall": 0.5,
        }.items()
    },
    "Analysis.at(false_alarm_cost)": (2, lambda x: checked(false_alarm_cost=x, miss_cost=1)),
    "Analysis.at(miss_cost)": (2, lambda x: checked(miss_cost=x, false_alarm_cost=1)),
    "Analysis.at(threshold)": (2, lambda x: checked(threshold=x)),
    "Analysis.verdict(false_alarm_cost)": (2, lambda x: judged(false_alarm_cost=x, miss_cost=1)),
    "Analysis.verdict(miss_cost)": (2, lambda x: judged(miss_cost=x, false_alarm_cost=1)),
    "Analysis.verdict(sure)": (0.5, lambda x: judged(sure=x, min_recall=0.25)),
    "Average.curve(confidence_level)": (
        0.5,
        lambda x: iso.average([PTS, PTS]).curve(confidence_level=x).upper,
    ),
    "Average.curve(x)": (0.5, lambda x: iso.average([PTS, PTS]).curve(x=x).estimate),
    "BetterCurve.at(lam)": (0.25, lambda x: CURVES.better("A", "B").at(x)),
    "Bootstrap.with_intervals(confidence_level)": (
        0.5,
        lambda x: iso.bootstrap(PTS, **FEW).with_intervals(confidence_level=x).lower,
    ),
    "CurveReplicates.band(confidence_level)": (
        0.5,
        lambda x: CURVES.band("A", confidence_level=x).upper,
    ),
    "OperatingPoints.at(thresholds)": (2, lambda x: PTS.at(x).tp),
    "OperatingPoints.at_prevalence(prevalence)": (0.25, lambda x: PTS.at_prevalence(x).pr.area()),
    "OperatingPoints.from_counts(negatives)": (
        8,
        lambda x: Points.from_counts(**COUNTS, positives=8, negatives=x).tn,
    ),
    "OperatingPoints.from_counts(positives)": (
        8,
        lambda x: Points.from_counts(**COUNTS, positives=x, negatives=8).fn,
    ),
    "OperatingPoints.from_pr(negatives)": (
        8,
        lambda x: Points.from_pr([0.5], [0.5], positives=8, negatives=x).fp,
    ),
    "OperatingPoints.from_pr(positives)": (
        8,
        lambda x: Points.from_pr([0.5], [0.5], positives=x, negatives=8).tp,
    ),
    "OperatingPoints.from_roc(negatives)": (
        8,
        lambda x: Points.from_roc([0.5], [0.5], positives=8, negatives=x).fp,
    ),
    "OperatingPoints.from_roc(positives)": (
        8,
        lambda x: Points.from_roc([0.5], [0.5], positives=x, negatives=8).tp,
    ),
    "OperatingPoints.from_scores(negatives)": (
        8,
        lambda x: Points.from_scores([1, 0], [2, 1], negatives=x).fp,
    ),
    "OperatingPoints.from_scores(positives)": (
        8,
        lambda x: Points.from_scores([1, 0], [2, 1], positives=x).tp,
    ),
    "OperatingPoints.accuracy(cost)": (0.25, PTS.accuracy),
    "OperatingPoints.f(beta)": (2, PTS.f),
    "OperatingPoints.f_gain(beta)": (2, PTS.f_gain),
    "OptimalThresholds.at(beta)": (2, lambda x: iso.optimal_thresholds(PTS).at(x).thresholds),
    "PRGSpace.area(hi)": (0.5, lambda x: PTS.prg.area(0, x)),
    "PRGSpace.area(lo)": (0.5, lambda x: PTS.prg.area(x, 1)),
    "PRGSpace.expected_f_gain(beta)": (2, PTS.prg.expected_f_gain),
    "PRGSpace.interpolate(x)": (0.5, PTS.prg.interpolate),
    "PRGSpace.standardised_area(hi)": (0.5, lambda x: PTS.prg.standardised_area(0, x)),
    "PRGSpace.standardised_area(lo)": (0.5, lambda x: PTS.prg.standardised_area(x, 1)),
    "PRSpace.area(hi)": (0.5, lambda x: PTS.pr.area(lo=0, hi=x)),
    "PRSpace.area(lo)": (0.5, lambda x: PTS.pr.area(lo=x, hi=1)),
    "PRSpace.areas(hi)": (0.5, lambda x: PTS.pr.areas(lo=0, hi=x)),
    "PRSpace.areas(lo)": (0.5, lambda x: PTS.pr.areas(lo=x, hi=1)),
    "PRSpace.interpolate(x)": (0.5, PTS.pr.interpolate),
    "PRSpace.minimum_area(hi)": (0.5, lambda x: PTS.pr.minimum_area(0, x)),
    "PRSpace.minimum_area(lo)": (0.5, lambda x: PTS.pr.minimum_area(x, 1)),
    "PRSpace.normalised_area(hi)": (0.5, lambda x: PTS.pr.normalised_area(lo=0, hi=x)),
    "PRSpace.normalised_area(lo)": (0.5, lambda x: PTS.pr.normalised_area(lo=x, hi=1)),
    "PRSpace.standardised_area(hi)": (0.5, lambda x: PTS.pr.standardised_area(lo=0, hi=x)),
    "PRSpace.standardised_area(lo)": (0.5, lambda x: PTS.pr.standardised_area(lo=x, hi=1)),
    "ROCSpace.area(hi)": (0.5, lambda x: PTS.roc.area(0, x)),
    "ROCSpace.area(lo)": (0.5, lambda x: PTS.roc.area(x, 1)),
    "ROCSpace.interpolate(x)": (0.5, PTS.roc.interpolate),
    "ROCSpace.standardised_area(hi)": (0.5, lambda x: PTS.roc.standardised_area(0, x)),
    "ROCSpace.standardised_area(lo)": (0.5, lambda x: PTS.roc.standardised_area(x, 1)),
    "Tradeoff.__call__(lam)": (0.25, PTS.tradeoff()),
    "Tradeoff.area(hi)": (0.5, lambda x: PTS.tradeoff().area(0, x)),
    "Tradeoff.area(lo)": (0.5, lambda x: PTS.tradeoff().area(x, 1)),
    "Tradeoff.best(lam)": (0.25, lambda x: PTS.tradeoff().best(x)),
    "Tradeoff.curves(lam)": (0.25, lambda x: PTS.tradeoff().curves(x)),
    "Tradeoff.with_constraints(min_precision)": (
        0.5,
        lambda x: PTS.tradeoff().with_constraints(min_precision=x).area(),
    ),
    "Tradeoff.with_constraints(min_recall)": (
        0.5,
        lambda x: PTS.tradeoff().with_constraints(min_recall=x).area(),
    ),
    "average(beta)": (2, lambda x: iso.average([PTS, PTS], beta=x).mean),
    "average(prevalence)": (0.25, lambda x: iso.average([PTS, PTS], prevalence=x).mean),
    "average(threshold)": (2, lambda x: iso.average([PTS, PTS], threshold=x).mean),
    "Analysis.thresholds(budget)": (8, lambda x: AN.thresholds(budget=x).to_frame("pyarrow")),
    "Analysis.thresholds(min_precision)": (
        0.25,
        lambda x: AN.thresholds(min_precision=x).to_frame("pyarrow"),
    ),
    "Analysis.thresholds(min_recall)": (
        0.5,
        lambda x: AN.thresholds(min_recall=x).to_frame("pyarrow"),
    ),
    "evaluate(budget)": (
        8,
        lambda x: iso.evaluate(thresholds_from=PTS, on=PTS, budget=x).to_frame("pyarrow"),
    ),
    "evaluate(min_precision)": (
        0.25,
        lambda x: iso.evaluate(thresholds_from=PTS, on=PTS, min_precision=x).to_frame("pyarrow"),
    ),
    "evaluate(min_recall)": (
        0.5,
        lambda x: iso.evaluate(thresholds_from=PTS, on=PTS, min_recall=x).to_frame("pyarrow"),
    ),
    "best_threshold(beta)": (2, lambda x: iso.best_threshold(PTS, beta=x).value),
    "best_threshold(budget)": (8, lambda x: iso.best_threshold(PTS, budget=x).value),
    "best_threshold(cost)": (0.25, lambda x: iso.best_threshold(PTS, cost=x).value),
    "best_threshold(false_alarm_cost)": (
        2,
        lambda x: iso.best_threshold(PTS, false_alarm_cost=x, miss_cost=1).value,
    ),
    "best_threshold(miss_cost)": (
        2,
        lambda x: iso.best_threshold(PTS, miss_cost=x, false_alarm_cost=1).value,
    ),
    "best_threshold(lam)": (0.25, lambda x: iso.best_threshold(PTS, lam=x).value),
    "best_threshold(min_precision)": (
        0.5,
        lambda x: iso.best_threshold(PTS, min_precision=x).value,
    ),
    "best_threshold(min_recall)": (0.5, lambda x: iso.best_threshold(PTS, min_recall=x).value),
    "bootstrap(confidence_level)": (
        0.5,
        lambda x: iso.bootstrap(PTS, confidence_level=x, **FEW).lower,
    ),
    "bootstrap(prevalence)": (0.25, lambda x: iso.bootstrap(PTS, prevalence=x, **FEW).lower),
    "bootstrap_curves(confidence_level)": (
        0.5,
        lambda x: iso.bootstrap_curves(PTS, confidence_level=x, **FEW).band().lower,
    ),
    "bootstrap_curves(prevalence)": (
        0.25,
        lambda x: iso.bootstrap_curves(PTS, prevalence=x, **FEW).band().lower,
    ),
    "bootstrap_curves(x)": (0.5, lambda x: iso.bootstrap_curves(PTS, x=x, **FEW).band().lower),
    "delong(confidence_level)": (
        0.5,
        lambda x: iso.delong(LABELS, SCORES, confidence_level=x).lower,
    ),
    "evaluate(betas)": (
        2,
        lambda x: iso.evaluate(thresholds_from=PTS, on=PTS, betas=x).to_frame("pyarrow"),
    ),
    "fbeta_gain_score(beta)": (2, lambda x: iso.fbeta_gain_score([1, 0, 1], [1, 1, 0], beta=x)),
    **{
        f"{name}(prevalence)": (
            0.25,
            lambda x, name=name: getattr(iso, name)(
                [1, 0, 1], [1, 1, 0], prevalence=x, **({"beta": 1} if "fbeta" in name else {})
            ),
        )
        for name in (
            "f1_gain_score",
            "fbeta_gain_score",
            "precision_gain_score",
            "recall_gain_score",
        )
    },
    "best_matches(lam)": (
        0.25,
        lambda x: iso.best_matches([[1, 2]], [[2], [2, 3]], universe_size=5, lam=x).to_frame(
            "pyarrow"
        ),
    ),
    "match_one_to_one(lam)": (
        0.25,
        lambda x: iso.match_one_to_one([[1, 2]], [[2], [2, 3]], universe_size=5, lam=x).to_frame(
            "pyarrow"
        ),
    ),
    "tradeoff_score(hi)": (0.5, lambda x: iso.tradeoff_score(LABELS, SCORES, hi=x)),
    "tradeoff_score(lo)": (0.5, lambda x: iso.tradeoff_score(LABELS, SCORES, lo=x)),
    "read_predictions(memory_limit)": (
        4 * 10**8,
        lambda x: iso.read_predictions(TABLE, memory_limit=x).models["score"].tp,
    ),
    "read_predictions(tolerance)": (
        0.25,
        lambda x: iso.read_predictions(TABLE, tolerance=x).models["score"].tp,
    ),
    "Accumulator(max_bytes)": (2**20, lambda x: repr(iso.Accumulator(max_bytes=x))),
    "density": (2, lambda x: PTS.tradeoff().area(density=("beta", x, 2))),
    "isolines.f_isoline(value)": (0.5, lambda x: isolines.f_isoline(x, "pr", 0.25)),
    "isolines.f_isoline(prevalence)": (0.25, lambda x: isolines.f_isoline(0.5, "pr", x, beta=x)),
    "isolines.f_gain_isoline(value)": (0.5, lambda x: isolines.f_gain_isoline(x, "pr", 0.25)),
    "isolines.accuracy_isoline(value)": (
        0.5,
        lambda x: isolines.accuracy_isoline(x, "pr", 0.25, cost=x),
    ),
    "isolines.precision_isoline(value)": (
        0.5,
        lambda x: isolines.precision_isoline(x, "roc", 0.25),
    ),
    "isolines.recall_isoline(value)": (0.5, lambda x: isolines.recall_isoline(x, "roc", 0.25)),
    "lift.net_benefit(probability_thresholds)": (
        0.5,
        lambda x: lift.net_benefit(PROBABLE, x).model,
    ),
    "reliability.calibration_report(confidence)": (
        0.5,
        lambda x: calibration_report(LABELS, SCORES / 16, confidence=x).lower,
    ),
    "decisions.threshold_choice.fixed(threshold)": (2, lambda x: threshold_choice.fixed(PTS, x)),
    "decisions.threshold_choice.fixed_f_gain(threshold)": (
        2,
        lambda x: threshold_choice.fixed_f_gain(PTS, x),
    ),
    **{
        f"measures.{make.__name__}(threshold)": (2, lambda x, make=make: make(x).of(PTS))
        for make in (f_at, f_gain_at, precision_at, recall_at)
    },
    **{
        f"measures.{make.__name__}(beta)": (2, lambda x, make=make: make(beta=x).of(PTS))
        for make in (optimal_f, optimal_f_gain, optimal_threshold)
    },
    "measures.f_at(beta)": (2, lambda x: f_at(2, beta=x).of(PTS)),
    "measures.f_gain_at(beta)": (2, lambda x: f_gain_at(2, beta=x).of(PTS)),
    "sample_size(confidence_level)": (
        0.5,
        lambda x: sample_size(PTS, half_width=0.25, confidence_level=x).positives,
    ),
    "sample_size(half_width)": (0.25, lambda x: sample_size(PTS, half_width=x).positives),
    "sample_size(negatives_per_positive)": (
        2,
        lambda x: sample_size(PTS, half_width=0.25, negatives_per_positive=x).negatives,
    ),
    "sample_size(prevalence)": (
        0.25,
        lambda x: sample_size(PTS, half_width=0.25, prevalence=x).positives,
    ),
    "plot.index_isolines(lams)": (0.5, lambda x: plot_of_index(lams=[x])),
    "plot.index_isolines(levels)": (0.5, lambda x: plot_of_index(levels=[x])),
    "plot.index_isolines(prevalence)": (0.25, lambda x: plot_of_index(prevalence=x)),
    "plot.pr(beta)": (2, lambda x: plotted("pr", beta=x)),
    "plot.pr(isolines)": (0.5, lambda x: plotted("pr", isolines=[x])),
    "plot.pr(points)": (2, lambda x: plotted("pr", points=x)),
    "plot.prg(beta)": (2, lambda x: plotted("prg", beta=x)),
    "plot.prg(isolines)": (0.5, lambda x: plotted("prg", isolines=[x])),
    "plot.prg(low)": (0.5, lambda x: plotted("prg", low=x)),
    "plot.prg(points)": (2, lambda x: plotted("prg", points=x)),
    "plot.roc(cost)": (0.25, lambda x: plotted("roc", cost=x)),
    "plot.roc(isolines)": (0.5, lambda x: plotted("roc", isolines=[x])),
    "plot.roc(points)": (2, lambda x: plotted("roc", points=x)),
    "integrations.sklearn.FBetaThresholdClassifier(beta)": (
        2,
        lambda x: classifier("FBetaThresholdClassifier", beta=x),
    ),
    "integrations.sklearn.FCalibratedClassifier(beta)": (
        2,
        lambda x: classifier("FCalibratedClassifier", beta=x),
    ),
    "integrations.sklearn.macro_average(beta)": (
        2,
        lambda x: sklearn("macro_average")({"a": PTS, "b": PTS}, beta=x),
    ),
    "integrations.sklearn.make_f_gain_scorer(beta)": (
        2,
        lambda x: sklearn("make_f_gain_scorer")(x)._kwargs,
    ),
}
WHOLE = {
    "Analysis.verdict(n_jobs)": (2, lambda x: judged(n_jobs=x)),
    "Analysis.at(n_jobs)": (2, lambda x: checked(n_jobs=x)),
    "Analysis.at(n_resamples)": (40, lambda x: checked(n_resamples=x)),
    "Analysis.at(random_state)": (3, lambda x: checked(random_state=x)),
    "Analysis.verdict(n_resamples)": (40, lambda x: judged(n_resamples=x)),
    "Analysis.verdict(random_state)": (3, lambda x: judged(random_state=x)),
    "OperatingPoints.compact(max_points)": (8, lambda x: PTS.compact(x).tp),
    "OperatingPoints.from_sets(universe_size)": (
        8,
        lambda x: Points.from_sets([1, 2], [[1], [2, 3]], universe_size=x).tn,
    ),
    "Tradeoff.curves(most)": (8, lambda x: PTS.tradeoff().curves([0.5], most=x)),
    "bootstrap(n_jobs)": (2, lambda x: iso.bootstrap(PTS, n_jobs=x, **FEW).lower),
    "bootstrap(n_resamples)": (
        40,
        lambda x: iso.bootstrap(PTS, n_resamples=x, random_state=0).lower,
    ),
    "bootstrap(random_state)": (
        3,
        lambda x: iso.bootstrap(PTS, n_resamples=40, random_state=x).lower,
    ),
    "bootstrap_curves(n_jobs)": (
        2,
        lambda x: iso.bootstrap_curves(PTS, n_jobs=x, **FEW).band().lower,
    ),
    "bootstrap_curves(n_resamples)": (
        40,
        lambda x: iso.bootstrap_curves(PTS, n_resamples=x, random_state=0).band().lower,
    ),
    "permutation.permutation_test(n_jobs)": (
        2,
        lambda x: permutation_test(PTS, n_permutations=40, n_jobs=x, random_state=0).p,
    ),
    "permutation.permutation_test(n_permutations)": (
        40,
        lambda x: permutation_test(PTS, n_permutations=x, random_state=0).p,
    ),
    "permutation.chance_level(negatives)": (8, lambda x: chance_level(5, x)),
    "permutation.chance_level(positives)": (8, lambda x: chance_level(x, 5)),
    "isolines.f_isoline(size)": (8, lambda x: isolines.f_isoline(0.5, "pr", 0.25, size=x)),
    "isolines.grid(steps)": (8, lambda x: isolines.grid("pr", "roc", 0.25, steps=x)),
    "reliability.calibration_report(bins)": (
        4,
        lambda x: calibration_report(LABELS, SCORES / 16, bins=x).lower,
    ),
    "shape": (4, lambda x: parse_shape((x, x), "shape")),
    "plot.pr(pixels)": (400, lambda x: plotted("pr", pixels=x)),
    "plot.prg(pixels)": (400, lambda x: plotted("prg", pixels=x)),
    "plot.roc(pixels)": (400, lambda x: plotted("roc", pixels=x)),
    "plot.tradeoff(most)": (8, lambda x: plotted("tradeoff", most=x)),
}
ELSEWHERE = {
    "Analysis.verdict(folds)": "an array, or True",
    "Accumulator.from_state(state)": "a mapping",
    "Analysis.report(confidence_level)": "all_bands checks it",
    "OperatingPoints.from_counts(thresholds)": "an array",
    "integrations.sklearn.FBetaThresholdClassifier(n_jobs)": "joblib checks it",
    "integrations.sklearn.FCalibratedClassifier(n_jobs)": "joblib checks it",
    "read_predictions(keep_rows)": "a truth value, a word or a number",
    "read_predictions(progress)": "a function",
    **dict.fromkeys(
        [f"Index.{m}({a})" for m in ("areas", "crossing") for a in ("lo", "hi")],
        "for the library's own arrays",
    ),
    "Index.of_rows(lam)": "for the library's own arrays",
}


def plot_of_index(**options):
    from isometrics import plot

    return shown(plot.index_isolines, "jaccard", **options)


def same(one, other):
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if isinstance(one, list | tuple) and not isinstance(one, str):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, np.ndarray | float):
        return np.array_equal(one, other, equal_nan=True)
    return one.equals(other) if isinstance(one, pa.Table) else one == other


TYPES = {
    "int": int,
    "float": float,
    "float32": np.float32,
    "longdouble": np.longdouble,
    "int64": np.int64,
    "uint8": np.uint8,
    "0-d": np.array,
    "Fraction": Fraction,
    "Decimal": Decimal,
}


@pytest.mark.parametrize("name", REAL)
def test_a_number_of_any_type_is_a_number(name):
    value, call = REAL[name]
    expected = call(value)
    for kind in TYPES.values():
        with suppress(OverflowError):
            given = kind(value)
            if given == value:
                assert same(call(given), expected), kind


@pytest.mark.parametrize("name", WHOLE)
def test_an_integer_of_any_type_is_a_whole_number(name):
    value, call = WHOLE[name]
    expected = call(value)
    for kind in (np.int64, np.uint16, np.int32, np.array):
        assert same(call(kind(value)), expected), kind


@pytest.mark.parametrize("name", [*REAL, *WHOLE])
@pytest.mark.parametrize("wrong", [True, np.True_, np.array(True), np.datetime64(0, "ns"), 1j])
def test_what_is_no_number_is_refused_in_a_sentence(name, wrong):
    _, call = (REAL | WHOLE)[name]
    with pytest.raises(IsometricsError, match="must "):
        call(wrong)


def parameters():
    """Yield the public parameters whose annotation speaks of numbers."""
    by_module = {
        "isometrics": iso.__all__,
        "isometrics.decisions.threshold_choice": ["fixed", "fixed_f_gain"],
        "isometrics.plot": importlib.import_module("isometrics.plot").__all__,
        "isometrics.integrations.sklearn": ["FBetaThresholdClassifier", "FCalibratedClassifier",
                                            "macro_average", "make_f_gain_scorer"],
    }  # fmt: skip
    for module, names in by_module.items():
        prefix = module.partition(".")[2]
        for name in names:
            item = getattr(importlib.import_module(module), name)
            label = f"{prefix}.{name}" if prefix else name
            if inspect.isfunction(item):
                yield from numeric(label, item)
            elif inspect.isclass(item) and not issubclass(item, BaseException | tuple):
                if not hasattr(item, "__dataclass_fields__"):
                    yield from numeric(label, item)
                for method, value in vars(item).items():
                    plain = getattr(value, "__func__", value)
                    if inspect.isfunction(plain) and not re.match("_(?!_call__)", method):
                        yield from numeric(f"{label}.{method}", plain)


DATA = {
    "y_true",
    "y_score",
    "y",
    "sample_weight",
    "groups",
    "clusters",
    "tp",
    "fp",
    "fpr",
    "tpr",
    "recall",
}
DATA |= {"precision", "y_pred", "scores", "probabilities"}


def numeric(label, function):
    for each in inspect.signature(function).parameters.values():
        about_numbers = re.search(r"\b(int|float|Total|ArrayLike|Floats)\b", str(each.annotation))
        if about_numbers and each.name not in DATA:
            yield f"{label}({each.name})"


def test_every_public_parameter_is_a_case():
    pytest.importorskip("matplotlib")
    pytest.importorskip("sklearn")
    missing = set(parameters()) - set(REAL) - set(WHOLE) - set(ELSEWHERE)
    assert not missing


def test_what_a_number_is():
    assert parse_number(10**400) == 10**400
    assert parse_number(Fraction(10**400)) is None
    assert parse_number(Decimal("sNaN")) is None
    assert math.isnan(parse_number(Decimal("NaN")))
    assert parse_number("1") is parse_number(None) is parse_number([1]) is None
    assert parse_number(np.array([1])) is None


@pytest.mark.parametrize(
    "wrong",
    [["0.5"], [True, 0.5], [[1, 2], [3]], [None], [10**400], np.array([True]), "0.5", object()],
)
def test_what_are_no_numbers(wrong):
    assert parse_numbers(wrong) is None


def test_arrays_of_numbers():
    given = [[Fraction(1, 2), Decimal("0.25")], [np.float32(0.5), 1]]
    assert parse_numbers(given).tolist() == [[0.5, 0.25], [0.5, 1]]
    assert parse_numbers(Decimal("0.5")).shape == ()
    assert parse_numbers([]).size == 0
