"""A file appears whole or not at all."""

import os
import stat
from pathlib import Path

import pytest

from isometrics.errors import FileError
from isometrics.writing import (
    ScratchFolder,
    discard_unfinished,
    register_unfinished,
    remove_unfinished,
    whole_file,
    whole_folder,
)


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
    folder = tmp_path / "spilt"
    folder.mkdir()
    (folder / "rows.bin").write_bytes(b"x")
    register_unfinished(folder)
    register_unfinished(tmp_path / "gone already")
    with pytest.raises(FileError), whole_file(tmp_path / "out.txt") as file:  # noqa: PT012
        file.write("half")
        remove_unfinished()
        assert names(tmp_path) == []
    for path in (folder, tmp_path / "gone already"):
        discard_unfinished(path)


def test_a_scratch_folder_goes_with_its_block_or_with_the_process():
    with ScratchFolder() as name:
        Path(name, "rows").write_text("x")
    assert not Path(name).exists()
    folder = ScratchFolder()
    remove_unfinished()
    assert not Path(folder.name).exists()
    folder.cleanup()


def test_what_cannot_be_removed_is_left(tmp_path, monkeypatch):
    path = tmp_path / "file"
    path.write_text("x")
    register_unfinished(path)

    def refuse(*_, **__):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(type(path), "unlink", refuse)
    remove_unfinished()
    discard_unfinished(path)
    assert names(tmp_path) == ["file"]


# ---------------------------------------------------------------------- folders


def test_a_folder_takes_its_place_when_it_is_complete(tmp_path):
    path = tmp_path / "new" / "out"
    before = os.umask(0o027)
    try:
        with whole_folder(path, names={"a"}) as folder:
            (folder / "a").write_text("1")
            assert not path.exists()
    finally:
        os.umask(before)
    assert (path / "a").read_text() == "1"
    assert names(tmp_path / "new") == ["out"]
    assert stat.S_IMODE(path.stat().st_mode) == 0o750
    with whole_folder(path, names={"a", "b"}) as folder:
        (folder / "b").write_text("2")
        assert names(path) == ["a"]
    assert names(path) == ["b"]
    assert names(tmp_path / "new") == ["out"]


@pytest.mark.parametrize("error", [RuntimeError, KeyboardInterrupt])
def test_an_interrupted_folder_leaves_the_old_one(tmp_path, error):
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "a").write_text("old")
    with pytest.raises(error), whole_folder(tmp_path / "out", names={"a"}) as folder:  # noqa: PT012
        (folder / "a").write_text("half")
        raise error
    assert names(tmp_path) == ["out"]
    assert (tmp_path / "out" / "a").read_text() == "old"


def test_a_folder_of_other_things_is_never_touched(tmp_path):
    (tmp_path / "thesis.tex").write_text("all of it")
    with (
        pytest.raises(FileError, match=r"it holds other things, such as 'thesis\.tex'; choose"),
        whole_folder(tmp_path, names={"a"}),
    ):
        pytest.fail("there is nothing to write to")
    assert names(tmp_path) == ["thesis.tex"]


def test_what_comes_into_a_folder_meanwhile_is_not_removed(tmp_path):
    path = tmp_path / "out"
    with pytest.raises(FileError, match="other"), whole_folder(path, names={"a"}):  # noqa: PT012
        path.mkdir()
        (path / "b").write_text("mine")
    assert names(path) == ["b"]
    assert names(tmp_path) == ["out"]


def test_a_file_is_no_folder(tmp_path):
    (tmp_path / "out").write_text("")
    with (
        pytest.raises(FileError, match=r"cannot make the folder .*out.*: there is a file of that"),
        whole_folder(tmp_path / "out", names=()),
    ):
        pytest.fail("there is nothing to write to")


def test_a_folder_inside_a_file_is_one_sentence(tmp_path):
    (tmp_path / "file").write_text("")
    with (
        pytest.raises(FileError, match=r"cannot write .*out"),
        whole_folder(tmp_path / "file" / "out", names=()),
    ):
        pytest.fail("there is nothing to write to")


def test_an_old_folder_comes_back_if_it_cannot_be_replaced(tmp_path, monkeypatch):
    path = tmp_path / "out"
    path.mkdir()
    rename = Path.rename

    def refuse(self, target):
        if Path(target) == path and not self.name.endswith(".old"):
            raise PermissionError(13, "Permission denied")
        return rename(self, target)

    monkeypatch.setattr(Path, "rename", refuse)
    with pytest.raises(FileError, match="permission denied"), whole_folder(path, names=()):
        pass
    assert names(tmp_path) == ["out"]
