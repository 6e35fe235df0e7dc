"""Hypothesis profiles, and what to do about tests that cannot run here.

``HYPOTHESIS_PROFILE`` chooses the profile, ``dev`` (the default) or ``ci``. ``ISOMETRICS_SEED``
repeats what a run drew for the page; the end of a run prints it.
With ``ISOMETRICS_REQUIRE_ALL`` set, a skipped test fails the run.
"""

import os
import secrets
import shutil
import sys
from importlib.util import find_spec

import pytest
from hypothesis import settings

# Timing on a shared machine says nothing about a law, hence no deadline.
settings.register_profile("dev", deadline=None)
settings.register_profile("ci", deadline=None, derandomize=False, print_blob=True)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "dev"))

OPTIONAL_PARTS = {
    "adbc_driver_postgresql": "tables of PostgreSQL",
    "adbc_driver_sqlite": "tables of SQLite",
    "anywidget": "the page in a notebook",
    "arff": "ARFF files",
    "array_api_strict": "arrays of the array API standard",
    "jax": "JAX arrays",
    "matplotlib": "plots",
    "mlflow": "MLflow runs",
    "mpmath": "exact references",
    "nbclient": "the example notebook",
    "numba": "the compiled kernel",
    "openml": "tasks of OpenML",
    "pandas": "pandas frames",
    "playwright": "tests of the page in a browser",
    "polars": "polars frames",
    "pyarrow": "Arrow tables",
    "pyspark": "Spark tables",
    "sklearn": "comparison with scikit-learn",
    "skore": "skore reports",
    "torch": "torch tensors",
    "torchmetrics": "metrics for torch",
    "triton": "kernels for CUDA",
}
OPTIONAL_PROGRAMS = {
    "chromium": "tests of the page in a browser",
    "java": "Spark tables",
    "node": "tests of the page's own code",
}

# Code for graphics cards runs in Triton's interpreter; it asks for this when it is imported.
os.environ.setdefault("TRITON_INTERPRET", "1")
# MLflow reports its use to its makers unless told not to; tests reach nothing outside.
os.environ |= {"MLFLOW_DISABLE_TELEMETRY": "true", "DO_NOT_TRACK": "true"}

# What is drawn outside of hypothesis: new in every run, the same for all workers of one.
os.environ.setdefault("ISOMETRICS_SEED", str(secrets.randbits(32)))


@pytest.fixture(autouse=True)
def closed_figures():
    """Close what a test or an example drew; pyplot keeps figures, and warns when they are many."""
    yield
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")


@pytest.fixture(scope="session")
def spark():
    """Start Spark on this machine, once for each worker that needs it."""
    sql = pytest.importorskip("pyspark.sql")
    if shutil.which("java") is None:
        pytest.skip("Spark needs Java")
    builder = sql.SparkSession.builder.master("local[2]").appName("isometrics-tests")
    for key, value in {
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.log.level": "ERROR",
        "spark.sql.shuffle.partitions": "2",
        # Small queries are planned more often than they run.
        "spark.sql.adaptive.enabled": "false",
        "spark.sql.codegen.wholeStage": "false",
        "spark.sql.codegen.factoryMode": "NO_CODEGEN",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
    }.items():
        builder = builder.config(key, value)
    session = builder.getOrCreate()
    yield session
    session.stop()


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
    for program, purpose in OPTIONAL_PROGRAMS.items():
        if shutil.which(program) is None:
            terminalreporter.write_line(f"optional program missing: {program} ({purpose})")
    terminalreporter.write_line(f"ISOMETRICS_SEED={os.environ['ISOMETRICS_SEED']}")
    if os.environ.get("ISOMETRICS_REQUIRE_ALL"):
        for nodeid in skipped_tests(terminalreporter.config):
            terminalreporter.write_line(f"ISOMETRICS_REQUIRE_ALL forbids skipping: {nodeid}")
