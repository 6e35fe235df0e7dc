"""No public function swallows a name: every option is in its signature, others are refused."""

import ast
import inspect
from functools import cache, partial
from pathlib import Path

import numpy as np
import pytest

import isometrics as iso
from isometrics import formats
from isometrics._core.parameters import check_options
from isometrics.analysis.page import ReportOptions
from isometrics.decisions.objective import ObjectiveOptions
from isometrics.errors import ParameterError
from isometrics.report import report_html, serve, write_report
from isometrics.uncertainty.bands import bootstrap_curves
from isometrics.uncertainty.bootstrap import BootstrapOptions
from isometrics.uncertainty.resampling import DrawingOptions

SOURCES = Path(iso.__file__).parent
FOREIGN = {
    "integrations.sklearn.estimators": "scikit-learn routes the parameters of fit by their names",
    "integrations.torchmetrics": "torchmetrics' Metric takes them, and refuses others",
    "sources.spark_and_dask": "ClusterFrame.columns names columns as the caller likes",
}
"""Modules whose functions take names that others define, and why."""


@cache
def takes_any_name():
    """Return public functions and methods with ``**``, with the annotation of what they take."""
    found = []
    for path in sorted(SOURCES.rglob("*.py")):
        parts = path.relative_to(SOURCES).with_suffix("").parts
        # The command's own functions are not called from outside.
        if parts[0] == "cli" or any(part.startswith("_") for part in parts[:-1]):
            continue
        module = ".".join(parts).removesuffix(".__init__")
        body = ast.parse(path.read_text(encoding="utf-8")).body
        methods = [
            (f"{each.name}.", method)
            for each in body
            if isinstance(each, ast.ClassDef) and not each.name.startswith("_")
            for method in each.body
        ]
        for prefix, each in [("", each) for each in body] + methods:
            is_public = isinstance(each, ast.FunctionDef) and (
                each.name == "__init__" or not each.name.startswith("_")
            )
            if is_public and each.args.kwarg is not None:
                annotation = each.args.kwarg.annotation
                found.append((module, prefix + each.name, annotation and ast.unparse(annotation)))
    return found


def test_every_option_has_a_name_and_a_type():
    untyped = {
        (module, name)
        for module, name, what in takes_any_name()
        if not str(what).startswith("Unpack")
    }
    assert {module for module, _ in untyped} == set(FOREIGN), untyped


LABELS = np.tile([1, 0, 1, 1, 0, 0, 1, 0], 8)
SCORES = np.arange(64.0) % 11 + LABELS
AN = iso.analyse(LABELS, SCORES)


"""By name: a call, a name that nobody has, and the one that was meant."""


def display(**options):
    from isometrics.integrations.sklearn import PrecisionRecallGainDisplay

    return PrecisionRecallGainDisplay.from_predictions(LABELS, SCORES, **options)


def drawn(name):
    def call(**options):
        from isometrics import plot

        return getattr(plot, name)(AN.models, **options)

    return call


REFUSED = {
    "Analysis.summary": (AN.summary, "confidence", "confidence_level"),
    "Analysis.decision": (AN.decision, "min_precison", "min_precision"),
    "Analysis.compare": (AN.compare, "density_", "density"),
    "Analysis.bootstrap": (AN.bootstrap, "clustered", "clusters"),
    "Analysis.at": (partial(AN.at, 0.5), "cluster", "clusters"),
    "Analysis.verdict": (AN.verdict, "min_precison", "min_precision"),
    "Analysis.verdict_by_class": (AN.verdict_by_class, "thresholds", "thresholds_from"),
    "Analysis.plot": (AN.plot, "isoline", "isolines"),
    "Analysis.bands": (partial(AN.bands, "pr"), "n_resample", "n_resamples"),
    "Analysis.report": (partial(AN.report, "never.html"), "misscost", "miss_cost"),
    "panels": (drawn("panels"), "hulls", "hull"),
    "roc": (drawn("roc"), "hulls", "hull"),
    "pr": (drawn("pr"), "isoline", "isolines"),
    "prg": (drawn("prg"), "lows", "low"),
    "tradeoff": (drawn("tradeoff"), "indices", "index"),
    "PointsDisplay.plot": (display, "legends", "legend"),
    "PointsDisplay.from_predictions": (display, "curve_kwarg", "curve_kwargs"),
    "report_html": (partial(report_html, AN.models), "titel", "title"),
    "write_report": (partial(write_report, AN.models, "never.html"), "titel", "title"),
    "serve": (partial(serve, AN.models), "titel", "title"),
}
"""By name: a call, a name that nobody has, and the one that was meant."""
PASSED_ON = {
    *("precision_gain_score", "recall_gain_score", "f1_gain_score"),  # to `fbeta_gain_score`
    *("PointsDisplay.from_estimator", "PointsDisplay.from_cv_results"),
    *("ReportWidget.__init__", "report_model"),
}


