"""`isometrics calibrate`: learn a map of scores from one file, apply it to another."""

from __future__ import annotations

from typing import Annotated, Literal

from cyclopts import Parameter

from isometrics.cli.applying import apply_map
from isometrics.cli.loading import about, load
from isometrics.cli.options import ANSWERS, COLUMNS, Answers, Columns, EscapeFormulas, File, Target
from isometrics.cli.output import answer, json_text
from isometrics.cli.tabular import writer_for


def calibrate(
    file: File,
    /,
    *,
    output: Target,
    apply: Annotated[File | None, Parameter(help="Apply this map instead of learning one.")] = None,
    kind: Literal["f", "accuracy"] = "f",
    escape_formulas: EscapeFormulas = False,
    columns: Columns = COLUMNS,
    answers: Answers = ANSWERS,
) -> None:
    """Learn calibrated scores from a file, or apply what was learnt to another file.

    The map is a JSON file that people can read: for every model the segments of its hull, with the
    scores that belong to each and their calibrated value. Applied to a file, which needs no
    labels, it adds a column of calibrated scores for every model to the columns of the file.

    For example:
      isometrics calibrate tuning.csv -o map.json
      isometrics calibrate --apply map.json new.csv -o calibrated.csv
      isometrics calibrate tuning.csv --kind accuracy -o map.json

    Parameters
    ----------
    output
        The map; or the file with calibrated scores, which ends in .csv, .tsv, .parquet, .arrow,
        .json or .jsonl. For both, - is standard output.
    kind
        f: on calibrated scores the threshold 1/(1+β²) is best for F, for every β. accuracy: they
        are probabilities, and the threshold 1/2 is best for accuracy.
    """
    if apply is None:
        _learn(file, output, kind, columns, answers)
        return
    if output != "-":
        writer_for(output)
    rows, added = apply_map(
        apply, file, output, columns, quiet=answers.quiet, escape_formulas=escape_formulas
    )
    _tell({"rows": rows, "columns": added}, output, answers)


def _learn(file: str, output: str, kind: str, columns: Columns, answers: Answers) -> None:
    from isometrics.calibration.files import KINDS, map_of, write_map

    analysis = load(file, columns, answers)
    learnt = {name: KINDS[kind].from_points(points) for name, points in analysis.models.items()}
    if output == "-":
        print(json_text(map_of(learnt)))
        return
    write_map(learnt, output)
    segments = {name: calibrator.values_.size for name, calibrator in learnt.items()}
    _tell(about(analysis) | {"kind": kind, "segments": segments}, output, answers)


def _tell(said: dict[str, object], output: str, answers: Answers) -> None:
    if output == "-":
        return
    if answers.json:
        answer(said | {"written": output}, [], as_json=True)
    else:
        print(output)
