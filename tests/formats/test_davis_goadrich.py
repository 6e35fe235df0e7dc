"""Files of AUCCalculator, and its numbers, checked against its steps done with fractions."""

from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given

import isometrics as iso
from isometrics import formats
from isometrics.errors import (
    FileError,
    InputError,
    LabelError,
    NoCurveError,
    ParameterError,
    PointsError,
    ScoreError,
)
from isometrics.formats.davis_goadrich import forget_leading_negatives
from isometrics.testing.strategies import binary_samples, count_tables

# The example in the sources of AUCCalculator 0.2, and the areas that auc.jar prints for it.
EXAMPLE = ".9 1,.8 1,.7 0,.6 1,.55 1,.54 1,.53 0,.52 0,.51 1,.505 0".replace(",", "\n")
EXAMPLE_PR, EXAMPLE_ROC = 0.8243055555555555, 0.75


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("files")


class Program:
    """What AUCCalculator does, step by step: points, gaps filled, trapezoids."""

    def __init__(self, points):
        self.positives, self.negatives = points.positives, points.negatives
        rows = [
            (Fraction(tp), Fraction(fp))
            for tp, fp in zip(points.tp.tolist(), points.fp.tolist(), strict=True)
            if tp > 0
        ]
        first_tp, first_fp = rows[0]
        if first_tp > 1:
            rows.insert(0, (Fraction(1), first_fp / first_tp))
        self.rows = []
        for (tp, fp), (next_tp, next_fp) in pairwise(rows):
            self.rows.append((tp, fp))
            for step in range(1, int(next_tp - tp)):
                self.rows.append((tp + step, fp + step * (next_fp - fp) / (next_tp - tp)))
        self.rows.append(rows[-1])

    def pr(self):
        return [(tp / self.positives, tp / (tp + fp)) for tp, fp in self.rows]

    def roc(self):
        return [
            (Fraction(0), Fraction(0)),
            *((fp / self.negatives, tp / self.positives) for tp, fp in self.rows),
        ]

    def pr_area(self):
        rows = self.pr()
        return rows[0][0] * rows[0][1] + trapezoids(rows)

    def roc_area(self):
        return trapezoids(self.roc())

    def standard_pr(self):
        rows = []
        for percent in range(1, 101):
            tp = Fraction(percent, 100) * self.positives
            at = next(row for row, (reached, _) in enumerate(self.rows) if reached >= tp)
            fp = self.rows[at][1] * tp / self.rows[at][0] if at == 0 else None
            if fp is None:
                (tp0, fp0), (tp1, fp1) = self.rows[at - 1], self.rows[at]
                fp = fp0 + (tp - tp0) * (fp1 - fp0) / (tp1 - tp0)
            rows.append((Fraction(percent, 100), tp / (tp + fp)))
        return rows


def trapezoids(rows):
    return sum((x1 - x0) * (y0 + y1) / 2 for (x0, y0), (x1, y1) in pairwise(rows))


def numbers(path):
    return np.loadtxt(path, delimiter="\t", ndmin=2)


@pytest.mark.parametrize("separator", [" ", "\t", ",", " , ", "\t\t"])
def test_the_example_of_the_program_gives_its_areas(tmp_path, separator):
    path = tmp_path / "testsetlist.txt"
    path.write_text(EXAMPLE.replace(" ", separator))
    predictions = formats.read(path)
    assert (predictions.label, predictions.scores) == ("label", {"score": "score"})
    points = predictions.points()["score"]
    assert points.pr.area("integer-steps") == pytest.approx(EXAMPLE_PR, rel=1e-14)
    assert points.roc.area() == EXAMPLE_ROC


@given(binary_samples())
def test_the_programs_areas_are_those_without_leading_negatives(sample):
    points = iso.OperatingPoints.from_scores(*sample)
    program = Program(points)
    kept = forget_leading_negatives(points)
    assert kept.pr.area("integer-steps") == pytest.approx(float(program.pr_area()), rel=1e-12)
    assert kept.roc.area() == pytest.approx(float(program.roc_area()), rel=1e-12)
    if points.fp[points.tp == 0].max() == 0:
        assert points.pr.area("integer-steps") == kept.pr.area("integer-steps")
        assert points.roc.area() == kept.roc.area()


@given(binary_samples(max_size=8, dtypes=("float16", "float32", "float64", "int8", "int32")))
def test_a_list_keeps_every_count_and_score(folder, sample):
    labels, scores = sample
    before = formats.Predictions({"y": labels, "s": scores}, "y", {"model": "s"})
    path = folder / "written.list"
    formats.write(before, path, "list")
    (after,) = formats.read(path).points().values()
    (original,) = before.points().values()
    assert after.table == original.table


