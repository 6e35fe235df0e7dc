"""Hypothesis profiles, which tests are slow, and what to do about tests that cannot run here.

``HYPOTHESIS_PROFILE`` chooses the profile: ``dev`` (the default) draws new examples in every run,
``quick`` (as ``make test``) and ``ci`` (as ``.ci/run``) the same ones. ``ISOMETRICS_SEED`` repeats
what a run drew outside of hypothesis; the end of a run prints it.
With ``ISOMETRICS_REQUIRE_ALL`` set, a skipped test fails the run.
"""

import io
import os
import re
import secrets
import shutil
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np  # noqa: F401 (the command sets up NumPy before it is loaded, and tests run it)
import pytest
from hypothesis import settings

# Timing on a shared machine says nothing about a law, hence no deadline.
settings.register_profile("dev", deadline=None)
# What passed once passes again for a newcomer and before a change lands; ``dev`` goes on searching.
QUICK_EXAMPLES = 12
settings.register_profile("quick", deadline=None, max_examples=QUICK_EXAMPLES, derandomize=True)
settings.register_profile("ci", deadline=None, derandomize=True)
PROFILE = os.environ.get("HYPOTHESIS_PROFILE", "dev")
settings.load_profile(PROFILE)

# Paths below this folder: they start processes that take seconds, or load large packages.
SLOW_PATHS = (
    "studies/tests/ranking/test_running.py",
    "studies/tests/test_command_papers.py",
    "studies/tests/test_command_ranking.py",
    "studies/tests/test_papers.py",
    "tests/browser/",
    "tests/cli/test_interrupting.py",
    "tests/conformance/test_engines.py",
    "tests/sources/test_devices.py",
    "tests/fuzz/",
    "tests/integrations/test_mlflow.py",
    "tests/integrations/test_skore.py",
    "tests/integrations/test_torchmetrics.py",
    "tests/_counting/test_triton_launch.py",
    "tests/laws/test_kernels.py",
    "tests/test_benchmarks.py",
    "tests/test_docs.py",
    "tests/test_docs_cli.py",
    "tests/test_notebooks.py",
    "tests/test_processes.py",
)
# A test that starts a browser, a cluster or Node is slow, wherever it stands.
SLOW_FIXTURES = {"browser", "spark", "web"}

PURPOSES = {
    "PostgreSQL": "tables of PostgreSQL",
    "adbc_driver_postgresql": "tables of PostgreSQL",
    "adbc_driver_sqlite": "tables of SQLite",
    "anywidget": "the page in a notebook",
    "arff": "ARFF files",
    "array_api_strict": "arrays of the array API standard",
    "chromium": "the page in a browser",
    "dask": "Dask tables",
    "editables": "editable installations",
    "hatchling": "wheels",
    "ipykernel": "the example notebook",
    "java": "Spark tables",
    "jax": "JAX arrays",
    "jupyterlab": "the page in JupyterLab",
    "matplotlib": "plots",
    "mlflow": "MLflow runs",
    "mpmath": "exact references",
    "nbclient": "the example notebook",
    "node": "the page's own code",
    "openml": "tasks of OpenML",
    "pandas": "pandas frames",
    "playwright": "the page in a browser",
    "polars": "polars frames",
    "pyspark": "Spark tables",
    "sklearn": "comparison with scikit-learn",
    "skore": "skore reports",
    "torch": "torch tensors",
    "torchmetrics": "metrics for torch",
    "triton": "kernels for CUDA",
}

# Code for graphics cards runs in Triton's interpreter; it asks for this when it is imported.
os.environ.setdefault("TRITON_INTERPRET", "1")
# Workers share the cores: a thread of OpenMP that waits for another keeps a core from a worker.
os.environ.setdefault("OMP_NUM_THREADS", "1")
# MLflow reports its use to its makers unless told not to; tests reach nothing outside.
os.environ |= {"MLFLOW_DISABLE_TELEMETRY": "true", "DO_NOT_TRACK": "true"}

# What is drawn outside of hypothesis, the same for all workers of a run.
os.environ.setdefault("ISOMETRICS_SEED", str(secrets.randbits(32) if PROFILE == "dev" else 2015))


