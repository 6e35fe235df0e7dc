"""Labels, scores and weights: what is accepted means the same in every container and type, and
what is refused is named with its argument, first position and count.
"""

import re
from datetime import date, timedelta
from decimal import Decimal
from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from isometrics import OperatingPoints, read_predictions
from isometrics._core.counts import HIGHEST_SCORE
from isometrics.errors import (
    DimensionError,
    EmptyInputError,
    LabelError,
    LengthError,
    MissingValueError,
    OneClassError,
    PointsError,
    ScoreError,
    WeightError,
)

from_scores = OperatingPoints.from_scores

LABELS = [1, 0, 1, 0, 1]
SCORES = [0.75, 0.5, 0.25, 0.25, 0.125]
TABLE = from_scores(LABELS, SCORES)
WORDS = [["no", "yes"][label] for label in LABELS]

COLUMNS = {
    "list": list,
    "tuple": tuple,
    "numpy": np.array,
    "numpy object": lambda values: np.array(values, object),
    "numpy strided": lambda values: np.repeat(np.array(values), 2)[::2],
    "numpy read-only": lambda values: np.broadcast_to(np.array(values), len(values)),
    "masked, nothing masked": np.ma.masked_array,
    "iterator": iter,
    "pandas": pd.Series,
    "pandas, odd index": lambda values: pd.Series(values, index=range(5, 0, -1)),
    "pandas index": pd.Index,
    "pandas categorical": lambda values: pd.Series(values, dtype="category"),
    "pandas arrow": lambda values: pa.table({"a": values}).to_pandas(types_mapper=pd.ArrowDtype)[
        "a"
    ],
    "polars": pl.Series,
    "pyarrow": pa.array,
    "pyarrow chunked": lambda values: pa.chunked_array([values[:2], values[2:]]),
    "pyarrow dictionary": lambda values: pa.array(values).dictionary_encode(),
}


def refusal(error, message, function, *arguments, **keywords):
    """Check class and whole message of an error."""
    with pytest.raises(error) as caught:
        function(*arguments, **keywords)
    assert type(caught.value) is error
    assert str(caught.value) == message


def missing(name, count, first):
    return f"{name} has missing values (NaN or null): {count} in all, the first at position {first}"


# Accepted ------------------------------------------------------------------------------------


@pytest.mark.parametrize("column", COLUMNS.values(), ids=COLUMNS.keys())
@pytest.mark.parametrize(
    ("one", "other", "pos_label"),
    [
        (True, False, None),
        (True, False, True),
        (1, 0, None),
        (1, 0, 1),
        (1, -1, None),
        (1.0, 0.0, None),
        (0, 1, 0),
        (False, True, False),
        (False, True, 0),
        (7, 3, 7),
        (0.5, 2.5, 0.5),
        ("spam", "ham", "spam"),
    ],
)
def test_labels(column, one, other, pos_label):
    labels = column([one if label else other for label in LABELS])
    assert from_scores(labels, SCORES, pos_label=pos_label) == TABLE


@pytest.mark.parametrize(
    ("labels", "pos_label"),
    [
        (pd.Series(LABELS, dtype="Int64"), None),
        (pd.Series(LABELS, dtype="boolean"), None),
        (pd.Series(LABELS, dtype="Float32"), None),
        (pl.Series(LABELS, dtype=pl.UInt8), None),
        (np.array(LABELS, np.int8), None),
        (np.array(LABELS, np.float16), None),
        ([True, 0, 1.0, False, np.int8(1)], None),
        (np.array(WORDS), "yes"),
        (np.array(WORDS, np.dtypes.StringDType()), "yes"),
        (pd.Series(WORDS, dtype="string"), "yes"),
        (pd.Series(WORDS, dtype=object), np.str_("yes")),
        (pl.Series(WORDS, dtype=pl.Categorical), "yes"),
        (pl.Series(WORDS, dtype=pl.Enum(["no", "yes"])), np.str_("yes")),
        (pa.array(WORDS, pa.large_string()), "yes"),
        *(
            ([one if label else other for label in LABELS], one)
            for one, other in (
                (date(2024, 1, 1), date(2024, 1, 2)),
                (np.datetime64("2024-01-01"), np.datetime64("2024-01-02")),
                (b"a", b"b"),
                (Decimal(1), Decimal(2)),
            )
        ),
    ],
)
def test_labels_of_other_types(labels, pos_label):
    assert from_scores(labels, SCORES, pos_label=pos_label) == TABLE


