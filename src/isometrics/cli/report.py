"""`isometrics report`: one page with everything, that opens in any browser."""

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
    TuningFile,
    about,
    load,
)
from isometrics.cli.output import Meter, answer, note, say
from isometrics.cli.verdict import MOST_ROWS_OF_PAGE, head


def report(
    file: File,
    /,
    *,
    output: Target = "report.html",
    title: str | None = None,
    open: Annotated[bool, Parameter(negative="", show_default=False)] = False,
    thresholds_from: TuningFile = None,
    certainty: Certainty = CERTAINTY,
    columns: Columns = COLUMNS,
    answers: Answers = ANSWERS,
) -> None:
    """Write a report as one HTML file; print the verdict and, in the last line, the path.

    For example:
      isometrics report predictions.csv
      isometrics report predictions.parquet -o "May 2025.html" --title May --open
      isometrics report predictions.csv --confidence 0.95
      isometrics report predictions.csv --group site
      isometrics report test.csv --thresholds-from tuning.csv

    Parameters
    ----------
    output
        The file to write, or - for standard output.
    title
        The title of the page; by default the name of the file.
    open
        Open the report in the browser.
    """
    from isometrics.report import write_report

    keep_rows = certainty.rows_to_keep(MOST_ROWS_OF_PAGE)
    analysis = load(file, columns, answers, keep_rows=keep_rows)
    tuning = None
    if thresholds_from is not None:
        tuning = load(thresholds_from, columns, answers, keep_rows=keep_rows)
    options = certainty.options()
    first = head(analysis, file, certainty, answers, thresholds_from=tuning, by_beta=True)
    with Meter("judging groups", unit="resamples", quiet=answers.quiet) as meter:
        page = analysis._page_options(
            first.verdicts,
            first.by_beta,
            title=title,
            confidence_level=certainty.confidence,
            thresholds_from=tuning,
            progress=meter,
        )
    with Meter("drawing bands", unit="resamples", quiet=answers.quiet) as meter:
        page["bands"] = analysis.all_bands(**options, progress=meter)
    if analysis.one_vs_rest and analysis.groups:
        note("the groups are not judged: several classes have no common rule")
    path = write_report(analysis.models, output, **page)
    if output == "-":
        return
    about_groups = [] if page["groups"] is None else page["groups"].lines
    if answers.json:
        more = {"about_groups": about_groups} if about_groups else {}
        data = about(analysis) | first.data | more
        answer(data | {"written": str(path)}, [], as_json=True)
    else:
        first.show()
        if about_groups:
            say([*about_groups, ""])
        print(path)
    if open:
        import webbrowser

        webbrowser.open(path.absolute().as_uri())
