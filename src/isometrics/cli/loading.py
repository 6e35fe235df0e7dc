"""A prediction file becomes an analysis, and the reader is told which columns were taken."""

from __future__ import annotations

from contextlib import contextmanager
from itertools import islice
from typing import TYPE_CHECKING, Any

from isometrics.cli.output import note
from isometrics.cli.progress import Meter

if TYPE_CHECKING:
    from collections.abc import Iterator

    from isometrics.analysis import Analysis
    from isometrics.cli.options import Answers, Certainty, Columns

_NAMED = 5
"""How many groups that are left out are named one by one."""


def load(file: str, columns: Columns, answers: Answers, *, keep_rows: bool = False) -> Analysis:
    """Read a prediction file; what was read from where goes to the stream of messages."""
    from isometrics.analysis import read_predictions

    with Meter("reading", quiet=answers.quiet) as meter:
        analysis = read_predictions(
            file,
            **columns.roles(),
            memory_limit=columns.memory_limit,
            tolerance=columns.tolerance,
            keep_rows=keep_rows,
            progress=meter,
        )
    if not answers.json:
        note(analysis.description)
        for group, reason in islice(analysis.skipped.items(), _NAMED):
            note(f"group {group!r} is left out: {reason}")
        if len(analysis.skipped) > _NAMED:
            note(f"and {len(analysis.skipped) - _NAMED} more groups, which --json lists")
    if columns.prevalence is None:
        return analysis
    return analysis.at_prevalence(columns.prevalence)


def working(task: str, answers: Answers) -> Meter:
    """Return a sign of life for what takes long with very many models or groups."""
    return Meter(task, quiet=answers.quiet)


@contextmanager
def resampling(certainty: Certainty, answers: Answers) -> Iterator[dict[str, Any]]:
    """Yield the options of `bootstrap`, with a progress bar; none unless intervals are wanted."""
    options = certainty.options()
    if not options:
        yield {}
        return
    with Meter("drawing again", quiet=answers.quiet) as meter:
        yield options | {"progress": meter}


def about(analysis: Analysis) -> dict[str, object]:
    """Return what JSON says about the data."""
    return {"description": analysis.description, "skipped": dict(analysis.skipped)}