@pytest.mark.parametrize("column", COLUMNS.values(), ids=COLUMNS.keys())
def test_scores_and_weights_of_any_column(column):
    assert from_scores(LABELS, column(SCORES)) == TABLE
    weights = [2, 1, 3, 1, 1]
    assert from_scores(LABELS, SCORES, sample_weight=column(weights)) == from_scores(
        np.repeat(LABELS, weights), np.repeat(SCORES, weights)
    )


@pytest.mark.parametrize(
    "dtype",
    ["f2", "f4", "f8", "g", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", ">f8", ">f4", ">i4"],
)
def test_score_types(dtype):
    """SCORES in eighths are whole numbers, which every type holds."""
    points = from_scores(LABELS, (8 * np.array(SCORES)).astype(dtype))
    np.testing.assert_array_equal(points.thresholds[1:], 8 * TABLE.thresholds[1:])
    assert (points.tp.tolist(), points.fp.tolist()) == (TABLE.tp.tolist(), TABLE.fp.tolist())
    assert from_scores([1, 0, 1], [True, False, False]).thresholds.tolist() == [np.inf, 1, 0]


BIG = {
    "int64": (np.int64, [2**53 + 1, 2**53, -(2**53) - 1, -(2**53)]),
    "int64 ends": (np.int64, [2**63 - 1, 2**63 - 2, -(2**63), 1 - 2**63]),
    "uint64": (np.uint64, [2**64 - 1, 2**64 - 2, 2**53, 2**53 + 1]),
    "list": (list, [2**53 + 1, 2**53, -(2**53) - 1, -(2**53)]),
    "list of uint64": (list, [2**63 + 1, 2**63, 1, 0]),
    "list with a float": (lambda v: [*v[:3], float(v[3])], [2**53 + 1, 2**53, -7, 3]),
    "pyarrow uint64": (lambda v: pa.array(v, pa.uint64()), [2**63 + 1, 2**63, 1, 0]),
    "polars int64": (pl.Series, [2**53 + 1, 2**53, -(2**53) - 1, -(2**53)]),
    "nullable int64": (lambda v: pd.Series(v, dtype="Int64"), [2**53 + 1, 2**53, -7, -(2**53)]),
}


@pytest.mark.parametrize(("column", "values"), BIG.values(), ids=BIG.keys())
def test_integers_beyond_2_to_the_53_stay_distinct(column, values):
    is_type = isinstance(column, type) and issubclass(column, np.generic)
    scores = np.array(values, column) if is_type else column(values)
    points = from_scores([1, 0, 1, 0], scores)
    assert [int(t) for t in points.thresholds[1:]] == sorted(values, reverse=True)


@pytest.mark.parametrize(
    "column",
    [
        list,
        pl.Series,
        pa.array,
        lambda values: pd.Series(values, dtype="Int64"),
        lambda values: np.array(values, object),
    ],
)
def test_a_null_does_not_round_the_integers_beside_it(column):
    scores = column([2**53 + 1, 2**53, None, 0])
    points = from_scores([1, 0, 1, 0], scores, sample_weight=[1, 1, 0, 1])
    assert [int(t) for t in points.thresholds[1:]] == [2**53 + 1, 2**53, 0]


@pytest.mark.parametrize("weights", [None, [1, 1, 1, 1, 1], [0.5, 0.5, 0.5, 0.5, 0.5]])
def test_infinite_scores_and_zeros(weights):
    points = from_scores(
        [1, 0, 1, 0, 1], [np.inf, -np.inf, 0.0, -0.0, -np.inf], sample_weight=weights
    )
    assert points.thresholds.tolist() == [np.inf, HIGHEST_SCORE, 0, -np.inf]
    assert not np.signbit(points.thresholds[2])
    scale = 1 if weights is None else weights[0]
    assert (points.tp / scale).tolist() == [0, 1, 2, 3]
    assert (points.fp / scale).tolist() == [0, 0, 1, 2]


# Weights -------------------------------------------------------------------------------------


WITHOUT_WEIGHT = {
    "y_score": [
        [*SCORES, np.nan],
        [*SCORES, None],
        np.array([*SCORES, None], object),
        np.ma.masked_array([*SCORES, 1], [0, 0, 0, 0, 0, 1]),
        pd.Series([*SCORES, None], dtype="Float64"),
        pl.Series([*SCORES, None]),
        pl.Series([*SCORES, np.nan]),
        pa.array([*SCORES, None]),
        pa.chunked_array([SCORES, [None]]),
    ],
    "y_true": [
        [*LABELS, 2],
        [*LABELS, np.nan],
        [*LABELS, None],
        [*LABELS, "spam"],
        np.ma.masked_array([*LABELS, 1], [0, 0, 0, 0, 0, 1]),
        pd.Series([*LABELS, None], dtype="Int64"),
        pd.Series([*LABELS, None], dtype="category"),
        pl.Series([*LABELS, None]),
        pa.array([*LABELS, None]),
    ],
}


@pytest.mark.parametrize(
    ("name", "column"), [(name, each) for name in WITHOUT_WEIGHT for each in WITHOUT_WEIGHT[name]]
)
def test_a_row_of_zero_weight_may_lack_its_score_and_have_any_label(name, column):
    given = {"y_true": [*LABELS, 1], "y_score": [*SCORES, 0.5]} | {name: column}
    assert from_scores(**given, sample_weight=[1, 1, 1, 1, 1, 0]) == TABLE


@pytest.mark.parametrize(
    "dtype", [np.bool_, np.int8, np.uint8, np.uint64, np.int64, "Int64", pl.Int32]
)
def test_integer_weights_give_integer_counts(dtype):
    weights = [1, 1, 0, 1, 1]
    library = {str: pd.Series, pl.datatypes.classes.DataTypeClass: pl.Series}.get(
        type(dtype), np.array
    )
    points = from_scores(LABELS, SCORES, sample_weight=library(weights, dtype=dtype))
    assert points.tp.dtype == points.fp.dtype == np.int64
    assert type(points.positives) is int
    assert points == from_scores([1, 0, 0, 1], [0.75, 0.5, 0.25, 0.125])


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, np.longdouble])
def test_float_weights_are_summed_in_double_precision(dtype):
    weights = np.full(5, 60000, dtype)  # two of them overflow float16
    points = from_scores(LABELS, SCORES, sample_weight=weights)
    assert points.tp.dtype == np.float64
    weight = float(weights[0])
    assert points.tp.tolist() == [0, weight, weight, 2 * weight, 3 * weight]


