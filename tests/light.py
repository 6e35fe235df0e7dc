"""Use isometrics where only what `pip install isometrics` brings is installed.

Usage: python tests/light.py, in an environment without the extra `cli`
"""

import contextlib
import io
import tempfile
from importlib.util import find_spec
from pathlib import Path

import isometrics as iso
from isometrics.cli import main
from isometrics.errors import MissingPackageError

CLI = ("cyclopts", "rich", "duckdb", "pyarrow")
LABELS = [1, 0, 1, 1, 0, 0, 1, 0] * 5
SCORES = [0.9, 0.8, 0.7, 0.6, 0.55, 0.4, 0.3, 0.2] * 5


def sentence(function, *arguments, **options):
    """Return what is said of a missing package."""
    try:
        function(*arguments, **options)
    except MissingPackageError as error:
        return str(error)
    raise AssertionError(f"{function} needs nothing")


def check():
    """Analyse arrays, write a report, and ask for what needs more."""
    assert not any(map(find_spec, CLI)), "the extra cli is installed"
    analysis = iso.analyse(LABELS, {"A": SCORES, "B": SCORES[::-1]})
    assert analysis.models["A"].roc.area() == 0.6875
    assert analysis.verdict(n_resamples=100).model == "A"
    assert "AUPRG" in str(analysis.summary())
    analysis.report("x.html")
    assert "</html>" in Path("x.html").read_text(encoding="utf-8")

    points = iso.OperatingPoints.from_scores(LABELS, SCORES)
    assert iso.best_threshold(points).threshold == 0.6
    for score in (iso.auroc_score, iso.aupr_score, iso.auprg_score, iso.tradeoff_score):
        assert 0 < score(LABELS, SCORES) < 1
    found = [score > 0.5 for score in SCORES]
    for score in (iso.precision_gain_score, iso.recall_gain_score, iso.f1_gain_score):
        assert 0 < score(LABELS, found) < 1

    install = "pip install 'isometrics[cli]'"
    Path("x.csv").write_text("label,score\n1,0.9\n0,0.1\n", encoding="utf-8")
    for given in ("x.csv", "nowhere.csv", {"a": [1]}):
        assert sentence(iso.read_predictions, given) == f"read_predictions needs pyarrow: {install}"
    drawing = sentence(iso.bootstrap, LABELS, SCORES, n_resamples=9, progress=True)
    assert drawing == f"progress=True needs rich: {install}"
    for words in (["--help"], [], ["verdict", "x.csv"], ["--version"]):
        with contextlib.redirect_stderr(io.StringIO()) as said:
            assert main(words) == 2
        needed = f"isometrics: the command isometrics needs {', '.join(CLI)}: {install}\n"
        assert said.getvalue() == needed


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        check()
    print("isometrics works without the extra cli")
