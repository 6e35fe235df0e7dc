"""One function for each space, `roc`, `pr` and `prg`, and figures of several spaces."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, TypedDict, Unpack, cast

import numpy as np
from matplotlib import pyplot as plt

from isometrics._core.parameters import (
    check_beta,
    check_choice,
    check_cost,
    check_number,
    check_options,
)
from isometrics._core.results import bracketed
from isometrics._core.threshold_text import ThresholdTexts
from isometrics._table.table import lower_scores
from isometrics.errors import NotAnswerableError, ParameterError
from isometrics.measures import area_in, bounds_of
from isometrics.plot.frame import (
    BASELINE,
    BLACK,
    ISOLINE,
    ISOLINE_LABEL,
    MARGIN,
    TITLES,
    Drawn,
    LegendCurve,
    frame,
    legend,
    named,
    plain,
    style_of,
)
from isometrics.plot.tradeoff import TradeoffOptions, draw_tradeoff, tradeoff
from isometrics.spaces.drawing import accuracy_isoline, f_gain_isoline, f_isoline, trace

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D
    from numpy.typing import ArrayLike, NDArray

    from isometrics._core.arrays import Floats
    from isometrics.plot.frame import Models, Style
    from isometrics.points import OperatingPoints


class CurveOptions(TypedDict, total=False):
    """The options of `roc`, `pr` and `prg`."""

    hull: bool
    isolines: bool | Sequence[float]
    baseline: bool
    points: ArrayLike | None
    legend: bool


class RocOptions(CurveOptions, total=False):
    """The options of `roc`."""

    cost: float


class PrOptions(CurveOptions, total=False):
    """The options of `pr`."""

    unachievable: bool
    beta: float


class PrgOptions(CurveOptions, total=False):
    """The options of `prg`."""

    beta: float
    low: float


class PlotOptions(RocOptions, PrOptions, PrgOptions, TradeoffOptions, total=False):
    """The options of all four spaces."""


def roc(pts: Models, ax: Axes | None = None, **options: Unpack[RocOptions]) -> Axes:
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
        Draw lines of equal accuracy, at these values or, with True, at 0.1, 0.2, …, 0.9. Each has
        its value at its end. By default they are drawn where all models have the same prevalence,
        on which they depend.
    baseline
        Draw the diagonal, which guessing achieves.
    points
        Thresholds to mark on every curve.
    legend
        Draw a legend, with the areas under the curves.
    cost
        The cost proportion of false positives for `isolines`; ½ is plain accuracy.

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
    return draw_space("roc", pts, ax, options).ax


def pr(pts: Models, ax: Axes | None = None, **options: Unpack[PrOptions]) -> Axes:
    """Draw PR curves: precision over recall, with the exact curve between the rows.

    Parameters
    ----------
    pts, ax, hull, points, legend
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
    return draw_space("pr", pts, ax, options).ax


def prg(pts: Models, ax: Axes | None = None, **options: Unpack[PrgOptions]) -> Axes:
    """Draw PRG curves: precision gain over recall gain (Flach & Kull 2015).

    Parameters
    ----------
    pts, ax, hull, points, legend
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
    >>> ax = plot.prg(pts, low=-0.5)
    >>> print(*ax.get_xlim())
    -0.52 1.02
    """
    return draw_space("prg", pts, ax, options).ax


class _Options(NamedTuple):
    """The options of all spaces; those that a space does not have are at their defaults."""

    hull: bool = True
    isolines: bool | Sequence[float] | None = None
    baseline: bool = True
    points: ArrayLike | None = None
    legend: bool = True
    beta: float = 1.0
    cost: float = 0.5
    unachievable: bool = True
    low: float = 0.0

    def checked(self, space: str, prevalences: Sequence[float]) -> _Options:
        """Check the options for models of these prevalences, which are in rising order."""
        low = check_number(self.low, "low", "a number up to 1")
        if low >= 1:
            raise ParameterError(f"must be below 1 but is {self.low!r}", parameter="low")
        # Lines of equal F in PR space, and of equal F gain in PRG space, do not depend on the
        # prevalence.
        no_isolines = space == "roc" and len(prevalences) > 1
        if self.isolines and no_isolines:
            raise ParameterError(
                "needs models of one prevalence but theirs lie between "
                f"{prevalences[0]:g} and {prevalences[-1]:g}; bring them to one with "
                "at_prevalence() or leave isolines out",
                parameter="isolines",
            )
        return self._replace(
            beta=check_beta(self.beta),
            cost=check_cost(self.cost),
            low=low,
            isolines=not no_isolines if self.isolines is None else self.isolines,
        )