# Refused -------------------------------------------------------------------------------------

NAN_SCORES = {
    "list": [1, np.nan, 2, np.nan, 3],
    "None": [1, None, 2, None, 3],
    "None and NaN": [1, np.nan, 2, None, 3],
    "masked": np.ma.masked_array([1, 2, 3, np.nan, 5], [0, 1, 0, 0, 0]),
    "float16": np.array([1, np.nan, 2, np.nan, 3], np.float16),
    "longdouble": np.array([1, np.nan, 2, np.nan, 3], np.longdouble),
    "object": np.array([1, np.nan, 2, None, 3], object),
    "Decimal NaN": [1, Decimal("nan"), 2, None, 3],
    "Decimals": [Decimal("0.1"), Decimal("sNaN"), Decimal(2), Decimal("NaN"), Decimal(3)],
    "pandas": pd.Series([1, np.nan, 2, None, 3]),
    "pandas Int64": pd.Series([1, None, 2, None, 3], dtype="Int64"),
    "pandas NA in objects": pd.Series([1, pd.NA, 2, None, 3], dtype=object),
    "polars": pl.Series([1.0, None, 2, None, 3]),
    "polars NaN": pl.Series([1.0, np.nan, 2, np.nan, 3]),
    "polars NaN and null": pl.Series([1.0, np.nan, 2, None, 3]),
    "pyarrow": pa.array([1.0, None, 2, None, 3]),
    "pyarrow NaN and null": pa.array([1.0, np.nan, 2, None, 3]),
    "pyarrow chunked": pa.chunked_array([[1.0, None], [2, None, 3]]),
}


