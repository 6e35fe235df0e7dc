"""Run tests on mutated copies of the sources: one process for each mutant, forked from this one.

What is forked has loaded pytest and the large packages, but nothing of isometrics.
"""

import compileall
import contextlib
import importlib
import importlib.util
import os
import shutil
import signal
import sys
import time
import traceback
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import Phase, settings

# What takes long to load and may be forked; the threads of polars may not.
PRELOADED = (
    "cyclopts",
    "duckdb",
    "hypothesis.extra.numpy",
    "matplotlib.pyplot",
    "mpmath",
    "narwhals.stable.v2",
    "pandas",
    "pyarrow.parquet",
    "rich.progress",
    "scipy.integrate",
    "scipy.optimize",
    "scipy.stats",
    "sklearn.metrics",
)


@dataclass(frozen=True)
class Trial:
    """A module to replace (none for a control), and the tests to run.

    A mutant that survives the first tests meets the next. Pytest imports the modules of all tests
    that it is given, which takes longer than most of them run.
    """

    key: str
    path: Path | None
    source: Callable[[], str]
    stages: list[list[str]]
    limit: float  # seconds of a stage


@dataclass(frozen=True)
class Outcome:
    key: str
    verdict: str  # killed, timeout, survived, broken
    tests: list[str]  # those that failed
    seconds: float


def preload() -> None:
    """Load what every test process needs, and the profile that the tests ask Hypothesis for."""
    os.environ |= {
        "HYPOTHESIS_PROFILE": "mutants",
        "MPLBACKEND": "agg",
        "OMP_NUM_THREADS": "1",
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    sys.dont_write_bytecode = True
    for name in PRELOADED:
        with contextlib.suppress(ImportError):
            importlib.import_module(name)
    # A failure is enough: no shrinking, and nothing is kept for later runs.
    settings.register_profile(
        "mutants",
        deadline=None,
        max_examples=20,
        database=None,
        phases=(Phase.explicit, Phase.generate),
    )


def copy_sources(root: Path, folder: Path) -> Path:
    """Copy the package, to be mutated there, and compile it."""
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(root / "src", folder / "src", ignore=shutil.ignore_patterns("__pycache__"))
    compileall.compile_dir(folder / "src", quiet=2)
    return folder


def run(
    trials: Iterable[Trial], root: Path, folder: Path, *, workers: int, seed: int
) -> Iterator[Outcome]:
    """Yield the outcome of each trial as soon as it is known."""
    waiting = iter(trials)
    free = [copy_sources(root, folder / f"copy-{number}") for number in range(workers)]
    running: dict[int, _Running] = {}
    try:
        while True:
            while free and (trial := next(waiting, None)) is not None:
                process = _start(trial, 0, root, free.pop(), seed)
                running[process.pid] = process
            if not running:
                return
            time.sleep(0.02)
            for process in list(running.values()):
                outcome = process.outcome()
                if outcome is None:
                    continue
                del running[process.pid]
                stage = process.stage + 1
                if outcome.verdict == "survived" and stage < len(process.trial.stages):
                    following = _start(process.trial, stage, root, process.copy, seed)
                    running[following.pid] = following
                    continue
                process.restore(root)
                free.append(process.copy)
                yield outcome
    finally:
        for process in running.values():
            process.kill()


@dataclass
class _Running:
    pid: int
    trial: Trial
    stage: int
    copy: Path
    started: float

    def outcome(self) -> Outcome | None:
        seconds = time.monotonic() - self.started
        if seconds > self.trial.limit:
            self.kill()
            return Outcome(self.trial.key, "timeout", [], seconds)
        pid, status = os.waitpid(self.pid, os.WNOHANG)
        if pid == 0:
            return None
        # A test process that a signal ended is killed by its mutant, too.
        code = os.waitstatus_to_exitcode(status)
        verdicts = {pytest.ExitCode.OK: "survived", pytest.ExitCode.TESTS_FAILED: "killed"}
        verdict = "killed" if code < 0 else verdicts.get(code, "broken")
        failed = self.copy / "failed"
        tests = failed.read_text().splitlines() if failed.exists() else []
        if code == pytest.ExitCode.INTERRUPTED and tests:
            verdict = "killed"  # a test module could not be imported
        return Outcome(self.trial.key, verdict, tests, seconds)

    def kill(self) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.pid, signal.SIGKILL)
        with contextlib.suppress(ChildProcessError):
            os.waitpid(self.pid, 0)

    def restore(self, root: Path) -> None:
        if self.trial.path is not None:
            shutil.copy2(root / self.trial.path, self.copy / self.trial.path)


def _start(trial: Trial, stage: int, root: Path, copy: Path, seed: int) -> _Running:
    (copy / "failed").unlink(missing_ok=True)
    if trial.path is not None and stage == 0:
        changed = copy / trial.path
        changed.write_text(trial.source(), "utf-8")
        Path(importlib.util.cache_from_source(str(changed))).unlink(missing_ok=True)
    started = time.monotonic()
    pid = os.fork()
    if pid == 0:
        _run_tests(trial.stages[stage], trial.path is not None, root, copy, seed)
    return _Running(pid, trial, stage, copy, started)


def _run_tests(tests: list[str], stop_at_first: bool, root: Path, copy: Path, seed: int) -> None:
    code = pytest.ExitCode.INTERNAL_ERROR
    try:
        os.setsid()
        output = os.open(copy / "output", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(output, 1)
        os.dup2(output, 2)
        os.chdir(root)
        sources = str(copy / "src")
        os.environ["PYTHONPATH"] = sources
        sys.path[0] = sources
        files = dict.fromkeys(test.partition("::")[0] for test in tests)
        # Hypothesis is loaded already, which pytest warns of.
        options = [
            "-W",
            "ignore::pytest.PytestAssertRewriteWarning",
            "-p",
            "no:cacheprovider",
            f"--hypothesis-seed={seed}",
        ]
        code = pytest.main(
            [*options, *(("-x",) if stop_at_first else ()), *files],
            plugins=[_Chosen(tests, copy / "failed")],
        )
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(int(code))


class _Chosen:
    """Runs the chosen tests in their order, and writes down which fail."""

    def __init__(self, tests: list[str], failed: Path) -> None:
        self._order = {test: number for number, test in enumerate(tests)}
        self._failed = failed

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items) -> None:
        items[:] = sorted(
            (item for item in items if item.nodeid in self._order),
            key=lambda item: self._order[item.nodeid],
        )

    def pytest_collectreport(self, report) -> None:
        self._note(report)

    def pytest_runtest_logreport(self, report) -> None:
        self._note(report)

    def _note(self, report) -> None:
        if report.failed:
            with self._failed.open("a") as file:
                file.write(f"{report.nodeid}\n")
