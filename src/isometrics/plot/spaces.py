"""One function for each space: `roc`, `pr` and `prg`."""

from __future__ import annotations

from inspect import Parameter, signature
from typing import TYPE_CHECKING, Any, TypedDict

import numpy as np

from isometrics._core.parameters import check_options
from isometrics._core.results import bracketed
from isometrics.errors import NotAnswerableError
from isometrics.measures import area_in, bounds_of
from isometrics.plot import background, marks
from isometrics.plot.frame import MARGIN, frame, label_with_area
from isometrics.plot.frame import legend as draw_legend
from isometrics.plot.marks import Models, Options, named
from isometrics.plot.styles import Style, plain, style_of
from isometrics.plot.tradeoff import tradeoff
from isometrics.spaces.trace import trace

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D
    from numpy.typing import ArrayLike

    from isometrics._core.arrays import Floats
    from isometrics.points import OperatingPoints
    from isometrics.spaces.indices import WeightedIndex


class SpaceOptions(TypedDict, total=False):
    """The options of `roc`, `pr`, `prg` and `tradeoff`, without the baseline."""

    hull: bool
    isolines: bool | Sequence[float]
    unachievable: bool
    points: ArrayLike | None
    annotate_hull: str | None
    grid_of: str | None
    legend: bool
    cost: float
    beta: float
    low: float
    pixels: int
    index: str | WeightedIndex
    intervals: bool
    most: int


class PlotOptions(SpaceOptions, total=False):
    """The options of `roc`, `pr`, `prg` and `tradeoff`."""

    baseline: bool


def curve(
    ax: Axes,
    space: str,
    points: OperatingPoints,
    name: str | None,
    style: Style,
    *,
    pixels: int,
    low: float,
) -> Line2D:
    """Draw and return the curve, or the single points of a family of sets."""
    line_options: dict[str, Any] = {"color": style.curve, "zorder": 3.0}
    if not points.table.nested:
        view = getattr(points, space)
        title = "points" if name is None else plain(name)
        (line,) = ax.plot(
            view.x,
            view.y,
            linestyle="",
            marker=style.marker,
            markersize=5,
            label=title,
            **line_options,
        )
        return line
    title = "curve" if name is None else plain(name)
    x, y = trace(points.table, space, width=pixels, height=pixels, low=low)
    if name is not None:
        line_options |= {
            "marker": style.marker,
            "markersize": 5,
            "markevery": _marker_rows(x, y, low),
        }
    (line,) = ax.plot(x, y, linewidth=1.5, **line_options)
    label_with_area(line, title, f"{area_in(space)} {_area(points, space)}")
    return line


def _area(points: OperatingPoints, space: str) -> str:
    """Return the area under a curve as text, or its bounds if rows are missing."""
    try:
        return f"{getattr(points, space).area():.3f}"
    except NotAnswerableError:
        measure = area_in(space)
        return bracketed(*bounds_of(points, [measure])[measure.name])


def _marker_rows(x: Floats, y: Floats, low: float, n_markers: int = 9) -> list[int]:
    """Return indices of points at roughly equal distances along the visible section of a line.

    matplotlib can space markers itself, but includes what lies outside the axes, where a PRG curve
    is so long that there would be millions of markers.
    """
    visible = (x >= low) & (y >= low)
    steps = np.where(visible[:-1] & visible[1:], np.hypot(np.diff(x), np.diff(y)), 0)
    length = np.cumsum(steps)
    positions = np.linspace(0, length[-1], n_markers + 2)[1:-1]
    return [int(row) for row in np.unique(np.searchsorted(length, positions) + 1)]


