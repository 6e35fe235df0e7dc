"""A decision is a value: what it says, how it is named, and its threshold as a number."""

import math
from dataclasses import fields

import isometrics as iso

LABELS = [1, 0, 1, 1, 0, 0, 1, 0]
SCORES = [0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2]
SMALL = iso.OperatingPoints.from_scores(LABELS, SCORES)


def test_sets_have_labels():
    sets = iso.OperatingPoints.from_counts(
        [1, 3, 2], [0, 1, 3], positives=4, negatives=4, labels=["a", "b<i>", "c"]
    )
    decision = iso.best_threshold(sets)
    assert decision.label == "b<i>"
    assert math.isnan(float(decision))
    assert repr(decision).startswith("Decision: row 'b<i>', best for F (β 1): 0.75\n")
    assert "b&lt;i&gt;" in decision._repr_html_()
    assert iso.best_threshold(sets, min_recall=1).label == "(everything)"


def test_a_decision_is_a_value():
    assert iso.best_threshold(SMALL) == iso.best_threshold(SMALL, beta=1)
    decision = iso.best_threshold(SMALL, cost=0.2)
    assert decision.objective == "accuracy at cost 0.2"
    assert decision.beta == 1
    assert type(decision.tp) is int
    assert repr(decision).splitlines()[0] == (
        "Decision: threshold 0.3, best for accuracy at cost 0.2: 0.85"
    )


def test_a_decision_without_a_label_is_named_by_its_threshold():
    decision = iso.best_threshold(SMALL)
    named = {field.name: getattr(decision, field.name) for field in fields(decision)}
    del named["label"]
    assert iso.Decision(**named) == decision
    assert repr(iso.Decision(**named)).startswith("Decision: threshold 0.6, ")
