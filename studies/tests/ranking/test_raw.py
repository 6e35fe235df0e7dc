"""Data sets as files: ARFF, KEEL, CSV and pairs of data and labels, and what is wrong with some."""

import pytest

from isometrics.errors import FileError
from isometrics_studies.ranking.datasets import read_raw

ARFF = """% a comment
@relation 'weather of a test'
@attribute 'the outlook' {sunny, 'very rainy'}
@ATTRIBUTE temperature REAL
@attribute humidity integer
@attribute day date
@attribute class {yes, no}
@data
sunny, 21.5, 80, '2020-01-01', yes
'very rainy', ?, 90, '2020-01-02', no
sunny, 19, ?, '2020-01-03', no
"""

KEEL = """@relation small
@attribute Sex {M, F}
@attribute Length real [0.0, 1.0]
@attribute Rings integer[1,29]
@attribute Class{positive, negative}
@inputs Sex, Length, Rings
@outputs Class
@data
M, 0.5, 3, negative
F, <null>, 4, positive
"""


@pytest.fixture
def written(tmp_path):
    def write(name, content):
        path = tmp_path / name
        path.write_text(content, encoding="utf-8")
        return path

    return write


def test_arff_has_names_types_and_missing_values(written):
    table = read_raw(written("weather.arff", ARFF))
    outlook, temperature, humidity, day = table.features
    assert outlook == ("the outlook", ["sunny", "very rainy", "sunny"], False)
    assert temperature == ("temperature", ["21.5", None, "19"], True)
    assert humidity == ("humidity", ["80", "90", None], True)
    assert (day.name, day.numeric) == ("day", False)
    assert table.target == ("class", ["yes", "no", "no"], False)


def test_keel_has_ranges_and_outputs(written):
    table = read_raw(written("small.dat", KEEL))
    assert [column.name for column in table.features] == ["Sex", "Length", "Rings"]
    assert [column.numeric for column in table.features] == [False, True, True]
    assert table.features[1].cells == ["0.5", None]
    assert table.target == ("Class", ["negative", "positive"], False)


def test_the_output_that_keel_names_need_not_be_the_last(written):
    table = read_raw(written("small.dat", KEEL.replace("@outputs Class", "@output Sex")))
    assert table.target.name == "Sex"
    assert [column.name for column in table.features] == ["Length", "Rings", "Class"]


def test_a_column_called_class_is_the_target_wherever_it_stands(written):
    table = read_raw(written("wine.csv", "Class,a,b\n1,0.5,7\n2,0.25,8\n"))
    assert table.target == ("Class", ["1", "2"], False)
    assert [column.name for column in table.features] == ["a", "b"]


def test_without_any_name_the_last_column_is_the_target(written):
    table = read_raw(written("plain.csv", "1,'a b', x\n2,'?',y\n"))
    assert table.features == [
        ("column 1", ["1", "2"], True),
        ("column 2", ["a b", None], False),
    ]
    assert table.target == ("column 3", ["x", "y"], False)


def test_a_header_is_told_from_a_row_of_texts(written):
    texts = read_raw(written("texts.csv", "a,b\nc,d\n"))
    assert texts.target.cells == ["b", "d"]
    named = read_raw(written("named.csv", "size,kind\n1,d\n"))
    assert (named.target.name, named.target.cells) == ("kind", ["d"])
    assert read_raw(written("one.csv", "a,b\n")).target.cells == ["b"]


@pytest.mark.parametrize(("different", "numeric"), [(10, False), (11, True)])
def test_many_different_numbers_in_a_csv_file_are_no_classes(written, different, numeric):
    rows = "".join(f"0.5,{number}\n" for number in range(different))
    assert read_raw(written("numbers.csv", rows)).target.numeric is numeric


def test_a_dat_file_without_header_is_csv(written):
    table = read_raw(written("banana.dat", "1.14,-0.114,-1.0\n-1.52,-1.15,1.0\n"))
    assert table.target == ("column 3", ["-1.0", "1.0"], False)


def test_labels_beside_the_data(written):
    data = written("ada.data", "0 404 1 \n1 303 0 \n")
    with pytest.raises(FileError, match=r"has no file ada\.labels of labels beside it"):
        read_raw(data)
    written("ada.labels", "-1\n1\n")
    table = read_raw(data)
    assert [column.cells for column in table.features] == [["0", "1"], ["404", "303"], ["1", "0"]]
    assert table.target == ("label", ["-1", "1"], False)
    written("ada.labels", "-1\n")
    with pytest.raises(FileError, match=r"has 2 rows but ada\.labels has 1"):
        read_raw(data)


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("a.csv", "", "has no rows"),
        ("a.csv", "1,2\n1,2,3\n", "has rows of different lengths"),
        ("a.csv", 'b,"' + "x" * 140_000 + '"\n', "cannot be split into cells"),
        ("a.arff", "@relation x\n@attribute a real\n@data\n", "has no rows"),
        ("a.arff", "@relation x\n@attribute confidence.a real\n@data\n1\n", "give it as runs"),
        ("a.dat", "@relation x\n@attribute a real\n", "has no line @data"),
    ],
)
def test_a_file_that_is_no_data_set_is_told(written, name, content, said):
    with pytest.raises(FileError, match=said):
        read_raw(written(name, content))
