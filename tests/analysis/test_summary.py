"""The summary has the numbers of the tables, prints within a screen, and hides nothing."""

import math

import numpy as np
import polars as pl
import pytest

import isometrics as iso
from isometrics.errors import ParameterError
from isometrics.measures import Shown, area_brackets, baselines_of, measures_of, registered

MEASURES = tuple(each.name for each in registered(Shown.SUMMARY))


HOSTILE = "<img src=x onerror=alert(1)>"
BETAS = (0.5, 1.0, 2.0)


def sample(seed=8, rows=600, shifts=(1.7, 1.8)):
    rng = np.random.default_rng(seed)
    labels = np.arange(rows) < rows // 6
    scores = {f"m{n}": rng.normal(shift * labels) for n, shift in enumerate(shifts)}
    return labels, scores, rng.choice(["north", "south"], rows)


LABELS, SCORES, SITES = sample()
ANALYSIS = iso.analyse(LABELS, SCORES, groups=SITES)


def tables(analysis):
    groups = {"(all rows)": analysis.models} | analysis.groups
    return [(model, group, pts) for group, of in groups.items() for model, pts in of.items()]


def test_every_number_is_that_of_the_table():
    frame = ANALYSIS.summary().to_frame("pandas")
    assert len(frame) == 6
    for (_, row), (model, group, points) in zip(frame.iterrows(), tables(ANALYSIS), strict=True):
        assert (row["model"], row["group"]) == (model, group)
        known = {
            "positives": points.positives,
            "negatives": points.negatives,
            "prevalence": points.prevalence,
            "auroc": points.roc.area(),
            "aupr": points.pr.area(),
            "average_precision": points.pr.area("average-precision"),
            "aupr_linear": points.pr.area("linear"),
            "aupr_integer_steps": points.pr.area("integer-steps"),
            "aupr_max_precision": points.pr.area("max-precision"),
            "aupr_normalised": points.pr.normalised_area(),
            "auprg": points.prg.area(),
            "expected_f1_gain": points.prg.expected_f_gain(),
            "expected_accuracy": points.roc.expected_accuracy(),
            "tradeoff_area": points.tradeoff().area(),
            "auroc_baseline": 0.5,
            "aupr_baseline": points.prevalence,
            "auprg_baseline": 0.0,
        }
        for name, value in known.items():
            assert row[name] == value, name
        for beta, name in zip(BETAS, ("f0_5", "f1", "f2"), strict=True):
            best = iso.best_threshold(points, beta=beta)
            found = [row[f"{what}_{name}"] for what in ("threshold", "precision", "recall")]
            assert [row[name], *found] == [best.f, best.threshold, best.precision, best.recall]
            assert row[f"{name}_baseline"] == points.f(beta)[-1]
        for measure in MEASURES:
            name = measure.lower().replace(",", "").replace(" ", "_")
            assert f"{name}_bound_low" not in row
            assert row[f"{name}_baseline"] == baselines_of(points)[measure]


def test_precision_alone_may_be_best_off_the_hull():
    """The first of two pure rows is the strictest best one for β = 0, and for no other β."""
    found = iso.analyse([1, 1, 0], [3, 2, 1]).thresholds(beta=[0, 1])
    assert found.threshold.tolist() == [3, 2]
    assert found.beta_lo.tolist() == [0, 0]
    assert found.beta_hi.tolist() == [0, math.inf]


def test_sets_are_named_by_their_labels():
    sets = iso.OperatingPoints.from_counts(
        [4, 2], [0, 1], positives=5, negatives=20, labels=["strict", "broad"]
    )
    analysis = iso.Analysis({"search": sets})
    assert analysis.thresholds(beta=1).to_frame("pandas")["label"].tolist() == ["strict"]
    assert "at label               strict" in repr(analysis.summary(beta=1))
    assert analysis.summary(beta=1).to_frame("pandas")["label_f1"].tolist() == ["strict"]
    both = iso.Analysis({"search": sets, "scores": iso.analyse([1, 0], [2, 1]).models["score"]})
    assert both.thresholds(beta=1).to_frame("polars")["label"].to_list() == ["strict", ""]


@pytest.mark.parametrize(
    ("beta", "message"),
    [
        ([], "betas is empty; give at least one β"),
        ((1, 1.0), r"beta must have values that differ in six digits but is (1, 1.0)"),
        ((1, 1 + 1e-9), "beta must have values that differ in six digits"),
        (-1, "beta must be a number ≥ 0 but is -1"),
    ],
)
def test_wrong_betas(beta, message):
    for method in (ANALYSIS.summary, ANALYSIS.thresholds):
        with pytest.raises(ParameterError) as caught:
            method(beta=beta)
        assert str(caught.value).startswith(message)


