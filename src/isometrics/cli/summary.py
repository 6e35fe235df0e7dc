"""`isometrics summary`, `compare`, `report` and `serve`: tables and the page, below the verdict."""

from __future__ import annotations

from shlex import quote
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple, Unpack

from cyclopts import Parameter

from isometrics.cli.options import (
    CERTAINTY,
    REQUEST,
    Certainty,
    File,
    IndexName,
    Numbers,
    Request,
    Target,
    TuningFile,
    about,
    load,
    tell_written,
)
from isometrics.cli.output import Part, answer, as_data, meter, note, option_of, part_of, say
from isometrics.cli.table_files import check_suffix, write_table
from isometrics.cli.verdict import data_of
from isometrics.errors import IsometricsError, ParameterError, redacted
from isometrics.measures import AUPRG, measure_choices

if TYPE_CHECKING:
    from isometrics._core.results import ResultTable
    from isometrics.analysis import Analysis
    from isometrics.comparison import Comparison
    from isometrics.decisions.objective import ObjectiveOptions
    from isometrics.report.model import PageOptions
    from isometrics.verdict.verdict import Verdict

MOST_ROWS = 200_000
"""Rows that are kept for the head of an answer."""
MOST_ROWS_OF_PAGE = 1_000_000
"""Rows that are kept for the verdicts of a page."""
_NAMED = 5
"""How many classes have their sentence at the head."""


