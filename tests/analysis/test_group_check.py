"""Whether one rule serves all groups: against counts made by hand, and in words."""

import json
import math

import numpy as np
import pytest

import isometrics as iso
from isometrics.analysis.group_check import check_groups, lines_about
from isometrics.report.groups import MOST_GROUPS, MOST_POINTS, groups_data
from isometrics.report.model import report_model, unpacked


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
    groups = check_groups(analysis, verdict)
    assert {row.name for row in groups.rows} == set(analysis.groups)
    for row in groups.rows:
        points = analysis.groups[row.name][verdict.model]
        assert row.value == pytest.approx(f1(points, verdict.threshold))
        best = iso.best_threshold(points, beta=1)
        assert row.own_value == pytest.approx(best.f)
        assert row.own_counts == (best.tp, best.fp)
        counts = points.at(verdict.threshold)
        assert row.counts == (counts.tp[0], counts.fp[0])
        assert row.value_lower < row.value < row.value_upper
        assert row.gain_lower <= row.gain <= row.gain_upper
        assert row.sentence.startswith(("Use ", "This model", "No model"))
    values = [row.value for row in groups.rows]
    assert values == sorted(values)


def test_a_shifted_group_is_named(shifted):
    analysis, verdict = shifted
    groups = check_groups(analysis, {"": verdict})
    first, second = groups.lines[:2]
    assert first.startswith("One threshold does not serve all 3 groups: 1 of them has a threshold")
    assert verdict.threshold_text in first
    assert second.startswith("site 001: F1 is ")


def test_groups_that_are_alike():
    analysis = analysis_of(rows=300)
    groups = check_groups(analysis, analysis.verdict(by_group=False, n_resamples=200))
    assert groups.lines[0].startswith("One threshold seems to serve all 3 groups: for none of them")
    assert groups.lines[1].startswith("That is no proof: the rows of site")


def test_verdicts_that_are_there_are_taken(shifted):
    analysis, _ = shifted
    verdict = analysis.verdict(n_resamples=200, cost=0.3)
    groups = check_groups(analysis, verdict)
    assert not groups.higher_is_better
    by_name = {row.name: row for row in groups.rows}
    for name, own in verdict.groups.items():
        assert by_name[name].expected == own.expected
        assert by_name[name].threshold == own.threshold_text
    # What costs most comes first.
    values = [row.value for row in groups.rows]
    assert values == sorted(values, reverse=True)


def test_the_same_rows_are_no_gain():
    analysis = analysis_of(n_groups=2, rows=60)
    verdict = analysis.verdict(by_group=False, n_resamples=100)
    groups = check_groups(analysis, verdict)
    for row in groups.rows:
        if row.counts == row.own_counts:
            assert (row.gain, row.gain_lower, row.gain_upper) == (0, 0, 0)
    alone = iso.analyse([1, 0, 1, 0, 1], [5, 1, 4, 2, 3], groups=list("aaaaa"))
    only = check_groups(alone, alone.verdict(by_group=False, n_resamples=100))
    assert only.lines == ["There is one group only, a."]
    assert only.rows[0].gain == 0


def test_nothing_to_ask(shifted):
    _, verdict = shifted
    assert (
        check_groups(
            iso.Analysis({"forest": iso.OperatingPoints.from_scores([1, 0], [2, 1])}), verdict
        )
        is None
    )
    analysis = analysis_of(models=("forest",))
    assert check_groups(analysis, {}) is None
    assert check_groups(analysis, {"a": verdict, "b": verdict}) is None
    sets = iso.OperatingPoints.from_counts(
        [5, 8], [2, 9], positives=10, negatives=40, labels=["one", "two"]
    )
    of_sets = iso.Analysis({"forest": sets}, {"a": {"forest": sets}})
    assert check_groups(of_sets, of_sets.verdict(by_group=False)) is None


@pytest.mark.slow
def test_many_groups_have_a_limit():
    analysis = analysis_of(n_groups=MOST_GROUPS + 7, rows=20)
    verdict = analysis.verdict(by_group=False, n_resamples=100)
    groups = check_groups(analysis, verdict)
    assert len(groups.rows) + len(groups.left_out) == MOST_GROUPS + len(analysis.skipped)
    assert groups.smaller == len(analysis.groups) - MOST_GROUPS
    data = groups_data(groups)
    points = [
        unpacked(curve["tp"]).size for row in data["rows"] for curve in row["curves"].values()
    ]
    assert sum(points) <= MOST_POINTS
    assert len(json.dumps(data)) < 100_000


def of_tables(size):
    """Return an analysis of tables alone, of two groups and two models."""
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


def test_a_table_that_tells_its_rows_has_intervals():
    analysis = of_tables(10)
    groups = check_groups(analysis, analysis.verdict(by_group=False))
    assert groups.lines[0].startswith("One threshold does not serve all 2 groups: 1 of them has ")


def test_tables_of_too_many_rows_have_no_intervals():
    analysis = of_tables(1_000_000)
    verdict = analysis.verdict(by_group=False)
    groups = check_groups(analysis, verdict)
    for row in groups.rows:
        assert math.isnan(row.gain_lower) == (row.counts != row.own_counts)
    assert groups.lines[0].startswith("On these rows, a threshold of its own would make F1 of ")
    assert "How much of that is chance is not known" in groups.lines[0]
    largest = max(groups.rows, key=lambda row: row.gain)
    assert largest.gain == pytest.approx(largest.own_value - largest.value)
    assert largest.gain > 0


