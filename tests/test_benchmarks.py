"""The comparison with other tools: what it skips, stops and writes, and that it runs."""

import importlib
import json
import math
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

BENCHMARKS = Path(__file__).parent.parent / "benchmarks"
PAGE = BENCHMARKS.parent / "docs" / "benchmarks.md"
GB = 1 << 30


@pytest.fixture
def module(monkeypatch):
    """Import a file of benchmarks/, as its own script would."""
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    return importlib.import_module


def measured(rows, seconds, peak=0, **rest):
    return {"state": "measured", "rows": rows, "seconds": seconds, "peak": peak, **rest}


# ---------------------------------------------------------------------- what is left out


@pytest.mark.parametrize(
    ("times", "rows", "seconds"),
    [
        ([], 100, 0.0),
        ([(10, 2.0)], 100, 20.0),
        ([(10, 3.0), (100, 12.0)], 1000, 102.0),
        ([(10, 3.0), (100, 2.0)], 1000, 2.0),
        ([(10, 3.0), (100, 12.0)], 100, 12.0),
    ],
    ids=["nothing known", "in proportion", "on a line", "never less", "the same size"],
)
def test_times_are_extended_along_the_last_two_sizes(module, times, rows, seconds):
    assert module("peers").predicted(times, rows) == pytest.approx(seconds)


@pytest.mark.parametrize(
    ("earlier", "state"),
    [
        ([], None),
        ([measured(10**6, 5.9)], None),
        ([measured(10**6, 6.1)], "over time"),
        ([measured(10**6, 1.0, peak=GB)], "over memory"),
        ([measured(10**5, 0.1, peak=GB)], None),
        ([{"state": "stopped", "rows": 10**6, "note": ""}], "over time"),
        ([{"state": "failed", "rows": 10**6, "note": ""}], "failed"),
    ],
    ids=["new", "fits", "too long", "too large", "too small to tell", "stopped", "failed"],
)
def test_a_size_is_skipped_for_a_reason(module, earlier, state):
    reason = module("peers").reason_to_skip(earlier, 10**7, limit=60, memory=8 * GB)
    assert (reason and reason[0]) == state


def test_an_estimate_leaves_out_what_takes_too_long(module):
    peers = module("peers")
    work = peers.WORKS["pyprg: create_prg_curve, calc_auprg"]
    case = peers.CASES["distinct"]
    assert peers.estimate([(case, 10**8, work)]) == 0
    assert peers.estimate([(case, 10**4, work)]) > work.start


# ---------------------------------------------------------------------- processes


def events(module, code, **options):
    process = module("peers_process")
    return process, process.events_of([sys.executable, "-c", code], **options)


def test_a_process_is_read_until_it_is_done(module):
    code = 'print("noise"); print(\'{"event": "ready"}\'); print(\'{"event": "done", "x": 1}\')'
    _, found = events(module, code, limits={"": 60, "ready": 60})
    assert list(found) == [{"event": "ready"}, {"event": "done", "x": 1}]


def test_a_process_that_takes_too_long_is_stopped(module):
    code = 'import time; print(\'{"event": "ready"}\', flush=True); time.sleep(600)'
    process, found = events(module, code, limits={"": 60, "ready": 0.1})
    assert next(found) == {"event": "ready"}
    with pytest.raises(process.StoppedError, match=r"nothing within 0\.1 s after ready"):
        next(found)


def test_a_process_that_fails_says_why(module):
    process, found = events(module, "import no_such_tool", limits={"": 60})
    with pytest.raises(ChildProcessError, match="No module named 'no_such_tool'"):
        next(found)
    assert process.available_memory() > 0


def test_a_process_is_stopped_before_the_memory_is_used_up(module):
    process, found = events(
        module, "import time; time.sleep(600)", limits={"": 600}, reserve=1 << 60
    )
    if math.isinf(process.available_memory()):
        pytest.skip("this system does not tell how much memory is left")
    with pytest.raises(process.MemoryShortageError):
        next(found)


# ---------------------------------------------------------------------- the table


def results(module, *records):
    return module("peers_report").Results([{"case": "distinct", **record} for record in records])


def test_differences_are_the_largest_over_all_sizes(module):
    name, other = module("peers_work").ALL, "scors: roc_auc"
    found = results(
        module,
        measured(10, 1.0, work=name, values={"AUROC": 0.5}),
        measured(10, 3.0, work=other, values={"AUROC": 0.5}),
        measured(100, 1.0, work=name, values={"AUROC": 0.5}),
        measured(100, 3.0, work=other, values={"AUROC": 0.25}),
        {"state": "stopped", "rows": 1000, "work": other, "note": ""},
    )
    assert found.differences("distinct", other) == "AUROC 2e-01"
    assert found.differences("distinct", name) == ""
    assert found.ratio(found.get("distinct", 100, other), name) == "3"
    assert found.ratio(found.get("distinct", 100, other), "missing") == ""


