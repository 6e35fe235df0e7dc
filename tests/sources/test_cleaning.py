"""Batches are checked as the whole sample would be: the same rules, the same sentences."""

import datetime
import decimal

import numpy as np
import pyarrow as pa
import pytest

import isometrics as iso
from isometrics.errors import (
    InputError,
    LabelError,
    MissingValueError,
    OneClassError,
    ParameterError,
    ScoreError,
    WeightError,
)
from isometrics.sources.batches import can_name, kind_of, numbers

from .test_tables import batched

NAN, INF = float("nan"), float("inf")
ROLES = {"label": "label", "scores": "score"}


def read(label, score, weight=None, **options):
    columns = {"label": label, "score": score} | ({} if weight is None else {"weight": weight})
    given = {"weight": False if weight is None else "weight"}
    return iso.read_predictions(batched(columns, 2), **(ROLES | given | options))


def refused(error, *columns, **options):
    with pytest.raises(error) as result:
        read(*columns, **options)
    assert type(result.value) is error
    return str(result.value)


@pytest.mark.parametrize(
    ("error", "columns", "said"),
    [
        (MissingValueError, ([1, 0, 1, 0, 1], [0.1, 0.2, None, 0.3, NAN]),
         "score has missing values (NaN or null): 2 in all, the first at position 2"),
        (MissingValueError, ([1, 0, 1, None, None], [0.1] * 5),
         "label has missing values (NaN or null): 2 in all, the first at position 3"),
        (MissingValueError, ([1, 0, 1, 0, 1], [0.1] * 5, [1.0, 2.0, NAN, None, 1.0]),
         "weight has missing values (NaN or null): 2 in all, the first at position 2"),
        (WeightError, ([1, 0, 1, 0, 1], [0.1] * 5, [1, 2, 3, -4, -5]),
         "weight has negative values: 2 in all, the first at position 3"),
        (WeightError, ([1, 0, 1, 0, 1], [0.1] * 5, [1, 2, 3, INF, INF]),
         "weight has infinite values: 2 in all, the first at position 3"),
        (LabelError, ([1, 0, 1, 2, 3], [0.1] * 5),
         "label has labels besides 1 and 0, such as 2, where two classes are needed: 2 in all, "
         "the first at position 3"),
        (LabelError, (["a", "b", "a", "c", "d"], [0.1] * 5),
         "label has labels besides 'a' and 'b', such as 'c', where two classes are needed: 2 in "
         "all, the first at position 3"),
        (ScoreError, ([1, 0, 1, 0, 1], ["0.5", "1", "high", "low", "0.1"]),
         "score has values that are not real numbers of 64 bits, such as 'high': 2 in all, the "
         "first at position 2"),
        (ScoreError, ([1, 0, 1], ["0.5", "1", "inf"]),
         "score has numbers that are written as text, such as '0.5': 3 in all, the first at "
         "position 0"),
        (MissingValueError, ([1, 0, 1], ["0.5", None, None]),
         "score has missing values (NaN or null): 2 in all, the first at position 1"),
        (WeightError, ([1, 0, 1], [0.1] * 3, ["1", "2", "x"]),
         "weight has values that are not real numbers of 64 bits, such as 'x': 1 in all, the "
         "first at position 2"),
    ],
)  # fmt: skip
def test_counts_and_first_positions_over_batches(error, columns, said):
    options = {"pos_label": "a"} if columns[0][0] == "a" else {}
    assert refused(error, *columns, **options) == said


