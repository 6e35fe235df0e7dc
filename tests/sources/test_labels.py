"""Labels of CSV files that are read as truth values keep their names."""

import pytest

import isometrics as iso


@pytest.mark.parametrize(("yes", "no"), [("yes", "no"), ("t", "f"), ("Y", "N"), ("TRUE", "FALSE")])
def test_a_positive_label_is_found_under_its_name(tmp_path, yes, no):
    file = tmp_path / "predictions.csv"
    file.write_text(f"y,score\n{yes},0.9\n{no},0.8\n{yes},0.7\n{no},0.1\n")
    result = iso.read_predictions(file, pos_label=yes)
    assert result.models["score"].roc.area() == 0.75
