"""The columns of every result: users rely on their names, so a change shows here.

``columns.txt`` has a line for the frame of each class, and one for its printed header where this
has other columns.
"""

import re
from pathlib import Path

import pytest

from .._core.result_classes import FACTORIES

LINES = (Path(__file__).parent / "columns.txt").read_text(encoding="utf-8").splitlines()
FRAMES = dict(line.split(": ") for line in LINES if not line.startswith("printed "))
PRINTED = FRAMES | dict(
    line.removeprefix("printed ").split(": ") for line in LINES if line.startswith("printed ")
)


def test_every_result_with_a_frame_is_listed():
    assert set(FRAMES) == {path for path, make in FACTORIES.items() if hasattr(make(), "to_frame")}


@pytest.mark.parametrize("path", FRAMES)
def test_columns(path):
    result = FACTORIES[path]()
    assert " | ".join(map(str, result.to_frame("pandas").columns)) == FRAMES[path]
    header = [*repr(result).splitlines(), "(no table)"][1]
    assert " | ".join(re.split("  +", header.strip())) == PRINTED[path]
