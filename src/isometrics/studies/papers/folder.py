"""A folder with all pictures, all numbers and a page that shows them."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import TYPE_CHECKING

from isometrics.studies.papers.collection import all_items, paper_numbers
from isometrics.studies.papers.page import index_page
from isometrics.writing import whole_folder

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from os import PathLike

    from matplotlib.figure import Figure

    from isometrics.studies.papers.collection import PaperNumbers
    from isometrics.studies.papers.item import Item

INDEX, NUMBERS = "index.html", "numbers.csv"
FORMS = ("png", "svg")


def write_papers(
    output: str | PathLike[str],
    *,
    only: str | None = None,
    data: str | PathLike[str] | None = None,
    dpi: int = 110,
    progress: Callable[[int, int], None] | None = None,
) -> PaperNumbers:
    """Draw all figures of the papers and compute all their numbers, into one folder.

    Parameters
    ----------
    output
        The folder. It appears when all of it is written. A folder of an earlier run is replaced;
        one that holds anything else is refused.
    only, data
        As in `all_items`.
    dpi
        Dots per inch of the PNG files.
    progress
        Called with the number of items that are done and of all.

    Returns
    -------
    PaperNumbers
        The numbers, which are also in ``numbers.csv`` and on the page ``index.html``.
    """
    items = all_items(only, data=data)
    # What an earlier run with other options left may be replaced, too.
    names = {INDEX, NUMBERS, *_picture_names(all_items())}
    with whole_folder(output, names=names) as folder:
        for done, item in enumerate(items):
            if progress is not None:
                progress(done, len(items))
            if item.draw is not None:
                save(item.draw(), folder / item.file_name, dpi=dpi)
        numbers = paper_numbers(items)
        (folder / INDEX).write_text(index_page(items, numbers), encoding="utf-8")
        _write_numbers(folder / NUMBERS, numbers)
    return numbers


def _picture_names(items: Sequence[Item]) -> Iterator[str]:
    return (f"{item.file_name}.{form}" for item in items for form in FORMS)


def save(figure: Figure, stem: Path, *, dpi: int, forms: Sequence[str] = FORMS) -> None:
    """Save a picture in several forms; the same picture always gives the same file."""
    import matplotlib as mpl

    with mpl.rc_context({"svg.hashsalt": "isometrics", "svg.fonttype": "none"}):
        for form in forms:
            options = {"metadata": {"Date": None}} if form == "svg" else {"dpi": dpi}
            figure.savefig(stem.with_name(f"{stem.name}.{form}"), facecolor="white", **options)


def _write_numbers(path: Path, numbers: PaperNumbers) -> None:
    columns = numbers._columns()
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows(zip(*columns.values(), strict=True))
