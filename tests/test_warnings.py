"""Every warning names the line of the program that called isometrics, not one of its own."""

import ast
import threading
import warnings
from collections import Counter
from contextlib import suppress
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import isometrics as iso
from isometrics import errors
from isometrics.cli.thresholds import Objectives
from isometrics.cli.thresholds import thresholds as command
from isometrics.decisions import threshold_choice
from isometrics.report import serve
from isometrics.uncertainty.intervals import interval_of

SOURCE = Path(iso.__file__).parent
LABELS = [0, 0, 1, 1] * 5
WORST = iso.OperatingPoints.from_scores([0, 0, 1], [3, 2, 1])
PERFECT = {"A": [0.1, 0.2, 0.8, 0.9] * 5, "B": [1, 2, 8, 9] * 5}
ONE_CLASS = iso.analyse([1, 0, 1, 0, 0], [5, 4, 3, 2, 1], groups=list("aabbc"))


def few_replicates(_):
    iso.bootstrap([1, 0, 0, 0, 0], [5, 4, 6, 3, 2], measures="AUROC", n_resamples=9, random_state=0)


def amount_beside_scores(_):
    scores = np.arange(40) / 40
    table = {"label": [0, 1] * 20, "a": scores, "b": scores**2, "amount": scores * 900}
    iso.read_predictions(pd.DataFrame(table))


def wide_brackets(_):
    import narwhals.stable.v2 as nw

    from isometrics.sources.cluster_passes import PassLimits
    from isometrics.sources.clusters import ClusterFrame

    pl = pytest.importorskip("polars")
    rng = np.random.default_rng(1)
    labels = rng.random(500) < 0.4
    frame = pl.DataFrame({"label": labels, "score": rng.normal(labels)}).lazy()
    source = ClusterFrame(nw.from_native(frame), limits=PassLimits(60, 8, 1))
    iso.read_predictions(source, tolerance=1e-5)


def torch_metric(_):
    torch = pytest.importorskip("torch")
    pytest.importorskip("torchmetrics")
    from isometrics.integrations.torchmetrics import BinaryAUPRG

    metric = BinaryAUPRG()
    metric.update(torch.tensor([0.1, 0.2]), torch.tensor([1, 1]))
    metric.compute()


def mlflow_metric(_):
    pytest.importorskip("mlflow")
    from isometrics.integrations.mlflow import class_metrics

    (metric,) = class_metrics()
    metric.eval_fn(np.array([0, 0, 1]), np.array([1, 0, 0]))


def estimator_without_weights(_):
    pytest.importorskip("sklearn")
    from sklearn.neighbors import KNeighborsClassifier

    from isometrics.integrations.sklearn import FBetaThresholdClassifier

    scores = np.arange(20.0)[:, None]
    FBetaThresholdClassifier(KNeighborsClassifier()).fit(
        scores, np.array(LABELS), sample_weight=np.ones(20)
    )


def unreachable_precision(folder):
    file = folder / "predictions.csv"
    pd.DataFrame({"label": [0, 1, 0, 1], "score": [4, 3, 2, 1]}).to_csv(file, index=False)
    command(str(file), objectives=Objectives(min_precision=(0.99,)))


def page_for_others(_):
    def interrupt(_):
        raise KeyboardInterrupt

    with suppress(KeyboardInterrupt):
        serve({"A": WORST}, host="0.0.0.0", open_browser=False, announce=interrupt)


