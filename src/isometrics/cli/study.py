"""`isometrics study`: the experiments of the papers, run again."""

from __future__ import annotations

from cyclopts import App

from isometrics.cli.study_papers import papers
from isometrics.cli.study_ranking import ranking

study = App(
    name="study",
    help="Run the experiments of the papers again, on data of your own or theirs.",
    help_format="plaintext",
)
study.command(papers)
study.command(ranking)
