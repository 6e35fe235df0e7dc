"""Results are values: pickled, copied and compared by what they hold, with arrays for reading."""

import copy
import importlib
import pickle
import pkgutil
import re
from collections.abc import Hashable, Mapping
from dataclasses import fields, is_dataclass
from pathlib import Path

import numpy as np
import pytest

import isometrics as iso
from isometrics import errors
from isometrics._core.results import ResultTable, Value, same

from .result_classes import FACTORIES, LABELS, NO_RESULTS, PROBABILITIES, SCORES, points, sets

VALUES = {name: make for name, make in FACTORIES.items() if not isinstance(make(), tuple)}
"""A named tuple is compared and copied as Python does it."""
EVERY_RESULT = pytest.mark.parametrize("make", VALUES.values(), ids=VALUES)
API = Path(__file__).parents[2] / "docs" / "api.md"


def found_at(path):
    module, _, name = path.rpartition(".")
    return getattr(importlib.import_module(module), name)


def arrays_of(content):
    """Yield the arrays of a result and of the results inside it."""
    if isinstance(content, np.ndarray):
        yield content
    elif isinstance(content, Value | iso.Bicluster):
        for field in fields(content):
            # The rows of an analysis are the arrays that the user gave.
            if not (isinstance(content, iso.Analysis) and field.name == "rows"):
                yield from arrays_of(getattr(content, field.name))
    elif isinstance(content, iso.AccuracyCalibrator | iso.FCalibrator):
        yield from arrays_of(content.segments_)
    elif isinstance(content, Mapping):
        yield from arrays_of(list(content.values()))
    elif isinstance(content, tuple | list):
        for each in content:
            yield from arrays_of(each)


def assert_read_only(result):
    for array in arrays_of(result):
        assert not array.flags.writeable
        with pytest.raises(ValueError, match="cannot set WRITEABLE flag"):
            array.flags.writeable = True
        assert not isinstance(array.base, np.ndarray) or not array.base.flags.writeable


@EVERY_RESULT
def test_copies_and_pickles_are_equal_results(make):
    result = make()
    assert_read_only(result)
    protocols = range(2, pickle.HIGHEST_PROTOCOL + 1)
    pickled = [pickle.loads(pickle.dumps(result, protocol)) for protocol in protocols]
    for made in (copy.copy(result), copy.deepcopy(result), *pickled):
        assert type(made) is type(result)
        assert made == result
        assert (made != result) is False
        assert repr(made) == repr(result)
        assert_read_only(made)


@EVERY_RESULT
def test_a_result_equals_those_of_the_same_data_and_nothing_else(make):
    result = make()
    assert result == make()
    if isinstance(result, Hashable):
        assert hash(result) == hash(make())
    assert result != object()
    assert (result == "text") is False
    assert type(result).__eq__(result, object()) is NotImplemented


def other_content(content):
    """Return something of the same type that is not equal; None where none is known."""
    if isinstance(content, np.ndarray) and content.size and content.dtype != object:
        return np.zeros_like(content) if content.any() else np.ones_like(content)
    if isinstance(content, str | int | float):
        return type(content)(not content) if isinstance(content, bool) else content * 2 or 1
    if isinstance(content, dict) and content:
        return dict(list(content.items())[1:])
    return content[1:] if type(content) is tuple and content else None


@pytest.mark.parametrize("path", [path for path in FACTORIES if issubclass(found_at(path), Value)])
def test_results_that_differ_in_one_field_are_not_equal(path):
    result = FACTORIES[path]()
    content = {field.name: getattr(result, field.name) for field in fields(result) if field.compare}
    for name, value in content.items():
        other = other_content(value)
        if other is None or same(other, value):
            continue
        changed = object.__new__(type(result))
        for each, kept in (content | {name: other}).items():
            object.__setattr__(changed, each, kept)
        assert changed != result, name


def test_columns_of_operating_points_cannot_be_made_writable():
    names = "thresholds tp fp fn tn precision recall false_positive_rate precision_gain recall_gain"
    made = points()
    assert_read_only([getattr(made, name) for name in names.split()])
    assert_read_only([made.f(), made.f_gain(), made.accuracy()])


def test_what_the_user_gave_stays_writable():
    labels, scores = LABELS.copy(), SCORES["A"].copy()
    made = iso.OperatingPoints.from_scores(labels, scores)
    counts = {"tp": np.array([1, 2]), "fp": np.array([1, 3])}
    by_counts = iso.OperatingPoints.from_counts(**counts, positives=3, negatives=4)
    before = copy.deepcopy((made, by_counts))
    for array in (labels, scores, *counts.values()):
        array[:] = 0
    assert (made, by_counts) == before


def printed_rows(text):
    """Return the rows of the printed table, by the names of its columns."""
    lines = [re.split(r"\s{2,}", line.strip()) for line in text.splitlines()]
    head = next((line for line in lines if "threshold" in line), None)
    below = lines[lines.index(head) + 1 :] if head else []
    return [dict(zip(head, line, strict=True)) for line in below if len(line) == len(head)]


