"""Verdicts on odd data: what is said makes sense, and its numbers belong together."""

import json
import re
from math import inf, isnan

import numpy as np
import pytest

import isometrics as iso

FEW = {"n_resamples": 60}


def sample(size=300, share=0.25, separations=(1.2, 1.0)):
    rng = np.random.default_rng(3)
    labels = rng.random(size) < share
    return labels, {chr(97 + i): rng.normal(labels * each) for i, each in enumerate(separations)}


LABELS, SCORES = sample()
FIRST = np.arange(300)
ODD_WEIGHTS = 10.0 ** np.random.default_rng(0).integers(-9, 10, 300)
WITH_INFINITIES = np.where(FIRST < 5, inf, np.where(FIRST < 10, -inf, SCORES["a"]))

DATA = {
    "two positives": (FIRST < 2, SCORES, {}),
    "one positive": (FIRST < 1, SCORES, {}),
    "equal scores": (LABELS, {"a": np.ones(300), "b": np.zeros(300)}, {}),
    "one model": (LABELS, SCORES["a"], {}),
    "30 models": (LABELS, {f"m{i}": SCORES["a"] + i * SCORES["b"] for i in range(30)}, {}),
    "the same model twice": (LABELS, {"a": SCORES["a"], "b": 2 * SCORES["a"]}, {}),
    "light rows": (LABELS, SCORES, {"sample_weight": np.full(300, 1e-9)}),
    "heavy rows": (LABELS, SCORES, {"sample_weight": np.full(300, 1e9)}),
    "odd weights": (LABELS, SCORES, {"sample_weight": ODD_WEIGHTS}),
    "few negatives": (FIRST > 3, SCORES, {}),
    "infinities": (LABELS, {"a": WITH_INFINITIES, "b": SCORES["b"]}, {}),
    "float32": (LABELS, {name: each.astype(np.float32) for name, each in SCORES.items()}, {}),
    "integers": (LABELS, {name: np.rint(each).astype(int) for name, each in SCORES.items()}, {}),
    "perfect": (LABELS, {"a": LABELS * 1.0, "b": SCORES["b"]}, {}),
    "reversed": (LABELS, {"a": -SCORES["a"], "b": -SCORES["b"]}, {}),
    "odd names": (LABELS, {"": SCORES["a"], "<b>": SCORES["b"]}, {}),
}
ASKED = {
    "beta 0": {"beta": 0},
    "beta inf": {"beta": inf},
    "beta 1e-9": {"beta": 1e-9},
    "precision 1": {"min_precision": 1},
    "recall 1": {"min_recall": 1},
    "no false alarm": {"max_fpr": 0},
    "specificity 1": {"min_specificity": 1, "beta": 1},
    "both": {"min_precision": 0.5, "min_recall": 0.5},
    "budget 0": {"budget": 0},
    "budget 1": {"budget": 1},
    "budget 1e9": {"budget": 1e9},
    "sure": {"min_precision": 0.4, "sure": 0.999},
    "cost 0": {"cost": 0},
    "cost 1": {"cost": 1},
    "dear misses": {"miss_cost": 1e9, "false_alarm_cost": 1},
    "cheap": {"miss_cost": 1e-9, "false_alarm_cost": 1e-9},
    "an index": {"index": "jaccard", "lam": 0.3},
}


def check(found):
    lines = found.lines()
    for line in lines:
        assert not re.search(r"\bnan\b|\binf\b|−0\.0+\b(?!\d)", line), line
        assert line.startswith((found.model, line[0].upper()))
        assert line.endswith(".") or line.startswith("Beware: ")
    json.loads(found.to_json(), parse_constant=pytest.fail)
    low, high = found.interval
    assert isnan(low) or low <= found.expected <= high
    assert found.model in found.confidence_set
    if "cannot be told apart; expect" in lines[0]:
        assert found.lead_interval.lower <= 0 <= found.lead_interval.upper
    assert isnan(found.expected) <= (found.better_than_nothing is not True)


@pytest.mark.parametrize("name", DATA)
def test_odd_data(name):
    labels, scores, options = DATA[name]
    check(iso.analyse(labels, scores, **options).verdict(**FEW))


@pytest.mark.parametrize("name", ASKED)
def test_odd_objectives(name):
    check(iso.analyse(LABELS, SCORES).verdict(**ASKED[name], **FEW))


@pytest.mark.parametrize("prevalence", [0.001, 0.999])
def test_odd_prevalences(prevalence):
    check(iso.analyse(LABELS, SCORES).at_prevalence(prevalence).verdict(**FEW))


def test_clusters_of_one_row_are_rows():
    rows = iso.analyse(LABELS, SCORES).verdict(**FEW)
    clusters = iso.analyse(LABELS, SCORES, groups=FIRST).verdict(clusters=True, **FEW)
    assert repr(clusters) == repr(rows)


@pytest.mark.parametrize(
    ("positives", "method"),
    [
        (1, "What to expect on new data is not known: a class has too few rows to be split."),
        (2, "The expected value is corrected by what such choices lose on rows left out, one of 2 "
            "parts, once, and outside of the resamples they are made in."),
        (3, "The expected value is corrected by what such choices lose on rows left out, one of 3 "
            "parts, once, and outside of the resamples they are made in."),
    ],
)  # fmt: skip
def test_few_positives_are_split_into_fewer_parts(positives, method):
    assert iso.analyse(positives > FIRST, SCORES).verdict(**FEW).method == method


def test_rules_of_one_row():
    found = iso.analyse(FIRST < 1, -FIRST).verdict(**FEW)
    assert found.value == 1
    assert found.better_than_nothing is None
    # In a third of the resamples it flags nothing, and has no precision.
    labels = (FIRST == 0) | (FIRST > 200)
    found = iso.analyse(labels, -FIRST).verdict(beta=0, **FEW)
    assert found.decision.tp == 1
    assert found.better_than_nothing is None
    assert found.interval.upper - found.interval.lower > 0.5
    found = iso.analyse(LABELS, np.ones(300)).verdict(**FEW)
    assert not any("next to it" in line for line in found.lines())
