"""Saved decisions: what is written reads back exactly, and nothing else is accepted."""

import json
import math
import re
from dataclasses import fields, replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import isometrics as iso
from isometrics._core.files import json_text
from isometrics.decisions.decision import FORMAT, Origin, data_of, decision_of_data
from isometrics.errors import FileError, NotAnswerableError, ParameterError

LABELS, SCORES = [1, 0, 1, 1, 0, 0, 1, 0], [0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2]
DECISION = iso.analyse(LABELS, {"forest": SCORES}).decision(beta=2, min_precision=0.5)
DATA = data_of(DECISION)


def same(one, other):
    """Compare field by field, types and signs of zeros included."""
    assert one == other
    for field in (field for field in fields(one) if field.compare):
        values = [getattr(decision, field.name) for decision in (one, other)]
        assert repr(values[0]) == repr(values[1]), field.name


def reread(decision):
    return decision_of_data(json.loads(json_text(data_of(decision))))


numbers = st.floats(0, 1)
names = st.none() | st.text(max_size=8)
drawn = st.builds(
    iso.Decision,
    threshold=st.floats(allow_nan=False)
    | st.floats(allow_nan=False, width=16)
    | st.floats(allow_nan=False, width=32)
    | st.sampled_from([2**53 + 1, 2**64 - 1, -(2**63) + 1, 5e-324, -0.0, math.inf, -math.inf]),
    **{name: st.integers(1, 2**53) | st.floats(1e-30, 1e30) for name in ("tp", "fp", "fn", "tn")},
    prevalence=numbers | st.just(math.nan),
    objective=st.text(max_size=8),
    value=st.floats(),
    parameters=st.just({})
    | st.fixed_dictionaries({"beta": st.floats(0, math.inf)})
    | st.fixed_dictionaries({"index": st.text(max_size=4), "lam": numbers}),
    origin=st.builds(
        Origin,
        names,
        names,
        names,
        st.none() | st.booleans() | st.integers() | st.text() | numbers,
        st.none() | st.text("0123456789abcdef", min_size=64, max_size=64),
    ),
)


@given(drawn)
def test_any_decision_reads_back_to_the_last_bit(decision):
    same(reread(decision), decision)


def test_integers_beyond_floats_stay_exact(tmp_path):
    scores = np.array([2**62 + 3, 2**62 + 2, 2**62 + 1, 5])
    decision = iso.analyse([1, 1, 0, 0], scores).decision()
    assert decision.threshold == 2**62 + 2
    path = tmp_path / "rule.json"
    decision.save(path)
    assert f'"threshold": {2**62 + 2},' in path.read_text("utf-8")
    found = iso.load_decision(path)
    assert type(found.threshold) is int
    assert found.predict(scores).tolist() == [True, True, False, False]


def test_a_file_is_readable_and_names_may_be_anything(tmp_path):
    path = tmp_path / "a rule.json"
    origin = Origin('a "quoted" <b>näme</b>; {}', "\udcff\n")
    decision = replace(DECISION, origin=origin)
    decision.save(path)
    same(iso.load_decision(path), decision)
    text = path.read_text(encoding="utf-8")
    assert "<b>näme</b>" in text
    assert text.startswith(f'{{\n  "format": "{FORMAT}",\n  "isometrics": "{iso.__version__}",\n')
    page = Path(__file__).parents[2].joinpath("docs", "rules.md").read_text(encoding="utf-8")
    table = page.partition("| field | what it is |")[2].partition("\n\n")[0]
    cells = [line.split("|")[1] for line in table.splitlines()[2:]]
    assert re.findall("`(\\w+)`", " ".join(cells)) == list(DATA)
    assert f'"{FORMAT}"' in table


def test_thresholds_that_json_readers_would_round_are_refused(tmp_path):
    third = np.longdouble(1) / 3
    path = tmp_path / "rule.json"
    with pytest.raises(NotAnswerableError, match="needs more than 64 bits"):
        replace(DECISION, threshold=third).save(path)
    with pytest.raises(NotAnswerableError, match="this decision has no threshold"):
        replace(DECISION, threshold=math.nan).save(path)
    assert not path.exists()


