"""The page's own programs, bundled for Node; a seed for what is drawn."""

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

WEB = Path(__file__).parent.parent.parent / "web"


@pytest.fixture(scope="session")
def drawn_seed():
    return int(os.environ["ISOMETRICS_SEED"])


@pytest.fixture(scope="session")
def web():
    """Return the folder of the page's source; skip where it cannot be built."""
    if shutil.which("node") is None:
        pytest.skip("node is not installed")
    if not (WEB / "node_modules").is_dir():
        pytest.skip("web/node_modules is missing; `make web` installs it")
    return WEB


@pytest.fixture(scope="session")
def page_programs(web, tmp_path_factory):
    folder = tmp_path_factory.mktemp("programs")
    subprocess.run(["node", web / "test" / "run.mjs", "--only-build", folder], check=True, cwd=web)
    return folder


@pytest.fixture(scope="session")
def ask(page_programs, tmp_path_factory):
    """Return a function that gives data to a program of the page, and returns what it answers."""
    folder = tmp_path_factory.mktemp("questions")

    def run(program, *questions):
        files = [folder / f"{place}.json" for place in range(len(questions))]
        for file, question in zip(files, questions, strict=True):
            file.write_text(json.dumps(question), encoding="utf-8")
        command = ["node", page_programs / f"{program}.mjs", *files]
        done = subprocess.run(command, capture_output=True, encoding="utf-8", check=False)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    return run