def test_the_same_sentences_as_for_arrays():
    """But for the names of columns, and for what to do with arrays."""
    weights = [1.0, 0.0, 0.0, 2.0, 1.0]
    for label, score, weight in (
        ([1, 0, 1, 0, 5], [0.5, 0.4, 0.3, 0.2, 0.1], weights),
        ([1, 1, 1, 1, 1], [0.5, 0.4, 0.3, 0.2, 0.1], weights),
        ([1, 0, 1, 0, 1], [NAN, 0.4, 0.3, 0.2, NAN], weights),
        ([1, 0, 1, 0, 1], [0.5, 0.4, 0.3, 0.2, 0.1], [0.0] * 5),
        ([1, 0, 1, 0, 1], [0.5, 0.4, 0.3, 0.2, 0.1], [1e308] * 5),
        ([2, 0, 2, 0, 2], [0.5, 0.4, 0.3, 0.2, 0.1], weights),
        ([], [], []),
    ):
        with pytest.raises(InputError) as expected:
            iso.OperatingPoints.from_scores(label, score, sample_weight=weight)
        typed = (pa.array(label, pa.int64()), *(pa.array(x, pa.float64()) for x in (score, weight)))
        said = refused(type(expected.value), *typed)
        arrays_only = expected.value.advice is not None and "y_true ==" in str(expected.value)
        plain = expected.value.problem if arrays_only else str(expected.value)
        plain = plain.replace("sample_weight", "weight")
        assert said == plain.replace("y_true", "label").replace("y_score", "score")


def test_rows_without_weight_are_absent_before_anything_is_looked_at():
    result = read(
        [1, 7, None, 0, 1, None], [0.5, NAN, None, 0.25, 0.75, 0.1], [1, 0, 0, 2, 3, 0]
    ).models["score"]
    assert result == iso.OperatingPoints.from_scores(
        [1, 0, 1], [0.5, 0.25, 0.75], sample_weight=[1, 2, 3]
    )
    said = refused(MissingValueError, [1, None, 0, 1], [0.5, 0.5, NAN, NAN], [1, 0, 0, 1])
    assert said.endswith("1 in all, the first at position 3")


def test_weights_come_first_then_labels_then_scores():
    assert "weight" in refused(WeightError, [1, 5, 0, 2], [NAN] * 4, [1, 1, 1, -1])
    assert "label" in refused(LabelError, [1, 5, 0, 2], [NAN] * 4, [1, 1, 1, 1])
    assert "score" in refused(MissingValueError, [1, 0, 0, 1], [NAN] * 4, [1, 1, 1, 1])


def test_weights_beyond_words():
    beyond = pa.array([1, 2**63, 2**64 - 1], pa.uint64())
    said = refused(WeightError, [1, 0, 1], [0.5, 0.2, 0.1], beyond)
    assert said == "weight has values of 2**63 or more: 2 in all, the first at position 1"
    large = pa.array([2**62] * 4, pa.uint64())
    result = read([1, 0, 1, 0], [0.5, 0.2, 0.1, 0.3], large).models["score"]
    expected = iso.OperatingPoints.from_scores(
        [1, 0, 1, 0], [0.5, 0.2, 0.1, 0.3], sample_weight=[2**62] * 4
    )
    assert result == expected
    assert result.positives == 2.0**63


@pytest.mark.parametrize("dtype", [pa.bool_(), pa.uint8(), pa.int16()])
def test_small_types_of_weights(dtype):
    weights = pa.array([1, 0, 1, 1]).cast(dtype)
    result = read([1, 0, 1, 0], [0.5, 0.2, 0.1, 0.3], weights).models["score"]
    assert result.tp.tolist() == [0, 1, 1, 2]
    assert result.tp.dtype == np.int64


def test_decimals_are_the_nearest_doubles():
    texts = ["0.1", "0.12345678901234567890", "3"]
    wide = pa.array(list(map(decimal.Decimal, texts)), pa.decimal128(38, 20))
    assert numbers(wide).values.tolist() == [float(text) for text in texts]
    whole = pa.array([decimal.Decimal(1), decimal.Decimal(10**25)], pa.decimal128(30, 0))
    assert numbers(whole).values.tolist() == [1, 1e25]
    assert numbers(whole.slice(0, 1).cast(pa.decimal128(18, 0))).values.dtype == np.int64


DAY = datetime.date(2020, 1, 1)


