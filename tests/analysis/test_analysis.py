"""From arrays and data frames to tables by model and group, and to what answers with them."""

import matplotlib as mpl
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import isometrics as iso
from isometrics.errors import (
    DimensionError,
    LabelError,
    LengthError,
    MissingValueError,
    ParameterError,
    ScoreError,
)
from isometrics.report import report_html
from isometrics.testing import binary_samples

mpl.use("agg")
from matplotlib import pyplot as plt

LABELS = [1, 0, 1, 1, 0, 0, 1, 0]
A, B = [8, 7, 6, 5, 4, 3, 2, 1], [5, 1, 7, 8, 2, 6, 4, 3]
SCORES = {"A": A, "B": B}
TWICE = pd.DataFrame([[1, 2]] * 8, columns=["a", "a"])
OTHER = "the name of a group must be a text other than '(all rows)' but is "


@pytest.fixture(autouse=True)
def closed():
    yield
    plt.close("all")


def points(scores, rows=slice(None), **options):
    return iso.OperatingPoints.from_scores(LABELS[rows], scores[rows], **options)


@given(
    binary_samples(min_size=6, max_size=20, weights="integer"),
    st.lists(st.sampled_from(["x", "y", "z"]), min_size=20, max_size=20),
)
@settings(max_examples=40)
def test_groups_add_up_to_all_rows(sample, groups):
    """Whole weights are exact: tables of groups, and rows left out, merge to that of all rows."""
    labels, scores, weights = sample
    groups = groups[: len(labels)]
    analysis = iso.analyse(labels, scores, sample_weight=weights, groups=groups)
    counted = [group for group, weight in zip(groups, weights, strict=True) if weight]
    assert list(analysis.groups) + list(analysis.skipped) == sorted(
        set(counted), key=lambda group: (group in analysis.skipped, group)
    )
    every = iso.OperatingPoints.from_scores(labels, scores, sample_weight=weights)
    assert analysis.models == {"score": every}
    rows = [group in analysis.groups for group in groups]
    if any(rows):
        kept = iso.OperatingPoints.from_scores(
            labels[rows], scores[rows], sample_weight=weights[rows]
        )
        assert sum(tables["score"] for tables in analysis.groups.values()) == kept
    for group, reason in analysis.skipped.items():
        classes = {
            bool(label)
            for label, other, weight in zip(labels, groups, weights, strict=True)
            if other == group and weight
        }
        assert classes == {reason == "only positives"}


def test_a_group_with_one_class_is_left_out_and_named():
    analysis = iso.analyse(LABELS, SCORES, groups=list("npnnsssn"))
    assert analysis.skipped == {"p": "only negatives"}
    assert list(analysis.groups) == ["n", "s"]
    assert analysis.description == "8 rows; groups: n, p and s; left out: p (only negatives)"
    assert repr(analysis).startswith("Analysis: 2 models, 2 groups, 1 left out\n8 rows; groups:")


@pytest.mark.parametrize("one", [list, tuple, np.array, pd.Series, pl.Series, pa.array, range])
def test_a_single_column_is_a_model_called_score(one):
    scores = range(8, 0, -1) if one is range else one(A)
    assert iso.analyse(LABELS, scores).models == {"score": points(A)}


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        ({"scores": {}}, ParameterError, "scores is empty; give the scores of one model or more"),
        ({"scores": {1: A}}, ParameterError, "the name of a model must be a text but is 1"),
        ({"scores": {"m": A[:3]}}, LengthError, "scores['m'] has 3 values but y_true has 8"),
        ({"groups": "ab"}, DimensionError, "groups is a str; pass a list"),
        ({"groups": ["a"]}, LengthError, "groups has 1 values but y_true has 8"),
        ({"groups": ["a"] * 7 + [None]}, MissingValueError, "groups has missing values"),
        ({"scores": {"m": ["a"] * 8}}, ScoreError, "scores['m'] has values that are not real"),
        ({"scores": {"m": [np.nan] * 8}}, MissingValueError, "scores['m'] has missing values"),
        ({"scores": {"m": np.ones((8, 3))}}, DimensionError, "scores['m'] must be one-dimensional"),
        ({"y_true": list("abcabcab")}, LabelError, "y_true has"),
        ({"sample_weight": [1]}, LengthError, "sample_weight has 1 values but y_true has 8"),
        ({"scores": TWICE}, ParameterError, "scores is a data frame with two columns of one name"),
        ({"scores": pd.DataFrame([[1, 2, 3]] * 8)}, ParameterError, "the name of a model must be"),
        ({"scores": {"(everything)": A}}, ParameterError, "a model cannot be called '(everything)"),
    ],
)
def test_input_that_cannot_be_used(given, error, message):
    with pytest.raises(error) as caught:
        iso.analyse(**({"y_true": LABELS, "scores": SCORES} | given))
    assert str(caught.value).startswith(message)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (({},), "models is empty; an analysis needs one model or more"),
        (({"m": 1},), "models['m'] must be OperatingPoints but is int"),
        (({"A": points(A)}, {"g": {"A": 1}}), "models['A'] must be OperatingPoints but is int"),
        (({"A": points(A)}, {"(all rows)": {"A": points(A)}}), f"{OTHER}'(all rows)'"),
        (({"A": points(A)}, {1: {"A": points(A)}}), f"{OTHER}1"),
    ],
)
def test_tables_that_cannot_be_used(given, message):
    with pytest.raises(ParameterError) as caught:
        iso.Analysis(*given)
    assert str(caught.value) == message


