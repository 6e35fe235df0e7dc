"""Intervals, bands and prevalences in the hands of an analysis."""

from dataclasses import replace
from functools import partial

import matplotlib as mpl
import numpy as np
import pyarrow as pa
import pytest

import isometrics as iso
from isometrics.errors import NotAnswerableError, ParameterError

mpl.use("agg")

QUICK = {"n_resamples": 60}


@pytest.fixture
def sample():
    rng = np.random.default_rng(11)
    labels = rng.random(400) < 0.3
    scores = {"one": rng.normal(1.5 * labels), "other": rng.normal(0.7 * labels)}
    return labels, scores


@pytest.fixture
def analysis(sample):
    labels, scores = sample
    return iso.analyse(labels, scores, groups=np.arange(400) // 20)


@pytest.mark.parametrize("weights", [None, np.arange(400) % 3 + 1])
@pytest.mark.parametrize("clusters", [False, True])
def test_an_analysis_resamples_its_rows(sample, weights, clusters):
    labels, scores = sample
    groups = np.arange(400) // 20
    analysis = iso.analyse(labels, scores, sample_weight=weights, groups=groups)
    found = analysis.bootstrap(["AUROC", "AUPRG"], clusters=clusters, **QUICK)
    drawn = {"clusters": groups if clusters else None, "sample_weight": weights, **QUICK}
    expected = iso.bootstrap(labels, scores, measures=["AUROC", "AUPRG"], random_state=0, **drawn)
    np.testing.assert_array_equal(found.replicates, expected.replicates)


def test_what_is_refused(analysis):
    with pytest.raises(ParameterError, match=r"clusters must be True or False: .* its groups"):
        analysis.bootstrap("AUROC", clusters=np.arange(400), **QUICK)
    with pytest.raises(NotAnswerableError, match="it was made of tables; make it with analyse"):
        iso.Analysis(analysis.models).bootstrap(**QUICK)
    with pytest.raises(ParameterError, match="leave out group="):
        analysis.plot("roc", group="0", bands={})


def test_one_table_is_enough_for_one_model(analysis):
    alone = iso.Analysis({"one": analysis.models["one"]})
    found = alone.summary(confidence_level=0.9, **QUICK)
    expected = iso.bootstrap(
        analysis.models["one"], confidence_level=0.9, random_state=0, **QUICK
    ).interval("AUPR")
    frame = found.to_frame("pandas")
    assert (frame["aupr_lower"][0], frame["aupr_upper"][0]) == expected
    assert "90% interval" in repr(found)
    points = analysis.models["one"]
    moved = iso.Analysis({"one": points}).at_prevalence(0.3).at_prevalence(0.1)
    found = moved.bootstrap("AUPR", **QUICK)
    expected = iso.bootstrap(points, measures="AUPR", prevalence=0.1, random_state=0, **QUICK)
    np.testing.assert_array_equal(found.replicates, expected.replicates)
    assert found.estimates[0, 0] == moved.models["one"].pr.area()
    (band,) = moved.bands("pr", n_resamples=20)
    assert band.estimate.min() >= 0


@pytest.mark.parametrize(
    ("groups", "message"),
    [
        (None, "^there are no groups to draw; clusters=True needs groups, such as"),
        (list("aabb"), r"^clusters draws groups of rows, which .* have: it was made of tables"),
        # No group has both classes, so all are left out.
        (list("abcd"), "^clusters draws groups of rows, which this analysis does not have"),
    ],
)
def test_clusters_of_a_table_are_refused_in_a_sentence(groups, message):
    analysis = iso.analyse([1, 0, 1, 0], [4, 3, 2, 1], groups=groups)
    tables = iso.Analysis(analysis.models, analysis.groups, analysis.skipped)
    for ask in (tables.bootstrap, tables.verdict, partial(tables.at, 2)):
        with pytest.raises(NotAnswerableError, match=message):
            ask(clusters=True)


def test_a_summary_has_intervals_over_all_rows(analysis):
    sure = analysis.bootstrap(**QUICK)
    summary = analysis.summary(confidence_level=0.95, **QUICK)
    frame = summary.to_frame("pandas")
    rows = frame["group"] == "(all rows)"
    for row, model in enumerate(("one", "other")):
        ends = frame["auprg_lower"][rows].iloc[row], frame["auprg_upper"][rows].iloc[row]
        assert ends == sure.interval("AUPRG", model)
    lower, upper = sure.interval("AUROC", "one")
    assert f"{lower:.4f} to {upper:.4f}" in repr(summary)
    assert "95% interval of AUROC" in repr(summary)
    assert sure.explanation()[:20] in repr(summary)


@pytest.mark.parametrize("weighted", [False, True])
def test_groups_have_intervals_from_their_own_rows(sample, weighted):
    labels, scores = sample
    groups = np.arange(400) % 3
    weights = np.arange(400) % 4 + 1 if weighted else None
    analysis = iso.analyse(labels, scores, groups=groups, sample_weight=weights)
    summary = analysis.summary(confidence_level=0.9, **QUICK)
    frame = summary.to_frame("pandas")
    for group in range(3):
        rows = groups == group
        sure = iso.bootstrap(
            labels[rows],
            {name: each[rows] for name, each in scores.items()},
            sample_weight=weights[rows] if weighted else None,
            confidence_level=0.9,
            random_state=0,
            **QUICK,
        )
        for model in scores:
            row = frame[(frame["group"] == str(group)) & (frame["model"] == model)].iloc[0]
            assert (row["aupr_lower"], row["aupr_upper"]) == sure.interval("AUPR", model)
    lower, upper = sure.interval("AUROC", "other")
    assert f"{lower:.4f} to {upper:.4f}" in repr(summary)
    assert summary.notes[-1] == "The intervals of a group come from its own rows."
    assert "own rows" not in repr(analysis.summary(by_group=False, confidence_level=0.9, **QUICK))


def test_groups_of_one_model_have_intervals_from_their_tables(sample):
    labels, scores = sample
    groups = np.arange(400) % 2
    table = pa.table({"label": labels, "score": scores["one"], "group": groups})
    analysis = iso.read_predictions(table, group="group", keep_rows=False)
    assert analysis.rows is None
    for moved, prevalence in ((analysis, None), (analysis.at_prevalence(0.1), 0.1)):
        frame = moved.summary(confidence_level=0.9, **QUICK).to_frame("pandas")
        points = iso.OperatingPoints.from_scores(labels[groups == 1], scores["one"][groups == 1])
        sure = iso.bootstrap(
            points, measures="AUPR", prevalence=prevalence, confidence_level=0.9, random_state=0,
            **QUICK,
        )  # fmt: skip
        row = frame[frame["group"] == "1"].iloc[0]
        assert (row["aupr_lower"], row["aupr_upper"]) == pytest.approx(sure.interval(), rel=1e-12)


def test_what_is_said_of_the_intervals_of_groups(analysis):
    summary = analysis.summary(confidence_level=0.95, clusters=True, **QUICK)
    assert summary.notes[-1] == ("Groups have no intervals: clusters=True draws each as a whole.")
    frame = summary.to_frame("pandas")
    assert np.isnan(frame["auroc_lower"][frame["group"] != "(all rows)"]).all()
    assert not np.isnan(frame["auroc_lower"][:2]).any()
    told = []
    analysis.summary(confidence_level=0.9, progress=lambda *both: told.append(both), **QUICK)
    assert told[-1] == (21 * 60, 21 * 60)
    assert told == sorted(told)
    labels, scores = [1, 0, 1, 0] + [1, 0] * 30, [4, 1, 3, 2, *np.arange(60) % 7]
    analysis = iso.analyse(labels, scores, groups=["few"] * 4 + ["many"] * 60)
    notes = analysis.summary(confidence_level=0.9, **QUICK).notes[-3:]
    assert notes == (
        "The intervals of a group come from its own rows.",
        "Some replicates of groups lack a class and are left out (few).",
        "Intervals undefined (score in few): too few different replicates to tell.",
    )


def test_models_side_by_side_have_a_line_of_intervals(sample):
    lines = repr(iso.analyse(*sample).summary(confidence_level=0.95, **QUICK)).splitlines()
    assert lines[3].startswith("95% interval")
    assert sum(line.startswith("95% interval") for line in lines) == 3


def test_a_comparison_says_how_sure_it_is(analysis):
    compared = analysis.compare(confidence_level=0.95, measure="AUROC", **QUICK)
    sure = analysis.bootstrap("AUROC", **QUICK).differences().sentence()
    assert compared.sentence().endswith(sure)
    assert sure.startswith("one is better than other by AUROC with probability")
    assert analysis.compare().certainty is None


def test_at_another_prevalence_everything_moves(analysis):
    moved = analysis.at_prevalence(0.01)
    assert moved.models["one"].prevalence == pytest.approx(0.01, rel=1e-12)
    group = next(iter(moved.groups.values()))
    assert group["other"].prevalence == pytest.approx(0.01, rel=1e-12)
    found = moved.bootstrap("AUPR", **QUICK)
    assert found.estimates[0, 0] == pytest.approx(moved.models["one"].pr.area(), rel=1e-12)
    assert moved.compare().models["one"].prevalence == pytest.approx(0.01)


def test_bands_are_those_of_the_rows(sample, analysis):
    labels, scores = sample
    one, other = analysis.bands("prg", **QUICK)
    curves = iso.bootstrap_curves(labels, scores, space="prg", random_state=0, **QUICK)
    np.testing.assert_array_equal(one.lower, curves.band("one").lower)
    np.testing.assert_array_equal(other.upper, curves.band("other").upper)
    labels, scores = sample
    analysis = iso.analyse(labels, scores)
    corners = {
        name: iso.OperatingPoints.from_scores(labels, values, rows="corners")
        for name, values in scores.items()
    }
    found = replace(analysis, models=corners).bootstrap("AUROC", **QUICK)
    assert found == analysis.bootstrap("AUROC", **QUICK)


@pytest.mark.parametrize(("space", "places"), [("roc", 1), ("all", 4)])
def test_bands_are_drawn_under_the_curves(analysis, space, places):
    options = {"confidence_level": 0.9, "n_resamples": 20}
    drawn = np.ravel(analysis.plot(space, bands=options))
    assert len(drawn) == places
    plain = np.ravel(analysis.plot(space))
    for with_bands, without in zip(drawn, plain, strict=True):
        assert len(with_bands.collections) == len(without.collections) + 2
    mpl.pyplot.close("all")
