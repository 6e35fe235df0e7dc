"""`isometrics serve`: the interactive page in the browser, for a file or for one that you drop."""

from __future__ import annotations

from typing import Annotated, Any

from cyclopts import Parameter

from isometrics.cli.options import ANSWERS, COLUMNS, Answers, Columns, File, TuningFile, load
from isometrics.cli.output import Meter, note
from isometrics.cli.verdict import MOST_ROWS_OF_PAGE, head
from isometrics.errors import ParameterError, redacted


def serve(
    file: File | None = None,
    /,
    *,
    host: str = "127.0.0.1",
    port: int = 0,
    open: Annotated[bool, Parameter(show_default=False)] = True,
    thresholds_from: TuningFile = None,
    columns: Columns = COLUMNS,
    answers: Answers = ANSWERS,
) -> None:
    """Open the interactive page in the browser, until Ctrl-C; without a file, it asks for one.

    For example:
      isometrics serve
      isometrics serve predictions.parquet
      isometrics serve predictions.csv --no-open --port 8000
      isometrics serve test.csv --thresholds-from tuning.csv

    Parameters
    ----------
    host
        The address to listen on; the default can be reached from this machine alone.
    port
        The port; 0 is any free one.
    open
        Open the page in the browser.
    """
    from isometrics.report import serve as serve_page
    from isometrics.report.html import title_of

    if file is None and thresholds_from is not None:
        raise ParameterError("--thresholds-from needs the file that is judged, too")
    models = None
    page: dict[str, Any] = {}
    if file is not None:
        analysis = load(file, columns, answers, keep_rows=MOST_ROWS_OF_PAGE)
        models = analysis.models
        tuning = None
        if thresholds_from is not None:
            tuning = load(thresholds_from, columns, answers, keep_rows=MOST_ROWS_OF_PAGE)
        first = head(analysis, file, answers=answers, thresholds_from=tuning, by_beta=True)
        with Meter("judging groups", unit="resamples", quiet=answers.quiet) as meter:
            page = analysis._page_options(
                first.verdicts,
                first.by_beta,
                title=title_of(redacted(file)),
                thresholds_from=tuning,
                progress=meter,
            )
    serve_page(
        models,
        host=host,
        port=port,
        open_browser=open,
        **page,
        announce=lambda address: note(f"The page is at {address} until you press Ctrl-C."),
    )
