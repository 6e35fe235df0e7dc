"""Compile the loops of `isometrics._counting.native` while the package is built, or by hand.

Usage: python hatch_build.py

The library needs nothing of Python: ctypes loads it, and one wheel serves all versions. Where there
is no C compiler it is left out, and NumPy does the work.
"""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
import zlib
from pathlib import Path
from typing import Any

try:
    from hatchling.builders.hooks.plugin.interface import BuildHookInterface
except ImportError:  # by hand, without the tools of a build
    BuildHookInterface = object

FOLDER = Path("src/isometrics/_counting/native")
NAMES = {"win32": "loops.dll", "darwin": "loops.dylib"}
# Nothing that changes results: no -ffast-math, no fused multiplication and addition, and nothing
# that only the processor of this machine has.
FLAGS = (
    *("-std=c11", "-O3", "-ffp-contract=off", "-fno-math-errno", "-fno-trapping-math"),
    *("-fvisibility=hidden", "-shared"),
)
# Not every compiler and C library can choose between versions of a function.
OPTIONAL = (("-DISOMETRICS_CLONES", "-Wl,-s"), ())


def compiler() -> list[str] | None:
    """Return the C compiler: that of ``CC``, or the first there is."""
    asked = shlex.split(os.environ.get("CC", ""))
    for command in (asked,) if asked else (["cc"], ["gcc"], ["clang"]):
        if shutil.which(command[0]):
            return command
    return None


def build(root: Path) -> Path | None:
    """Compile the library into the package; None where that is not possible."""
    target = root / FOLDER / NAMES.get(sys.platform, "loops.so")
    for former in (target, target.with_suffix(".crc32")):
        former.unlink(missing_ok=True)
    command = compiler()
    if command is None:
        return None
    sources = sorted(map(str, target.parent.glob("*.c")))
    flags = [*FLAGS, *([] if sys.platform == "win32" else ["-fPIC"])]
    # A library that is loaded may be replaced, but not written into.
    unfinished = target.with_suffix(".unfinished")
    for optional in OPTIONAL:
        said = run([*command, *flags, *optional, "-o", str(unfinished), *sources, "-lm"])
        if said is None:
            unfinished.replace(target)
            stamp(target)
            return target
    unfinished.unlink(missing_ok=True)
    print(f"The compiled loops are left out: {said}", file=sys.stderr)
    return None


def stamp(library: Path) -> None:
    """Write down the numbers of a library that was just built, and of its sources.

    `isometrics._counting.native` loads no other one.
    """
    number = 0
    for source in sorted(library.parent.glob("*.[ch]")):
        number = zlib.crc32(source.name.encode() + b"\0" + source.read_bytes(), number)
    numbers = f"{zlib.crc32(library.read_bytes())} {number}\n"
    library.with_suffix(".crc32").write_text(numbers)


def run(command: list[str]) -> str | None:
    """Run a compiler; return what it says where it fails, None where it does not."""
    try:
        ran = subprocess.run(command, capture_output=True, text=True, check=False)
    except OSError as error:  # no program, though it may be run
        return str(error)
    return (ran.stderr.strip() or f"status {ran.returncode}") if ran.returncode else None


class CustomBuildHook(BuildHookInterface):  # type: ignore[misc]
    """Add the library to the wheel, or to the folder of an editable installation."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile, and name the platform in the name of the wheel."""
        library = build(Path(self.root))
        if library is None or version == "editable":
            return
        from packaging.tags import platform_tags

        # What a wheel of this machine is called before it is made to run on older systems too.
        platform = next(tag for tag in platform_tags() if "many" not in tag and "musl" not in tag)
        build_data["tag"] = f"py3-none-{platform}"
        build_data["pure_python"] = False
        for path in (library, library.with_suffix(".crc32")):
            build_data["force_include"][str(path)] = f"isometrics/_counting/native/{path.name}"


if __name__ == "__main__":
    built = build(Path(__file__).parent)
    print(f"compiled {built}" if built else "no C compiler: the compiled loops are left out")
