"""`isometrics curve`: the points of any space, to a file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import Parameter

from isometrics.cli.options import (
    ANSWERS,
    COLUMNS,
    Answers,
    Columns,
    File,
    IndexName,
    Target,
    about,
    load,
)
from isometrics.cli.output import Part, answer, stacked
from isometrics.cli.table_files import write_table, writer_for

if TYPE_CHECKING:
    from isometrics.cli.output import Columns as Table
    from isometrics.decisions.thresholds import Entry

COORDINATES = {
    "roc": ("false_positive_rate", "recall"),
    "pr": ("recall", "precision"),
    "prg": ("recall_gain", "precision_gain"),
}


def curve(
    file: File,
    /,
    *,
    space: Literal["roc", "pr", "prg", "tradeoff"] = "pr",
    hull: Annotated[bool, Parameter(negative="", show_default=False)] = False,
    index: IndexName = "f-measure",
    output: Target = "-",
    columns: Columns = COLUMNS,
    answers: Answers = ANSWERS,
) -> None:
    """Write the points of a curve, with their thresholds, as CSV, Parquet or JSON.

    For example:
      isometrics curve predictions.csv --space prg > prg.csv
      isometrics curve predictions.parquet --space roc --hull -o hull.parquet
      isometrics curve predictions.csv --space tradeoff --index jaccard -o t.json

    Parameters
    ----------
    space
        ROC, precision-recall, precision-recall-gain or tradeoff space.
    hull
        Only the points of the convex hull.
    index
        The index of tradeoff space.
    output
        A file that ends in .csv, .tsv, .parquet, .arrow, .json or .jsonl, or in .csv.gz; - is CSV
        on standard output. In CSV and TSV, names that a spreadsheet would take for formulas get
        an apostrophe.
    """
    if output != "-":
        writer_for(output)
    analysis = load(file, columns, answers)

    def points_of(entry: Entry) -> Table:
        chosen = entry.points.hull() if hull else entry.points
        if space == "tradeoff":
            return chosen.tradeoff(index).intervals._columns()
        names = ("tp", "fp", *COORDINATES[space])
        return chosen._names() | {name: getattr(chosen, name) for name in names}

    found = stacked(analysis, points_of)
    if answers.json and output == "-":
        answer(about(analysis) | {"space": space}, [Part("points", "", found)], as_json=True)
        return
    write_table(found, output, escape_formulas=True)
    if answers.json:
        answer(about(analysis) | {"space": space, "written": output}, [], as_json=True)