def test_printed_thresholds_flag_the_same_rows():
    """As their exact numbers do, on some data that have them as a score."""
    data, printing = [*SCORES.values(), PROBABILITIES], set()
    for name, make in FACTORIES.items():
        result = make()
        if not isinstance(result, ResultTable) or "threshold" not in result._columns():
            continue
        exact = np.atleast_1d(result._columns()["threshold"])
        for row, threshold in zip(printed_rows(repr(result)), exact, strict=False):
            given = [scores for scores in data if threshold in scores]
            text = float(row["threshold"])
            flags = [np.array_equal(each >= text, each >= threshold) for each in given]
            assert any(flags) or not given, (name, row)
            printing.add(name)
    assert len(printing) >= 6, printing


def classes():
    """Return all classes that are public, documented, or derived from `Value`, by their paths."""
    documented = re.findall(r"^::: (isometrics\.[\w.]+)$", API.read_text("utf-8"), re.MULTILINE)
    paths = {*documented, *(f"isometrics.{name}" for name in iso.__all__)} - NO_RESULTS.keys()
    # Modules of integrations need packages that may be missing; they have no results but those
    # on the page.
    result = {path: found_at(path) for path in paths}
    for module in pkgutil.walk_packages(iso.__path__, "isometrics."):
        if not re.search(r"cli|integrations|_counting|__main__|widget", module.name):
            importlib.import_module(module.name)
    for cls in derived(Value):
        # Tests of the studies may run in the same process.
        if cls.__module__.startswith("isometrics."):
            result[f"{cls.__module__}.{cls.__name__}"] = cls
    return {path: cls for path, cls in result.items() if isinstance(cls, type)}


def derived(cls):
    for each in cls.__subclasses__():
        yield each
        yield from derived(each)


def is_error(cls):
    """Tell whether a class is an error, or a part of one; these are no results."""
    return issubclass(cls, Exception | errors.Advice)


def test_every_class_is_under_the_laws():
    under_laws = {type(make()) for make in FACTORIES.values()}
    left_out = {
        path: cls
        for path, cls in classes().items()
        if cls not in under_laws
        and not is_error(cls)
        and not getattr(cls, "__abstractmethods__", ())
    }
    assert not left_out


def test_the_lists_name_what_they_make_and_what_is_on_the_page():
    for path, make in FACTORIES.items():
        assert type(make()) is found_at(path)
    assert all(f"::: {path}\n" in API.read_text("utf-8") for path in NO_RESULTS)


def test_every_dataclass_that_compares_itself_has_no_arrays():
    """Python's own comparison of dataclasses fails on arrays and calls NaN unequal to itself."""
    for path, cls in classes().items():
        if is_dataclass(cls) and "__eq__" in vars(cls) and cls is not iso.Bicluster:
            assert not any(
                "Floats" in str(f.type) or "NDArray" in str(f.type) for f in fields(cls)
            ), path


NAN = float("nan")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (NAN, np.float32("nan")),
        (1, np.int64(1)),
        (np.array([NAN, 1]), np.array([float("-nan"), 1])),
        (np.array([1, 2]), np.array([1.0, 2.0])),
        (np.array(["a", NAN], object), np.array(["a", -NAN], object)),
        (np.array(["a"]), np.array(["a"], object)),
        (np.array(["2020-01-01", "NaT"], "M8[D]")[:1], np.array(["2020-01-01"], "M8[D]")),
        ({"a": (NAN, [1])}, {"a": (-NAN, [1])}),
    ],
)
def test_the_same(one, other):
    assert same(one, other)
    assert same(other, one)


class Strange:
    """Something whose comparison is no truth value."""

    def __eq__(self, other):
        return [other]

    __hash__ = None


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (NAN, 1.0),
        (NAN, None),
        ("1", 1),
        ((1,), [1]),
        ((1,), (1, 2)),
        ({"a": 1}, {"b": 1}),
        ({"a": 1}, {"a": 2}),
        (np.array([1]), np.array([[1]])),
        (np.array([1]), [1]),
        (np.array([NAN]), np.array(["nan"])),
        (np.array([None]), np.array([0.0])),
        (Strange(), Strange()),
    ],
)
def test_not_the_same(one, other):
    assert not same(one, other)
    assert not same(other, one)


def test_sets_with_arrays_as_labels_are_equal():
    def made(label):
        return iso.OperatingPoints.from_counts([1], [0], positives=3, negatives=6, labels=[label])

    assert made(np.array([1, 2])) == made(np.array([1, 2]))
    assert made(np.array([1, 2])) != made(np.array([1, 3]))
    assert sets() != points()


def test_the_base_of_tables_has_neither_title_nor_columns():
    with pytest.raises(TypeError, match=r"abstract methods '?_columns'?, '?_title"):
        ResultTable()
