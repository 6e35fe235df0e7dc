"""`isometrics summary`: all areas, baselines and best thresholds of every model and group."""

from __future__ import annotations

from typing import Annotated

from cyclopts import Parameter

from isometrics.cli.options import (
    ANSWERS,
    CERTAINTY,
    COLUMNS,
    Answers,
    Certainty,
    Columns,
    File,
    about,
    load,
    resampling,
)
from isometrics.cli.output import Meter, answer, part_of
from isometrics.cli.verdict import MOST_ROWS, head


def summary(
    file: File,
    /,
    *,
    beta: Annotated[
        tuple[float, ...], Parameter(negative="", consume_multiple=True, show_default=False)
    ] = (0.5, 1.0, 2.0),
    certainty: Certainty = CERTAINTY,
    columns: Columns = COLUMNS,
    answers: Answers = ANSWERS,
) -> None:
    """Print the verdict, all areas with their baselines, and the best thresholds.

    Areas and thresholds are those of every model and group.

    For example:
      isometrics summary predictions.csv
      isometrics summary runs.parquet --label y --scores old --scores new=s2
      isometrics summary predictions.csv --confidence 0.95 --prevalence 0.01
      isometrics summary - --group country --json < predictions.csv

    Parameters
    ----------
    beta
        The β of the best F scores; by default 0.5, 1 and 2.
    """
    from isometrics._core.parameters import parse_betas

    # What cannot be answered is said before a long file is read.
    parse_betas(beta)
    analysis = load(file, columns, answers, keep_rows=certainty.rows_to_keep(MOST_ROWS))
    tables = len(analysis.models) + sum(map(len, analysis.groups.values()))
    with (
        resampling(certainty, answers, analysis) as options,
        Meter(f"{tables} tables", quiet=answers.quiet),
    ):
        found = analysis.summary(beta=beta, **options)
    first = head(analysis, file, certainty, answers, beta=1.0 if 1.0 in beta else beta[0])
    if not answers.json:
        first.show()
    said = about(analysis) | first.data | {"notes": list(found.notes)}
    answer(said, [part_of("summary", found)], as_json=answers.json)
