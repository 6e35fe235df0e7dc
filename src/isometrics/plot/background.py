"""The background of a plot: isometrics, baselines, unachievable regions and grids."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from isometrics.plot.frame import TITLES, mark_baseline
from isometrics.plot.styles import BASELINE, BLACK, GREEN, ISOLINE, ISOLINE_LABEL
from isometrics.spaces.isolines import accuracy_isoline, f_gain_isoline, f_isoline, grid

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from matplotlib.axes import Axes

    from isometrics._core.arrays import Floats

LEVELS = tuple(round(0.1 * level, 1) for level in range(1, 10))
"""The values whose isometrics are drawn by default."""


def isolines(
    ax: Axes, space: str, prevalence: float, values: Sequence[float], *, beta: float, cost: float
) -> None:
    """Draw lines of equal accuracy (ROC), F (PR) or F gain (PRG), each with its value."""
    name = {"roc": "accuracy", "pr": f"F{beta:g}", "prg": f"F{beta:g} gain"}[space]
    label = f"equal {name}"
    for value in values:
        if space == "roc":
            x, y = accuracy_isoline(value, space, prevalence, cost=cost)
        elif space == "pr":
            x, y = f_isoline(value, space, prevalence, beta=beta)
        else:
            x, y = f_gain_isoline(value, space, prevalence, beta=beta)
        if x.size:
            isoline(ax, x, y, f"{float(value):g}", label)
            label = "_nolegend_"


def isoline(ax: Axes, x: Floats, y: Floats, value: str, label: str) -> None:
    """Draw a line, with its value outside the axes where it ends on the right."""
    ax.plot(x, y, color=ISOLINE, linewidth=0.8, zorder=1.2, label=label)
    right, top = x[-1], y[-1]
    offset: tuple[float, float]
    alignment: dict[str, Any]
    if right == 1:
        offset, alignment = (9, 0), {"ha": "left", "va": "center"}
    elif top == 1:
        offset, alignment = (0, 8), {"ha": "center", "va": "bottom"}
    else:
        offset, alignment = (2, 3), {"ha": "left", "va": "bottom"}
    ax.annotate(
        value,
        (right, top),
        xytext=offset,
        textcoords="offset points",
        fontsize=7,
        color=ISOLINE_LABEL,
        annotation_clip=False,
        zorder=1.3,
        **alignment,
    )


def baseline(ax: Axes, space: str, prevalences: Iterable[float], *, beta: float) -> None:
    """Draw what is achieved without a model: by guessing, or by the always-positive rule."""
    line: dict[str, Any] = {"color": BASELINE, "linestyle": ":", "linewidth": 1.4, "zorder": 1.5}
    if space == "roc":
        (diagonal,) = ax.plot([0, 1], [0, 1], label="guessing", **line)
        mark_baseline(diagonal)
        return
    label, point = f"F{beta:g} of always positive", "always positive"
    for prevalence in prevalences:
        corner = 0.0 if space == "prg" else prevalence
        # Always positive has a recall gain of 1 and a precision gain of 0.
        gain = 1.0 if np.isinf(beta) else beta**2 / (1 + beta**2)
        (isoline,) = ax.plot(
            *f_gain_isoline(gain, space, prevalence, beta=beta), label=label, **line
        )
        mark_baseline(isoline)
        ax.plot(
            1,
            corner,
            linestyle="",
            marker="o",
            color=BLACK,
            markersize=5,
            clip_on=False,
            zorder=4,
            label=point,
        )
        label = point = "_nolegend_"


def unachievable(ax: Axes, prevalence: float) -> None:
    """Shade the region of PR space that no ranking can reach (Boyd et al. 2012)."""
    recall = np.linspace(0, 1, 201)
    lowest = prevalence * recall / (1 - prevalence + prevalence * recall)
    ax.fill_between(
        recall,
        lowest,
        facecolor="0.88",
        hatch="///",
        edgecolor="0.7",
        linewidth=0,
        zorder=1.1,
        label="cannot be achieved",
    )


def other_grid(ax: Axes, space: str, other: str, prevalence: float) -> None:
    """Draw the points of a regular grid of another space."""
    x, y = grid(other, space, prevalence)
    ax.plot(
        x,
        y,
        linestyle="",
        marker=".",
        markersize=2.5,
        color=GREEN,
        zorder=1.4,
        label=f"regular grid of {TITLES[other]} space",
    )
