"""A file appears whole or not at all."""

import os
import signal
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from isometrics._core import writing
from isometrics._core.writing import (
    ScratchFolder,
    remove_abandoned,
    remove_unfinished,
    whole_file,
)
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


def test_a_folder_that_is_not_there(tmp_path):
    with (
        pytest.raises(FileError, match=r"cannot write .*nowhere.*no such file"),
        whole_file(tmp_path / "nowhere" / "out.txt"),
    ):
        pytest.fail("there is nothing to write to")


def test_a_directory_is_no_file(tmp_path):
    with pytest.raises(FileError, match="it is a directory"), whole_file(tmp_path):
        pytest.fail("there is nothing to write to")


NO_NAMES = {
    None: "path must name a file but is None; give a text or a Path",
    3: "path must name a file but is 3; give",
    b"a": "path must name a file but is b'a'; give",
    "a\0b": r"path must name a file but is 'a\\x00b', which no file can be called; choose",
    "\ud800": r"path must name a file but is '\\ud800', which no file can be called; choose",
}


@pytest.mark.parametrize("given", NO_NAMES, ids=repr)
def test_what_can_name_no_file_is_refused(given):
    with pytest.raises(ParameterError, match=NO_NAMES[given]), whole_file(given):
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


def test_what_is_unfinished_is_removed_on_request(tmp_path):
    with pytest.raises(FileError), whole_file(tmp_path / "out.txt") as file:  # noqa: PT012
        file.write("half")
        remove_unfinished()
        assert names(tmp_path) == []


def test_a_scratch_folder_goes_with_its_block_or_with_the_process():
    with ScratchFolder() as name:
        Path(name, "rows").write_text("x")
    assert not Path(name).exists()
    folder = ScratchFolder()
    remove_unfinished()
    assert not Path(folder.name).exists()
    folder.cleanup()


def test_what_cannot_be_removed_is_left(tmp_path, monkeypatch):
    def refuse(*_, **__):
        raise PermissionError(13, "Permission denied")

    with monkeypatch.context() as patched, whole_file(tmp_path / "out.txt") as file:
        patched.setattr(Path, "unlink", refuse)
        patched.setattr(Path, "replace", refuse)
        file.write("x")
        remove_unfinished()
        assert len(names(tmp_path)) == 1
        patched.undo()
    assert names(tmp_path) == ["out.txt"]


def test_a_folder_that_is_written_to_while_it_is_removed(monkeypatch):
    """rmtree gives up where a file appears after it has looked."""
    folder = ScratchFolder()
    rmtree, calls = writing.shutil.rmtree, []

    def rmtree_too_early(path, **options):
        calls.append(path)
        if len(calls) > 1:
            rmtree(path, **options)

    monkeypatch.setattr(writing.shutil, "rmtree", rmtree_too_early)
    folder.cleanup()
    assert len(calls) == 2
    assert not Path(folder.name).exists()


def test_a_folder_that_cannot_be_removed_is_left(monkeypatch):
    with monkeypatch.context() as patched:
        folder = ScratchFolder()
        patched.setattr(writing.shutil, "rmtree", lambda *_, **__: None)
        folder.cleanup()
        assert Path(folder.name).exists()
    Path(folder.name).rmdir()


# ---------------------------------------------------------------------- other people's files


def mode_of(path):
    return stat.S_IMODE(path.stat().st_mode)


def test_the_umask_is_never_changed(tmp_path, monkeypatch):
    """Other threads create files at the same time."""
    monkeypatch.setattr(os, "umask", lambda _: pytest.fail("changes the umask of all threads"))
    with whole_file(tmp_path / "out.txt") as file:
        file.write("x")


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o666])
def test_an_overwritten_file_keeps_its_permissions(tmp_path, mode):
    path = tmp_path / "out.txt"
    path.write_text("old")
    path.chmod(mode)
    with whole_file(path) as file:
        file.write("new")
    assert (path.read_text(), mode_of(path)) == ("new", mode)


def test_an_overwritten_file_keeps_its_owner(tmp_path):
    """Root may give files away; others may give them to their groups."""
    path = tmp_path / "out.txt"
    path.write_text("old")
    owner = (12345, 54321) if os.geteuid() == 0 else (os.geteuid(), min(os.getgroups()))
    os.chown(path, *owner)
    path.chmod(0o660)
    with whole_file(path) as file:
        file.write("new")
    assert (path.stat().st_uid, path.stat().st_gid) == owner
    assert (path.read_text(), mode_of(path)) == ("new", 0o660)


def test_where_files_cannot_be_given_away_the_old_one_is_written_to(tmp_path, monkeypatch):
    path = tmp_path / "out.txt"
    path.write_text("old and longer")
    before = path.stat()

    def refuse(*_):
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "chown", refuse)
    other = os.stat_result([*before[:4], before.st_uid + 1, *before[5:]])
    stat_of = Path.stat
    monkeypatch.setattr(
        Path, "stat", lambda self, **how: other if self == path else stat_of(self, **how)
    )
    with whole_file(path) as file:
        file.write("new")
    monkeypatch.undo()
    assert path.read_text() == "new"
    assert path.stat().st_ino == before.st_ino
    assert names(tmp_path) == ["out.txt"]


