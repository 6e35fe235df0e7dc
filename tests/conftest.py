"""Hypothesis profiles, and what to do about tests that cannot run here.

``HYPOTHESIS_PROFILE`` chooses the profile, ``dev`` (the default) or ``ci``.
With ``ISOMETRICS_REQUIRE_ALL`` set, a skipped test fails the run.
"""

import os
import sys
from importlib.util import find_spec

import pytest
from hypothesis import settings

# Timing on a shared machine says nothing about a law, hence no deadline.
settings.register_profile("dev", deadline=None)
settings.register_profile("ci", deadline=None, derandomize=False, print_blob=True)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "dev"))

OPTIONAL_PARTS = {
    "arff": "ARFF files",
    "matplotlib": "plots",
    "mpmath": "exact references",
    "pandas": "pandas frames",
    "polars": "polars frames",
    "pyarrow": "Arrow tables",
    "sklearn": "comparison with scikit-learn",
}


@pytest.fixture(autouse=True)
def closed_figures():
    """Close what a test or an example drew; pyplot keeps figures, and warns when they are many."""
    yield
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")


def skipped_tests(config: pytest.Config) -> list[str]:
    """Return the skipped tests and modules, each once; empty on an xdist worker."""
    reporter = config.pluginmanager.get_plugin("terminalreporter")
    reports = reporter.getreports("skipped") if reporter else []
    return sorted({report.nodeid for report in reports})


@pytest.hookimpl(tryfirst=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    if (
        os.environ.get("ISOMETRICS_REQUIRE_ALL")
        and session.exitstatus == pytest.ExitCode.OK
        and skipped_tests(session.config)
    ):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    for module, purpose in OPTIONAL_PARTS.items():
        if find_spec(module) is None:
            terminalreporter.write_line(f"optional part missing: {module} ({purpose})")
    if os.environ.get("ISOMETRICS_REQUIRE_ALL"):
        for nodeid in skipped_tests(terminalreporter.config):
            terminalreporter.write_line(f"ISOMETRICS_REQUIRE_ALL forbids skipping: {nodeid}")
