"""The page as a widget in a notebook; needs anywidget."""

from __future__ import annotations

from importlib.resources import files
from typing import TYPE_CHECKING, Any

from isometrics.errors import MissingPackageError

try:
    import anywidget
    import traitlets
except ImportError as error:
    raise MissingPackageError(
        "isometrics.report.widget needs anywidget", "isometrics[widget]"
    ) from error

from isometrics.report.model import report_model

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from isometrics.points import OperatingPoints
    from isometrics.report.model import BandLike
    from isometrics.verdict.verdict import Verdict

_STATIC = files("isometrics.report").joinpath("static")


class ReportWidget(anywidget.AnyWidget):
    """The interactive report inside a notebook.

    Parameters
    ----------
    models
        The operating points of one model or more, by name.
    title, description
        The title of the report, and where the data come from.
    bands
        Confidence bands of the curves, if there are any.
    verdict
        The verdict with which the page begins; or one for each class, by name.

    Attributes
    ----------
    data
        The data of the page, as `isometrics.report.model.report_model` returns it.

    Examples
    --------
    >>> import isometrics as iso
    >>> pts = iso.OperatingPoints.from_scores([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1])
    >>> widget = ReportWidget({"forest": pts})
    >>> widget.data["models"][0]["name"]
    'forest'
    """

    _esm = _STATIC.joinpath("widget.js").read_text(encoding="utf-8")
    _css = _STATIC.joinpath("widget.css").read_text(encoding="utf-8")
    data = traitlets.Dict().tag(sync=True)

    def __init__(
        self,
        models: Mapping[str, OperatingPoints],
        *,
        title: str | None = None,
        description: str | None = None,
        bands: Iterable[BandLike] = (),
        verdict: Verdict | Mapping[str, Verdict] | None = None,
    ) -> None:
        data: dict[str, Any] = report_model(
            models, title=title, description=description, bands=bands, verdict=verdict
        )
        super().__init__(data=data)
