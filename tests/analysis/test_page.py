"""Whether one rule serves all groups: against counts made by hand, and in words."""

import json
import math

import numpy as np
import pytest

import isometrics as iso
from isometrics.analysis.page import MOST_GROUPS, MOST_POINTS, groups_data, lines_about
from isometrics.cli import main
from isometrics.report.model import unpacked


def analysis_of(n_groups=3, rows=200, shifted=(), models=("forest",), seed=0, **options):
    rng = np.random.default_rng(seed)
    groups = np.repeat([f"site {place:03d}" for place in range(n_groups)], rows)
    labels = rng.random(groups.size) < 0.3
    offset = np.repeat([1.5 * (place in shifted) for place in range(n_groups)], rows)
    scores = {
        name: rng.normal((2 - 0.4 * place) * labels + offset) for place, name in enumerate(models)
    }
    return iso.analyse(labels, scores, groups=groups, **options)


@pytest.fixture(scope="module")
def shifted():
    analysis = analysis_of(shifted=[1], models=("forest", "linear"))
    return analysis, analysis.verdict(by_group=False, n_resamples=200)


def f1(points, threshold):
    row = points.at(threshold)
    return 2 * row.tp[0] / (row.tp[0] + row.fp[0] + points.positives)


def test_values_are_those_of_the_common_threshold(shifted):
    analysis, verdict = shifted
    groups = groups_data(analysis, verdict)
    assert {row["name"] for row in groups["rows"]} == set(analysis.groups)
    for row in groups["rows"]:
        points = analysis.groups[row["name"]][verdict.model]
        assert row["value"] == pytest.approx(f1(points, verdict.threshold))
        best = iso.best_threshold(points, beta=1)
        assert row["ownCounts"] == [best.tp, best.fp]
        counts = points.at(verdict.threshold)
        assert row["counts"] == [counts.tp[0], counts.fp[0]]
        assert row["valueLower"] < row["value"] < row["valueUpper"]
        assert row["gainLower"] <= row["gain"] <= row["gainUpper"]
        assert row["sentence"].startswith(("Use ", "This model", "No model"))
    values = [row["value"] for row in groups["rows"]]
    assert values == sorted(values)
    first, second = groups["lines"][:2]
    assert first.startswith("One threshold does not serve all 3 groups: 1 of them has a threshold")
    assert verdict.threshold_text in first
    assert second.startswith("site 001: F1 is ")


def test_groups_alike_and_of_tables():
    analysis = analysis_of(rows=300)
    groups = groups_data(analysis, analysis.verdict(by_group=False, n_resamples=200))
    assert groups["lines"][0].startswith(
        "One threshold seems to serve all 3 groups: for none of them"
    )
    assert groups["lines"][1].startswith("That is no proof: the rows of site")
    analysis = of_tables(10)
    groups = groups_data(analysis, analysis.verdict(by_group=False))
    assert groups["lines"][0].startswith(
        "One threshold does not serve all 2 groups: 1 of them has "
    )


def test_verdicts_that_are_there_are_taken(shifted):
    analysis, _ = shifted
    verdict = analysis.verdict(n_resamples=200, cost=0.3)
    groups = groups_data(analysis, verdict)
    assert not groups["higherIsBetter"]
    by_name = {row["name"]: row for row in groups["rows"]}
    for name, own in verdict.groups.items():
        assert by_name[name]["sentence"] == own.sentence()
    # What costs most comes first.
    values = [row["value"] for row in groups["rows"]]
    assert values == sorted(values, reverse=True)


def test_the_same_rows_are_no_gain():
    analysis = analysis_of(n_groups=2, rows=60)
    verdict = analysis.verdict(by_group=False, n_resamples=100)
    groups = groups_data(analysis, verdict)
    for row in groups["rows"]:
        if row["counts"] == row["ownCounts"]:
            assert row["gain"] == row["gainLower"] == row["gainUpper"] == 0
    alone = iso.analyse([1, 0, 1, 0, 1], [5, 1, 4, 2, 3], groups=list("aaaaa"))
    only = groups_data(alone, alone.verdict(by_group=False, n_resamples=100))
    assert only["lines"] == ["There is one group only, a."]
    assert only["rows"][0]["gain"] == 0


