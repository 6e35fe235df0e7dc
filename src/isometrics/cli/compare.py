"""`isometrics compare`: which model is better for which weight of recall."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from isometrics.cli.options import (
    ANSWERS,
    CERTAINTY,
    COLUMNS,
    Answers,
    Certainty,
    Columns,
    File,
    IndexName,
    about,
    load,
    resampling,
)
from isometrics.cli.output import Meter, Part, answer, as_data, note, part_of
from isometrics.cli.verdict import MOST_ROWS, head
from isometrics.errors import ParameterError
from isometrics.measures import AUPRG, measure_choices

if TYPE_CHECKING:
    from isometrics._core.results import ResultTable
    from isometrics.comparison.compare import Comparison


_MOST_PAIRED = 100
"""Of more models there are thousands of pairs, which take minutes."""


def compare(
    file: File,
    /,
    *,
    index: IndexName = "f-measure",
    measure: Annotated[
        str,
        Parameter(
            help="The measure for which --confidence says how certain the difference is: "
            f"{measure_choices()}."
        ),
    ] = AUPRG.name,
    pairs: bool | None = None,
    certainty: Certainty = CERTAINTY,
    columns: Columns = COLUMNS,
    answers: Answers = ANSWERS,
) -> None:
    """Print the verdict, who is best for which weight of recall, areas, dominance and crossings.

    For example:
      isometrics compare predictions.csv
      isometrics compare predictions.csv --index jaccard --json
      isometrics compare predictions.csv --confidence 0.95 --measure AUROC

    Parameters
    ----------
    index
        What to compare by.
    pairs
        Compare every two models: who dominates whom, and where curves cross. By default up to
        100 models.
    """
    from isometrics.comparison.compare import compare as compared
    from isometrics.measures import parse_measures

    # A name that is not known is said before a long file is read.
    (wanted,) = parse_measures(measure)
    analysis = load(file, columns, answers, keep_rows=certainty.rows_to_keep(MOST_ROWS))
    if analysis.one_vs_rest:
        raise ParameterError(
            "the classes of one classifier are not rivals, so none is better; isometrics summary "
            "has all of them, and isometrics verdict the threshold of each"
        )
    if pairs is None:
        pairs = len(analysis.models) <= _MOST_PAIRED
    with resampling(certainty, answers, analysis, wanted) as options:
        whole = analysis.compare(index, measure=wanted, **options) if options else None
    # Groups that nobody asked for are no part of the answer.
    groups_asked = analysis.groups if columns.group else {}
    with Meter("comparing", unit="groups", quiet=answers.quiet) as meter:
        if whole is None:
            whole = analysis.compare(index, measure=wanted)
        groups: dict[str, Comparison] = {}
        for done, (group, models) in enumerate(groups_asked.items(), 1):
            groups |= {group: compared(models, index)} if len(models) > 1 else {}
            meter(done, len(groups_asked))
        said = about(analysis) | {"index": index, "sentence": whole.sentence(), "pairs": pairs}
        parts = _parts(whole, pairs=pairs)
        if answers.json and groups:
            said["groups"] = {
                group: {"sentence": found.sentence()} | as_data(_parts(found, pairs=pairs))
                for group, found in groups.items()
            }
        for group, found in groups.items():
            if not answers.json:
                mine = _parts(found, pairs=pairs)
                parts += [part._replace(title=f"{group}: {part.title}") for part in mine]
    if not pairs:
        note("which model dominates which, and where curves cross, is left out; add --pairs")
    objective: dict[str, Any] = {} if index == "f-measure" else {"index": index}
    first = head(analysis, file, certainty, answers, **objective)
    if not answers.json:
        first.show()
    answer(said | first.data, parts, as_json=answers.json)


def _parts(found: Comparison, *, pairs: bool) -> list[Part]:
    tables: dict[str, ResultTable] = {"winners": found.winners, "areas": found.areas}
    if pairs:
        tables |= {"dominance": found.dominance, "crossings": found.crossings}
    tables["useful"] = found.useful
    if found.certainty is not None:
        tables["certainty"] = found.certainty
    return [
        part_of(key, table, found.sentence() if key == "winners" else None)
        for key, table in tables.items()
        if key != "crossings" or len(found.crossings)
    ]
