"""The memory limit: how it is given, what it is by default, and what it does not hold."""

import ctypes
import os

import numpy as np
import pyarrow as pa
import pytest

import isometrics as iso
from isometrics.errors import ParameterError
from isometrics.sources import memory_limit as memory
from isometrics.sources.memory_limit import (
    LEAST,
    LIBRARIES,
    SHARE,
    limit_for,
    parse_bytes,
    parse_memory_limit,
    rows_budget,
    usable_memory,
)


@pytest.mark.parametrize(
    ("given", "size"),
    [(1000, 1000), ("1000", 1000), ("2GB", 2 * 10**9), ("2 gb", 2 * 10**9), ("1.5 MiB", 3 * 2**19),
     ("3k", 3000), ("1Ti", 2**40), (" 64 B ", 64), (2.5e6, 2_500_000)],
)  # fmt: skip
def test_sizes(given, size):
    assert parse_bytes(given, "max_bytes") == size


@pytest.mark.parametrize("given", ["", "much", "2XB", "-1GB", -1, 0, "0", "0.0GB", True, "1e9", []])
def test_what_is_no_size(given):
    with pytest.raises(ParameterError, match=r"^memory_limit must be a number of bytes or a text"):
        parse_memory_limit(given)


def test_rows_fill_a_share_of_what_the_libraries_leave():
    assert parse_memory_limit("2GB") == 2 * 10**9
    assert rows_budget("2GB") == int((2 * 10**9 - LIBRARIES) * SHARE)


@pytest.mark.parametrize("given", [1, "10MB", LEAST - 1])
def test_a_limit_that_the_libraries_exceed_is_refused(given):
    with pytest.raises(ParameterError) as refused:
        parse_memory_limit(given)
    assert str(refused.value) == (
        f"memory_limit is {given} but must be at least 250MB: Python and its libraries take 80MB "
        "before the first row"
    )
    assert parse_memory_limit(LEAST) == LEAST


@pytest.mark.parametrize("size", [1, LEAST, 123_456_789, 10**9, 7.7e10])
def test_the_limit_that_is_named_would_do(size):
    assert rows_budget(limit_for(size)) >= size


MACHINE = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


def test_half_of_what_there_is_by_default():
    assert parse_memory_limit(None) == usable_memory() // 2
    assert usable_memory() <= MACHINE


def test_a_machine_with_little_memory_has_the_lowest_limit_by_default(monkeypatch):
    monkeypatch.setattr(memory, "usable_memory", lambda: LEAST)
    assert parse_memory_limit(None) == LEAST


def control_groups(folder, lines, limits):
    """Write the files in which a Linux kernel tells the limits of a process."""
    (folder / "process").mkdir()
    (folder / "process" / "cgroup").write_text("".join(f"{line}\n" for line in lines))
    for name, text in limits.items():
        file = folder / "groups" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"{text}\n")
    return usable_memory(folder / "groups", folder / "process")


LESS = 300_000_000
CONTAINERS = {
    "v2": (["0::/a/b"], {"a/b/memory.max": LESS}, LESS),
    "v2, around": (["0::/a/b"], {"a/b/memory.max": "max", "a/memory.max": LESS}, LESS),
    "v2, top": (["0::/"], {"memory.max": LESS}, LESS),
    "v2, mounted": (["0::/not/seen/here"], {"memory.max": LESS}, LESS),
    "v1": (["5:cpu:/", "4:memory:/a", "0::/"], {"memory/a/memory.limit_in_bytes": LESS}, LESS),
    "v1, mounted": (["4:cpu,memory:/x"], {"memory/memory.limit_in_bytes": LESS}, LESS),
    "v2, no limit": (["0::/a"], {"a/memory.max": "max"}, MACHINE),
    "v1, no limit": (["4:memory:/"], {"memory/memory.limit_in_bytes": 2**63 - 4096}, MACHINE),
    "absent": (["0::/a"], {}, MACHINE),
    "another controller": (["3:cpu:/a"], {"a/memory.max": 5}, MACHINE),
}


@pytest.mark.parametrize(("lines", "limits", "size"), CONTAINERS.values(), ids=CONTAINERS)
def test_a_container_has_less_than_its_machine_or_no_limit(tmp_path, lines, limits, size):
    assert control_groups(tmp_path, lines, limits) == size


def test_a_system_without_control_groups(tmp_path):
    assert usable_memory(tmp_path, tmp_path) == MACHINE


class Windows:
    """What Windows answers when it is asked for its memory."""

    class kernel32:  # noqa: N801
        answers = 1

        @classmethod
        def GlobalMemoryStatusEx(cls, status):  # noqa: N802
            found = status._obj
            assert found.length == ctypes.sizeof(found) == 64
            found.physical = 8 * 10**9
            return cls.answers


def test_windows(monkeypatch, tmp_path):
    monkeypatch.delattr(os, "sysconf")
    monkeypatch.setattr(ctypes, "windll", Windows, raising=False)
    assert usable_memory(tmp_path, tmp_path) == 8 * 10**9
    monkeypatch.setattr(Windows.kernel32, "answers", 0)
    assert usable_memory(tmp_path, tmp_path) == 4 * 10**9


def test_a_system_that_does_not_tell_its_memory(monkeypatch, tmp_path):
    monkeypatch.delattr(os, "sysconf")
    assert usable_memory(tmp_path, tmp_path) == 4 * 10**9


def test_more_groups_than_fit():
    """Their tables are on disk, and are read when they are asked for."""
    groups = np.repeat(np.arange(15_000), 2)
    table = pa.table(
        {"label": groups * 0 + np.arange(30_000) % 2, "score": groups, "group": groups}
    )
    result = iso.read_predictions(table, memory_limit=LEAST)
    assert "15000 groups did not fit into the memory limit" in result.description
    assert result.groups == iso.read_predictions(table, memory_limit="1GB").groups
    assert iso.read_predictions(table, memory_limit=LEAST, group=False).groups == {}


def test_a_file_of_another_tool_that_does_not_fit(tmp_path):
    path = tmp_path / "long.list"
    path.write_bytes(b"0.5 1\n0.5 0\n" * 1_200_000)
    with pytest.raises(ParameterError) as refused:
        iso.read_predictions(path, memory_limit=LEAST)
    assert str(refused.value) == (
        f"cannot read {str(path)!r} within the memory limit: files in the format 'list' are held "
        "in memory; raise memory_limit= to 280MB, or convert the file to Parquet"
    )