@pytest.mark.parametrize(
    ("asked", "parameters"),
    [
        ({}, {"beta": 1.0}),
        ({"beta": 2, "min_precision": 0.5}, {"beta": 2.0, "min_precision": 0.5}),
        ({"min_recall": 0.5}, {"min_recall": 0.5}),
        ({"budget": 3}, {"budget": 3.0}),
        ({"max_fpr": 0.5}, {"max_fpr": 0.5}),
        ({"min_specificity": 0.5, "beta": 1}, {"min_specificity": 0.5, "beta": 1.0}),
        ({"cost": np.float32(0.25)}, {"cost": 0.25}),
        ({"miss_cost": 3, "false_alarm_cost": 1}, {"miss_cost": 3.0, "false_alarm_cost": 1.0}),
        ({"objective": "youden"}, {"objective": "youden"}),
        ({"objective": "accuracy"}, {"objective": "accuracy"}),
        ({"index": "jaccard"}, {"index": "jaccard", "lam": 0.5}),
        ({"lam": 0.25}, {"index": "f-measure", "lam": 0.25}),
        ({"min_recall": 0.5, "min_precision": 0.5}, {"min_precision": 0.5, "min_recall": 0.5}),
    ],
)
def test_parameters_are_arguments_that_choose_the_same_rule(asked, parameters):
    points = iso.OperatingPoints.from_scores(LABELS, SCORES)
    decision = iso.best_threshold(points, **asked)
    assert decision.parameters == parameters
    same(iso.best_threshold(points, **decision.parameters), decision)
    same(reread(decision), decision)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"format": "isometrics/decision-2"}, "its format is 'isometrics/decision-2', but"),
        ({"format": 1}, "it should be an object with the format"),
        ({"format": ...}, "it should be an object with the format"),
        ({"isometrics": 1}, "isometrics should be a text but is 1"),
        ({"threshold": ...}, "it lacks threshold"),
        ({"threshold": ..., "tp": ..., "isometrics": ...}, "it lacks isometrics, threshold and tp"),
        ({"more": 1}, "it has the unknown field 'more'"),
        ({"threshold": None}, "threshold should be a number but is None"),
        ({"threshold": "NaN"}, "threshold should be a number but is 'NaN'"),
        ({"threshold": 2**64}, "threshold should be a number but is 18446744073709551616"),
        ({"threshold": [0.5]}, r"threshold should be a number but is \[0.5\]"),
        ({"model": 3}, "model should be a text but is 3"),
        ({"scores": []}, r"scores should be a text but is \[\]"),
        ({"objective": None}, "objective should be a text but is None"),
        ({"pos_label": {}}, "pos_label should be a text, a number or a truth value but is {}"),
        ({"parameters": []}, r"parameters should be an object but is \[\]"),
        ({"parameters": {"gamma": 1}}, "parameters has the unknown name 'gamma'"),
        ({"parameters": {"beta": "1"}}, "'beta' of parameters should be a number but is '1'"),
        ({"parameters": {"index": 1}}, "'index' of parameters should be a text but is 1"),
        ({"value": "high"}, "value should be a number but is 'high'"),
        ({"prevalence": "half"}, "prevalence should be a number but is 'half'"),
        ({"tp": -1}, "tp should be a whole number, or a sum of weights, of 0 or more but is -1"),
        ({"fp": None}, "fp should be a whole number"),
        ({"tn": 2**53 + 1}, "tn should be a whole number"),
        ({"beta": None}, "beta should be a number but is None"),
        ({"fingerprint": "abc"}, "fingerprint should be 64 hexadecimal digits but is 'abc'"),
        ({"fingerprint": 5}, "fingerprint should be 64 hexadecimal digits but is 5"),
    ],
)
def test_what_deviates_from_the_format_is_refused(tmp_path, changes, message):
    data = {key: value for key, value in (DATA | changes).items() if value is not ...}
    path = tmp_path / "rule.json"
    path.write_text(json.dumps(data), encoding="utf-8")
    with pytest.raises(FileError, match=rf"rule\.json' is no saved decision: .*{message}"):
        iso.load_decision(path)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "it is no JSON"),
        (b"\xff\xfe\x00", "it is no JSON"),
        (b"[" * 100_000, "it is no JSON"),
        (b"1" * 5000, "it is no JSON"),
        (b"[]", "it should be an object with the format 'isometrics/decision-1'"),
        (
            b'{"format": "isometrics calibration map", "version": 1}',
            "reads 'isometrics/decision-1' alone",
        ),
        (json.dumps(DATA).replace("2.0,", "NaN,").encode(), "NaN is no number of JSON"),
        (json.dumps(DATA).replace("2.0,", "1e999,").encode(), "should be a number but is inf"),
        (b'{"a": 1, "a": 2}', "a name occurs twice in one object"),
        (b" " * (2**20 + 1), "it has more than 1,048,576 bytes"),
    ],
)
def test_what_is_no_rule_is_refused(tmp_path, content, message):
    path = tmp_path / "rule.json"
    path.write_bytes(content)
    with pytest.raises(FileError, match=rf"rule\.json' is no saved decision: .*{message}"):
        iso.load_decision(path)


def test_files_that_cannot_be_read_or_written(tmp_path):
    with pytest.raises(FileError, match=r"cannot read .*none\.json': no such file or directory"):
        iso.load_decision(tmp_path / "none.json")
    with pytest.raises(FileError, match="it is a directory"):
        DECISION.save(tmp_path)


def test_whole_numbers_of_other_writers_are_read_as_the_same_numbers():
    """JavaScript writes 1 where Python writes 1.0."""
    data = json.loads(re.sub(r"(\d)\.0\b", r"\1", json.dumps(DATA | {"threshold": 6.0})))
    assert type(data["threshold"]) is int
    same(decision_of_data(data), replace(DECISION, threshold=6.0))


@given(
    st.recursive(
        st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=3),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
        max_leaves=5,
    ),
    st.sampled_from(list(DATA)),
)
def test_any_other_value_of_a_field_is_read_or_refused(value, name):
    try:
        decision = decision_of_data(DATA | {name: value})
    except FileError:
        return
    assert isinstance(decision, iso.Decision)
    data_of(decision)


@pytest.mark.parametrize("given", [None, 3])
def test_what_can_name_no_file_is_refused(given):
    with pytest.raises(ParameterError, match="path must name a file but is "):
        iso.load_decision(given)
    with pytest.raises(ParameterError, match="path must name a file but is "):
        DECISION.save(given)
