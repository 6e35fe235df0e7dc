"""`isometrics compare`: which model is better for which weight of recall."""

from __future__ import annotations

from typing import TYPE_CHECKING

from isometrics.cli.loading import about, load
from isometrics.cli.options import ANSWERS, COLUMNS, Answers, Columns, File, IndexName
from isometrics.cli.output import Part, answer, as_data, part_of

if TYPE_CHECKING:
    from isometrics.compare import Comparison
    from isometrics.results import ResultTable


def compare(
    file: File,
    /,
    *,
    index: IndexName = "f-measure",
    columns: Columns = COLUMNS,
    answers: Answers = ANSWERS,
) -> None:
    """Print who is best for which weight of recall, the areas, dominance and crossings.

    For example:
      isometrics compare predictions.csv
      isometrics compare predictions.csv --index jaccard --json

    Parameters
    ----------
    index
        What to compare by.
    """
    from isometrics.compare import compare as compared

    analysis = load(file, columns, answers)
    whole = analysis.compare(index)
    groups = {
        group: compared(models, index)
        for group, models in analysis.groups.items()
        if len(models) > 1
    }
    said = about(analysis) | {"index": index, "sentence": whole.sentence()}
    parts = _parts(whole)
    if answers.json and groups:
        said["groups"] = {
            group: {"sentence": found.sentence()} | as_data(_parts(found))
            for group, found in groups.items()
        }
    for group, found in groups.items():
        if not answers.json:
            parts += [part._replace(title=f"{group}: {part.title}") for part in _parts(found)]
    answer(said, parts, as_json=answers.json)


def _parts(found: Comparison) -> list[Part]:
    tables: dict[str, ResultTable] = {
        "winners": found.winners,
        "areas": found.areas,
        "dominance": found.dominance,
        "crossings": found.crossings,
        "useful": found.useful,
    }
    return [
        part_of(key, table, found.sentence() if key == "winners" else None)
        for key, table in tables.items()
        if key != "crossings" or len(found.crossings)
    ]
