"""A prediction file becomes an analysis, and the reader is told which columns were taken."""

from __future__ import annotations

from typing import TYPE_CHECKING

from isometrics.cli.output import note
from isometrics.cli.progress import Meter

if TYPE_CHECKING:
    from isometrics.analysis import Analysis
    from isometrics.cli.options import Answers, Columns


def load(file: str, columns: Columns, answers: Answers) -> Analysis:
    """Read a prediction file; what was read from where goes to the stream of messages."""
    from isometrics.reading import read_predictions

    with Meter("reading", quiet=answers.quiet) as meter:
        analysis = read_predictions(
            file,
            **columns.roles(),
            memory_limit=columns.memory_limit,
            tolerance=columns.tolerance,
            progress=meter,
        )
    if not answers.json:
        note(analysis.description)
        for group, reason in analysis.skipped.items():
            note(f"group {group!r} is left out: {reason}")
    return analysis


def about(analysis: Analysis) -> dict[str, object]:
    """Return what JSON says about the data."""
    return {"description": analysis.description, "skipped": dict(analysis.skipped)}
