"""Rankings and disagreement against SciPy and by hand."""

import math
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import isometrics as iso
from isometrics.errors import EmptyInputError, ParameterError
from isometrics_studies.ranking.ranks import disagreement, rank_models

TOTALS = {"positives": 10, "negatives": 30}
GOOD = iso.OperatingPoints.from_counts([4, 10], [0, 12], **TOTALS)
FAIR = iso.OperatingPoints.from_counts([3, 9], [2, 20], **TOTALS)
SETS = iso.OperatingPoints.from_counts([5, 6], [9, 7], **TOTALS)


def task(**columns):
    """Scores by measure, as rows by model."""
    size = len(next(iter(columns.values())))
    return {
        f"m{row}": {name: column[row] for name, column in columns.items()} for row in range(size)
    }


def test_models_are_ranked_by_all_areas():
    ranking = rank_models({"fair": FAIR, "good": GOOD, "again": GOOD}, index="folke")
    assert ranking.measures == ("AUROC", "AUPR", "average precision", "AUPRG", "tradeoff area")
    assert ranking.best("AUROC") == ("good", "again")
    assert ranking.ranks.tolist() == [[3] * 5, [1.5] * 5, [1.5] * 5]
    assert ranking.values[0, 4] == FAIR.tradeoff("folke").area()
    assert repr(ranking).startswith("Ranking: 3 models by 5 measures; ties share a mean rank")
    assert ranking.to_frame("pandas").shape == (3, 11)
    assert repr(pickle.loads(pickle.dumps(ranking))) == repr(ranking)
    result = ranking.disagreement()
    assert result.tasks == 1
    assert len(result.pairs) == 10
    assert result.kendall == pytest.approx(np.ones(10))
    with pytest.raises(ParameterError, match="measure must be one of 'AUROC'"):
        ranking.best("F1")


def test_sets_without_a_curve_have_no_rank_there():
    ranking = rank_models({"sets": SETS, "good": GOOD})
    assert np.isnan(ranking.ranks[0, :4]).all()
    assert ranking.best("AUROC") == ("good",)
    assert rank_models({"a": SETS, "b": SETS}).best("AUROC") == ()
    assert np.isnan(rank_models({"a": SETS, "b": SETS}).disagreement().kendall[0])
    assert np.isnan(ranking.disagreement().kendall[0])


def test_a_table_of_scores_without_ties():
    ranking = rank_models(task(one=[1, 2, 3], other=[3, 1, 2]))
    assert ranking.ranks.tolist() == [[3, 1], [2, 3], [1, 2]]
    assert ranking.best("one") == ("m2",)
    assert repr(ranking).startswith("Ranking: 3 models by 2 measures\n")


values = st.lists(st.integers(0, 4), min_size=4, max_size=8)


@pytest.mark.slow
@given(st.lists(st.tuples(values, st.randoms()), min_size=1, max_size=4))
@settings(max_examples=50)
def test_disagreement_is_the_mean_over_tasks(drawn):
    tasks, kendall, spearman, first = [], [], [], []
    for one, random in drawn:
        other = list(one)
        random.shuffle(other)
        tasks.append(task(one=one, other=other))
        best = [
            {row for row, x in enumerate(column) if x == max(column)} for column in (one, other)
        ]
        first.append(best[0] != best[1])
        if len(set(one)) > 1:
            kendall.append(stats.kendalltau(one, other).statistic)
            spearman.append(stats.spearmanr(one, other).statistic)
    result = disagreement(tasks)
    assert result.pairs == (("one", "other"),)
    assert result.tasks == len(tasks)
    assert result.undefined[0] == len(tasks) - len(kendall)
    assert result.top_1[0] == pytest.approx(np.mean(first))
    for mean, each in ((result.kendall, kendall), (result.spearman, spearman)):
        assert mean[0] == pytest.approx(np.mean(each) if each else math.nan, nan_ok=True)


def test_the_best_three_with_a_tie_at_the_border():
    """Fewer than three are strictly better than each of the tied, so all of them are in."""
    tied = task(one=[5, 4, 3, 3, 1], other=[5, 4, 3, 2, 1])
    assert disagreement([tied]).top_3.tolist() == [1]
    assert disagreement([tied]).top_1.tolist() == [0]
    swapped = task(one=[5, 4, 3, 2], other=[3, 4, 5, 2])
    assert disagreement([swapped]).top_3.tolist() == [0]
    assert disagreement([swapped, tied]).top_1.tolist() == [0.5]
    assert repr(disagreement([tied])).startswith("Disagreement between measures on 1 task;")


def test_measures_may_come_in_any_order():
    first = {"a": {"x": 1, "y": 2}, "b": {"y": 1, "x": 3}}
    second = {"a": {"y": 2, "x": 1}, "b": {"y": 1, "x": 3}}
    assert disagreement([first, second]).kendall.tolist() == [-1]


@pytest.mark.parametrize(
    ("tasks", "message"),
    [
        ([{"a": {"x": 1}}], r"tasks\[0\] needs two models or more but has 1"),
        ([{"a": {"x": 1}, "b": 2}], r"tasks\[0\]\['b'\] must map measures to values but is int"),
        (
            [{"a": {"x": 1}, "b": {"y": 2}}],
            r"tasks\[0\]\['b'\] has the measures y but the first model has x",
        ),
        ([{"a": {"x": 1}, "b": {"x": "best"}}], r"tasks\[0\] has values that are not numbers"),
        ([{"a": {"x": 1}, "b": {"x": math.nan}}], r"tasks\[0\] has 1 missing values \(NaN\)"),
        (
            [task(x=[1, 2]), task(y=[1, 2])],
            r"tasks\[1\] has the measures y but tasks\[0\] has x",
        ),
    ],
)
def test_errors(tasks, message):
    with pytest.raises(ParameterError, match=message):
        disagreement(tasks)


def test_more_errors():
    with pytest.raises(EmptyInputError, match="tasks is empty"):
        disagreement([])
    with pytest.raises(ParameterError, match="must be a mapping"):
        rank_models([GOOD, FAIR])
