"""What reading cost, as a table."""

import pytest

import isometrics as iso
from isometrics.cli import main
from isometrics.sources.passes import Pass, explain_passes


@pytest.mark.parametrize(
    ("bytes_read", "said"),
    [
        (0, "0 B"),
        (9_999, "9,999 B"),
        (10_000, "10 kB"),
        (52_400_000, "52 MB"),
        (8 * 10**18, "8,000,000 TB"),
        (None, "not told"),
    ],
)
def test_bytes_are_in_the_unit_that_suits_them(bytes_read, said):
    first, last = explain_passes([Pass("totals", 1, bytes_read, 0, 1)]).splitlines()[2:]
    assert said in first
    assert said in last


def test_a_sum_of_what_is_not_told_is_not_told():
    table = explain_passes([Pass("totals", None, 5, 7, 1), Pass("scores", 2_000, 5, 7, 1)])
    assert table.splitlines()[0] == "2 passes"
    assert table.splitlines()[-1].split() == ["all", "not", "told", "10", "B", "14", "2"]


def test_the_command_prints_it_beside_the_answer(tmp_path, capsys):
    file = tmp_path / "predictions.csv"
    file.write_text("label,score\n1,0.9\n0,0.4\n1,0.2\n")
    assert main(["summary", str(file), "--explain", "--json"]) == 0
    out, err = capsys.readouterr()
    assert out.startswith("{")
    assert iso.read_predictions(file).explain() in err
    assert main(["convert", str(file), str(tmp_path / "b.parquet"), "--explain"]) == 2
    assert "--explain is for commands that count rows" in capsys.readouterr().err
