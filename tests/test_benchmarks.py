"""The comparison with other tools: it runs, goes on, and its tools compute the same areas."""

import importlib
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

BENCHMARKS = Path(__file__).parent.parent / "benchmarks"
DOCS = BENCHMARKS.parent / "docs"


@pytest.fixture
def module(monkeypatch):
    """Import a file of benchmarks/, as its own script would."""
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    return importlib.import_module


def test_data_frames_and_sql_compute_the_areas(module, tmp_path):
    work, samples = module("peers_work"), module("peers_sample")
    pytest.importorskip("polars")
    samples.write_sample(tmp_path, 5000)
    labels, scores = (np.load(tmp_path / name) for name in samples.FILES)
    sample = samples.Sample(labels, np.floor(scores * 40) / 40, tmp_path)
    ours = work.iso_all(sample)()[0]
    for prepare in (work.duckdb_areas, work.polars_areas):
        found = prepare(sample)()
        assert found == pytest.approx({name: ours[name] for name in found}, abs=1e-13)
        assert set(found) == {work.AUROC, work.AP}


def run(folder, *options):
    command = [sys.executable, str(BENCHMARKS / "peers.py"), "--sizes", "100", "1000"]
    command += ["--tools", "isometrics,scikit-learn", "--folder", str(folder), *options]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.mark.slow
def test_a_small_run_writes_table_and_picture_and_goes_on(tmp_path):
    for package in ("matplotlib", "sklearn"):
        pytest.importorskip(package)
    done = run(tmp_path)
    assert done.returncode == 0, done.stderr
    assert "8 measurements" in done.stdout
    lines = [json.loads(line) for line in (tmp_path / "speed.jsonl").read_text().splitlines()]
    records = {record["work"]: record for record in lines[1:]}
    assert {record["state"] for record in records.values()} == {"measured"}
    areas = records["isometrics: table, five areas, hull"]["values"]
    peer = records["scikit-learn: AUROC"]["values"]
    assert peer["AUROC"] == pytest.approx(areas["AUROC"], abs=1e-12)
    assert "| scikit-learn | AUROC |" in (tmp_path / "README.md").read_text()
    assert "<svg" in (tmp_path / "speed.svg").read_text()

    # A run that was killed leaves a sample, and a part of a line.
    kept = (tmp_path / "speed.jsonl").read_text()
    (tmp_path / "speed.jsonl").write_text(kept + '{"rows": 1')
    (tmp_path / "sample-left").mkdir()
    again = run(tmp_path)
    assert "0 measurements" in again.stdout
    assert (tmp_path / "speed.jsonl").read_text() == kept
    assert not list(tmp_path.glob("sample-*"))
    other = {**lines[0], "cpu": "another"}
    (tmp_path / "speed.jsonl").write_text(json.dumps(other) + "\n")
    refused = run(tmp_path)
    assert refused.returncode == 1
    assert "another machine" in refused.stderr


def test_the_documentation_has_the_same_page(module):
    page = (BENCHMARKS / "README.md").read_text(encoding="utf-8")
    documented = (DOCS / "benchmarks.md").read_text(encoding="utf-8")
    assert documented == module("peers_report").in_documentation(page)
    pictures = (BENCHMARKS / "speed.svg", DOCS / "images" / "speed.svg")
    assert pictures[0].read_text() == pictures[1].read_text()