def test_nothing_to_ask(shifted):
    _, verdict = shifted
    alone = iso.Analysis({"forest": iso.OperatingPoints.from_scores([1, 0], [2, 1])})
    assert groups_data(alone, verdict) is None
    analysis = analysis_of()
    assert groups_data(analysis, {}) is None
    assert groups_data(analysis, {"a": verdict, "b": verdict}) is None
    sets = iso.OperatingPoints.from_counts(
        [5, 8], [2, 9], positives=10, negatives=40, labels=["one", "two"]
    )
    of_sets = iso.Analysis({"forest": sets}, {"a": {"forest": sets}})
    assert groups_data(of_sets, of_sets.verdict(by_group=False)) is None


@pytest.mark.slow
def test_many_groups_have_a_limit():
    analysis = analysis_of(n_groups=MOST_GROUPS + 7, rows=20)
    verdict = analysis.verdict(by_group=False, n_resamples=100)
    groups = groups_data(analysis, verdict)
    assert len(groups["rows"]) + len(groups["leftOut"]) == MOST_GROUPS + len(analysis.skipped)
    assert groups["smaller"] == len(analysis.groups) - MOST_GROUPS
    points = [unpacked(row["curve"]["tp"]).size for row in groups["rows"]]
    assert max(points) <= MOST_POINTS
    assert len(json.dumps(groups)) < 100_000


def of_tables(size):
    options = {"thresholds": [0.75, 0.5, 0.25], "positives": 10 * size, "negatives": 30 * size}
    counts = {
        "forest": {
            "a": ([4 * size, 6 * size, 9 * size], [0, 2 * size, 20 * size]),
            "b": ([1 * size, 4 * size, 9 * size], [0, 0, size]),
        },
        "linear": {
            "a": ([1 * size, 2 * size, 3 * size], [3 * size, 5 * size, 20 * size]),
            "b": ([1 * size, 2 * size, 3 * size], [3 * size, 5 * size, 20 * size]),
        },
    }
    tables = {
        name: {
            group: iso.OperatingPoints.from_counts(*each, **options) for group, each in by.items()
        }
        for name, by in counts.items()
    }
    models = {name: each["a"] + each["b"] for name, each in tables.items()}
    groups = {group: {name: tables[name][group] for name in tables} for group in ("a", "b")}
    return iso.Analysis(models, groups)


def test_tables_of_too_many_rows_have_no_intervals():
    analysis = of_tables(1_000_000)
    verdict = analysis.verdict(by_group=False)
    groups = groups_data(analysis, verdict)
    for row in groups["rows"]:
        assert (row["gainLower"] is None) == (row["counts"] != row["ownCounts"])
    assert groups["lines"][0].startswith("On these rows, a threshold of its own would make F1 of ")
    assert "How much of that is chance is not known" in groups["lines"][0]
    largest = max(groups["rows"], key=lambda row: row["gain"])
    assert largest["gain"] > 0


def test_draws_of_a_tiny_group_at_another_prevalence():
    labels = [1, 0, 1, 0, 1, 0] * 20 + [1, 0, 1]
    scores = [5, 1, 4, 2, 6, 3] * 20 + [3, 2, 1]
    analysis = iso.analyse(labels, scores, groups=["a"] * 120 + ["b"] * 3).at_prevalence(0.1)
    verdict = analysis.verdict(by_group=False, n_resamples=100)
    assert {row["name"] for row in groups_data(analysis, verdict)["rows"]} == {"a", "b"}


