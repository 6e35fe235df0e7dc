"""`isometrics study papers`: the figures, tables and theorems of the papers, computed."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import Parameter

from isometrics.cli.options import ANSWERS, Answers, Target
from isometrics.cli.output import Part, answer
from isometrics.cli.progress import Meter

if TYPE_CHECKING:
    from collections.abc import Iterator

    from isometrics.studies.papers import PaperNumbers

SHORT = {
    "": "",
    "printed": "print",
    "claimed": "claim",
    "by its formula": "formula",
    "read from the figure": "figure",
    "from printed ends": "ends",
}
"""Where a number of a paper comes from, in a word."""


def papers(
    *,
    output: Target = "papers",
    only: Literal["DG06", "FK15", "HN"] | None = None,
    data: Annotated[str | None, Parameter(show_default=False)] = None,
    answers: Answers = ANSWERS,
) -> None:
    """Draw every figure and compute every number of the three papers, into a folder.

    For example:
      isometrics study papers
      isometrics study papers -o "my folder" --only FK15 --data arff

    Parameters
    ----------
    output
        The folder for the page, the numbers and the pictures. One of an earlier run is replaced.
    only
        One paper: Davis & Goadrich 2006, Flach & Kull 2015, or Hanczar & Nadif.
    data
        A folder with the white-clover data (ARFF), for Figure 5 of FK15.
    """
    from isometrics.studies.papers import write_papers

    with Meter("drawing", unit="items", quiet=answers.quiet) as meter:
        numbers = write_papers(output, only=only, data=data, progress=meter)
    page = Path(output) / "index.html"
    if answers.json:
        stand_ins = {item.id: item.stand_in for item in numbers.items if item.stand_in}
        about = {"index": str(page), "summary": numbers._title()}
        answer(
            about | {"stand_ins": stand_ins},
            [Part("numbers", "", numbers._columns())],
            as_json=True,
        )
        return
    answer({}, list(_parts(numbers)), as_json=False)
    print(f"\n{numbers._title()}\n{page}")


def _parts(numbers: PaperNumbers) -> Iterator[Part]:
    """Yield one small table for each item, so that all of it fits a terminal."""
    for item in dict.fromkeys(numbers.items):
        here = numbers.of(item)
        whole = here._shown()
        shown = {name: whole[name] for name in ("number", "ours", "paper")}
        shown["from"] = [SHORT[source] for source in whole["source"]]
        shown["difference"] = [
            f"{text} ({why})" if why else text
            for text, why in zip(whole["difference"], whole["why"], strict=True)
        ]
        notes = [*here._notes(shown)]
        if item.stand_in and not any(item.stand_in in note for note in notes):
            notes.append(f"Stand-in: {item.stand_in}")
        yield Part(item.id, f"{item.id}: {item.title}", here._columns(), shown, notes)
