"""A number of any type is a number, for every public parameter that takes one."""

import importlib
import inspect
import math
import re
import warnings
from contextlib import suppress
from decimal import Decimal
from fractions import Fraction
from functools import partial

import numpy as np
import pyarrow as pa
import pytest

import isometrics as iso
from isometrics._core.families import parse_shape
from isometrics._core.parameters import parse_number, parse_numbers
from isometrics.calibration import calibration_report
from isometrics.decisions import lift
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
from isometrics.spaces import drawing

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


def family(name, call, **values):
    """Return cases of one function: by the name of each parameter its value, and the call."""
    return {
        f"{name}({parameter})": (value, lambda x, parameter=parameter: call(**{parameter: x}))
        for parameter, value in values.items()
    }


def framed(call):
    """Return a function that gives what `call` does as a table."""
    return lambda *given, **options: call(*given, **options).to_frame("pyarrow")


def best(**options):
    return iso.best_threshold(PTS, **options).value


def banded(**options):
    return iso.bootstrap_curves(PTS, **FEW | options).band().lower


def drawn_again(**options):
    return iso.bootstrap(PTS, **FEW | options).lower


def of_counts(positives=8, negatives=8):
    return Points.from_counts(**COUNTS, positives=positives, negatives=negatives).tn


def of_curve(make):
    def call(positives=8, negatives=8):
        made = make([0.5], [0.5], positives=positives, negatives=negatives)
        return made.tp, made.fp

    return call


SETS = ([[1, 2]], [[2], [2, 3]])
CONSTRAINTS = {
    "budget": 8,
    "min_precision": 0.25,
    "min_recall": 0.5,
    "max_fpr": 0.75,
    "min_specificity": 0.25,
}
OBJECTIVE = {"beta": 2, "cost": 0.25, "lam": 0.25, **CONSTRAINTS}
RANGE = {"lo": 0.5, "hi": 0.5}

