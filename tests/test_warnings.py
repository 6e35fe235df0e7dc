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
from isometrics.cli.options import Objectives
from isometrics.cli.verdict import thresholds as command
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
    from isometrics.sources.spark_and_dask import ClusterFrame

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
    "integrations.sklearn.estimators": estimator_without_weights,
    "integrations.torchmetrics": torch_metric,
    "spaces.prg": lambda _: WORST.prg.expected_f_gain(),
    "uncertainty.bootstrap": few_replicates,
    "uncertainty.intervals": lambda _: interval_of(np.ones(9), 1.0, method="percentile", level=0.9),
    "uncertainty.delong.interval": lambda _: iso.delong(LABELS, PERFECT["A"]),
    "uncertainty.delong.spread": lambda _: iso.delong([1, 0, 0, 0], [3, 4, 2, 1]),
    "uncertainty.delong.difference": lambda _: iso.delong(
        [0, 1, 0, 1], {"A": [1, 2, 3, 4], "B": [2, 4, 6, 8]}
    ).differences(),
}
"""By the module that warns; behind it which of its warnings, where it has several."""


@pytest.mark.parametrize("name", CASES)
def test_a_warning_names_the_line_of_the_caller(name, tmp_path):
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        CASES[name](tmp_path)
    (file,) = {Path(each.filename) for each in told}
    # torchmetrics wraps what is called.
    wrapped = name.endswith("torchmetrics") and "torchmetrics" in file.parts
    assert file == Path(__file__) or wrapped


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
