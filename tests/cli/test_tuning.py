"""What the command sets up before NumPy is loaded, and what it leaves alone."""

import ctypes
import os
import subprocess
import sys

import pytest

from isometrics.cli import running
from isometrics.cli.running import keep_freed_memory, prefer_fast_sort, tune

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


def test_only_a_process_of_its_own_is_tuned(monkeypatch):
    called = []
    monkeypatch.setattr(running, "prefer_fast_sort", lambda: called.append("sort"))
    monkeypatch.setattr(running, "keep_freed_memory", lambda: called.append("memory"))
    monkeypatch.setitem(sys.modules, "numpy", pytest)
    tune()
    assert called == []
    monkeypatch.delitem(sys.modules, "numpy")
    tune()
    assert called == ["sort", "memory"]


class CLibrary:
    """Takes note of what it is asked for."""

    def __init__(self, answer):
        self.asked, self._answer = {}, answer

    def mallopt(self, name, value):
        self.asked[name] = value
        return self._answer


@pytest.mark.parametrize("answer", [0, 1])
def test_freed_memory_is_kept_where_the_library_agrees(monkeypatch, answer):
    library = CLibrary(answer)
    monkeypatch.setattr(ctypes, "CDLL", lambda _: library)
    assert keep_freed_memory() == bool(answer)
    assert library.asked[-3] == 64 << 20


@pytest.mark.parametrize("variable", ["MALLOC_ARENA_MAX", "GLIBC_TUNABLES"])
def test_settings_of_the_user_for_memory_stay(monkeypatch, variable):
    library = CLibrary(1)
    monkeypatch.setattr(ctypes, "CDLL", lambda _: library)
    os.environ[variable] = "1"
    assert not keep_freed_memory()
    assert library.asked == {}


@pytest.mark.parametrize("error", [AttributeError, TypeError])
def test_other_libraries_are_left_alone(monkeypatch, error):
    def load(_):
        raise error

    monkeypatch.setattr(ctypes, "CDLL", load)
    assert not keep_freed_memory()


@pytest.mark.skipif(sys.platform != "linux", reason="other systems clear pages in other ways")
def test_large_arrays_that_follow_each_other_take_the_same_pages():
    """In processes of their own: what one sets, no other can take back."""
    code = """
import resource, sys
from isometrics.cli import running
kept = sys.argv[1] == "kept" and running.keep_freed_memory()
import numpy as np
start = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
for _ in range(50):
    np.ones(5_000_000)
print(int(kept), resource.getrusage(resource.RUSAGE_SELF).ru_minflt - start)
"""
    environment = {"PATH": os.defpath, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}

    def faults(word):
        command = [sys.executable, "-c", code, word]
        found = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
        return map(int, found.stdout.split())

    (kept, few), (_, many) = faults("kept"), faults("given back")
    if kept:
        assert few * 4 < many


@pytest.mark.parametrize("backend", ["bogus", "module://inline", None])
def test_the_choice_of_a_notebook_stays(monkeypatch, backend):
    monkeypatch.delitem(sys.modules, "matplotlib", raising=False)
    monkeypatch.delenv("MPLBACKEND", raising=False)
    if backend is not None:
        monkeypatch.setenv("MPLBACKEND", backend)
    running.tune()
    assert os.environ.get("MPLBACKEND") == (None if backend == "bogus" else backend)