def test_labels_by_name_become_0_and_1(tmp_path):
    columns = {"y": np.array(["no", "yes"], object), "s": np.array([True, False])}
    predictions = formats.Predictions(columns, "y", {"s": "s"}, pos_label="yes")
    formats.write(predictions, tmp_path / "x.list", "list")
    assert (tmp_path / "x.list").read_text() == "1.0\t0\n0.0\t1\n"


def test_a_list_holds_one_model_and_two_classes(tmp_path):
    columns = {"y": np.array([0, 1]), "a": np.array([0.1, 0.2])}
    two = formats.Predictions(columns, "y", {"a": "a", "b": "a"})
    several = formats.Predictions(columns, "y", {"1": "a"}, multiclass=True, classes={"1": 1})
    for predictions in (two, several):
        with pytest.raises(ParameterError, match="holds one model and two classes"):
            formats.write(predictions, tmp_path / "x", "list")
    third = np.longdouble(1) / 3
    for scores in (np.array([0, 2**53 + 1]), np.array([0, 2**63 - 1]), np.array([0, third])):
        wide = formats.Predictions({"y": np.array([0, 1]), "a": scores}, "y", {"a": "a"})
        with pytest.raises(ScoreError, match="a has numbers beyond double precision"):
            formats.write(wide, tmp_path / "x", "list")
    unnamed = {"y": np.array([3, 4]), "a": np.array([0.1, 0.2])}
    with pytest.raises(LabelError, match="pos_label"):
        formats.write(formats.Predictions(unnamed, "y", {"a": "a"}), tmp_path / "x", "list")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("0.5 1\nabc 0", "line 2: 'abc' is no number; a list file has a probability and a class"),
        ("0.5 1\n\n0.4 2", "line 3: 2 is no class"),
        ("0.5", "line 1: '0.5' has 1 numbers instead of 2"),
        ("1e999 1", "line 1: '1e999' is beyond what a float can hold"),
        ("0.5 1 1", "line 1: '0.5 1 1' has 3 numbers"),
        ("nan 1", "line 1: 'nan' is no number"),
        ("\n\n", "has no rows; a list file"),
    ],
)
def test_a_list_is_refused_by_its_line(tmp_path, content, message):
    path = tmp_path / "x.list"
    path.write_text(content)
    with pytest.raises(FileError, match=message):
        formats.read(path)


@given(count_tables())
def test_roc_points_keep_every_count(folder, table):
    points = counted(table)
    formats.write(points, folder / "x.txt", "ROC")
    after = formats.read(
        folder / "x.txt", "ROC", positives=points.positives, negatives=points.negatives
    )
    assert after.tp.tolist() == points.tp.tolist()
    assert after.fp.tolist() == points.fp.tolist()


@given(count_tables())
def test_pr_points_keep_every_count_of_rows_with_true_positives(folder, table):
    points = counted(table)
    formats.write(points, folder / "x.txt", "PR")
    totals = {"positives": points.positives, "negatives": points.negatives}
    after = formats.read(folder / "x.txt", "PR", **totals)
    assert after.table == forget_leading_negatives(points).table


def counted(table):
    tp, fp, positives, negatives = table
    return iso.OperatingPoints.from_counts(tp, fp, positives=positives, negatives=negatives)


def test_points_of_a_pr_file_in_any_separator(tmp_path):
    (tmp_path / "x").write_text("0.25 0.4\n0.5,0.5\n1.0\t0.3\n")
    points = formats.read(tmp_path / "x", "PR", positives=8, negatives=40)
    # What AUCCalculator's steps give for this file.
    assert points.pr.area("integer-steps") == pytest.approx(0.3963263709974236, rel=1e-14)
    assert points.roc.area() == pytest.approx(0.8270833333333334, rel=1e-14)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("PR", "0.5 0.5\n0.5 x", "line 2: 'x' is no number; a PR file has a recall"),
        ("PR", "0.5 1.5", "x: precision"),
        ("PR", "0 0.5", "x: the point at position 0 .* does not tell its false positives"),
        ("PR", "0.5 0", "x: the point at position 0"),
        ("PR", "", "has no rows"),
        ("ROC", "", "has no rows"),
        ("ROC", "0.5 -0.5", "x: tpr"),
        ("ROC", "0.5", "line 1: '0.5' has 1 numbers instead of 2"),
    ],
)
def test_points_are_refused_by_their_line(tmp_path, name, content, message):
    (tmp_path / "x").write_text(content)
    with pytest.raises(InputError, match=message):
        formats.read(tmp_path / "x", name, positives=2, negatives=2)


