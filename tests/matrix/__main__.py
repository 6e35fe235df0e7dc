"""Install the built package into clean environments, with every Python, and test it there.

Usage: python tests/matrix [--pythons 3.11 3.12 3.13] [--versions newest oldest] [--write]

CONTRIBUTING.md says what it does. Environments lie in `.matrix`, and what has been tested is not
tested again. Prints a table in Markdown; ``--write`` puts it there.
"""

from __future__ import annotations

import argparse
import hashlib
import itertools
import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[2]
CACHE = ROOT / ".matrix"
CONTRIBUTING = ROOT / "CONTRIBUTING.md"
OWN = Path(__file__).relative_to(ROOT)
START, END = "<!-- matrix -->", "<!-- end of matrix -->"

PYTHONS = ("3.11", "3.12", "3.13")
RESOLUTIONS = {"newest": "highest", "oldest": "lowest-direct"}
"""What the packages' versions are called here, and by uv."""
ARCHIVES = {"wheel": "*.whl", "source archive": "*.tar.gz"}
CORE = (
    "_core",
    "_counting/test_native.py",
    "_counting/test_same_bits.py",
    "_table",
    "calibration",
    "decisions",
    "points",
    "sources/test_arrow.py",
    "sources/test_columns.py",
    "sources/test_excel.py",
    "sources/test_files.py",
    "spaces",
    "test_errors.py",
    "test_measures.py",
    "test_public_names.py",
    "test_score_functions.py",
    "test_sets.py",
)
"""The tests that every environment runs: the mathematics, the public names, and files."""
SEARCHES = (
    "_table/test_hull.py",
    "spaces/test_accuracy.py",
    "spaces/test_custom_indices.py",
    "spaces/test_trace.py",
    "spaces/test_tradeoff.py",
)
"""These take as long as all the others, and search for errors that no version brings."""


PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
DEPENDENCIES = sorted(
    requirement.split(">=")[0]
    for requirement in (*PROJECT["dependencies"], *PROJECT["optional-dependencies"]["cli"])
)


class CellError(Exception):
    """What went wrong in a cell of the table, with the end of what was printed."""


class Cell(NamedTuple):
    """An environment."""

    python: str
    versions: str
    archive: str

    @property
    def folder(self) -> Path:
        return CACHE / f"{self.python}-{self.versions}-{self.archive.split()[0]}"

    @property
    def program(self) -> Path:
        return self.folder / "env" / "bin" / "python"


class Result(NamedTuple):
    """What a cell's line of the table says."""

    digest: str
    """Of the files and versions that were tested."""
    loops: str
    tests: str
    versions: dict[str, str]


def main() -> None:
    parser = argparse.ArgumentParser(prog="tests/matrix", description=__doc__.splitlines()[0])
    parser.add_argument("--pythons", nargs="+", choices=PYTHONS, default=PYTHONS)
    parser.add_argument(
        "--versions", nargs="+", choices=tuple(RESOLUTIONS), default=tuple(RESOLUTIONS)
    )
    parser.add_argument("--write", action="store_true", help="put the table into CONTRIBUTING.md")
    options = parser.parse_args()
    results, failures = {}, []
    archives = build()
    for python, versions in itertools.product(options.pythons, options.versions):
        program = python_of(python)
        if program is None:
            print(f"Python {python} is not on this machine: left out")
            continue
        requirements = resolve(python, program, versions)
        for name, archive in archives.items():
            cell = Cell(python, versions, name)
            print(f"Python {python}, {versions} versions, {name}", flush=True)
            try:
                results[cell] = tested(cell, program, archive, requirements)
            except CellError as error:
                print(f"  {error}", flush=True)
                failures.append(cell)
    table = "\n".join(lines(results))
    print(f"\n{table}")
    if failures:
        sys.exit("failed: " + "; ".join(", ".join(cell) for cell in failures))
    if options.write:
        write(table)


def build() -> dict[str, Path]:
    folder = CACHE / "dist"
    shutil.rmtree(folder, ignore_errors=True)
    print("Building the wheel and the source archive", flush=True)
    run([sys.executable, "-m", "build", "--outdir", str(folder), str(ROOT)])
    archives = {name: next(folder.glob(pattern)) for name, pattern in ARCHIVES.items()}
    run([sys.executable, "-m", "twine", "check", "--strict", *map(str, archives.values())])
    return archives


def resolve(python: str, program: str, versions: str) -> str:
    # liac-arff has no wheel; it is one module and needs no compiler.
    return run(
        [
            *uv("pip", "compile", "--no-header", "--no-annotate", "--python", program),
            *("--python-version", python, "--resolution", RESOLUTIONS[versions]),
            *("--only-binary", ":all:", "--no-binary", "liac-arff"),
            *("pyproject.toml", "--extra", "cli", "--group", "test"),
        ],
        cwd=ROOT,
    )


def uv(*command: str) -> list[str]:
    return [sys.executable, "-m", "uv", "--quiet", *command]


def python_of(version: str) -> str | None:
    """Return the program of a Python: pyenv's, or one on the PATH that really is that version."""
    kept = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    candidates = [str(each / "bin" / "python") for each in sorted(kept.glob(f"{version}.*"))]
    for program in (*candidates, f"python{version}"):
        code = "import sys; print('%d.%d' % sys.version_info[:2])"
        try:
            told = subprocess.run([program, "-c", code], capture_output=True, text=True, check=True)
        except (OSError, subprocess.CalledProcessError):
            continue
        if told.stdout.strip() == version:
            return program
    return None


