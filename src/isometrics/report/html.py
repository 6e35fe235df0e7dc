"""The report: one HTML file with everything in it, which opens without a network."""

from __future__ import annotations

from functools import cache
from html import escape
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

from isometrics._core.writing import whole_file
from isometrics.report.model import as_json, report_model

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Mapping

    from isometrics.points import OperatingPoints
    from isometrics.report.model import BandLike

TITLE, DATA = "<!--title-->", "<!--data-->"
"""What the built page has in the places of the title and of the data."""


def report_html(
    models: Mapping[str, OperatingPoints],
    *,
    title: str | None = None,
    description: str | None = None,
    bands: Iterable[BandLike] = (),
) -> str:
    """Return an interactive page about models as the text of one HTML file.

    The page has all scripts, styles and data in it, asks the network for nothing, and forbids
    itself to (Content-Security-Policy).

    Parameters
    ----------
    models
        The operating points of one model or more, by name.
    title, description
        What stands on top of the page, and where the data came from.
    bands
        Confidence bands of their curves, where there are any; see `BandLike`.

    Examples
    --------
    >>> import isometrics as iso
    >>> from isometrics.report import report_html
    >>> pts = iso.OperatingPoints.from_scores([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1])
    >>> page = report_html({"forest": pts}, title="Spam")
    >>> page[:15], "<title>Spam</title>" in page
    ('<!doctype html>', True)
    """
    return page_of(report_model(models, title=title, description=description, bands=bands))


def write_report(
    models: Mapping[str, OperatingPoints],
    path: str | os.PathLike[str],
    *,
    title: str | None = None,
    description: str | None = None,
    bands: Iterable[BandLike] = (),
) -> Path:
    """Write `report_html` into a file, and return its path.

    The file appears whole or not at all.
    """
    page = report_html(models, title=title, description=description, bands=bands)
    with whole_file(path) as file:
        file.write(page)
    return Path(path)


def page_of(model: Mapping[str, Any]) -> str:
    """Put data into the built page."""
    # Half a surrogate pair has no place in a file; the data keeps it as an escape.
    title = model["title"].encode("utf-8", "replace").decode("utf-8")
    # The data comes last: whatever it says is not looked at again.
    return template().replace(TITLE, escape(title), 1).replace(DATA, as_json(model), 1)


@cache
def template() -> str:
    """Return the page as it was built, without a title and data."""
    return files("isometrics.report").joinpath("static/report.html").read_text(encoding="utf-8")
