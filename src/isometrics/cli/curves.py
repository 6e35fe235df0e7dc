"""`isometrics curve`, `plot` and `tradeoff`: curves as files, pictures and tables."""

from __future__ import annotations

from pathlib import PurePath
from typing import TYPE_CHECKING, Annotated, Any, Literal

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
    about,
    load,
    readable,
    tell_written,
)
from isometrics.cli.output import Part, answer, joined, meter, stacked
from isometrics.cli.table_files import check_suffix, write_table
from isometrics.errors import ParameterError

if TYPE_CHECKING:
    from collections.abc import Callable

    from isometrics.cli.output import Columns
    from isometrics.decisions.thresholds import Entry
    from isometrics.spaces import Tradeoff


COORDINATES = {
    "roc": ("false_positive_rate", "recall"),
    "pr": ("recall", "precision"),
    "prg": ("recall_gain", "precision_gain"),
}


def curve(
    file: File,
    /,
    *,
    space: Literal["roc", "pr", "prg", "tradeoff"] = "pr",
    hull: Annotated[bool, Parameter(negative="", show_default=False)] = False,
    index: IndexName = "f-measure",
    output: Target = "-",
    request: Request = REQUEST,
) -> None:
    """Write the points of a curve, with their thresholds, as CSV, Parquet or JSON.

    For example:
      isometrics curve predictions.csv --space prg > prg.csv
      isometrics curve predictions.parquet --space roc --hull -o hull.parquet
      isometrics curve predictions.csv --space tradeoff --index jaccard -o t.json

    Parameters
    ----------
    space
        ROC, precision-recall, precision-recall-gain or tradeoff space.
    hull
        Only the points of the convex hull.
    index
        The index of tradeoff space.
    output
        A file that ends in .csv, .tsv, .parquet, .arrow, .json or .jsonl, or in .csv.gz; - is CSV
        on standard output.
    """
    check_suffix(output)
    analysis = load(file, request)

    def points_of(entry: Entry) -> Columns:
        chosen = entry.points.hull() if hull else entry.points
        if space == "tradeoff":
            return chosen.tradeoff(index).intervals._columns()
        names = ("tp", "fp", *COORDINATES[space])
        return chosen._names() | {name: getattr(chosen, name) for name in names}

    found = stacked(analysis, points_of)
    if request.json and output == "-":
        answer(about(analysis) | {"space": space}, [Part("points", "", found)], as_json=True)
        return
    write_table(found, output)
    tell_written(about(analysis) | {"space": space}, output, request)


FORMATS = ("png", "svg", "pdf")
Space = Literal["roc", "pr", "prg", "tradeoff", "all", "comparison"]


def plot(
    file: File,
    /,
    *,
    output: Target,
    space: Annotated[tuple[Space, ...], Parameter(negative="", consume_multiple=True)] = ("pr",),
    index: IndexName = "f-measure",
    hull: bool = True,
    isolines: bool = True,
    title: str | None = None,
    dpi: int = 150,
    certainty: Certainty = CERTAINTY,
    request: Request = REQUEST,
) -> None:
    """Draw all models in one space or several, as PNG, SVG or PDF.

    For example:
      isometrics plot predictions.csv -o pr.png
      isometrics plot predictions.csv --space prg --no-isolines -o "PRG space.svg"
      isometrics plot predictions.csv --space roc pr prg -o spaces.png
      isometrics plot predictions.csv --space comparison --index cost -o best.pdf
      isometrics plot predictions.csv --space all --confidence 0.95 -o bands.png

    Parameters
    ----------
    output
        The picture; its name ends in .png, .svg or .pdf.
    space
        ROC, precision-recall, precision-recall-gain or tradeoff space, or some of them, side by
        side with one legend; all four; or the models compared.
    index
        The index of tradeoff space and of the comparison.
    hull
        Draw the convex hulls, in the first three spaces.
    isolines
        Draw lines of equal performance, in the first three spaces.
    title
        A line above the picture.
    dpi
        Dots per inch of a PNG.
    """
    form = PurePath(output).suffix.lower().lstrip(".")
    if form not in FORMATS:
        raise ParameterError(f"{output!r} should end in .png, .svg or .pdf")
    if not 10 <= dpi <= 2000:
        raise ParameterError(f"--dpi must be between 10 and 2000 but is {dpi}")
    # Whether there is matplotlib is said before a long file is read.
    from isometrics import plot as draw

    drawn: str | list[str] = space[0] if len(space) == 1 else [*space]
    if certainty.wanted and drawn == "comparison":
        raise ParameterError("--confidence draws bands around curves; choose another --space")
    options: dict[str, Any] = {}
    if {*space} & {*COORDINATES, "all"}:
        options |= {"hull": hull, "isolines": isolines}
    if {*space} & {"tradeoff", "comparison", "all"}:
        options |= {"index": index}
    analysis = load(file, request, keep_rows=certainty.rows_to_keep())
    with meter("drawing", unit="resamples", quiet=request.quiet) as progress:
        import matplotlib as mpl
        import numpy as np

        from isometrics.comparison import compare
        from isometrics.plot.frame import plain

        mpl.use("agg")
        axes: Any
        if drawn == "comparison":
            axes = draw.comparison(compare(analysis.models, index))
        else:
            bands = certainty.options() | {"progress": progress} if certainty.wanted else None
            axes = analysis.plot(drawn, bands=bands, **options)
        figure = np.ravel(axes)[0].figure
        if title is not None:
            figure.suptitle(plain(readable(title)))
    _save(figure, output, form, dpi)
    tell_written(about(analysis) | {"space": drawn}, output, request)


