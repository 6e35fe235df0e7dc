"""What reading cost, as a table."""

import numpy as np
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet as pq
import pytest

import isometrics as iso
from isometrics.cli import main
from isometrics.sources.tables import Pass, explain_passes


def test_bytes_are_in_the_unit_that_suits_them():
    said = ("0 B", "9,999 B", "10 kB", "52 MB", "8,000,000 TB", "not told")
    for size, text in zip((0, 9_999, 10_000, 52_400_000, 8 * 10**18, None), said, strict=True):
        first, last = explain_passes([Pass("totals", 1, size, 0, 1)]).splitlines()[2:]
        assert text in first
        assert text in last


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


def predictions(size):
    rng = np.random.default_rng(2)
    labels = rng.random(size) < 0.5
    return pa.table({"label": labels, "score": rng.normal(labels, 1), "text": ["x" * 9] * size})


def test_a_parquet_file_is_read_in_its_columns_alone(tmp_path):
    file = tmp_path / "a.parquet"
    pq.write_table(predictions(3000), file, row_group_size=1000)
    metadata = pq.read_metadata(file)
    groups = [metadata.row_group(index) for index in range(3)]
    size = sum(group.column(column).total_compressed_size for group in groups for column in (0, 1))
    assert iso.read_predictions(file).passes == (Pass("scores", 3000, size, 0, 3000),)
    assert size < file.stat().st_size
    (tmp_path / "day=1").mkdir()
    file.rename(tmp_path / "day=1" / "a.parquet")
    assert iso.read_predictions(tmp_path).passes == (Pass("scores", 3000, size, 0, 3000),)


@pytest.mark.parametrize("name", ["a.csv", "a.jsonl", "a.arrow"])
def test_other_files_are_read_whole(tmp_path, name):
    file = tmp_path / name
    table = predictions(50)
    if name == "a.csv":
        table.to_pandas().to_csv(file, index=False)
    elif name == "a.jsonl":
        table.to_pandas().astype({"label": int}).to_json(file, orient="records", lines=True)
    else:
        pyarrow.feather.write_feather(table, str(file))
    size = file.stat().st_size
    assert iso.read_predictions(file).passes == (Pass("scores", 50, size, 0, 50),)


def test_text_is_read_once_whatever_follows_the_first_rows(tmp_path):
    file = tmp_path / "a.csv"
    rows = [f"{row % 2},{row}" for row in range(30_000)]
    file.write_text("\n".join(["label,score", *rows, "1,0.5", "0,0.25"]))
    (only,) = iso.read_predictions(file, scores="score").passes
    assert (only.rows, only.bytes) == (30_002, file.stat().st_size)


def test_frames_tell_no_bytes():
    (only,) = iso.read_predictions(predictions(50)).passes
    assert only == Pass("scores", 50, None, 0, 50)


@pytest.mark.slow
def test_a_tolerance_takes_two_passes(tmp_path):
    file = tmp_path / "a.parquet"
    pq.write_table(predictions(2_200_000).select(["label", "score"]), file)
    first, second = iso.read_predictions(file, tolerance=1e-4).passes
    assert first == second
    assert first.rows == 2_200_000
