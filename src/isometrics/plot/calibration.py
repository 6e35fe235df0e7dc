"""Plots of calibration: the maps of calibrators, and reliability diagrams."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, TypeVar

import numpy as np
from matplotlib import pyplot as plt

from isometrics._core.sample import HIGHEST_SCORE
from isometrics.plot.frame import MARGIN
from isometrics.plot.styles import BASELINE, plain, style_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from isometrics._core.arrays import Floats
    from isometrics.calibration.calibrators import CalibrationSegments, HullCalibrator
    from isometrics.calibration.reliability import CalibrationReport

Drawn = TypeVar("Drawn")


def calibration_map(
    calibrators: HullCalibrator | Mapping[str, HullCalibrator], ax: Axes | None = None
) -> Axes:
    """Draw the step maps of calibrators: calibrated score over score.

    Beyond the fitted scores, the first and the last step continue. Infinite scores are not drawn.

    Parameters
    ----------
    calibrators
        A fitted `AccuracyCalibrator` or `FCalibrator`, or several by name. The two kinds together
        show how much the thresholds for accuracy and for F differ.
    ax
        The axes to draw on; by default those of a new figure.

    Returns
    -------
    matplotlib.axes.Axes
        The axes.

    Examples
    --------
    >>> import isometrics as iso
    >>> from isometrics import plot
    >>> calibrator = iso.FCalibrator().fit([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1])
    >>> plot.calibration_map({"for F": calibrator}).get_ylabel()
    'calibrated score'
    """
    named = _named(calibrators, lambda calibrator: type(calibrator).__name__)
    ax = _axes(ax, "score", "calibrated score")
    for index, (name, calibrator) in enumerate(named.items()):
        style = style_of(index, max(len(named), 2))
        x, y = _steps(calibrator.table())
        dashes = "solid" if index == 0 else (0, (5, 1 + index))
        ax.plot(x, y, color=style.curve, linestyle=dashes, label=plain(name))
    ax.legend(fontsize="small")
    return ax


def _steps(segments: CalibrationSegments) -> tuple[Floats, Floats]:
    """Return the corners of the step map, from the lowest score to the highest."""
    lower = np.asarray(segments.lower, np.float64)[::-1]
    edges = np.append(lower, max(segments.highest_score, lower[-1]))
    x, y = np.repeat(edges, 2)[1:-1], np.repeat(segments.values[::-1], 2)
    finite = np.isfinite(x) & (x < HIGHEST_SCORE)
    return x[finite], y[finite]


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
    >>> from isometrics.calibration.reliability import calibration_report
    >>> report = calibration_report([0, 0, 1, 0, 1, 1], [0.1, 0.1, 0.4, 0.6, 0.7, 0.9], bins=2)
    >>> ax = plot.reliability(report)
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['calibrated', 'Brier score 0.140, log loss 0.418']
    """
    named = _named(reports, lambda _: "")
    ax = _axes(ax, "predicted probability", "share of positives")
    ax.set(xlim=(-MARGIN, 1 + MARGIN), ylim=(-MARGIN, 1 + MARGIN))
    ax.set_aspect("equal")
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


def _named(items: Drawn | Mapping[str, Drawn], name: Callable[[Drawn], str]) -> Mapping[str, Drawn]:
    return items if isinstance(items, Mapping) else {name(items): items}


def _axes(ax: Axes | None, x: str, y: str) -> Axes:
    if ax is None:
        _, ax = plt.subplots(figsize=(5.6, 5.6), layout="constrained")
    ax.set(xlabel=x, ylabel=y)
    ax.grid(color="0.94", linewidth=0.6)
    ax.set_axisbelow(True)
    return ax
