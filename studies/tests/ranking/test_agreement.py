"""How measures disagree, against counting by hand, and intervals over tasks."""

from dataclasses import replace
from itertools import combinations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import pearsonr, rankdata

from isometrics.errors import EmptyInputError, FileError, ParameterError
from isometrics_studies.ranking.agreement import agreement, heat_map
from isometrics_studies.ranking.choosing import picks
from isometrics_studies.ranking.results import (
    TaskResamples,
    TaskResult,
    origin,
    read_results,
    results_of,
    task_named,
    write_table,
)
from isometrics_studies.ranking.reversals import reversals
from isometrics_studies.ranking.scoring import HALVES, MEASURES

PAIR = ("aupr", "auprg")


def made(seed, tasks=12, models=6, ties=3):
    """Return tasks with rounded values, so that some tie."""
    rng = np.random.default_rng(seed)
    names = (*MEASURES, "f1", "expected_f1")
    result = []
    for task in range(tasks):
        columns = {}
        for name in (*MEASURES, *(f"{name}_{half}" for name in names for half in HALVES)):
            columns[name] = np.round(rng.random(models) * ties) / ties
        for name in MEASURES:
            columns[f"rank_{name}"] = rankdata(-columns[name])
        # Three tasks of each origin.
        name = f"{'abcd'[task // 3]}{task}.csv"
        result.append(TaskResult(name, tuple(f"m{model}" for model in range(models)), columns))
    return result


def best(values, count):
    """Return the models that fewer than so many others beat."""
    return {
        row for row, value in enumerate(values) if sum(other > value for other in values) < count
    }


@settings(max_examples=25)
@given(st.integers(0, 10_000))
def test_shares_are_counted_by_hand(seed):
    results = made(seed)
    result = agreement(results, measures=PAIR, n_resamples=5)
    first, second = (
        [[best(task.columns[measure], count) for count in (1, 2, 3)] for task in results]
        for measure in PAIR
    )
    shares = {
        "top_1": [a[0] != b[0] for a, b in zip(first, second, strict=True)],
        "top_3": [a[2] != b[2] for a, b in zip(first, second, strict=True)],
        "top_3_in_order": [a != b for a, b in zip(first, second, strict=True)],
    }
    for name, differs in shares.items():
        assert result.of(*PAIR, name)[0] == pytest.approx(sum(differs) / len(results))
    ranks = [
        np.concatenate([task.columns[f"rank_{measure}"] for task in results]) for measure in PAIR
    ]
    assert result.of(*PAIR, "rank_correlation")[0] == pytest.approx(pearsonr(*ranks).statistic)


def test_a_measure_agrees_with_itself_and_not_with_its_reverse():
    results = made(1, ties=1000)
    for task in results:
        task.columns["auprg"] = -task.columns["aupr"]
        task.columns["rank_auprg"] = rankdata(task.columns["aupr"])
        task.columns["auroc"] = 2 * task.columns["aupr"]
        task.columns["rank_auroc"] = task.columns["rank_aupr"]
    result = agreement(results, measures=("auroc", "aupr", "auprg"), n_resamples=20)
    assert result.of("auroc", "aupr", "top_3_in_order") == (0, 0, 0)
    assert result.of("auroc", "aupr", "rank_correlation") == pytest.approx((1, 1, 1))
    assert result.of("aupr", "auprg", "top_1") == (1, 1, 1)
    assert result.of("aupr", "auprg", "kendall") == pytest.approx((-1, -1, -1))
    assert len(result.pairs) == len(result.to_frame("pandas")) == 3
    assert "12 tasks of 4 origins; intervals of 95%" in repr(result)


def test_measures_that_tie_all_models_have_no_correlation():
    results = made(2)[:1]
    results[0].columns["aupr"] = np.ones(6)
    result = agreement(results, measures=PAIR, n_resamples=5)
    assert np.isnan(result.of(*PAIR, "kendall")).all()


def test_intervals_draw_the_tasks_of_one_origin_together():
    names = ["a1", "a2", "b1", "c1"]
    resamples = TaskResamples(names, 500, 0.9, 0)
    assert resamples.origins == 3
    assert (resamples.counts[:, 0] == resamples.counts[:, 1]).all()
    assert (resamples.counts[:, [0, 2, 3]].sum(axis=1) == 3).all()
    values = np.array([1.0, 1.0, 0.0, np.nan])
    with np.errstate(invalid="ignore"):
        means = (resamples.counts[:, 0] * 2) / (resamples.counts[:, 0] * 2 + resamples.counts[:, 2])
    low, high = np.nanquantile(means, [0.05, 0.95])
    assert resamples.interval_of_means(values) == (low, high)


def test_an_interval_covers_the_share_it_estimates():
    """Of 200 studies with a share of 0.3, the 90% interval should miss in about a tenth."""
    rng = np.random.default_rng(7)
    names = [f"{chr(97 + n // 26)}{chr(97 + n % 26)}" for n in range(120)]
    resamples = TaskResamples(names, 400, 0.9, 1)
    assert resamples.origins == 120
    ends = [resamples.interval_of_means((rng.random(120) < 0.3) * 1.0) for _ in range(200)]
    missed = sum(not low <= 0.3 <= high for low, high in ends)
    assert 8 <= missed <= 40


