"""Install the built package into clean environments, with every Python, and test it there.

Usage: python tests/matrix [--pythons 3.11 3.12 3.13] [--write]

Builds the wheel and the source archive, checks both as an index would, and for each Python makes
two environments: the wheel with the newest versions of what it depends on, and the source archive
with the oldest ones that `pyproject.toml` allows and that this Python has wheels of. In each runs
the demo and the core tests. Environments lie in `.cache/matrix`, and a cell whose archive has been
tested is not tested again. Prints a table in Markdown; ``--write`` puts it into CONTRIBUTING.md.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import time
import tomllib
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[2]
CACHE = ROOT / ".cache" / "matrix"
CONTRIBUTING = ROOT / "CONTRIBUTING.md"
START, END = "<!-- matrix -->", "<!-- end of matrix -->"

PYTHONS = ("3.11", "3.12", "3.13")
VERSIONS = ("newest", "oldest")
CORE = (
    "_core",
    "_table",
    "calibration",
    "decisions",
    "points",
    "spaces",
    "test_errors.py",
    "test_measures.py",
    "test_public_names.py",
    "test_score_functions.py",
    "test_sets.py",
)
"""The tests that every environment runs: the mathematics and the public names."""


class CellError(Exception):
    """What went wrong in a cell of the table, with the end of what was printed."""


class Cell(NamedTuple):
    """An environment."""

    python: str
    versions: str

    @property
    def folder(self) -> Path:
        """Where the environment lies."""
        return CACHE / f"{self.python}-{self.versions}"

    @property
    def program(self) -> Path:
        """The Python of the environment."""
        return self.folder / "env" / "bin" / "python"


class Result(NamedTuple):
    """What a cell's line of the table says."""

    archive: str
    """The digest of the archive's files: what was tested."""
    tests: str
    seconds: float
    versions: dict[str, str]


def main() -> None:
    parser = argparse.ArgumentParser(prog="tests/matrix", description=__doc__.splitlines()[0])
    parser.add_argument("--pythons", nargs="+", choices=PYTHONS, default=PYTHONS)
    parser.add_argument("--write", action="store_true", help="put the table into CONTRIBUTING.md")
    options = parser.parse_args()
    archives = build()
    results = {}
    for python in options.pythons:
        program = python_of(python)
        if program is None:
            print(f"Python {python} is not on this machine: left out")
            continue
        for versions in VERSIONS:
            cell = Cell(python, versions)
            try:
                results[cell] = tested(cell, program, archives[versions])
            except CellError as error:
                sys.exit(f"Python {python} with the {versions} versions: {error}")
    table = "\n".join(lines(results))
    print(f"\n{table}")
    if options.write:
        write(table)


def build() -> dict[str, Path]:
    """Build and check the wheel and the source archive."""
    folder = CACHE / "dist"
    shutil.rmtree(folder, ignore_errors=True)
    print("Building the wheel and the source archive")
    run([sys.executable, "-m", "build", "--outdir", str(folder), str(ROOT)])
    wheel, source = next(folder.glob("*.whl")), next(folder.glob("*.tar.gz"))
    run([sys.executable, "-m", "twine", "check", "--strict", str(wheel), str(source)])
    return {"newest": wheel, "oldest": source}


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


def tested(cell: Cell, python: str, archive: Path) -> Result:
    """Return the result of a cell, from an earlier run where the same files were tested."""
    record = cell.folder / "result.json"
    digest = digest_of(archive)
    if record.exists():
        result = Result(**json.loads(record.read_text()))
        if result.archive == digest:
            print(f"Python {cell.python}, {cell.versions} versions: tested before")
            return result
    print(f"Python {cell.python}, {cell.versions} versions: installing {archive.name}")
    shutil.rmtree(cell.folder, ignore_errors=True)
    cell.folder.mkdir(parents=True)
    install(cell, python, archive)
    start = time.monotonic()
    print("  the demo", flush=True)
    run([str(cell.program), "-m", "isometrics", "demo", "--quiet"], cwd=cell.folder)
    print("  the core tests", flush=True)
    tests = run_tests(cell)
    result = Result(digest, tests, round(time.monotonic() - start), versions_in(cell))
    record.write_text(json.dumps(result._asdict()))
    return result