def test_comparison():
    analysis = iso.analyse(LABELS, SCORES)
    known = iso.compare(analysis.models, "jaccard", density=("beta", 2, 2))
    assert repr(analysis.compare("jaccard", density=("beta", 2, 2))) == repr(known)
    assert analysis.compare().index.name == "f-measure"


def test_the_printout_is_the_summary_below_a_description():
    analysis = iso.Analysis({"A": points(A)}, description="predictions.csv\nlabel: y (guessed)")
    lines = repr(analysis).splitlines()
    assert lines[:3] == ["Analysis: 1 model", "predictions.csv", "label: y (guessed)"]
    assert lines[3:] == repr(analysis.summary()).splitlines()
    html = analysis._repr_html_()
    assert html.startswith(
        "<p>Analysis: 1 model</p><p>predictions.csv</p><p>label: y (guessed)</p>"
    )
    assert html.endswith(analysis.summary()._repr_html_())


def test_the_report_is_the_page_of_the_models(tmp_path):
    analysis, path = iso.analyse(LABELS, SCORES), tmp_path / "page.html"
    assert analysis.report(path, title="A and B") == path
    verdict = analysis.verdict()
    about = {"title": "A and B", "description": "8 rows"}
    page = report_html(analysis.models, **about, verdict=verdict, rows=analysis.rows)
    assert path.read_text(encoding="utf-8") == page
    iso.Analysis(analysis.models).report(str(path), verdict=False)
    assert path.read_text(encoding="utf-8") == report_html(analysis.models)
    longer = iso.analyse(LABELS * 9, {"A": A * 9})
    options = {"confidence_level": 0.9, "n_resamples": 20}
    longer.report(path, verdict=verdict, **options)
    bands = longer.bands(**options)
    assert [band.space for band in bands] == ["roc", "pr", "prg", "tradeoff"]
    about = {"description": "72 rows", "rows": longer.rows}
    page = report_html(longer.models, **about, bands=bands, verdict=verdict)
    assert path.read_text(encoding="utf-8") == page


def test_all_spaces_and_a_group():
    analysis = iso.analyse(LABELS, SCORES, groups=list("nnnnssxx"))
    axes = analysis.plot("all", hull=False)
    assert [ax.get_title() for ax in axes.flat] == ["ROC", "PR", "PRG", "tradeoff"]
    texts = [text.get_text() for text in analysis.plot(group="n").get_legend().get_texts()]
    area = analysis.groups["n"]["B"].pr.area()
    assert f"B (AUPR {area:.3f})" in texts


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"space": "3d"}, "space must be one of 'roc', 'pr', 'prg', 'tradeoff', 'all' but is '3d'"),
        ({"group": "x"}, "group must be one of 'n' but is 'x'"),
        ({"group": "s"}, "group 's' has no table: only negatives"),
    ],
)
def test_pictures_that_cannot_be_drawn(given, message):
    analysis = iso.analyse(LABELS, SCORES, groups=list("nnnnssns"))
    with pytest.raises(ParameterError) as caught:
        analysis.plot(**given)
    assert str(caught.value).startswith(message)


def test_folds_of_one_model_are_joined_as_groups():
    rng = np.random.default_rng(1)
    labels = rng.random(300) < 0.4
    scores = np.round(rng.normal(labels), 1)
    fold = np.arange(300) % 3
    tables = {
        str(each): iso.OperatingPoints.from_scores(labels[fold == each], scores[fold == each])
        for each in range(3)
    }
    joined = iso.Analysis.of_folds(tables, name="forest")
    assert joined.groups == {name: {"forest": each} for name, each in tables.items()}
    assert joined.models["forest"] == iso.OperatingPoints.from_scores(labels, scores)
    # Tables have the rows by fold, positives first, from the highest score on.
    order = np.lexsort((-scores, ~labels, fold))
    whole = iso.analyse(labels[order], {"forest": scores[order]}, groups=fold[order])
    options = {"folds": True, "n_resamples": 50}
    assert joined.verdict(**options).expected == whole.verdict(**options).expected


@pytest.mark.parametrize("folds", [{}, {"0": "hull"}])
def test_folds_that_do_not_tell_their_rows_are_refused(folds):
    points = iso.OperatingPoints.from_scores([1, 0, 1, 0], [4, 3, 2, 1])
    with pytest.raises(iso.IsometricsError, match="complete tables of whole rows"):
        iso.Analysis.of_folds({name: points.hull() for name in folds})


def test_classes_of_one_classifier_are_no_rivals():
    points = iso.OperatingPoints.from_scores([1, 0, 1, 0] * 20, np.arange(80))
    classes = iso.Analysis({"cat": points, "dog": points}, one_vs_rest=True)
    with pytest.raises(iso.IsometricsError, match="are not rivals; verdict_by_class"):
        classes.verdict()
    with pytest.raises(iso.IsometricsError, match="are not rivals, so none is better; summary"):
        classes.compare()
    verdicts = classes.verdict_by_class(n_resamples=20)
    alone = iso.Analysis({"dog": points}).verdict(n_resamples=20)
    assert list(verdicts) == ["cat", "dog"]
    assert verdicts["dog"] == alone
    moved = classes.at_prevalence(0.1).verdict_by_class(n_resamples=20)
    assert moved["dog"] == iso.Analysis({"dog": points}).at_prevalence(0.1).verdict(n_resamples=20)