@pytest.mark.parametrize("name", ["PR", "ROC"])
def test_points_that_contradict_each_other(tmp_path, name):
    (tmp_path / "x").write_text("0.9 0.5\n0.1 0.6\n1 0.1\n")
    with pytest.raises(PointsError, match=r"x: the point"):
        formats.read(tmp_path / "x", name, positives=10, negatives=10)


@pytest.mark.parametrize("totals", [{}, {"positives": 3}, {"negatives": 3}])
def test_points_need_totals(tmp_path, totals):
    (tmp_path / "x.roc").write_text("0\t0\n1\t1\n")
    with pytest.raises(ParameterError, match="pass positives= and negatives="):
        formats.read(tmp_path / "x.roc", **totals)


def test_the_empty_rule_of_a_pr_file_is_left_out(tmp_path):
    (tmp_path / "x.pr").write_text("0 1\n0.5 1\n1 0.5\n")
    assert formats.read(tmp_path / "x.pr", positives=2, negatives=2).tp.tolist() == [0, 1, 2]


@given(count_tables(max_count=40))
def test_curves_are_written_as_the_program_does(folder, table):
    points = forget_leading_negatives(counted(table))
    program = Program(points)
    for name, expected in (
        (".pr", program.pr()),
        (".roc", program.roc()),
        (".spr", program.standard_pr()),
    ):
        formats.write(points, folder / f"x{name}", name)
        result = numbers(folder / f"x{name}")
        exact = np.array([[float(x), float(y)] for x, y in expected])
        assert result.shape == exact.shape
        assert np.allclose(result, exact, rtol=1e-12, atol=1e-15)


@given(binary_samples(ties=False))
def test_curves_of_distinct_scores_keep_every_count(folder, sample):
    points = iso.OperatingPoints.from_scores(*sample)
    totals = {"positives": points.positives, "negatives": points.negatives}
    formats.write(points, folder / "x.roc", ".roc")
    after = formats.read(folder / "x.roc", **totals)
    assert (after.tp.tolist(), after.fp.tolist()) == (points.tp.tolist(), points.fp.tolist())
    kept = forget_leading_negatives(points)
    formats.write(points, folder / "x.pr", ".pr")
    assert formats.read(folder / "x.pr", **totals).table == kept.table


@given(binary_samples())
def test_curves_that_are_read_back_have_the_same_areas(folder, sample):
    points = iso.OperatingPoints.from_scores(*sample)
    totals = {"positives": points.positives, "negatives": points.negatives}
    formats.write(points, folder / "x.roc", ".roc")
    after = formats.read(folder / "x.roc", **totals)
    assert after.roc.area() == pytest.approx(points.roc.area(), rel=1e-12)
    assert after.pr.area() == pytest.approx(points.pr.area(), rel=1e-12)
    formats.write(points, folder / "x.spr", ".spr")
    standard = formats.read(folder / "x.spr", **totals)
    recalls = np.arange(1, 101) / 100
    assert np.allclose(standard.pr.interpolate(recalls), points.pr.interpolate(recalls), rtol=1e-9)


def test_fractional_counts_are_written_at_every_true_positive(tmp_path):
    points = iso.OperatingPoints.from_counts([0.5, 3.0], [0.5, 2.0], positives=3.0, negatives=4.0)
    formats.write(points, tmp_path / "x.roc", ".roc")
    slope = 1.5 / 2.5
    expected = [(0, 0), (0.5, 0.5), (0.5 + slope, 1.5), (0.5 + 2 * slope, 2.5), (2, 3), (4, 3)]
    assert np.allclose(numbers(tmp_path / "x.roc") * [4, 3], expected)


def test_sets_that_are_not_nested_have_no_curve(tmp_path):
    points = iso.OperatingPoints.from_counts([1, 2], [1, 0], positives=3, negatives=3)
    for name in (".pr", ".roc", ".spr"):
        with pytest.raises(NoCurveError, match="not nested"):
            formats.write(points, tmp_path / "x", name)


def test_a_curve_of_too_many_lines_is_refused(tmp_path):
    points = iso.OperatingPoints.from_counts([10**12], [5], positives=10**12, negatives=9)
    with pytest.raises(FileError, match=r"the curve has 1000000000001 lines.*write 'PR' or 'ROC'"):
        formats.write(points, tmp_path / "x.pr", ".pr")
    formats.write(points, tmp_path / "x.txt", "ROC")
    after = formats.read(tmp_path / "x.txt", "ROC", positives=10**12, negatives=9)
    assert after.tp.tolist() == points.tp.tolist()