def digest_of(archive: Path) -> str:
    """Return a digest of the names and contents of an archive's files, and of the tests."""
    digest = hashlib.sha256()
    for name, content in sorted(files_of(archive)):
        digest.update(f"{name}\0{len(content)}\0".encode())
        digest.update(content)
    for path in sorted((ROOT / "tests").rglob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()


def files_of(archive: Path) -> Iterator[tuple[str, bytes]]:
    if archive.suffix == ".whl":
        with zipfile.ZipFile(archive) as opened:
            yield from ((name, opened.read(name)) for name in opened.namelist())
        return
    with tarfile.open(archive) as opened:
        for member in opened.getmembers():
            content = opened.extractfile(member)
            yield member.name, content.read() if content else b""


def install(cell: Cell, python: str, archive: Path) -> None:
    run([python, "-m", "venv", str(cell.program.parents[1])])
    pip = [str(cell.program), "-m", "pip", "--quiet", "--disable-pip-version-check"]
    run([*pip, "install", "--upgrade", "pip>=25.1"])
    constraints = cell.folder / "constraints.txt"
    bounds = lower_bounds() if cell.versions == "oldest" else {}
    constraints.write_text(
        "".join(f"{name}=={oldest(pip, name, bound)}\n" for name, bound in bounds.items())
    )
    tests = ["--group", f"{ROOT / 'pyproject.toml'}:test"]
    run([*pip, "install", "--constraint", str(constraints), str(archive), *tests])


def lower_bounds() -> dict[str, str]:
    """Return the lowest version of each dependency that `pyproject.toml` allows."""
    with (ROOT / "pyproject.toml").open("rb") as file:
        named = tomllib.load(file)["project"]["dependencies"]
    return dict(requirement.split(">=") for requirement in named)


def oldest(pip: list[str], name: str, bound: str) -> str:
    """Return the first version from a bound on that has wheels for the Python of `pip`."""
    aloud = [word for word in pip if word != "--quiet"]
    told = run([*aloud, "index", "versions", name, "--only-binary", ":all:"])
    listed = re.search(r"^Available versions: (.*)$", told, re.MULTILINE)
    if listed is None:
        raise CellError(f"no version of {name} was found:\n{told[-500:]}")
    versions = listed.group(1).split(", ")
    allowed = [each for each in versions if numbers(each) >= numbers(bound)]
    return min(allowed, key=numbers)


def numbers(version: str) -> tuple[int, ...]:
    """Return the numbers of a version, which order it; trailing zeros do not count."""
    found = [int(part) for part in re.findall(r"\d+", version)]
    while found and found[-1] == 0:
        found.pop()
    return tuple(found)


def run_tests(cell: Cell) -> str:
    """Run the core tests on the installed package: its sources are not beside the tests."""
    folder = cell.folder / "checkout"
    for name in run(["git", "ls-files", "-z"], cwd=ROOT).strip("\0").split("\0"):
        if not name.startswith("src/") and (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, folder / name)
    command = [str(cell.program), "-m", "pytest", "-n", "2", "-m", "not slow", "--no-header"]
    told = run(
        [*command, *(f"tests/{name}" for name in CORE)],
        cwd=folder,
        HYPOTHESIS_PROFILE="quick",
    )
    summary = re.findall(r"^(\d+ passed.*?) in [\d.]+s", told, re.MULTILINE)
    if not summary:
        raise CellError(f"the tests said nothing of their end:\n{told[-500:]}")
    return str(summary[-1])


def versions_in(cell: Cell) -> dict[str, str]:
    names = list(lower_bounds())
    code = (
        "import json, sys; from importlib.metadata import version;"
        "print(json.dumps({name: version(name) for name in sys.argv[1:]}))"
    )
    versions: dict[str, str] = json.loads(run([str(cell.program), "-c", code, *names]))
    return versions


def run(command: list[str], cwd: Path | None = None, **variables: str) -> str:
    """Run a program to its end, and return what it printed."""
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
    names = list(lower_bounds())
    yield f"| Python | installed from | tests | {' | '.join(names)} |"
    yield "|---" * (3 + len(names)) + "|"
    for cell, result in results.items():
        archive = "wheel" if cell.versions == "newest" else "source archive"
        versions = " | ".join(result.versions[name] for name in names)
        yield f"| {cell.python} | {archive} | {result.tests} | {versions} |"


def write(table: str) -> None:
    before, _, rest = CONTRIBUTING.read_text("utf-8").partition(START)
    _, _, after = rest.partition(END)
    if not after:
        sys.exit(f"CONTRIBUTING.md has no place for the table, between {START} and {END}")
    CONTRIBUTING.write_text(f"{before}{START}\n{table}\n{END}{after}", "utf-8")


if __name__ == "__main__":
    CACHE.mkdir(parents=True, exist_ok=True)
    main()