@pytest.mark.parametrize("scores", NAN_SCORES.values(), ids=NAN_SCORES.keys())
def test_missing_scores(scores):
    refusal(MissingValueError, missing("y_score", 2, 1), from_scores, LABELS, scores)


@pytest.mark.parametrize(
    "labels",
    [
        [1, 0, None, 0, None],
        [1, 0, np.nan, 0, np.nan],
        ["a", "b", None, "a", None],
        np.array(["a", "b", np.nan, "a", None], object),
        pd.Series(["a", "b", None, "a", None], dtype="string"),
        pd.Series(["a", "b", None, "a", None], dtype="category"),
        pd.Series([True, False, None, True, None], dtype="boolean"),
        pl.Series([True, False, None, True, None]),
        pl.Series(["a", "b", None, "a", None]),
        pa.array(["a", "b", None, "a", None]),
        pa.array(["a", "b", None, "a", None]).dictionary_encode(),
        np.array(["a", "b", None, "a", None], np.dtypes.StringDType(na_object=None)),
    ],
)
@pytest.mark.parametrize("pos_label", [None, "a", 1])
def test_missing_labels(labels, pos_label):
    message = missing("y_true", 2, 2)
    refusal(MissingValueError, message, from_scores, labels, SCORES, pos_label=pos_label)


def refused_weights():
    for weights, rows in (([1, np.nan, 1, 1, 1], 1), ([1, None, 1, 1, None], 2)):
        yield weights, MissingValueError, missing("sample_weight", rows, 1)
    yield pa.array([1, None, 1, 1, 1]), MissingValueError, missing("sample_weight", 1, 1)
    said = "sample_weight has {} values: {} in all, the first at position {}"
    yield [0, 0, -1, 1, -2], WeightError, said.format("negative", 2, 2)
    yield [0.0, -0.5, 1, 1, 1], WeightError, said.format("negative", 1, 1)
    yield [1, 1, 1, np.inf, 1], WeightError, said.format("infinite", 1, 3)
    said = "sample_weight is zero for every row; at least one weight must be > 0"
    yield [0, 0.0, 0, -0.0, 0], WeightError, said
    yield [1, 1], LengthError, "sample_weight has 2 values but y_true has 5"
    said = "sample_weight must be one-dimensional but has shape (1, 5); pass one column"
    yield [[1, 1, 1, 1, 1]], DimensionError, said
    yield 2.0, DimensionError, "sample_weight is a float; pass a list, an array or a data-frame"
    for weights in (["1"] * 5, [1j] * 5, [2**2000, 1, 1, 1, 1]):
        yield weights, WeightError, "sample_weight has values that are not real numbers"
    for weights in ([1e308] * 5, np.array(["1e4000", "1", "1", "1", "1"], np.longdouble)):
        yield weights, WeightError, "sample_weight "


@pytest.mark.parametrize(("weights", "error", "message"), [*refused_weights()])
def test_weights_refused(weights, error, message):
    with pytest.raises(error, match="^" + re.escape(message)):
        from_scores(LABELS, SCORES, sample_weight=weights)


