"""Every pair of source, kind of group, layout, kind of weight and way in comes to the same."""

import json

import numpy as np
import pytest

import isometrics as iso
from isometrics.cli import main
from isometrics.cli.output import records
from isometrics.errors import IsometricsError
from isometrics.points.models import count_groups

from .engines import by_position, dask, postgres_table
from .matrix import (
    CASES,
    FACTORS,
    IMPOSSIBLE,
    PAIRS,
    assert_same_analysis,
    each_level_once,
    expected,
    groups_of,
    is_long,
    name_of,
    pairs_of,
    quick_cases,
    roles_of,
    table_of,
)
from .sources import SOURCES

QUICK = quick_cases()
SPARK_LACKS = {"times": "a time of Spark is a moment, and printed in the zone of the session"}


def analysed(given, case):
    scores = {name: given[name] for name in roles_of(case)["scores"]}
    weights = given["weight"] if case["weight"] != "none" else None
    groups = given["site"] if case["group"] != "none" else None
    return iso.analyse(given["label"], scores, sample_weight=weights, groups=groups)


def outcome(given, case):
    try:
        if case["way"] == "analyse":
            return analysed(given, case)
        keep = {"keep_rows": True} if case["way"] == "keep_rows" else {}
        return iso.read_predictions(given, **roles_of(case), **keep)
    except IsometricsError as error:
        return type(error), by_position(str(error), given)


def check(given, case, capsys=None):
    wanted = expected(case)
    if case["way"] == "command":
        check_command(given, case, wanted, capsys)
        return
    result = outcome(given, case)
    if isinstance(wanted, tuple):
        assert result == wanted
        return
    assert_same_analysis(result, wanted)
    if case["way"] == "keep_rows":
        groups = result.rows.groups
        assert list(() if groups is None else groups.names) == list(map(str, groups_of(case)))
        assert count_groups([result.rows]).skipped == wanted.skipped


def words_of(case):
    words = []
    for role, given in roles_of(case).items():
        for column in given if isinstance(given, list) else [given or ""]:
            words += [f"--{role}", column]
    return words


def check_command(path, case, wanted, capsys):
    capsys.readouterr()
    code = main(["summary", str(path), "--json", "--resamples", "20", *words_of(case)])
    out, err = capsys.readouterr()
    if isinstance(wanted, tuple):
        said = [by_position(line, path) for line in err.splitlines()[-1:]]
        assert (code, said) == (2, [f"isometrics: {wanted[1]}"])
        return
    assert code == 0, err
    answer = json.loads(out)
    assert list(answer["skipped"].items()) == list(wanted.skipped.items())
    rows = list(records(wanted.summary()._columns()))
    assert len(answer["summary"]) == len(rows)
    for result, row in zip(answer["summary"], rows, strict=True):
        assert list(result) == list(row)
        for name, value in row.items():
            if isinstance(value, float):
                np.testing.assert_allclose(result[name], value, rtol=1e-12, atol=1e-12)
            else:
                assert result[name] == value, name


@pytest.mark.parametrize("case", QUICK, ids=name_of)
def test_each_level(case, tmp_path, capsys):
    check(SOURCES[case["source"]](table_of(case), tmp_path), case, capsys)


@pytest.mark.slow
@pytest.mark.parametrize("case", [case for case in CASES if case not in QUICK], ids=name_of)
def test_each_pair(case, tmp_path, capsys):
    check(SOURCES[case["source"]](table_of(case), tmp_path), case, capsys)


# ---------------------------------------------------------------------- clusters and servers


@pytest.mark.slow
@pytest.mark.parametrize("case", each_level_once(), ids=name_of)
def test_dask(case, tmp_path):
    pytest.importorskip("dask")
    check(dask(table_of(case), tmp_path), case)


@pytest.mark.xdist_group("spark")
@pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas")
@pytest.mark.parametrize("case", each_level_once(SPARK_LACKS), ids=name_of)
def test_spark(spark, case):
    check(spark.createDataFrame(table_of(case)), case)


@pytest.mark.slow
@pytest.mark.parametrize("case", each_level_once(), ids=name_of)
def test_postgresql(server, case):
    check(postgres_table(server, table_of(case), "predictions"), case)


# ---------------------------------------------------------------------- the matrix itself


def test_every_level_and_every_pair_is_in_some_case_or_impossible():
    covered = set().union(*map(pairs_of, CASES))
    assert covered | set(IMPOSSIBLE) == PAIRS
    assert not covered & set(IMPOSSIBLE)
    for factor, levels in FACTORS.items():
        assert {case[factor] for case in CASES} == set(levels)
        assert {case[factor] for case in QUICK} == set(levels)


def a_case(**levels):
    chosen = {"group": "texts", "layout": "two models, wide", "weight": "none"}
    return chosen | {"source": "pyarrow", "way": "read_predictions"} | levels


@pytest.mark.parametrize(
    "change",
    [
        lambda analysis: {"groups": dict(reversed(analysis.groups.items()))},
        lambda analysis: {"models": dict(reversed(analysis.models.items()))},
        lambda _: {"skipped": {}},
        lambda _: {"skipped": {"ç": "only positives"}},
        lambda analysis: {"groups": analysis.groups | {"a": analysis.models}},
    ],
    ids=["order of groups", "order of models", "skipped", "reason", "a table"],
)
def test_a_planted_difference_is_found(change):
    wanted = expected(a_case())
    parts = {name: getattr(wanted, name) for name in ("models", "groups", "skipped")}
    assert_same_analysis(iso.Analysis(**parts), wanted)
    with pytest.raises(AssertionError):
        assert_same_analysis(iso.Analysis(**parts | change(wanted)), wanted)


def test_the_rows_have_what_the_matrix_is_about():
    """Groups appear in another order than theirs, and one of them has one class."""
    wanted = expected(a_case())
    assert list(wanted.groups) == ["B", "a", "b"]
    assert wanted.skipped == {"ç": "only negatives"}
    zeros = expected(a_case(weight="zeros"))
    assert list(zeros.groups) == ["a", "b"]
    assert is_long(a_case(layout="two models, long"))
