"""The groups of one analysis are the analyses of their rows alone, however many there are."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import isometrics as iso
from isometrics.analysis import summary as summary_module

WEIGHTS = {
    "none": lambda *_: None,
    "whole": lambda rng, size: rng.integers(1, 4, size),
    "float": lambda rng, size: rng.random(size) + 0.1,
}


def rows_of_groups(seed, n_groups, weights="none"):
    rng = np.random.default_rng(seed)
    groups = np.append(np.arange(n_groups), rng.integers(0, n_groups, 6 * n_groups))
    labels = rng.random(groups.size) < 0.4
    labels[:2] = True, False
    # Some scores tie, and some are infinite.
    scores = {
        "a": rng.normal(labels).round(1),
        "b": np.where(rng.random(groups.size) < 0.05, np.inf, rng.normal(labels)),
    }
    return labels, scores, groups, WEIGHTS[weights](rng, groups.size)


@given(st.integers(0, 2**32), st.sampled_from([3, 40]), st.sampled_from(list(WEIGHTS)))
@settings(max_examples=8)
def test_groups_are_analyses_of_their_rows(seed, n_groups, weights):
    labels, scores, groups, given_weights = rows_of_groups(seed, n_groups, weights)
    whole = iso.analyse(labels, scores, groups=groups, sample_weight=given_weights)
    rows_of_summary = whole.summary().to_frame("polars").rows_by_key(["group", "model"], named=True)
    for group in range(n_groups):
        rows = groups == group
        classes = set(labels[rows].tolist())
        if len(classes) == 1:
            only = "positives" if classes == {True} else "negatives"
            assert whole.skipped[str(group)] == f"only {only}"
            assert str(group) not in whole.groups
            continue
        alone = iso.analyse(
            labels[rows],
            {name: each[rows] for name, each in scores.items()},
            sample_weight=None if given_weights is None else given_weights[rows],
        )
        assert whole.groups[str(group)] == alone.models
        for wanted in alone.summary().to_frame("polars").rows(named=True):
            (found,) = rows_of_summary[str(group), wanted["model"]]
            for column, value in wanted.items():
                exact = column in ("positives", "negatives") or column.startswith("threshold")
                known = (
                    value
                    if exact or isinstance(value, str)
                    else pytest.approx(value, rel=1e-12, abs=1e-12, nan_ok=True)
                )
                assert column in ("group", "model") or found[column] == known, column


def test_short_tables_are_measured_together(monkeypatch):
    asked = []
    measures_of = summary_module.measures_of
    monkeypatch.setattr(
        summary_module, "measures_of", lambda points: asked.append(points) or measures_of(points)
    )
    labels, scores, groups, _ = rows_of_groups(1, 100)
    # The table over all rows is not short.
    labels, groups = np.tile(labels, 10), np.tile(groups, 10)
    scores = {name: np.tile(each, 10) + np.arange(labels.size) for name, each in scores.items()}
    analysis = iso.analyse(labels, scores, groups=groups)
    found = analysis.summary()
    assert asked == list(analysis.models.values())
    assert len(found) == 2 * (1 + len(analysis.groups))
    thresholds = analysis.thresholds()
    for row in range(0, len(thresholds), 97):
        group, name = thresholds.groups[row], thresholds.names[row]
        models = analysis.models if group == "(all rows)" else analysis.groups[group]
        best = iso.best_threshold(models[name], beta=thresholds.beta[row])
        assert (best.threshold, best.f) == (thresholds.threshold[row], thresholds.f[row])
        interval = iso.optimal_thresholds(models[name]).at(thresholds.beta[row])
        assert thresholds.beta_lo[row] ** 2 == pytest.approx(interval.beta_squared_lo[0])
        assert thresholds.beta_hi[row] ** 2 == pytest.approx(interval.beta_squared_hi[0])


def test_progress_is_told_of_groups_in_memory():
    labels, scores, groups, _ = rows_of_groups(3, 30)
    told = []
    table = {"label": labels.astype(int), "a": scores["a"], "g": groups}
    import pyarrow as pa

    iso.read_predictions(
        pa.table(table),
        group="g",
        scores="a",
        label="label",
        progress=lambda *rows: told.append(rows),
    )
    assert told[0] == told[-1] == (labels.size, labels.size)
    assert told[1:] == sorted(told[1:])
    assert len(told) == 31