def hull(
    ax: Axes,
    space: str,
    corners: OperatingPoints,
    name: str | None,
    style: Style,
    *,
    pixels: int,
    low: float,
) -> Line2D:
    """Draw and return the hull, as a line in addition to the curve."""
    title = "hull" if name is None else f"{plain(name)}, hull"
    (line,) = ax.plot(
        *trace(corners.table, space, width=pixels, height=pixels, low=low),
        color=style.hull,
        linestyle="--",
        linewidth=1.3,
        zorder=3.2,
    )
    label_with_area(line, title, f"{area_in(space)} {getattr(corners, space).area():.3f}")
    return line


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
        Draw the convex hull too, as a dashed line.
    isolines
        Draw lines of equal accuracy, at these values or, by default, at 0.1, 0.2, …, 0.9. Each
        has its value at its end. All models must have the same prevalence.
    baseline
        Draw the diagonal, which guessing achieves.
    points
        Thresholds to mark on every curve.
    annotate_hull
        Label the segments of the hull with scores calibrated for ``"accuracy"`` or for ``"f"``.
        The threshold between two segments is best for every cost proportion, or every 1/(1+β²),
        between their scores. Segments that are too short have no label.
    grid_of
        Draw the points of a regular grid of another space: ``"roc"``, ``"pr"`` or ``"prg"``.
    legend
        Draw a legend, with the areas under the curves.
    cost
        The cost proportion of false positives for `isolines`; ½ is plain accuracy.
    pixels
        Long curves are thinned so that no point moves by more than half a pixel in an image of
        this width and height. This keeps vector files small.

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
    """Draw PR curves: precision over recall, with the exact curve between the rows.

    Parameters
    ----------
    pts, ax, hull, points, annotate_hull, grid_of, legend, pixels
        As for `roc`. The hull is the achievable curve of Davis & Goadrich (2006).
    isolines
        Draw lines of equal F_β, at these values or, by default, at 0.1, 0.2, …, 0.9.
    baseline
        Draw the always-positive rule and the line of its F_β, for each prevalence.
    unachievable
        Shade the region that no ranking can reach (Boyd et al. 2012). If models differ in
        prevalence, it is the region that none of them can reach.
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
        Draw lines of equal F_β gain, which are parallel, at these values or, by default, at 0.1,
        0.2, …, 0.9.
    baseline
        Draw the always-positive rule and the line of its F_β gain, which for β = 1 is the minor
        diagonal.
    beta
        The β of `isolines` and `baseline`.
    low
        The lowest gain shown. Rows with lower gains lie outside the axes, but the curve still
        begins there.

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
        resolution: dict[str, Any] = {"pixels": options.pixels, "low": options.low - MARGIN}
        lines.append(curve(ax, space, points, name, style, **resolution))
        corners = points.hull()
        if options.hull:
            lines.append(hull(ax, space, corners, name, style, **resolution))
        if options.annotate_hull is not None:
            kind = options.annotate_hull
            marks.hull_scores(ax, space, corners, kind, style, low=options.low)
        if options.points is not None:
            marks.operating_points(ax, space, points, options.points, style)
    if options.legend:
        draw_legend(ax, lines, own_figure=own_figure)
    return ax


def _draw_background(ax: Axes, space: str, prevalences: list[float], options: Options) -> None:
    # Where models differ in prevalence, `Options.checked` refused what needs a single one.
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


SPACES: dict[str, Callable[..., Axes]] = {"roc": roc, "pr": pr, "prg": prg, "tradeoff": tradeoff}


def options_by_space(pts: Models, options: PlotOptions) -> dict[str, dict[str, Any]]:
    """Return the options of each space among those of all."""
    named(pts)
    accepted = {space: _options_of(space) for space in SPACES}
    accepted["tradeoff"].discard("points")
    return {
        space: _defaults(space, pts)
        | {name: value for name, value in options.items() if name in accepted[space]}
        for space in SPACES
    }


def draw_space(space: str, pts: Models, ax: Axes | None, options: Mapping[str, object]) -> Axes:
    """Draw a space by its name; refuse options that it does not have."""
    check_options(SPACES[space], options)
    return SPACES[space](pts, ax, **{**_defaults(space, pts), **options})


def _options_of(space: str) -> set[str]:
    parameters = signature(SPACES[space]).parameters.values()
    return {option.name for option in parameters if option.kind is Parameter.KEYWORD_ONLY}


def _defaults(space: str, pts: Models) -> dict[str, Any]:
    """Leave out lines of equal accuracy where they depend on the model's prevalence."""
    prevalences = {points.prevalence for _, points in named(pts)}
    return {"isolines": False} if space == "roc" and len(prevalences) > 1 else {}
