"""Which column is what: guesses where one column fits, sentences where none or two do."""

import io

import pyarrow as pa
import pyarrow.csv
import pytest
from hypothesis import given
from hypothesis import strategies as st

from isometrics.errors import ParameterError
from isometrics.sources.column_roles import Layout, Peek, layout_of

KINDS = {"boolean": "boolean", "integer": "integer", "floating": "float", "string": "string"}


def peeks(text):
    """Look at a CSV file as a reader of files does: types and first values."""
    table = pa.csv.read_csv(io.BytesIO(text.encode()))

    def kind(dtype):
        return next(
            (name for check, name in KINDS.items() if getattr(pa.types, f"is_{check}")(dtype)),
            "other",
        )

    return {
        name: Peek(kind(column.type), column.slice(0, 1000).to_pylist())
        for name, column in zip(table.column_names, table.columns, strict=True)
    }


def of(text, **given):
    return layout_of(peeks(text), **given)


def refusal(text, **given):
    with pytest.raises(ParameterError) as caught:
        of(text, **given)
    return str(caught.value)


ANIMALS = (
    "id,class,p_cat,p_dog,p_bird,confidence\n"
    "1,cat,0.5,0.3,0.2,0.5\n2,dog,0.1,0.7,0.2,0.7\n3,bird,0.3,0.3,0.4,0.4\n"
)


# ---------------------------------------------------------------------- typical files


def test_a_column_for_each_model():
    layout = of("id,y,rf,logit,fold\n1,0,0.1,0.2,0\n2,1,0.3,0.4,1\n")
    assert layout == Layout(
        "y",
        {"rf": "rf", "logit": "logit"},
        group="fold",
        guessed={"label": "", "group": "", "scores": "the remaining numeric columns"},
        unused=("id",),
    )
    assert layout.describe() == (
        "label: y (guessed); models: rf, logit (guessed: the remaining numeric columns); "
        "group: fold (guessed); not used: id"
    )


def test_a_row_for_each_model():
    layout = of("model,score,label,w\nrf,0.1,0,1\nlogit,0.3,1,2.5\n")
    assert (layout.label, layout.model, layout.weight) == ("label", "model", "w")
    assert layout.scores == {"score": "score"}
    assert layout.describe() == (
        "label: label (guessed); model: model (guessed); score: score (guessed); "
        "weight: w (guessed)"
    )


def test_columns_named_after_classes():
    layout = of(ANIMALS)
    assert layout.multiclass
    assert layout.scores == {"cat": "p_cat", "dog": "p_dog", "bird": "p_bird"}
    assert layout.classes == {"cat": "cat", "dog": "dog", "bird": "bird"}
    assert layout.pos_label is None
    assert layout.describe() == (
        "label: class (guessed); classes: cat = p_cat, dog = p_dog, bird = p_bird "
        "(guessed: columns named after the labels); not used: id, confidence"
    )


def test_what_is_given_is_not_called_guessed():
    layout = of(
        "t,a,b,k,m\nx,0.1,0.5,2,u\ny,0.2,0.4,1,u\n",
        label="t",
        scores={"first": "a"},
        weight="k",
        group="m",
        pos_label="y",
    )
    assert layout.describe() == (
        "label: t; positive: y; score: first = a; weight: k; group: m; not used: b"
    )
    assert layout.guessed == {}


def test_many_unused_columns_are_counted():
    names = [f"c{number}" for number in range(30)]
    columns = dict.fromkeys(names, Peek("string", ["a", "b", "c"]))
    said = layout_of(columns | {"y": Peek("integer", [0, 1]), "p": Peek("float", [0.5])}).describe()
    assert said.endswith("c18, c19, and 10 more")


@given(st.text(max_size=8), st.text(max_size=8))
def test_a_description_is_one_line(label, score):
    columns = {f"l{label}": Peek("integer", [0, 1]), f"s{score}": Peek("float", [0.5])}
    said = layout_of(columns, label=f"l{label}", scores=f"s{score}").describe()
    assert len(said.splitlines()) == 1