def draw_space(space: str, pts: Models, ax: Axes | None, options: Mapping[str, object]) -> Drawn:
    """Draw a space by its name; refuse options that it does not have."""
    check_options(SPACES[space], options, OPTIONS[space])
    if space == "tradeoff":
        return draw_tradeoff(pts, ax, cast("TradeoffOptions", options))
    models = named(pts)
    prevalences = sorted({points.prevalence for _, points in models})
    chosen = _Options(**cast("dict[str, Any]", options)).checked(space, prevalences)
    own_figure = ax is None
    ax = frame(ax, space, chosen.low)
    # Where models differ in prevalence, `_Options.checked` refused what needs a single one.
    if space == "pr" and chosen.unachievable:
        unachievable(ax, prevalences[0])
    # Lines of equal accuracy, F or F gain, each with its value.
    beta = chosen.beta
    draw, label = {
        "roc": (partial(accuracy_isoline, cost=chosen.cost), "equal accuracy"),
        "pr": (partial(f_isoline, beta=beta), f"equal F{beta:g}"),
        "prg": (partial(f_gain_isoline, beta=beta), f"equal F{beta:g} gain"),
    }[space]
    for value in LEVELS if chosen.isolines is True else chosen.isolines or ():
        x, y = draw(value, space, prevalences[0])
        if x.size:
            isoline(ax, x, y, f"{float(value):g}", label)
            label = "_nolegend_"
    without_model = baseline(ax, space, prevalences, beta=chosen.beta) if chosen.baseline else None
    drawn = Drawn(ax, [], [], without_model)
    low = chosen.low - MARGIN
    for row, (name, points) in enumerate(models):
        style = style_of(row, len(models))
        drawn.curves.append(curve(ax, space, points, name, style, low=low))
        if chosen.hull:
            corners = points.hull()
            drawn.hulls.append(hull(ax, space, corners, name, style, low=low))
        if chosen.points is not None:
            _draw_points(ax, space, points, chosen.points, style)
    if chosen.legend:
        legend(drawn, space, own_figure=own_figure)
    return drawn


SPACES: dict[str, Callable[..., Axes]] = {"roc": roc, "pr": pr, "prg": prg, "tradeoff": tradeoff}
OPTIONS = {
    space: tuple(kind.__annotations__)
    for space, kind in zip(
        SPACES, (RocOptions, PrOptions, PrgOptions, TradeoffOptions), strict=True
    )
}


_MARKERS = 9
"""How many markers a curve with a name has."""


def curve(
    ax: Axes, space: str, points: OperatingPoints, name: str | None, style: Style, *, low: float
) -> LegendCurve:
    """Draw and return the curve, or the single points of a family of sets."""
    look: dict[str, Any] = {"color": style.curve, "linewidth": 1.5, "zorder": 3.0}
    markers: dict[str, Any] = {"marker": style.marker, "markersize": 5}
    if not points.table.nested:
        view = getattr(points, space)
        (line,) = ax.plot(view.x, view.y, **look | markers | {"linestyle": ""})
        return LegendCurve.labelled(line, "points" if name is None else plain(name), "")
    x, y = trace(points.table, space, low=low)
    if name is not None:
        # At equal distances along the visible section. matplotlib can space markers itself, but
        # includes what lies outside the axes, where a PRG curve would have millions of them.
        visible = (x >= low) & (y >= low)
        steps = np.where(visible[:-1] & visible[1:], np.hypot(np.diff(x), np.diff(y)), 0)
        length = np.cumsum(steps)
        positions = np.linspace(0, length[-1], _MARKERS + 2)[1:-1]
        marked = np.unique(np.searchsorted(length, positions) + 1)
        look |= markers | {"markevery": marked.tolist()}
    (line,) = ax.plot(x, y, **look)
    return LegendCurve.labelled(
        line, "curve" if name is None else plain(name), _area(points, space)
    )


def hull(
    ax: Axes, space: str, corners: OperatingPoints, name: str | None, style: Style, *, low: float
) -> LegendCurve:
    """Draw and return the hull, as a line in addition to the curve."""
    look: dict[str, Any] = {"color": style.hull, "linewidth": 1.3, "zorder": 3.2}
    (line,) = ax.plot(*trace(corners.table, space, low=low), linestyle="--", **look)
    title = "hull" if name is None else f"{plain(name)}, hull"
    return LegendCurve.labelled(line, title, _area(corners, space))