def summary(
    file: File,
    /,
    *,
    beta: Numbers = (0.5, 1.0, 2.0),
    output: Target | None = None,
    certainty: Certainty = CERTAINTY,
    request: Request = REQUEST,
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
        on standard output, and nothing else.
    """
    from isometrics._core.parameters import parse_betas

    # What cannot be answered is said before a long file is read.
    parse_betas(beta)
    check_suffix(output)
    analysis = load(file, request, keep_rows=certainty.rows_to_keep(MOST_ROWS))
    task, unit = ("resampling", "resamples") if certainty.wanted else ("summary", "groups")
    with meter(task, unit=unit, quiet=request.quiet) as progress:
        found = analysis.summary(beta=beta, **certainty.options(), progress=progress)
    part = part_of("summary", found)
    if output is not None:
        write_table(part.columns, output)
        if output == "-":
            return
    first = head(analysis, file, certainty, request, beta=1.0 if 1.0 in beta else beta[0])
    if not request.json:
        first.show()
    said = about(analysis) | first.data | {"notes": list(found.notes)}
    if output is None:
        answer(said, [part], as_json=request.json)
    else:
        tell_written(said, output, request)


_MOST_PAIRED = 100
"""Of more models there are thousands of pairs, which take minutes."""


def compare(
    file: File,
    /,
    *,
    index: IndexName = "f-measure",
    measure: Annotated[
        str,
        Parameter(
            help="The measure for which --confidence says how certain the difference is: "
            f"{measure_choices()}."
        ),
    ] = AUPRG.name,
    pairs: bool | None = None,
    certainty: Certainty = CERTAINTY,
    request: Request = REQUEST,
) -> None:
    """Print the verdict, who is best for which weight of recall, areas and dominance.

    For example:
      isometrics compare predictions.csv
      isometrics compare predictions.csv --index jaccard --json
      isometrics compare predictions.csv --confidence 0.95 --measure AUROC

    Parameters
    ----------
    index
        What to compare by.
    pairs
        Say for every two models who dominates whom. By default up to 100 models.
    """
    from isometrics.comparison import compare as compared
    from isometrics.measures import parse_measures

    # A name that is not known is said before a long file is read.
    (wanted,) = parse_measures(measure)
    analysis = load(file, request, keep_rows=certainty.rows_to_keep(MOST_ROWS))
    if analysis.one_vs_rest:
        raise ParameterError(
            "the classes of one classifier are not rivals, so none is better; isometrics summary "
            "has all of them, and isometrics verdict the threshold of each"
        )
    if pairs is None:
        pairs = len(analysis.models) <= _MOST_PAIRED
    with meter("resampling", unit="resamples", quiet=request.quiet) as progress:
        options = certainty.options()
        whole = analysis.compare(index, measure=wanted, **options, progress=progress)
    # Groups that nobody asked for are no part of the answer.
    groups_asked = analysis.groups if request.group else {}
    with meter("comparing", unit="groups", quiet=request.quiet) as progress:
        groups: dict[str, Comparison] = {}
        for done, (group, models) in enumerate(groups_asked.items(), 1):
            groups |= {group: compared(models, index)} if len(models) > 1 else {}
            progress(done, len(groups_asked))
        said = about(analysis) | {"index": index, "sentence": whole.sentence(), "pairs": pairs}
        parts = _parts(whole, pairs=pairs)
        if request.json and groups:
            said["groups"] = {
                group: {"sentence": found.sentence()} | as_data(_parts(found, pairs=pairs))
                for group, found in groups.items()
            }
        for group, found in groups.items():
            if not request.json:
                mine = _parts(found, pairs=pairs)
                parts += [part._replace(title=f"{group}: {part.title}") for part in mine]
    if not pairs:
        note("which model dominates which is left out; add --pairs")
    objective: dict[str, Any] = {} if index == "f-measure" else {"index": index}
    first = head(analysis, file, certainty, request, **objective)
    if not request.json:
        first.show()
    answer(said | first.data, parts, as_json=request.json)


def _parts(found: Comparison, *, pairs: bool) -> list[Part]:
    tables: dict[str, ResultTable] = {"winners": found.winners, "areas": found.areas}
    if pairs:
        tables["dominance"] = found.dominance
    if found.certainty is not None:
        tables["certainty"] = found.certainty
    return [
        part_of(key, table, found.sentence() if key == "winners" else None)
        for key, table in tables.items()
    ]


# ---------------------------------------------------------------------- the page


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


# ---------------------------------------------------------------------- the head of answers


class Head(NamedTuple):
    """What a command says before its tables."""

    lines: list[str]
    data: dict[str, object]
    verdicts: dict[str, Verdict]
    """By the name of their class; of one alone ``""``. ``{}`` where there is no verdict."""
    by_beta: tuple[Verdict, ...] = ()
    """Those for other β, for a page that does not have the rows."""

    def show(self) -> None:
        """Print it, and an empty line below."""
        say([*self.lines, ""])


def head(
    analysis: Analysis,
    file: str,
    certainty: Certainty = CERTAINTY,
    request: Request = REQUEST,
    *,
    thresholds_from: Analysis | None = None,
    by_beta: bool = False,
    **objective: Unpack[ObjectiveOptions],
) -> Head:
    """Return the verdict with which a command begins, over all rows.

    It takes a second or two at most: of long files only what their tables tell, and a hint at the
    command that tells the rest. With `by_beta`, for a page, it takes some seconds. With tuning
    data, the choice is made there. It raises nothing.
    """
    from isometrics.analysis.verdicts import RESAMPLES, quick_verdicts

    try:
        drawing = certainty.drawing()
        with meter("resampling", unit="resamples", quiet=request.quiet) as progress:
            options = {"progress": progress, "thresholds_from": thresholds_from}
            found = quick_verdicts(analysis, objective | drawing | options, by_beta=by_beta)
    except IsometricsError as error:
        return Head([f"No verdict: {error.phrase(option_of)}."], {"verdict": None}, {})
    verdicts = found.verdicts
    said = [f"{name}: {each.sentence()}" for name, each in verdicts.items()]
    if found.by_class:
        more = len(said) - _NAMED
        said[_NAMED:] = [f"and {more} more classes"] * (more > 0)
    else:
        (only,) = verdicts.values()
        said = [only.sentence(), *(f"Beware: {warning}" for warning in only.warnings)]
    command = f"isometrics verdict {quote(redacted(file))}"
    if thresholds_from is not None:
        command += f" --thresholds-from {quote(redacted(thresholds_from.source))}"
    if not found.n_resamples or analysis._more_rows_than_asked:
        said.append(f"What to expect on new data, and how sure: {command}")
    elif not all(each.replicates for each in verdicts.values()):
        said.append(next(each.method for each in verdicts.values() if not each.replicates))
    elif max(each.replicates for each in verdicts.values()) == found.n_resamples < RESAMPLES:
        # More would have been drawn.
        said.append(f"From {found.n_resamples:,} resamples; {command} draws {RESAMPLES:,}.")
    return Head(said, data_of(found), verdicts, found.by_beta)
