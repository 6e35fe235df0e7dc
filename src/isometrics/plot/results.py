"""Plots of results: confidence bands and reliability."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from isometrics._core.results import percent
from isometrics.errors import ParameterError
from isometrics.plot.frame import BASELINE, frame, lambda_frame, plain, style_of
from isometrics.plot.tradeoff import name_of
from isometrics.uncertainty.bands import Band

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes

    from isometrics.calibration import CalibrationReport


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
    if ax is None and spaces == ["tradeoff"]:
        ax = lambda_frame(None, name_of(band_list[0].index))
    elif ax is None:
        ax = frame(None, spaces[0])
    first_of_model = {item.model: item for item in reversed(band_list)}
    models = list(dict.fromkeys(item.model for item in band_list))
    for item in band_list:
        colour = style_of(models.index(item.model), len(models)).curve
        name = plain(item.model)
        described = f"{percent(item.confidence_level)} band, {item.kind}"
        look: dict[str, Any] = {"color": colour, "linewidth": 0, "alpha": 0.2, "zorder": 2.6}
        look["label"] = f"{name}, {described}" if name else described
        ax.fill_between(item.x, item.lower, item.upper, **look)
        if curve and item is first_of_model[item.model]:
            look = {"color": colour, "linewidth": 1.5, "zorder": 3.0}
            ax.plot(item.x, item.estimate, label=name or "curve", **look)
    if legend:
        ax.legend(fontsize="small", framealpha=0.9)
    return ax


def reliability(
    reports: CalibrationReport | Mapping[str, CalibrationReport], ax: Axes | None = None
) -> Axes:
    """Draw a reliability diagram: the share of positives over the predicted probability.

    Calibrated probabilities lie on the diagonal, up to the intervals of the report, which are
    drawn as bars.

    Parameters
    ----------
    reports
        The result of `calibration_report`, or several by name.
    ax
        The axes to draw on; by default those of a new figure.

    Returns
    -------
    matplotlib.axes.Axes
        The axes.

    Examples
    --------
    >>> from isometrics import plot
    >>> from isometrics.calibration import calibration_report
    >>> report = calibration_report([0, 0, 1, 0, 1, 1], [0.1, 0.1, 0.4, 0.6, 0.7, 0.9], bins=2)
    >>> ax = plot.reliability(report)
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['calibrated', 'Brier score 0.140, log loss 0.418']
    """
    named = reports if isinstance(reports, Mapping) else {"": reports}
    ax = frame(ax, "reliability")
    ax.plot([0, 1], [0, 1], color=BASELINE, linestyle=":", label="calibrated")
    for index, (name, report) in enumerate(named.items()):
        style = style_of(index, max(len(named), 2))
        scores = f"Brier score {report.brier_score:.3f}, log loss {report.log_loss:.3f}"
        ax.errorbar(
            report.predicted,
            report.observed,
            yerr=(report.observed - report.observed_lower, report.observed_upper - report.observed),
            color=style.curve,
            marker=style.marker,
            capsize=2,
            label=f"{plain(name)}: {scores}" if name else scores,
        )
    ax.legend(fontsize="small")
    return ax
