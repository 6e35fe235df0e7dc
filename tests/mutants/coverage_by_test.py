"""Which tests run which lines, how long they take, and which of them pass."""

import json
import os
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from coverage import CoverageData


@dataclass(frozen=True)
class Coverage:
    """The tests of each line of each module, and the seconds of each test that passes."""

    by_line: dict[str, dict[int, set[str]]]
    seconds: dict[str, float]

    def tests_of(self, path: Path, lines: Iterable[int] | None) -> list[str]:
        """Return the tests that run one of the lines (any of the module if None), fastest first."""
        of_module = self.by_line.get(path.as_posix(), {})
        wanted = of_module if lines is None else lines
        tests = set().union(*(of_module.get(line, ()) for line in wanted))
        return sorted(tests & self.seconds.keys(), key=lambda test: (self.seconds[test], test))


def measure(root: Path, paths: list[Path], folder: Path, tests: list[str], workers: int) -> None:
    """Run the quick tests once, and note for each line of the modules which tests run it."""
    # Not coverage.ini: the data of several workers are coverage.*, all of which are removed first.
    settings = folder / "measured.ini"
    included = "\n    ".join(f"{root / path}" for path in paths)
    settings.write_text(f"[run]\nbranch = false\ninclude =\n    {included}\n")
    data, times = folder / "coverage", folder / "times.json"
    command = [
        *(sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-p", "coverage_by_test"),
        *("-m", "not slow", "--cov", "--cov-context=test", "--cov-report=", *tests),
        f"--cov-config={settings}",
        *(("-n", str(workers)) if workers > 1 else ()),
    ]
    here = str(Path(__file__).parent)
    environment = os.environ | {
        "COVERAGE_FILE": str(data),
        "MUTANTS_TIMES": str(times),
        "PYTHONPATH": os.pathsep.join((here, str(root / "src"))),
        "HYPOTHESIS_PROFILE": "quick",
    }
    subprocess.run(command, cwd=root, env=environment, check=False)
    if not load(root, folder).seconds:
        sys.exit("no test passed, so no mutant can be tried; see the output above")


def load(root: Path, folder: Path) -> Coverage:
    seconds = json.loads((folder / "times.json").read_text())
    data = CoverageData(str(folder / "coverage"))
    data.read()
    by_line: dict[str, dict[int, set[str]]] = defaultdict(dict)
    for file in data.measured_files():
        path = Path(file).relative_to(root).as_posix()
        for line, contexts in data.contexts_by_lineno(file).items():
            by_line[path][line] = {each.rpartition("|")[0] for each in contexts if each}
    return Coverage(by_line, seconds)


# The hooks of the run that is measured, which loads this module as a plugin.
_seconds: dict[str, float] = defaultdict(float)
_not_passed: set[str] = set()


def pytest_runtest_logreport(report) -> None:
    _seconds[report.nodeid] += report.duration
    if report.outcome != "passed":
        _not_passed.add(report.nodeid)


def pytest_sessionfinish(session) -> None:
    if hasattr(session.config, "workerinput"):
        return
    passed = {test: _seconds[test] for test in _seconds.keys() - _not_passed}
    Path(os.environ["MUTANTS_TIMES"]).write_text(json.dumps(passed))