def _save(figure: Any, output: str, form: str, dpi: int) -> None:
    import matplotlib as mpl
    from matplotlib import pyplot as plt

    from isometrics._core.files import whole_file

    # The same data give the same file.
    stamp = {"png": {"Software": None}, "svg": {"Date": None}, "pdf": {"CreationDate": None}}[form]
    # Text stays text, so that one can search for it.
    settings: Any = {"svg.hashsalt": "isometrics", "svg.fonttype": "none"}
    try:
        with whole_file(output, binary=True) as file, mpl.rc_context(settings):
            figure.savefig(file, format=form, dpi=dpi, metadata=stamp)
    finally:
        plt.close(figure)


def tradeoff(
    file: File,
    /,
    *,
    index: IndexName = "f-measure",
    lam: Annotated[Numbers, Parameter(name="--lambda")] = (),
    min_precision: float | None = None,
    min_recall: float | None = None,
    request: Request = REQUEST,
) -> None:
    """Print which threshold is best for which weight of recall, with areas and useful ranges.

    For example:
      isometrics tradeoff predictions.csv
      isometrics tradeoff predictions.csv --index kulczynski --lambda 0.2 0.5 0.8
      isometrics tradeoff predictions.csv --min-precision 0.8 --json

    Parameters
    ----------
    index
        The index.
    lam
        Weights of recall, between 0 and 1, to look at.
    min_precision
        Consider only thresholds with this precision or more.
    min_recall
        Consider only thresholds with this recall or more.
    """
    analysis = load(file, request)

    def curve(entry: Entry) -> Tradeoff:
        whole = entry.points.tradeoff(index)
        if min_precision is None and min_recall is None:
            return whole
        try:
            return whole.with_constraints(min_precision=min_precision, min_recall=min_recall)
        except ParameterError as error:
            raise error.within(f"{entry.model} {entry.group}") from None

    def intervals(entry: Entry) -> Columns:
        pieces = curve(entry).intervals
        return pieces._columns() | pieces._printed_names()

    parts: dict[str, tuple[str, Callable[[Entry], Columns]]] = {
        "intervals": ("The best threshold for every weight λ of recall", intervals),
        "areas": ("The area under the curve", lambda entry: {"area": [curve(entry).area()]}),
        "useful": (
            "Where the curve beats every trivial set",
            lambda entry: curve(entry).useful_range()._columns(),
        ),
    }
    if lam:
        parts["values"] = ("The best values", lambda entry: _values(curve(entry), lam))
    found = [Part(key, title, stacked(analysis, of)) for key, (title, of) in parts.items()]
    answer(about(analysis) | {"index": index}, found, as_json=request.json)


def _values(found: Tradeoff, weights: tuple[float, ...]) -> Columns:
    rows = [(lam, found.best(lam)) for lam in weights]
    names = [best._printed_names() for _, best in rows]
    where = next(iter(names[0]))
    return {
        "lambda": [lam for lam, _ in rows],
        "value": [found(lam) for lam in weights],
        where: joined([each[where][:1] for each in names]),
        "precision": [float(best.precision[0]) for _, best in rows],
        "recall": [float(best.recall[0]) for _, best in rows],
    }