def _area(points: OperatingPoints, space: str) -> str:
    """Return the area under a curve as text, or its bounds if rows are missing."""
    measure = area_in(space)
    try:
        return f"{measure} {getattr(points, space).area():.3f}"
    except NotAnswerableError:
        return f"{measure} {bracketed(*bounds_of(points, [measure])[measure.name])}"


_LEFT = {"xytext": (-7, -4), "ha": "right", "va": "top"}
_BELOW = {"roc": {"xytext": (7, -4), "ha": "left", "va": "top"}, "pr": _LEFT, "prg": _LEFT}
"""Where labels of operating points stand: below a good curve."""


def _draw_points(
    ax: Axes, space: str, points: OperatingPoints, thresholds: ArrayLike, style: Style
) -> None:
    """Mark the rows at these thresholds, with the thresholds as labels."""
    marked = points.at(thresholds)
    view = getattr(marked, space)
    x, y = view.x, view.y
    # The empty rule has no finite coordinates in PR and PRG space.
    finite = np.flatnonzero(np.isfinite(x) & np.isfinite(y))
    look: dict[str, Any] = {"marker": style.marker, "markersize": 7, "markeredgewidth": 1.6}
    look |= {"markerfacecolor": "white", "markeredgecolor": style.curve, "zorder": 4.5}
    ax.plot(x[finite], y[finite], linestyle="", label="_nolegend_", **look)
    texts = ThresholdTexts(marked.thresholds, lower_scores(points.table, marked.thresholds))
    text: dict[str, Any] = {"fontsize": 8, "color": style.curve, "zorder": 4.6} | _BELOW[space]
    for row in finite.tolist():
        ax.annotate(texts[row], (x[row], y[row]), textcoords="offset points", **text)


# ---------------------------------------------------------------------- behind the curves


LEVELS = tuple(round(0.1 * level, 1) for level in range(1, 10))
"""The values whose isometrics are drawn by default."""


def isoline(ax: Axes, x: Floats, y: Floats, value: str, label: str) -> None:
    """Draw a line, with its value outside the axes where it ends on the right."""
    ax.plot(x, y, color=ISOLINE, linewidth=0.8, zorder=1.2, label=label)
    right, top = x[-1], y[-1]
    alignment: dict[str, Any] = {"xytext": (2, 3), "ha": "left", "va": "bottom"}
    if right == 1:
        alignment = {"xytext": (9, 0), "ha": "left", "va": "center"}
    elif top == 1:
        alignment = {"xytext": (0, 8), "ha": "center", "va": "bottom"}
    ax.annotate(
        value,
        (right, top),
        textcoords="offset points",
        fontsize=7,
        color=ISOLINE_LABEL,
        annotation_clip=False,
        zorder=1.3,
        **alignment,
    )


def baseline(ax: Axes, space: str, prevalences: Iterable[float], *, beta: float) -> Line2D:
    """Draw what is achieved without a model: by guessing, or by the always-positive rule."""
    look: dict[str, Any] = {"color": BASELINE, "linestyle": ":", "linewidth": 1.4, "zorder": 1.5}
    if space == "roc":
        (line,) = ax.plot([0, 1], [0, 1], label="guessing", **look)
        return line
    label, point = f"F{beta:g} of always positive", "always positive"
    # Always positive has a recall gain of 1 and a precision gain of 0.
    gain = 1.0 if np.isinf(beta) else beta**2 / (1 + beta**2)
    lines = []
    for prevalence in prevalences:
        corner = 0.0 if space == "prg" else prevalence
        x, y = f_gain_isoline(gain, space, prevalence, beta=beta)
        lines += ax.plot(x, y, label=label, **look)
        ax.plot(1, corner, "o", color=BLACK, markersize=5, clip_on=False, zorder=4, label=point)
        label = point = "_nolegend_"
    return lines[0]


def unachievable(ax: Axes, prevalence: float) -> None:
    """Shade the region of PR space that no ranking can reach (Boyd et al. 2012)."""
    recall = np.linspace(0, 1, 201)
    lowest = prevalence * recall / (1 - prevalence + prevalence * recall)
    look: dict[str, Any] = {"facecolor": "0.88", "hatch": "///", "edgecolor": "0.7"}
    ax.fill_between(recall, lowest, linewidth=0, zorder=1.1, label="cannot be achieved", **look)


# ---------------------------------------------------------------------- several spaces

_WIDTH, _HEIGHT = 4.7, 4.9
"""Inches of a panel."""
_ENTRY, _LINE = 4.7, 0.2
"""Inches of an entry of the legend."""


