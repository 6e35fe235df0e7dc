"""The command has NumPy sort without AVX-512 where that is slow, and nowhere else."""

import os
import sys

import pytest

from isometrics.cli.processor import prefer_fast_sort

VARIABLE = "NPY_DISABLE_CPU_FEATURES"
ZEN_4 = "vendor_id\t: AuthenticAMD\ncpu family\t: 25\nflags\t\t: fpu avx2 avx512f sse4a\n"


@pytest.fixture(autouse=True)
def before_numpy(monkeypatch):
    monkeypatch.delitem(sys.modules, "numpy")
    monkeypatch.setattr(os, "environ", {})


@pytest.mark.parametrize(
    ("text", "disabled"),
    [
        (ZEN_4, True),
        (ZEN_4 + "\n" + ZEN_4, True),
        (ZEN_4.replace("avx512f ", ""), False),
        (ZEN_4.replace("25", "26"), False),
        (ZEN_4.replace("AuthenticAMD", "GenuineIntel"), False),
        ("Processor: something else\n", False),
    ],
)
def test_only_the_processors_that_need_it(tmp_path, text, disabled):
    description = tmp_path / "cpuinfo"
    description.write_text(text)
    prefer_fast_sort(description)
    assert (VARIABLE in os.environ) == disabled


def test_systems_without_a_description(tmp_path):
    prefer_fast_sort(tmp_path / "missing")
    assert VARIABLE not in os.environ


def test_what_the_user_set_stays(tmp_path):
    description = tmp_path / "cpuinfo"
    description.write_text(ZEN_4)
    os.environ[VARIABLE] = "AVX2"
    prefer_fast_sort(description)
    assert os.environ[VARIABLE] == "AVX2"


def test_numpy_that_is_loaded_cannot_be_told(tmp_path, monkeypatch):
    description = tmp_path / "cpuinfo"
    description.write_text(ZEN_4)
    monkeypatch.setitem(sys.modules, "numpy", pytest)
    prefer_fast_sort(description)
    assert VARIABLE not in os.environ
