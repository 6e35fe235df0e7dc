"""A printed threshold flags the rows that the threshold flags, in whatever type it is read."""

from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from isometrics._core.counts import as_thresholds
from isometrics._core.threshold_text import ThresholdTexts, threshold_text

INTEGERS = ("int8", "int64", "uint64")
FLOATS = ("float16", "float32", "float64", "longdouble")


@st.composite
def scores_of(draw, kind):
    """Draw distinct scores, the highest first; some are neighbours in their type."""
    dtype = np.dtype(kind)
    elements = (
        st.integers(int(np.iinfo(dtype).min), int(np.iinfo(dtype).max))
        if dtype.kind in "iu"
        else arrays.from_dtype(np.dtype("float64"), allow_nan=False).map(dtype.type)
        if kind == "longdouble"
        else arrays.from_dtype(dtype, allow_nan=False)
    )
    with np.errstate(over="ignore"):
        drawn = np.array(draw(st.lists(elements, min_size=1, max_size=6)), dtype)
        if dtype.kind == "f":
            close = np.nextafter(drawn, dtype.type(draw(st.sampled_from([-np.inf, 0, np.inf]))))
        else:
            close = np.where(drawn > np.iinfo(dtype).min, drawn - dtype.type(1), drawn)
    scores = np.unique(np.concatenate([drawn, close]))[::-1]
    # NumPy warns when it reads the smallest long doubles.
    return scores[(kind != "longdouble") | (scores == 0) | (abs(scores) > 1e-300)]


def texts_of(scores):
    thresholds = as_thresholds(scores)
    below = np.append(thresholds[1:], -np.inf)
    return list(ThresholdTexts(thresholds, below))


def exactly(text):
    return Fraction(Decimal(text)) if text.strip("-") != "inf" else float(text)


@pytest.mark.parametrize("kind", FLOATS)
@given(data=st.data())
def test_a_printed_threshold_flags_the_same_rows_in_every_float_type(kind, data):
    scores = data.draw(scores_of(kind))
    for row, text in enumerate(texts_of(scores)):
        flagged = np.arange(scores.size) <= row
        with np.errstate(all="ignore"):
            own = scores.dtype.type(text)
        np.testing.assert_array_equal(scores >= own, flagged, text)
        if kind == "longdouble":
            # Neighbours of this type may have no float64 between them.
            if float(scores[row]) == scores[row]:
                np.testing.assert_array_equal(scores >= np.longdouble(float(text)), flagged, text)
            continue
        np.testing.assert_array_equal(scores.astype(np.float64) >= float(text), flagged, text)
        with np.errstate(over="ignore"):
            np.testing.assert_array_equal(scores >= float(text), flagged, text)


@pytest.mark.parametrize("kind", INTEGERS)
@given(data=st.data())
def test_a_printed_threshold_flags_the_same_integers(kind, data):
    scores = data.draw(scores_of(kind))
    for row, text in enumerate(texts_of(scores)):
        flagged = np.arange(scores.size) <= row
        np.testing.assert_array_equal(scores >= scores.dtype.type(int(text)), flagged, text)
        # Python compares integers and floats exactly, so this holds if any float64 does.
        largest = np.nextafter(np.float64(int(scores[row])), -np.inf)
        below = int(scores[row + 1]) if row + 1 < scores.size else -np.inf
        if float(scores[row]) <= int(scores[row]) and float(scores[row]) > below:
            largest = float(scores[row])
        if largest > below:
            assert below < float(text) <= int(scores[row]), text


