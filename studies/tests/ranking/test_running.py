"""A study that was ended goes on; parts are whole; processes do not change results."""

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from isometrics.errors import EmptyInputError, FileError, ParameterError
from isometrics_studies.ranking import running
from isometrics_studies.ranking.datasets import built_in_tasks
from isometrics_studies.ranking.results import part_path
from isometrics_studies.ranking.running import run_study, settings_of

TASKS = built_in_tasks()[1:4]
SETTINGS = settings_of(models=5, folds=3)


def numbers(table):
    """Return all that does not depend on the clock."""
    return table.drop_columns(["seconds"])


@pytest.fixture(scope="module")
def in_one_go(tmp_path_factory):
    return run_study(TASKS, SETTINGS, tmp_path_factory.mktemp("one go"))


def written(folder):
    """Return when the part of each task was written; a part that is computed again is replaced."""
    paths = {task.name: part_path(folder / "parts", task.name) for task in TASKS}
    return {name: path.stat().st_mtime_ns for name, path in paths.items() if path.exists()}


def computed(folder, before):
    """Return the tasks whose parts were written since."""
    return {name for name, when in written(folder).items() if before.get(name) != when}


def test_there_is_one_row_for_each_task_and_model(in_one_go):
    pairs = set(zip(in_one_go["task"].to_pylist(), in_one_go["model"].to_pylist(), strict=True))
    assert len(pairs) == in_one_go.num_rows == 15
    assert {name for name, _ in pairs} == {task.name for task in TASKS}
    assert in_one_go["rank_aupr"].to_pylist()[:5] != [None] * 5


def test_a_run_that_was_ended_goes_on_where_it_was(tmp_path, in_one_go):
    def end_after_two(done, _):
        if done == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_study(TASKS, SETTINGS, tmp_path, progress=end_after_two)
    assert not (tmp_path / "results.parquet").exists()
    before = written(tmp_path)
    assert len(before) == 2
    done = []
    result = run_study(TASKS, SETTINGS, tmp_path, progress=lambda *each: done.append(each))
    assert done == [(3, 3)]
    assert computed(tmp_path, before) == {task.name for task in TASKS} - before.keys()
    assert numbers(result).equals(numbers(in_one_go))
    assert pq.read_table(tmp_path / "results.parquet").equals(result)


def test_a_truncated_part_is_computed_again(tmp_path, in_one_go):
    run_study(TASKS, SETTINGS, tmp_path)
    part = part_path(tmp_path / "parts", TASKS[1].name)
    part.write_bytes(part.read_bytes()[:-200])
    before = written(tmp_path)
    result = run_study(TASKS, SETTINGS, tmp_path)
    assert computed(tmp_path, before) == {TASKS[1].name}
    assert numbers(result).equals(numbers(in_one_go))


def test_other_settings_or_data_are_computed_again(tmp_path):
    run_study(TASKS[:2], SETTINGS, tmp_path)
    before = written(tmp_path)
    run_study(TASKS[:2], settings_of(models=5, folds=3, random_state=1), tmp_path)
    assert computed(tmp_path, before) == {TASKS[0].name, TASKS[1].name}
    foreign = part_path(tmp_path / "parts", TASKS[0].name)
    table = pq.read_table(foreign)
    pq.write_table(table.replace_schema_metadata(None), foreign)
    before = written(tmp_path)
    run_study(TASKS[:2], settings_of(models=5, folds=3, random_state=1), tmp_path)
    assert computed(tmp_path, before) == {TASKS[0].name}


def test_processes_do_not_change_results(tmp_path, in_one_go):
    result = run_study(TASKS, SETTINGS, tmp_path, n_jobs=2)
    assert numbers(result).equals(numbers(in_one_go))


def test_an_error_in_a_process_is_raised_and_ends_the_others(tmp_path):
    broken = [TASKS[0], TASKS[1]]
    settings = SETTINGS._replace(models=("no such model", "LDA"))
    with pytest.raises(ParameterError, match="no such model"):
        run_study(broken, settings, tmp_path, n_jobs=2)


KILLED = """
import sys
from isometrics_studies.ranking.datasets import built_in_tasks
from isometrics_studies.ranking.running import run_study, settings_of
if __name__ == "__main__":
    run_study(built_in_tasks(), settings_of(models=30, folds=2), sys.argv[1], n_jobs=2)
"""


def test_a_process_ends_when_its_parent_has_ended(monkeypatch):
    ended = threading.Event()
    codes = []

    class Parent:
        def join(self):
            ended.set()

    def end(code):
        codes.append(code)
        done.set()

    done = threading.Event()
    monkeypatch.setattr(running.multiprocessing, "parent_process", Parent)
    monkeypatch.setattr(running.os, "_exit", end)
    running._end_with_parent()
    assert done.wait(60)
    assert ended.is_set()
    assert codes == [1]


@pytest.mark.skipif(os.name == "nt", reason="signals are those of POSIX")
def test_when_the_program_is_killed_its_processes_end_and_parts_are_whole(tmp_path):
    script = tmp_path / "run.py"
    script.write_text(KILLED)
    paths = os.pathsep.join(filter(None, sys.path))
    # The processes inherit this pipe; it ends when the last of them has ended.
    reader, writer = os.pipe()
    program = subprocess.Popen(
        [sys.executable, script, tmp_path],
        env=os.environ | {"PYTHONPATH": paths},
        pass_fds=[writer],
        stderr=writer,
    )
    os.close(writer)
    parts = tmp_path / "parts"
    while program.poll() is None and not (parts.is_dir() and any(parts.glob("*.parquet"))):
        time.sleep(0.05)
    program.send_signal(signal.SIGKILL)
    program.wait()
    with os.fdopen(reader, "rb") as rest:
        rest.read()
    for part in Path(parts).glob("*.parquet"):
        assert pq.read_table(part).num_rows == 30


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"folds": 1}, "folds must be 2 or more but is 1"),
        ({"random_state": -1}, "random_state must be 0 or more but is -1"),
        ({"limit": 0.0}, "limit must be a number of seconds above 0 but is 0"),
        ({"models": 1000}, "models must be a number from 2"),
    ],
)
def test_bad_settings_are_told(options, said):
    with pytest.raises(ParameterError, match=said):
        settings_of(**options)


def test_every_task_has_a_file_name_of_its_own(tmp_path):
    names = ["a/b.csv", "a_b.csv", "ä" * 100, "ä" * 101, "..", "a\nb", "a b"]
    paths = [part_path(tmp_path, name) for name in names]
    assert len({path.name for path in paths}) == len(names)
    for path in paths:
        path.write_bytes(b"")
        assert path.parent == tmp_path


def test_nothing_to_do_and_nowhere_to_write_are_told(tmp_path):
    with pytest.raises(EmptyInputError, match="no task to run"):
        run_study([], SETTINGS, tmp_path)
    (tmp_path / "in the way").write_text("")
    with pytest.raises(FileError, match="cannot make the folder"):
        run_study(TASKS, SETTINGS, tmp_path / "in the way")