# ---------------------------------------------------------------------- labels


@pytest.mark.parametrize("name", ["label", "Y", "y_true", "Target", " truth ", "class", "outcome"])
def test_labels_by_name(name):
    columns = {name: Peek("integer", [0, 1]), "p": Peek("float", [0.2, 0.7])}
    assert layout_of(columns).label == name


def test_a_measurement_is_no_label():
    layout = of("x,y,label,score\n0.5,1.5,0,0.5\n1.5,2.5,1,0.2\n")
    assert layout.label == "label"
    assert layout.unused == ("x", "y")
    assert of("y,p\n0.0,0.5\n1.0,0.2\n").label == "y"


@pytest.mark.parametrize(
    ("kind", "values"),
    [
        ("boolean", [True, True]),
        ("integer", [0, 1, None]),
        ("integer", [-1, 1]),
        ("float", [0.0, 1.0, float("nan")]),
        ("string", ["spam", "ham"]),
    ],
)
def test_the_only_column_with_two_values(kind, values):
    columns = {
        "is_fraud": Peek(kind, values),
        "amount": Peek("integer", [10, 20, 30]),
        "city": Peek("string", ["a", "b", "c"]),
        "when": Peek("other", [[1], [2]]),
        "p": Peek("float", [0.5, 0.25]),
    }
    layout = layout_of(columns)
    assert layout.label == "is_fraud"
    assert layout.describe().startswith(
        "label: is_fraud (guessed: the only column with two values); score: p (guessed)"
    )


# ---------------------------------------------------------------------- what is refused

SCORES_TWICE = "y,a,b\n0,0.5,0.5\n1,0.5,0.5\n"
TWO = "Label,score\n0,0.5\n1,0.2\n"


@pytest.mark.parametrize(
    ("text", "given", "message"),
    [
        ("label,target,p\n0,1,0.5\n1,0,0.5\n", {},
         "label could be the column 'label' or 'target'; say which with label="),
        ("fraud,retired,p\n0,1,0.5\n1,0,0.5\n", {},
         "label could be the column 'fraud' or 'retired'; say which with label="),
        ("pred,y_pred,fold,p\n0,1,0,0.5\n1,0,1,0.5\n", {}, "no column looks like the label"),
        ("a,b\n0.5,0.5\n0.2,0.8\n", {},
         "no column looks like the label among 'a' and 'b'; say which it is with label="),
        ("y,score,prob\n0,1.5,0.5\n1,2.5,0.5\n", {},
         "scores could be the column 'score' or 'prob'; say which with scores=; "
         "a list of columns is several models"),
        ("y,name,size\n0,a,1\n1,b,2\n", {},
         "no column looks like scores among 'name' and 'size'; say which they are with scores="),
        ("y,p0,p1,score\n0,0.5,0.5,0.1\n1,0.2,0.8,0.7\n", {},
         "scores could be the column 'score', or 'p0' and 'p1', which are named after the labels; "
         "say which with scores="),
        (SCORES_TWICE, {"scores": []}, "scores is empty; name one column or more"),
        (SCORES_TWICE, {"scores": 3}, "scores must be a column, a list of columns or a mapping of "
         "names to columns but is 3"),
        (SCORES_TWICE, {"scores": ["a", "a"]}, "scores must have different names of models but "
         "has 'a'"),
        (SCORES_TWICE, {"scores": {1: "a"}}, "scores must have different names of models but has "
         "1"),
        (SCORES_TWICE, {"scores": ["a", 3]}, "scores must have different names of models but has "
         "3"),
        (SCORES_TWICE, {"scores": {"m": 3}}, "scores must be the name of a column but is 3"),
        (SCORES_TWICE, {"scores": {"m": "a", "n": "a"}},
         "the column 'a' is given as scores and as scores; a column has one use"),
        (SCORES_TWICE, {"scores": "y", "label": "y"},
         "the column 'y' is given as label and as scores; a column has one use"),
        (TWO, {"label": "lable"}, "label is 'lable', which is no column; did you mean 'Label'?"),
        (TWO, {"scores": "scroe"}, "scores is 'scroe', which is no column; did you mean 'score'?"),
        (TWO, {"group": "qqq"}, "group is 'qqq', which is no column; there are 'Label' and "
         "'score'"),
        (TWO, {"weight": True}, "weight must be the name of a column but is True"),
        (TWO, {"label": False}, "label must be the name of a column but is False"),
        (TWO, {"group": "Label", "label": "Label"},
         "the column 'Label' is given as label and as group"),
    ],
)  # fmt: skip
def test_columns_that_cannot_be(text, given, message):
    assert refusal(text, **given).startswith(message)


