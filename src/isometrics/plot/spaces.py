"""One function for each space: `roc`, `pr` and `prg`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from isometrics.plot import background, curves, marks
from isometrics.plot.frame import MARGIN, frame
from isometrics.plot.frame import legend as draw_legend
from isometrics.plot.options import Models, Options, named
from isometrics.plot.styles import style_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from numpy.typing import ArrayLike


def roc(
    pts: Models,
    ax: Axes | None = None,
    *,
    hull: bool = True,
    isolines: bool | Sequence[float] = True,
    baseline: bool = True,
    points: ArrayLike | None = None,
    annotate_hull: str | None = None,
    grid_of: str | None = None,
    legend: bool = True,
    cost: float = 0.5,
    pixels: int = 800,
) -> Axes:
    """Draw ROC curves: true positive rate over false positive rate.

    Parameters
    ----------
    pts
        The operating points of one model, or of several by name. A family of sets and a selection
        of rows are drawn as points without a curve.
    ax
        The axes to draw on; by default those of a new figure.
    hull
        Draw the convex hull, as a dashed line of its own.
    isolines
        Draw lines of equal accuracy, at the values given or, by default, at 0.1, 0.2, …, 0.9.
        Each has its value at its end. They need models of one prevalence.
    baseline
        Draw the diagonal, which guessing achieves.
    points
        Thresholds to mark on every curve.
    annotate_hull
        Label the segments of the hull with scores calibrated for ``"accuracy"`` or for ``"f"``.
        The threshold between two segments is best for every cost proportion, or every 1/(1+β²),
        between their scores. Segments too short for a label have none.
    grid_of
        Draw the points of a regular grid of another space: ``"roc"``, ``"pr"`` or ``"prg"``.
    legend
        Draw a legend, with the areas under the curves.
    cost
        The cost proportion of false positives for `isolines`; ½ is plain accuracy.
    pixels
        Long curves are thinned so that nothing moves by more than half a pixel of a picture of
        this width and height, which also keeps vector files small.

    Returns
    -------
    matplotlib.axes.Axes
        The axes, for further changes and for ``ax.figure.savefig``.

    Examples
    --------
    >>> import isometrics as iso
    >>> from isometrics import plot
    >>> pts = iso.OperatingPoints.from_scores([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1])
    >>> ax = plot.roc(pts)
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['equal accuracy', 'guessing', 'curve (AUROC 0.750)', 'hull (AUROC 0.875)']
    """
    options = Options(
        hull, isolines, baseline, points, annotate_hull, grid_of, legend, pixels, cost=cost
    )
    return _draw(pts, ax, "roc", options)


def pr(
    pts: Models,
    ax: Axes | None = None,
    *,
    hull: bool = True,
    isolines: bool | Sequence[float] = True,
    baseline: bool = True,
    unachievable: bool = True,
    points: ArrayLike | None = None,
    annotate_hull: str | None = None,
    grid_of: str | None = None,
    legend: bool = True,
    beta: float = 1.0,
    pixels: int = 800,
) -> Axes:
    """Draw PR curves: precision over recall, bent as they are between the rows.

    Parameters
    ----------
    pts, ax, hull, points, annotate_hull, grid_of, legend, pixels
        As for `roc`. The hull is the achievable curve of Davis & Goadrich (2006).
    isolines
        Draw lines of equal F_β, at the values given or, by default, at 0.1, 0.2, …, 0.9.
    baseline
        Draw the always-positive rule and the line of its F_β, for each prevalence.
    unachievable
        Shade the region that not even the worst ranking enters (Boyd et al. 2012); of models
        that differ in prevalence, the region that is closed to all.
    beta
        The β of `isolines` and `baseline`.

    Returns
    -------
    matplotlib.axes.Axes
        The axes.

    Examples
    --------
    >>> import isometrics as iso
    >>> from isometrics import plot
    >>> pts = iso.OperatingPoints.from_scores([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1])
    >>> ax = plot.pr({"a model": pts}, isolines=[0.5, 0.8], beta=2)
    >>> ax.get_xlabel(), ax.get_ylabel()
    ('recall', 'precision')
    """
    options = Options(
        hull,
        isolines,
        baseline,
        points,
        annotate_hull,
        grid_of,
        legend,
        pixels,
        beta=beta,
        unachievable=unachievable,
    )
    return _draw(pts, ax, "pr", options)


def prg(
    pts: Models,
    ax: Axes | None = None,
    *,
    hull: bool = True,
    isolines: bool | Sequence[float] = True,
    baseline: bool = True,
    points: ArrayLike | None = None,
    annotate_hull: str | None = None,
    grid_of: str | None = None,
    legend: bool = True,
    beta: float = 1.0,
    low: float = 0.0,
    pixels: int = 800,
) -> Axes:
    """Draw PRG curves: precision gain over recall gain (Flach & Kull 2015).

    Parameters
    ----------
    pts, ax, hull, points, annotate_hull, grid_of, legend, pixels
        As for `roc`.
    isolines
        Draw lines of equal F_β gain, which are parallel, at the values given or, by default, at
        0.1, 0.2, …, 0.9.
    baseline
        Draw the always-positive rule and the line of its F_β gain; for β = 1 that is the minor
        diagonal.
    beta
        The β of `isolines` and `baseline`.
    low
        The lowest gain shown. Rows with lower gains are cut off by the axes, not dropped: the
        curve comes in from where they lie.

    Returns
    -------
    matplotlib.axes.Axes
        The axes.

    Examples
    --------
    >>> import isometrics as iso
    >>> from isometrics import plot
    >>> pts = iso.OperatingPoints.from_scores([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1])
    >>> ax = plot.prg(pts, annotate_hull="f", low=-0.5)
    >>> print(*ax.get_xlim())
    -0.52 1.02
    """
    options = Options(
        hull,
        isolines,
        baseline,
        points,
        annotate_hull,
        grid_of,
        legend,
        pixels,
        beta=beta,
        low=low,
    )
    return _draw(pts, ax, "prg", options)


def _draw(pts: Models, ax: Axes | None, space: str, options: Options) -> Axes:
    models = named(pts)
    prevalences = sorted({points.prevalence for _, points in models})
    options = options.checked(space, prevalences)
    own_figure = ax is None
    ax = frame(ax, space, options.low)
    _draw_background(ax, space, prevalences, options)
    lines = []
    for number, (name, points) in enumerate(models):
        style = style_of(number, len(models))
        sight: dict[str, Any] = {"pixels": options.pixels, "low": options.low - MARGIN}
        lines.append(curves.curve(ax, space, points, name, style, **sight))
        corners = points.hull()
        if options.hull:
            lines.append(curves.hull(ax, space, corners, name, style, **sight))
        if options.annotate_hull is not None:
            kind = options.annotate_hull
            marks.hull_scores(ax, space, corners, kind, style, low=options.low)
        if options.points is not None:
            marks.operating_points(ax, space, points, options.points, style)
    if options.legend:
        draw_legend(ax, lines, own_figure=own_figure)
    return ax


def _draw_background(ax: Axes, space: str, prevalences: list[float], options: Options) -> None:
    # What depends on the prevalence was checked to have one, or is drawn for each or the lowest.
    lowest = prevalences[0]
    if options.unachievable:
        background.unachievable(ax, lowest)
    values = background.LEVELS if options.isolines is True else options.isolines
    if values:
        background.isolines(ax, space, lowest, values, beta=options.beta, cost=options.cost)
    if options.grid_of is not None:
        background.other_grid(ax, space, options.grid_of, lowest)
    if options.baseline:
        background.baseline(ax, space, prevalences, beta=options.beta)
