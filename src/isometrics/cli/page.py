"""`isometrics report` and `serve`: the interactive page, as a file or in the browser."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from isometrics.cli.options import (
    CERTAINTY,
    REQUEST,
    Certainty,
    File,
    Request,
    Target,
    TuningFile,
    about,
    load,
)
from isometrics.cli.output import answer, meter, note, say
from isometrics.cli.summary import MOST_ROWS_OF_PAGE, head
from isometrics.errors import ParameterError

if TYPE_CHECKING:
    from isometrics.analysis import Analysis
    from isometrics.cli.summary import Head
    from isometrics.report.model import PageOptions


def report(
    file: File,
    /,
    *,
    output: Target = "report.html",
    title: str | None = None,
    open: Annotated[bool, Parameter(negative="", show_default=False)] = False,
    thresholds_from: TuningFile = None,
    certainty: Certainty = CERTAINTY,
    request: Request = REQUEST,
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

    analysis, first, page = _page(file, thresholds_from, certainty, request, title=title)
    if certainty.wanted:
        with meter("drawing bands", unit="resamples", quiet=request.quiet) as progress:
            page["bands"] = analysis.bands(**certainty.options(), progress=progress)
    if analysis.one_vs_rest and analysis.groups:
        note("the groups are not judged: several classes have no common rule")
    path = write_report(analysis.models, output, **page)
    if output == "-":
        return
    about_groups = [] if page["groups"] is None else page["groups"]["lines"]
    if request.json:
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


def serve(
    file: File | None = None,
    /,
    *,
    host: str = "127.0.0.1",
    port: int = 0,
    open: Annotated[bool, Parameter(show_default=False)] = True,
    thresholds_from: TuningFile = None,
    request: Request = REQUEST,
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

    models = None
    page: PageOptions = {}
    if file is not None:
        analysis, _, page = _page(file, thresholds_from, CERTAINTY, request)
        models = analysis.models
    elif thresholds_from is not None:
        raise ParameterError("--thresholds-from needs the file that is judged, too")
    serve_page(
        models,
        host=host,
        port=port,
        open_browser=open,
        **page,
        announce=lambda address: note(f"The page is at {address} until you press Ctrl-C."),
    )


def _page(
    file: str,
    thresholds_from: str | None,
    certainty: Certainty,
    request: Request,
    *,
    title: str | None = None,
) -> tuple[Analysis, Head, PageOptions]:
    """Return a file that was read, the verdict on it, and what its page shows."""
    from isometrics.analysis.page import page_options

    keep_rows = certainty.rows_to_keep(MOST_ROWS_OF_PAGE)
    analysis = load(file, request, keep_rows=keep_rows)
    tuning = None
    if thresholds_from is not None:
        tuning = load(thresholds_from, request, keep_rows=keep_rows)
    first = head(analysis, file, certainty, request, thresholds_from=tuning, by_beta=True)
    with meter("judging groups", unit="resamples", quiet=request.quiet) as progress:
        page = page_options(
            analysis,
            first.verdicts,
            first.by_beta,
            title=title,
            confidence_level=certainty.confidence,
            thresholds_from=tuning,
            progress=progress,
        )
    return analysis, first, page
