"""LDA against a linear SVM: the data, the files, the split, and the comparison."""

import numpy as np
import pytest

import isometrics as iso
from isometrics.errors import LabelError, MissingValueError, ParameterError
from isometrics_studies.linear_models import gaussian_data, lda_and_svm, read_data


def test_gaussian_data_has_the_shape_it_was_asked_for():
    data = gaussian_data(4000, prevalence=0.25, distance=3, dimensions=4, seed=1)
    assert data.features.shape == (4000, 4)
    assert data.positive.sum() == 1000
    positive, negative = data.features[data.positive], data.features[~data.positive]
    assert positive.mean(0) - negative.mean(0) == pytest.approx([3, 0, 0, 0], abs=0.3)
    assert positive.std(0) == pytest.approx([1, 1, 2, 2], abs=0.15)
    assert negative.std(0) == pytest.approx([1, 1, 1, 1], abs=0.15)
    assert gaussian_data(10, prevalence=0.01).positive.sum() == 2


def test_both_models_are_counted_on_the_same_test_items():
    study = lda_and_svm(gaussian_data(600, seed=2), test_share=0.25)
    assert list(study) == ["LDA", "SVM"]
    for points in study.values():
        assert (points.positives, points.negatives) == (15, 135)
        assert points.roc.area() > 0.7


def test_it_is_deterministic():
    data = gaussian_data(400, seed=3)
    first, second = lda_and_svm(data, seed=1), lda_and_svm(gaussian_data(400, seed=3), seed=1)
    for name, points in first.items():
        assert np.array_equal(points.tp, second[name].tp)
        assert np.array_equal(points.fp, second[name].fp)


def test_the_models_can_be_compared():
    """As in figures 6 and 8 of Hanczar & Nadif."""
    study = lda_and_svm(gaussian_data(1000, seed=4))
    for points in study.values():
        assert points.tradeoff("f-measure").area() > points.prevalence
    winners = iso.compare(study).winners.at(0.5)
    assert set(winners) <= {"LDA", "SVM"}


KEEL = """@relation small
@attribute Sex {M, F}
@attribute Length real [0.0, 1.0]
@attribute Class {positive, negative}
@data
M, 0.5, negative
F, 0.25, negative

F, 1.0, positive
"""


def test_a_keel_file(tmp_path):
    path = tmp_path / "small.dat"
    path.write_text(KEEL, encoding="utf-8")
    data = read_data(path)
    assert data.positive.tolist() == [False, False, True]
    # The text column becomes one column for F and one for M.
    assert data.features.tolist() == [[0, 1, 0.5], [1, 0, 0.25], [1, 0, 1.0]]
    assert read_data(str(path), pos_label="negative").positive.tolist() == [True, True, False]


def test_a_csv_file_and_an_arff_comment(tmp_path):
    path = tmp_path / "small.csv"
    path.write_text("% made by hand\n1,2,'1'\n3,4,'-1'\n5,6,'-1'\n", encoding="utf-8")
    data = read_data(path)
    assert data.features.tolist() == [[1, 2], [3, 4], [5, 6]]
    assert data.positive.tolist() == [True, False, False]


@pytest.mark.parametrize("text", ["", "@data\n", "1,2\n1\n", "1\n2\n"])
def test_a_file_without_rows_is_refused(tmp_path, text):
    path = tmp_path / "small.csv"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ParameterError, match="must hold rows of equal length"):
        read_data(path)


def test_missing_values_are_refused(tmp_path):
    path = tmp_path / "small.csv"
    path.write_text("1,?,a\n,2,b\n", encoding="utf-8")
    with pytest.raises(MissingValueError, match=r"small\.csv has missing values: 2 in all"):
        read_data(path)


def test_a_class_that_is_not_there_is_refused(tmp_path):
    path = tmp_path / "small.csv"
    path.write_text("1,a\n2,b\n", encoding="utf-8")
    with pytest.raises(LabelError, match="has the classes 'a', 'b'; two are needed, and 'c' must"):
        read_data(path, pos_label="c")
    path.write_text("1,a\n2,a\n", encoding="utf-8")
    with pytest.raises(LabelError, match="has the classes 'a'; two are needed"):
        read_data(path)
