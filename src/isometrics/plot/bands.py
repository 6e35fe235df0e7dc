"""Plots of confidence bands, and of the probability that one model is better than another."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from matplotlib import pyplot as plt

from isometrics._core.parameters import check_choice
from isometrics.errors import ParameterError
from isometrics.plot.frame import MARGIN, frame
from isometrics.plot.styles import BASELINE, plain, style_of
from isometrics.plot.tradeoff import NAMES
from isometrics.uncertainty.bands import Band, BetterCurve
from isometrics.uncertainty.paired import percent

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes

SCALES = ("lambda", "beta")


def band(
    bands: Band | Sequence[Band], ax: Axes | None = None, *, curve: bool = True, legend: bool = True
) -> Axes:
    """Draw confidence bands of curves in ROC, PR, PRG or tradeoff space.

    Parameters
    ----------
    bands
        A band, or several of one space; bands of the same model have the same colour.
    ax
        The axes to draw on, for example those that `roc` returned; by default new ones.
    curve
        Draw the curve too, at the x values of the band.
    legend
        Draw a legend.

    Returns
    -------
    matplotlib.axes.Axes
        The axes.

    Examples
    --------
    >>> import isometrics as iso
    >>> from isometrics import plot
    >>> pts = iso.OperatingPoints.from_scores([1, 0, 1, 0] * 25, [4, 3, 2, 1] * 25)
    >>> curves = iso.bootstrap_curves(pts, space="prg", n_resamples=50, random_state=0)
    >>> ax = plot.band(curves.band(), legend=True)
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['95% band, pointwise', 'curve']
    """
    band_list = [bands] if isinstance(bands, Band) else list(bands)
    if not band_list or not all(isinstance(item, Band) for item in band_list):
        raise ParameterError(
            "must be a Band or a list of them, as band() of curves returns", parameter="bands"
        )
    spaces = sorted({item.space for item in band_list})
    if len(spaces) > 1:
        raise ParameterError(
            f"must be of one space but are of {' and '.join(spaces)}", parameter="bands"
        )
    ax = _frame(ax, band_list[0])
    models: list[str] = []
    for item in band_list:
        is_first = item.model not in models
        models += [item.model] * is_first
        colour = style_of(models.index(item.model), len(band_list)).curve
        _draw(ax, item, colour, curve=curve and is_first)
    if legend:
        ax.legend(fontsize="small", framealpha=0.9)
    return ax


def shade(bands: Sequence[Band], ax: Axes) -> None:
    """Draw the bands of models below existing curves, in the same colours."""
    for index, band in enumerate(bands):
        style = style_of(index, len(bands))
        ax.fill_between(
            band.x, band.lower, band.upper, color=style.curve, alpha=0.18, linewidth=0, zorder=2.6
        )


def _frame(ax: Axes | None, band: Band) -> Axes:
    if ax is not None:
        return ax
    if band.space != "tradeoff":
        return frame(None, band.space)
    _, ax = plt.subplots(figsize=(6.4, 5.4), layout="constrained")
    ax.set(xlabel="λ, the weight of recall", ylabel=NAMES.get(band.index, plain(band.index)))
    ax.set_xlim(-MARGIN, 1 + MARGIN)
    ax.grid(color="0.94", linewidth=0.6)
    ax.set_axisbelow(True)
    return ax


def _draw(ax: Axes, band: Band, colour: str, *, curve: bool) -> None:
    name = plain(band.model)
    description = f"{percent(band.confidence_level)} band, {band.kind}"
    label = f"{name}, {description}" if name else description
    band_options: dict[str, Any] = {"color": colour, "linewidth": 0}
    ax.fill_between(
        band.x, band.lower, band.upper, alpha=0.2, zorder=2.6, label=label, **band_options
    )
    if curve:
        title = name or "curve"
        ax.plot(band.x, band.estimate, color=colour, linewidth=1.5, zorder=3.0, label=title)


def better(result: BetterCurve, ax: Axes | None = None, *, scale: str = "lambda") -> Axes:
    """Draw the probability that one model is better than another, for each weight of recall.

    Parameters
    ----------
    result
        The result of `CurveReplicates.better`.
    ax
        The axes to draw on; by default those of a new figure.
    scale
        ``"lambda"``, the weight of recall; or ``"beta"``, the same on a logarithmic scale of β.

    Returns
    -------
    matplotlib.axes.Axes
        The axes.

    Examples
    --------
    >>> import isometrics as iso
    >>> from isometrics import plot
    >>> labels, scores = [1, 0, 1, 0] * 25, {"A": [4, 3, 2, 1] * 25, "B": [4, 2, 1, 3] * 25}
    >>> curves = iso.bootstrap_curves(
    ...     labels, scores, space="tradeoff", n_resamples=50, random_state=0
    ... )
    >>> plot.better(curves.better("A", "B")).get_ylabel()
    'P(A better than B)'
    """
    if not isinstance(result, BetterCurve):
        raise ParameterError(
            f"must be what better() of curves returned but is {type(result).__name__}",
            parameter="result",
        )
    check_choice(scale, "scale", SCALES)
    if ax is None:
        _, ax = plt.subplots(figsize=(6.4, 4.0), layout="constrained")
    x = result.lambda_ if scale == "lambda" else result.beta
    ax.axhline(0.5, color=BASELINE, linewidth=1.0, linestyle=":")
    ax.plot(x, result.better, color=style_of(0, 1).curve, linewidth=1.8)
    ax.set(xlabel="λ, the weight of recall" if scale == "lambda" else "β")
    ax.set(ylabel=f"P({plain(result.first)} better than {plain(result.second)})")
    ax.set_ylim(-MARGIN, 1 + MARGIN)
    if scale == "beta":
        ax.set_xscale("log")
    ax.grid(color="0.94", linewidth=0.6)
    ax.set_axisbelow(True)
    return ax
