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
DOCS = BENCHMARKS.parent / "docs"
GB = 1 << 30


@pytest.fixture
def module(monkeypatch):
    """Import a file of benchmarks/, as its own script would."""
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    return importlib.import_module


def measured(rows, seconds, peak=0, first=None, **rest):
    first = seconds if first is None else first
    times = {"seconds": seconds, "first": first}
    return {"state": "measured", "rows": rows, "peak": peak, **times, **rest}


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
    work = peers.WORKS["pyprg: AUPRG"]
    assert peers.estimate([(10**8, work)]) == 0
    assert peers.estimate([(10**4, work)]) > work.start


def test_a_whole_run_takes_less_than_twelve_minutes(module):
    peers = module("peers")
    plan = [(rows, work) for rows in peers.SIZES for work in peers.WORKS.values()]
    assert 300 < peers.estimate(plan) < 12 * 60


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
    return module("peers_report").Results(list(records))


def test_a_difference_is_the_largest_over_all_sizes(module):
    name, other = module("peers_work").ALL, "scors: AUROC"
    records = [
        measured(10, 1.0, work=name, values={"AUROC": 0.5}),
        measured(10, 3.0, work=other, values={"AUROC": 0.5}),
    ]
    assert results(module, *records).difference(other) == "0"
    records += [
        measured(100, 1.0, work=name, values={"AUROC": 0.5}),
        measured(100, 3.0, work=other, values={"AUROC": 0.25}),
        {"state": "stopped", "rows": 1000, "work": other, "note": ""},
    ]
    found = results(module, *records)
    assert found.difference(other) == "2e-01"
    assert found.difference(name) == found.difference("missing") == ""


def test_a_number_that_is_not_one_is_a_difference(module):
    name, other = module("peers_work").ALL, "scors: AUROC"
    found = results(
        module,
        measured(10, 1.0, work=name, values={"AUROC": 0.5}),
        measured(10, 3.0, work=other, values={"AUROC": math.nan}),
    )
    assert found.difference(other) == "NaN"


@pytest.mark.parametrize(
    ("record", "text"),
    [
        (None, ""),
        (measured(10, 0.000012345, first=0.0012), "12 µs (1.2 ms)"),
        (measured(10, 0.1234, first=1.0), "123 ms (1.0 s)"),
        (measured(10, 12.345), "12 s"),
        (measured(10, 112.345), "112 s"),
        ({"state": "stopped"}, "stopped"),
        ({"state": "over time"}, "too long"),
        ({"state": "over memory"}, "too large"),
        ({"state": "failed"}, "failed"),
    ],
)
def test_a_cell_has_both_times_or_the_reason(module, record, text):
    assert module("peers_report").cell(record) == text


def test_the_page_says_who_is_faster_and_by_how_much(module):
    work, report = module("peers_work"), module("peers_report")
    records = [
        measured(100, 2.0, work=work.OURS),
        measured(100, 1.0, work="scors: AUROC"),
        measured(100, 3.0, work="scikit-learn: AUROC"),
        measured(1000, 2.0, work=work.OURS),
        measured(1000, 5.0, work="scors: AUROC"),
        {"state": "stopped", "rows": 1000, "work": "scikit-learn: AUROC", "note": ""},
    ]
    said = report.meaning(report.Results(records))
    assert said == (
        "For AUROC of 1e3 rows, other tools take so many times as long as isometrics: scors 2.5. "
        "Faster than isometrics: scors up to 1e2 rows."
    )
    slower = [records[0], records[2]]
    assert report.meaning(report.Results(slower)).endswith("Faster than isometrics: none of them.")
    assert report.meaning(report.Results(records[:1])) == ""


@pytest.mark.parametrize(("load", "says"), [(0.4, False), (1.0, False), (14.5, True)])
def test_the_page_says_whether_the_machine_was_busy(module, load, says):
    said = module("peers_report").disturbed({"load": load, "cores": 2})
    assert said.startswith(" **The machine was busy") == says


# ---------------------------------------------------------------------- the tools and the run


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