@pytest.mark.parametrize(
    ("scores", "offender", "count", "first"),
    [
        (["low", "mid", "mid", "high", "low"], "low", 5, 0),
        (np.array(["1", "2", "3", "4", "5"]), "1", 5, 0),
        (np.array(["1", "2", "3", "4", "5"], np.dtypes.StringDType()), "1", 5, 0),
        (pa.array(["1", "2", "3", "4", "5"]), "1", 5, 0),
        ([b"1", b"2", b"3", b"4", b"5"], b"1", 5, 0),
        (np.array([0, 1, 2, 3, 4], complex), 0j, 5, 0),
        (np.array([1, 2, 3, 4, 5], "m8[D]"), timedelta(days=1), 5, 0),
        ([1, "2", 3, "x", 5], "2", 2, 1),
        ([1, 2, 3, Fraction(9, 2), 5], Fraction(9, 2), 1, 3),
        ([1, 2, 3, 4, 2**64], 2**64, 1, 4),
        ([-1, 2, 3, 4, 2**63], 2**63, 1, 4),
    ],
)
def test_scores_that_are_not_real(scores, offender, count, first):
    said = (
        f"y_score has values that are not real numbers of 64 bits, such as {offender!r}: "
        f"{count} in all, the first at position {first}"
    )
    refusal(ScoreError, said, from_scores, LABELS, scores)
    said = "y_score has values that are not real numbers of 64 bits, such as 'b': 1 in all"
    with pytest.raises(ScoreError, match=said):
        from_scores(LABELS, ["a", "b", 3, 4, 5], sample_weight=[0, 1, 1, 1, 1])


DECIMALS = [Decimal(text) for text in ("0.10", "0.7", "0.35", "0.7", "0.05")]


@pytest.mark.parametrize(
    "build",
    [list, tuple, np.array, pa.array, pd.Series, pl.Series],
    ids=["list", "tuple", "numpy", "arrow", "pandas", "polars"],
)
def test_decimals_are_numbers(build):
    """As scores and as weights, in arrays as in the columns of files."""
    expected = from_scores(LABELS, [float(value) for value in DECIMALS])
    assert from_scores(LABELS, build(DECIMALS)) == expected
    weighted = from_scores(LABELS, range(5), sample_weight=build(DECIMALS))
    assert weighted == from_scores(LABELS, range(5), sample_weight=[*map(float, DECIMALS)])
    frame = pa.table({"label": LABELS, "score": pa.array(DECIMALS)})
    from_frame = read_predictions(frame, label="label").models["score"]
    assert from_frame.to_frame("pandas").equals(expected.to_frame("pandas"))


def test_decimals_without_a_fraction_are_integers():
    scores = [Decimal(2**60 + step) for step in (1, 3, 2, 0, 4)]
    assert from_scores(LABELS, scores) == from_scores(LABELS, [int(score) for score in scores])
    weights = [Decimal(2), Decimal("1E+1"), Decimal(3), Decimal(1), Decimal(0)]
    assert from_scores(LABELS, range(5), sample_weight=weights).tp.dtype == np.int64


def test_decimals_among_floats_and_infinities():
    scores = [Decimal("Infinity"), 0.5, Decimal("0.25"), Decimal("-Infinity"), 3]
    thresholds = from_scores(LABELS, scores).thresholds[1:].tolist()
    assert thresholds == [HIGHEST_SCORE, 3, 0.5, 0.25, -np.inf]
    for odd in ("0.1000000000000000055511151231257827", "1E-999999999", "1E+309"):
        scores = [*map(Decimal, ("0.1", "0.3", "0.5", odd, "0.25"))]
        assert from_scores(LABELS, scores) == from_scores(LABELS, [*map(float, scores)])


