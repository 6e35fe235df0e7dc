"""OpenML's prediction files: any order, any quoting, and errors by line."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from isometrics import formats
from isometrics.errors import FileError, LabelError, OneClassError

BINARY = """% made by a test
@RELATION openml_task_115_predictions

@ATTRIBUTE repeat NUMERIC
@ATTRIBUTE fold NUMERIC
@ATTRIBUTE sample NUMERIC
@ATTRIBUTE row_id NUMERIC
@ATTRIBUTE confidence.no NUMERIC
@ATTRIBUTE confidence.yes NUMERIC
@ATTRIBUTE prediction {no, yes}
@ATTRIBUTE correct {no, yes}

@DATA
0,0,0,3,0.25,0.75,yes,yes
0,0,0,1,0.5,0.5,no,no
0,1,0,0,1.0,0.0,no,yes
0,1,0,2,0.9,0.1,no,no
"""

SEVERAL = """@relation 'x'
@attribute\t'repeat' numeric
@attribute 'fold' numeric
@attribute 'row_id' numeric
@attribute 'prediction' {'a b' ,"c'd",e}
@attribute 'truth' {'a b' ,"c'd",e}
@attribute 'confidence.a b' numeric
@attribute "confidence.c'd" numeric
@attribute 'confidence.e' numeric
@data
0,0,1,"a b",'a b',0.5,0.25,0.25
% a comment
0, 0, 2, e, "c'd", 1e-3, 0.5, 0.499
0,0,3,'c\\'d',e,.1,.2,.7
\0"""


@pytest.fixture
def arff(tmp_path):
    def write(content):
        path = tmp_path / "predictions.arff"
        path.write_text(content, encoding="utf-8")
        return path

    return write


def test_two_classes_have_the_scores_of_the_positive_one(arff):
    predictions = formats.read(arff(BINARY), pos_label="yes")
    assert predictions.scores == {"confidence.yes": "confidence.yes"}
    assert (predictions.label, predictions.pos_label) == ("correct", "yes")
    assert not predictions.multiclass
    assert predictions.columns["confidence.no"].tolist() == [0.25, 0.5, 1.0, 0.9]
    assert predictions.columns["row_id"].tolist() == [3, 1, 0, 2]
    assert predictions.columns["prediction"].tolist() == ["yes", "no", "no", "no"]
    assert predictions.group == "repeat.fold"
    assert predictions.columns["repeat.fold"].tolist() == ["0.0", "0.0", "0.1", "0.1"]
    points = predictions.points()["confidence.yes"]
    assert points.tp.tolist() == [0, 1, 1, 1, 2]
    assert points.fp.tolist() == [0, 0, 1, 2, 2]


def test_two_classes_without_a_positive_one_are_refused(arff):
    with pytest.raises(LabelError, match=r"has the classes 'no', 'sure'; say .* with pos_label="):
        formats.read(arff(BINARY.replace("yes", "sure")))
    with pytest.raises(LabelError, match=r"pos_label 'maybe' is not among the classes of .*'yes'"):
        formats.read(arff(BINARY), pos_label="maybe")


@pytest.mark.parametrize(
    ("negative", "positive"), [("0", "1"), ("-1", "1"), ("FALSE", "TRUE"), ("no", "yes")]
)
def test_classes_that_need_no_explanation(arff, negative, positive):
    content = BINARY.replace("no,", f"{negative},").replace("no\n", f"{negative}\n")
    content = content.replace("yes", positive).replace("confidence.no", f"confidence.{negative}")
    predictions = formats.read(arff(content))
    assert predictions.pos_label == positive
    assert formats.read(arff(content), pos_label=negative).pos_label == negative


def test_the_class_of_a_number_may_be_given_as_a_number(arff):
    content = BINARY.replace("no", "1").replace("yes", "2")
    assert formats.read(arff(content), pos_label=2).scores == {"confidence.2": "confidence.2"}


def test_several_classes_are_each_positive_in_turn(arff):
    predictions = formats.read(arff(SEVERAL))
    assert predictions.multiclass
    assert predictions.scores == {
        "a b": "confidence.a b",
        "c'd": "confidence.c'd",
        "e": "confidence.e",
    }
    assert predictions.classes == {"a b": "a b", "c'd": "c'd", "e": "e"}
    assert predictions.label == "truth"
    assert predictions.group is None
    assert predictions.columns["truth"].tolist() == ["a b", "c'd", "e"]
    assert predictions.columns["prediction"].tolist() == ["a b", "e", "c'd"]
    assert {name: points.roc.area() for name, points in predictions.points().items()} == {
        "a b": 1.0,
        "c'd": 1.0,
        "e": 1.0,
    }


def test_one_of_several_classes_may_be_chosen(arff):
    predictions = formats.read(arff(SEVERAL), pos_label="e")
    assert predictions.multiclass
    assert predictions.classes == {"e": "e"}
    assert list(predictions.points()) == ["e"]


def test_a_class_without_rows_has_no_table(arff):
    predictions = formats.read(arff(SEVERAL.replace('"c\'d", 1e-3', "e, 1e-3")))
    with pytest.raises(OneClassError, match='no row has the class "c\'d"'):
        predictions.points()


def test_samples_of_a_learning_curve_are_groups_of_their_own(arff):
    predictions = formats.read(arff(BINARY.replace("0,1,0,2", "0,1,5,2")), pos_label="yes")
    assert predictions.group == "repeat.fold.sample"
    assert predictions.columns[predictions.group].tolist() == ["0.0.0", "0.0.0", "0.1.0", "0.1.5"]


def test_a_file_without_repeats_has_folds(arff):
    content = BINARY.replace("@ATTRIBUTE repeat NUMERIC\n", "")
    content = content.replace("\n0,0,0", "\n0,0").replace("\n0,1,0", "\n1,0")
    predictions = formats.read(arff(content), pos_label="yes")
    assert predictions.group == "fold"
    assert predictions.columns["fold"].tolist() == ["0", "0", "1", "1"]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("0.5,0.5", "0.5,x", "line 15: 'x' is no number; an OpenML prediction file has"),
        ("0.5,0.5", "0.5,?", "line 15: the value of confidence.yes is missing"),
        ("0.5,0.5", "0.5", "line 15: the row cannot be split into the values of 8 attributes"),
        ("0.5,0.5", "0.5,0.5,0", "line 15: the row cannot be split"),
        ("0.5,0.5", "0.5,'0.5", "line 15: the row cannot be split"),
        ("0.5,0.5", "0.5,nan", "line 15: 'nan' is no number"),
        ("0,0,0,1,0.5,0.5,no,no", "{0 1}", "line 15: the row cannot be split"),
        ("0,0,0,1,", "0,0,0,1.5,", "line 15: row_id is '1.5', which is no whole number"),
        ("no,no\n0,1,0,0", "no,other\n0,1,0,0", "line 15: the class 'other' has no confidences"),
        ("no,no\n0,1,0,0", "no,?\n0,1,0,0", "line 15: the value of correct is missing"),
        ("@ATTRIBUTE correct", "@ATTRIBUTE class", "has 0 attributes named correct or truth"),
        ("@ATTRIBUTE prediction", "@ATTRIBUTE truth", "has 2 attributes named correct or truth"),
        ("confidence.no", "p.no", "has confidences of 1 classes, too few"),
        ("@DATA", "", "line 14: this is no line of an ARFF header"),
        ("@ATTRIBUTE repeat", "@ATTRIBUTE fold", "line 5: the attribute 'fold' is there twice"),
        ("@ATTRIBUTE repeat NUMERIC", "@ATTRIBUTE", "line 4: this is no line of an ARFF header"),
        ("\n@ATTRIBUTE", "\n%", "line 13: no attributes stand before the data"),
        (BINARY[BINARY.index("@DATA") :], "", "has no line @data"),
        (BINARY[BINARY.index("0,0,0,3") :], "", "has no rows"),
    ],
)
def test_a_file_is_refused_by_its_line(arff, old, new, message):
    with pytest.raises(FileError, match=message):
        formats.read(arff(BINARY.replace(old, new)), pos_label="yes")


def test_a_list_of_values_that_takes_a_reader_ages(arff):
    # liac-arff would try some 2**60 ways to split this list.
    hostile = "{" + ",".join("a" * 60) + ",b c}"
    predictions = formats.read(arff(BINARY.replace("{no, yes}", hostile)), pos_label="yes")
    assert len(predictions) == 4


def test_rows_are_those_of_another_reader(arff):
    content = BINARY.replace("no,no", "'no', \"no\"").replace("@DATA", "@DATA\n% a comment")
    read = pytest.importorskip("arff").load(content)
    columns = formats.read(arff(content), pos_label="yes").columns
    names = [name for name, _ in read["attributes"]]
    rows = zip(*(columns[name].tolist() for name in names), strict=True)
    assert list(map(list, rows)) == read["data"]


NAMES = st.text(
    st.characters(codec="utf-8", exclude_categories=["Cc", "Cs", "Zl", "Zp"]), min_size=1
)


@given(
    st.lists(NAMES.filter(str.strip), min_size=3, max_size=4, unique=True),
    st.lists(st.tuples(*[st.floats(0, 1)] * 3), min_size=1, max_size=5),
    st.sampled_from("'\""),
    st.randoms(use_true_random=False),
)
def test_any_names_in_any_order_come_back(tmp_path_factory, names, confidences, quote, random):
    def quoted(text):
        text = text.replace("\\", "\\\\").replace(quote, "\\" + quote).replace("%", "\\%")
        return f"{quote}{text}{quote}"

    names = names[:3]
    attributes = [f"confidence.{name}" for name in names] + ["truth", "prediction", "row_id"]
    random.shuffle(attributes)
    lines = ["@relation r"] + [f"@attribute {quoted(name)} numeric" for name in attributes]
    lines.append("@data")
    for row, values in enumerate(confidences):
        cells = {f"confidence.{name}": repr(v) for name, v in zip(names, values, strict=True)}
        cells |= {"truth": quoted(names[row % 3]), "prediction": "x", "row_id": str(row)}
        lines.append(",".join(cells[name] for name in attributes))
    path = tmp_path_factory.mktemp("arff") / "x.arff"
    path.write_text("\n".join(lines), encoding="utf-8")
    predictions = formats.read(path)
    assert set(predictions.scores) == set(names)
    truth = [names[row % 3] for row in range(len(confidences))]
    assert predictions.columns["truth"].tolist() == truth
    for name, values in zip(names, zip(*confidences, strict=True), strict=True):
        assert np.array_equal(predictions.columns[predictions.scores[name]], values)
