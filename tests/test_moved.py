"""Import paths that the documentation of version 0.1 showed still lead to their modules."""

import importlib
import subprocess
import sys

import pytest

from isometrics._moved import MOVED


@pytest.mark.parametrize("old", MOVED)
def test_an_old_path_is_another_name_of_the_new_module(old):
    sys.modules.pop(old, None)
    with pytest.warns(FutureWarning, match=rf"^{old} is now {MOVED[old]}; change the import$"):
        module = importlib.import_module(old)
    assert module is sys.modules[MOVED[old]]


def test_names_are_imported_from_an_old_path_with_a_warning_at_the_line():
    program = (
        "from isometrics.lift import net_benefit\n"
        "from isometrics.decisions import lift\n"
        "assert net_benefit is lift.net_benefit"
    )
    done = subprocess.run(
        [sys.executable, "-W", "always", "-c", program], check=True, capture_output=True, text=True
    )
    assert (
        "<string>:1: FutureWarning: isometrics.lift is now isometrics.decisions.lift" in done.stderr
    )