def tested(cell: Cell, python: str, archive: Path, requirements: str) -> Result:
    """Return the result of a cell, from an earlier run where the same files were tested."""
    record = cell.folder / "result.json"
    digest = hashlib.sha256(requirements.encode())
    for path in tracked():
        digest.update((ROOT / path).read_bytes())
    if record.exists():
        result = Result(**json.loads(record.read_text()))
        if result.digest == digest.hexdigest():
            print("  tested before")
            return result
    shutil.rmtree(cell.folder, ignore_errors=True)
    cell.folder.mkdir(parents=True)
    print("  installing", flush=True)
    install(cell, python, archive, requirements)
    print("  the demo", flush=True)
    run([str(cell.program), "-m", "isometrics", "demo", "--quiet"], cwd=cell.folder)
    print("  the core tests", flush=True)
    tests = run_tests(cell)
    result = Result(digest.hexdigest(), loops_in(cell, archive), tests, versions_in(cell))
    record.write_text(json.dumps(result._asdict()))
    return result


def tracked() -> list[Path]:
    """Return the files of the checkout but this program and what has its table."""
    names = run(["git", "ls-files", "-z"], cwd=ROOT).strip("\0").split("\0")
    paths = [Path(name) for name in names if (ROOT / name).is_file()]
    return [path for path in paths if path not in (Path(CONTRIBUTING.name), OWN)]


def install(cell: Cell, python: str, archive: Path, requirements: str) -> None:
    packages = cell.folder / "requirements.txt"
    packages.write_text(requirements)
    run(uv("venv", "--python", python, str(cell.program.parents[1])))
    pip = uv("pip", "install", "--python", str(cell.program), "--no-deps")
    run([*pip, "--requirements", str(packages)])
    run([*pip, "--no-cache", str(archive)], CC="no-compiler")
    run(uv("pip", "check", "--python", str(cell.program)))


def run_tests(cell: Cell) -> str:
    """Run the core tests on the installed package: its sources are not beside the tests."""
    folder = cell.folder / "checkout"
    for path in tracked():
        if path.parts[0] != "src":
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / path, folder / path)
    command = [str(cell.program), "-m", "pytest", "-n", "2", "-m", "not slow", "--no-header"]
    if cell.versions == "oldest":
        # Old packages warn of the newer ones around them, and nothing here can be done about it.
        command += ["-W", "ignore::DeprecationWarning"]
    command += [f"tests/{name}" for name in CORE]
    command += [f"--ignore=tests/{name}" for name in SEARCHES]
    told = run(command, cwd=folder, HYPOTHESIS_PROFILE="quick")
    summary = re.findall(r"^(\d+ passed.*?) in [\d.]+s", told, re.MULTILINE)
    if not summary:
        raise CellError(f"the tests said nothing of their end:\n{told[-500:]}")
    return str(summary[-1])


def loops_in(cell: Cell, archive: Path) -> str:
    """Return which loops count: a wheel of this platform has those in C, others have NumPy's."""
    code = "from isometrics._counting.native import available; print(available())"
    found = run([str(cell.program), "-c", code]).strip()
    expected = archive.suffix == ".whl" and not archive.stem.endswith("-any")
    if found != str(expected):
        raise CellError(f"compiled loops: {found}, but {archive.name} should say {expected}")
    return "C" if expected else "NumPy"


def versions_in(cell: Cell) -> dict[str, str]:
    code = "import sys, importlib.metadata as m; print(*map(m.version, sys.argv[1:]))"
    versions = run([str(cell.program), "-c", code, *DEPENDENCIES]).split()
    return dict(zip(DEPENDENCIES, versions, strict=True))


def run(command: list[str], cwd: Path | None = None, **variables: str) -> str:
    # Tests must see the installed package, not the sources of this checkout.
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(
        command,
        cwd=cwd or CACHE,
        env=environment | variables,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    if done.returncode:
        raise CellError(f"{' '.join(command[:6])} … failed:\n{done.stdout[-3000:]}")
    return done.stdout


def lines(results: dict[Cell, Result]) -> Iterator[str]:
    yield f"| Python | installed from | loops | tests | {' | '.join(DEPENDENCIES)} |"
    yield "|---" * (4 + len(DEPENDENCIES)) + "|"
    for cell, result in results.items():
        versions = " | ".join(result.versions.values())
        yield f"| {cell.python} | {cell.archive} | {result.loops} | {result.tests} | {versions} |"


def write(table: str) -> None:
    before, _, rest = CONTRIBUTING.read_text("utf-8").partition(START)
    _, _, after = rest.partition(END)
    if not after:
        sys.exit(f"CONTRIBUTING.md has no place for the table, between {START} and {END}")
    CONTRIBUTING.write_text(f"{before}{START}\n{table}\n{END}{after}", "utf-8")


if __name__ == "__main__":
    CACHE.mkdir(parents=True, exist_ok=True)
    try:
        main()
    except CellError as error:
        sys.exit(str(error))
