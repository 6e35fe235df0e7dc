"""What WEKA prints as CSV."""

import pytest

from isometrics import formats
from isometrics.errors import FileError, LabelError, OneClassError

# The layout of weka.classifiers.evaluation.output.prediction.CSV.
PREDICTION = """
=== Predictions on test data ===

inst#,actual,predicted,error,prediction
1,1:neg,1:neg,,0.744
2,2:pos,2:pos,,0.9
3,1:neg,2:pos,+,0.512
4,2:pos,1:neg,+,0.744
"""
DISTRIBUTION = """inst#,actual,predicted,error,distribution,,
1,1:'a b',1:a b,,*0.958,0.021,0.021
2,2:c,2:c,,0.021,*0.936,0.043
1,1:'a b',2:c,+,0.3,*0.4,0.3
2,2:c,1:a b,+,*0.5,0.25,0.25

=== Stratified cross-validation ===

Correctly Classified Instances           2               50      %
"""


@pytest.fixture
def output(tmp_path):
    def write(content):
        path = tmp_path / "predictions.csv"
        path.write_text(content)
        return path

    return write


def test_the_other_class_has_the_rest_of_the_probability(output):
    predictions = formats.read(output(PREDICTION), pos_label="pos")
    assert predictions.columns["actual"].tolist() == ["neg", "pos", "neg", "pos"]
    assert predictions.columns["predicted"].tolist() == ["neg", "pos", "pos", "neg"]
    # 1 - 0.744 in floats is 0.256; 1 - 0.512 and 1 - 0.9 are not the nearest floats.
    assert predictions.columns["confidence.pos"].tolist() == [0.256, 0.9, 0.512, 0.256]
    assert predictions.columns["confidence.neg"].tolist() == [0.744, 0.1, 0.488, 0.744]
    assert (predictions.label, predictions.pos_label, predictions.group) == ("actual", "pos", None)
    assert predictions.points()["confidence.pos"].tp.tolist() == [0, 1, 1, 2]


def test_a_distribution_has_all_classes_and_folds(output):
    predictions = formats.read(output(DISTRIBUTION))
    assert predictions.multiclass
    # Class 3 is never named.
    assert list(predictions.scores) == ["a b", "c", "3"]
    assert predictions.columns["confidence.c"].tolist() == [0.021, 0.936, 0.4, 0.25]
    assert predictions.columns["confidence.3"].tolist() == [0.021, 0.043, 0.3, 0.25]
    assert predictions.group == "fold"
    assert predictions.columns["fold"].tolist() == [1, 1, 2, 2]
    assert predictions.columns["inst#"].tolist() == [1, 2, 1, 2]
    only = formats.read(output(DISTRIBUTION), pos_label="c").points()
    assert only["c"].tp.tolist() == [0, 1, 1, 2, 2]


@pytest.mark.parametrize(("text", "pos_label"), [(PREDICTION, "pos"), (DISTRIBUTION, None)])
def test_tabs_separate_as_well(output, text, pos_label):
    text = text.replace("0.744\n", "0.744,\n")  # a separator at the end of a row is no value
    tabs = formats.read(output(text.replace(",", "\t")), pos_label=pos_label)
    commas = formats.read(output(text), pos_label=pos_label)
    assert tabs.scores == commas.scores
    for name, values in commas.columns.items():
        assert tabs.columns[name].tolist() == values.tolist()


def test_attributes_behind_the_predictions_are_left_out(output):
    content = (
        "inst#,actual,predicted,error,distribution,,id,size\n"
        "1,1:neg,1:neg,,*0.7,0.3,a,1\n2,2:pos,1:neg,+,*0.6,0.4,b,2\n"
    )
    predictions = formats.read(output(content), pos_label="pos")
    assert list(predictions.columns) == [
        "inst#",
        "actual",
        "predicted",
        "confidence.neg",
        "confidence.pos",
    ]
    assert predictions.columns["confidence.pos"].tolist() == [0.3, 0.4]


@pytest.mark.parametrize(
    ("text", "old", "new", "message"),
    [
        (PREDICTION, "0.9", "x", "line 6: 'x' is no number; WEKA's CSV has the columns"),
        (PREDICTION, "0.9", "1.9", "line 6: '1.9' is not between 0 and 1"),
        (PREDICTION, "0.9", "?", r"line 6: '\?' is no number"),
        (PREDICTION, "2,2:pos,2:pos", "2,2:?,2:pos", r"line 6: '2:\?' is no class"),
        (PREDICTION, "2,2:pos,2:pos", "2,?,2:pos", r"line 6: '\?' is no class"),
        (PREDICTION, "2,2:pos,2:pos", "2,0:pos,2:pos", "line 6: '0:pos' is no class"),
        (PREDICTION, "2,2:pos,2:pos", "x,2:pos,2:pos", "line 6: 'x' is no number of an instance"),
        (PREDICTION, "2,2:pos,2:pos", "2,2:p,os,2:pos", "line 6: the row has 6 values, the head"),
        (PREDICTION, "2,2:pos,2:pos", "2,2:pos,2:neg", "has different names for the same class"),
        (PREDICTION, "2,2:pos,2:pos", "2,2:neg,2:neg", "has different names for the same class"),
        (PREDICTION, ",prediction", "", "with probabilities"),
        (PREDICTION, ",prediction", ",p", "has no header inst#,actual,predicted,error"),
        (PREDICTION, "inst#", "row", "has no header inst#,actual,predicted,error"),
        (DISTRIBUTION, "2,2:c,2:c", "2,9:c,2:c", "names class 9 of 3"),
        (PREDICTION, PREDICTION[PREDICTION.index("1,1") :], "", "has no rows"),
        (PREDICTION, "2,2:pos,2:pos", "2,3:odd,2:pos", "3 classes but only the probability of"),
        (PREDICTION, "2:pos", "1:neg", "has only the class 'neg'"),
        (PREDICTION, ":pos", ":spam", "has the classes 'neg', 'spam'; say which one is positive"),
    ],
)
def test_output_is_refused_by_its_line(output, text, old, new, message):
    with pytest.raises((FileError, LabelError, OneClassError), match=message):
        formats.read(output(text.replace(old, new)), "weka")