def test_other_betas():
    frame = ANALYSIS.summary(beta=(0.1, math.inf), by_group=False).to_frame("polars")
    assert isinstance(frame, pl.DataFrame)
    assert {"f0_1", "threshold_f0_1", "finf", "finf_baseline"} <= set(frame.columns)
    assert frame["finf"].to_list() == [1.0, 1.0]
    assert "F (β 0.1)  threshold" in repr(ANALYSIS.summary(beta=(0.1, 3)))


def test_few_models_stand_side_by_side():
    summary = ANALYSIS.summary(by_group=False)
    lines = repr(summary).splitlines()
    assert lines[0] == "Summary: 2 models, 100 positives, 500 negatives, prevalence 0.166667"
    assert lines[1].split() == ["measure", "m0", "m1", "(constant)"]
    printed = {line[:19].strip(): line[19:].split() for line in lines[2:13]}
    assert list(printed) == list(MEASURES)
    for place, measure in enumerate(MEASURES):
        values = summary.values[:, place].tolist()
        best = max(values)
        known = [f"{'*' * (value == best)}{value:.6g}" for value in values]
        assert printed[measure] == [*known, f"{summary.baseline[0, place]:.6g}"]
    assert lines[-2:] == [
        "*: the best of these models.",
        "(constant): the value of a model that gives every row the same score.",
    ]
    assert len({len(line) for line in lines[1:-2]}) == 1


def test_the_best_of_one_and_of_equal_models():
    text = repr(iso.analyse(LABELS, SCORES["m0"]).summary())
    assert "*" not in text
    assert text.startswith("Summary: 100 positives, 500 negatives, prevalence 0.166667\n")
    text = repr(iso.analyse(LABELS, {"a": SCORES["m0"], "b": SCORES["m0"]}).summary())
    auroc = next(line for line in text.splitlines() if line.startswith("AUROC"))
    assert auroc.count("*") == 2


def test_many_models_and_groups_stand_row_by_row():
    lines = repr(ANALYSIS.summary()).splitlines()
    assert lines[0] == "Summary: 2 models, 2 groups"
    assert lines[1].split() == [
        *("group", "model", "positives", "prevalence", "AUROC", "AUPR", "AUPRG"),
        *("F", "(β", "1)", "threshold"),
    ]
    assert len(lines) == 8
    many = {f"m{n}": SCORES["m0"] + n for n in range(7)}
    lines = repr(iso.analyse(LABELS, many).summary(beta=(2, 3))).splitlines()
    assert lines[0] == "Summary: 7 models, 100 positives, 500 negatives, prevalence 0.166667"
    assert "F (β 2)" in lines[1]
    assert "group" not in lines[1]
    assert all(len(line) <= 100 for line in lines)


@pytest.mark.parametrize("name", ["measure", "(constant)", "a very long name of a model" * 3])
def test_names_that_do_not_fit_side_by_side(name):
    text = repr(iso.analyse(LABELS, {name: SCORES["m0"], "other": SCORES["m1"]}).summary())
    _, header, *rows = text.splitlines()
    assert header.split()[0] == "model"
    assert [row.startswith(name) for row in rows] == [True, False]


def test_worse_than_nothing_is_said():
    analysis = iso.analyse(LABELS, {"good": SCORES["m0"], "bad": -SCORES["m0"]}, groups=SITES)
    assert ANALYSIS.summary().notes == ()
    notes = analysis.summary().notes
    assert notes[0] == (
        "AUPRG below 0 (bad, bad in north and bad in south): "
        "worse than always answering 'positive'."
    )
    assert notes[0] in analysis.summary()._repr_html_().replace("&#x27;", "'")
    assert analysis.summary(by_group=False).notes[0].startswith("AUPRG below 0 (bad): worse")


REVERSED = (
    "AUROC below 0.5 beyond chance ({}): are the scores reversed, or is the other class the "
    "positive one?"
)


def test_reversed_scores_are_said_by_model_and_group():
    analysis = iso.analyse(LABELS, {"good": SCORES["m0"], "bad": -SCORES["m0"]}, groups=SITES)
    assert REVERSED.format("bad, bad in north and bad in south") in analysis.summary().notes
    assert REVERSED.format("bad") in analysis.summary(by_group=False).notes
    weighted = iso.analyse(LABELS, -SCORES["m0"], sample_weight=np.full(len(LABELS), 0.5))
    assert not any("reversed" in note for note in weighted.summary().notes)
    # With two rows of each class, even the worst ranking has a chance of one in six.
    assert not any(
        "reversed" in note for note in iso.analyse([0, 0, 1, 1], [4, 3, 2, 1]).summary().notes
    )
    notes = iso.analyse([0] * 20 + [1] * 20, np.arange(40, 0, -1)).summary().notes
    assert REVERSED.format("score") in notes


