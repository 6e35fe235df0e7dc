"""`isometrics-study`: the papers, drawn and computed from the command line."""

import pytest

from isometrics.cli.output import answer
from isometrics_studies.command import SHORT, _parts
from isometrics_studies.papers import all_items, paper_numbers


@pytest.fixture
def few(monkeypatch):
    """Let the papers consist of three items, so that a run is quick."""
    names = ("DG06 Fig. 7", "DG06 text", "HN Fig. 3")
    chosen = tuple(item for item in all_items() if item.id in names)
    monkeypatch.setattr("isometrics_studies.papers.folder.all_items", lambda *_, **__: chosen)
    return chosen


def test_papers(call, few, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    done = call("papers")
    *_, title, page = done.out.splitlines()
    assert page == "papers/index.html"
    assert title == paper_numbers(few)._title()
    assert (tmp_path / page).is_file()
    for text in (
        "DG06 Fig. 7: Areas in both spaces prefer different curves",
        "AUPR, Curve II   0.0385  0.038  print  same",
        "Stand-in: The points of curve I are not given",
        "0  formula  +3 (1)",
        "1: The rule of section 3 compares neighbours",
    ):
        assert text in done.out


def test_tables_fit_a_terminal_and_every_source_has_a_word(capsys):
    """One that is too wide is laid on its side, which takes more room than it saves."""
    numbers = paper_numbers(all_items())
    parts = list(_parts(numbers))
    assert [part.key for part in parts] == [item.id for item in all_items()]
    for part in parts:
        answer({}, [part._replace(notes=(), title="")], as_json=False)
        wide = part.key in {"DG06 Fig. 4", "FK15 text", "HN text"}
        widest = max(map(len, capsys.readouterr().out.splitlines()))
        assert widest <= (100 if wide else 80), part.key
    words = {word for part in parts for word in part.shown["from"]}
    assert words == set(SHORT.values())


def test_papers_as_json(call, few, tmp_path):
    data = call("papers", "-o", tmp_path / "my papers", "--json").data
    assert data["index"] == str(tmp_path / "my papers" / "index.html")
    assert set(data["stand_ins"]) == {"DG06 Fig. 7", "HN Fig. 3"}
    numbers = paper_numbers(few)
    assert [row["number"] for row in data["numbers"]] == [each.name for each in numbers.numbers]
    last = next(row for row in data["numbers"] if row["item"] == "DG06 text")
    assert last == {
        "item": "DG06 text",
        "number": "thresholds, scores with a tie",
        "ours": 3.0,
        "paper": "0",
        "difference": 3.0,
        "agrees": False,
        "fitted": False,
        "source": "by its formula",
        "reason": last["reason"],
    }


def test_the_whole_of_one_paper(call, tmp_path):
    done = call("papers", "--only", "DG06", "-o", tmp_path / "papers", "--quiet")
    assert done.err == ""
    items = all_items("DG06")
    pictures = {
        f"{item.file_name}.{form}" for item in items if item.draw for form in ("png", "svg")
    }
    found = {path.name for path in (tmp_path / "papers").iterdir()}
    assert found == pictures | {"index.html", "numbers.csv"}


def test_a_reason_that_is_the_stand_in_is_not_said_twice(call, monkeypatch, tmp_path):
    chosen = tuple(item for item in all_items("HN") if item.id == "HN Fig. 8")
    monkeypatch.setattr("isometrics_studies.papers.folder.all_items", lambda *_, **__: chosen)
    done = call("papers", "-o", tmp_path / "papers")
    assert done.out.count("The authors' data are not public") == 1


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--only", "DG07"], "DG07"),
        (["--data", "nowhere"], "there is no file *white*clover*.arff in 'nowhere'"),
        (["-o", "."], "it holds other things, such as 'thesis.tex'"),
        (["-o", "thesis.tex"], "there is a file of that name"),
        (["extra"], "extra"),
    ],
)
def test_bad_words_are_one_sentence_and_leave_nothing(call, words, message, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "thesis.tex").write_text("")
    assert message in call("papers", *words, code=2).err
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.tex"]


def test_study_alone_lists_its_commands(call):
    assert "papers" in call().out
    assert "nope" in call("nope", code=2).err