@pytest.mark.parametrize(
    ("error", "roles", "said"),
    [
        (LabelError, {"label": "other"}, "labels must be truth values, numbers or text"),
        (ScoreError, {"scores": "other"}, "scores must be numbers"),
        (WeightError, {"weight": "other"}, "weights must be numbers"),
        (ParameterError, {"group": "other"}, "models and groups must be named by texts"),
        (ParameterError, {"model": "other"}, "models and groups must be named by texts"),
    ],
)
@pytest.mark.parametrize("values", [[[1], [2]], [{"a": 1}, {"a": 2}], [b"x", b"y"]], ids=str)
def test_columns_of_other_kinds(error, roles, said, values):
    table = pa.table({"label": [1, 0], "score": [0.5, 0.2], "other": values})
    with pytest.raises(error) as result:
        iso.read_predictions(table, **(ROLES | roles))
    assert str(result.value).startswith(f"other holds {table.schema.field('other').type} values; ")
    assert said in str(result.value)


def test_dates_are_groups():
    days = [DAY, DAY, DAY.replace(day=2), DAY.replace(day=2)]
    table = batched({"label": [1, 0, 1, 0], "score": [0.5, 0.2, 0.1, 0.4], "day": days}, 2)
    result = iso.read_predictions(table, **ROLES, group="day")
    assert list(result.groups) == ["2020-01-01", "2020-01-02"]


@pytest.mark.parametrize(
    ("dtype", "kind"),
    [(pa.bool_(), "boolean"), (pa.uint8(), "integer"), (pa.float16(), "float"),
     (pa.decimal128(5, 2), "float"), (pa.null(), "float"), (pa.string(), "string"),
     (pa.large_string(), "string"), (pa.string_view(), "string"),
     (pa.dictionary(pa.int8(), pa.string()), "string"),
     (pa.dictionary(pa.int8(), pa.int64()), "integer"), (pa.binary(), "other"),
     (pa.timestamp("ns"), "other")],
    ids=str,
)  # fmt: skip
def test_kinds(dtype, kind):
    assert kind_of(dtype) == kind
    assert can_name(dtype) == (dtype != pa.binary())


def test_numbers_and_their_nulls():
    encoded = pa.array([3, None, 5]).dictionary_encode()
    assert numbers(encoded).values.tolist() == [3, 0, 5]
    assert numbers(encoded).missing.tolist() == [False, True, False]
    assert numbers(pa.nulls(2)).missing.tolist() == [True, True]
    assert numbers(pa.array([1.0, NAN, None])).missing.tolist() == [False, True, True]
    assert numbers(pa.array([1.0, NAN])).missing.tolist() == [False, True]
    assert numbers(pa.array([1.0, INF])).missing is None
    assert numbers(pa.array([2**60 + 1, None])).values[0] == 2**60 + 1
    assert numbers(pa.array([True, None])).values.tolist() == [True, False]
    assert numbers(pa.array([], pa.float64())).values.size == 0
    assert numbers(pa.array([decimal.Decimal("1.25")])).values.tolist() == [1.25]


def test_labels_that_appear_late():
    """Texts have other codes in each batch."""
    labels = ["no", "no", "yes", "no", "yes", "yes", "no"]
    result = read(labels, list(range(7)), pos_label="yes").models["score"]
    assert result == iso.OperatingPoints.from_scores(np.array(labels) == "yes", range(7))


@pytest.mark.parametrize(
    ("labels", "options", "said"),
    [
        (["a", "a", "b"], {}, "label has the labels 'a' and 'b'; say which one is positive"),
        (["a", "b", "a"], {"pos_label": "c"}, "pos_label 'c' is not among the labels of label"),
        ([3, 4, 3], {}, "label has the labels 3 and 4; say which one is positive"),
        (["a", "b", "a"], {"pos_label": ["a"]}, "pos_label"),
    ],
)
def test_labels_that_do_not_tell(labels, options, said):
    assert said in refused(LabelError, labels, [0.5, 0.2, 0.1], **options)


def test_one_class_that_a_positive_label_names_or_not():
    only = ["a", "a", "a"]
    assert "only positives" in refused(OneClassError, only, [1, 2, 3], pos_label="a")
    assert "only negatives" in refused(OneClassError, only, [1, 2, 3], pos_label="b")