def test_every_function_with_shared_options_is_a_case():
    found = {name for _, name, what in takes_any_name() if str(what).startswith("Unpack")}
    assert found - PASSED_ON == set(REFUSED)


@pytest.mark.parametrize(("call", "wrong", "right"), REFUSED.values(), ids=REFUSED)
def test_an_unknown_option_is_refused_with_the_one_that_was_meant(call, wrong, right):
    if call is display:
        pytest.importorskip("sklearn")
    pytest.importorskip("matplotlib").use("agg")
    with pytest.raises(
        TypeError, match=rf"\(\) has no option '{wrong}'; did you mean '{right}'\?$"
    ):
        call(**{wrong: 1})


def test_what_is_like_no_option_is_refused_with_all_there_are(tmp_path):
    pytest.importorskip("sklearn")
    pytest.importorskip("matplotlib").use("agg")
    for call, message in (
        (partial(AN.summary, foo=1), r"^summary\(\) has no option 'foo'; it has beta, by_group"),
        (partial(check_options, check_options, ["x"]), r"^check_options\(\) has no option 'x'; it"),
        # Of another space; and of a display, whose baseline is its chance level.
        (partial(AN.plot, "pr", cost=0.3), r"^pr\(\) has no option 'cost'; it has pts, ax, hull"),
        (partial(display, baseline=True), r"^plot\(\) has no option 'baseline'"),
        (partial(formats.read, tmp_path / "x", "PR", totals=1), "unexpected keyword argument 'to"),
    ):
        with pytest.raises(TypeError, match=message):
            call()


def names(function):
    """Return the parameters of a function that are given by name."""
    own = inspect.signature(function).parameters.values()
    return {each.name for each in own if each.kind is each.KEYWORD_ONLY}


def test_shared_options_are_those_of_the_functions_that_take_them():
    drawing, bootstrap = set(DrawingOptions.__annotations__), set(BootstrapOptions.__annotations__)
    given = {"measures", "sample_weight", "pos_label", "classes", "drop_missing", "groups"}
    given |= {"confidence_level", "progress"}
    assert names(iso.bootstrap) - given == bootstrap
    assert names(bootstrap_curves) - given - {"space", "index", "x"} == drawing
    assert names(iso.best_threshold) == set(ObjectiveOptions.__annotations__)
    objective = set(ObjectiveOptions.__annotations__) | {"sure", "guarantee"}
    assert set(ReportOptions.__annotations__) == drawing | objective


@pytest.mark.parametrize(
    "call",
    [AN.summary, AN.compare, lambda **given: AN.report("never.html", **given)],
)
def test_options_of_intervals_need_intervals(call):
    message = "n_resamples says how intervals are made; give confidence_level= too"
    with pytest.raises(ParameterError, match=message):
        call(n_resamples=20)


def test_a_page_begins_with_the_verdict_for_the_objective_it_is_given(tmp_path):
    costs = {"miss_cost": 50, "false_alarm_cost": 2}
    page = AN.report(tmp_path / "costs.html", **costs).read_text(encoding="utf-8")
    given = AN.report(tmp_path / "given.html", verdict=AN.verdict(**costs))
    assert page == given.read_text(encoding="utf-8")
    for verdict in (AN.verdict(), False):
        with pytest.raises(ParameterError, match="miss_cost is for the verdict of the page, but"):
            AN.report(tmp_path / "both.html", verdict=verdict, **costs)
    with pytest.raises(ParameterError, match="the cost of one error is given without that of the"):
        AN.report(tmp_path / "half.html", miss_cost=50)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["costs.html", "given.html"]
