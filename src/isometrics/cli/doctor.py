"""`isometrics doctor`: what is installed, what is missing, and whether it works here."""

from __future__ import annotations

import os
import platform
import re
import shutil
import sys
import tempfile
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING

import isometrics
from isometrics.cli.options import ANSWERS, Answers
from isometrics.cli.output import Part, answer
from isometrics.measures import AUROC

if TYPE_CHECKING:
    from collections.abc import Callable

_REQUIREMENT = re.compile(r"""^([\w.-]+).*?(?:extra == ['"]([\w-]+)['"])?$""")
_ENOUGH_DISK = 2**30
FINE, PROBLEM = "fine", "problem"


def doctor(*, answers: Answers = ANSWERS) -> int:
    """Print the versions of all parts, what is missing and how to get it, and a self-check.

    The exit code is 2 if something needed is missing or broken.

    For example:
      isometrics doctor
      isometrics doctor --json
    """
    parts, checks = _parts(), _checks()
    state = [*parts["state"], *checks["state"]]
    about = {"python": sys.version.split()[0], "platform": platform.platform()}
    answer(
        about | {"fine": PROBLEM not in state},
        [
            Part("parts", f"isometrics {isometrics.__version__} and what it uses", parts),
            Part("checks", "Checks", checks),
        ],
        as_json=answers.json,
    )
    return 2 if PROBLEM in state else 0


def _parts() -> dict[str, list[str]]:
    rows = [("python", platform.python_version(), "needed", FINE, "")]
    for name, extra in _requirements():
        version = _version(name)
        state = FINE if version else ("optional" if extra else PROBLEM)
        wanted = f"isometrics[{extra}]" if extra else name
        advice = "" if version else f"pip install '{wanted}'"
        rows.append((name, version or "missing", extra or "needed", state, advice))
    names = ("part", "version", "for", "state", "to get it")
    return dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))


def _requirements() -> list[tuple[str, str]]:
    """Return what the package asks for: names, with the extra that they belong to."""
    try:
        asked = metadata.requires("isometrics") or []
    except metadata.PackageNotFoundError:
        asked = []
    found = (_REQUIREMENT.match(line) for line in asked)
    return [(match[1], match[2] or "") for match in found if match]


def _version(name: str) -> str | None:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


# ---------------------------------------------------------------------- checks


def _checks() -> dict[str, list[str]]:
    rows = [(name, *_tried(check)) for name, check in CHECKS.items()]
    return dict(zip(("check", "found", "state"), map(list, zip(*rows, strict=True)), strict=True))


def _tried(check: Callable[[], str]) -> tuple[str, str]:
    try:
        return check(), FINE
    except Exception as error:  # a doctor reports whatever hurts
        return f"{type(error).__name__}: {error}", PROBLEM


def _small_table() -> str:
    from isometrics import OperatingPoints

    points = OperatingPoints.from_scores([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1])
    if (area := points.roc.area()) != 0.75:
        raise ArithmeticError(f"the {AUROC} of a small table is {area} instead of 0.75")
    return f"{AUROC} 0.75, as it should be"


def _small_file() -> str:
    from isometrics.analysis import read_predictions

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "predictions.csv"
        path.write_text("label,score\n1,0.9\n0,0.8\n1,0.7\n0,0.1\n", encoding="utf-8")
        (points,) = read_predictions(path).models.values()
    if (points.positives, points.negatives) != (2, 2):
        raise ArithmeticError(f"a file of two positives and two negatives reads as {points}")
    return "read and counted"


def _compiled_loops() -> str:
    from isometrics._counting.native import MISSING, available

    return "loaded" if available() else f"{MISSING.partition(':')[0]}; NumPy does the same work"


def _processors() -> str:
    return str(os.cpu_count())


def _temporary_folder() -> str:
    free = shutil.disk_usage(tempfile.gettempdir()).free
    if free < _ENOUGH_DISK:
        raise OSError(f"only {free / 2**30:.2f} GB are free in {tempfile.gettempdir()!r}")
    return f"{tempfile.gettempdir()}, {free / 2**30:.0f} GB free"


def _java() -> str:
    return shutil.which("java") or "not found; only Spark on this machine needs it"


CHECKS = {
    "a small table": _small_table,
    "a small file": _small_file,
    "compiled loops": _compiled_loops,
    "processors": _processors,
    "Java": _java,
    "temporary folder": _temporary_folder,
}
