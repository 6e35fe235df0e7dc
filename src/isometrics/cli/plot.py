"""`isometrics plot`: a picture of any space."""

from __future__ import annotations

from pathlib import PurePath
from typing import TYPE_CHECKING, Annotated, Any, Literal

from cyclopts import Parameter

from isometrics.cli.curve import COORDINATES
from isometrics.cli.options import (
    ANSWERS,
    CERTAINTY,
    COLUMNS,
    Answers,
    Certainty,
    Columns,
    File,
    IndexName,
    Target,
    about,
    load,
    readable,
)
from isometrics.cli.output import Meter, answer
from isometrics.errors import ParameterError

if TYPE_CHECKING:
    from isometrics.analysis import Analysis

FORMATS = ("png", "svg", "pdf")
Space = Literal["roc", "pr", "prg", "tradeoff", "all", "comparison"]


def plot(
    file: File,
    /,
    *,
    output: Target,
    space: Annotated[tuple[Space, ...], Parameter(negative="", consume_multiple=True)] = ("pr",),
    only: str | None = None,
    index: IndexName = "f-measure",
    hull: bool = True,
    isolines: bool = True,
    title: str | None = None,
    dpi: int = 150,
    certainty: Certainty = CERTAINTY,
    columns: Columns = COLUMNS,
    answers: Answers = ANSWERS,
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
    only
        Draw this group instead of all rows.
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
    if len(space) > 1 and {*space} & {"all", "comparison"}:
        raise ParameterError("--space all and --space comparison are pictures of their own")
    if len({*space}) < len(space):
        raise ParameterError(f"--space must name different spaces but is {' '.join(space)}")
    # Whether there is matplotlib is said before a long file is read.
    import isometrics.plot  # noqa: F401
    from isometrics._core.parameters import check_choice

    analysis = load(file, columns, answers, keep_rows=certainty.rows_to_keep())
    if only is not None:
        check_choice(only, "only", (*analysis.groups, *analysis.skipped))
    options: dict[str, Any] = {}
    meter = Meter("drawing", unit="resamples", quiet=answers.quiet)
    if {*space} & {*COORDINATES}:
        options |= {"hull": hull, "isolines": isolines}
    if {*space} & {"tradeoff", "comparison"}:
        options |= {"index": index}
    if certainty.wanted:
        if space == ("comparison",):
            raise ParameterError("--confidence draws bands around curves; choose another --space")
        if only is not None:
            raise ParameterError("--confidence draws bands of all rows; leave --only out")
        options["bands"] = certainty.options() | {"progress": meter}
    with meter:
        figure = _drawn(analysis, space, only, options, title)
    _save(figure, output, form, dpi)
    if answers.json:
        drawn = space[0] if len(space) == 1 else list(space)
        answer(about(analysis) | {"space": drawn, "written": output}, [], as_json=True)
    else:
        print(output)


def _drawn(
    analysis: Analysis,
    space: tuple[str, ...],
    only: str | None,
    options: dict[str, Any],
    title: str | None,
) -> Any:
    import matplotlib as mpl
    import numpy as np

    mpl.use("agg")
    from isometrics import plot as draw
    from isometrics.comparison.compare import compare
    from isometrics.plot.styles import plain

    axes: Any
    if space == ("comparison",):
        models = analysis.models if only is None else analysis._group(only)
        axes = draw.comparison(compare(models, **options))
    else:
        axes = analysis.plot(space[0] if len(space) == 1 else space, group=only, **options)
    figure = np.ravel(axes)[0].figure
    if title is not None:
        figure.suptitle(plain(readable(title)))
    return figure


def _save(figure: Any, output: str, form: str, dpi: int) -> None:
    import matplotlib as mpl
    from matplotlib import pyplot as plt

    from isometrics._core.writing import whole_file

    # The same data give the same file.
    stamp = {"png": {"Software": None}, "svg": {"Date": None}, "pdf": {"CreationDate": None}}[form]
    # Text stays text, so that one can search for it.
    settings: Any = {"svg.hashsalt": "isometrics", "svg.fonttype": "none"}
    try:
        with whole_file(output, binary=True) as file, mpl.rc_context(settings):
            figure.savefig(file, format=form, dpi=dpi, metadata=stamp)
    finally:
        plt.close(figure)
