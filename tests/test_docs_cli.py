"""The commands on the pages run, in a folder of their own for each page, and print what is shown.

Lines that begin with ``$`` are commands; what stands below is compared with standard output, up to
a line ``…``. Where nothing stands below, only the exit code counts.
"""

import contextlib
import importlib
import io
import re
import shlex
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
MODULES = {"isometrics": "isometrics.cli", "isometrics-study": "isometrics_studies.command"}
"""Where the programs are that the pages name."""
BLOCK = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def commands(page: Path) -> list[tuple[str, list[str]]]:
    """Return the commands of a page, each with the lines below it."""
    found: list[tuple[str, list[str]]] = []
    for block in BLOCK.findall(page.read_text(encoding="utf-8")):
        for line in block.splitlines():
            if line.startswith("$ "):
                found.append((line.removeprefix("$ "), []))
            else:
                found[-1][1].append(line)
    return found


def run(line: str) -> str:
    """Run a command within this process, with its redirections, and return what it prints."""
    program, *words = shlex.split(line, comments=True)
    main = importlib.import_module(MODULES[program]).main
    printed, target = io.StringIO(), None
    with contextlib.ExitStack() as stack:
        while len(words) > 2 and words[-2] in {"<", ">"}:
            mark, name = words[-2:]
            del words[-2:]
            if mark == ">":
                target = Path(name)
            else:
                stack.callback(setattr, sys, "stdin", sys.stdin)
                sys.stdin = stack.enter_context(Path(name).open(encoding="utf-8"))
        with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(io.StringIO()) as err:
            assert main(words) == 0, f"{line}\n{err.getvalue()}"
    if target is not None:
        target.write_text(printed.getvalue(), encoding="utf-8")
        return ""
    return printed.getvalue()


@pytest.mark.parametrize(
    "page",
    [
        # These have so many commands that they take seconds.
        pytest.param(
            page,
            marks=[pytest.mark.slow] if page.stem in {"README", "cli", "start"} else [],
            id=page.stem,
        )
        for page in PAGES
        if commands(page)
    ],
)
def test_the_commands_of_a_page_print_what_it_shows(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for line, shown in commands(page):
        printed = run(line).splitlines()
        if shown and shown[-1] == "…":
            shown.pop()
            del printed[len(shown) :]
        if shown:
            assert printed == shown, line


def test_every_command_is_shown():
    shown = {line.split()[1] for line, _ in commands(ROOT / "docs" / "cli.md")}
    expected = (
        "verdict summary curve thresholds apply compare tradeoff calibrate plot report convert "
        "doctor demo help"
    )
    assert shown == {*expected.split()}


def test_a_wrong_output_is_noticed(tmp_path, monkeypatch):
    page = tmp_path / "page.md"
    page.write_text("```console\n$ isometrics --version\n0.0.0\n```\n", encoding="utf-8")
    with pytest.raises(AssertionError):
        test_the_commands_of_a_page_print_what_it_shows(page, tmp_path, monkeypatch)
