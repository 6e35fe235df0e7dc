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
    Target,
    about,
    load,
    resampling,
)
from isometrics.cli.output import Meter, answer, part_of
from isometrics.cli.table_files import write_table, writer_for
from isometrics.cli.verdict import MOST_ROWS, head


def summary(
    file: File,
    /,
    *,
    beta: Annotated[
        tuple[float, ...], Parameter(negative="", consume_multiple=True, show_default=False)
    ] = (0.5, 1.0, 2.0),
    output: Target | None = None,
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
      isometrics summary predictions.csv -o areas.csv

    Parameters
    ----------
    beta
        The β of the best F scores; by default 0.5, 1 and 2.
    output
        Write the table to a file that ends in .csv, .tsv, .parquet, .arrow, .json or .jsonl, or in
        .csv.gz, with a row for each model and group, and print its path in the last line; - is CSV
        on standard output, and nothing else. In CSV and TSV, names that a spreadsheet would take
        for formulas get an apostrophe.
    """
    from isometrics._core.parameters import parse_betas

    # What cannot be answered is said before a long file is read.
    parse_betas(beta)
    if output not in (None, "-"):
        writer_for(output)
    analysis = load(file, columns, answers, keep_rows=certainty.rows_to_keep(MOST_ROWS))
    with resampling(certainty, answers, analysis) as options:
        if options:
            found = analysis.summary(beta=beta, **options)
        else:
            with Meter("summary", unit="groups", quiet=answers.quiet) as meter:
                found = analysis.summary(beta=beta, progress=meter)
    part = part_of("summary", found)
    if output is not None:
        write_table(part.columns, output, escape_formulas=True)
        if output == "-":
            return
    first = head(analysis, file, certainty, answers, beta=1.0 if 1.0 in beta else beta[0])
    if not answers.json:
        first.show()
    said = about(analysis) | first.data | {"notes": list(found.notes)}
    if output is None:
        answer(said, [part], as_json=answers.json)
    elif answers.json:
        answer(said | {"written": output}, [], as_json=True)
    else:
        print(output)
