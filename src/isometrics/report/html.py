"""The page as one HTML file, which needs no network."""

from __future__ import annotations

from functools import cache
from html import escape
from importlib.resources import files
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any, Unpack

from isometrics._core.files import whole_file
from isometrics._core.results import html_table
from isometrics.measures import AUPR, AUPRG, AUROC
from isometrics.report.model import PageOptions, as_json, lean, report_model

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping

    from isometrics.points import OperatingPoints


AREAS = tuple(measure.name for measure in (AUROC, AUPR, AUPRG))
"""The areas that are shown, as in the table of the page."""


def summary_html(data: Mapping[str, Any]) -> str:
    """Return the sentences of the verdicts and a table of the areas.

    Parameters
    ----------
    data
        The data of the page, as `report_model` returns it.

    Notes
    -----
    The HTML has no styles, scripts or attributes that a Content-Security-Policy could forbid, and
    all names in it are escaped.

    Examples
    --------
    >>> import isometrics as iso
    >>> from isometrics.report.model import report_model
    >>> pts = iso.OperatingPoints.from_scores([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1])
    >>> "<td>0.750</td>" in summary_html(report_model({"forest": pts}))
    True
    """
    lines = [f"<p>{escape(line)}</p>" for line in verdict_lines(data)]
    if data["models"]:
        models = data["models"]
        columns = {"model": [model["name"] for model in models]}
        columns |= {name: [_area(each["areas"].get(name)) for each in models] for name in AREAS}
        columns |= {name: [each[name] for each in models] for name in ("positives", "negatives")}
        lines.append(html_table("The models and their areas", columns, most=len(models)))
    return "".join(lines)


def verdict_lines(data: Mapping[str, Any]) -> list[str]:
    """Return the sentences of the verdicts, each verdict's first one with its name if it has any.

    Examples
    --------
    >>> verdict_lines({"verdicts": [{"name": "cat", "lines": ["Use A.", "Sure."]}]})
    ['cat: Use A.', 'Sure.']
    """
    lines: list[str] = []
    for verdict in data["verdicts"]:
        first, *others = verdict["lines"]
        lines += [f"{verdict['name']}: {first}" if verdict["name"] else first, *others]
    return lines


def _area(limits: list[float | None] | None) -> str:
    """Return an area with three decimals, or both its limits where these differ."""
    if limits is None or None in limits:
        return "–"
    lo, hi = (f"{limit:.3f}" for limit in limits)
    return lo if lo == hi else f"{lo}–{hi}"


TITLE, SUMMARY, DATA = "<!--title-->", "<!--summary-->", "<!--data-->"
"""Markers in the built page that are replaced by the title, the first answer and the data."""


def report_html(
    models: Mapping[str, OperatingPoints],
    **options: Unpack[PageOptions],
) -> str:
    """Return an interactive page about models as the text of one HTML file.

    The page contains all scripts, styles and data. It makes no network requests, and its
    Content-Security-Policy forbids them.

    Parameters
    ----------
    models
        The operating points of one model or more, by name.
    title, description
        The title of the page, and where the data come from.
    bands
        Confidence bands of the curves, such as `Analysis.bands` returns them.
    verdict
        The verdict with which the page begins; or one for each class, by name.
    one_vs_rest
        Whether the models are the classes of one classifier, each against all others; they are
        then shown as classes, and none of them is called the best.
    groups
        What one rule does in each group of rows; `Analysis.report` makes it.
    rows
        The rows of all models, such as `Analysis.rows`, from which the page finds other verdicts.
    other_verdicts
        Verdicts for other settings, which the page shows where the reader sets just these; where
        the page has the rows, it finds them by itself.
    thresholds_from
        The operating points of the same models on tuning data; the page then shows what their
        thresholds promised there beside what they achieve here.

    Examples
    --------
    >>> import isometrics as iso
    >>> from isometrics.report import report_html
    >>> pts = iso.OperatingPoints.from_scores([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1])
    >>> page = report_html({"forest": pts}, title="Spam")
    >>> page[:15], "<title>Spam</title>" in page
    ('<!doctype html>', True)
    """
    return page_of(report_model(models, **options))


def write_report(
    models: Mapping[str, OperatingPoints],
    path: str | os.PathLike[str],
    **options: Unpack[PageOptions],
) -> Path:
    """Write the page of `report_html` to a file, and return its path.

    The file is written completely or not at all.
    """
    page = report_html(models, **options)
    with whole_file(path) as file:
        file.write(page)
    return Path(path)


def page_of(model: Mapping[str, Any]) -> str:
    """Insert data into the built page, and its summary for browsers without scripts."""
    page = template()
    # The data is inserted last, so that a marker in it is not replaced.
    for marker, text in (
        (TITLE, escape(_encodable(model["title"]))),
        (SUMMARY, _encodable(summary_html(model))),
        (DATA, as_json(lean(model))),
    ):
        page = page.replace(marker, text, 1)
    return page


def _encodable(text: str) -> str:
    """Replace unpaired surrogates, which UTF-8 cannot encode; the data has them as escapes."""
    return text.encode("utf-8", "replace").decode("utf-8")


def title_of(source: str) -> str | None:
    """Return the title of a page about a file: its name; None if the source has none.

    Examples
    --------
    >>> title_of("data/May predictions.csv"), title_of("postgresql://host/db?table=t")
    ('May predictions.csv', 'postgresql://host/db?table=t')
    >>> title_of("-") is None  # standard input
    True
    """
    if "://" in source:
        return source
    return None if source == "-" else PurePath(source).name or None


@cache
def template() -> str:
    """Return the built page, without title and data."""
    return files("isometrics.report").joinpath("static/report.html").read_text(encoding="utf-8")