def test_a_number_that_is_not_one_is_a_difference(module):
    name, other = module("peers_work").ALL, "scors: roc_auc"
    found = results(
        module,
        measured(10, 1.0, work=name, values={"AUROC": 0.5}),
        measured(10, 3.0, work=other, values={"AUROC": math.nan}),
    )
    assert found.differences("distinct", other) == "AUROC nan"


@pytest.mark.parametrize(
    ("record", "text"),
    [
        (None, ""),
        (measured(10, 0.000012345), "0.0000123"),
        (measured(10, 12.345), "12.3"),
        ({"state": "stopped"}, "stopped"),
        ({"state": "over time"}, "time"),
        ({"state": "over memory"}, "memory"),
        ({"state": "failed"}, "failed"),
    ],
)
def test_a_cell_has_the_seconds_or_the_reason(module, record, text):
    assert module("peers_report").cell(record) == text


# ---------------------------------------------------------------------- the tools and the run


def test_data_frames_and_sql_compute_the_areas(module, tmp_path):
    work, samples = module("peers_work"), module("peers_sample")
    pytest.importorskip("polars")
    samples.write_sample(tmp_path, 5000, prevalence=0.1, values=40, parquet=False)
    sample = samples.Sample.load(tmp_path)
    ours = work.areas_of_all(work.iso_all(sample)())
    for prepare in (work.duckdb_areas, work.polars_areas):
        found = prepare(sample)()
        assert found == pytest.approx({name: ours[name] for name in found}, abs=1e-13)
        assert set(found) == {work.AUROC, work.AP}


def test_ties_have_as_many_values_as_asked_for(module, tmp_path):
    samples = module("peers_sample")
    samples.write_sample(tmp_path, 20_000, prevalence=0.5, values=100, parquet=True)
    sample = samples.Sample.load(tmp_path)
    assert 90 < len(np.unique(sample.scores)) <= 100
    assert sample.parquet.exists()
    assert sample.head().parquet.exists()


def run(folder, *options):
    command = [sys.executable, str(BENCHMARKS / "peers.py"), "--quick", "--sizes", "1000"]
    command += ["--peers", "isometrics,scikit-learn", "--cases", "ties", "--folder", str(folder)]
    command += ["--python", sys.executable, *options]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.mark.slow
def test_a_small_run_writes_table_and_picture_and_goes_on(tmp_path):
    for package in ("matplotlib", "sklearn"):
        pytest.importorskip(package)
    done = run(tmp_path)
    assert done.returncode == 0, done.stderr
    assert "9 measurements" in done.stdout
    lines = [json.loads(line) for line in (tmp_path / "peers.jsonl").read_text().splitlines()]
    records = {record["work"]: record for record in lines[1:]}
    assert {record["state"] for record in records.values()} == {"measured"}
    areas = records["isometrics: table, five areas, hull"]["values"]
    peer = records["scikit-learn: roc_auc_score"]["values"]
    assert peer["AUROC"] == pytest.approx(areas["AUROC"], abs=1e-12)
    assert "| 1,000 values | scikit-learn | roc_auc_score |" in (tmp_path / "peers.md").read_text()
    assert "<svg" in (tmp_path / "peers.svg").read_text()

    # A run that was killed leaves a sample, and a part of a line.
    kept = (tmp_path / "peers.jsonl").read_text()
    (tmp_path / "peers.jsonl").write_text(kept + '{"case": "1,0')
    (tmp_path / "sample-left").mkdir()
    again = run(tmp_path, "--resume")
    assert "0 measurements" in again.stdout
    assert (tmp_path / "peers.jsonl").read_text() == kept
    assert not list(tmp_path.glob("sample-*"))
    other = {**lines[0], "cpu": "another"}
    (tmp_path / "peers.jsonl").write_text(json.dumps(other) + "\n")
    refused = run(tmp_path, "--resume")
    assert refused.returncode == 1
    assert "another machine" in refused.stderr


def test_the_page_shows_the_committed_results(module, tmp_path):
    copy = tmp_path / "page.md"
    copy.write_text(PAGE.read_text(encoding="utf-8"), encoding="utf-8")
    module("peers_report").insert((BENCHMARKS / "peers.md").read_text(encoding="utf-8"), copy)
    assert copy.read_text(encoding="utf-8") == PAGE.read_text(encoding="utf-8")