@settings(max_examples=25)
@given(st.integers(0, 10_000))
def test_a_heat_map_has_every_model_once(seed):
    results = made(seed, tasks=3)
    counts = heat_map(results)
    assert counts.sum() == pytest.approx(18)
    assert counts.sum(axis=0) == pytest.approx(np.full(6, 3.0))
    assert counts.sum(axis=1) == pytest.approx(np.full(6, 3.0))
    distinct = made(seed, tasks=1, ties=10**6)
    expected = np.zeros((6, 6))
    for first, second in zip(*(distinct[0].columns[f"rank_{name}"] for name in PAIR), strict=True):
        expected[int(second) - 1, int(first) - 1] += 1
    assert heat_map(distinct) == pytest.approx(expected)


@settings(max_examples=25)
@given(st.integers(0, 10_000))
def test_reversals_are_all_pairs_in_different_order(seed):
    task = made(seed)[0]
    result = reversals(task)
    one, other = (dict(zip(task.models, task.columns[name], strict=True)) for name in PAIR)
    expected = {
        frozenset(pair)
        for pair in combinations(task.models, 2)
        if (one[pair[0]] - one[pair[1]]) * (other[pair[0]] - other[pair[1]]) < 0
    }
    assert {frozenset(pair) for pair in result.pairs} == expected
    for (first, second), leads in zip(result.pairs, result.leads, strict=True):
        assert leads == pytest.approx([one[first] - one[second], other[second] - other[first]])
    smaller = result.leads.min(axis=1)
    assert (np.diff(smaller) <= 0).all()
    assert f"{len(expected)} of 15 pairs" in repr(result)


@pytest.mark.parametrize("criterion", ["f1", "expected_f1"])
def test_picks_are_judged_on_the_other_half(criterion):
    results = made(3)
    result, differences = picks(results, criterion, measures=PAIR, n_resamples=50)
    values = {}
    for measure in PAIR:
        values[measure] = []
        for task in results:
            both = []
            for here, there in (HALVES, HALVES[::-1]):
                areas, worth = (
                    task.columns[f"{measure}_{here}"],
                    task.columns[f"{criterion}_{there}"],
                )
                both.append(
                    np.mean([w for a, w in zip(areas, worth, strict=True) if a == max(areas)])
                )
            values[measure].append(np.mean(both))
    best_of_all = [
        np.mean([task.columns[f"{criterion}_{half}"].max() for half in HALVES]) for task in results
    ]
    first, second = np.array(values["aupr"]), np.array(values["auprg"])
    assert result.mean == pytest.approx([first.mean(), second.mean()])
    assert result.regret == pytest.approx(np.mean(best_of_all) - result.mean)
    assert differences.difference == pytest.approx([(first - second).mean()])
    shares = [differences.better[0], differences.worse[0], differences.equal[0]]
    assert shares == pytest.approx(
        [(first > second).mean(), (first < second).mean(), (first == second).mean()]
    )
    assert (result.low <= result.mean).all()
    assert (result.mean <= result.high).all()
    assert "12 tasks" in repr(result)
    assert "Differences between the picks" in repr(differences)


def test_models_and_tasks_without_halves_are_no_candidates():
    results = made(4)
    columns = [{name: values.copy() for name, values in each.columns.items()} for each in results]
    columns[0]["f1_first"][:] = np.nan
    spoiled = columns[1]
    spoiled["f1_second"][spoiled["aupr_first"] == spoiled["aupr_first"].max()] = np.nan
    results = [replace(each, columns=mine) for each, mine in zip(results, columns, strict=True)]
    result, _ = picks(results, measures=PAIR, n_resamples=5)
    assert result.tasks == 11
    assert np.isfinite(result.mean).all()
    with pytest.raises(EmptyInputError, match="no task has both classes in both halves"):
        picks(results[:1])


@pytest.mark.parametrize(
    ("task", "expected"),
    [
        ("keel/ecoli-0-1_vs_5.dat", "ecoli"),
        ("keel/ecoli4.dat", "ecoli"),
        ("arff/classification__heart.statlog.arff", "heart"),
        ("x/analcatdata_aids.arff", "analcatdata_aids"),
        ("3", "3"),
    ],
)
def test_names_tell_where_tasks_come_from(task, expected):
    assert origin(task) == expected


def test_results_are_read_without_models_that_gave_none(tmp_path):
    columns = {"task": ["a", "a", "b"], "model": ["x", "y", "x"], "reason": ["", "slow", ""]}
    table = pa.table(columns | {measure: [0.5, float("nan"), 0.25] for measure in MEASURES})
    write_table(tmp_path / "r.parquet", table)
    results = read_results(tmp_path / "r.parquet")
    assert [(task.name, task.models) for task in results] == [("a", ("x",)), ("b", ("x",))]
    assert results[1].table(PAIR).tolist() == [[0.25, 0.25]]
    assert [task.models for task in results_of(table)] == [("x",), ("x",)]
    assert task_named(results, "a") is results[0]
    with pytest.raises(ParameterError, match="0 tasks have 'c' in their names"):
        task_named(results, "c")


def test_a_file_that_holds_no_results_is_told(tmp_path):
    with pytest.raises(FileError, match="cannot read"):
        read_results(tmp_path / "nothing.parquet")
    write_table(tmp_path / "other.parquet", pa.table({"task": ["a"]}))
    with pytest.raises(FileError, match=r"has no column auprg?, .*model, tradeoff"):
        read_results(tmp_path / "other.parquet")
