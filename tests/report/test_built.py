"""The page that is kept here is the one that its source builds, and the source passes its tests."""

import subprocess
from pathlib import Path

import isometrics.report

STATIC = Path(isometrics.report.__file__).parent / "static"
FILES = ["licences.txt", "report.html", "widget.css", "widget.js"]


def run(*command, cwd):
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_built_files_are_those_of_the_source(web, tmp_path):
    run("node", "build.mjs", str(tmp_path), cwd=web)
    assert sorted(path.name for path in STATIC.iterdir()) == FILES
    for name in FILES:
        assert (tmp_path / name).read_bytes() == (STATIC / name).read_bytes(), (
            f"{name} is not what web/ builds; run `make web`"
        )


def test_the_source_passes_its_own_checks(web):
    run("node", "node_modules/typescript/bin/tsc", "-p", ".", cwd=web)
    run("node", "node_modules/prettier/bin/prettier.cjs", "--check", ".", cwd=web)
    run("node", "test/run.mjs", cwd=web)
    assert "resolved" not in (web / "package-lock.json").read_text(encoding="utf-8")