@pytest.mark.parametrize("name", ["y_true", "y_score"])
@pytest.mark.parametrize(
    ("given", "message"),
    [
        (np.zeros((5, 2)), " must be one-dimensional but has shape (5, 2); pass one column"),
        (np.zeros((5, 1)), " must be one-dimensional but has shape (5, 1); pass one column"),
        (pd.DataFrame({"a": LABELS}), " must be one-dimensional but has shape (5, 1)"),
        (pl.DataFrame({"a": LABELS}), " must be one-dimensional but has shape (5, 1)"),
        (np.array(1.0), " must be one-dimensional but has shape (); pass a list or an array"),
        (np.float64(1), " must be one-dimensional but has shape (); pass a list or an array"),
        ([[1, 0], [1], 0, 1, 1], " has rows of different lengths; pass one value a row"),
        (np.array([np.zeros(1), np.zeros(2), 0, 1, 1], object), " "),
        (pl.Series([[1, 0], [1], [0], [1], [1]]), " "),
        (pa.array([[1, 0], [1], [0], [1], [1]]), " "),
        (1, " is a int; pass a list, an array or a data-frame column"),
        ("10101", " is a str; pass a list, an array or a data-frame column"),
        ({"a": 1}, " is a dict; pass a list, an array or a data-frame column"),
        ({1, 2, 3, 4, 5}, " is a set; pass a list, an array or a data-frame column"),
        (None, " is a NoneType; pass a list, an array or a data-frame column"),
    ],
)
def test_not_a_column(name, given, message):
    arguments = {"y_true": LABELS, "y_score": SCORES} | {name: given}
    with pytest.raises(DimensionError, match="^" + re.escape(name + message)):
        from_scores(**arguments)


@pytest.mark.parametrize("weights", [None, []])
def test_no_rows_and_other_lengths(weights):
    message = "y_true is empty; at least one row is needed"
    refusal(EmptyInputError, message, from_scores, [], [], sample_weight=weights)
    for labels in ([1, 0, 1], []):
        message = f"y_score has 2 values but y_true has {len(labels)}"
        refusal(LengthError, message, from_scores, labels, [1, 2])


@pytest.mark.parametrize(
    ("labels", "options", "only"),
    [
        ([1, 1, 1], {}, "positives"),
        ([0, 0, 0], {}, "negatives"),
        ([-1, -1, -1], {}, "negatives"),
        ([True, True, True], {}, "positives"),
        (np.zeros(3, bool), {}, "negatives"),
        (["a", "a", "a"], {"pos_label": "a"}, "positives"),
        (["a", "a", "a"], {"pos_label": "b"}, "negatives"),
        ([0, 0, 0], {"pos_label": 1}, "negatives"),
        ([1, 0, 0], {"sample_weight": [0, 1, 1]}, "negatives"),
    ],
)
def test_one_class(labels, options, only):
    message = f"y_true has only {only}; both classes are needed"
    refusal(OneClassError, message, from_scores, labels, [1, 2, 3], **options)


@pytest.mark.parametrize(
    ("labels", "pos_label", "shown"),
    [
        (["a", "b", "a"], None, "'a' and 'b'"),
        (np.array(["a", "b", "a"]), None, "'a' and 'b'"),
        ([1, 2, 1], None, "1 and 2"),
        ([2, 2, 2], None, "2"),
        ([0.5, 1.0, 0.5], None, "0.5 and 1.0"),
        ([b"a", b"b", b"a"], None, "b'a' and b'b'"),
        ([0, -1, 0], None, "0 and -1"),
        (["a", "b", "a"], "c", "'a' and 'b'"),
        (["1", "0", "1"], 1, "'1' and '0'"),
        ([1, 0, 1], "1", "1 and 0"),
        ([1, 0, 1], 2, "1 and 0"),
        ([1, 0, 1], np.nan, "1 and 0"),
        ([1, 0, 1], pd.NA, "1 and 0"),
        ([1, 0, 1], pd.NaT, "1 and 0"),
        ([True, False, True], "yes", "True and False"),
    ],
)
def test_the_positive_label_must_be_named_and_occur(labels, pos_label, shown):
    message = f"pos_label {pos_label!r} is not among the labels of y_true, {shown}"
    if pos_label is None:
        message = f"y_true has the labels {shown}; say which one is positive with pos_label="
    refusal(LabelError, message, from_scores, labels, [1, 2, 3], pos_label=pos_label)


