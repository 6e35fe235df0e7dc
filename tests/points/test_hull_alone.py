"""Hull and areas of a sample without its table equal those of the table."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import isometrics as iso
from isometrics._core.rows import parse_sample
from isometrics._table.table import Stored
from isometrics.errors import NotAnswerableError, OneClassError, ParameterError
from isometrics.measures import area_brackets
from isometrics.points.compact import hull_alone

SCORES = st.one_of(
    st.sampled_from([0.0, -0.0, 0.25, 0.5, 0.75, float("inf"), -float("inf")]),
    st.floats(allow_nan=False),
)


def check(short, whole):
    np.testing.assert_array_equal(short.hull().tp, whole.hull().tp)
    np.testing.assert_array_equal(short.hull().fp, whole.hull().fp)
    np.testing.assert_array_equal(short.hull().thresholds, whole.hull().thresholds)
    assert set(short.table.known) == set(Stored)
    exact = {name: bracket.lo for name, bracket in area_brackets(whole).items()}
    found = {name: bracket.lo for name, bracket in area_brackets(short).items()}
    assert found == pytest.approx(exact, rel=1e-12, abs=1e-12, nan_ok=True)


@pytest.mark.filterwarnings("ignore::isometrics.UndefinedWarning")
@given(
    rows=st.lists(st.tuples(st.booleans(), SCORES), min_size=2, max_size=50),
    section=st.sampled_from([1, 3, 8, 1000]),
)
def test_any_section_gives_the_hull_and_areas_of_the_table(rows, section):
    labels, scores = map(np.array, zip(*rows, strict=True))
    labels[:2] = True, False
    whole = iso.OperatingPoints.from_scores(labels, scores)
    sample = parse_sample(labels, {"": scores})
    check(iso.OperatingPoints(hull_alone(sample, section=section)), whole)


@pytest.mark.parametrize("options", [
    {"sample_weight": [1, 2, 1, 3, 1, 1]},
    {"sample_weight": [0.5, 2.25, 1, 3, 0, 1]},
    {"positives": 5, "negatives": 9},
])  # fmt: skip
def test_weights_and_unscored_items(options):
    sample = [1, 0, 1, 1, 0, 0], [0.9, 0.8, 0.7, 0.7, 0.2, 0.1]
    short = iso.OperatingPoints.from_scores(*sample, **options, rows="hull")
    check(short, iso.OperatingPoints.from_scores(*sample, **options))


def test_what_it_refuses():
    short = iso.OperatingPoints.from_scores([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1], rows="hull")
    with pytest.raises(NotAnswerableError):
        short.pr.interpolate([0.5])
    with pytest.raises(OneClassError, match="y_true has only negatives"):
        iso.OperatingPoints.from_scores([0, 0], [0.9, 0.8], rows="hull")
    with pytest.raises(ParameterError, match="rows must be"):
        iso.OperatingPoints.from_scores([1, 0], [0.9, 0.8], rows="few")
