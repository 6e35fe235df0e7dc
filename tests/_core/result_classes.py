"""Every public and documented class whose objects a user holds, with a way to make one.

`test_values.py` puts each of them under the laws of values, and checks that none is missing.
"""

import numpy as np

import isometrics as iso
from isometrics import formats
from isometrics._table.table import Gaps
from isometrics.calibration import calibration_report
from isometrics.comparison import dominance_matrix
from isometrics.decisions.lift import net_benefit
from isometrics.decisions.objective import parse_objective
from isometrics.sources.column_roles import Layout, Peek
from isometrics.spaces.indices import INDICES
from isometrics.testing import Curve, count

GENERATOR = np.random.default_rng(0)
LABELS = GENERATOR.integers(0, 2, 60)
SCORES = {name: GENERATOR.random(60).round(1) + LABELS / 3 for name in ("A", "B")}
PROBABILITIES = SCORES["A"] / 2
GROUPS = GENERATOR.integers(0, 2, 60)
NAN = float("nan")
DRAWS = {"n_resamples": 20, "random_state": 0}


def points(name="A"):
    return iso.OperatingPoints.from_scores(LABELS, SCORES[name])


def probabilities():
    return iso.OperatingPoints.from_scores(LABELS, PROBABILITIES)


def sets():
    return iso.OperatingPoints.from_sets({1, 2, 3}, {"a": [1], "b": [2, 5]}, universe_size=9)


def models():
    return {name: points(name) for name in SCORES}


def analysis():
    return iso.analyse(LABELS, SCORES, groups=GROUPS)


def kept():
    return analysis().verdict(min_recall=0.5, **DRAWS).kept[0]


def bicluster():
    return iso.Bicluster([0, 2], [1], (3, 4))


def two_curves():
    return iso.bootstrap_curves(LABELS, SCORES, **DRAWS)


FACTORIES = {
    "isometrics.Accumulator": lambda: iso.Accumulator().update(LABELS, SCORES["A"]),
    "isometrics.AccuracyCalibrator": lambda: iso.AccuracyCalibrator().fit(LABELS, SCORES["A"]),
    "isometrics.Analysis": analysis,
    "isometrics.AreaBrackets": lambda: iso.Accumulator().update(LABELS, SCORES["A"]).brackets(),
    "isometrics.AreaScores": lambda: iso.area_scores([1, 1], [0.1, 0.2], undefined="nan"),
    "isometrics.Average": lambda: iso.average(list(models().values())),
    "isometrics.Band": lambda: two_curves().band("A"),
    "isometrics.Bicluster": bicluster,
    "isometrics.Bootstrap": lambda: iso.bootstrap(points(), **DRAWS),
    "isometrics.Bracket": lambda: iso.Bracket(NAN, 1.0),
    "isometrics.CalibrationSegments": lambda: iso.FCalibrator.from_points(points()).table(),
    "isometrics.Comparison": lambda: iso.compare(models()),
    "isometrics.CurveReplicates": two_curves,
    "isometrics.DeLong": lambda: iso.delong(LABELS, SCORES),
    "isometrics.Decision": lambda: iso.best_threshold(sets()),
    "isometrics.Differences": lambda: iso.bootstrap(LABELS, SCORES, **DRAWS).differences("AUROC"),
    "isometrics.Evaluation": lambda: iso.evaluate(thresholds_from=points(), on=points("B")),
    "isometrics.FCalibrator": lambda: iso.FCalibrator().fit(LABELS, SCORES["A"]),
    "isometrics.Index": lambda: iso.Index("smaller", smaller),
    "isometrics.Matches": lambda: iso.best_matches([{1, 2}], [{1}, {2, 3}], universe_size=9),
    "isometrics.OperatingPoints": sets,
    "isometrics.OptimalThresholds": lambda: iso.optimal_thresholds(points()),
    "isometrics.PRGSpace": lambda: points().prg,
    "isometrics.PRSpace": lambda: points().pr,
    "isometrics.PrecisionRecallGainCurve": lambda: iso.precision_recall_gain_curve(
        LABELS, SCORES["A"]
    ),
    "isometrics.ROCSpace": lambda: points().roc,
    "isometrics.Summary": lambda: analysis().summary(),
    "isometrics.ThresholdCheck": lambda: analysis().at(0.5, **DRAWS),
    "isometrics.Thresholds": lambda: analysis().summary().best,
    "isometrics.Tradeoff": lambda: points().tradeoff(),
    "isometrics.TradeoffIntervals": lambda: points().tradeoff().intervals,
    "isometrics.Verdict": lambda: analysis().verdict(**DRAWS),
    "isometrics.decisions.objective.Linear": lambda: parse_objective(cost=0.2, budget=4),
    "isometrics.decisions.objective.Ratio": lambda: parse_objective(min_recall=0.5, sure=0.9),
    "isometrics.decisions.objective.Function": lambda: parse_objective(
        index="jaccard", lam=0.25, min_precision=0.5, budget=4
    ),
    "isometrics.verdict.verdict.KeptConstraint": kept,
    "isometrics.verdict.verdict.OtherWeights": lambda: analysis().verdict(**DRAWS).other_weights,
    "isometrics.comparison.Areas": lambda: iso.compare(models()).areas,
    "isometrics.comparison.DominanceMatrix": lambda: dominance_matrix(models()),
    "isometrics.comparison.Winners": lambda: iso.compare(models()).winners,
    "isometrics.formats.Predictions": lambda: formats.Predictions(
        {"label": LABELS.copy(), "score": SCORES["A"].copy()}, "label", {"score": "score"}
    ),
    "isometrics.spaces.indices.FMeasure": lambda: INDICES["f-measure"],
    "isometrics.sources.column_roles.Layout": lambda: Layout("label", {"score": "score"}),
    "isometrics.sources.column_roles.Peek": lambda: Peek("float", [0.5, None]),
    "isometrics.decisions.lift.NetBenefit": lambda: net_benefit(probabilities(), [0.2, 0.5]),
    "isometrics.calibration.CalibrationReport": lambda: calibration_report(LABELS, PROBABILITIES),
    "isometrics.spaces.tradeoff.UsefulRange": lambda: points().tradeoff().useful_range(),
    "isometrics._table.table.Gaps": lambda: Gaps(np.array([True, False]), {"x": 0.5}),
    "isometrics._table.table.Table": lambda: points().table,
    "isometrics.testing.Curve": lambda: Curve.of([1, 2], [1, 3], positives=4, negatives=9),
    "isometrics.testing.Row": lambda: count([1, 0], [0.5, 0.2])[0],
}
"""A way to make an object of each class, by the path at which it is documented."""

NO_RESULTS = {
    "isometrics.measures.Measure": "holds the function that computes it",
    "isometrics.formats.Format": "holds the functions that read and write it",
    "isometrics.report.widget.ReportWidget": "a widget, whose state is anywidget's",
    **{
        f"isometrics.integrations.sklearn.{name}": "follows the conventions of scikit-learn"
        for name in (
            "AchievablePrecisionRecallDisplay",
            "FBetaThresholdClassifier",
            "FCalibratedClassifier",
            "PrecisionRecallGainDisplay",
            "RocHullDisplay",
            "TradeoffDisplay",
        )
    },
    **{
        f"isometrics.integrations.torchmetrics.{name}": "follows the conventions of torchmetrics"
        for name in (
            "BinaryAUPR",
            "BinaryAUPRG",
            "PrecisionRecallGainCurve",
        )
    },
}
"""Documented classes that are no results, and why."""


def smaller(precision, recall, lam):
    return np.minimum(precision, recall) + 0 * lam
