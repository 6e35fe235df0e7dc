"""`isometrics compare`: which model is better for which weight of recall."""

from __future__ import annotations

from typing import TYPE_CHECKING

from isometrics.cli.loading import about, load, resampling
from isometrics.cli.options import (
    ANSWERS,
    CERTAINTY,
    COLUMNS,
    Answers,
    Certainty,
    Columns,
    File,
    IndexName,
)
from isometrics.cli.output import Part, answer, as_data, part_of

if TYPE_CHECKING:
    from isometrics.comparing import Comparison
    from isometrics.results import ResultTable


def compare(
    file: File,
    /,
    *,
    index: IndexName = "f-measure",
    measure: str = "AUPRG",
    certainty: Certainty = CERTAINTY,
    columns: Columns = COLUMNS,
    answers: Answers = ANSWERS,
) -> None:
    """Print who is best for which weight of recall, the areas, dominance and crossings.

    For example:
      isometrics compare predictions.csv
      isometrics compare predictions.csv --index jaccard --json
      isometrics compare predictions.csv --confidence 0.95 --measure AUROC

    Parameters
    ----------
    index
        What to compare by.
    measure
        By what it is said how sure the better model is better, with --confidence.
    """
    from isometrics.comparing import compare as compared

    analysis = load(file, columns, answers, keep_rows=certainty.wanted)
    with resampling(certainty, answers) as options:
        whole = analysis.compare(index, measure=measure, **options)
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
    if found.certainty is not None:
        tables["certainty"] = found.certainty
    return [
        part_of(key, table, found.sentence() if key == "winners" else None)
        for key, table in tables.items()
        if key != "crossings" or len(found.crossings)
    ]