def test_tables_that_keep_no_constraint_are_left_out():
    analysis = of_tables(1_000_000)
    poor = iso.OperatingPoints.from_counts(
        [1_000], [9_000], thresholds=[0.5], positives=10_000, negatives=90_000
    )
    groups = analysis.groups | {"c": {"forest": poor, "linear": poor}}
    analysis = iso.Analysis(analysis.models, groups)
    found = check_groups(analysis, analysis.verdict(by_group=False, min_precision=0.9))
    assert list(found.left_out) == ["c"]
    assert {row.name for row in found.rows} == {"a", "b"}


def test_draws_of_a_tiny_group_at_another_prevalence():
    labels = [1, 0, 1, 0, 1, 0] * 20 + [1, 0, 1]
    scores = [5, 1, 4, 2, 6, 3] * 20 + [3, 2, 1]
    analysis = iso.analyse(labels, scores, groups=["a"] * 120 + ["b"] * 3).at_prevalence(0.1)
    verdict = analysis.verdict(by_group=False, n_resamples=100)
    assert {row.name for row in check_groups(analysis, verdict).rows} == {"a", "b"}


def test_the_command_says_that_classes_have_no_common_rule(tmp_path, capsys):
    from isometrics.cli import main

    rows = [f"{'abc'[k % 3]},{k % 5},{k % 7},{k % 4},{'ns'[k % 2]}" for k in range(60)]
    file = tmp_path / "x.csv"
    file.write_text("\n".join(["y,p_a,p_b,p_c,site", *rows]) + "\n")
    target = tmp_path / "x.html"
    assert main(["report", str(file), "--group", "site", "-o", str(target)]) == 0
    assert "the groups are not judged" in capsys.readouterr().err
    assert '"groups":' not in target.read_text()


def test_long_curves_are_thinned():
    analysis = analysis_of(n_groups=2, rows=3000)
    groups = check_groups(analysis, analysis.verdict(by_group=False, n_resamples=100))
    for row in groups_data(groups)["rows"]:
        curve = row["curves"]["forest"]
        tp, fp = unpacked(curve["tp"]), unpacked(curve["fp"])
        assert 50 < tp.size <= 100
        assert (tp[0], fp[0]) == (0, 0)
        assert (tp[-1], fp[-1]) == (curve["positives"], curve["negatives"])


def test_groups_that_keep_no_constraint():
    labels = [1, 0, 1, 0, 1, 0] * 10 + [0, 0, 0, 0, 0, 1] * 10
    scores = [15, 11, 14, 12, 16, 13] * 10 + [6, 5, 4, 3, 2, 1] * 10
    analysis = iso.analyse(labels, scores, groups=["a"] * 60 + ["b"] * 60)
    verdict = analysis.verdict(by_group=False, min_precision=0.7, n_resamples=100)
    groups = check_groups(analysis, verdict)
    assert "b" in groups.left_out
    assert [row.name for row in groups.rows] == ["a"]
    moved = analysis.at_prevalence(0.3)
    again = check_groups(moved, moved.verdict(by_group=False, n_resamples=100))
    assert {row.name for row in again.rows} == {"a", "b"}


def test_words_for_every_case(shifted):
    analysis, verdict = shifted
    row = check_groups(analysis, verdict).rows[0]
    unknown = row._replace(gain=math.nan, gain_lower=math.nan, gain_upper=math.nan)
    (said,) = lines_about(verdict, [unknown, unknown], 0.95)
    assert said.startswith("No group has a threshold of its own to compare ")
    sure = row._replace(gain=0.2, gain_lower=0.1, gain_upper=0.3, own_threshold="inf")
    even = row._replace(gain=0.0, gain_lower=-0.1, gain_upper=0.0)
    hopeful = even._replace(gain=0.05, gain_upper=0.1)
    lines = lines_about(verdict, [hopeful, even], 0.95)
    assert " The largest gain in F1 to expect is 0.050, in " in lines[0]
    lines = lines_about(verdict, [sure] + [even] * 39 + [unknown], 0.95)
    assert lines[0].startswith("One threshold may serve all 41 groups: 1 of them has ")
    assert lines[1] == "By chance alone about 1 of 40 groups would look so."
    assert "; flagging nothing expect 0.200 better (95%: 0.100 to 0.300)." in lines[2]
    assert lines[3] == "Of 1 group nothing can be said for sure."
    lines = lines_about(verdict, [sure, sure, unknown, unknown], 0.95)
    assert "2 of them have a threshold of their own that is" in lines[0]
    assert lines[-1] == "Of 2 groups nothing can be said for sure."
    assert len(lines_about(verdict, [even, even], 0.95)) == 1
    same = row._replace(gain=0.0, gain_lower=0.0, gain_upper=0.0, own_counts=row.counts)
    (said,) = lines_about(verdict, [same, same], 0.95)
    assert said.endswith("is the best one of each of them on these rows.")


@pytest.mark.slow
def test_the_data_of_a_report(shifted, tmp_path):
    analysis, verdict = shifted
    groups = check_groups(analysis, verdict)
    data = report_model(analysis.models, groups=groups)["groups"]
    assert [row["name"] for row in data["rows"]] == [row.name for row in groups.rows]
    first = data["rows"][0]
    curve = first["curves"]["linear"]
    assert unpacked(curve["tp"])[-1] == curve["positives"]
    assert unpacked(curve["fp"])[-1] == curve["negatives"]
    page = analysis.report(tmp_path / "x.html", verdict=verdict).read_text()
    assert "does not serve all 3 groups" in page
    plain = analysis.report(tmp_path / "y.html", verdict=False).read_text()
    assert '"groups":' not in plain
