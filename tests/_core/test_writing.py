"""A file appears whole or not at all."""

import gc
import os
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from isometrics._core.files import ScratchFolder, whole_file
from isometrics.errors import FileError, ParameterError


def names(folder):
    return [path.name for path in folder.iterdir()]


@pytest.mark.parametrize(("binary", "content"), [(False, "naïve\n"), (True, b"\x00\xff")])
def test_what_was_written_takes_the_place_of_the_file(tmp_path, binary, content):
    path = tmp_path / "a b.txt"
    path.write_text("old")
    with whole_file(path, binary=binary) as file:
        file.write(content)
        assert path.read_text() == "old"
    assert path.read_bytes() == (content if binary else content.encode())
    assert names(tmp_path) == ["a b.txt"]


@pytest.mark.parametrize("error", [RuntimeError, KeyboardInterrupt])
def test_an_interrupted_file_is_never_seen(tmp_path, error):
    path = tmp_path / "out.txt"
    with pytest.raises(error), whole_file(path) as file:  # noqa: PT012
        file.write("half")
        raise error
    assert names(tmp_path) == []


def test_an_error_of_the_disk_is_one_sentence(tmp_path):
    path = tmp_path / "out.txt"
    with pytest.raises(FileError, match="no space left on device"), whole_file(path):
        raise OSError(28, "No space left on device")
    assert names(tmp_path) == []


def test_what_names_no_file_is_refused(tmp_path):
    for given, error, message in (
        (tmp_path, FileError, "it is a directory"),
        (tmp_path / "nowhere" / "out.txt", FileError, r"cannot write .*nowhere.*no such file"),
        (None, ParameterError, "path must name a file but is None; give a text or a Path"),
        (3, ParameterError, "path must name a file but is 3; give"),
        (b"a", ParameterError, "path must name a file but is b'a'; give"),
    ):
        with pytest.raises(error, match=message), whole_file(given):
            pytest.fail("there is nothing to write to")


def test_permissions_follow_the_umask(tmp_path):
    before = os.umask(0o027)
    try:
        with whole_file(tmp_path / "out.txt") as file:
            file.write("x")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "out.txt").stat().st_mode) == 0o640


def test_a_link_is_followed(tmp_path):
    (tmp_path / "real.txt").write_text("old")
    (tmp_path / "link.txt").symlink_to("real.txt")
    with whole_file(tmp_path / "link.txt") as file:
        file.write("new")
    assert (tmp_path / "link.txt").is_symlink()
    assert (tmp_path / "real.txt").read_text() == "new"


@pytest.mark.parametrize(("binary", "content"), [(False, "naïve"), (True, "naïve".encode())])
def test_a_pipe_stays_a_pipe(tmp_path, binary, content):
    path = tmp_path / "pipe"
    os.mkfifo(path)
    reader = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    with whole_file(path, binary=binary) as file:
        file.write(content)
    assert os.read(reader, 100) == "naïve".encode()
    os.close(reader)
    assert path.is_fifo()


def test_what_is_no_text_is_escaped(tmp_path):
    with whole_file(tmp_path / "out.txt") as file:
        file.write("a\udc80b")
    assert (tmp_path / "out.txt").read_text() == "a\\udc80b"


def test_a_reader_that_has_enough_is_no_error_of_the_file(tmp_path):
    with pytest.raises(BrokenPipeError), whole_file(tmp_path / "out.txt"):
        raise BrokenPipeError(32, "Broken pipe")


def test_a_full_device_is_one_sentence():
    before = Path("/dev/full").stat()
    with pytest.raises(FileError, match="no space left on device"), whole_file("/dev/full") as file:
        file.write("x")
    assert Path("/dev/full").stat().st_rdev == before.st_rdev


def test_a_scratch_folder_goes_with_its_block_its_object_or_the_process():
    with ScratchFolder() as name:
        Path(name, "rows").write_text("x")
    assert not Path(name).exists()
    folder = ScratchFolder()
    name = folder.name
    del folder
    gc.collect()
    assert not Path(name).exists()
    program = "from isometrics._core.files import ScratchFolder as S; s = S(); print(s.name)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)
    assert not Path(done.stdout.decode().strip()).exists()


def mode_of(path):
    return stat.S_IMODE(path.stat().st_mode)


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o666])
def test_an_overwritten_file_keeps_its_permissions(tmp_path, mode):
    path = tmp_path / "out.txt"
    path.write_text("old")
    path.chmod(mode)
    with whole_file(path) as file:
        file.write("new")
    assert (path.read_text(), mode_of(path)) == ("new", mode)


def test_a_file_that_may_not_be_written_is_not_replaced(tmp_path, monkeypatch):
    path = tmp_path / "out.txt"
    path.write_text("old")
    path.chmod(0o400)
    # Root may write everything.
    monkeypatch.setattr(os, "access", lambda _, wanted: wanted != os.W_OK)
    with pytest.raises(FileError, match="permission denied"), whole_file(path):
        pytest.fail("there is nothing to write to")
    assert path.read_text() == "old"


@pytest.mark.parametrize("name", ["/dev/stdout", "/proc/self/fd/1", "/proc/thread-self/fd/1"])
def test_a_redirected_stream_is_written_to_where_it_stands(tmp_path, name):
    """It is neither emptied nor replaced: what came before and what comes after stays."""
    program = f"""
from isometrics._core.files import whole_file
print("first")
with whole_file({name!r}) as file:
    file.write("second\\n")
print("third")
"""
    log = tmp_path / "log"
    with log.open("wb", buffering=0) as stream:
        stream.write(b"zeroth\n")
        subprocess.run([sys.executable, "-c", program], stdout=stream, check=True)
        stream.write(b"fourth\n")
    assert log.read_text() == "zeroth\nfirst\nsecond\nthird\nfourth\n"
    assert names(tmp_path) == ["log"]


def test_threads_that_write_at_once(tmp_path):
    def work(number):
        for _ in range(20):
            with whole_file(tmp_path / f"{number % 2}.txt") as file:
                file.write("x" * 1000)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(names(tmp_path)) == ["0.txt", "1.txt"]
    assert (tmp_path / "0.txt").read_text() == "x" * 1000