@pytest.fixture(autouse=True)
def closed_figures():
    """Close what a test or an example drew; pyplot keeps figures, and warns when they are many."""
    yield
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")


@pytest.fixture(scope="session")
def compiled_loops():
    """Skip where the package was built without a C compiler, or from other sources."""
    from isometrics._counting import native

    if not native.available():
        pytest.skip("compiled loops are not built; with a C compiler, run python hatch_build.py")


@pytest.fixture(scope="module", params=["compiled loops", "NumPy alone"])
def either_kernel(request):
    """Run the tests of a module with the compiled loops, and with NumPy alone.

    Quick tests run them once: with NumPy where there are no loops.
    """
    from isometrics._counting import native

    if request.param == "compiled loops":
        request.getfixturevalue("compiled_loops")
        yield
        return
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(native, "available", lambda: False)
        yield


@pytest.fixture
def standard_input(monkeypatch):
    """Return a function that puts bytes on standard input."""

    def give(content):
        monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(content)))

    return give


@pytest.fixture
def any_memory_limit(monkeypatch):
    """Take limits of a few bytes too, so that small samples do not fit."""
    from isometrics.sources import memory_limit as memory

    monkeypatch.setattr(memory, "LIBRARIES", 0)
    monkeypatch.setattr(memory, "LEAST", 0)


@pytest.fixture(scope="session")
def spark():
    """Start Spark on this machine, once for each worker that needs it."""
    sql = pytest.importorskip("pyspark.sql")
    if shutil.which("java") is None:
        pytest.skip("java is not installed")
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


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    from isometrics._counting import native

    for item in items:
        if PROFILE == "quick":
            draw_few(item)
        path = item.path.relative_to(Path(__file__).parent).as_posix()
        fixtures = getattr(item, "fixturenames", ())
        if path.startswith(SLOW_PATHS) or SLOW_FIXTURES.intersection(fixtures):
            item.add_marker("slow")
        elif "either_kernel" in fixtures:
            again = item.callspec.params["either_kernel"] == "NumPy alone" and native.available()
            if again:
                item.add_marker("slow")


def draw_few(item: pytest.Item) -> None:
    """Let tests that ask for more examples than others draw as few where they have to be quick."""
    own = getattr(item.obj, "_hypothesis_internal_use_settings", None)
    if own is not None and own.max_examples > QUICK_EXAMPLES:
        item.obj._hypothesis_internal_use_settings = settings(own, max_examples=QUICK_EXAMPLES)


def skipped_tests(config: pytest.Config) -> dict[str, str]:
    """Return why each skipped test or module was skipped; empty on an xdist worker."""
    reporter = config.pluginmanager.get_plugin("terminalreporter")
    reports = reporter.getreports("skipped") if reporter else []
    return {report.nodeid: why_skipped(report.longrepr[2]) for report in reports}


def why_skipped(reason: str) -> str:
    """Name what is missing in the same words for packages and programs."""
    reason = reason.removeprefix("Skipped: ")
    if missing := re.match(r"could not import '(\w+)|(\w+) is not installed$", reason):
        name = missing[1] or missing[2]
        purpose = f" ({PURPOSES[name]})" if name in PURPOSES else ""
        return f"{name} is not installed{purpose}"
    return reason


@pytest.hookimpl(tryfirst=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    if (
        os.environ.get("ISOMETRICS_REQUIRE_ALL")
        and session.exitstatus == pytest.ExitCode.OK
        and skipped_tests(session.config)
    ):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


# Last, so that a coverage table stands above; pytest itself names failed tests below.
@pytest.hookimpl(trylast=True)
def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    terminalreporter.ensure_newline()
    skipped = skipped_tests(terminalreporter.config)
    for reason in sorted(set(skipped.values()), key=str.lower):
        terminalreporter.write_line(f"skipped: {reason}")
    terminalreporter.write_line(f"ISOMETRICS_SEED={os.environ['ISOMETRICS_SEED']}")
    if os.environ.get("ISOMETRICS_REQUIRE_ALL"):
        for nodeid in sorted(skipped):
            terminalreporter.write_line(f"ISOMETRICS_REQUIRE_ALL forbids skipping: {nodeid}")