def test_a_file_that_may_not_be_written_is_not_replaced(tmp_path, monkeypatch):
    path = tmp_path / "out.txt"
    path.write_text("old")
    path.chmod(0o400)
    # Root may write everything.
    monkeypatch.setattr(os, "access", lambda _, wanted: wanted != os.W_OK)
    with pytest.raises(FileError, match="permission denied"), whole_file(path):
        pytest.fail("there is nothing to write to")
    assert path.read_text() == "old"


def test_attributes_such_as_access_lists_are_kept(tmp_path):
    path = tmp_path / "out.txt"
    path.write_text("old")
    try:
        os.setxattr(path, "user.isometrics", b"kept")
    except OSError:
        expected = []  # not every file system has them
    else:
        expected = ["user.isometrics"]
    with whole_file(path) as file:
        file.write("new")
    assert [name for name in os.listxattr(path) if name.startswith("user.")] == expected


def test_systems_without_attributes_or_locks(tmp_path, monkeypatch):
    path = tmp_path / "out.txt"
    path.write_text("old")
    monkeypatch.delattr(os, "listxattr")
    monkeypatch.setattr(writing, "fcntl", None)
    with whole_file(path) as file:
        file.write("new")
    assert path.read_text() == "new"
    assert names(tmp_path) == ["out.txt"]


@pytest.mark.parametrize("name", ["/dev/stdout", "/proc/self/fd/1", "/proc/thread-self/fd/1"])
def test_a_redirected_stream_is_written_to_where_it_stands(tmp_path, name):
    """It is neither emptied nor replaced: what came before and what comes after stays."""
    program = f"""
from isometrics._core.writing import whole_file
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


def test_a_stream_by_way_of_a_link(tmp_path):
    (tmp_path / "first").symlink_to("second")
    with (tmp_path / "log").open("wb") as stream:
        (tmp_path / "second").symlink_to(f"/dev/fd/{stream.fileno()}")
        with whole_file(tmp_path / "first") as file:
            file.write("x")
    assert (tmp_path / "log").read_text() == "x"
    assert sorted(names(tmp_path)) == ["first", "log", "second"]


def test_a_circle_of_links(tmp_path):
    (tmp_path / "a").symlink_to("b")
    (tmp_path / "b").symlink_to("a")
    assert writing._own_descriptor(tmp_path / "a") is None


# ---------------------------------------------------------------------- killed processes

KILLED = """
import sys
from isometrics._core.writing import ScratchFolder, whole_file
scratch = ScratchFolder()
with whole_file(sys.argv[1]) as file:
    print(scratch.name, flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def scratch(tmp_path, monkeypatch):
    """Return a folder for scratch folders of this test alone."""
    folder = tmp_path / "scratch"
    folder.mkdir()
    monkeypatch.setenv("TMPDIR", str(folder))
    monkeypatch.setattr(writing.tempfile, "tempdir", None)
    return folder


def test_what_a_killed_process_left_is_removed_by_the_next(tmp_path, scratch):
    out = tmp_path / "out"
    out.mkdir()
    process = subprocess.Popen(
        [sys.executable, "-c", KILLED, str(out / "a.txt")],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    process.stdout.readline()
    theirs = [*scratch.iterdir(), *out.iterdir()]
    assert len(theirs) == 2
    # While it lives, nobody touches its files.
    ScratchFolder().cleanup()
    with whole_file(out / "c.txt"):
        pass
    assert all(path.exists() for path in theirs)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    assert all(path.exists() for path in theirs)
    ScratchFolder().cleanup()
    with whole_file(out / "c.txt"):
        pass
    assert [*scratch.iterdir(), *out.iterdir()] == [out / "c.txt"]


def test_only_what_looks_abandoned_is_removed(tmp_path, monkeypatch):
    hexadecimal = "0123456789abcdef"
    for name in ("isometrics-data", f"my-isometrics-{hexadecimal}"):
        (tmp_path / name).write_text("mine")
    (tmp_path / f"isometrics-{hexadecimal}").symlink_to("isometrics-data")
    before = sorted(tmp_path.iterdir())
    remove_abandoned(tmp_path)
    assert sorted(tmp_path.iterdir()) == before
    # Nor is what belongs to somebody else.
    other = tmp_path / f".x.isometrics-{hexadecimal}"
    other.write_text("theirs")
    with monkeypatch.context() as patched:
        patched.setattr(os, "geteuid", lambda: 99999)
        remove_abandoned(tmp_path)
    assert other.exists()
    remove_abandoned(tmp_path)
    assert sorted(tmp_path.iterdir()) == before


def test_where_there_is_no_temporary_folder_nothing_is_removed(monkeypatch):
    def nowhere():
        raise FileNotFoundError(2, "No usable temporary directory found")

    monkeypatch.setattr(writing.tempfile, "gettempdir", nowhere)
    remove_abandoned()


def test_a_new_file_that_another_process_takes_for_abandoned(tmp_path, monkeypatch):
    """Between its creation and its lock, there is a moment."""
    lock, taken = writing._lock, []

    def after_another(path, *, wait):
        if not taken:
            taken.append(path)
            path.unlink()
        return lock(path, wait=wait)

    monkeypatch.setattr(writing, "_lock", after_another)
    with whole_file(tmp_path / "out.txt") as file:
        file.write("x")
    assert len(taken) == 1
    assert (tmp_path / "out.txt").read_text() == "x"


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