def test_the_command_says_that_classes_have_no_common_rule(tmp_path, capsys):
    rows = [f"{'abc'[k % 3]},{k % 5},{k % 7},{k % 4},{'ns'[k % 2]}" for k in range(60)]
    file = tmp_path / "x.csv"
    file.write_text("\n".join(["y,p_a,p_b,p_c,site", *rows]) + "\n")
    target = tmp_path / "x.html"
    assert main(["report", str(file), "--group", "site", "-o", str(target)]) == 0
    assert "the groups are not judged" in capsys.readouterr().err
    assert '"groups":' not in target.read_text()


def test_long_curves_are_thinned():
    analysis = analysis_of(n_groups=2, rows=3000)
    groups = groups_data(analysis, analysis.verdict(by_group=False, n_resamples=100))
    for row in groups["rows"]:
        curve = row["curve"]
        tp, fp = unpacked(curve["tp"]), unpacked(curve["fp"])
        assert 50 < tp.size <= 100
        assert (tp[0], fp[0]) == (0, 0)
        assert (tp[-1], fp[-1]) == (curve["positives"], curve["negatives"])


def test_groups_and_tables_that_keep_no_constraint():
    labels = [1, 0, 1, 0, 1, 0] * 10 + [0, 0, 0, 0, 0, 1] * 10
    scores = [15, 11, 14, 12, 16, 13] * 10 + [6, 5, 4, 3, 2, 1] * 10
    analysis = iso.analyse(labels, scores, groups=["a"] * 60 + ["b"] * 60)
    verdict = analysis.verdict(by_group=False, min_precision=0.7, n_resamples=100)
    groups = groups_data(analysis, verdict)
    assert "b" in dict(groups["leftOut"])
    assert [row["name"] for row in groups["rows"]] == ["a"]
    moved = analysis.at_prevalence(0.3)
    again = groups_data(moved, moved.verdict(by_group=False, n_resamples=100))
    assert {row["name"] for row in again["rows"]} == {"a", "b"}
    analysis = of_tables(1_000_000)
    poor = iso.OperatingPoints.from_counts(
        [1_000], [9_000], thresholds=[0.5], positives=10_000, negatives=90_000
    )
    groups = analysis.groups | {"c": {"forest": poor, "linear": poor}}
    analysis = iso.Analysis(analysis.models, groups)
    found = groups_data(analysis, analysis.verdict(by_group=False, min_precision=0.9))
    assert [name for name, _ in found["leftOut"]] == ["c"]
    assert {row["name"] for row in found["rows"]} == {"a", "b"}


def test_words_for_every_case(shifted):
    analysis, verdict = shifted
    row = groups_data(analysis, verdict)["rows"][0]

    def gaining(expected, lower, upper, **more):
        return row | {"gain": expected, "gainLower": lower, "gainUpper": upper} | more

    unknown = gaining(*[math.nan] * 3)
    (said,) = lines_about(verdict, [unknown, unknown], 0.95)
    assert said.startswith("No group has a threshold of its own to compare ")
    sure = gaining(0.2, 0.1, 0.3, ownThreshold="inf")
    even = gaining(0.0, -0.1, 0.0)
    lines = lines_about(verdict, [sure] + [even] * 39 + [unknown], 0.95)
    assert lines[0].startswith("One threshold may serve all 41 groups: 1 of them has ")
    assert lines[1] == "By chance alone about 1 of 40 groups would look so."
    assert "; flagging nothing expect 0.200 better (95%: 0.100 to 0.300)." in lines[2]
    assert lines[3] == "Of 1 group nothing can be said for sure."
    lines = lines_about(verdict, [sure, sure, unknown, unknown], 0.95)
    assert "2 of them have a threshold of their own that is" in lines[0]
    assert lines[-1] == "Of 2 groups nothing can be said for sure."
    assert len(lines_about(verdict, [even, even], 0.95)) == 1
    same = gaining(0.0, 0.0, 0.0, ownCounts=row["counts"])
    (said,) = lines_about(verdict, [same, same], 0.95)
    assert said.endswith("is the best one of each of them on these rows.")
