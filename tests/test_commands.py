"""The commands of the Makefile: what the pages name exists, and what they print and install."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")
TARGETS = set(re.findall(r"^([a-z-]+):.*## ", MAKEFILE, re.MULTILINE))

if shutil.which("make") is None:
    pytest.skip("make is not installed", allow_module_level=True)


@pytest.mark.parametrize("page", ["README.md", "CONTRIBUTING.md", ".ci/run"])
def test_the_commands_of_a_page_are_targets(page):
    text = (ROOT / page).read_text(encoding="utf-8")
    named = re.findall(r"(?:^|`|\s)make(?: [A-Z]+=\S+)* ([a-z]+(?:-[a-z]+)*)(?=`|,|\"|\s)", text)
    assert {"demo", "test", "test-all"} <= set(named)
    assert set(named) <= TARGETS


def test_help_lists_every_target():
    shown = subprocess.run(["make", "help"], cwd=ROOT, capture_output=True, text=True, check=True)
    assert set(re.findall(r"^  make ([a-z-]+)  ", shown.stdout, re.MULTILINE)) == TARGETS
    phony = re.search(r"^\.PHONY: (.*)$", MAKEFILE, re.MULTILINE)[1]
    assert set(phony.split()) == TARGETS


TESTS = """
import pytest

def test_right():
    pass

@pytest.mark.parametrize("number", range(3))
def test_in_a_browser(number):
    pytest.skip("chromium is not installed")

def test_with_a_package():
    pytest.importorskip("package_that_nobody_has.module")

@pytest.mark.slow
def test_long():
    pass
"""
WRONG = """
def test_wrong():
    assert 1 == 2
"""


def run_tests(folder, *options, **variables):
    """Run the tests of a folder with the settings of this project; return exit code and lines."""
    for name in ("pyproject.toml", "conftest.py"):
        shutil.copy(ROOT / name, folder / name)
    inherited = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("ISOMETRICS", "PYTEST", "COV"))
    }
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *options],
        cwd=folder,
        env=inherited | {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"} | variables,
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout.splitlines()


def test_what_a_run_of_tests_prints_and_leaves_out(tmp_path):
    for folder in ("tests", "tests/browser"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "test_some.py").write_text(TESTS, encoding="utf-8")
    code, lines = run_tests(tmp_path, "-m", "not slow")
    assert code == pytest.ExitCode.OK
    assert lines[-1].startswith("1 passed, 4 skipped, 7 deselected")
    shutil.rmtree(tmp_path / "tests" / "browser")
    # Where all is required, a skipped test fails.
    code, lines = run_tests(tmp_path, ISOMETRICS_REQUIRE_ALL="1")
    assert code == pytest.ExitCode.TESTS_FAILED
    forbidden = [line for line in lines if line.startswith("ISOMETRICS_REQUIRE_ALL forbids")]
    assert len(forbidden) == 4
    assert forbidden[-1].endswith("tests/test_some.py::test_with_a_package")
    # A failed test is named last, and a missing part once.
    (tmp_path / "tests" / "test_some.py").write_text(TESTS + WRONG, encoding="utf-8")
    code, lines = run_tests(tmp_path, "-p", "pytest_cov", "--cov=tests")
    assert code == pytest.ExitCode.TESTS_FAILED
    assert lines[-2].startswith("FAILED tests/test_some.py::test_wrong")
    assert lines[-1].startswith("1 failed, 2 passed, 4 skipped")
    assert any(line.startswith("TOTAL") for line in lines[:-2])
    assert [line for line in lines if "skipped:" in line] == [
        "skipped: chromium is not installed (the page in a browser)",
        "skipped: package_that_nobody_has is not installed",
    ]


def test_slow_paths_exist():
    """A path that was renamed would make its tests quick."""
    conftest = (ROOT / "conftest.py").read_text(encoding="utf-8")
    paths = re.findall(r'"(\S+)"', re.search(r"^SLOW_PATHS = \((.*?)^\)", conftest, re.M | re.S)[1])
    assert len(paths) > 10
    assert [path for path in paths if not (ROOT / path).exists()] == []


# Stands for Python: makes an environment and "installs" as venv and pip do, and can be interrupted
# in the middle of the step that the file `interrupt` names.
PYTHON = """#!/bin/sh
echo "$@" >> calls
packages=.venv/lib/python3/site-packages
case "$*" in
*" venv "*)
    mkdir -p .venv/bin $packages/pip $packages/pip-1.dist-info
    cp "$0" .venv/bin/python
    grep -qs venv interrupt && { rm interrupt; exit 1; }
    touch $packages/pip-1.dist-info/INSTALLER ;;
*" install "*)
    for last; do :; done
    name=$(basename "$last")
    mkdir -p $packages/$name-1.dist-info
    touch $packages/$name-1.dist-info/METADATA
    grep -qsxF "$name" interrupt && { mkdir $packages/~old; rm interrupt; exit 1; }
    touch $packages/$name-1.dist-info/INSTALLER ;;
esac
exit 0
"""


@pytest.fixture
def checkout(tmp_path):
    shutil.copy(ROOT / "Makefile", tmp_path)
    (tmp_path / "studies").mkdir()
    for folder in (".", "studies"):
        (tmp_path / folder / "pyproject.toml").touch()
    (tmp_path / "python").write_text(PYTHON, encoding="utf-8")
    (tmp_path / "python").chmod(0o755)
    return tmp_path


def install(checkout, stamp):
    """Make a step of the installation; return whether it succeeded, and what was called."""
    command = ["make", "PYTHON=./python", f".venv/.{stamp}"]
    (checkout / "calls").write_text("", encoding="utf-8")
    done = subprocess.run(command, cwd=checkout, capture_output=True, text=True, check=False)
    called = (checkout / "calls").read_text(encoding="utf-8").splitlines()
    return done.returncode == 0, [re.sub(r".*(venv|install) ", "", call) for call in called]


def test_each_command_installs_no_more_than_it_needs(checkout):
    done, called = install(checkout, "runtime")
    assert done
    assert called[1:] == [".venv", "--upgrade pip>=25.1", "--editable .[cli]"]
    for stamp, calls in (
        ("runtime", []),
        ("test", ["--group test --editable studies"]),
        ("dev", ["--group dev"]),
        ("parts", ["--group parts"]),
    ):
        assert install(checkout, stamp) == (True, calls)
    assert re.search(r"^demo: \$\(RUNTIME\)  ##", MAKEFILE, re.MULTILINE)
    assert re.search(r"^test: \$\(TEST\) \$\(LOOPS\)  ##", MAKEFILE, re.MULTILINE)


@pytest.mark.parametrize("step", ["venv", ".[cli]", "studies"])
def test_an_interrupted_installation_is_resumed(checkout, step):
    (checkout / "interrupt").write_text(step, encoding="utf-8")
    assert not install(checkout, "test")[0]
    done, called = install(checkout, "test")
    assert done
    assert "--group test --editable studies" in called
    assert (".venv" in called) == (step == "venv")
    assert ("--editable .[cli]" in called) == (step != "studies")
    packages = checkout / ".venv" / "lib" / "python3" / "site-packages"
    assert not (packages / "~old").exists()
    assert all((package / "INSTALLER").exists() for package in packages.glob("*.dist-info"))
    assert install(checkout, "test") == (True, [])
