"""What is guessed of a table: what is left out is told, and `strict` takes no guesses."""

import warnings

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import isometrics as iso
from isometrics.cli import main
from isometrics.errors import LeftOutWarning, ParameterError

ROWS = 400
RNG = np.random.default_rng(6)
LABELS = np.arange(ROWS) % 3 == 0
SHARES = np.round(RNG.random(ROWS), 6)
TABLE = {"label": LABELS.astype(int), "forest": SHARES, "logit": SHARES**2}
LEFT_OUT = {
    "points": ((SHARES * 1000).astype(int), "holds numbers from "),
    "amount": (SHARES * 900 + 2, "holds numbers from "),
}


def told(given, **options):
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        analysis = iso.read_predictions(given, **options)
    assert all(each.category is LeftOutWarning for each in found)
    return analysis, [str(each.message) for each in found]


def forms(table, folder):
    frame = pd.DataFrame(table)
    frame.to_csv(folder / "x.csv", index=False)
    pq.write_table(pa.table(table), folder / "x.parquet")
    return [frame, folder / "x.csv", folder / "x.parquet"]


@pytest.mark.parametrize(("values", "why"), LEFT_OUT.values(), ids=LEFT_OUT)
def test_columns_that_may_be_scores_are_told_when_they_are_left_out(tmp_path, values, why):
    for given in forms(TABLE | {"other": values}, tmp_path):
        analysis, (said,) = told(given)
        assert list(analysis.models) == ["forest", "logit"]
        assert said.startswith(f"not used as scores: 'other' {why}")
        assert said.endswith("; name the score columns with scores=")


def test_what_cannot_be_scores_is_left_out_without_a_word(tmp_path):
    others = {
        "id": np.arange(ROWS),
        "customer": np.arange(ROWS) + 70_000,
        "is_new": np.arange(ROWS) % 2,
        "day": np.arange(ROWS) % 7,
        "note": ["a b"] * ROWS,
        "nothing": [None] * ROWS,
        "code": [f"{row:05d}" for row in range(ROWS)],
        "y_pred": LABELS.astype(int),
    }
    for given in forms(TABLE | others, tmp_path):
        analysis, said = told(given)
        assert (list(analysis.models), said) == (["forest", "logit"], [])


def test_a_column_is_outside_by_all_its_rows(tmp_path):
    """Also where the first thousand rows lie inside."""
    late = np.sort(SHARES.repeat(5) * 3)
    table = {name: np.repeat(values, 5) for name, values in TABLE.items()} | {"late": late}
    for given in forms(table, tmp_path):
        assert list(told(given)[0].models) == ["forest", "logit"]
    for given in forms(TABLE | {"amount": SHARES * 900}, tmp_path):
        analysis, said = told(given, scores=["forest", "amount"])
        assert (list(analysis.models), said) == (["forest", "amount"], [])


def test_strict_takes_no_guesses(tmp_path, capsys, monkeypatch):
    frame, file, _ = forms(TABLE | {"site": np.arange(ROWS) % 2}, tmp_path)
    with pytest.raises(ParameterError) as refused:
        iso.read_predictions(frame, strict=True)
    assert str(refused.value) == (
        "strict takes no guesses, and label, group and scores had to be guessed; if these are "
        "right, write label='label' group='site' scores=['forest', 'logit']"
    )
    assert main(["summary", str(file), "--strict"]) == 2
    said = capsys.readouterr().err
    words = "--label label --group site --scores forest logit"
    assert said.endswith(f"if these are right, write {words}\n")
    assert main(["summary", str(file), "--strict", *words.split()]) == 0
    file = tmp_path / "x.csv"
    pd.DataFrame({"y": LABELS.astype(int), "my model": SHARES}).to_csv(file, index=False)
    assert main(["summary", str(file), "--strict"]) == 2
    assert "--label y --scores 'my model'" in capsys.readouterr().err
    pd.DataFrame({"y": LABELS.astype(int), "p{x}": SHARES}).to_csv(file, index=False)
    assert main(["summary", str(file), "--strict"]) == 2
    assert "write --label --scores" in capsys.readouterr().err
    _, file, _ = forms(TABLE, tmp_path)
    monkeypatch.setenv("ISOMETRICS_STRICT", "1")
    assert main(["summary", str(file)]) == 2
    assert "--strict takes no guesses" in capsys.readouterr().err


def test_guessed_groups_do_not_change_a_comparison(tmp_path, capsys):
    _, file, _ = forms(TABLE, tmp_path)
    assert main(["compare", str(file)]) == 0
    plain = capsys.readouterr().out
    _, file, _ = forms(TABLE | {"site": np.arange(ROWS) % 2}, tmp_path)
    assert main(["compare", str(file)]) == 0
    assert capsys.readouterr().out == plain
    assert main(["compare", str(file), "--group", "site"]) == 0
    assert len(capsys.readouterr().out) > len(plain)
