"""Wheels and installations with the library in C, and without a compiler."""

import importlib.util
import os
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

from isometrics._counting import native
from isometrics._counting.native import checksum

ROOT = Path(__file__).parent.parent
SOURCES = "src/isometrics/_counting/native"
NO_COMPILER = {"CC": "there-is-no-such-compiler"}


@pytest.fixture
def hook(monkeypatch):
    """Import the script that builds the library."""
    monkeypatch.delenv("CC", raising=False)
    specification = importlib.util.spec_from_file_location("hatch_build", ROOT / "hatch_build.py")
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module


@pytest.fixture
def checkout(tmp_path):
    """Copy what the script needs, with a library of other sources."""
    folder = shutil.copytree(
        ROOT / SOURCES, tmp_path / SOURCES, ignore=shutil.ignore_patterns("loops.?[!h]*")
    )
    (folder / "loops.so").write_text("of other sources")
    return tmp_path


def libraries(folder):
    return sorted(path.name for path in folder.rglob("loops.*") if path.suffix != ".h")


@pytest.mark.parametrize(
    ("script", "said"),
    [
        (None, ""),
        ("#!/bin/sh\necho 'no such header' >&2; exit 1\n", "left out: no such header\n"),
        ("#!/bin/sh\nexit 3\n", "left out: status 3\n"),
        ("no program", "left out: [Errno"),
    ],
    ids=["none", "fails", "fails silently", "no program"],
)
def test_without_a_compiler_that_works_no_library_is_left(hook, checkout, capsys, script, said):
    compiler = checkout / "compiler"
    if script is not None:
        compiler.write_text(script)
        compiler.chmod(0o755)
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("CC", str(compiler))
        assert hook.build(checkout) is None
    assert said in capsys.readouterr().err
    assert libraries(checkout) == []


def test_a_compiler_is_that_of_the_variable_or_the_first_there_is(hook, monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    assert hook.compiler() is None
    for name in ("clang", "gcc"):
        (tmp_path / name).write_text("#!/bin/sh\n")
        (tmp_path / name).chmod(0o755)
        assert hook.compiler() == [name]
    monkeypatch.setenv("CC", "clang -m64 'an option'")
    assert hook.compiler() == ["clang", "-m64", "an option"]


@pytest.mark.slow
@pytest.mark.usefixtures("compiled_loops")
def test_a_library_carries_the_number_of_its_sources(hook, checkout):
    with (checkout / SOURCES / "loops.h").open("a") as source:
        source.write("\n")
    library = hook.build(checkout)
    assert native.library.__wrapped__(library) is not None
    assert checksum(library.parent) != checksum()
    assert libraries(checkout) == ["loops.crc32", library.name]


def build(folder, target, into, **variables):
    """Let hatchling build what pip would ask it for, without anything that is not here."""
    environment = {name: value for name, value in os.environ.items() if name != "CC"} | variables
    asked = f"import hatchling.build as b; print(b.build_{target}({str(into)!r}))"
    ran = subprocess.run(
        [sys.executable, "-c", asked],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    return into / ran.stdout.split()[-1]


@pytest.fixture(scope="module")
def unpacked(tmp_path_factory):
    """Unpack the archive of the sources."""
    pytest.importorskip("hatchling")
    folder = tmp_path_factory.mktemp("sources")
    archive = build(ROOT, "sdist", folder)
    with tarfile.open(archive) as packed:
        names = packed.getnames()
        packed.extractall(folder, filter="data")
    assert any(name.endswith("native/keys.c") for name in names)
    assert not any(name.endswith((".so", ".dll", ".dylib", ".crc32")) for name in names)
    return folder / archive.name.removesuffix(".tar.gz")


def installed(wheel, folder, *, compiled):
    """Unpack a wheel, count a sample with it, and tell which files of the loops it has."""
    with zipfile.ZipFile(wheel) as packed:
        packed.extractall(folder)
    counted = (
        "import isometrics as iso; from isometrics._counting import native;"
        f"assert iso.__file__.startswith({str(folder)!r}), iso.__file__;"
        "print(native.available(), iso.auroc_score([0, 1, 0, 1], [1, 2, 3, 4]))"
    )
    ran = subprocess.run(
        [sys.executable, "-c", counted],
        env=os.environ | {"PYTHONPATH": str(folder)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert ran.stdout.split() == [str(compiled), "0.75"]
    return sorted(path.name for path in (folder / "isometrics/_counting").glob("native/*"))


@pytest.mark.slow
def test_a_wheel_without_a_compiler_is_for_every_machine(unpacked, tmp_path):
    wheel = build(unpacked, "wheel", tmp_path, **NO_COMPILER)
    assert wheel.name.endswith("-py3-none-any.whl")
    assert installed(wheel, tmp_path / "site", compiled=False) == []


@pytest.mark.slow
@pytest.mark.usefixtures("compiled_loops")
def test_a_wheel_with_the_library_is_for_every_python_of_one_platform(unpacked, tmp_path):
    wheel = build(unpacked, "wheel", tmp_path)
    python, interface, platform = wheel.stem.split("-")[-3:]
    assert (python, interface) == ("py3", "none")
    assert platform != "any"
    stamp, library = installed(wheel, tmp_path / "site", compiled=True)
    assert (stamp, library.partition(".")[0]) == ("loops.crc32", "loops")


@pytest.mark.slow
@pytest.mark.usefixtures("compiled_loops")
def test_an_editable_installation_has_the_library_beside_its_sources(unpacked, tmp_path):
    pytest.importorskip("editables")
    build(unpacked, "editable", tmp_path, **NO_COMPILER)
    assert libraries(unpacked) == []
    wheel = build(unpacked, "editable", tmp_path)
    assert wheel.name.endswith("-py3-none-any.whl")
    assert len(libraries(unpacked)) == 2
    with zipfile.ZipFile(wheel) as packed:
        assert not any("native" in name for name in packed.namelist())
