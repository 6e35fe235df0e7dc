"""Results of the studies are values, as those of isometrics are, and their columns keep names."""

import copy
import importlib
import pickle
import pkgutil

import numpy as np
import pytest

import isometrics as iso
import isometrics_studies
from isometrics._core.results import Value
from isometrics_studies.papers.collection import PaperNumbers
from isometrics_studies.papers.item import Item, Number
from isometrics_studies.planted import Planted, planted_bicluster
from isometrics_studies.ranking.agreement import Agreement
from isometrics_studies.ranking.choosing import PickDifferences, Picks
from isometrics_studies.ranking.datasets import DataSet, Unusable
from isometrics_studies.ranking.ranks import Disagreement, Ranking, disagreement, rank_models
from isometrics_studies.ranking.results import TaskResult
from isometrics_studies.ranking.reversals import Reversals
from isometrics_studies.ranking.tables import PairPoints, TaskList

NAN = float("nan")
PAIR = ("aupr", "auroc")
SCORES = {"x": {"AUPR": 0.5, "AUROC": 0.4}, "y": {"AUPR": 0.3, "AUROC": 0.6}}


def data_set():
    codes = np.array([False, True])
    return DataSet("keel/some.dat", np.array([[0.5, NAN], [1, 2]]), codes, codes, "the rule")


def numbers():
    return (Number("AUPR", 0.5, "0.50"),)


def item():
    return Item("DG06", "Fig. 2", "A title.", "A curve.", numbers)


def models():
    return {name: iso.OperatingPoints.from_scores([1, 0, 1], [3, 2, 1]) for name in "ab"}


RESULTS = {
    Agreement: lambda: Agreement((PAIR,), 3, 2, 0.95, *np.full((3, 1, 6), NAN)),
    DataSet: data_set,
    Disagreement: lambda: disagreement([SCORES]),
    Item: item,
    Number: lambda: numbers()[0],
    PairPoints: lambda: PairPoints("task", models()),
    PaperNumbers: lambda: PaperNumbers((item(),), numbers()),
    PickDifferences: lambda: PickDifferences("f1", (PAIR,), *np.full((6, 1), NAN)),
    Picks: lambda: Picks("f1", PAIR, 3, *np.full((4, 2), NAN)),
    Planted: lambda: planted_bicluster((9, 9), (3, 3)),
    Ranking: lambda: rank_models(SCORES),
    Reversals: lambda: Reversals("task", PAIR, (("x", "y"),), np.array([[0.5, NAN]]), 3),
    TaskList: lambda: TaskList((data_set(),), (Unusable("b", "is broken"),)),
    TaskResult: lambda: TaskResult("task", ("x", "y"), {"AUPR": np.array([0.5, NAN])}),
}
COLUMNS = {
    Agreement: (
        "measure | against | top_1 | top_1_low | top_1_high | top_3 | top_3_low | top_3_high | "
        "top_3_in_order | top_3_in_order_low | top_3_in_order_high | "
        "kendall | kendall_low | kendall_high | spearman | spearman_low | spearman_high | "
        "rank_correlation | rank_correlation_low | rank_correlation_high"
    ),
    Disagreement: "measure | against | top_1 | top_3 | kendall | spearman | undefined",
    PairPoints: "model | tp | fp | positives | negatives",
    PaperNumbers: "item | number | ours | paper | difference | agrees | fitted | source | reason",
    PickDifferences: "picked by | against | difference | low | high | better | worse | equal",
    Picks: "picked by | mean | low | high | regret",
    Ranking: "model | AUPR | rank by AUPR | AUROC | rank by AUROC",
    Reversals: "better by AUPR | better by AUROC | lead in AUPR | lead in AUROC",
    TaskList: "task | used | rows | features | positives | rule | note",
}
"""The columns of every result that has a frame: users rely on their names."""


def test_every_result_is_listed():
    for module in pkgutil.walk_packages(isometrics_studies.__path__, "isometrics_studies."):
        importlib.import_module(module.name)
    # By name: of a class with slots, Python keeps the one without for a while.
    ours = [each for each in derived(Value) if each.__module__.startswith("isometrics_studies.")]
    assert {each.__name__ for each in ours} <= {each.__name__ for each in RESULTS}
    framed = {each.__name__ for each in ours if hasattr(each, "to_frame")}
    assert framed == {each.__name__ for each in COLUMNS}


def derived(cls):
    for each in cls.__subclasses__():
        yield each
        yield from derived(each)


@pytest.mark.parametrize("make", RESULTS.values(), ids=lambda make: type(make()).__name__)
def test_a_pickle_and_a_copy_are_equal_results(make):
    result = make()
    for again in (make(), pickle.loads(pickle.dumps(result)), copy.deepcopy(result)):
        assert type(again) is type(result)
        assert again == result
        assert repr(again) == repr(result)
    assert result != object()


@pytest.mark.parametrize("cls", COLUMNS, ids=lambda cls: cls.__name__)
def test_columns(cls):
    assert " | ".join(RESULTS[cls]().to_frame("pandas").columns) == COLUMNS[cls]