def numbered(*names):
    return f"label,{','.join(names)}\n1{',0.5' * len(names)}\n0{',0.25' * len(names)}\n"


def test_numbered_columns_beside_the_labels_0_and_1():
    """They are guessed to be models or classes only where it is sure."""
    assert refusal(numbered("m0", "m1")) == (
        "the columns 'm0' and 'm1' could be two models, or the scores of the labels 0 and 1; name "
        "both with scores= if they are models, and else 'm1' alone"
    )
    assert list(of(numbered("m0", "m1"), scores=["m0", "m1"]).scores) == ["m0", "m1"]
    assert list(of(numbered("m0", "m1"), scores="m1").scores) == ["m1"]
    assert list(of(numbered("m0", "m1", "m2")).scores) == ["m0", "m1", "m2"]
    for name in ("p{}", "prob_{}", "{}", "{}_proba", "P(class {})", "score.{}"):
        assert list(of(numbered(name.format(0), name.format(1))).scores) == [name.format(1)]
    three = "label,m0,m1,m2\n0,0.5,0.2,0.3\n1,0.1,0.7,0.2\n2,0.1,0.1,0.8\n"
    assert list(of(three).scores) == ["0", "1", "2"]


def test_what_is_named_is_not_guessed():
    assert of("label,target,p\n0,1,0.5\n1,0,0.5\n", label="target").unused == ("label",)
    both = of("y,score,prob\n0,1.5,0.5\n1,2.5,0.5\n", scores=["prob", "score"])
    assert both.scores == {"prob": "prob", "score": "score"}
    with pytest.raises(ParameterError, match="among no columns; say which it is with label="):
        layout_of({})


# ---------------------------------------------------------------------- scores


def test_a_score_by_name_beside_other_measurements():
    layout = of("payment,amount,is_late,Score\n1,3.5,0,7\n2,4.5,1,8\n")
    assert layout.scores == {"Score": "Score"}
    assert layout.unused == ("payment", "amount")


def test_a_prediction_is_a_score_where_nothing_else_is():
    assert of("y,prediction,size\n0,0.5,1.5\n1,0.7,2.5\n").scores == {"prediction": "prediction"}
    assert of("y,pred,prob\n0,0,0.5\n1,1,0.7\n").scores == {"prob": "prob"}


@pytest.mark.parametrize("decided", ["0\n1", "1\n1", "-1\n1", "0.0\n1.0"])
def test_decided_classes_are_no_scores_beside_others(decided):
    first, second = decided.split()
    rows = f"y,rf,pred\n0,0.4,{first}\n1,0.7,{second}\n"
    layout = of(rows)
    assert layout.scores == {"rf": "rf"}
    assert layout.unused == ("pred",)
    assert of(rows, scores="pred").scores == {"pred": "pred"}
    classes = f"y,p_0,p_1,prediction\n0,0.4,0.6,{first}\n1,0.3,0.7,{second}\n"
    assert of(classes).scores == {"p_1": "p_1"}


def test_numbers_with_another_use_are_no_models():
    """Weights that are text, groups that are floats: not used, and above all not scored."""
    layout = of("index,y,fold,weight,rf\n1.5,0,1.0,a,0.5\n2.5,1,2.0,b,0.5\n")
    assert layout.scores == {"rf": "rf"}
    assert (layout.weight, layout.group) == (None, None)
    assert layout.unused == ("index", "fold", "weight")