@given(data=st.data())
def test_no_decimal_of_fewer_digits_would_do(data):
    scores = data.draw(scores_of("float64").filter(lambda scores: scores.size > 1))
    threshold, below = map(float, scores[:2])
    if np.isfinite(threshold) and data.draw(st.booleans()):
        below = threshold - abs(threshold) * 10 ** -data.draw(st.floats(1, 15))
    text = threshold_text(threshold, below)
    digits = len(Decimal(text).normalize().as_tuple().digits)
    if not np.isfinite(threshold) or (threshold == np.rint(threshold) and abs(threshold) < 2**53):
        return
    power = Decimal(repr(float(threshold))).adjusted()
    for fewer in range(max(3, power + 1 if power < 16 else 3), digits):
        step = Decimal(1).scaleb(power - fewer + 1)
        with localcontext(prec=60, rounding="ROUND_FLOOR"):
            shorter = Decimal(float(threshold)).quantize(step)
        read = [float(shorter)]
        with np.errstate(over="ignore"):
            read += [
                kind(shorter)
                for kind in (np.float16, np.float32)
                if float(kind(below)) == below < float(kind(threshold))
            ]
        assert not all(below < float(number) <= threshold for number in read)


@given(
    threshold=st.floats(allow_nan=False),
    below=st.lists(st.floats(allow_nan=False), min_size=1, max_size=3),
)
@example(0.5000001, [0.4, float(np.float32(0.5))])
def test_the_scores_of_several_data_sets_lie_on_their_sides(threshold, below):
    lower = [score for score in below if score < threshold]
    text = threshold_text(threshold, *below)
    if len(lower) < len(below):
        assert exactly(text) == exactly(repr(threshold))
    else:
        assert max(lower) < float(text) <= threshold


def test_a_threshold_of_other_data_is_read_as_float32_of_these():
    below = float(np.float32(0.1))
    threshold = below + 3e-8
    assert below < np.float32(threshold_text(threshold, 0.09, below))


@pytest.mark.parametrize(
    ("threshold", "below", "shown"),
    [
        (0.41315287, 0.4087, "0.413"),
        (0.99999999998, 0.9999, "0.99999"),
        (0.99999999998, 0.99999999997, "0.99999999998"),
        (1357.0, 20.0, "1357"),
        (1357.25, 20.0, "1357"),
        (-1357.25, -2e4, "-1358"),
        (-9.9961, -20, "-10"),
        (1e-12, 5e-13, "1e-12"),
        (0.00012345, 0, "0.000123"),
        (0.000012345, 0, "1.23e-5"),
        (5e-324, 0.0, "5e-324"),
        (1.7976931348623157e308, 1e308, "1.79e+308"),
        (123456789012345678.0, 3.0, "1.23e+17"),
        (1e15 + 0.5, 3.0, "1000000000000000"),
        (0.0, -1.0, "0"),
        (-0.0, -1.0, "0"),
        (1 / 3, None, "0.3333333333333333"),
        (1e22, np.nan, "1e+22"),
        (np.float32(0.1), None, "0.10000000149011612"),
        (np.float32(0.1), np.nextafter(np.float32(0.1), np.float32(0)), "0.1"),
        (np.inf, 0.5, "inf"),
        (-np.inf, -np.inf, "-inf"),
        (np.nan, np.nan, "nan"),
        (0.5, -np.inf, "0.5"),
        (0.123456, -np.inf, "0.123"),
        (np.int64(2**60 + 1), 2**60, "1152921504606846977"),
        (np.int64(2**60 + 1), 3, "1152921504606846976"),
        (2**60 + 1, None, "1152921504606846977"),
        (np.longdouble(2**60 + 1), 2**60, "1152921504606846977"),
        (np.longdouble(2**60 + 129), 2**60, "1152921504606847105"),
        (np.longdouble(2**60 + 300), 2**60, "1152921504606847232"),
        (np.longdouble(2**60 + 255), 3, "1152921504606846976"),
        (np.longdouble("1e4000"), 3.0, "1e+4000"),
        (np.longdouble(2) ** 60, np.longdouble(3), "1152921504606846976"),
    ],
)
def test_a_threshold_is_as_short_as_its_neighbour_allows(threshold, below, shown):
    assert threshold_text(threshold, below) == shown


def test_a_column_of_thresholds_computes_what_is_looked_at():
    texts = ThresholdTexts([np.inf, 0.41315287, 0.2], [0.41315287, 0.2, -np.inf])
    assert (len(texts), list(texts), texts[1]) == (3, ["inf", "0.413", "0.2"], "0.413")
    assert list(texts[1:]) == ["0.413", "0.2"]
    assert threshold_text(0.41315287) == "0.41315287"
