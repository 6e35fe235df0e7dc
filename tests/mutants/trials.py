"""Run tests on mutated copies of the sources: one process for each mutant.

They are forked from one that has loaded pytest and large packages, but nothing of isometrics.
"""

import compileall
import importlib.util
import multiprocessing
import os
import shutil
import signal
import sys
import traceback
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path
from queue import SimpleQueue

import pytest
from hypothesis import Phase, settings

# What takes long to load and may be forked; the threads of polars may not.
PRELOADED = [
    "cyclopts",
    "duckdb",
    "hypothesis.extra.numpy",
    "matplotlib.pyplot",
    "mpmath",
    "narwhals.stable.v2",
    "pandas",
    "pyarrow.parquet",
    "pytest",
    "rich.progress",
    "scipy.integrate",
    "scipy.optimize",
    "scipy.stats",
    "sklearn.metrics",
]
ENVIRONMENT = {
    "HYPOTHESIS_PROFILE": "mutants",
    "MPLBACKEND": "agg",
    "OMP_NUM_THREADS": "1",
    "PYTHONDONTWRITEBYTECODE": "1",
}
FORKING = multiprocessing.get_context("forkserver")
VERDICTS = {pytest.ExitCode.OK: "survived", pytest.ExitCode.TESTS_FAILED: "killed"}

# A failure is enough: no shrinking, and nothing is kept for later runs.
settings.register_profile(
    "mutants",
    deadline=None,
    max_examples=20,
    database=None,
    phases=(Phase.explicit, Phase.generate),
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


def run(
    trials: Iterable[Trial], root: Path, folder: Path, *, workers: int, seed: int
) -> Iterator[Outcome]:
    os.environ |= ENVIRONMENT
    FORKING.set_forkserver_preload(PRELOADED)
    free: SimpleQueue[Path] = SimpleQueue()
    for number in range(workers):
        free.put(copy_sources(root, folder / f"copy-{number}"))
    with ThreadPoolExecutor(workers) as pool:
        waiting = [pool.submit(outcome_of, trial, root, free, seed) for trial in trials]
        try:
            for done in as_completed(waiting):
                yield done.result()
        finally:
            pool.shutdown(cancel_futures=True)


def copy_sources(root: Path, folder: Path) -> Path:
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(root / "src", folder / "src", ignore=shutil.ignore_patterns("__pycache__"))
    compileall.compile_dir(folder / "src", quiet=2)
    return folder


def outcome_of(trial: Trial, root: Path, free: SimpleQueue[Path], seed: int) -> Outcome:
    copy = free.get()
    failed = copy / "failed"
    failed.unlink(missing_ok=True)
    if trial.path is not None:
        changed = copy / trial.path
        changed.write_text(trial.source(), "utf-8")
        Path(importlib.util.cache_from_source(str(changed))).unlink(missing_ok=True)
    for tests in trial.stages:
        given = tests, trial.path is not None, root, copy, seed
        process = FORKING.Process(target=run_tests, args=given)
        process.start()
        process.join(trial.limit)
        names = failed.read_text().splitlines() if failed.exists() else []
        verdict = verdict_on(process, names)
        if verdict != "survived":
            break
    if trial.path is not None:
        shutil.copy2(root / trial.path, changed)
    free.put(copy)
    return Outcome(trial.key, verdict, names)


def verdict_on(process: multiprocessing.Process, failed: list[str]) -> str:
    """Return what an end of the tests says; those that have not ended are killed."""
    if process.exitcode is None:
        os.killpg(process.pid, signal.SIGKILL)
        process.join()
        return "timeout"
    # A process that a signal ended is killed by its mutant, and so is a module of tests that
    # could not be imported.
    if process.exitcode < 0 or (process.exitcode == pytest.ExitCode.INTERRUPTED and failed):
        return "killed"
    return VERDICTS.get(process.exitcode, "broken")


def run_tests(tests: list[str], stop_at_first: bool, root: Path, copy: Path, seed: int) -> None:
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
        sys.dont_write_bytecode = True
        # Hypothesis is loaded already, which pytest warns of.
        options = ["-W", "ignore::pytest.PytestAssertRewriteWarning", "-p", "no:cacheprovider"]
        options += [f"--hypothesis-seed={seed}", *(("-x",) if stop_at_first else ())]
        files = dict.fromkeys(test.partition("::")[0] for test in tests)
        code = pytest.main([*options, *files], plugins=[_Chosen(tests, copy / "failed")])
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
        if report.failed:
            with self._failed.open("a") as file:
                file.write(f"{report.nodeid}\n")

    pytest_runtest_logreport = pytest_collectreport