# By the name of the parameter: a number to give, and what comes of it.
REAL = {
    **family("Analysis.verdict", judged, **OBJECTIVE, confidence_level=0.5),
    "Analysis.verdict(false_alarm_cost)": (2, lambda x: judged(false_alarm_cost=x, miss_cost=1)),
    "Analysis.verdict(miss_cost)": (2, lambda x: judged(miss_cost=x, false_alarm_cost=1)),
    "Analysis.verdict(sure)": (0.5, lambda x: judged(sure=x, min_recall=0.25)),
    "Analysis.verdict(guarantee)": (0.5, lambda x: judged(guarantee=x, min_recall=0.25)),
    **family("Analysis.at", checked, **OBJECTIVE, confidence_level=0.5, threshold=2),
    "Analysis.at(false_alarm_cost)": (2, lambda x: checked(false_alarm_cost=x, miss_cost=1)),
    "Analysis.at(miss_cost)": (2, lambda x: checked(miss_cost=x, false_alarm_cost=1)),
    **family(
        "Analysis.bands",
        lambda **options: AN.bands("pr", n_resamples=20, **options)[0].lower,
        confidence_level=0.5,
        x=0.5,
    ),
    "Analysis.bootstrap(confidence_level)": (
        0.5,
        lambda x: AN.bootstrap("AUROC", confidence_level=x, **FEW).lower,
    ),
    "Analysis.at_prevalence(prevalence)": (0.25, lambda x: framed(AN.at_prevalence(x).summary)()),
    "Analysis.compare(confidence_level)": (
        0.5,
        lambda x: AN.compare(confidence_level=x, **FEW).sentence(),
    ),
    "Analysis.summary(beta)": (2, lambda x: framed(AN.summary)(beta=x)),
    "Analysis.summary(confidence_level)": (
        0.5,
        lambda x: framed(AN.summary)(confidence_level=x, **FEW),
    ),
    **family("Analysis.thresholds", framed(AN.thresholds), beta=2, **CONSTRAINTS),
    **family(
        "Average.curve",
        lambda **options: iso.average([PTS, PTS]).curve(**options).upper,
        confidence_level=0.5,
        x=0.5,
    ),
    "Bootstrap.with_intervals(confidence_level)": (
        0.5,
        lambda x: iso.bootstrap(PTS, **FEW).with_intervals(confidence_level=x).lower,
    ),
    "Bootstrap.rows_needed(half_width)": (
        0.25,
        lambda x: iso.bootstrap(PTS, **FEW).rows_needed(x, "AUROC"),
    ),
    "CurveReplicates.band(confidence_level)": (
        0.5,
        lambda x: CURVES.band("A", confidence_level=x).upper,
    ),
    "OperatingPoints.at(thresholds)": (2, lambda x: PTS.at(x).tp),
    "OperatingPoints.at_prevalence(prevalence)": (0.25, lambda x: PTS.at_prevalence(x).pr.area()),
    **family("OperatingPoints.from_counts", of_counts, positives=8, negatives=8),
    **family("OperatingPoints.from_pr", of_curve(Points.from_pr), positives=8, negatives=8),
    **family("OperatingPoints.from_roc", of_curve(Points.from_roc), positives=8, negatives=8),
    **family(
        "OperatingPoints.from_scores",
        lambda **totals: Points.from_scores([1, 0], [2, 1], **totals).pr.area(),
        positives=8,
        negatives=8,
    ),
    "OperatingPoints.accuracy(cost)": (0.25, PTS.accuracy),
    "OperatingPoints.f(beta)": (2, PTS.f),
    "OperatingPoints.f_gain(beta)": (2, PTS.f_gain),
    "OptimalThresholds.at(beta)": (2, lambda x: iso.optimal_thresholds(PTS).at(x).thresholds),
    **family("PRGSpace.area", PTS.prg.area, **RANGE),
    "PRGSpace.expected_f_gain(beta)": (2, PTS.prg.expected_f_gain),
    "PRGSpace.interpolate(x)": (0.5, PTS.prg.interpolate),
    **family("PRSpace.area", PTS.pr.area, **RANGE),
    **family("PRSpace.areas", PTS.pr.areas, **RANGE),
    "PRSpace.interpolate(x)": (0.5, PTS.pr.interpolate),
    **family("PRSpace.normalised_area", PTS.pr.normalised_area, **RANGE),
    **family("ROCSpace.area", PTS.roc.area, **RANGE),
    "ROCSpace.interpolate(x)": (0.5, PTS.roc.interpolate),
    **family("ROCSpace.standardised_area", PTS.roc.standardised_area, **RANGE),
    "Tradeoff.__call__(lam)": (0.25, PTS.tradeoff()),
    **family("Tradeoff.area", PTS.tradeoff().area, **RANGE),
    "Tradeoff.best(lam)": (0.25, lambda x: PTS.tradeoff().best(x)),
    "Tradeoff.curves(lam)": (0.25, lambda x: PTS.tradeoff().curves(x)),
    **family(
        "Tradeoff.with_constraints",
        lambda **levels: PTS.tradeoff().with_constraints(**levels).area(),
        min_precision=0.5,
        min_recall=0.5,
    ),
    **family(
        "average",
        lambda **options: iso.average([PTS, PTS], **options).mean,
        beta=2,
        prevalence=0.25,
        threshold=2,
    ),
    **family(
        "evaluate",
        lambda **options: framed(iso.evaluate)(thresholds_from=PTS, on=PTS, **options),
        betas=2,
        **CONSTRAINTS,
    ),
    **family("best_threshold", best, **OBJECTIVE),
    "best_threshold(false_alarm_cost)": (2, lambda x: best(false_alarm_cost=x, miss_cost=1)),
    "best_threshold(miss_cost)": (2, lambda x: best(miss_cost=x, false_alarm_cost=1)),
    **family("bootstrap", drawn_again, confidence_level=0.5, prevalence=0.25),
    **family("bootstrap_curves", banded, confidence_level=0.5, prevalence=0.25, x=0.5),
    "delong(confidence_level)": (
        0.5,
        lambda x: iso.delong(LABELS, SCORES, confidence_level=x).lower,
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
    **{
        f"{match.__name__}(lam)": (
            0.25,
            lambda x, match=match: framed(match)(*SETS, universe_size=5, lam=x),
        )
        for match in (iso.best_matches, iso.match_one_to_one)
    },
    **family("tradeoff_score", partial(iso.tradeoff_score, LABELS, SCORES), **RANGE),
    **family(
        "read_predictions",
        lambda **limits: iso.read_predictions(TABLE, **limits).models["score"].tp,
        memory_limit=4 * 10**8,
        tolerance=0.25,
    ),
    "Accumulator(max_bytes)": (2**20, lambda x: repr(iso.Accumulator(max_bytes=x))),
    "density": (2, lambda x: PTS.tradeoff().area(density=("beta", x, 2))),
    "isolines.f_isoline(value)": (0.5, lambda x: drawing.f_isoline(x, "pr", 0.25)),
    "isolines.f_isoline(prevalence)": (0.25, lambda x: drawing.f_isoline(0.5, "pr", x, beta=x)),
    "isolines.f_gain_isoline(value)": (0.5, lambda x: drawing.f_gain_isoline(x, "pr", 0.25)),
    "isolines.accuracy_isoline(value)": (
        0.5,
        lambda x: drawing.accuracy_isoline(x, "pr", 0.25, cost=x),
    ),
    "lift.net_benefit(probability_thresholds)": (
        0.5,
        lambda x: lift.net_benefit(PROBABLE, x).model,
    ),
    "reliability.calibration_report(confidence)": (
        0.5,
        lambda x: calibration_report(LABELS, SCORES / 16, confidence=x).lower,
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
    **family("plot.pr", partial(plotted, "pr"), beta=2, points=2),
    **family("plot.prg", partial(plotted, "prg"), beta=2, points=2, low=0.5),
    **family("plot.roc", partial(plotted, "roc"), cost=0.25, points=2),
    **{
        f"plot.{space}(isolines)": (0.5, lambda x, space=space: plotted(space, isolines=[x]))
        for space in ("pr", "prg", "roc")
    },
    **{
        f"integrations.sklearn.{name}(beta)": (2, lambda x, name=name: classifier(name, beta=x))
        for name in ("FBetaThresholdClassifier", "FCalibratedClassifier")
    },
    "integrations.sklearn.make_f_gain_scorer(beta)": (
        2,
        lambda x: sklearn("make_f_gain_scorer")(x)._kwargs,
    ),
}
WHOLE = {
    **family("Analysis.verdict", judged, n_jobs=2, n_resamples=40, random_state=3),
    **family("Analysis.at", checked, n_jobs=2, n_resamples=40, random_state=3),
    "OperatingPoints.compact(max_points)": (8, lambda x: PTS.compact(x).tp),
    "OperatingPoints.from_sets(universe_size)": (
        8,
        lambda x: Points.from_sets([1, 2], [[1], [2, 3]], universe_size=x).tn,
    ),
    "Tradeoff.curves(most)": (8, lambda x: PTS.tradeoff().curves([0.5], most=x)),
    **family("bootstrap", drawn_again, n_jobs=2, n_resamples=40, random_state=3),
    **family("bootstrap_curves", banded, n_jobs=2, n_resamples=40),
    "isolines.f_isoline(size)": (8, lambda x: drawing.f_isoline(0.5, "pr", 0.25, size=x)),
    "isolines.grid(steps)": (8, lambda x: drawing.grid("pr", "roc", 0.25, steps=x)),
    "reliability.calibration_report(bins)": (
        4,
        lambda x: calibration_report(LABELS, SCORES / 16, bins=x).lower,
    ),
    "shape": (4, lambda x: parse_shape((x, x), "shape")),
}
ELSEWHERE = {
    "Analysis.verdict(folds)": "an array, or True",
    "Accumulator.from_state(state)": "a mapping",
    "Analysis.report(confidence_level)": "Analysis.bands checks it",
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
def test_what_is_no_number_is_refused_in_a_sentence(name):
    _, call = (REAL | WHOLE)[name]
    for wrong in (True, np.True_, np.array(True), np.datetime64(0, "ns"), 1j):
        with pytest.raises(IsometricsError, match="must "):
            call(wrong)


def parameters():
    """Yield the public parameters whose annotation speaks of numbers."""
    by_module = {
        "isometrics": iso.__all__,
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