CASES = {
    "analysis.averages.fold": lambda _: iso.average([WORST], threshold=9.0),
    "analysis.averages.one class": lambda _: iso.average(ONE_CLASS),
    "analysis.reading": amount_beside_scores,
    "decisions.thresholds": unreachable_precision,
    "report.serve": page_for_others,
    "sources.cluster_passes": wide_brackets,
    "integrations.mlflow": mlflow_metric,
    "integrations.sklearn.estimators": estimator_without_weights,
    "integrations.torchmetrics.state": torch_metric,
    "spaces.prg": lambda _: WORST.prg.expected_f_gain(),
    "decisions.threshold_choice": lambda _: threshold_choice.rate_driven_f_gain(WORST),
    "uncertainty.bootstrap": few_replicates,
    "uncertainty.intervals": lambda _: interval_of(np.ones(9), 1.0, method="percentile", level=0.9),
    "uncertainty.delong.interval": lambda _: iso.delong(LABELS, PERFECT["A"]),
    "uncertainty.delong.spread": lambda _: iso.delong([1, 0, 0, 0], [3, 4, 2, 1]),
    "uncertainty.delong.difference": lambda _: iso.delong(
        [0, 1, 0, 1], {"A": [1, 2, 3, 4], "B": [2, 4, 6, 8]}
    ).differences(),
}
"""By the module that warns; behind it which of its warnings, where it has several."""


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_a_warning_names_the_line_of_the_caller(case, tmp_path):
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        case(tmp_path)
    assert {Path(each.filename) for each in told} == {Path(__file__)}


def test_every_warning_of_the_library_has_a_case():
    """Nothing warns but through `errors.warn`, and each place that does is a case above."""
    found: Counter[str] = Counter()
    for file in SOURCE.rglob("*.py"):
        module = ".".join(file.relative_to(SOURCE).with_suffix("").parts)
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.Call):
                called = ast.unparse(node.func)
                assert module == "errors" or called not in (
                    "warnings.warn",
                    "warnings.warn_explicit",
                )
                found[module] += called == "warn"
    modules = [module for module, count in found.items() for _ in range(count)]
    covered = Counter(max((m for m in found if f"{case}.".startswith(f"{m}.")), key=len)
                      for case in CASES)  # fmt: skip
    assert covered == Counter(modules)


@pytest.mark.parametrize(
    "called",
    [
        lambda: pd.Series([1]).map(lambda _: WORST.prg.expected_f_gain()),
        lambda: pd.Series([1.0]).map(WORST.prg.expected_f_gain),
        lambda: np.vectorize(WORST.prg.expected_f_gain)([1.0]),
        lambda: list(map(WORST.prg.expected_f_gain, [1.0])),
        lambda: iso.analyse([1, 0] * 9, [2, 1] * 9).bootstrap("AUROC", n_resamples=9),
    ],
    ids=["pandas, a function", "pandas, a method", "numpy", "map", "through the library"],
)
def test_libraries_between_are_passed_over(called):
    with pytest.warns(iso.UndefinedWarning) as told:
        called()
    assert {Path(each.filename) for each in told} == {Path(__file__)}


def test_a_scorer_of_scikit_learn_names_the_search_that_called_it():
    pytest.importorskip("sklearn")
    from sklearn.linear_model import LogisticRegression
    from sklearn.metrics import make_scorer
    from sklearn.model_selection import cross_val_score

    def expected(y, scores):
        return iso.OperatingPoints.from_scores(y, -scores).prg.expected_f_gain()

    X = np.repeat([0.0, 1.0], 10)[:, None]
    scorer = make_scorer(iso.auprg_score, response_method="predict_proba")
    assert cross_val_score(LogisticRegression(), X, X[:, 0], scoring=scorer, cv=2).tolist() == [
        1,
        1,
    ]
    with pytest.warns(iso.UndefinedWarning) as told:
        cross_val_score(
            LogisticRegression(),
            X,
            X[:, 0],
            scoring=make_scorer(expected, response_method="predict_proba"),
            cv=2,
        )
    assert {Path(each.filename) for each in told} == {Path(__file__)}


def test_in_a_thread_of_the_standard_library_its_line_is_named():
    """No line of the user's program is on the stack of such a thread."""
    thread = threading.Thread(target=WORST.prg.expected_f_gain)

    def finish():
        thread.start()
        thread.join()

    with pytest.warns(iso.UndefinedWarning) as told:
        finish()
    assert Path(told[0].filename) == Path(threading.__file__)


def test_the_message_is_shown_once_for_each_line():
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("default")
        for _ in range(2):
            errors.warn("first", UserWarning)
        errors.warn("second", UserWarning)
    assert [str(each.message) for each in told] == ["first", "second"]