@pytest.mark.parametrize("labels", [[1, 0, 1], [True, False, True], ["a", "b", "a"]])
@pytest.mark.parametrize("pos_label", [[1, 0, 1], np.array([1, 0]), np.array([1, 0, 1])])
def test_pos_label_is_one_label(labels, pos_label):
    with pytest.raises(LabelError, match="pos_label"):
        from_scores(np.array(labels), [1, 2, 3], pos_label=pos_label)


@pytest.mark.parametrize("pos_label", [None, 1, 2, "x"])
@pytest.mark.parametrize(
    ("labels", "weights", "besides", "where"),
    [
        ([0, 1, 2, 1, 3], None, "0 and 1, such as 2,", (2, 2)),
        ([7, 0, 1, 1, 2], [0, 1, 1, 1, 1], "0 and 1, such as 2,", (1, 4)),
        ([1, 0, "a", 1, "b"], None, "1 and 0, such as 'a',", (2, 2)),
        ([-1, 0, 1, 1, 1], None, "-1 and 0, such as 1,", (3, 2)),
    ],
)
def test_more_than_two_labels(labels, weights, besides, where, pos_label):
    pattern = (
        "^y_true has labels besides {}.* two classes .*: {} in all, the first at position {}; "
    )
    pattern += ".*isometrics.analyse takes one classifier's scores of all classes$"
    with pytest.raises(LabelError, match=pattern.format(besides, *where)):
        from_scores(labels, SCORES, sample_weight=weights, pos_label=pos_label)


def test_positions_are_those_of_the_user():
    """Two rows of weight zero stand before the offenders."""
    weights = [0, 1, 0, 1, 1]
    message = missing("y_score", 1, 3)
    for value in (np.nan, None):
        scores = [np.nan, 2, np.nan, value, 1]
        refusal(MissingValueError, message, from_scores, LABELS, scores, sample_weight=weights)
        refusal(
            MissingValueError,
            missing("y_true", 1, 3),
            from_scores,
            [np.nan, 0, 1, value, 1],
            SCORES,
            sample_weight=weights,
        )


# Totals, counts, rates, thresholds ------------------------------------------------------------


@pytest.mark.parametrize("name", ["positives", "negatives"])
@pytest.mark.parametrize(
    "value", [np.nan, np.inf, True, "3", None, [3], 3j, -1, -0.5, -np.inf, 2**53 + 1]
)
def test_totals_refused(name, value):
    totals = {"positives": 1, "negatives": 1} | {name: value}
    with pytest.raises(PointsError, match=f"^{name} must .* but is {re.escape(repr(value))}$"):
        OperatingPoints.from_counts([0], [0], **totals)


def test_machines_whose_long_doubles_are_doubles(monkeypatch):
    monkeypatch.setattr(np, "finfo", lambda dtype: SimpleNamespace(nmant=52, dtype=dtype))
    assert from_scores([1, 0], [2**53, 0]).thresholds.dtype == np.float64
    with pytest.raises(ScoreError, match=r"integers beyond 2\*\*53 .*this machine's floats"):
        from_scores([1, 0], [2**53 + 1, 0])


@pytest.mark.parametrize("kind", ["csr_matrix", "csr_array", "coo_array"])
def test_sparse_arrays_are_read_without_a_warning(kind):
    sparse = getattr(pytest.importorskip("scipy.sparse"), kind)
    with pytest.raises(
        DimensionError, match=r"y_score must be one-dimensional but has shape \(4, 1"
    ):
        OperatingPoints.from_scores([1, 0, 1, 0], sparse([[0.1], [0.2], [0.0], [0.4]]))
