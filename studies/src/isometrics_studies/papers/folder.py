"""A folder with all pictures, all numbers and a page that shows them."""

from __future__ import annotations

import csv
import shutil
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

from isometrics._core.files import ScratchFolder, as_path
from isometrics.errors import FileError
from isometrics_studies.papers.collection import PAPERS, all_items, paper_numbers, short

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Sequence
    from os import PathLike

    from matplotlib.figure import Figure

    from isometrics_studies.papers.collection import PaperNumbers
    from isometrics_studies.papers.item import Item


TITLE = "The figures and tables of three papers, computed"

STYLE = """
:root { color-scheme: light dark; --line: #ccc; --soft: #666; --note: #fff3d6; --off: #9a3b00; }
@media (prefers-color-scheme: dark) {
  :root { --line: #555; --soft: #aaa; --note: #3a3116; --off: #ffb27a; }
}
body { font: 16px/1.5 system-ui, sans-serif; max-width: 68rem; margin: 0 auto; padding: 1rem; }
h2 { border-bottom: 1px solid var(--line); margin-top: 3rem; }
nav ul { columns: 20rem; }
figure { margin: 1rem 0; }
img { max-width: 100%; height: auto; background: white; border: 1px solid var(--line); }
figcaption, .soft { color: var(--soft); font-size: 0.9rem; }
.stand-in { background: var(--note); padding: 0.4rem 0.7rem; border-radius: 4px; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; font-size: 0.95rem; }
th, td { padding: 0.15rem 0.7rem; text-align: left; border-bottom: 1px solid var(--line); }
td.number { text-align: right; }
tr.off td:nth-child(5) { color: var(--off); font-weight: 600; }
"""

HEADS = ("number", "ours", "the paper's", "from", "difference", "reason")


def index_page(items: Sequence[Item], numbers: PaperNumbers) -> str:
    """Return the page as HTML, with links to the pictures."""
    sections = [
        _section(paper, [item for item in items if item.paper == paper], numbers)
        for paper in dict.fromkeys(item.paper for item in items)
    ]
    links = "".join(
        f'<li><a href="#{item.file_name}">{escape(item.id)}</a> {escape(item.title)}</li>'
        for item in items
    )
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(TITLE)}</title><style>{STYLE}</style></head><body><main>"
        f"<h1>{escape(TITLE)}</h1><p>{escape(numbers._title())}.</p>"
        "<p>“Same” means: to the digits that the paper prints. “Chosen so” means that the authors’ "
        "data are not known and ours were searched for so that they have this number. All numbers "
        'are in <a href="numbers.csv">numbers.csv</a>.</p>'
        f'<nav aria-label="Items"><ul>{links}</ul></nav>{"".join(sections)}</main></body></html>\n'
    )


def _section(paper: str, items: Sequence[Item], numbers: PaperNumbers) -> str:
    articles = "".join(_article(item, numbers.of(item)) for item in items)
    return f"<section><h2>{escape(PAPERS[paper])}</h2>{articles}</section>"


def _article(item: Item, numbers: PaperNumbers) -> str:
    html = [
        f'<article id="{item.file_name}"><h3>{escape(item.id)}: {escape(item.title)}</h3>',
    ]
    if item.stand_in:
        html.append(f'<p class="stand-in">Stand-in: {escape(item.stand_in)}</p>')
    if item.draw is None:
        html.append(f"<p>{escape(item.shows)}</p>")
    else:
        name = item.file_name
        html.append(
            f'<figure><a href="{name}.svg"><img src="{name}.png" alt="{escape(item.shows)}" '
            f'loading="lazy"></a><figcaption>{escape(item.shows)} <a href="{name}.png">PNG</a>, '
            f'<a href="{name}.svg">SVG</a></figcaption></figure>'
        )
    return "".join([*html, _table(item, numbers), "</article>"])


def _table(item: Item, numbers: PaperNumbers) -> str:
    head = "".join(f'<th scope="col">{name}</th>' for name in HEADS)
    shown, columns = numbers._shown(), numbers._columns()
    body = []
    for row, number in enumerate(numbers.numbers):
        cells = (
            escape(number.name),
            escape(short(number.ours)),
            escape(short(number.printed)),
            escape(columns["source"][row]),
            escape(shown["difference"][row]),
            escape(columns["reason"][row]),
        )
        kinds = ("", ' class="number"', ' class="number"', "", "", "")
        off = ' class="off"' if number.agrees is False else ""
        filled = "".join(f"<td{kind}>{text}</td>" for kind, text in zip(kinds, cells, strict=True))
        body.append(f"<tr{off}>{filled}</tr>")
    return (
        f'<div class="wide"><table aria-label="Numbers of {escape(item.id)}"><thead><tr>{head}'
        f"</tr></thead><tbody>{''.join(body)}</tbody></table></div>"
    )


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
    """Write all figures of the papers and all their numbers to a folder.

    Parameters
    ----------
    output
        The folder, into which files come when all are made. Those of an earlier run are replaced;
        a folder with other contents is refused.
    only, data
        As in `all_items`.
    dpi
        Dots per inch of the PNG files.
    progress
        A function that is called with the number of finished items and of all items.

    Returns
    -------
    PaperNumbers
        The numbers, which are also in ``numbers.csv`` and on the page ``index.html``.
    """
    items = all_items(only, data=data)
    # Files of an earlier run with other options may be replaced, too.
    names = {INDEX, NUMBERS, *_picture_names(all_items())}
    target = as_path(output)
    _refuse_other_contents(target, names)
    with ScratchFolder() as made:
        folder = Path(made)
        for done, item in enumerate(items):
            if progress is not None:
                progress(done, len(items))
            if item.draw is not None:
                save(item.draw(), folder / item.file_name, dpi=dpi)
        numbers = paper_numbers(items)
        (folder / INDEX).write_text(index_page(items, numbers), encoding="utf-8")
        _write_numbers(folder / NUMBERS, numbers)
        target.mkdir(parents=True, exist_ok=True)
        for name in names:
            (target / name).unlink(missing_ok=True)
        shutil.copytree(folder, target, dirs_exist_ok=True, copy_function=shutil.copyfile)
    return numbers


def _refuse_other_contents(folder: Path, names: Collection[str]) -> None:
    if folder.exists() and not folder.is_dir():
        raise FileError(f"cannot make the folder {str(folder)!r}: there is a file of that name")
    others = {path.name for path in folder.glob("*")} - {*names}
    if others:
        raise FileError(
            f"cannot write into the folder {str(folder)!r}: it holds other things, such as "
            f"{min(others)!r}; choose a new or an empty one"
        )


def _picture_names(items: Sequence[Item]) -> Iterator[str]:
    return (f"{item.file_name}.{form}" for item in items for form in FORMS)


def save(figure: Figure, stem: Path, *, dpi: int, forms: Sequence[str] = FORMS) -> None:
    """Save a picture in several formats; the files are reproducible."""
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