def test_notes():
    said = "Only two distinct scores (score): these look like predictions, not scores."
    assert said in iso.analyse([1, 0, 1, 0], [1, 0, 1, 1]).summary().notes
    assert said not in iso.analyse([1, 0, 1, 0], [1, 0, 1, 0.5]).summary().notes
    tables = iso.OperatingPoints.from_counts([4, 6], [0, 8], positives=6, negatives=8)
    assert not any("two distinct" in note for note in iso.Analysis({"a": tables}).summary().notes)
    groups = np.where(LABELS, "x", SITES)
    summary = iso.analyse(LABELS, SCORES, groups=groups).summary()
    assert summary.notes == (
        "Groups left out (only negatives): north and south.",
        "Groups left out (only positives): x.",
    )
    assert len(summary) == 2
    rng = np.random.default_rng(3)
    weights = rng.uniform(0.1, 1, LABELS.size)
    summary = iso.analyse(LABELS, SCORES, sample_weight=weights).summary()
    assert "(constant)" in repr(summary)
    assert summary.notes == ()


def test_undefined_values_are_nan_with_a_reason():
    summary = iso.analyse([0, 0, 1], {"bad": [3, 2, 1], "good": [1, 2, 3]}).summary()
    assert math.isnan(summary.values[0, MEASURES.index("expected F1 gain")])
    assert summary.notes[1] == (
        "Expected F1 gain undefined (bad): all negatives rank above a recall equal to the "
        "prevalence, so there is nothing to average over."
    )
    line = next(line for line in repr(summary).splitlines() if line.startswith("expected F1"))
    assert line.split()[3:5] == ["nan", "*0.75"]
    # Weights that add up to 0.3 and 0.7 put the AUPRG of one score for all 4e-16 below 0.
    summary = iso.analyse([1, 0], [1, 1], sample_weight=[0.3, 0.7]).summary()
    assert summary.lo[0, MEASURES.index("AUPRG")] == pytest.approx(0, abs=1e-15)
    assert summary.notes == ()


def test_points_without_a_curve_have_a_reason():
    totals = {"positives": 5, "negatives": 20, "labels": ["a", "b"]}
    models = {
        "one": iso.OperatingPoints.from_counts([4, 2], [2, 3], **totals),
        "two": iso.OperatingPoints.from_counts([2, 3], [3, 0], **totals),
    }
    summary = iso.Analysis(models).summary(beta=1)
    assert np.isnan(summary.lo[:, :-1]).all()
    areas = [points.tradeoff().area() for points in models.values()]
    assert summary.lo[:, -1].tolist() == areas
    assert summary.notes == (
        "Areas undefined (one and two): the points are not nested, so they have no curve of their "
        "own.",
    )
    auroc = next(line for line in repr(summary).splitlines() if line.startswith("AUROC"))
    assert auroc.split() == ["AUROC", "nan", "nan", "0.5"]


def test_models_of_different_prevalence_are_not_ranked():
    other = iso.analyse(LABELS[50:], {"m": SCORES["m0"][50:]}).models["m"]
    summary = iso.Analysis({"m0": ANALYSIS.models["m0"], "other": other}).summary()
    text = repr(summary)
    assert "*" not in text
    assert "(constant)" not in text
    lines = [line.split() for line in text.splitlines()]
    assert lines[0] == ["Summary:", "2", "models"]
    assert ["positives", "100", "50"] in lines
    assert ["negatives", "500", "500"] in lines
    assert ["prevalence", "0.166667", "0.0909091"] in lines
    assert summary.notes == (
        "The models differ in prevalence, so their AUPR and F do not compare.",
    )


def test_bounds_are_printed_as_such():
    """A table that keeps only some rows knows areas at other prevalences between bounds."""
    rng = np.random.default_rng(0)
    labels = rng.random(5000) < 0.3
    whole = iso.OperatingPoints.from_scores(labels, rng.normal(labels))
    exact = measures_of(whole.at_prevalence(0.1))
    points = whole.compact(60).at_prevalence(0.1)
    summary = iso.Analysis({"a": points}).summary()
    assert "AUPR                   0.3 ± 0.1         0.1" in repr(summary)
    assert summary.notes == (
        "± gives bounds (a): the table keeps only some rows, and the exact area lies within.",
    )
    (row,) = summary.to_frame("polars").to_dicts()
    bounds = area_brackets(points)["AUPR"]
    assert (row["aupr_bound_low"], row["aupr_bound_high"]) == bounds
    assert bounds.lo < exact["AUPR"].lo < bounds.hi
    assert row["aupr"] == pytest.approx((bounds.lo + bounds.hi) / 2, rel=1e-12)
    assert row["auroc"] == pytest.approx(exact["AUROC"].lo, rel=1e-12)
    assert not {"auroc_bound_low", "auroc_bound_high"} & row.keys(), "this area is exact"
    both = iso.Analysis({"a": points, "b": points}).summary()
    aupr = next(line for line in repr(both).splitlines() if line.startswith("AUPR "))
    assert aupr.count("*0.3 ± 0.1") == 2, "either may be the best"
