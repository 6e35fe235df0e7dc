"""Calibration maps: what is written reads back exactly, and nothing else is accepted."""

import copy
import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from isometrics import AccuracyCalibrator, FCalibrator, OperatingPoints
from isometrics.calibration import calibrators_of, map_of, read_map, write_map
from isometrics.errors import FileError, NotAnswerableError

LABELS, SCORES = [1, 0, 1, 1, 0, 0, 1, 0], [0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2]
MAP = map_of({"a": FCalibrator().fit(LABELS, SCORES)})

scores = st.one_of(
    st.floats(allow_nan=False),
    st.floats(allow_nan=False, width=32),
    st.integers(-(2**53), 2**53).map(float),
    st.sampled_from([0.0, -0.0, 0.1, math.inf, -math.inf, 5e-324]),
)


@st.composite
def samples(draw):
    size = draw(st.integers(2, 30))
    labels = draw(st.lists(st.integers(0, 1), min_size=size, max_size=size))
    labels[:2] = [0, 1]
    values = draw(st.lists(scores, min_size=size, max_size=size))
    weights = draw(
        st.none()
        | st.lists(st.integers(1, 9), min_size=size, max_size=size)
        | st.lists(st.floats(0.1, 9), min_size=size, max_size=size)
    )
    return labels, values, weights


def same(one, other):
    assert type(one) is type(other)
    for name, column in one.table()._columns().items():
        read = other.table()._columns()[name]
        assert read.dtype == column.dtype
        assert read.tobytes() == column.tobytes()
    assert other.table().highest_score == one.table().highest_score


@given(sample=samples(), kind=st.sampled_from([FCalibrator, AccuracyCalibrator]))
def test_a_map_reads_back_to_the_last_bit(sample, kind):
    labels, values, weights = sample
    fitted = kind().fit(labels, np.array(values), sample_weight=weights)
    text = json.dumps(map_of({"a model": fitted}), allow_nan=False)
    same(fitted, calibrators_of(json.loads(text))["a model"])


def test_a_file_reads_back(tmp_path):
    path = tmp_path / "a map.json"
    name = 'a "quoted" <b>näme</b>; {}'
    fitted = AccuracyCalibrator().fit(LABELS, SCORES)
    write_map({name: fitted, "other": fitted}, path)
    found = read_map(path)
    assert list(found) == [name, "other"]
    same(fitted, found[name])
    text = path.read_text(encoding="utf-8")
    assert '"format": "isometrics calibration map"' in text
    assert "<b>näme</b>" in text


def test_what_a_map_holds():
    values = np.array([2**53 + 1, 2**53 + 3, 5, 7])
    fitted = FCalibrator().fit([0, 1, 0, 1], values)
    with pytest.raises(NotAnswerableError, match="the scores of 'a' need more than 64 bits"):
        map_of({"a": fitted})
    points = OperatingPoints.from_scores(LABELS, SCORES)
    both = {"f": FCalibrator.from_points(points), "a": AccuracyCalibrator.from_points(points)}
    for calibrators in (both, {}):
        with pytest.raises(NotAnswerableError, match="calibrators of one kind"):
            map_of(calibrators)
    data = map_of({"a": FCalibrator().fit([1, 0], [2, 1])})
    data["models"]["a"]["segments"][0]["lower"] = 2
    assert calibrators_of(data)["a"].table().lower.dtype == np.float64


def changed(path, value):
    data = copy.deepcopy(MAP)
    *way, last = path
    place = data
    for step in way:
        place = place[step]
    if value is ...:
        del place[last]
    else:
        place[last] = value
    return data


SEGMENTS = ("models", "a", "segments")


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        (["format"], "other", "its format is 'other'"),
        (["version"], 2, "in version 2 instead of"),
        (["kind"], "g", "its kind is 'g'"),
        (["kind"], [], r"its kind is \[\]"),
        (["kind"], ..., "should be an object with format, version, kind, models"),
        (["more"], 1, "and nothing else"),
        (["models"], {}, "a model or more"),
        (["models", "a"], 3, "model 'a' should be an object"),
        (["models", "a", "highest_score"], None, "highest_score of model 'a' should be a number"),
        (["models", "a", "highest_score"], 0.5, "scores and values of model 'a' do not fall"),
        (SEGMENTS, [], "a list of one or more"),
        ((*SEGMENTS, 1), [], "segment 1 of model 'a' should be an object"),
        ((*SEGMENTS, 1, "lower"), "0.6", "lower in segment 1 of model 'a' should be a number"),
        ((*SEGMENTS, 1, "lower"), math.inf, "should be a number"),
        ((*SEGMENTS, 1, "lower"), 0.95, "do not fall"),
        ((*SEGMENTS, 3, "lower"), 0.4, "do not fall"),
        ((*SEGMENTS, 0, "value"), 1.5, "do not fall"),
        ((*SEGMENTS, 3, "value"), -0.5, "do not fall"),
        ((*SEGMENTS, 1, "value"), 0.1, "do not fall"),
        ((*SEGMENTS, 1, "tp"), -1, "tp of model 'a' should be whole numbers"),
        ((*SEGMENTS, 1, "fp"), 0.5, "fp of model 'a' should be whole numbers"),
    ],
)
def test_a_map_that_was_tampered_with_is_refused(tmp_path, path, value, message):
    data = changed(path, value)
    with pytest.raises(FileError, match=message):
        calibrators_of(data)
    file = tmp_path / "map.json"
    file.write_text(json.dumps(data))
    with pytest.raises(FileError, match=r"'.*map.json' is no calibration map: "):
        read_map(file)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"[1, 2", "it is no JSON"),
        (b"1", "the file should be an object"),
        (b" " * (2**26 + 1), "it has more than 67,108,864 bytes"),
    ],
)
def test_a_file_that_is_no_map_is_refused(tmp_path, content, message):
    path = tmp_path / "map.json"
    path.write_bytes(content)
    with pytest.raises(FileError, match=message):
        read_map(path)


def test_the_largest_file_that_is_read(tmp_path):
    path = tmp_path / "map.json"
    path.write_bytes(json.dumps(MAP).encode().ljust(2**26))
    assert list(read_map(path)) == ["a"]
    with pytest.raises(FileError, match=r"cannot read '.*nowhere.json': no such file"):
        read_map(tmp_path / "nowhere.json")
    with pytest.raises(FileError, match="is a directory"):
        read_map(tmp_path)