def panels(
    pts: Models,
    spaces: Sequence[str] = tuple(SPACES),
    axes: Sequence[Axes] | NDArray[Any] | None = None,
    **options: Unpack[PlotOptions],
) -> NDArray[Any]:
    """Draw all four spaces, or some of them, with one legend below them.

    Parameters
    ----------
    pts
        The operating points of one model, or of several by name.
    spaces
        Names among ``"roc"``, ``"pr"``, ``"prg"`` and ``"tradeoff"``, in the order of the panels.
    axes
        As many axes to draw on, of one figure; by default those of a new figure, in one row, and
        two by two for four spaces.
    options
        Options of `roc`, `pr`, `prg` and `tradeoff`; each is passed to the spaces that have it.
        ``legend=False`` leaves out the legend, with the areas under each model's curves.

    Returns
    -------
    numpy.ndarray
        The axes, in the shape of `axes`.

    Examples
    --------
    >>> import isometrics as iso
    >>> from isometrics import plot
    >>> pts = iso.OperatingPoints.from_scores([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1])
    >>> axes = plot.panels({"A": pts}, ["roc", "pr"], isolines=False, baseline=False, hull=False)
    >>> axes[0].figure.legends[0].get_texts()[0].get_text()
    'A (AUROC 0.750, AUPR 0.797)'
    """
    check_options(panels, options, PlotOptions.__annotations__)
    named(pts)
    chosen = [check_choice(space, "space", tuple(SPACES)) for space in spaces]
    if not chosen:
        raise ParameterError("is empty; name at least one", parameter="spaces")
    if len(set(chosen)) < len(chosen):
        raise ParameterError(f"must be different but are {', '.join(chosen)}", parameter="spaces")
    own_figure = axes is None
    if axes is None:
        n_columns = 2 if len(chosen) == len(SPACES) else len(chosen)
        n_rows = len(chosen) // n_columns
        _, axes = plt.subplots(
            n_rows,
            n_columns,
            figsize=(_WIDTH * n_columns, _HEIGHT * n_rows),
            layout="constrained",
            squeeze=False,
        )
        axes = axes if n_rows > 1 else axes[0]
    axes_array = np.asarray(axes, dtype=object)
    if axes_array.size != len(chosen):
        raise ParameterError(
            f"must be {len(chosen)}, one for each space, but has {axes_array.size}",
            parameter="axes",
        )
    drawn = {}
    for space, ax in zip(chosen, axes_array.flat, strict=True):
        own = {name: value for name, value in options.items() if name in OPTIONS[space]}
        drawn[space] = draw_space(space, pts, ax, own | {"legend": False})
        # The padding leaves room for labels of lines above the axes.
        ax.set_title(TITLES.get(space, space), pad=16)
    if options.get("legend", True):
        _draw_legend(drawn, grow=own_figure)
    return axes_array


def _draw_legend(panels: dict[str, Drawn], *, grow: bool) -> None:
    """Draw one legend below all panels: each model once, with its areas, then other lines.

    Lines of different meaning look alike in different panels, so the legend says where they are.
    """
    curves: dict[str, Artist] = {}
    areas: dict[str, list[str]] = {}
    others: dict[str, Artist] = {}
    titles_by_label: dict[str, list[str]] = {}
    for space, drawn in panels.items():
        titles = {}
        for line, title, area in drawn.curves + drawn.hulls:
            titles[line] = title
            curves.setdefault(title, line)
            text = f"tradeoff {area}" if space == "tradeoff" else area
            areas.setdefault(title, []).extend([text] * bool(area))
        for handle, label in zip(*drawn.ax.get_legend_handles_labels(), strict=True):
            if handle not in titles:
                others.setdefault(label, handle)
                titles_by_label.setdefault(label, []).append(drawn.ax.get_title())
    entries = {
        f"{title} ({', '.join(areas[title])})" if areas[title] else title: line
        for title, line in curves.items()
    }
    for label, handle in others.items():
        everywhere = len(titles_by_label[label]) == len(panels)
        entries[label if everywhere else f"{label} ({', '.join(titles_by_label[label])})"] = handle
    figure = cast("Figure", drawn.ax.figure)
    n_columns = max(1, min(len(entries), round(figure.get_size_inches()[0] / _ENTRY)))
    if grow:
        width, height = figure.get_size_inches()
        figure.set_size_inches(width, height + _LINE * -(-len(entries) // n_columns))
    outside = figure.get_layout_engine() is not None
    figure.legend(
        list(entries.values()),
        list(entries),
        loc="outside lower center" if outside else "lower center",
        ncols=n_columns,
        fontsize="small",
        frameon=False,
    )
