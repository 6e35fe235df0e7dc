"""Files much larger than the memory limit give the answers of arrays in memory."""

from itertools import pairwise

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import isometrics as iso
from isometrics.errors import FileError, LabelError
from isometrics.measures import area_brackets
from isometrics.sources import binned_rows

ROWS = 300_000


@pytest.fixture(scope="module")
def sample():
    random = np.random.default_rng(11)
    scores = random.normal(size=ROWS)
    labels = random.random(ROWS) < 1 / (1 + np.exp(3 - 2 * scores))
    return labels, scores


@pytest.fixture(scope="module")
def full(sample):
    return iso.OperatingPoints.from_scores(*sample)


@pytest.fixture(scope="module")
def parquet(sample, tmp_path_factory):
    path = tmp_path_factory.mktemp("data") / "predictions.parquet"
    labels, scores = sample
    pq.write_table(pa.table({"label": labels, "score": scores}), path, row_group_size=70_000)
    return path


@pytest.mark.usefixtures("any_memory_limit")
def test_a_small_limit_keeps_the_hull_and_all_areas(parquet, full):
    told = []
    analysis = iso.read_predictions(
        parquet, memory_limit="1MB", progress=lambda *rows: told.append(rows)
    )
    found = analysis.models["score"]
    assert found.table.partial
    assert len(found) < len(full) / 5
    assert found.hull().table == full.hull().table
    np.testing.assert_array_equal(full.at(found.thresholds).tp[1:], found.tp[1:])
    for name, (lo, hi) in area_brackets(found).items():
        assert lo == hi
        assert lo == pytest.approx(area_brackets(full)[name].lo, rel=1e-12), name
    assert told[-1] == (ROWS, ROWS)
    # Each pass over the file begins anew.
    rows = [0, *(rows for rows, _ in told)]
    begins = sum(now < before for before, now in pairwise(rows))
    assert begins + 1 == len(analysis.passes) > 1
    assert rows.count(ROWS) >= len(analysis.passes)
    assert analysis.description == f"{parquet}: label: label (guessed); score: score (guessed)"


@pytest.mark.parametrize("tolerance", [0.05, 1e-4])
def test_a_tolerance(parquet, full, tolerance, monkeypatch):
    monkeypatch.setattr(binned_rows, "FIRST_ROWS", 20_000)
    found = iso.read_predictions(parquet, tolerance=tolerance, memory_limit="250MB").models["score"]
    assert found.table.partial
    assert len(found) < len(full)
    mine, theirs = found.hull(), full.hull()
    np.testing.assert_array_equal(mine.thresholds, theirs.thresholds)
    np.testing.assert_array_equal(mine.tp, theirs.tp)
    exact = area_brackets(full)
    for name, (lo, hi) in area_brackets(found).items():
        assert lo <= exact[name].lo <= hi, name
        if name in ("AUROC", "AUPR", "average precision", "AUPRG"):
            assert hi - lo <= tolerance


def test_without_a_limit_the_table_is_that_of_the_arrays(parquet, full, standard_input):
    standard_input(parquet.read_bytes())
    for given in (parquet, "-"):
        assert iso.read_predictions(given).models["score"] == full


def test_a_format_that_needs_more_than_the_file(tmp_path):
    (tmp_path / "x.roc").write_text("0 0\n0.5 1\n1 1\n")
    with pytest.raises(FileError) as refused:
        iso.read_predictions(tmp_path / "x.roc")
    said = str(refused.value)
    assert said.startswith(f"cannot read {str(tmp_path / 'x.roc')!r} alone: it looks like ")
    assert "isometrics.formats.read and positives=" in said


WEKA = "inst#,actual,predicted,error,prediction\n1,1:no,1:no,,0.7\n2,2:yes,2:yes,,0.9\n" \
       "3,1:no,2:yes,+,0.6\n"  # fmt: skip


def test_a_file_of_another_tool(tmp_path):
    (tmp_path / "out.txt").write_text(WEKA)
    (tmp_path / "other.txt").write_text(WEKA.replace("yes", "maybe"))
    with pytest.raises(LabelError, match="say which one is positive with pos_label="):
        iso.read_predictions(tmp_path / "other.txt")
    analysis = iso.read_predictions(tmp_path / "out.txt", pos_label="yes")
    (found,) = analysis.models.values()
    assert (found.positives, found.negatives) == (1, 2)
    assert analysis.description.startswith(str(tmp_path / "out.txt"))
    (tmp_path / "x.list").write_text("0.9 1\n0.5 0\n0.25 1\n")
    expected = iso.OperatingPoints.from_scores([1, 0, 1], [0.9, 0.5, 0.25])
    # Whoever names columns has them looked for, as in any table.
    for named in ({}, {"label": "label"}):
        (found,) = iso.read_predictions(tmp_path / "x.list", **named).models.values()
        np.testing.assert_array_equal(found.tp, expected.tp)
