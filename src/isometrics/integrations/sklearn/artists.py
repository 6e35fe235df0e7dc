"""What a display has drawn: its curves, hulls and chance level among the lines of the axes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from isometrics.measures import area_in
from isometrics.plot.frame import is_baseline, label_with_area, legend, titles_of
from isometrics.plot.spaces import draw_space
from isometrics.plot.styles import BLUE, plain

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D

    from isometrics.points import OperatingPoints

_MEASURES = {space: area_in(space).name for space in ("roc", "pr", "prg")} | {"tradeoff": "area"}
"""What the area under a curve is called in each space."""


@dataclass(frozen=True, slots=True)
class Artists:
    """The axes, and the lines on it that belong to a display."""

    ax: Axes
    curves: list[Line2D]
    hulls: list[Line2D]
    chance_level: Any
    own_figure: bool

    def share_one_look(
        self, space: str, areas: Sequence[float], hull_areas: Sequence[float], name: str
    ) -> None:
        """Draw all curves alike, with one entry of the legend for their areas."""
        _share(self.curves, plain(name), _MEASURES[space], areas)
        if self.hulls:
            _share(self.hulls, f"{plain(name)}, hull", _MEASURES[space], hull_areas)

    def despine(self) -> None:
        """Leave out the upper and the right border."""
        for side in ("top", "right"):
            self.ax.spines[side].set_visible(False)

    def legend(self) -> None:
        """Draw the legend, which shows the lines as they look now."""
        legend(self.ax, self.curves + self.hulls, own_figure=self.own_figure)


def draw(
    space: str, models: Mapping[str, OperatingPoints], ax: Axes | None, options: dict[str, Any]
) -> Artists:
    """Draw with the function of `isometrics.plot` for this space, and find its lines again."""
    before = [] if ax is None else list(ax.lines)
    drawn = draw_space(space, models, ax, options | {"legend": False})
    new = [line for line in drawn.lines if line not in before]
    titles = titles_of(new)
    curves, hulls = (
        [line for name in models for line in new if titles.get(line) == f"{plain(name)}{title}"]
        for title in ("", ", hull")
    )
    chance = [line for line in new if is_baseline(line)]
    return Artists(drawn, curves, hulls, chance[0] if chance else None, own_figure=ax is None)


def _share(lines: Sequence[Line2D], title: str, measure: str, areas: Sequence[float]) -> None:
    for line in lines:
        line.set(label="_nolegend_", color=BLUE, alpha=0.5, marker="")
    label_with_area(lines[0], title, f"{measure} {np.mean(areas):.3f} ± {np.std(areas):.3f}")