# ---------------------------------------------------------------------- models, weights, groups


def test_models_need_one_score_column():
    text = "model,y,rf,svm\na,0,0.5,0.5\nb,1,0.5,0.5\n"
    message = (
        "the column 'model' names the model of a row, so one column must hold the scores, but "
        "there are 'rf' and 'svm'; say which with scores=, or model=False if each column is a "
        "model or a class"
    )
    assert refusal(text) == message
    assert refusal(text, model="model", scores=["rf", "svm"]) == message
    assert of(text, model=False).scores == {"rf": "rf", "svm": "svm"}
    assert of(text, scores={"forest": "rf"}).scores == {"rf": "rf"}
    wide = of(text, scores=["rf", "svm"])
    assert wide.model is None
    assert wide.unused == ("model",)
    assert "model" not in wide.guessed


def test_classes_and_models_do_not_go_together():
    text = "model,y,cat,dog,bird\na,cat,0.5,0.5,0.1\na,dog,0.5,0.5,0.1\nb,bird,0.5,0.2,0.1\n"
    assert "but there are 'cat', 'dog' and 'bird'" in refusal(text)
    assert "but there are 'dog'" in refusal(text, pos_label="dog")
    assert of(text, model=False).multiclass


@pytest.mark.parametrize("role", ["weight", "group", "model"])
def test_roles_that_two_columns_fit(role):
    names = {"weight": "w,sample_weight", "group": "fold,site", "model": "method,system"}[role]
    text = f"y,p,{names}\n0,0.5,1,1\n1,0.5,2,2\n"
    first, second = names.split(",")
    assert refusal(text) == (
        f"{role} could be the column {first!r} or {second!r}; say which with {role}=, "
        f"or {role}=False for none"
    )
    assert getattr(of(text, **{role: second}), role) == second
    assert getattr(of(text, **{role: False}), role) is None


# ---------------------------------------------------------------------- classes


@pytest.mark.parametrize(
    "pattern", ["{}", "p_{}", "{}_score", "confidence.{}", "P({})", "cat {} cat"]
)
def test_beginnings_and_ends_of_names(pattern):
    names = ["cat", "dog", "bird"]
    columns = {"label": Peek("string", names)}
    columns |= {pattern.format(name): Peek("float", [0.5]) for name in reversed(names)}
    layout = layout_of(columns | {"size": Peek("float", [1.5])})
    assert layout.scores == {name: pattern.format(name) for name in reversed(names)}
    assert list(layout.scores) == ["bird", "dog", "cat"], "in the order of the table"
    assert layout.unused == ("size",)


@pytest.mark.parametrize(("kind", "values"), [("integer", [0, 1, 2]), ("float", [0.0, 1.0, 2.0])])
def test_classes_that_are_numbers(kind, values):
    columns = {"y": Peek(kind, values)}
    columns |= {f"proba_{number}": Peek("float", [0.5]) for number in range(3)}
    layout = layout_of(columns)
    assert layout.classes == {"0": values[0], "1": values[1], "2": values[2]}
    assert layout_of(columns, pos_label="2").classes == {"2": 2}


def test_one_class_of_several():
    layout = of(ANIMALS, pos_label="dog")
    assert layout.multiclass
    assert layout.scores == {"dog": "p_dog"}
    assert layout.classes == {"dog": "dog"}
    assert layout.pos_label == "dog"
    assert "positive: dog; classes: dog = p_dog" in layout.describe()
    assert refusal(ANIMALS, pos_label="cow") == (
        "pos_label 'cow' has no score column; there are columns for the classes cat, dog and bird"
    )


def test_two_families_are_not_guessed():
    columns = {"label": Peek("string", ["a1", "b1", "c1"])}
    columns |= {
        f"{kind}_{name}1": Peek("float", [0.5]) for kind in ("p", "logit") for name in "abc"
    }
    message = (
        "several families of columns are named after the labels, such as 'p_a1' and 'logit_a1'; "
        "say which with scores="
    )
    with pytest.raises(ParameterError) as caught:
        layout_of(columns)
    assert str(caught.value) == message
    chosen = layout_of(columns, scores=["logit_c1", "logit_a1"])
    assert chosen.scores == {"c1": "logit_c1", "a1": "logit_a1"}
    assert chosen.classes == {"c1": "c1", "a1": "a1"}


def test_a_column_is_missing():
    """Then the columns are not those of the classes, and the label has too many values."""
    layout = of("class,p_cat,p_dog\ncat,0.1,0.2\ndog,0.3,0.3\nbird,0.1,0.1\n")
    assert not layout.multiclass
    assert layout.scores == {"p_cat": "p_cat", "p_dog": "p_dog"}


def test_scores_given_for_classes():
    assert of(ANIMALS, scores={"cat": "confidence", "dog": "p_dog"}).classes == {
        "cat": "cat",
        "dog": "dog",
    }
    assert of(ANIMALS, scores="p_dog", pos_label="dog").classes == {"dog": "dog"}
    alone = of(ANIMALS, scores="p_dog")
    assert (alone.multiclass, alone.scores) == (False, {"p_dog": "p_dog"})
    assert not of(ANIMALS, scores=["p_dog", "confidence"]).multiclass


def test_two_classes_with_a_column_each():
    positive = of("target,0,1\n0,0.5,0.5\n1,0.2,0.8\n")
    assert positive.scores == {"1": "1"}
    assert not positive.multiclass
    assert positive.unused == ("0",)
    words = "label,p_ham,p_spam\nham,0.5,0.5\nspam,0.2,0.8\n"
    assert of(words, pos_label="spam").scores == {"p_spam": "p_spam"}
    both = of(words)
    assert both.classes == {"ham": "ham", "spam": "spam"}
    assert both.scores == {"ham": "p_ham", "spam": "p_spam"}
    assert of(words, scores=["p_ham", "p_spam"]).classes == {}


# ---------------------------------------------------------------------- the positive label


@pytest.mark.parametrize(
    ("kind", "given", "expected"),
    [
        ("integer", "1", 1),
        ("integer", " 2.0", 2),
        ("integer", "9007199254740993", 9007199254740993),
        ("integer", 2, 2),
        ("float", "1", 1.0),
        ("float", "0.5", 0.5),
        ("boolean", "TRUE", True),
        ("boolean", "0", False),
        ("boolean", 1, True),
        ("boolean", False, False),
        ("string", "1", "1"),
        ("string", 1, "1"),
        ("string", None, None),
        ("integer", None, None),
        ("other", "1", "1"),
    ],
)
def test_positive_labels_take_the_type_of_the_column(kind, given, expected):
    columns = {"y": Peek(kind, []), "p": Peek("float", [])}
    result = layout_of(columns, label="y", pos_label=given).pos_label
    assert result == expected
    assert type(result) is type(expected)


@pytest.mark.parametrize(
    ("kind", "values", "given", "holds"),
    [
        ("integer", [0, 1], "spam", "whole numbers such as 0 and 1"),
        ("integer", [0, 1], "1.5", "whole numbers such as 0 and 1"),
        ("integer", [], "inf", "whole numbers"),
        ("float", [0.0, 0.5, 1.0, 2.0], "nan", "numbers such as 0.0, 0.5 and 2 more"),
        ("boolean", [True, None], "maybe", "booleans such as True"),
    ],
)
def test_positive_labels_of_another_type(kind, values, given, holds):
    columns = {"y": Peek(kind, values), "p": Peek("float", [])}
    with pytest.raises(ParameterError) as caught:
        layout_of(columns, label="y", pos_label=given)
    assert str(caught.value) == (
        f"pos_label {given!r} cannot be a value of the label column 'y', which holds {holds}"
    )
